#include "tools/alignment/phrase_pairs.hpp"

#include <algorithm>
#include <limits>

namespace palmette {

namespace {

std::uint64_t mixed(std::uint64_t x) {
    x += 0x9E3779B97F4A7C15u;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
    return x ^ (x >> 31);
}

std::uint64_t words_key(const std::int32_t* words, std::int32_t begin, std::int32_t end) {
    std::uint64_t key = 0;
    for (std::int32_t k = begin; k < end; ++k) key = mixed(key ^ static_cast<std::uint64_t>(words[k] + 1));
    return key;
}

// The least and the greatest word that a word is linked to; none: least > greatest.
struct Range {
    std::int32_t low = std::numeric_limits<std::int32_t>::max(), high = -1;
    void add(std::int32_t k) { low = std::min(low, k), high = std::max(high, k); }
    void add(const Range& r) { low = std::min(low, r.low), high = std::max(high, r.high); }
    bool empty() const { return high < 0; }
};

}  // namespace

PhrasePairs phrase_pairs(const Side& source, const Side& target, std::span<const std::int64_t> links_at,
                         std::span<const std::int32_t> link_source, std::span<const std::int32_t> link_target, std::int32_t max_length) {
    PhrasePairs found;
    std::vector<Range> of_source, of_target;
    for (std::size_t s = 0; s + 1 < links_at.size(); ++s) {
        const auto l = static_cast<std::int32_t>(source.length(s)), m = static_cast<std::int32_t>(target.length(s));
        const auto first = static_cast<std::size_t>(links_at[s]), last = static_cast<std::size_t>(links_at[s + 1]);
        of_source.assign(static_cast<std::size_t>(l), {});
        of_target.assign(static_cast<std::size_t>(m), {});
        for (std::size_t k = first; k < last; ++k) {
            of_source[static_cast<std::size_t>(link_source[k])].add(link_target[k]);
            of_target[static_cast<std::size_t>(link_target[k])].add(link_source[k]);
        }
        const auto free = [&](std::int32_t j) { return of_target[static_cast<std::size_t>(j)].empty(); };
        const auto emit = [&](std::int32_t i0, std::int32_t i1, std::int32_t j0, std::int32_t j1) {
            std::uint64_t links = 0;
            for (std::size_t k = first; k < last; ++k)
                if (link_source[k] >= i0 && link_source[k] < i1)
                    links += mixed(static_cast<std::uint64_t>(link_source[k] - i0) << 32 | static_cast<std::uint32_t>(link_target[k] - j0));
            found.sentence.push_back(static_cast<std::int32_t>(s));
            found.source_begin.push_back(i0);
            found.source_end.push_back(i1);
            found.target_begin.push_back(j0);
            found.target_end.push_back(j1);
            found.source_key.push_back(words_key(source.sentence(s), i0, i1));
            found.target_key.push_back(words_key(target.sentence(s), j0, j1));
            found.links_key.push_back(links);
        };
        for (std::int32_t i0 = 0; i0 < l; ++i0) {
            Range span;
            for (std::int32_t i1 = i0 + 1; i1 <= l && i1 - i0 <= max_length; ++i1) {
                span.add(of_source[static_cast<std::size_t>(i1 - 1)]);
                if (span.empty()) continue;
                if (span.high - span.low >= max_length) break;
                bool closed = true;
                for (std::int32_t j = span.low; j <= span.high && closed; ++j) {
                    const Range& back = of_target[static_cast<std::size_t>(j)];
                    closed = back.empty() || (back.low >= i0 && back.high < i1);
                }
                if (!closed) continue;
                std::int32_t lowest = span.low;
                while (lowest > 0 && free(lowest - 1) && span.high - lowest + 1 < max_length) --lowest;
                for (std::int32_t j0 = lowest; j0 <= span.low; ++j0) {
                    for (std::int32_t j1 = span.high + 1; j1 <= m && j1 - j0 <= max_length && (j1 == span.high + 1 || free(j1 - 1)); ++j1)
                        emit(i0, i1, j0, j1);
                }
            }
        }
    }
    return found;
}

}  // namespace palmette

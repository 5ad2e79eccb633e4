#include "tools/alignment/bitext.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <stdexcept>
#include <utility>

namespace palmette {
namespace {

constexpr std::int64_t kAhead = 12;
constexpr std::size_t kMost = std::numeric_limits<std::uint32_t>::max() - 1;

}  // namespace

Bitext::Bitext(Side source, Side target, std::size_t n_source, std::size_t n_target) {
    const std::size_t n = source.offsets.size() - 1;
    const auto all = std::make_shared<All>();
    all->n_target = n_target;
    all->source.assign(source.words.begin(), source.words.end());
    all->target.assign(target.words.begin(), target.words.end());
    all->source_at.assign(source.offsets.begin(), source.offsets.end());
    all->target_at.assign(target.offsets.begin(), target.offsets.end());
    end_ = n;
    all->links_at.assign(n + 1, 0);
    all->shape_of.resize(n);
    std::map<std::pair<std::size_t, std::size_t>, std::int32_t> shapes;
    all->shape_at.push_back(0);
    for (std::size_t s = 0; s < n; ++s) {
        const std::size_t l = source.length(s), m = target.length(s), size = (l + 1) * m;
        all->longest = std::max(all->longest, l);
        all->l.push_back(static_cast<std::int32_t>(l));
        all->m.push_back(static_cast<std::int32_t>(m));
        all->links_at[s + 1] = all->links_at[s] + static_cast<std::int64_t>(size);
        const auto [found, fresh] = shapes.try_emplace({l, m}, static_cast<std::int32_t>(shapes.size()));
        all->shape_of[s] = found->second;
        if (fresh) {
            all->shape_lengths.push_back(static_cast<std::int32_t>(l));
            all->shape_lengths.push_back(static_cast<std::int32_t>(m));
            all->shape_at.push_back(all->shape_at.back() + static_cast<std::int64_t>(size));
        }
    }
    all->links.resize(static_cast<std::size_t>(all->links_at.back()));

    // Where each source word occurs, NULL first: sentence and place.
    std::vector<std::int64_t> begin(n_source + 2, 0);
    begin[1] = static_cast<std::int64_t>(n);
    for (const std::int32_t e : source.words) ++begin[static_cast<std::size_t>(e) + 2];
    for (std::size_t e = 1; e < begin.size(); ++e) begin[e] += begin[e - 1];
    std::vector<std::pair<std::int32_t, std::int32_t>> stands(static_cast<std::size_t>(begin.back()));
    std::vector<std::int64_t> next(begin.begin(), begin.end() - 1);
    for (std::size_t s = 0; s < n; ++s) {
        stands[static_cast<std::size_t>(next[0]++)] = {static_cast<std::int32_t>(s), 0};
        for (std::size_t i = 0; i < source.length(s); ++i) {
            const std::size_t e = static_cast<std::size_t>(source.sentence(s)[i]) + 1;
            stands[static_cast<std::size_t>(next[e]++)] = {static_cast<std::int32_t>(s), static_cast<std::int32_t>(i + 1)};
        }
    }

    // A target word's mark is the number of its pair with the source word at hand, or one from before it. Whether a pair is
    // new cannot be foreseen, so the loop has no branch for it.
    std::vector<std::uint32_t> mark(n_target, 0);
    std::vector<std::int32_t>& targets = all->target_of;
    all->first_of.assign(1, 0);
    std::size_t used = 0;
    for (std::size_t e = 0; e <= n_source; ++e) {
        // Numbers begin with 1 here, so that a mark of 0 is of no source word.
        const auto first = static_cast<std::uint32_t>(used + 1);
        for (std::int64_t k = begin[e]; k < begin[e + 1]; ++k) {
            if (k + kAhead < begin.back()) {  // rows lie all over the links: fetch those that come soon
                const auto [later, row] = stands[static_cast<std::size_t>(k + kAhead)];
                const auto there = static_cast<std::size_t>(later);
                const char* first_byte = reinterpret_cast<const char*>(all->links.data() + all->links_at[there] + static_cast<std::size_t>(row) * target.length(there));
                __builtin_prefetch(first_byte, 1);
                __builtin_prefetch(first_byte + 64, 1);
                __builtin_prefetch(target.sentence(there));
            }
            const auto [s, i] = stands[static_cast<std::size_t>(k)];
            const std::size_t at = static_cast<std::size_t>(s), m = target.length(at);
            if (used + m > kMost) throw std::length_error("there are more pairs of words than can be counted");
            if (targets.size() < used + m + 1) targets.resize(std::max(2 * targets.size(), used + m + 1));
            std::uint32_t* row = all->links.data() + all->links_at[at] + static_cast<std::size_t>(i) * m;
            const std::int32_t* words = target.sentence(at);
            std::int32_t* to = targets.data();
            for (std::size_t j = 0; j < m; ++j) {
                std::uint32_t& number = mark[static_cast<std::size_t>(words[j])];
                const bool fresh = number < first;
                number = fresh ? static_cast<std::uint32_t>(used + 1) : number;
                to[used] = words[j];
                used += fresh;
                row[j] = number - 1;
            }
        }
        all->first_of.push_back(static_cast<std::int64_t>(used));
    }
    targets.resize(used);
    targets.shrink_to_fit();
    all_ = all;
}

Bitext Bitext::part(std::size_t begin, std::size_t end) const {
    if (begin > end || end > size()) throw std::out_of_range("the range is not within the sentence pairs");
    Bitext made(all_, begin_ + begin, begin_ + end);
    made.alike_ = alike_;
    return made;
}

namespace {

// Bytes before the first one in which two words differ, and the letters (not continuations of UTF-8) among them.
std::size_t common_letters(std::string_view a, std::string_view b) {
    const std::size_t n = std::min(a.size(), b.size());
    std::size_t same = 0, letters = 0;
    while (same < n && a[same] == b[same]) letters += (a[same++] & 0xC0) != 0x80;
    return letters;
}

std::size_t count_letters(std::string_view word) {
    std::size_t letters = 0;
    for (const char c : word) letters += (c & 0xC0) != 0x80;
    return letters;
}

}  // namespace

void Bitext::liken(std::span<const std::string_view> source, std::span<const std::string_view> target) {
    constexpr std::size_t kLeast = 3;
    std::vector<float> alike(n_pairs(), 0.0f);
    std::vector<std::size_t> long_target(target.size());
    for (std::size_t f = 0; f < target.size(); ++f) long_target[f] = count_letters(target[f]);
    for (std::size_t e = 1; e + 1 < all_->first_of.size(); ++e) {
        const std::string_view word = source[e - 1];
        const std::size_t long_source = count_letters(word);
        for (std::int64_t k = all_->first_of[e]; k < all_->first_of[e + 1]; ++k) {
            const auto f = static_cast<std::size_t>(all_->target_of[static_cast<std::size_t>(k)]);
            if (word.empty() || target[f].empty() || word[0] != target[f][0]) continue;
            const std::size_t same = word == target[f] ? long_source : common_letters(word, target[f]);
            if (same < kLeast && word != target[f]) continue;
            const float part = static_cast<float>(same) / static_cast<float>(std::max(long_source, long_target[f]));
            alike[static_cast<std::size_t>(k)] = part * part;
        }
    }
    alike_ = std::make_shared<const std::vector<float>>(std::move(alike));
}

}  // namespace palmette

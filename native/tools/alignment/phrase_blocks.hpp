// The blocks of one sentence pair: [i0, i1) × [j0, j1) with a link inside, and no link of a word of the block to a word
// outside it. CSC 448, §15.2; Och, Tillmann and Ney 1999.
//
// For each source phrase the links give the least target phrase, and the links back from it say whether it is closed; both
// grow with the phrase. It may then grow over target words without links. O(l k + blocks) for phrases of up to k words, and
// less where links cross: once a link leads back before i0, no longer phrase from i0 is closed.
#pragma once
#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace palmette {

class SentenceBlocks {
public:
    // Link k is of source word links_source[k] and target word links_target[k], which lie in the sentences.
    void reset(std::int32_t l, std::int32_t m, std::span<const std::int32_t> link_source, std::span<const std::int32_t> link_target) {
        of_source_.assign(static_cast<std::size_t>(l), {});
        of_target_.assign(static_cast<std::size_t>(m), {});
        for (std::size_t k = 0; k < link_source.size(); ++k) {
            of_source_[static_cast<std::size_t>(link_source[k])].add(link_target[k]);
            of_target_[static_cast<std::size_t>(link_target[k])].add(link_source[k]);
        }
    }

    // Calls found(i0, i1, lowest, low, high, highest) for every source phrase [i0, i1) that is closed: target phrases begin at
    // lowest … low and end behind high … highest words. Lengths of target phrases are the caller's to look at, but low … high has
    // at most `longest` words.
    template <class Found>
    void each_source_phrase(std::int32_t longest, Found&& found) const {
        const auto l = static_cast<std::int32_t>(of_source_.size()), m = static_cast<std::int32_t>(of_target_.size());
        for (std::int32_t i0 = 0; i0 < l; ++i0) {
            Range span, back;
            for (std::int32_t i1 = i0 + 1; i1 <= l && i1 - i0 <= longest; ++i1) {
                const Range& more = of_source_[static_cast<std::size_t>(i1 - 1)];
                if (!more.empty()) {
                    const Range before = span;
                    span.add(more);
                    if (span.high - span.low >= longest) break;
                    const std::int32_t known_low = before.empty() ? span.high + 1 : before.low, known_high = before.empty() ? span.high : before.high;
                    for (std::int32_t j = span.low; j < known_low && j <= span.high; ++j) back.add(of_target_[static_cast<std::size_t>(j)]);
                    for (std::int32_t j = known_high + 1; j <= span.high; ++j) back.add(of_target_[static_cast<std::size_t>(j)]);
                }
                if (!span.empty() && back.low < i0) break;
                if (span.empty() || back.high >= i1) continue;
                std::int32_t lowest = span.low, highest = span.high + 1;
                while (lowest > 0 && free(lowest - 1) && span.high + 1 - lowest < longest) --lowest;
                while (highest < m && free(highest) && highest - span.low < longest) ++highest;
                found(i0, i1, lowest, span.low, span.high + 1, highest);
            }
        }
    }

    // Calls emit(i0, i1, j0, j1) for every block of at most `longest` words on either side.
    template <class Emit>
    void each(std::int32_t longest, Emit&& emit) const {
        each_source_phrase(longest, [&](std::int32_t i0, std::int32_t i1, std::int32_t lowest, std::int32_t low, std::int32_t high, std::int32_t highest) {
            for (std::int32_t j0 = lowest; j0 <= low; ++j0)
                for (std::int32_t j1 = high; j1 <= highest && j1 - j0 <= longest; ++j1) emit(i0, i1, j0, j1);
        });
    }

private:
    // The least and the greatest word that some words are linked to; none: least > greatest.
    struct Range {
        std::int32_t low = std::numeric_limits<std::int32_t>::max(), high = -1;
        void add(std::int32_t k) { low = std::min(low, k), high = std::max(high, k); }
        void add(const Range& r) { low = std::min(low, r.low), high = std::max(high, r.high); }
        bool empty() const { return high < 0; }
    };

    bool free(std::int32_t j) const { return of_target_[static_cast<std::size_t>(j)].empty(); }

    std::vector<Range> of_source_, of_target_;
};

}  // namespace palmette

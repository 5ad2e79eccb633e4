// Closed words: where no phrase of two or more words may begin, or end (chart constraints; Roark & Hollingshead 2008).
//
// A closed end takes all longer spans out of a column of the chart. Over a closed beginning there may still be parts of
// phrases: symbols that binarization made and that grow to the right, of which the last words are those of the phrase.
// The first word of a sentence is never closed as a beginning, nor the last one as an end.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include "structures/chart/items.hpp"

namespace palmette {

inline constexpr std::uint8_t kClosedBegin = 1, kClosedEnd = 2;  // bits of a word

struct ChartClosure {
    std::span<const std::uint8_t> words;  // bits of every word; empty: nothing is closed
    std::span<const std::uint8_t> parts;  // for every symbol whether it is a part of a phrase

    bool none() const { return words.empty(); }
    // Whether spans of two or more words may not end after the first `end` words.
    bool end(std::size_t end) const { return end > 0 && end < words.size() && (words[end - 1] & kClosedEnd); }
    // Whether only parts of phrases may begin with this word, if they have two or more words.
    bool begin(std::size_t start) const { return start > 0 && start < words.size() && (words[start] & kClosedBegin); }
};

// Takes out of a set of items what is closed.
inline void close_words(const ChartClosure& closure, ChartItems& items) {
    for (std::size_t end = 2; end <= items.n(); ++end)
        for (std::size_t start = 0; start + 1 < end; ++start) {
            if (closure.end(end)) {
                items.close(start, end);
            } else if (closure.begin(start)) {
                for (std::size_t symbol = 0; symbol < items.symbols(); ++symbol)
                    if (!closure.parts[symbol]) items.remove(start, end, symbol);
            }
        }
}

}  // namespace palmette

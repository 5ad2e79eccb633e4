// Text in two languages becomes numbers of words: one sentence on a line, its words between white space (of ASCII, so that
// places of words are those of other aligners). Numbers are those of first appearance. O(bytes).
#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/intern.hpp"

namespace palmette {

// The sentences of one language; the words are views into the text.
struct TextSide {
    Interner words;
    std::vector<std::int32_t> ids;
    std::vector<std::int64_t> offsets{0};

    void add(std::string_view sentence);
};

enum class PairSeparator { tab, bars };  // a tab, or the word |||

// How many parts each line would have with either separator: what a reader guesses by.
struct SeparatorCounts {
    std::int64_t lines = 0, tab = 0, bars = 0;  // lines that are not blank; those of two parts
};
SeparatorCounts count_separators(std::string_view text);

void read_side(std::string_view text, TextSide& side);

// Both sides of every line; a blank line has two empty ones. A line that has not two parts ends it: its number, from 1 on,
// and its parts; 0 if there is none.
struct BadLine {
    std::int64_t number = 0, parts = 0;
};
BadLine read_pairs(std::string_view text, PairSeparator separator, TextSide& source, TextSide& target);

}  // namespace palmette

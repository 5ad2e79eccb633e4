// Phrase tables as text, in the format of Moses.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tools/alignment/bitext.hpp"

namespace palmette {

// Words that lie one after another in `text`, cut at `offsets`.
struct Words {
    std::string_view text;
    std::span<const std::int64_t> offsets;
    std::string_view operator[](std::size_t word) const {
        return text.substr(static_cast<std::size_t>(offsets[word]), static_cast<std::size_t>(offsets[word + 1] - offsets[word]));
    }
};

// Rows (sentence, source_begin, source_end, target_begin, target_end) of distinct phrase pairs, all of which have been checked.
struct PhraseRows {
    Side source, target;
    Words source_words, target_words;
    std::span<const std::int32_t> places;

    std::size_t size() const { return places.size() / 5; }
    void append(std::size_t row, std::string& text) const;  // source ||| target
};

// The rows in the order of the bytes of their phrases.
std::vector<std::int64_t> phrase_order(const PhraseRows& rows);

// What a line of a phrase table has besides the phrases: counts of the target and the source phrase and of both, for each
// row; lexical weights, source given target and target given source; and the links of all sentences.
struct PhraseScores {
    std::span<const std::int64_t> counts;
    std::span<const double> lexical;
    std::span<const std::int64_t> links_at;
    std::span<const std::int32_t> link_source, link_target;
};

// Some rows in the format of Moses: phrases, four scores, links, counts.
std::string phrase_lines(const PhraseRows& rows, const PhraseScores& scores, std::size_t begin, std::size_t end);

}  // namespace palmette

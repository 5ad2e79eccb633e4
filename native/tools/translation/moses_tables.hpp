// Phrase tables and reordering tables as Moses writes them: source ||| target ||| scores ||| links ||| counts.
//
// Scores are probabilities in the file and natural logarithms here; 0 becomes e^-100, as in Moses. `&#124;` is a bar. Fields
// after the counts are not read. Numbers are written with the digits that give the same float again.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/word_table.hpp"
#include "tools/alignment/phrase_lines.hpp"
#include "tools/alignment/phrase_pairs.hpp"
#include "tools/translation/phrase_table.hpp"

namespace palmette {

// What is wrong, and in which line from 1 on; 0 if nothing is.
struct LineFault {
    std::int64_t line = 0;
    std::string message;
};

struct MosesTable {
    WordTable source_words{false}, target_words{false};
    PairNodes nodes;
    std::size_t n_columns = 0, n_reordering = 0;
    std::vector<float> scores, reordering;  // [pair][column]
    std::vector<std::uint32_t> link_begin{0}, counts;  // counts: three for each pair, or empty if a line has none
    std::vector<std::uint16_t> links;
};

LineFault read_phrase_table(std::string_view text, MosesTable& table);

// The orientations of the pairs in the table: those that the file does not have get 1/3 each, others of the file are passed over.
LineFault read_reordering_table(std::string_view text, MosesTable& table);

// Writes the pairs in the order of the bytes of their phrases.
class MosesWriter {
public:
    // The table has been checked as a whole. counts: three for each pair, or none.
    MosesWriter(const PhraseTableView& table, Words source, Words target, std::span<const std::uint32_t> counts);

    std::size_t size() const { return order_.size(); }  // source phrases
    // The lines of source phrases begin … end − 1. DamagedTable if a score cannot be written as a probability.
    std::string lines(std::size_t begin, std::size_t end, bool reordering) const;

private:
    PhraseTableView table_;
    Words source_, target_;
    std::span<const std::uint32_t> counts_;
    std::vector<std::uint32_t> parent_, order_;  // nodes
    std::string phrase(std::uint32_t node) const;
};

}  // namespace palmette

// From phrase pairs in any order to the arrays of a phrase table.
//
// The same pairs give the same arrays, however they were ordered: children rise by word, the pairs of a source phrase fall by
// their default score and then rise by target words, and target phrases are numbered as they come in that order. O(n log n) in
// the pairs of one source phrase and in the nodes of one depth; no phrase is compared as text.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "tools/alignment/phrase_pairs.hpp"

namespace palmette {

struct TableShape {
    std::vector<std::uint32_t> child_begin, child_word, pair_begin, pair_target, target_begin, target_words;
    std::vector<std::uint32_t> rows;  // pair p of the table is row rows[p] of what came
};

// score: by which the pairs of a source phrase are sorted. source_rank, target_rank: the number of each word in the table.
// left: labels of left sides, if the pairs are rules; rules that differ in it alone are different. std::invalid_argument if two
// pairs are equal, or a phrase is empty or too long; messages count pairs from 1.
TableShape build_table(const PairNodes& pairs, std::span<const std::uint32_t> source_rank, std::span<const std::uint32_t> target_rank,
                       std::span<const float> score, std::span<const std::uint16_t> left = {});

// The arrays of a phrase table, or of a rule table with its target items as they are in memory.
struct TableSpans {
    std::span<const std::uint32_t> child_begin, child_word, pair_begin, pair_target, target_begin, target_words;
};

// The same table with some of its pairs, in their order, and what leads to them: `rows` are the old numbers of the pairs. Words
// keep their numbers. The table has been checked.
TableShape select_pairs(const TableSpans& table, std::span<const std::uint8_t> kept);

}  // namespace palmette

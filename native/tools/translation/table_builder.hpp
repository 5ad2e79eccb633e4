// From phrase pairs in any order to the arrays of a phrase table.
//
// The same pairs give the same arrays, however they were ordered: children rise by word, the pairs of a source phrase fall by
// their default score and then rise by target words, and target phrases are numbered as they come in that order. O(n log n) in
// the pairs of one source phrase and in the nodes of one depth; no phrase is compared as text.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "base/raw_vector.hpp"
#include "tools/alignment/phrase_trie.hpp"

namespace palmette {

// Pairs as nodes of two tries. What is kept of a pair besides is moved by its row: `rows` of the table below.
struct PairNodes {
    const PhraseTrie& source;
    const PhraseTrie& target;
    std::span<const std::uint32_t> source_node, target_node;
    std::span<const float> score;  // by which the pairs of a source phrase are sorted
};

struct TableShape {
    std::vector<std::uint32_t> child_begin, child_word, pair_begin, pair_target, target_begin, target_words;
    std::vector<std::uint32_t> rows;  // pair p of the table is row rows[p] of what came
};

// std::invalid_argument if two pairs are equal, or a phrase is empty; `rows` of the message count from 1.
TableShape build_table(const PairNodes& pairs);

}  // namespace palmette

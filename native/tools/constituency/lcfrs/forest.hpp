// All derivations of a sentence by an LCFRS over the segments that a coarser grammar left alive.
//
// An item is a symbol over a set of words. Sets are visited by size, each with all smaller ones that share no word with
// it, so what is below an item is finished before it: any sum or maximum over derivations is one pass. O(sets²) pairs.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "tools/constituency/lcfrs/grammar.hpp"
#include "tools/constituency/lcfrs/split_pcfg.hpp"

namespace palmette {

inline constexpr int kMaxWords = 256;

struct ForestEdge {
    std::int32_t rule, left, right;  // nodes; right is -1 for a unary rule
};

// Nodes are in an order in which children come before parents.
struct LcfrsForest {
    std::vector<std::int32_t> symbol;
    std::vector<std::int32_t> lexical;     // the number of the emission of a tag over a word, -1 elsewhere
    std::vector<std::int32_t> first_edge;  // of each node, and one behind the last
    std::vector<ForestEdge> edges;
    std::vector<std::pair<std::int16_t, std::int16_t>> span;  // the first and the last segment: start and end
    std::vector<std::int16_t> n_words;
    std::int32_t root = -1;  // -1 if no tree covers the sentence: then all nodes are kept, not only those of trees

    std::int32_t n_nodes() const { return static_cast<std::int32_t>(symbol.size()); }
    bool has_gap(std::int32_t node) const { return span[node].second - span[node].first != n_words[node]; }
};

// False if there would be more than max_edges edges. n must not be above kMaxWords.
bool build_forest(const LcfrsGrammar& grammar, const SplitPcfg& segments, const AliveSegments& alive, int n,
                  std::span<const Emission> emissions, std::size_t max_edges, LcfrsForest& forest);

// The forest of the nodes that are kept, and of the edges between them; what does not lead to the root goes too.
LcfrsForest restrict_forest(const LcfrsForest& forest, const std::vector<char>& kept);

}  // namespace palmette

// The best trees of a forest whose edges have scores, and the best pieces of a forest without trees.
#pragma once
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "tools/constituency/lcfrs/forest.hpp"
#include "tools/constituency/lcfrs/passes.hpp"

namespace palmette {

// A derivation in postorder: the symbol of each node, and the number of its children; for a tag, minus one minus the
// position of its word.
struct FlatTree {
    std::vector<std::int32_t> symbols, shape;
    std::vector<double> parts;  // what each node adds to the score
    double score = -std::numeric_limits<double>::infinity();
};

// Log-scores of edges, and of nodes as tags over their words; minus infinity is never.
struct ForestScores {
    std::vector<double> edges, words;
};

// The k best derivations from a node, best first: k best of every node below it, from the leaves up.
std::vector<FlatTree> best_trees(const LcfrsForest& forest, const ForestScores& scores, std::int32_t root, int k);

// The scores of the plain grammar: the logs of its weights.
ForestScores plain_scores(const LcfrsRules& rules, const LcfrsForest& forest, std::span<const Emission> emissions);

// The best derivation with states (Viterbi), its score the log of its weight.
FlatTree best_with_states(const StateWeights& weights, const LcfrsForest& forest, LexicalStates words);

// The sequence of nodes without gaps that covers the words with the fewest pieces, and the best score among those; a
// word without a node is -1 - position. `cost` is what a piece costs.
std::vector<std::int32_t> best_pieces(const LcfrsForest& forest, const ForestScores& scores, int n, double cost);

}  // namespace palmette

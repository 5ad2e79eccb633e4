// Expectation maximisation of the states of symbols, along the known trees of a treebank.
//
// A tree is a forest of one derivation; which states its nodes have is not known. Petrov, Barrett, Thibaux, Klein 2006.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "tools/constituency/lcfrs/passes.hpp"

namespace palmette {

// Trees as nodes in postorder: first[t] is where tree t begins, and one behind the last. Children are numbers of nodes
// within the tree, -1 for none; `entry` is the number of a tag's vector of states over its word, -1 elsewhere.
struct DerivationTrees {
    std::vector<std::int64_t> first;
    std::vector<std::int32_t> symbol, rule, left, right, entry;
};

struct StateCounts {
    double log_likelihood = 0;
    std::vector<double> binary, unary, lexical;
};

class LcfrsEm {
   public:
    // Throws std::invalid_argument if trees and rules do not fit.
    LcfrsEm(LcfrsRules rules, const DerivationTrees& trees, std::int32_t n_entries);

    // Expected counts with weights; the same whatever the number of threads.
    StateCounts expect(const StateWeights& weights, LexicalStates words, int n_jobs);
    // What merging states 2i and 2i + 1 of a symbol costs in log-likelihood, at the place of 2i and of 2i + 1;
    // frequency: of each symbol's states, one symbol after the other.
    std::vector<double> merge_losses(const StateWeights& weights, LexicalStates words,
                                     std::span<const double> frequency, int n_jobs);

    const LcfrsRules rules;

   private:
    void check(const StateWeights& weights, LexicalStates words) const;
    template <class Work>
    void for_trees(const StateWeights& weights, LexicalStates words, int n_jobs, Work&& work);

    std::vector<LcfrsForest> trees_;
    std::vector<std::int32_t> entry_symbol_;
    std::vector<double> scales_;  // per word, of each tree: what keeps its sum near one
};

}  // namespace palmette

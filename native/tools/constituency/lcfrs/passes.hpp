// Sums over the derivations of a forest whose symbols are split into states: inside, outside, expected counts.
//
// The weight of a rule is a block, [parent's state][left state][right state], that of a tag over a word a vector; with
// one state for each symbol this is the plain grammar. O(edges · states³), in products over contiguous blocks.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "tools/constituency/lcfrs/forest.hpp"

namespace palmette {

struct StateWeights {
    std::vector<std::int32_t> states;  // of each symbol
    std::vector<std::int64_t> binary_first,
        unary_first;  // where the block of each rule begins, and where the last ends
    std::vector<float> binary, unary;

    // Throws std::invalid_argument unless the blocks fit the rules.
    void check(const LcfrsRules& rules) const;
    // One state for each symbol.
    static StateWeights plain(const LcfrsRules& rules);
};

// The vectors of a sentence's tags over its words: that of emission e begins at first[e].
struct LexicalStates {
    std::span<const std::int64_t> first;
    std::span<const float> values;
};

template <class Real>
class StatePass {
   public:
    StatePass(const LcfrsRules& rules, const StateWeights& weights, const LcfrsForest& forest, LexicalStates words,
              Real scale);

    // inside(v, x) = Σ over edges v → l r, and states y, z, of  weight(x, y, z) · inside(l, y) · inside(r, z).
    // The value of the root; each word's vector is multiplied by the scale.
    Real run_inside();
    // outside(v, x): the same for what is around v, divided by the value of the root. Then, for every edge, the
    // probability that a derivation has it: edge_posterior.
    void run_outside();
    // Adds how often each rule with its states, and each tag's state over a word, is expected.
    void count(std::span<double> binary, std::span<double> unary, std::span<double> lexical) const;

    std::span<const Real> inside(std::int32_t v) const { return {&inside_[first_[v]], &inside_[first_[v + 1]]}; }
    std::span<const Real> outside(std::int32_t v) const { return {&outside_[first_[v]], &outside_[first_[v + 1]]}; }
    double posterior(std::int32_t v) const;
    double lexical_posterior(std::int32_t v) const;
    std::vector<double> edge_posterior;

   private:
    const LcfrsRules& rules_;
    const StateWeights& weights_;
    const LcfrsForest& forest_;
    const LexicalStates words_;
    const Real scale_;
    std::vector<std::size_t> first_;
    std::vector<Real> inside_, outside_;
    mutable std::vector<Real> pairs_, sums_;
};

extern template class StatePass<float>;
extern template class StatePass<double>;

}  // namespace palmette

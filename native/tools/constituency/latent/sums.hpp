// Inside and outside of a latent grammar along a forest.
//
// Inside values of an item are divided by 2^exponent, outside values multiplied by it and divided by the probability of
// the sentence, so in · out is the posterior of a substate and no value leaves the range of a float.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "tools/constituency/latent/forest.hpp"
#include "tools/constituency/latent/grammar.hpp"

namespace palmette {

class LatentSums {
  public:
    std::vector<float> item, edge, rise;  // posteriors
    double log_z = 0;                     // minus infinity if there is no tree

    // words: [word][layout.width()], weights of the tags' substates.
    void run(const LatentRules& rules, const LatentGrammar& grammar, const LatentForest& forest, std::span<const float> words);

  private:
    void inside(const LatentRules& rules, const LatentGrammar& grammar, const LatentForest& forest,
                std::span<const float> words);
    void outside(const LatentRules& rules, const LatentGrammar& grammar, const LatentForest& forest);

    std::vector<std::size_t> place_;
    std::vector<std::int32_t> exponent_;
    std::vector<float> in_, out_, block_;
};

}  // namespace palmette

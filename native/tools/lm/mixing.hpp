// Several models as one: p(w | h) = Σ λ_i p_i(w | h) for every n-gram that one of them has, with backoffs that make it
// sum to one. A word that a model does not know has an equal share of its probability of unknown words, together
// with all such words and <unk>. O(n-grams of all models · models).
#pragma once
#include <vector>

#include "base/word_table.hpp"
#include "tools/lm/model.hpp"

namespace palmette {

struct MixturePart {
    const WordTable* words;
    const BackoffModel* model;
    double weight;
};

// The models' orders may differ. `words` becomes the words of all.
BackoffModel mix(const std::vector<MixturePart>& parts, WordTable& words);

}  // namespace palmette

// The probabilities that a lexical table has for the pairs of words of a bitext.
#pragma once
#include <cstdint>
#include <span>

#include "tools/alignment/bitext.hpp"

namespace palmette {

// Row e of the table has pairs first_of[e] … with any target words. unseen[e] is for target words that
// are not in it, and the last one of `unseen` for source words without a row. out: one for each pair of the bitext. O(pairs of the bitext, and the rows of the table that it has).
void look_up(const Bitext& b, std::span<const std::int64_t> first_of, std::span<const std::int32_t> target_of,
             std::span<const float> weights, std::span<const float> unseen, int n_jobs, float* out);

}  // namespace palmette

// The scores of single labels for the tokens of a corpus, straight from templates and weights.
//
// A template that looks at one place adds a row of weights that depends only on the word type there. So the rows of all
// templates of the same column and offset are summed once per type, and a token adds one sum for each column
// and offset; only templates of several places are looked up token by token. With the usual templates that
// is a third of the work, and no row of attribute ids is ever written.
#pragma once
#include <cstddef>
#include <span>
#include <vector>

#include "features/extraction.hpp"
#include "features/sparse_rows.hpp"

namespace palmette {

// [tokens][stride]: row sums of `weights`, whose row a belongs to attribute a of the table.
std::vector<float> score_tokens(const FeatureTable& table, std::span<const std::int64_t> offsets, std::span<const View> views,
                                std::span<const Template> templates, const float* weights, std::size_t stride, int n_jobs);
std::vector<float> score_tokens(const FeatureTable& table, std::span<const std::int64_t> offsets, std::span<const View> views,
                                std::span<const Template> templates, const SparseRows& weights, int n_jobs);

}  // namespace palmette

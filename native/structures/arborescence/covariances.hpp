// How arcs vary together: Cov[v, arc] for a value v that adds up over the arcs of a tree, which is the derivative of the
// marginals along v.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include "structures/arborescence/dense_arcs.hpp"

namespace palmette {

// Scores, values and results of many sentences are laid out as in structures/arborescence/dense_arcs.hpp. Zero where there is no
// tree. O(n³), in pairs of a sum and its derivative; where these leave the range of doubles, by a difference of
// marginals on both sides.
void covariances_of_trees(const double* scores, const double* values, std::span<const std::int64_t> lengths, TreeKind kind,
                          int jobs, double* out);

}  // namespace palmette

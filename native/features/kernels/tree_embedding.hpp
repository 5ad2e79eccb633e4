// Vectors whose inner products are about a tree kernel: a random projection of all fragments, without the fragments.
//
//   r(a)[k] = √λ sign_k(production) Π_j (1 + r(a_j)[k + shift(production, j)]),   out = Σ_a r(a) / √n
//
// Written out, r(a)[k] is a sum over the fragments at a of λ^(size/2) and a product of signs, one for each production of
// the fragment, taken at a coordinate that its place in the fragment shifts. Products of different fragments are
// uncorrelated, and those of the same one are equal, so E[r(a) · r(b)] / n = Δ(a, b).
#pragma once
#include <cstdint>

#include "features/kernels/tree_set.hpp"

namespace palmette {

// Subset and complete trees; out is trees × n. O(nodes · n).
void embed_trees(const TreeSet& trees, double lambda, std::uint64_t seed, int n_jobs, std::size_t n, double* out);

}  // namespace palmette

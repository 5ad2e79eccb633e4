// Sums over all dependency trees by the matrix-tree theorem, from dense arc scores as in structures/arborescence/spanning_tree.hpp.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace palmette {

// log Z in O(n³), and where it is not null P(arc) at [h][m] as in structures/arborescence/eisner.hpp. Minus infinity where there is no tree.
template <class Real>
double spanning_sums(const Real* scores, std::size_t n, bool single_root, Real* marginals);

// `count` trees with their probabilities, as heads one after the other; none where there is no tree. By loop-erased
// random walks (Wilson 1996) where their expected length is not too great, else head by head from the marginals.
std::vector<std::int32_t> sample_spanning(const double* scores, std::size_t n, bool single_root, std::size_t count,
                                          std::uint64_t seed);

#define PALMETTE_MATRIX_TREE(linkage, Real) \
    linkage template double spanning_sums<Real>(const Real*, std::size_t, bool, Real*);
PALMETTE_MATRIX_TREE(extern, float)
PALMETTE_MATRIX_TREE(extern, double)

}  // namespace palmette

// Dependency trees without further conditions (spanning arborescences) from dense arc scores, laid out as for
// projective trees: score[h][m] at h (n + 1) + m, the root at 0, minus infinity where there is no arc.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "structures/arborescence/eisner.hpp"

namespace palmette {

// The best tree and its score in O(n²); minus infinity, and no heads, where there is none. Chu & Liu 1965, Edmonds 1967
// in the order of Gabow et al. 1986, on a dense matrix as in Tarjan 1977.
template <class Real>
double best_spanning(const Real* scores, std::size_t n, bool single_root, std::int32_t* heads);

// The k best trees in O(k n²), fewer where there are fewer. Camerini, Fratta & Maffioli 1980.
ScoredTrees kbest_spanning(const double* scores, std::size_t n, bool single_root, std::size_t k);

#define PALMETTE_SPANNING_TREE(linkage, Real) \
    linkage template double best_spanning<Real>(const Real*, std::size_t, bool, std::int32_t*);
PALMETTE_SPANNING_TREE(extern, float)
PALMETTE_SPANNING_TREE(extern, double)

}  // namespace palmette

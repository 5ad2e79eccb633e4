// Dense arc scores of one sentence or of many in one flat array: sentence k has lengths[k] words and (lengths[k] + 1)²
// scores, after those of the sentences before it. Sentences run in parallel; results do not depend on how many threads.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

namespace palmette {

struct TreeKind {
    bool projective = false, single_root = true;
};

// The place of the first score that is NaN, plus infinity, or so large that the sum of a tree could be (1e300, or 1e34
// for floats), column 0 and the diagonal left out; −1 if there is none.
template <class Real>
std::ptrdiff_t first_bad_arc(const Real* scores, std::size_t n);

template <class Real>
double best_tree(const Real* scores, std::size_t n, TreeKind kind, std::int32_t* heads);
template <class Real>
double tree_sums(const Real* scores, std::size_t n, TreeKind kind, Real* marginals);

// heads: one after the other for all words; scores: one per sentence, minus infinity where there is no tree (its heads
// are then all zero).
template <class Real>
void best_trees(const Real* scores, std::span<const std::int64_t> lengths, TreeKind kind, int jobs,
                std::int32_t* heads, double* best);
// log Z of every sentence, and where it is not null P(arc), laid out as the scores are.
template <class Real>
void sums_of_trees(const Real* scores, std::span<const std::int64_t> lengths, TreeKind kind, int jobs, double* log_z,
                   Real* marginals);

#define PALMETTE_DENSE_ARCS(linkage, Real)                                                                          \
    linkage template std::ptrdiff_t first_bad_arc<Real>(const Real*, std::size_t);                                  \
    linkage template double best_tree<Real>(const Real*, std::size_t, TreeKind, std::int32_t*);                     \
    linkage template double tree_sums<Real>(const Real*, std::size_t, TreeKind, Real*);                             \
    linkage template void best_trees<Real>(const Real*, std::span<const std::int64_t>, TreeKind, int, std::int32_t*, \
                                           double*);                                                                \
    linkage template void sums_of_trees<Real>(const Real*, std::span<const std::int64_t>, TreeKind, int, double*,   \
                                              Real*);
PALMETTE_DENSE_ARCS(extern, float)
PALMETTE_DENSE_ARCS(extern, double)

}  // namespace palmette

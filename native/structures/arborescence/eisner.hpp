// Projective dependency trees, first order, from dense arc scores: score[h][m] at h (n + 1) + m, the root at 0. Column 0
// and the diagonal are not looked at; minus infinity forbids an arc. Single root: exactly one word has head 0.
// Time O(n³), memory O(n²): 16 bytes per pair of words for the best tree in floats, 120 for sums of long sentences.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace palmette {

// Trees with their scores, `words` heads each, best first.
struct ScoredTrees {
    std::vector<double> scores;
    std::vector<std::int32_t> heads;
};

// The best tree and its score; minus infinity, and no heads, where there is none. Ties go to smaller heads and splits.
template <class Real>
double best_projective(const Real* scores, std::size_t n, bool single_root, std::int32_t* heads);

// log Z, and where it is not null P(arc) at [h][m], zero in column 0 and on the diagonal, or all zero where there is
// no tree. Sums of plain doubles where their range suffices, of scaled ones where not.
template <class Real>
double projective_sums(const Real* scores, std::size_t n, bool single_root, Real* marginals);

// The k best trees, fewer where there are fewer: lazily from the top (Huang & Chiang 2005, algorithm 3).
ScoredTrees kbest_projective(const double* scores, std::size_t n, bool single_root, std::size_t k);

// `count` trees with their probabilities, as heads one after the other; none where there is no tree.
std::vector<std::int32_t> sample_projective(const double* scores, std::size_t n, bool single_root, std::size_t count,
                                            std::uint64_t seed);

#define PALMETTE_EISNER(linkage, Real)                                                               \
    linkage template double best_projective<Real>(const Real*, std::size_t, bool, std::int32_t*);    \
    linkage template double projective_sums<Real>(const Real*, std::size_t, bool, Real*);
PALMETTE_EISNER(extern, float)
PALMETTE_EISNER(extern, double)

}  // namespace palmette

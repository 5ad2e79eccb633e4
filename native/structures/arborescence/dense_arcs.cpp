#include "structures/arborescence/dense_arcs.hpp"

#include <algorithm>
#include <limits>
#include <type_traits>
#include <vector>

#include "base/parallel.hpp"
#include "structures/arborescence/eisner.hpp"
#include "structures/arborescence/matrix_tree.hpp"
#include "structures/arborescence/spanning_tree.hpp"

namespace palmette {
namespace {

// Where each sentence begins, among things of which one with n words has count(n).
template <class Count>
std::vector<std::size_t> starts(std::span<const std::int64_t> lengths, Count count) {
    std::vector<std::size_t> at{0};
    for (std::int64_t length : lengths) at.push_back(at.back() + count(static_cast<std::size_t>(length)));
    return at;
}

std::vector<std::size_t> word_starts(std::span<const std::int64_t> lengths) {
    return starts(lengths, [](std::size_t n) { return n; });
}
std::vector<std::size_t> arc_starts(std::span<const std::int64_t> lengths) {
    return starts(lengths, [](std::size_t n) { return (n + 1) * (n + 1); });
}

}  // namespace

template <class Real>
std::ptrdiff_t first_bad_arc(const Real* scores, std::size_t n) {
    constexpr Real kMost = std::is_same_v<Real, float> ? Real(1e34) : Real(1e300);
    constexpr Real kNone = -std::numeric_limits<Real>::infinity();
    const auto is_bad = [](Real score) { return !((score < kMost) & ((score > -kMost) | (score == kNone))); };
    const std::size_t width = n + 1;
    int bad = 0;
#pragma omp simd reduction(| : bad)
    for (std::size_t a = 0; a < width * width; ++a) bad |= is_bad(scores[a]);
    if (!bad) return -1;
    for (std::size_t h = 0; h < width; ++h)
        for (std::size_t m = 1; m < width; ++m)
            if (h != m && is_bad(scores[h * width + m])) return static_cast<std::ptrdiff_t>(h * width + m);
    return -1;
}

template <class Real>
double best_tree(const Real* scores, std::size_t n, TreeKind kind, std::int32_t* heads) {
    return kind.projective ? best_projective(scores, n, kind.single_root, heads)
                           : best_spanning(scores, n, kind.single_root, heads);
}

template <class Real>
double tree_sums(const Real* scores, std::size_t n, TreeKind kind, Real* marginals) {
    return kind.projective ? projective_sums(scores, n, kind.single_root, marginals)
                           : spanning_sums(scores, n, kind.single_root, marginals);
}

template <class Real>
void best_trees(const Real* scores, std::span<const std::int64_t> lengths, TreeKind kind, int jobs,
                std::int32_t* heads, double* best) {
    const std::vector<std::size_t> words = word_starts(lengths), arcs = arc_starts(lengths);
    parallel(lengths.size(), jobs, [&](std::size_t s, std::size_t) {
        best[s] = best_tree(scores + arcs[s], static_cast<std::size_t>(lengths[s]), kind, heads + words[s]);
    });
}

template <class Real>
void sums_of_trees(const Real* scores, std::span<const std::int64_t> lengths, TreeKind kind, int jobs, double* log_z,
                   Real* marginals) {
    const std::vector<std::size_t> arcs = arc_starts(lengths);
    parallel(lengths.size(), jobs, [&](std::size_t s, std::size_t) {
        log_z[s] = tree_sums(scores + arcs[s], static_cast<std::size_t>(lengths[s]), kind, marginals ? marginals + arcs[s] : nullptr);
    });
}

PALMETTE_DENSE_ARCS(, float)
PALMETTE_DENSE_ARCS(, double)

}  // namespace palmette

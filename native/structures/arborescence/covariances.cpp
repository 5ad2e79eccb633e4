#include "structures/arborescence/covariances.hpp"

#include <cmath>
#include <vector>

#include "base/parallel.hpp"
#include "structures/arborescence/dual_sums.hpp"
#include "structures/arborescence/elimination.hpp"
#include "structures/arborescence/head_gauge.hpp"
#include "structures/arborescence/projective_sums.hpp"

namespace palmette {
namespace {

// Plain sums serve while Z is not this small, as in structures/arborescence/eisner_sums.cpp and structures/arborescence/matrix_tree.cpp.
constexpr std::size_t kMostDualWords = 150;
constexpr double kLeastDual = 1e-140, kLeastDualLog = -300.0;

// The weights of arcs and their derivatives along the values.
std::vector<Dual> dual_weights(const HeadGauge& gauge, const double* values) {
    const std::vector<double> weights = gauge.weights();
    std::vector<Dual> found(weights.size());
    for (std::size_t a = 0; a < weights.size(); ++a)
        if (weights[a] > 0) found[a] = {weights[a], weights[a] * values[a]};
    return found;
}

bool exact_covariances(const HeadGauge& gauge, const double* values, std::size_t n, TreeKind kind, double* out) {
    std::vector<Dual> weights = dual_weights(gauge, values);
    if (kind.projective) {
        if (n > kMostDualWords) return false;
        ProjectiveSums<DualSums> sums(std::move(weights), n, kind.single_root);
        if (!(sums.total().v >= kLeastDual)) return false;
        sums.marginals(out);
        return true;
    }
    const Elimination<DualSums> sums(weights, n, kind.single_root);
    if (!(sums.log_z() > kLeastDualLog)) return false;
    const std::vector<Dual> derivatives = sums.derivatives();
    for (std::size_t a = 0; a < weights.size(); ++a) out[a] = DualSums::times(weights[a], derivatives[a]).d;
    return true;
}

void covariances_by_difference(const double* scores, const double* values, std::size_t n, TreeKind kind, double* out) {
    const std::size_t size = (n + 1) * (n + 1);
    double largest = 0;
    for (std::size_t a = 0; a < size; ++a) largest = std::max(largest, std::abs(values[a]));
    if (largest == 0) return;
    const double step = 1e-4 / largest;
    std::vector<double> moved(size), p(size);
    for (const double side : {1.0, -1.0}) {
        for (std::size_t a = 0; a < size; ++a) moved[a] = scores[a] + side * step * values[a];
        tree_sums(moved.data(), n, kind, p.data());
        for (std::size_t a = 0; a < size; ++a) out[a] += side * p[a] / (2 * step);
    }
}

}  // namespace

void covariances_of_trees(const double* scores, const double* values, std::span<const std::int64_t> lengths, TreeKind kind,
                          int jobs, double* out) {
    std::vector<std::size_t> starts{0};
    for (std::int64_t length : lengths) starts.push_back(starts.back() + static_cast<std::size_t>((length + 1) * (length + 1)));
    std::fill_n(out, starts.back(), 0.0);
    parallel(lengths.size(), jobs, [&](std::size_t s, std::size_t) {
        const auto n = static_cast<std::size_t>(lengths[s]);
        if (n == 0) return;
        const double *own = scores + starts[s], *own_values = values + starts[s];
        const HeadGauge gauge(own, n, kind.single_root);
        if (!gauge.possible) return;
        if (!exact_covariances(gauge, own_values, n, kind, out + starts[s])) {
            std::fill_n(out + starts[s], (n + 1) * (n + 1), 0.0);
            covariances_by_difference(own, own_values, n, kind, out + starts[s]);
        }
    });
}

}  // namespace palmette

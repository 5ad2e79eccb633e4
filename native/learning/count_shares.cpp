#include "learning/count_shares.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace palmette {
namespace {

std::vector<double> sums_of(std::span<const double> counts, std::span<const std::int32_t> groups, std::size_t n_groups) {
    std::vector<double> sums(n_groups, 0.0);
    for (std::size_t k = 0; k < counts.size();) {  // groups mostly come in runs
        const std::int32_t group = groups[k];
        double sum = 0;
        for (; k < counts.size() && groups[k] == group; ++k) sum += counts[k];
        sums[static_cast<std::size_t>(group)] += sum;
    }
    return sums;
}

// e^ψ(x), x > 0. e^ψ(y + 1/2) = y + 1/(24 y) − 37/(5760 y³) + 10313/(2903040 y⁵) − …, after ψ(x) = ψ(x + 6) − Σ_{k<6} 1/(x + k), in
// which the six quotients are one: pairs of them are (2x + 5) / (x² + 5x + c).
inline double exp_digamma(double x) {
    const double q = x * x + 5 * x, a = q, b = q + 4, c = q + 6;
    const double below = (2 * x + 5) * (b * c + a * c + a * b) / (a * b * c);
    const double y = x + 5.5, r = 1 / y, s = r * r;
    return (y + r * (1.0 / 24 - s * (37.0 / 5760 - s * (10313.0 / 2903040 - s * (5509121.0 / 1393459200))))) * std::exp(-below);
}

}  // namespace

void shares_of(std::span<const double> counts, std::span<const std::int32_t> groups, std::size_t n_groups,
               std::span<const double> otherwise, double* out) {
    std::vector<double> sums = sums_of(counts, groups, n_groups);
    bool empty = false;
    for (double& sum : sums) {
        empty |= !(sum > 0);
        sum = sum > 0 ? 1 / sum : 0.0;
    }
    for (std::size_t k = 0; k < counts.size(); ++k) out[k] = counts[k] * sums[static_cast<std::size_t>(groups[k])];
    if (!empty) return;
    std::vector<double> sizes(n_groups, 0.0);
    for (const std::int32_t group : groups) ++sizes[static_cast<std::size_t>(group)];
    for (std::size_t k = 0; k < counts.size(); ++k)
        if (const auto group = static_cast<std::size_t>(groups[k]); sums[group] == 0) out[k] = otherwise.empty() ? 1 / sizes[group] : otherwise[k];
}

void variational_weights(std::span<const double> counts, std::span<const std::int32_t> groups, std::size_t n_groups, double* out) {
    std::vector<double> sums = sums_of(counts, groups, n_groups);
    for (double& sum : sums) sum = sum > 0 ? 1 / exp_digamma(sum) : 0.0;
    for (std::size_t k = 0; k < counts.size(); ++k) {
        // What is next to never used is nothing, and most counts are such.
        out[k] = counts[k] < 0.0015 ? 0.0 : exp_digamma(counts[k]) * sums[static_cast<std::size_t>(groups[k])];
    }
}

double log_penalty(std::span<const double> prior, std::span<const double> weights) {
    // Most neighbours have the same prior: a logarithm of their product, as long as that is safe, is as good as many.
    constexpr double kSafe = 1e-150;
    double sum = 0, product = 1, same = 0;
    for (std::size_t k = 0; k < prior.size(); ++k) {
        if (!(prior[k] > 0)) continue;
        if (prior[k] != same || product < kSafe || weights[k] < kSafe) {
            sum += same * std::log(product);
            same = prior[k];
            product = 1;
        }
        product *= weights[k];
    }
    return sum + same * std::log(product);
}

}  // namespace palmette

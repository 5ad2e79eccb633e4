#include <random>

#include "structures/arborescence/eisner.hpp"
#include "structures/arborescence/head_gauge.hpp"
#include "structures/arborescence/projective_sums.hpp"

namespace palmette {
namespace {

// Plain sums are exact while nothing that counts can leave the range of a double. Weights are at most 1 and there are
// fewer than 6.75^n projective trees, so with n ≤ 150 nothing exceeds 1e125; and what falls below 1e-308 is worth at
// most 1e-308 · 1e125 in all, nothing beside Z ≥ 1e-160.
constexpr std::size_t kPlainWords = 150;
constexpr double kPlainLeast = 1e-160;

}  // namespace

template <class Real>
double projective_sums(const Real* scores, std::size_t n, bool single_root, Real* marginals) {
    if (marginals) std::fill(marginals, marginals + (n + 1) * (n + 1), Real{0});
    if (n == 0) return 0.0;
    const HeadGauge gauge(scores, n, single_root);
    if (!gauge.possible) return -std::numeric_limits<double>::infinity();
    if (n <= kPlainWords) {
        ProjectiveSums<SumProduct> sums(gauge.weights(), n, single_root);
        if (sums.total() >= kPlainLeast) {
            if (marginals) sums.marginals(marginals);
            return log_of(sums.total()) + gauge.taken;
        }
    }
    ProjectiveSums<ScaledSums> sums(gauge.scaled_weights(), n, single_root);
    if (scaled::is_zero(sums.total())) return -std::numeric_limits<double>::infinity();
    if (marginals) sums.marginals(marginals);
    return log_of(sums.total()) + gauge.taken;
}

std::vector<std::int32_t> sample_projective(const double* scores, std::size_t n, bool single_root, std::size_t count,
                                            std::uint64_t seed) {
    const HeadGauge gauge(scores, n, single_root);
    if (n == 0 || !gauge.possible) return {};
    const ProjectiveSums<ScaledSums> sums(gauge.scaled_weights(), n, single_root);
    if (scaled::is_zero(sums.total())) return {};
    std::mt19937_64 random(seed);
    std::vector<std::int32_t> heads(count * n);
    for (std::size_t c = 0; c < count; ++c) sums.sample(random, heads.data() + c * n);
    return heads;
}

template double projective_sums<float>(const float*, std::size_t, bool, float*);
template double projective_sums<double>(const double*, std::size_t, bool, double*);

}  // namespace palmette

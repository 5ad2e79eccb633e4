#include "tools/translation/tuning/mert.hpp"

#include <cmath>
#include <numbers>
#include <random>

#include "base/parallel.hpp"

namespace palmette {
namespace {

constexpr double kGain = 1e-9;  // less is rounding

// Normal numbers that are the same with every standard library.
class Normal {
public:
    explicit Normal(std::uint64_t seed) : bits_(seed) {}
    double operator()() {
        const double r = std::sqrt(-2 * std::log(1 - uniform()));
        return r * std::cos(2 * std::numbers::pi * uniform());
    }
    std::size_t below(std::size_t n) { return static_cast<std::size_t>(uniform() * static_cast<double>(n)); }

private:
    double uniform() { return static_cast<double>(bits_() >> 11) * 0x1.0p-53; }
    std::mt19937_64 bits_;
};

double ascend(const LineSource& source, const Metric& metric, double* w, const MertOptions& options, std::uint64_t seed) {
    const std::size_t n = source.n_features();
    Normal normal(seed);
    ErrorSurface surface(source.n_counts());
    LineSource::Memory memory;
    std::vector<double> direction(n);
    std::vector<int> order;
    for (std::size_t k = 0; k < n; ++k)
        if (options.free[k]) order.push_back(static_cast<int>(k));
    order.insert(order.end(), options.n_directions, -1);
    double score = source.score(metric, w);
    std::size_t since = 0;  // line searches without a gain
    for (std::size_t round = 0; round < options.n_rounds && since < order.size(); ++round) {
        for (std::size_t k = order.size(); k > 1; --k) std::swap(order[k - 1], order[normal.below(k)]);
        for (const int coordinate : order) {
            check_interrupt();
            for (std::size_t k = 0; k < n; ++k)
                direction[k] = coordinate < 0 ? (options.free[k] ? options.scale[k] * normal() : 0.0) : static_cast<int>(k) == coordinate;
            source.trace(w, direction.data(), coordinate, memory, surface);
            const LineOptimum best = best_on_line(surface, metric);
            ++since;
            if (best.score <= score + kGain) continue;
            for (std::size_t k = 0; k < n; ++k) w[k] += best.x * direction[k];
            score = best.score;
            since = 0;
        }
    }
    return source.score(metric, w);
}

}  // namespace

double LineSource::score(const Metric& metric, const double* w) const {
    std::vector<double> sums(n_counts(), 0.0);
    add_best(w, sums.data());
    return metric(sums.data());
}

MertResult mert(const LineSource& source, const Metric& metric, std::span<const double> starts, const MertOptions& options, int n_jobs) {
    const std::size_t n = source.n_features();
    MertResult result{{starts.begin(), starts.end()}, std::vector<double>(n ? starts.size() / n : 0)};
    parallel(result.scores.size(), n_jobs, [&](std::size_t i, std::size_t) {
        result.scores[i] = ascend(source, metric, result.weights.data() + i * n, options, options.seed + i);
    });
    return result;
}

}  // namespace palmette

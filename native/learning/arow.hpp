// Adaptive regularisation of weights (Crammer, Kulesza and Dredze 2009), with a diagonal covariance.
//
// The weights are a Gaussian with mean w and variances σ. An output z that beats the right one y, d = Φ(x, y) − Φ(x, z),
// moves both, and what was seen often moves less and less:
//     β = 1 / (γ + Σ σ d²)      w += β · violation · σ d      1/σ += d² / γ
// where the violation is loss(z) − w·d. A pass costs one search per example.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "learning/problem.hpp"

namespace palmette {

struct ArowMemory {
    std::vector<float> variance;
    std::vector<float> scratch;  // room for one difference, else zero
};

struct ArowPass {
    std::uint64_t updates = 0;
    double loss = 0;  // Σ weight · violation
};

template <LearningProblem P>
ArowPass arow_epoch(const P& p, float* w, ArowMemory& memory, std::span<const std::int64_t> order, double gamma) {
    typename P::State state;
    typename P::Output gold, guess;
    Entries difference;
    ArowPass pass;
    memory.scratch.resize(p.n_weights(), 0.0f);
    float* d = memory.scratch.data();
    float* variance = memory.variance.data();
    const std::size_t shared_at = p.n_weights() - p.n_shared();
    bool changed = true;
    for (const std::int64_t example : order) {
        const std::size_t i = static_cast<std::size_t>(example);
        const double weight = p.weight(i);
        if (changed) p.prepare(state, w + shared_at, 1.0f, false);
        changed = false;
        p.score(state, i, w, 1.0f);
        p.best(state, 0.0f, guess);
        p.gold(state, gold);
        if (guess == gold || weight <= 0) continue;
        double margin = 0, spread = 0;
        list_difference(p, i, gold, guess, difference);
        for (const auto& [k, value] : difference) {
            d[k] += value;
            margin += static_cast<double>(value) * w[k];
        }
        // Σ σ d² with repeated entries: each brings its share of d
        for (const auto& [k, value] : difference) spread += static_cast<double>(variance[k]) * value * d[k];
        const double violation = p.loss(i, guess) - margin;
        pass.loss += weight * std::max(0.0, violation);
        changed = violation > 0;
        pass.updates += changed;
        const double step = weight * violation / (gamma + spread);
        for (const auto& [k, value] : difference) {
            if (d[k] == 0) continue;
            if (changed) {
                w[k] += static_cast<float>(step * variance[k] * d[k]);
                variance[k] = static_cast<float>(1 / (1 / variance[k] + weight * d[k] * d[k] / gamma));
            }
            d[k] = 0;
        }
    }
    return pass;
}

}  // namespace palmette

// Log-linear and max-margin models by exponentiated gradient in the dual (Bartlett et al. 2004; Collins et al. 2008).
//
//     maximise Σ_i weight_i · V(α_i) − l2 · ‖w‖²,   w = Σ_i weight_i · (Φ(x_i, y_i) − E_{α_i} Φ) / (2 l2)
//
// V is the entropy of α_i for a log-linear model, and its expected loss for a max-margin model. α_i, a distribution over
// the outputs of example i, is kept as scores θ_i of its parts: α_i(z) ∝ e^(θ_i · parts of z). A step with rate η
// multiplies α by e^(η · gradient):
//
//     log-linear   θ_i ← (1 − η) θ_i + η · (scores of the parts under w)
//     max-margin   θ_i ← θ_i + η · (scores of the parts under w + costs of the parts)
//
// Every example has its own rate: halved until the dual rises, grown where it did at once. At the optimum of a log-linear
// model θ_i are the scores under w, and the dual equals the objective. For a margin the optimum is a limit: α_i tends to
// outputs that violate their margin most, and θ_i grows without bound.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "learning/problem.hpp"

namespace palmette {

struct DualMemory {
    std::vector<std::size_t> at;                // where an example's parts begin
    std::vector<float> scores, marginals;       // θ and the marginals of the parts under α
    std::vector<double> value, rate;            // V and η by example
    std::vector<float> trial;                   // room for the change of w by one example, else zero
    double values = 0;                          // Σ weight · V
    bool hinge = false;                         // a margin as large as the loss; else log-linear
};

// The costs of an example's parts, and the loss that all its outputs share.
struct DualCosts {
    std::vector<float> parts;
    double constant = 0;
};

// V of the example whose θ is given: E[loss], or H(α) = log Z − θ · marginals. Fills `marginals`.
template <LearningProblem P>
double dual_value(const P& p, typename P::State& state, std::size_t i, const float* scores, const DualCosts* costs, float* marginals) {
    p.set_scores(state, i, scores);
    double value = p.marginals(state, marginals);
    if (costs) value = costs->constant;
    for (std::size_t k = 0; k < p.n_parts(i); ++k)
        value += static_cast<double>(costs ? costs->parts[k] : -scores[k]) * marginals[k];
    return value;
}

template <LearningProblem P>
const DualCosts* read_costs(const P& p, const DualMemory& memory, std::size_t i, DualCosts& costs) {
    if (!memory.hinge) return nullptr;
    costs.parts.resize(p.n_parts(i));
    costs.constant = p.part_costs(i, costs.parts.data());
    return &costs;
}

// θ_i are the scores under `start` and `sharpness` more for an example's own parts in right outputs (the shared ones have no
// place, so they cannot tell right from wrong); w becomes the weights of that. What the labels of an example leave open is filled
// in here, once, as `start` would have it.
template <LearningProblem P>
void start_dual(const P& p, const float* start, double l2, double sharpness, double rate, DualMemory& memory, float* w) {
    memory.at.assign(1, 0);
    for (std::size_t i = 0; i < p.size(); ++i) memory.at.push_back(memory.at.back() + p.n_parts(i));
    memory.scores.assign(memory.at.back(), 0.0f);
    memory.marginals.assign(memory.at.back(), 0.0f);
    memory.value.assign(p.size(), 0.0);
    memory.rate.assign(p.size(), rate);
    memory.trial.assign(p.n_weights(), 0.0f);
    memory.values = 0;
    typename P::State state;
    DualCosts costs;
    std::vector<float> gold;
    std::vector<float> first(start, start + p.n_weights());
    std::fill_n(w, p.n_weights(), 0.0f);
    for (std::size_t i = 0; i < p.size(); ++i) {
        gold.resize(p.n_parts(i));
        float* scores = memory.scores.data() + memory.at[i];
        float* marginals = memory.marginals.data() + memory.at[i];
        p.part_scores(i, first.data(), scores);
        p.set_scores(state, i, scores);
        p.gold_marginals(state, gold.data());
        for (std::size_t k = 0; k < gold.size() - p.n_shared(); ++k) scores[k] += static_cast<float>(sharpness) * gold[k];
        memory.value[i] = dual_value(p, state, i, scores, read_costs(p, memory, i, costs), marginals);
        memory.values += p.weight(i) * memory.value[i];
        for (std::size_t k = 0; k < gold.size(); ++k) gold[k] -= marginals[k];
        p.pullback(i, gold.data(), static_cast<float>(p.weight(i) / (2 * l2)), w);
    }
}

// One pass; returns by how much the dual rose.
template <LearningProblem P>
double exponentiated_epoch(const P& p, float* w, DualMemory& memory, std::span<const std::int64_t> order, double l2) {
    const double smallest = memory.hinge ? 1e-6 : 1e-3, growth = memory.hinge ? 1.5 : 1.05;  // of rates
    constexpr double kFar = 1e6;      // a rate that leads to the outputs of most score and loss
    constexpr float kStill = 1e-5f;   // smaller changes of marginals are lost when they are added to w
    typename P::State state;
    DualCosts room;
    std::vector<Stretch> rows;
    std::vector<float> target, scores, marginals, change;
    double risen = 0;
    for (const std::int64_t example : order) {
        const std::size_t i = static_cast<std::size_t>(example), n = p.n_parts(i);
        const double weight = p.weight(i), step = weight / (2 * l2);
        if (weight == 0) continue;
        target.resize(n), scores.resize(n), marginals.resize(n), change.resize(n);
        float* theta = memory.scores.data() + memory.at[i];
        float* before = memory.marginals.data() + memory.at[i];
        p.part_scores(i, w, target.data());
        list_rows(p, i, rows);
        const DualCosts* costs = read_costs(p, memory, i, room);
        double value = 0;
        // Fills scores, marginals, change and value; returns the largest change.
        const auto attempt = [&](double tried) {
            const float rate = static_cast<float>(tried);
            for (std::size_t k = 0; k < n; ++k)
                scores[k] = costs ? theta[k] + rate * (target[k] + costs->parts[k]) : (1 - rate) * theta[k] + rate * target[k];
            value = dual_value(p, state, i, scores.data(), costs, marginals.data());
            float most = 0;
            for (std::size_t k = 0; k < n; ++k) {
                change[k] = before[k] - marginals[k];
                most = std::max(most, std::abs(change[k]));
            }
            return most;
        };
        // w changes by d = weight · Φᵀ(change) / (2 l2), and l2 · ‖w‖² by l2 · d·(2 w + d): a slope and a bend.
        const auto rise = [&] {
            double linear = 0, square = 0;
            for (std::size_t k = 0; k < n; ++k) linear += static_cast<double>(change[k]) * target[k];
            float* d = memory.trial.data();
            p.pullback(i, change.data(), 1.0f, d);
            for (const auto& [begin, size] : rows)
                for (std::size_t k = begin; k < begin + size; ++k) {
                    square += static_cast<double>(d[k]) * d[k];
                    d[k] = 0;
                }
            const double slope = weight * (value - memory.value[i]) - 2 * l2 * step * linear;
            const double gain = slope - l2 * step * step * square;
            return costs && gain < slope / 2 ? -1.0 : gain;  // a margin's dual is a parabola: stay before its top
        };
        double& rate = memory.rate[i];
        float most = attempt(rate);
        if (costs && most < kStill) {
            // The example is at its optimum, or far from it with outputs that have next to no probability yet.
            if (attempt(kFar) < kStill) continue;
            do most = attempt(rate *= 4);
            while (most < kStill && rate < kFar);
        }
        bool at_once = true;
        for (double gain; rate >= smallest && (!costs || most >= kStill); at_once = false, most = attempt(rate)) {
            if (!((gain = rise()) >= 0)) {
                rate *= 0.5;
                continue;
            }
            risen += gain;
            memory.values += weight * (value - memory.value[i]);
            memory.value[i] = value;
            std::copy(scores.begin(), scores.end(), theta);
            std::copy(marginals.begin(), marginals.end(), before);
            p.pullback(i, change.data(), static_cast<float>(step), w);
            if (at_once) rate = std::min(costs ? kFar : 1.0, rate * growth);
            break;
        }
        // Where no rate was small enough the example is at its optimum, as far as floats can tell.
        rate = std::max(rate, smallest);
    }
    return risen;
}

}  // namespace palmette

// Log-linear models by exponentiated gradient in the dual (Collins et al. 2008).
//
//     maximise Σ_i weight_i · H(α_i) − l2 · ‖w‖²,   w = Σ_i weight_i · (Φ(x_i, y_i) − E_{α_i} Φ) / (2 l2)
//
// α_i, a distribution over the outputs of example i, is kept as scores θ_i of its parts: α_i(z) ∝ e^(θ_i · parts of z).
// A step with rate η multiplies α by e^(−η · gradient), which is  θ_i ← (1 − η) θ_i + η · (scores of the parts under w).
// Every example has its own rate: halved until the dual rises, grown a little where it did at once. At the
// optimum θ_i are the scores under w, and the dual equals the log-linear objective.
#pragma once
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
    std::vector<double> entropy, rate;          // by example
    std::vector<float> trial;                   // room for the change of w by one example, else zero
    double entropies = 0;                       // Σ weight · H
};

// H(α) = log Z − θ · marginals, for the example whose θ is given; fills `marginals`.
template <LearningProblem P>
double entropy_of(const P& p, typename P::State& state, std::size_t i, const float* scores, float* marginals) {
    p.set_scores(state, i, scores);
    double entropy = p.marginals(state, marginals);
    for (std::size_t k = 0; k < p.n_parts(i); ++k) entropy -= static_cast<double>(scores[k]) * marginals[k];
    return entropy;
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
    memory.entropy.assign(p.size(), 0.0);
    memory.rate.assign(p.size(), rate);
    memory.trial.assign(p.n_weights(), 0.0f);
    memory.entropies = 0;
    typename P::State state;
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
        memory.entropy[i] = entropy_of(p, state, i, scores, marginals);
        memory.entropies += p.weight(i) * memory.entropy[i];
        for (std::size_t k = 0; k < gold.size(); ++k) gold[k] -= marginals[k];
        p.pullback(i, gold.data(), static_cast<float>(p.weight(i) / (2 * l2)), w);
    }
}

// One pass; returns by how much the dual rose.
template <LearningProblem P>
double exponentiated_epoch(const P& p, float* w, DualMemory& memory, std::span<const std::int64_t> order, double l2) {
    constexpr double kSmallest = 1e-3;  // of rates
    typename P::State state;
    std::vector<Stretch> rows;
    std::vector<float> target, scores, marginals, change;
    double risen = 0;
    for (const std::int64_t example : order) {
        const std::size_t i = static_cast<std::size_t>(example), n = p.n_parts(i);
        const double weight = p.weight(i);
        if (weight == 0) continue;
        target.resize(n), scores.resize(n), marginals.resize(n), change.resize(n);
        float* theta = memory.scores.data() + memory.at[i];
        float* before = memory.marginals.data() + memory.at[i];
        p.part_scores(i, w, target.data());
        list_rows(p, i, rows);
        for (bool at_once = true; memory.rate[i] >= kSmallest; at_once = false) {
            const float rate = static_cast<float>(memory.rate[i]);
            for (std::size_t k = 0; k < n; ++k) scores[k] = (1 - rate) * theta[k] + rate * target[k];
            const double entropy = entropy_of(p, state, i, scores.data(), marginals.data());
            // w changes by d = weight · Φᵀ(marginals before − after) / (2 l2), and l2 · ‖w‖² by l2 · d·(2 w + d)
            double linear = 0, square = 0;
            for (std::size_t k = 0; k < n; ++k) {
                change[k] = before[k] - marginals[k];
                linear += static_cast<double>(change[k]) * target[k];
            }
            const double step = weight / (2 * l2);
            float* d = memory.trial.data();
            p.pullback(i, change.data(), 1.0f, d);
            for (const auto& [begin, size] : rows) {
                for (std::size_t k = begin; k < begin + size; ++k) {
                    square += static_cast<double>(d[k]) * d[k];
                    d[k] = 0;
                }
            }
            const double gain = weight * (entropy - memory.entropy[i]) - l2 * step * (2 * linear + step * square);
            if (!(gain >= 0)) {
                memory.rate[i] *= 0.5;
                continue;
            }
            risen += gain;
            memory.entropies += weight * (entropy - memory.entropy[i]);
            memory.entropy[i] = entropy;
            std::copy(scores.begin(), scores.end(), theta);
            std::copy(marginals.begin(), marginals.end(), before);
            p.pullback(i, change.data(), static_cast<float>(step), w);
            if (at_once) memory.rate[i] = std::min(1.0, memory.rate[i] * 1.05);
            break;
        }
        // Where no rate was small enough the example stands at its optimum, as far as floats can tell.
        memory.rate[i] = std::max(memory.rate[i], kSmallest);
    }
    return risen;
}

}  // namespace palmette

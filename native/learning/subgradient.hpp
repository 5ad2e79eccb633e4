// The structured SVM by stochastic subgradients with the step 1 / (λ t) (Pegasos: Shalev-Shwartz et al. 2007):
//
//     w ← (1 − 1/t) w + weight_i · (Φ(x_i, y_i) − Φ(x_i, z)) / (λ t)
//
// Then λ t w is a plain sum of differences: what is kept is v with  λ t w = scale · v, and an example changes
// only what it reads. Optionally w is brought back into the ball that the optimum lies in; and the mean of all w, w_t
// with share t (Lacoste-Julien et al. 2012), converges where the last w still moves.
#pragma once
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "learning/averaging.hpp"
#include "learning/problem.hpp"

namespace palmette {

struct SubgradientMemory {
    Average average;
    double scale = 1;
    double norm = 0;     // ‖v‖², kept only with a ball
    std::uint64_t t = 0;
    std::vector<float> scratch;
};

// From λ t w to w.
inline double subgradient_factor(const SubgradientMemory& memory, double lambda) {
    return memory.t ? memory.scale / (lambda * static_cast<double>(memory.t)) : 0;
}

// One pass; returns Σ weight · hinge as met on the way. radius: of the ball; 0 for none.
template <LearningProblem P>
double subgradient_epoch(const P& p, float* v, SubgradientMemory& memory, std::span<const std::int64_t> order, double lambda, double radius) {
    typename P::State state;
    typename P::Output gold, guess;
    Entries difference;
    const std::size_t shared_at = p.n_weights() - p.n_shared();
    const bool averaged = memory.average.kept(), ball = radius > 0;
    if (ball) memory.scratch.resize(p.n_weights(), 0.0f);
    float* d = memory.scratch.data();
    double hinge = 0;
    for (const std::int64_t example : order) {
        const std::size_t i = static_cast<std::size_t>(example);
        const double factor = subgradient_factor(memory, lambda);
        p.prepare(state, v + shared_at, static_cast<float>(factor), false);
        p.score(state, i, v, static_cast<float>(factor));
        p.best(state, 1.0f, guess);
        p.gold(state, gold);
        ++memory.t;
        if (guess != gold) {
            const float step = static_cast<float>(p.weight(i) / memory.scale);
            double margin = 0, square = 0;
            list_difference(p, i, gold, guess, difference);
            for (const auto& [k, value] : difference) {
                margin += static_cast<double>(value) * v[k];
                if (ball) d[k] += value;
            }
            if (ball) {
                for (const auto& [k, value] : difference) square += static_cast<double>(value) * d[k];
                memory.norm += step * (2 * margin + step * square);
            }
            for (const auto& [k, value] : difference) {
                v[k] += step * value;
                if (averaged) memory.average.change(k, step * value);
                if (ball) d[k] = 0;
            }
            hinge += p.weight(i) * (p.loss(i, guess) - factor * margin);
        }
        const double length = ball ? subgradient_factor(memory, lambda) * std::sqrt(std::max(0.0, memory.norm)) : 0;
        if (length > radius) memory.scale *= radius / length;
        memory.average.mass += memory.scale / lambda;  // the share t of w = scale / (λ t) · v
        memory.average.total += static_cast<double>(memory.t);
        if (memory.scale < 0.1) {
            // What the mean has so far goes into `late`: shares of such different sizes would not cancel in floats.
            const float mass = static_cast<float>(memory.average.mass), scale = static_cast<float>(memory.scale);
            for (std::size_t k = 0; k < p.n_weights(); ++k) {
                if (averaged) memory.average.late[k] -= mass * v[k];
                v[k] *= scale;
            }
            memory.norm *= memory.scale * memory.scale;
            memory.average.mass = 0;
            memory.scale = 1;
        }
    }
    return hinge;
}

}  // namespace palmette

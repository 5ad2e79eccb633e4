// The structured hinge loss,  Σ_i weight_i · (max_z loss(z) + w·Φ(x_i, z) − w·Φ(x_i, y_i)),  and its subgradient.
//
// The searches run in threads; what they find is taken up in the order of the examples, so the result is the same
// for every number of threads.
#pragma once
#include <algorithm>
#include <cstddef>
#include <vector>

#include "base/parallel.hpp"
#include "learning/problem.hpp"

namespace palmette {

// Calls take(example, gold, guess) for the examples of a range, in order, with the output that violates its margin most.
template <LearningProblem P, class Take>
void each_most_violated(const P& p, const float* w, int n_jobs, ExampleRange range, Take&& take) {
    constexpr std::size_t kBlock = 4096, kPieces = 32;
    std::vector<typename P::State> states(std::max(1, n_jobs));
    for (auto& state : states) p.prepare(state, w + p.n_weights() - p.n_shared(), 1.0f, false);
    std::vector<typename P::Output> golds(std::min(kBlock, range.end - range.begin)), guesses(golds.size());
    for (std::size_t begin = range.begin; begin < range.end; begin += kBlock) {
        const std::size_t count = std::min(kBlock, range.end - begin), pieces = std::min(kPieces, count);
        parallel(pieces, n_jobs, [&](std::size_t piece, std::size_t thread) {
            for (std::size_t j = count * piece / pieces; j < count * (piece + 1) / pieces; ++j) {
                p.score(states[thread], begin + j, w, 1.0f);
                p.best(states[thread], 1.0f, guesses[j]);
                p.gold(states[thread], golds[j]);
            }
        });
        for (std::size_t j = 0; j < count; ++j) take(begin + j, golds[j], guesses[j]);
    }
}

// The hinge, and the loss of what was found: with g = Σ weight · (Φ(x, y) − Φ(x, z)), hinge = loss − w·g.
struct Hinge {
    double hinge = 0, loss = 0;
};

// Adds g to `g` if that is not null.
template <LearningProblem P>
Hinge total_hinge(const P& p, const float* w, int n_jobs, float* g, ExampleRange range) {
    Hinge sum;
    Entries difference;
    each_most_violated(p, w, n_jobs, range, [&](std::size_t i, const typename P::Output& gold, const typename P::Output& guess) {
        if (gold == guess) return;
        const float weight = p.weight(i);
        const double loss = p.loss(i, guess);
        double margin = 0;
        list_difference(p, i, gold, guess, difference);
        for (const auto& [k, value] : difference) {
            margin += static_cast<double>(value) * w[k];
            if (g) g[k] += weight * value;
        }
        sum.loss += weight * loss;
        sum.hinge += weight * (loss - margin);
    });
    return sum;
}

}  // namespace palmette

// The outputs of all examples, and their loss: what the dev set of any learner asks for.
#pragma once
#include <vector>

#include "base/parallel.hpp"
#include "learning/problem.hpp"

namespace palmette {

// Calls take(example, output, score) for the best output of every example; from several threads at a time.
template <LearningProblem P, class Take>
void decode_all(const P& p, const float* w, int n_jobs, Take&& take) {
    constexpr std::size_t kPieces = 64;
    std::vector<typename P::State> states(std::max(1, n_jobs));
    for (auto& state : states) p.prepare(state, w + p.n_weights() - p.n_shared(), 1.0f, false);
    parallel(std::min(kPieces, p.size()), n_jobs, [&](std::size_t piece, std::size_t thread) {
        const std::size_t pieces = std::min(kPieces, p.size());
        typename P::Output y;
        for (std::size_t i = p.size() * piece / pieces; i < p.size() * (piece + 1) / pieces; ++i) {
            p.score(states[thread], i, w, 1.0f);
            const double score = p.best(states[thread], 0.0f, y);
            take(i, y, score);
        }
    });
}

// The loss of the best outputs, summed over all examples.
template <LearningProblem P>
double total_loss(const P& p, const float* w, int n_jobs) {
    std::vector<double> losses(p.size(), 0);
    decode_all(p, w, n_jobs, [&](std::size_t i, const typename P::Output& y, double) { losses[i] = p.loss(i, y); });
    double sum = 0;
    for (double loss : losses) sum += loss;
    return sum;
}

}  // namespace palmette

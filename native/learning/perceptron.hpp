// The perceptron: if the best output ŷ is not the right one, w += weight · (Φ(x, y) − Φ(x, ŷ)).
//
// Carreras, "the structured perceptron"; Kernel Methods, "a variant of the perceptron algorithm". After a pass without
// a mistake the data is separable, and R² / δ² bounds the mistakes of all passes. The voted perceptron (Freund and
// Schapire 1999) keeps every vector, or those that survived longest, together with the number of examples that it survived.
// With a margin, outputs are searched with margin · loss added, and the update is as large as the loss.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

#include "base/parallel.hpp"
#include "learning/averaging.hpp"
#include "learning/problem.hpp"

namespace palmette {

struct PerceptronMemory {
    bool votes = false;
    std::size_t most = 0;  // vectors that may vote, those that survived longest; 0: all
    float margin = 0;  // for each unit of loss
    Average average;
    double radius = 0;                  // the largest ‖Φ(x, y) − Φ(x, ŷ)‖ met
    std::vector<SparseVector> updates;  // with votes: vector k is the first one and updates 0 … k - 1
    std::vector<double> survived;       // by vector: the examples that it got right, and the one that made it

    // Forgets all vectors but the `most` that survived longest (of equal ones the first), the first one, which the others
    // are made from, and the last one, which may go on; of the first, its votes are forgotten. What is forgotten can never
    // be among the longest again, so the result does not depend on when this is called.
    void keep_longest(bool ended) {
        const std::size_t n = survived.size();
        if (!most || n <= most) return;
        std::vector<std::size_t> by_votes(n);
        std::iota(by_votes.begin(), by_votes.end(), std::size_t{0});
        std::stable_sort(by_votes.begin(), by_votes.end(), [&](std::size_t a, std::size_t b) { return survived[a] > survived[b]; });
        std::vector<std::uint8_t> kept(n, 0);
        for (std::size_t r = 0; r < most; ++r) kept[by_votes[r]] = 1;
        if (!ended) kept[n - 1] = 1;
        if (!kept[0]) survived[0] = 0;
        std::size_t out = 0;
        for (std::size_t k = 1; k < n; ++k) {
            SparseVector sum = std::move(updates[k - 1]);
            while (!kept[k] && k + 1 < n) {
                const auto& more = updates[k++].entries;
                sum.entries.insert(sum.entries.end(), more.begin(), more.end());
            }
            if (!kept[k]) break;
            sum.gather();
            sum.entries.shrink_to_fit();
            updates[out] = std::move(sum);
            survived[++out] = survived[k];
        }
        updates.resize(out);
        survived.resize(out + 1);
    }
};

struct PerceptronPass {
    std::uint64_t mistakes = 0;
    double loss = 0;
};

// One pass; w is changed in place.
template <LearningProblem P>
PerceptronPass perceptron_epoch(const P& p, float* w, PerceptronMemory& memory, std::span<const std::int64_t> order) {
    typename P::State state;
    typename P::Output gold, guess;
    Entries difference;
    PerceptronPass pass;
    const bool averaged = memory.average.kept();
    const std::size_t shared_at = p.n_weights() - p.n_shared();
    if (memory.votes && memory.survived.empty()) memory.survived.push_back(0);
    bool changed = true;
    for (const std::int64_t example : order) {
        const std::size_t i = static_cast<std::size_t>(example);
        if (changed) p.prepare(state, w + shared_at, 1.0f, false);
        changed = false;
        p.score(state, i, w, 1.0f);
        p.best(state, memory.margin, guess);
        p.gold(state, gold);
        const double loss = guess != gold ? p.loss(i, guess) : 0;
        const float step = guess == gold ? 0 : p.weight(i) * (memory.margin > 0 ? static_cast<float>(loss) : 1.0f);
        if (step != 0) {
            ++pass.mistakes;
            pass.loss += p.weight(i) * loss;
            changed = true;
            // ‖d‖² = (w + d)·d − w·d, whatever the order and the repetitions of the entries
            double before = 0, after = 0;
            list_difference(p, i, gold, guess, difference);
            for (const auto& [k, value] : difference) before += static_cast<double>(value) * w[k];
            for (const auto& [k, value] : difference) {
                w[k] += step * value;
                if (averaged) memory.average.change(k, step * value);
            }
            for (const auto& [k, value] : difference) after += static_cast<double>(value) * w[k];
            memory.radius = std::max(memory.radius, std::sqrt(std::max(0.0, (after - before) / step)));
            if (memory.votes) {
                SparseVector& update = memory.updates.emplace_back();
                for (const auto& [k, value] : difference) update.add(k, step * value);
                update.gather();
                update.entries.shrink_to_fit();
                memory.survived.push_back(0);
                // The new vector has survived nothing yet, and stays as the last one.
                if (memory.most && memory.updates.size() >= 4 * memory.most + 256) memory.keep_longest(false);
            }
        }
        if (memory.votes) memory.survived.back() += 1;
        if (averaged) memory.average.stay();
    }
    return pass;
}

// min over examples of w·Φ(x, y) − w·Φ(x, z), z the best wrong output; infinite if there is no wrong one.
template <LearningProblem P>
double smallest_margin(const P& p, const float* w, int n_jobs) {
    constexpr std::size_t kPieces = 64;
    constexpr double none = std::numeric_limits<double>::infinity();
    std::vector<typename P::State> states(std::max(1, n_jobs));
    for (auto& state : states) p.prepare(state, w + p.n_weights() - p.n_shared(), 1.0f, false);
    const std::size_t pieces = std::min(kPieces, p.size());
    std::vector<double> smallest(pieces, none);
    parallel(pieces, n_jobs, [&](std::size_t piece, std::size_t thread) {
        typename P::Output gold;
        Entries difference;
        std::vector<typename P::Output> two;
        std::vector<double> scores;
        for (std::size_t i = p.size() * piece / pieces; i < p.size() * (piece + 1) / pieces; ++i) {
            p.score(states[thread], i, w, 1.0f);
            p.gold(states[thread], gold);
            p.kbest(states[thread], 2, 0.0f, two, scores);
            for (const auto& y : two) {
                if (y == gold) continue;
                double margin = 0;
                list_difference(p, i, gold, y, difference);
                for (const auto& [k, value] : difference) margin += static_cast<double>(value) * w[k];
                smallest[piece] = std::min(smallest[piece], margin);
                break;
            }
        }
    });
    double margin = none;
    for (const double m : smallest) margin = std::min(margin, m);
    return margin;
}

}  // namespace palmette

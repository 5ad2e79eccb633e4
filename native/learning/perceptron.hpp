// The perceptron: if the best output ŷ is not the right one, w += weight · (Φ(x, y) − Φ(x, ŷ)).
//
// Carreras, "the structured perceptron"; Kernel Methods, "a variant of the perceptron algorithm". After a pass without
// a mistake the data is separable, and R² / δ² bounds the mistakes of all passes. The voted perceptron (Freund and
// Schapire 1999) keeps every vector together with the number of examples that it survived. With a margin, outputs are
// searched with margin · loss added, and the update is as large as the loss.
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
    float margin = 0;  // for each unit of loss
    Average average;
    double radius = 0;                  // the largest ‖Φ(x, y) − Φ(x, ŷ)‖ met
    std::vector<SparseVector> updates;  // with votes: vector k is the first one and updates 0 … k - 1
    std::vector<double> survived;       // by vector: the examples that it got right, and the one that made it
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

// Calls take(example, output) with the output that gets most votes, from several threads at a time. Of the first
// `n_updates` + 1 vectors those `most` vote that survived longest.
template <LearningProblem P, class Take>
void decode_votes(const P& p, const float* start, const PerceptronMemory& memory, std::size_t n_updates, std::size_t most,
                  int n_jobs, Take&& take) {
    const std::size_t n = std::min(n_updates, memory.updates.size()) + 1;
    std::vector<double> votes(n, 0);
    for (std::size_t k = 0; k < n && k < memory.survived.size(); ++k) votes[k] = memory.survived[k];
    if (most < n) {
        std::vector<std::size_t> by_votes(n);
        std::iota(by_votes.begin(), by_votes.end(), std::size_t{0});
        std::stable_sort(by_votes.begin(), by_votes.end(), [&](std::size_t a, std::size_t b) { return votes[a] > votes[b]; });
        for (std::size_t r = most; r < n; ++r) votes[by_votes[r]] = 0;
    }
    if (n == 1) votes[0] = 1;
    const std::size_t shared_at = p.n_weights() - p.n_shared();
    const std::size_t pieces = std::min<std::size_t>(std::max(1, n_jobs), p.size());
    parallel(pieces, n_jobs, [&](std::size_t piece, std::size_t) {
        struct Candidate {
            typename P::Output y;
            double votes;
        };
        const std::size_t begin = p.size() * piece / pieces, end = p.size() * (piece + 1) / pieces;
        std::vector<std::vector<Candidate>> candidates(end - begin);
        std::vector<float> w(start, start + p.n_weights());
        typename P::State state;
        typename P::Output y;
        for (std::size_t k = 0; k < n; ++k) {
            if (k)
                for (const auto& e : memory.updates[k - 1].entries) w[e.index] += e.value;
            if (votes[k] == 0) continue;
            p.prepare(state, w.data() + shared_at, 1.0f, false);
            for (std::size_t i = begin; i < end; ++i) {
                p.score(state, i, w.data(), 1.0f);
                p.best(state, 0.0f, y);
                auto& seen = candidates[i - begin];
                auto found = std::find_if(seen.begin(), seen.end(), [&](const Candidate& c) { return c.y == y; });
                if (found == seen.end()) found = seen.insert(found, {y, 0});
                found->votes += votes[k];
            }
        }
        for (std::size_t i = begin; i < end; ++i) {
            const Candidate* best = nullptr;  // the first of the best
            for (const Candidate& c : candidates[i - begin])
                if (!best || c.votes > best->votes) best = &c;
            if (best) take(i, best->y);
        }
    });
}

}  // namespace palmette

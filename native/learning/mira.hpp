// Margin-infused updates: the smallest change of w after which the example's constraints hold.
//
//     minimise ½ ‖w′ − w‖² + slack   subject to   w′·(Φ(x, y) − Φ(x, z)) ≥ loss(z) − slack_z
//
// for the best output z (passive-aggressive, in closed form: Crammer et al. 2006), or for the k best (MIRA: Crammer
// and Singer 2003, McDonald et al. 2005), whose dual is solved by Hildreth's method, one multiplier at a time.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "learning/averaging.hpp"
#include "learning/problem.hpp"

namespace palmette {

// What slack costs: nothing may be slack; C · slack; C · slack².
enum class Slack { none, linear, squared };

struct MiraOptions {
    Slack slack = Slack::linear;
    double c = 1;
    std::size_t k = 1;
    bool loss = true;  // outputs are searched with their loss added, and it is their margin; else the margin is one
};

struct MiraMemory {
    Average average;
    std::vector<float> scratch;  // room for one difference, else zero
};

struct MiraPass {
    std::uint64_t updates = 0;
    double loss = 0;  // Σ weight · violation of the best output's margin
};

// The multiplier of one constraint that misses its margin by `violation`.
inline double passive_aggressive_step(const MiraOptions& o, double weight, double violation, double norm) {
    if (violation <= 0 || norm <= 0 || weight <= 0) return 0;
    switch (o.slack) {
        case Slack::none: return weight * violation / norm;
        case Slack::linear: return std::min(o.c * weight, violation / norm);
        case Slack::squared: return violation / (norm + 1 / (2 * o.c * weight));
    }
    return 0;
}

// max over α of Σ_j α_j violation_j − ½ ‖Σ_j α_j d_j‖², each 0 ≤ α_j ≤ c: one after another until none moves.
inline void hildreth(const std::vector<SparseVector>& d, const std::vector<double>& violations, double c, std::vector<double>& alpha) {
    const std::size_t m = violations.size();
    std::vector<double> gram(m * m);
    for (std::size_t a = 0; a < m; ++a)
        for (std::size_t b = 0; b <= a; ++b) gram[a * m + b] = gram[b * m + a] = d[a].dot(d[b]);
    alpha.assign(m, 0);
    std::vector<double> left = violations;
    for (int round = 0; round < 1000; ++round) {
        double moved = 0;
        for (std::size_t j = 0; j < m; ++j) {
            if (gram[j * m + j] <= 0) continue;
            const double now = std::clamp(alpha[j] + left[j] / gram[j * m + j], 0.0, c), step = now - alpha[j];
            if (step == 0) continue;
            alpha[j] = now;
            for (std::size_t b = 0; b < m; ++b) left[b] -= step * gram[j * m + b];
            moved = std::max(moved, std::abs(step) * gram[j * m + j]);
        }
        if (moved < 1e-9) return;
    }
}

template <LearningProblem P>
MiraPass mira_epoch(const P& p, float* w, MiraMemory& memory, std::span<const std::int64_t> order, const MiraOptions& o) {
    typename P::State state;
    typename P::Output gold, guess;
    Entries entries;
    std::vector<typename P::Output> guesses;
    std::vector<double> scores, violations, alpha;
    std::vector<SparseVector> differences;
    MiraPass pass;
    memory.scratch.resize(p.n_weights(), 0.0f);
    float* d = memory.scratch.data();
    const bool averaged = memory.average.kept();
    const std::size_t shared_at = p.n_weights() - p.n_shared();
    const float cost = o.loss ? 1.0f : 0.0f;
    bool changed = true;
    const auto add = [&](std::size_t k, float by) {
        w[k] += by;
        if (averaged) memory.average.change(k, by);
    };
    for (const std::int64_t example : order) {
        const std::size_t i = static_cast<std::size_t>(example);
        const double weight = p.weight(i);
        if (changed) p.prepare(state, w + shared_at, 1.0f, false);
        changed = false;
        p.score(state, i, w, 1.0f);
        p.gold(state, gold);
        if (o.k == 1) {
            p.best(state, cost, guess);
            if (guess != gold) {
                double margin = 0, norm = 0;
                list_difference(p, i, gold, guess, entries);
                for (const auto& [k, value] : entries) {
                    d[k] += value;
                    margin += static_cast<double>(value) * w[k];
                }
                for (const auto& [k, value] : entries) norm += static_cast<double>(value) * d[k];
                const double violation = (o.loss ? p.loss(i, guess) : 1.0) - margin;
                const double step = passive_aggressive_step(o, weight, violation, norm);
                pass.loss += weight * std::max(0.0, violation);
                pass.updates += step > 0;
                changed = step > 0;
                for (const auto& [k, value] : entries) {
                    if (d[k] == 0) continue;
                    if (changed) add(k, static_cast<float>(step) * d[k]);
                    d[k] = 0;
                }
            }
        } else {
            p.kbest(state, o.k, cost, guesses, scores);
            violations.clear();
            for (const auto& y : guesses) {
                if (y == gold) continue;
                if (differences.size() == violations.size()) differences.emplace_back();
                SparseVector& difference = differences[violations.size()];
                list_difference(p, i, gold, y, difference.entries);
                difference.gather();
                violations.push_back((o.loss ? p.loss(i, y) : 1.0) - difference.dot(w));
            }
            if (!violations.empty()) {
                const double worst = *std::max_element(violations.begin(), violations.end());
                pass.loss += weight * std::max(0.0, worst);
                hildreth(differences, violations, o.slack == Slack::none ? std::numeric_limits<double>::infinity() : o.c * weight, alpha);
                for (std::size_t j = 0; j < violations.size(); ++j) {
                    if (alpha[j] == 0) continue;
                    changed = true;
                    for (const auto& e : differences[j].entries) add(e.index, static_cast<float>(alpha[j]) * e.value);
                }
                pass.updates += changed;
            }
        }
        if (averaged) memory.average.stay();
    }
    return pass;
}

}  // namespace palmette

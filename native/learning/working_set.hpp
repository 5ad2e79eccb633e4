// Cutting planes with one slack per example (Tsochantaridis et al. 2005): a working set of constraints
//
//     w·d_ij ≥ loss_ij − ξ_i,   d_ij = Φ(x_i, y_i) − Φ(x_i, z_ij)
//
// and the quadratic program over it:  maximise Σ α_ij loss_ij − l2 · ‖w‖²,  w = Σ α_ij d_ij / (2 l2),
// α ≥ 0, Σ_j α_ij ≤ weight_i. It is solved by moving mass between the two constraints of an example that gain most by
// it, example after example, until the gap is closed. What is left of weight_i lies on the right output itself.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "learning/frank_wolfe.hpp"

namespace palmette {

struct WorkingSet {
    struct Constraint {
        SparseVector d;
        double loss, alpha, slope;  // slope: loss − w·d, how much w misses the margin
    };
    std::vector<std::vector<Constraint>> of;
    std::vector<double> weights;  // of examples
    std::vector<double> w;
    std::vector<float> search;    // w again, as searches want it
    std::size_t size = 0;

    double dual(double l2) const {
        double value = 0;
        for (const auto& constraints : of)
            for (const Constraint& c : constraints) value += c.alpha * c.loss;
        for (const double x : w) value -= l2 * x * x;
        return value;
    }
};

// Moves mass between the two constraints of example i that gain most by it, at most `pairs` times; adds what w changes by
// calling change(index, by). Returns the example's duality gap as it was before.
template <class Change>
double optimise_example(WorkingSet& set, std::size_t i, double l2, int pairs, Change&& change) {
    const SparseVector nothing;
    auto& constraints = set.of[i];
    double gap = 0;
    for (int pair = 0; pair < pairs && !constraints.empty(); ++pair) {
        // The right output is one of them, a constraint with d = 0, loss = 0.
        double rest = set.weights[i], top = 0, weighted = 0;
        WorkingSet::Constraint *up = nullptr, *down = nullptr;
        for (auto& c : constraints) {
            c.slope = c.loss;
            for (const auto& e : c.d.entries) c.slope -= e.value * set.w[e.index];
            rest -= c.alpha;
            weighted += c.alpha * c.slope;
            if (c.slope > top) {
                top = c.slope;
                up = &c;
            }
        }
        double bottom = rest > 1e-14 * set.weights[i] ? 0 : std::numeric_limits<double>::infinity();
        for (auto& c : constraints)
            if (c.alpha > 0 && c.slope < bottom) {
                bottom = c.slope;
                down = &c;
            }
        if (!pair) gap = std::max(0.0, set.weights[i] * top - weighted);
        if (up == down || !(top - bottom > 0)) break;
        const SparseVector& to = up ? up->d : nothing;
        const SparseVector& from = down ? down->d : nothing;
        double norm = 0;
        merge(from, to, [&](std::size_t, float a, float b) { norm += (static_cast<double>(b) - a) * (static_cast<double>(b) - a); });
        const double room = down ? down->alpha : std::max(0.0, rest);
        const double step = norm > 0 ? std::min(room, 2 * l2 * (top - bottom) / norm) : room;
        if (up) up->alpha += step;
        if (down) down->alpha = step == room ? 0 : down->alpha - step;
        merge(from, to, [&](std::size_t k, float a, float b) {
            set.w[k] += step * (static_cast<double>(b) - a) / (2 * l2);
            change(k);
        });
    }
    return gap;
}

// One pass: for every example the constraint that w violates most joins the set, if it does so beyond the example's slack, and
// the example's own multipliers are set again at once. Returns how many joined.
template <LearningProblem P>
std::size_t working_set_epoch(const P& p, WorkingSet& set, std::span<const std::int64_t> order, double l2, const float* search) {
    if (set.of.empty()) {
        set.of.resize(p.size());
        set.w.assign(p.n_weights(), 0.0);
        set.search.assign(p.n_weights(), 0.0f);
        for (std::size_t i = 0; i < p.size(); ++i) set.weights.push_back(p.weight(i));
    }
    typename P::State state;
    typename P::Output gold, guess;
    const float* w = search ? search : set.search.data();
    const auto change = [&](std::size_t k) { set.search[k] = static_cast<float>(set.w[k]); };
    std::size_t added = 0;
    for (const std::int64_t example : order) {
        const std::size_t i = static_cast<std::size_t>(example);
        if (set.weights[i] <= 0) continue;
        p.prepare(state, w + p.n_weights() - p.n_shared(), 1.0f, false);
        p.score(state, i, w, 1.0f);
        p.best(state, 1.0f, guess);
        p.gold(state, gold);
        if (guess != gold) {
            SparseVector d;
            list_difference(p, i, gold, guess, d.entries);
            d.gather();
            const double loss = p.loss(i, guess), violation = loss - d.dot(set.w.data());
            double slack = 0;
            for (const auto& c : set.of[i]) slack = std::max(slack, c.loss - c.d.dot(set.w.data()));
            if (violation > slack + 1e-9) {
                d.entries.shrink_to_fit();
                set.of[i].push_back({std::move(d), loss, 0, 0});
                ++set.size;
                ++added;
            }
        }
        optimise_example(set, i, l2, 4, change);
    }
    return added;
}

// Solves the quadratic program until its duality gap is at most `tolerance`, or for `max_rounds` rounds; returns the gap.
inline double solve_working_set(WorkingSet& set, double l2, double tolerance, std::size_t max_rounds) {
    double gap = 0;
    for (std::size_t round = 0; round < max_rounds; ++round) {
        gap = 0;
        for (std::size_t i = 0; i < set.of.size(); ++i) gap += optimise_example(set, i, l2, 4, [](std::size_t) {});
        if (gap <= tolerance) break;
    }
    for (std::size_t k = 0; k < set.w.size(); ++k) set.search[k] = static_cast<float>(set.w[k]);
    return gap;
}

}  // namespace palmette

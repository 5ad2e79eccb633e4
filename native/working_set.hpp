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
#include <limits>
#include <utility>
#include <vector>

#include "frank_wolfe.hpp"
#include "hinge.hpp"

namespace palmette {

struct WorkingSet {
    struct Constraint {
        SparseVector d;
        double loss, alpha, slope;  // slope: loss − w·d, how much w misses the margin
    };
    std::vector<std::vector<Constraint>> of;
    std::vector<double> weights;  // of examples
    std::vector<double> w;
    std::size_t size = 0;

    double dual(double l2) const {
        double value = 0;
        for (const auto& constraints : of)
            for (const Constraint& c : constraints) value += c.alpha * c.loss;
        for (const double x : w) value -= l2 * x * x;
        return value;
    }
};

// Adds for every example the constraint that w violates most, if it does so by more than `epsilon` beyond the example's
// slack. Returns the hinge and how many were added.
template <LearningProblem P>
std::pair<double, std::size_t> add_constraints(const P& p, const float* w, WorkingSet& set, double epsilon, int n_jobs) {
    if (set.of.empty()) {
        set.of.resize(p.size());
        set.w.assign(p.n_weights(), 0.0);
        for (std::size_t i = 0; i < p.size(); ++i) set.weights.push_back(p.weight(i));
    }
    double hinge = 0;
    std::size_t added = 0;
    each_most_violated(p, w, n_jobs, [&](std::size_t i, const typename P::Output& gold, const typename P::Output& guess) {
        if (gold == guess) return;
        SparseVector d;
        p.difference(i, gold, guess, [&](std::size_t k, float value) { d.add(k, value); });
        d.gather();
        const double loss = p.loss(i, guess), violation = loss - d.dot(w);
        hinge += set.weights[i] * std::max(0.0, violation);
        double slack = 0;
        for (const auto& c : set.of[i]) slack = std::max(slack, c.loss - c.d.dot(w));
        if (violation <= slack + epsilon || set.weights[i] <= 0) return;
        d.entries.shrink_to_fit();
        set.of[i].push_back({std::move(d), loss, 0, 0});
        ++set.size;
        ++added;
    });
    return {hinge, added};
}

// Solves the quadratic program until its duality gap is at most `tolerance`; returns the gap.
inline double solve_working_set(WorkingSet& set, double l2, double tolerance, std::size_t max_rounds) {
    const auto slope_of = [&](const WorkingSet::Constraint& c) {
        double slope = c.loss;
        for (const auto& e : c.d.entries) slope -= e.value * set.w[e.index];
        return slope;
    };
    const SparseVector nothing;
    double gap = 0;
    for (std::size_t round = 0; round < max_rounds; ++round) {
        gap = 0;
        for (std::size_t i = 0; i < set.of.size(); ++i) {
            auto& constraints = set.of[i];
            if (constraints.empty()) continue;
            for (int pair = 0; pair < (round % 8 ? 4 : 1); ++pair) {
                // The right output stands among them as a constraint with d = 0, loss = 0.
                double rest = set.weights[i], top = 0, weighted = 0;
                WorkingSet::Constraint *up = nullptr, *down = nullptr;
                for (auto& c : constraints) {
                    c.slope = slope_of(c);
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
                if (!pair) gap += std::max(0.0, set.weights[i] * top - weighted);
                if (up == down || !(top - bottom > 0)) break;
                const SparseVector& to = up ? up->d : nothing;
                const SparseVector& from = down ? down->d : nothing;
                double norm = 0;
                merge(from, to, [&](std::size_t, float a, float b) { norm += (static_cast<double>(b) - a) * (static_cast<double>(b) - a); });
                const double room = down ? down->alpha : std::max(0.0, rest);
                const double step = norm > 0 ? std::min(room, 2 * l2 * (top - bottom) / norm) : room;
                if (up) up->alpha += step;
                if (down) down->alpha = step == room ? 0 : down->alpha - step;
                merge(from, to, [&](std::size_t k, float a, float b) { set.w[k] += step * (static_cast<double>(b) - a) / (2 * l2); });
            }
        }
        if (gap <= tolerance) break;
    }
    return gap;
}

}  // namespace palmette

// The dual of the structured SVM by block-coordinate Frank-Wolfe (Lacoste-Julien et al. 2013).
//
//     maximise Σ_i ℓ_i − l2 · ‖w‖²   with   w = Σ_i φ_i / (2 l2)
//
// An example's block is a mean over outputs z of φ = weight · (Φ(x, y) − Φ(x, z)) and ℓ = weight · loss(z). A step moves it
// towards the output that violates its margin most, exactly as far as is best, so the dual never falls.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "learning/averaging.hpp"
#include "learning/problem.hpp"

namespace palmette {

struct FrankWolfeMemory {
    std::vector<SparseVector> blocks;  // φ_i
    std::vector<double> losses;        // ℓ_i
    double loss = 0;                   // Σ_i ℓ_i
    Average average;                   // of w, that of step t with share t
    double late_loss = 0;              // as Average::late, for Σ_i ℓ_i
    std::uint64_t t = 0;

    double mean_loss() const { return average.total > 0 ? loss - late_loss / average.total : loss; }
};

// Visits (index, value in a, value in b) for every index of two sorted vectors.
template <class Visit>
void merge(const SparseVector& a, const SparseVector& b, Visit&& visit) {
    std::size_t i = 0, j = 0;
    while (i < a.entries.size() || j < b.entries.size()) {
        if (j == b.entries.size() || (i < a.entries.size() && a.entries[i].index < b.entries[j].index)) {
            visit(a.entries[i].index, a.entries[i].value, 0.0f);
            ++i;
        } else if (i == a.entries.size() || b.entries[j].index < a.entries[i].index) {
            visit(b.entries[j].index, 0.0f, b.entries[j].value);
            ++j;
        } else {
            visit(a.entries[i].index, a.entries[i].value, b.entries[j].value);
            ++i, ++j;
        }
    }
}

// One pass. The outputs are searched with the weights `search`: w itself, or those of a warm start. Returns
// Σ of the blocks' duality gaps as met on the way.
template <LearningProblem P>
double frank_wolfe_epoch(const P& p, float* w, FrankWolfeMemory& memory, std::span<const std::int64_t> order, double l2, const float* search) {
    typename P::State state;
    typename P::Output gold, guess;
    SparseVector corner, moved;
    memory.blocks.resize(p.size());
    memory.losses.resize(p.size(), 0);
    const std::size_t shared_at = p.n_weights() - p.n_shared();
    const bool averaged = memory.average.kept();
    double gaps = 0;
    bool changed = true;
    for (const std::int64_t example : order) {
        const std::size_t i = static_cast<std::size_t>(example);
        const float weight = p.weight(i);
        if (changed) p.prepare(state, search + shared_at, 1.0f, false);
        changed = false;
        p.score(state, i, search, 1.0f);
        p.best(state, 1.0f, guess);
        p.gold(state, gold);
        corner.clear();
        double loss = 0;
        if (guess != gold) {
            list_difference(p, i, gold, guess, corner.entries);
            for (auto& entry : corner.entries) entry.value *= weight;
            corner.gather();
            loss = weight * p.loss(i, guess);
        }
        SparseVector& block = memory.blocks[i];
        double gap = loss - memory.losses[i], norm = 0;
        merge(block, corner, [&](std::size_t k, float from, float to) {
            const double d = static_cast<double>(to) - from;
            gap -= d * w[k];
            norm += d * d;
        });
        gaps += std::max(0.0, gap);
        const double step = norm > 0 ? std::clamp(2 * l2 * gap / norm, 0.0, 1.0) : gap > 0 ? 1.0 : 0.0;
        if (step > 0) {
            changed = true;
            moved.clear();
            const float rest = static_cast<float>(1 - step), share = static_cast<float>(step);
            merge(block, corner, [&](std::size_t k, float from, float to) {
                const float now = rest * from + share * to, change = static_cast<float>((now - from) / (2 * l2));
                w[k] += change;
                if (averaged) memory.average.change(k, change);
                if (now != 0) moved.add(k, now);
            });
            block.entries.assign(moved.entries.begin(), moved.entries.end());
            const double change = step * (loss - memory.losses[i]);
            memory.losses[i] += change;
            memory.loss += change;
            memory.late_loss += memory.average.mass * change;
        }
        ++memory.t;
        memory.average.stay(static_cast<double>(memory.t));
    }
    return gaps;
}

}  // namespace palmette

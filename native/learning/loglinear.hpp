// Log-linear models (CRFs): minimise  Σ_i weight_i · (log Z(x_i) − log Z(x_i given y_i)) + l2 · ‖w‖².
//
// d_i, an example's parts in the gold output less their marginals, is the gradient seen from its parts. Three
// ways to use it:
//   gradient   all examples at once, for L-BFGS and its kin
//   sgd        w += η Φᵀd_i, one example after another, η = η₀ / (1 + η₀ λ t)       (Bottou 2010)
//   sag        w += η mean of the last d of every example                           (Schmidt et al. 2015)
// What is minimised may also be the expected loss, Σ_i weight_i · E[loss], whose d is minus a covariance.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "base/parallel.hpp"
#include "learning/hashed_pullback.hpp"
#include "learning/problem.hpp"

namespace palmette {

// Two are not objectives. `curvature`: d is p(1 − p), so that Φᵀd is about the diagonal of the likelihood's Hessian. `counts`:
// d is p given what is known of the output, so that Φᵀd are expected counts; the loss is minus the log of the sum.
enum class Objective { likelihood, risk, curvature, counts };

// The loss of the example whose scores are in `state`, and d in `parts`. `scratch` is as long as `parts`.
template <LearningProblem P>
double loss_and_parts(const P& p, typename P::State& state, std::size_t i, Objective objective, float* parts, float* scratch) {
    const std::size_t n = p.n_parts(i);
    if (objective == Objective::risk) {
        const double risk = p.risk(state, parts);
        for (std::size_t k = 0; k < n; ++k) parts[k] = -parts[k];
        return risk;
    }
    if (objective == Objective::counts) return -p.gold_marginals(state, parts);
    const double log_z = p.marginals(state, objective == Objective::curvature ? parts : scratch);
    if (objective == Objective::curvature) {
        // A shared part is a sum of probabilities; it stands for the sum of its p(1 − p), which is not larger.
        for (std::size_t k = 0; k + p.n_shared() < n; ++k) parts[k] *= 1 - parts[k];
        return 0;
    }
    const double gold = p.gold_marginals(state, parts);
    for (std::size_t k = 0; k < n; ++k) parts[k] -= scratch[k];
    return log_z - gold;
}

// Adds Σ_i weight_i Φᵀ d_i to `g` and returns Σ_i weight_i · loss_i, over the examples of a range. They go in pieces that are
// the same for every number of threads.
template <LearningProblem P>
double batch_gradient(const P& p, const float* w, Objective objective, int n_jobs, float* g, ExampleRange range) {
    constexpr std::size_t kBlock = std::size_t{1} << 25;  // parts in one block, 128 MB
    constexpr std::size_t kPieces = 16;                   // of a block
    const std::size_t shared = p.n_shared(), shared_at = p.n_weights() - shared;
    std::vector<typename P::State> states(std::max(1, n_jobs));
    std::vector<std::vector<float>> scratch(states.size()), parts(states.size()), tails(kPieces);
    for (auto& state : states) p.prepare(state, w + shared_at, 1.0f, true);
    std::vector<float> d;
    std::vector<std::size_t> at;
    double loss = 0;
    for (std::size_t begin = range.begin, end; begin < range.end; begin = end) {
        // A block is as many examples as fit; its own parts (not the shared ones) are in d, one after another.
        at.assign(1, 0);
        for (end = begin; end < range.end && (end == begin || at.back() < kBlock); ++end)
            at.push_back(at.back() + p.n_parts(end) - shared);
        // One thread takes an example's parts back while they are in the cache: the same sums in the same order.
        const bool direct = n_jobs <= 1 && begin == range.begin && end == range.end;
        d.resize(direct ? 0 : at.back());
        const std::size_t count = end - begin, pieces = std::min(kPieces, count);
        std::vector<double> losses(pieces, 0);
        parallel(pieces, n_jobs, [&](std::size_t piece, std::size_t thread) {
            tails[piece].assign(shared, 0.0f);
            for (std::size_t j = count * piece / pieces; j < count * (piece + 1) / pieces; ++j) {
                const std::size_t i = begin + j, n = p.n_parts(i), own = n - shared;
                const float weight = p.weight(i);
                parts[thread].resize(n);
                scratch[thread].resize(n);
                p.score(states[thread], i, w, 1.0f);
                losses[piece] += weight * loss_and_parts(p, states[thread], i, objective, parts[thread].data(), scratch[thread].data());
                for (std::size_t k = 0; k < shared; ++k) tails[piece][k] += weight * parts[thread][own + k];
                if (direct) {
                    std::fill_n(parts[thread].begin() + static_cast<std::ptrdiff_t>(own), shared, 0.0f);
                    p.pullback(i, parts[thread].data(), weight, g);
                    continue;
                }
                for (std::size_t k = 0; k < own; ++k) d[at[j] + k] = weight * parts[thread][k];
            }
        });
        for (double piece : losses) loss += piece;
        for (std::size_t piece = 0; piece < pieces; ++piece)
            for (std::size_t k = 0; k < shared; ++k) g[shared_at + k] += tails[piece][k];
        if (!direct) p.pullback_block(begin, end, d.data(), n_jobs, g);
    }
    return loss;
}

// Whether a problem can list what an example changes, so that threads can make the changes of a batch.
template <class P>
concept ListsChanges = requires(const P& p, const float* parts, WeightChanges& changes) {
    p.list_changes(std::size_t{0}, parts, 1.0f, changes);
    p.free();
};

struct SgdOptions {
    double eta0 = 0.1;
    double lambda = 0;
    Objective objective = Objective::likelihood;
    std::size_t batch = 1;  // examples that see the same weights, on several threads
    int n_jobs = 1;
};

// One pass of stochastic gradient descent. The true weights are scale · v; λ is the curvature of the
// regulariser, 2 · l2 / examples, and t counts steps from the first pass on.
template <LearningProblem P>
double sgd_epoch(const P& p, float* v, double& scale, std::uint64_t& t, std::span<const std::int64_t> order, const SgdOptions& o) {
    const std::size_t threads = static_cast<std::size_t>(std::max(1, o.n_jobs)), shared_at = p.n_weights() - p.n_shared();
    std::vector<typename P::State> states(threads);
    std::vector<std::vector<float>> parts(o.batch), scratch(threads);
    std::vector<float> steps(o.batch);
    std::vector<double> losses(o.batch);
    std::vector<std::size_t> examples, turns;
    constexpr bool lists = ListsChanges<P>;
    std::vector<WeightChanges> changes(lists && o.batch > 1 ? o.batch : 0);
    double loss = 0;
    for (std::size_t begin = 0; begin < order.size(); begin += o.batch) {
        examples.clear();
        for (std::size_t k = begin; k < std::min(begin + o.batch, order.size()); ++k) examples.push_back(static_cast<std::size_t>(order[k]));
        const float before = static_cast<float>(scale);
        for (std::size_t thread = 0; thread < std::min(threads, examples.size()); ++thread)
            p.prepare(states[thread], v + shared_at, before, true);
        for (std::size_t k = 0; k < examples.size(); ++k) {
            const double eta = o.eta0 / (1 + o.eta0 * o.lambda * static_cast<double>(t++));
            scale *= 1 - eta * o.lambda;
            steps[k] = static_cast<float>(eta * p.weight(examples[k]) / scale);
        }
        // The largest first, so that no thread is left alone with one.
        turns.resize(examples.size());
        std::iota(turns.begin(), turns.end(), std::size_t{0});
        std::stable_sort(turns.begin(), turns.end(), [&](std::size_t a, std::size_t b) { return p.n_parts(examples[a]) > p.n_parts(examples[b]); });
        parallel(examples.size(), o.n_jobs, [&](std::size_t turn, std::size_t thread) {
            const std::size_t k = turns[turn], i = examples[k];
            parts[k].resize(p.n_parts(i));
            scratch[thread].resize(parts[k].size());
            p.score(states[thread], i, v, before);
            losses[k] = loss_and_parts(p, states[thread], i, o.objective, parts[k].data(), scratch[thread].data());
            if constexpr (lists)
                if (!changes.empty()) p.list_changes(i, parts[k].data(), steps[k], changes[k]);
        });
        for (std::size_t k = 0; k < examples.size(); ++k) loss += p.weight(examples[k]) * losses[k];
        if constexpr (lists)
            if (!changes.empty()) make_changes({changes.data(), examples.size()}, p.free(), o.n_jobs, v);
        if (changes.empty())
            for (std::size_t k = 0; k < examples.size(); ++k) p.pullback(examples[k], parts[k].data(), steps[k], v);
        if (scale < 1e-5) {
            for (std::size_t k = 0; k < p.n_weights(); ++k) v[k] *= static_cast<float>(scale);
            scale = 1;
        }
    }
    return loss;
}

// What the stochastic average gradient remembers between passes.
struct SagMemory {
    std::vector<float> parts;               // the last d of every example
    std::vector<std::size_t> at;            // where an example's begins
    std::vector<std::uint8_t> seen;
    std::vector<double> losses;             // of every example when it last came
    double loss = 0;                        // their sum
    std::vector<float> gradient, trial;     // Σ Φᵀ d; room for the gradient of one example
    std::vector<double> caught_up;          // for each 8 weights: the value of `steps` when last brought up to date
    double steps = 0;                       // Σ of step sizes so far, each divided by its scale
    double scale = 1;
    double lipschitz = 1;
    std::size_t n_seen = 0;
    std::uint64_t t = 0;
};

// One pass of the stochastic average gradient: w ← (1 − ηλ) w + η/m Σ_i Φᵀ d_i, with m examples seen. Only the
// rows that an example reads are brought up to date, when it comes (just in time); the step is 1/L, where L
// is the curvature along the gradients met, found by doubling, and halved in the course of a pass. After the first
// pass examples must be drawn with replacement: with shuffled passes the steps do not converge.
template <LearningProblem P>
double sag_epoch(const P& p, float* v, SagMemory& memory, std::span<const std::int64_t> order, double lambda, Objective objective) {
    const std::size_t shared_at = p.n_weights() - p.n_shared();
    if (memory.at.empty()) {
        memory.at.assign(1, 0);
        for (std::size_t i = 0; i < p.size(); ++i) memory.at.push_back(memory.at.back() + p.n_parts(i));
        memory.parts.assign(memory.at.back(), 0.0f);
        memory.seen.assign(p.size(), 0);
        memory.losses.assign(p.size(), 0.0);
        memory.gradient.assign(p.n_weights(), 0.0f);
        memory.trial.assign(p.n_weights(), 0.0f);
        memory.caught_up.assign(p.n_weights() / 8 + 1, 0.0);
    }
    float* g = memory.gradient.data();
    const auto catch_up = [&](std::size_t begin, std::size_t size) {
        for (std::size_t at = begin; at < begin + size;) {
            const std::size_t end = std::min((at / 8 + 1) * 8, p.n_weights());
            double& last = memory.caught_up[at / 8];
            const float due = static_cast<float>(memory.steps - last);
            last = memory.steps;
            for (std::size_t k = at / 8 * 8; k < end; ++k) v[k] += due * g[k];
            at = end;
        }
    };
    typename P::State state;
    std::vector<Stretch> rows;
    std::vector<float> parts, scratch, other;
    const double forget = std::exp2(-1.0 / static_cast<double>(p.size()));
    // L halves in a pass, so a pass must try it often: with few examples, at every step.
    const std::uint64_t pause = std::clamp<std::uint64_t>(p.size() / 64, 1, 16);
    double loss = 0;
    for (const std::int64_t example : order) {
        const std::size_t i = static_cast<std::size_t>(example), n = p.n_parts(i);
        parts.resize(n);
        scratch.resize(n);
        list_rows(p, i, rows);
        for (const auto& [begin, size] : rows) catch_up(begin, size);
        p.prepare(state, v + shared_at, static_cast<float>(memory.scale), true);
        p.score(state, i, v, static_cast<float>(memory.scale));
        const double here = loss_and_parts(p, state, i, objective, parts.data(), scratch.data());
        loss += p.weight(i) * here;
        memory.loss += p.weight(i) * here - memory.losses[i];
        memory.losses[i] = p.weight(i) * here;
        memory.lipschitz *= forget;
        if (memory.t < 64 || memory.t % pause == 0) {
            // Is f_i(w + Φᵀd / L) ≤ f_i(w) − ‖Φᵀd‖² / 2L? If not, L was too small.
            float* trial = memory.trial.data();
            p.pullback(i, parts.data(), 1.0f, trial);
            double norm = 0;
            for (const auto& [begin, size] : rows) {
                for (std::size_t k = begin; k < begin + size; ++k) {
                    norm += static_cast<double>(trial[k]) * trial[k];
                    trial[k] = 0;
                }
            }
            other.resize(n);
            // Skip the test where a float cannot distinguish the difference and noise.
            if (norm / (2 * memory.lipschitz) > 1e-3) {
                for (;; memory.lipschitz *= 2) {
                    const float step = static_cast<float>(1 / (memory.lipschitz * memory.scale));
                    p.pullback(i, parts.data(), step, v);
                    p.prepare(state, v + shared_at, static_cast<float>(memory.scale), true);
                    p.score(state, i, v, static_cast<float>(memory.scale));
                    const double there = loss_and_parts(p, state, i, objective, other.data(), scratch.data());
                    p.pullback(i, parts.data(), -step, v);
                    if (there <= here - norm / (2 * memory.lipschitz) + 1e-4 || memory.lipschitz > 1e9) break;
                }
            }
        }
        float* before = memory.parts.data() + memory.at[i];
        for (std::size_t k = 0; k < n; ++k) {
            const float now = p.weight(i) * parts[k];
            parts[k] = now - before[k];
            before[k] = now;
        }
        p.pullback(i, parts.data(), 1.0f, g);
        if (!memory.seen[i]) {
            memory.seen[i] = 1;
            ++memory.n_seen;
        }
        ++memory.t;
        const double eta = 1 / (memory.lipschitz + lambda);
        memory.scale *= 1 - eta * lambda;
        memory.steps += eta / (static_cast<double>(memory.n_seen) * memory.scale);
        if (memory.scale < 1e-4) {
            catch_up(0, p.n_weights());
            for (std::size_t k = 0; k < p.n_weights(); ++k) v[k] *= static_cast<float>(memory.scale);
            memory.scale = 1;
            memory.steps = 0;
            std::fill(memory.caught_up.begin(), memory.caught_up.end(), 0.0);
        }
    }
    return loss;
}

// The weights themselves, between two passes.
inline void sag_weights(std::span<const float> v, const SagMemory& memory, float* w) {
    for (std::size_t k = 0; k < v.size(); ++k) {
        const double due = memory.gradient.empty() ? 0 : (memory.steps - memory.caught_up[k / 8]) * memory.gradient[k];
        w[k] = static_cast<float>(memory.scale * (v[k] + due));
    }
}

}  // namespace palmette

// The loops of the margin and dual learners as methods of a problem, and what they remember between passes.
#pragma once
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>

#include "bind/learning/learning.hpp"
#include "learning/arow.hpp"
#include "learning/exponentiated.hpp"
#include "learning/frank_wolfe.hpp"
#include "learning/hinge.hpp"
#include "learning/mira.hpp"
#include "learning/perceptron.hpp"
#include "learning/subgradient.hpp"
#include "learning/working_set.hpp"

// Is every index below n? The entries are sorted.
inline bool fits(const std::vector<palmette::SparseVector>& vectors, size_t n) {
    for (const auto& v : vectors)
        if (!v.entries.empty() && v.entries.back().index >= n) return false;
    return true;
}

inline bool fits(const palmette::Average& average, size_t n) { return !average.kept() || average.late.size() == n; }

// The mean of the weights met, or the weights themselves where none is kept.
template <class Memory>
auto mean_of(const Memory& memory, const Array<float>& w) {
    require(fits(memory.average, w.size()), "this memory is of another problem");
    palmette::ZeroedVector<float> mean(w.size());
    memory.average.mean(span_of(w), mean.data());
    return numpy_of(std::move(mean));
}

template <class B>
void bind_margin_learners(nb::class_<B>& c) {
    using namespace nb::literals;
    using namespace palmette;
    using CW = Array<float>;
    c.def(
        "perceptron_epoch",
        [](const B& b, const Weights& w, PerceptronMemory& memory, const Array<int64_t>& order) {
            float* weights = checked(b, w);
            require(fits(memory.average, b.problem.n_weights()), "this memory is of another problem");
            const auto examples = checked_order(b, order);
            nb::gil_scoped_release release;
            const PerceptronPass pass = perceptron_epoch(b.problem, weights, memory, examples);
            return std::tuple(pass.mistakes, pass.loss);
        },
        "w"_a.noconvert(), "memory"_a, "order"_a.noconvert());
    c.def(
        "smallest_margin",
        [](const B& b, const CW& w, int n_jobs) {
            const float* weights = checked(b, w);
            nb::gil_scoped_release release;
            return smallest_margin(b.problem, weights, n_jobs);
        },
        "w"_a.noconvert(), "n_jobs"_a);
    c.def(
        "mira_epoch",
        [](const B& b, const Weights& w, MiraMemory& memory, const Array<int64_t>& order, int slack, double cost, size_t k, bool loss) {
            float* weights = checked(b, w);
            require(fits(memory.average, b.problem.n_weights()), "this memory is of another problem");
            require(slack >= 0 && slack <= 2 && k >= 1 && cost > 0, "the slack is 0, 1 or 2, k at least 1, and c positive");
            require(memory.scratch.empty() || memory.scratch.size() == b.problem.n_weights(), "this memory is of another problem");
            const auto examples = checked_order(b, order);
            nb::gil_scoped_release release;
            const MiraPass pass = mira_epoch(b.problem, weights, memory, examples, {static_cast<Slack>(slack), cost, k, loss});
            return std::tuple(pass.updates, pass.loss);
        },
        "w"_a.noconvert(), "memory"_a, "order"_a.noconvert(), "slack"_a, "c"_a, "k"_a, "loss"_a);
    c.def(
        "arow_epoch",
        [](const B& b, const Weights& w, ArowMemory& memory, const Array<int64_t>& order, double gamma) {
            float* weights = checked(b, w);
            require(memory.variance.size() == b.problem.n_weights(), "this memory is of another problem");
            require(gamma > 0, "gamma must be positive");
            const auto examples = checked_order(b, order);
            nb::gil_scoped_release release;
            const ArowPass pass = arow_epoch(b.problem, weights, memory, examples, gamma);
            return std::tuple(pass.updates, pass.loss);
        },
        "w"_a.noconvert(), "memory"_a, "order"_a.noconvert(), "gamma"_a);
    c.def(
        "hinge",
        [](const B& b, const CW& w, const std::optional<Weights>& gradient, int n_jobs) {
            const float* weights = checked(b, w);
            float* g = gradient ? checked(b, *gradient) : nullptr;
            nb::gil_scoped_release release;
            if (g) std::fill_n(g, b.problem.n_weights(), 0.0f);
            const Hinge sum = total_hinge(b.problem, weights, n_jobs, g);
            return std::tuple(sum.hinge, sum.loss);
        },
        "w"_a.noconvert(), "gradient"_a.noconvert().none(), "n_jobs"_a);
    c.def(
        "subgradient_epoch",
        [](const B& b, const Weights& v, SubgradientMemory& memory, const Array<int64_t>& order, double lambda, double radius) {
            float* weights = checked(b, v);
            require(fits(memory.average, b.problem.n_weights()), "this memory is of another problem");
            require(memory.scratch.empty() || memory.scratch.size() == b.problem.n_weights(), "this memory is of another problem");
            require(lambda > 0, "l2 must be positive");
            const auto examples = checked_order(b, order);
            nb::gil_scoped_release release;
            return subgradient_epoch(b.problem, weights, memory, examples, lambda, radius);
        },
        "v"_a.noconvert(), "memory"_a, "order"_a.noconvert(), "l2"_a, "radius"_a);
    c.def(
        "frank_wolfe_epoch",
        [](const B& b, const Weights& w, FrankWolfeMemory& memory, const Array<int64_t>& order, double l2, const std::optional<CW>& search) {
            float* weights = checked(b, w);
            const float* searched = search ? checked(b, *search) : weights;
            require(fits(memory.average, b.problem.n_weights()), "this memory is of another problem");
            require(memory.blocks.empty() || (memory.blocks.size() == b.problem.size() && fits(memory.blocks, b.problem.n_weights())), "this memory is of another problem");
            require(l2 > 0, "l2 must be positive");
            const auto examples = checked_order(b, order);
            nb::gil_scoped_release release;
            return frank_wolfe_epoch(b.problem, weights, memory, examples, l2, searched);
        },
        "w"_a.noconvert(), "memory"_a, "order"_a.noconvert(), "l2"_a, "search"_a.noconvert().none());
    c.def(
        "working_set_epoch",
        [](const B& b, WorkingSet& set, const Array<int64_t>& order, double l2, const std::optional<CW>& search) {
            const float* searched = search ? checked(b, *search) : nullptr;
            require(set.of.empty() || (set.of.size() == b.problem.size() && set.w.size() == b.problem.n_weights()), "this working set is of another problem");
            require(l2 > 0, "l2 must be positive");
            const auto examples = checked_order(b, order);
            nb::gil_scoped_release release;
            return working_set_epoch(b.problem, set, examples, l2, searched);
        },
        "working_set"_a, "order"_a.noconvert(), "l2"_a, "search"_a.noconvert().none());
    c.def(
        "start_dual",
        [](const B& b, const CW& start, DualMemory& memory, double l2, double sharpness, double rate) {
            const float* weights = checked(b, start);
            require(l2 > 0 && rate > 0 && rate <= 1, "l2 must be positive, and the rate at most 1");
            std::vector<float> w(b.problem.n_weights());
            {
                nb::gil_scoped_release release;
                start_dual(b.problem, weights, l2, sharpness, rate, memory, w.data());
            }
            return numpy_of(std::move(w));
        },
        "start"_a.noconvert(), "memory"_a, "l2"_a, "sharpness"_a, "rate"_a);
    c.def(
        "exponentiated_epoch",
        [](const B& b, const Weights& w, DualMemory& memory, const Array<int64_t>& order, double l2) {
            float* weights = checked(b, w);
            const auto& p = b.problem;
            bool good = memory.at.size() == p.size() + 1 && memory.trial.size() == p.n_weights() && l2 > 0;
            for (size_t i = 0; good && i < p.size(); ++i) good = memory.at[i + 1] - memory.at[i] == p.n_parts(i);
            require(good, "this memory is of another problem");
            const auto examples = checked_order(b, order);
            nb::gil_scoped_release release;
            return exponentiated_epoch(p, weights, memory, examples, l2);
        },
        "w"_a.noconvert(), "memory"_a, "order"_a.noconvert(), "l2"_a);
}

void bind_margin_memories(nb::module_& m);

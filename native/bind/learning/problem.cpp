// The class of all learning problems, with every learner's loop as a method: the same for every structure.
#include "bind/learning/problem.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>

using namespace palmette;

namespace {

Objective objective_of(bool risk) { return risk ? Objective::risk : Objective::likelihood; }

void bind_loglinear(nb::class_<BoundProblem>& c) {
    using namespace nb::literals;
    using CW = Array<float>;
    c.def_prop_ro("n_weights", [](const BoundProblem& b) { return b.learnable->n_weights(); });
    c.def_prop_ro(
        "offers",
        [](const BoundProblem& b) {
            nb::list names;
            for (const char* name : b.learnable->offers()) names.append(name);
            return nb::module_::import_("builtins").attr("frozenset")(names);
        },
        nb::sig("def offers(self, /) -> frozenset[str]"), "What learners may ask of it.");
    c.def_prop_ro("n_shared", [](const BoundProblem& b) { return b.learnable->n_shared(); });
    c.def("__len__", [](const BoundProblem& b) { return b.learnable->size(); });
    c.def("observed", [](const BoundProblem& b) {
        std::vector<uint8_t> mask(b.learnable->n_weights(), 0);
        {
            nb::gil_scoped_release release;
            b.learnable->observed(mask.data());
        }
        return numpy_of(std::move(mask));
    }, "One for every weight that some right output reads, zero for the others.");
    c.def(
        "keep_to",
        [](BoundProblem& b, const Maybe<uint8_t>& free) {
            require(!free || free->size() == b.learnable->n_weights(), "there must be one entry per weight");
            b.free = free ? nb::cast(*free) : nb::none();
            b.learnable->keep_to(data_of(free));
        },
        "free"_a.noconvert().none(), "Move no weight from now on but those with a 1; None: all.");
    c.def(
        "total_loss",
        [](const BoundProblem& b, const CW& w, int n_jobs) {
            const float* weights = checked(b, w);
            nb::gil_scoped_release release;
            return b.learnable->total_loss(weights, n_jobs);
        },
        "w"_a.noconvert(), "n_jobs"_a,
        "The loss of the best outputs, summed over the examples.");
    c.def(
        "gradient",
        [](const BoundProblem& b, const CW& w, const Weights& g, bool risk, int n_jobs, size_t begin, std::optional<size_t> end) {
            const float* weights = checked(b, w);
            float* gradient = checked(b, g);
            const ExampleRange range = checked_range(b, begin, end);
            nb::gil_scoped_release release;
            std::fill_n(gradient, b.learnable->n_weights(), 0.0f);
            return b.learnable->batch_gradient(weights, objective_of(risk), n_jobs, gradient, range);
        },
        "w"_a.noconvert(), "gradient"_a.noconvert(), "risk"_a, "n_jobs"_a, "begin"_a = 0, "end"_a = nb::none(),
        "Fill `gradient` with Σ Φᵀ(gold − p) over the examples begin to end − 1, and return the negative log-likelihood (or the expected loss).");
    c.def(
        "curvature",
        [](const BoundProblem& b, const CW& w, const Weights& diagonal, int n_jobs, size_t begin, std::optional<size_t> end) {
            const float* weights = checked(b, w);
            float* out = checked(b, diagonal);
            const ExampleRange range = checked_range(b, begin, end);
            nb::gil_scoped_release release;
            std::fill_n(out, b.learnable->n_weights(), 0.0f);
            b.learnable->batch_gradient(weights, Objective::curvature, n_jobs, out, range);
        },
        "w"_a.noconvert(), "diagonal"_a.noconvert(), "n_jobs"_a, "begin"_a = 0, "end"_a = nb::none(),
        "Fill `diagonal` with about the second derivatives of the negative log-likelihood.");
    c.def(
        "expected_counts",
        [](const BoundProblem& b, const CW& w, const Weights& counts, int n_jobs, size_t begin, std::optional<size_t> end) {
            const float* weights = checked(b, w);
            float* out = checked(b, counts);
            const ExampleRange range = checked_range(b, begin, end);
            nb::gil_scoped_release release;
            std::fill_n(out, b.learnable->n_weights(), 0.0f);
            return -b.learnable->batch_gradient(weights, Objective::counts, n_jobs, out, range);
        },
        "w"_a.noconvert(), "counts"_a.noconvert(), "n_jobs"_a, "begin"_a = 0, "end"_a = nb::none(),
        "Fill `counts` with the expected uses of every weight given what is known; returns the log of the sum over outputs.");
    c.def(
        "sgd_epoch",
        [](const BoundProblem& b, const Weights& v, double scale, uint64_t t, const Array<int64_t>& order, double eta0, double lambda, bool risk, size_t batch, int n_jobs) {
            float* weights = checked(b, v);
            const auto examples = checked_order(b, order);
            require(batch > 0, "a batch has at least one example");
            nb::gil_scoped_release release;
            const double loss = b.learnable->sgd_epoch(weights, scale, t, examples, {eta0, lambda, objective_of(risk), batch, n_jobs});
            return std::tuple(loss, scale, t);
        },
        "v"_a.noconvert(), "scale"_a, "t"_a, "order"_a.noconvert(), "eta0"_a, "l2"_a, "risk"_a, "batch"_a = 1, "n_jobs"_a = 1,
        "Steps of stochastic gradient descent on w = scale · v; returns the loss, the new scale and the new t. The examples of a batch see the same weights, and may be worked on by several threads.");
    c.def(
        "sag_epoch",
        [](const BoundProblem& b, const Weights& v, SagMemory& memory, const Array<int64_t>& order, double lambda, bool risk) {
            float* weights = checked(b, v);
            require(memory.at.empty() || (memory.at.size() == b.learnable->size() + 1 && memory.gradient.size() == b.learnable->n_weights()), "this memory is of another problem");
            const auto examples = checked_order(b, order);
            nb::gil_scoped_release release;
            return b.learnable->sag_epoch(weights, memory, examples, lambda, objective_of(risk));
        },
        "v"_a.noconvert(), "memory"_a, "order"_a.noconvert(), "l2"_a, "risk"_a,
        "Steps of the stochastic average gradient; `memory.weights(v)` are the weights.");
}

void bind_margins(nb::class_<BoundProblem>& c) {
    using namespace nb::literals;
    using CW = Array<float>;
    c.def(
        "perceptron_epoch",
        [](const BoundProblem& b, const Weights& w, PerceptronMemory& memory, const Array<int64_t>& order) {
            float* weights = checked(b, w);
            require(fits(memory.average, b.learnable->n_weights()), "this memory is of another problem");
            const auto examples = checked_order(b, order);
            nb::gil_scoped_release release;
            const PerceptronPass pass = b.learnable->perceptron_epoch(weights, memory, examples);
            return std::tuple(pass.mistakes, pass.loss);
        },
        "w"_a.noconvert(), "memory"_a, "order"_a.noconvert(),
        "Perceptron updates of w; returns the number of mistakes and their loss.");
    c.def(
        "smallest_margin",
        [](const BoundProblem& b, const CW& w, int n_jobs) {
            const float* weights = checked(b, w);
            nb::gil_scoped_release release;
            return b.learnable->smallest_margin(weights, n_jobs);
        },
        "w"_a.noconvert(), "n_jobs"_a,
        "The least lead of a right output over the best wrong one.");
    c.def(
        "mira_epoch",
        [](const BoundProblem& b, const Weights& w, MiraMemory& memory, const Array<int64_t>& order, int slack, double cost, size_t k, bool loss) {
            float* weights = checked(b, w);
            require(fits(memory.average, b.learnable->n_weights()), "this memory is of another problem");
            require(slack >= 0 && slack <= 2 && k >= 1 && cost > 0, "the slack is 0, 1 or 2, k at least 1, and c positive");
            require(memory.scratch.empty() || memory.scratch.size() == b.learnable->n_weights(), "this memory is of another problem");
            const auto examples = checked_order(b, order);
            nb::gil_scoped_release release;
            const MiraPass pass = b.learnable->mira_epoch(weights, memory, examples, {static_cast<Slack>(slack), cost, k, loss});
            return std::tuple(pass.updates, pass.loss);
        },
        "w"_a.noconvert(), "memory"_a, "order"_a.noconvert(), "slack"_a, "c"_a, "k"_a, "loss"_a,
        "Margin updates of w (slack: 0 none, 1 linear, 2 squared); returns their number and the violations.");
    c.def(
        "arow_epoch",
        [](const BoundProblem& b, const Weights& w, ArowMemory& memory, const Array<int64_t>& order, double gamma) {
            float* weights = checked(b, w);
            require(memory.variance.size() == b.learnable->n_weights(), "this memory is of another problem");
            require(gamma > 0, "gamma must be positive");
            const auto examples = checked_order(b, order);
            nb::gil_scoped_release release;
            const ArowPass pass = b.learnable->arow_epoch(weights, memory, examples, gamma);
            return std::tuple(pass.updates, pass.loss);
        },
        "w"_a.noconvert(), "memory"_a, "order"_a.noconvert(), "gamma"_a,
        "AROW updates of w; returns their number and the violations.");
    c.def(
        "hinge",
        [](const BoundProblem& b, const CW& w, const std::optional<Weights>& gradient, int n_jobs, size_t begin, std::optional<size_t> end) {
            const float* weights = checked(b, w);
            const ExampleRange range = checked_range(b, begin, end);
            float* g = gradient ? checked(b, *gradient) : nullptr;
            nb::gil_scoped_release release;
            if (g) std::fill_n(g, b.learnable->n_weights(), 0.0f);
            const Hinge sum = b.learnable->total_hinge(weights, n_jobs, g, range);
            return std::tuple(sum.hinge, sum.loss);
        },
        "w"_a.noconvert(), "gradient"_a.noconvert().none(), "n_jobs"_a, "begin"_a = 0, "end"_a = nb::none(),
        "The structured hinge loss of the examples begin to end − 1, and the loss of the outputs that violate their margins most. `gradient` is filled with Σ weight · (Φ(x, y) − Φ(x, z)), so that hinge = loss − w · gradient.");
    c.def(
        "subgradient_epoch",
        [](const BoundProblem& b, const Weights& v, SubgradientMemory& memory, const Array<int64_t>& order, double lambda, double radius) {
            float* weights = checked(b, v);
            require(fits(memory.average, b.learnable->n_weights()), "this memory is of another problem");
            require(memory.scratch.empty() || memory.scratch.size() == b.learnable->n_weights(), "this memory is of another problem");
            require(lambda > 0, "l2 must be positive");
            const auto examples = checked_order(b, order);
            nb::gil_scoped_release release;
            return b.learnable->subgradient_epoch(weights, memory, examples, lambda, radius);
        },
        "v"_a.noconvert(), "memory"_a, "order"_a.noconvert(), "l2"_a, "radius"_a,
        "Pegasos steps on w = memory.factor(l2) · v; returns the hinge loss met on the way.");
    c.def(
        "frank_wolfe_epoch",
        [](const BoundProblem& b, const Weights& w, FrankWolfeMemory& memory, const Array<int64_t>& order, double l2, const std::optional<CW>& search) {
            float* weights = checked(b, w);
            const float* searched = search ? checked(b, *search) : weights;
            require(fits(memory.average, b.learnable->n_weights()), "this memory is of another problem");
            require(memory.blocks.empty() || (memory.blocks.size() == b.learnable->size() && fits(memory.blocks, b.learnable->n_weights())), "this memory is of another problem");
            require(l2 > 0, "l2 must be positive");
            const auto examples = checked_order(b, order);
            nb::gil_scoped_release release;
            return b.learnable->frank_wolfe_epoch(weights, memory, examples, l2, searched);
        },
        "w"_a.noconvert(), "memory"_a, "order"_a.noconvert(), "l2"_a, "search"_a.noconvert().none(),
        "Block-coordinate Frank-Wolfe steps; returns the sum of the gaps met on the way.");
    c.def(
        "working_set_epoch",
        [](const BoundProblem& b, WorkingSet& set, const Array<int64_t>& order, double l2, const std::optional<CW>& search) {
            const float* searched = search ? checked(b, *search) : nullptr;
            require(set.of.empty() || (set.of.size() == b.learnable->size() && set.w.size() == b.learnable->n_weights()), "this working set is of another problem");
            require(l2 > 0, "l2 must be positive");
            const auto examples = checked_order(b, order);
            nb::gil_scoped_release release;
            return b.learnable->working_set_epoch(set, examples, l2, searched);
        },
        "working_set"_a, "order"_a.noconvert(), "l2"_a, "search"_a.noconvert().none(),
        "Add what is violated most, example by example, and optimise each at once; returns the additions.");
    c.def(
        "start_dual",
        [](const BoundProblem& b, const CW& start, DualMemory& memory, double l2, double sharpness, double rate) {
            const float* weights = checked(b, start);
            require(l2 > 0 && rate > 0 && rate <= 1, "l2 must be positive, and the rate at most 1");
            std::vector<float> w(b.learnable->n_weights());
            {
                nb::gil_scoped_release release;
                b.learnable->start_dual(weights, l2, sharpness, rate, memory, w.data());
            }
            return numpy_of(std::move(w));
        },
        "start"_a.noconvert(), "memory"_a, "l2"_a, "sharpness"_a, "rate"_a,
        "Fill the memory with a first distribution for every example, and return the weights of these.");
    c.def(
        "exponentiated_epoch",
        [](const BoundProblem& b, const Weights& w, DualMemory& memory, const Array<int64_t>& order, double l2) {
            float* weights = checked(b, w);
            const Learnable& p = *b.learnable;
            bool good = memory.at.size() == p.size() + 1 && memory.trial.size() == p.n_weights() && l2 > 0;
            for (size_t i = 0; good && i < p.size(); ++i) good = memory.at[i + 1] - memory.at[i] == p.n_parts(i);
            require(good, "this memory is of another problem");
            const auto examples = checked_order(b, order);
            nb::gil_scoped_release release;
            return p.exponentiated_epoch(weights, memory, examples, l2);
        },
        "w"_a.noconvert(), "memory"_a, "order"_a.noconvert(), "l2"_a,
        "Exponentiated-gradient steps in the dual; returns by how much it rose.");
}

}  // namespace

void bind_problem(nb::module_& m) {
    nb::class_<BoundProblem> problem(
        m, "Problem",
        "Examples with their structure and features, as learners see them. Its length is the number of examples, and its weights are one flat "
        "array of n_weights floats. `risk` asks for the expected loss in place of the log-likelihood.");
    bind_loglinear(problem);
    bind_margins(problem);
}

// What every learning problem has in Python: the learners' loops as its methods, and checks of the arrays it looks at.
#pragma once
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>

#include "bind/learning/margin_learners.hpp"
#include "learning/decoding.hpp"
#include "learning/loglinear.hpp"

template <class T>
using Maybe = std::optional<Array<T>>;

template <class T>
const T* data_of(const Maybe<T>& array) {
    return array ? array->data() : nullptr;
}

inline void check_boundaries(const Array<int64_t>& rows, size_t n, size_t last, const char* what) {
    const int64_t* r = rows.data();
    bool good = rows.size() == n + 1 && r[0] == 0 && static_cast<size_t>(r[n]) == last;
    for (size_t i = 0; good && i < n; ++i) good = r[i] <= r[i + 1];
    require(good, what);
}

inline void check_ids(const Array<int32_t>& ids, int64_t lowest, int64_t limit, const char* what) {
    bool good = true;
    for (size_t k = 0; k < ids.size(); ++k) good &= ids.data()[k] >= lowest && ids.data()[k] < limit;
    require(good, what);
}

inline palmette::Objective objective_of(bool risk) { return risk ? palmette::Objective::risk : palmette::Objective::likelihood; }

// Every learner's loop as a method of a problem; the same for every structure.
template <class B>
void bind_learners(nb::class_<B>& c) {
    using namespace nb::literals;
    using namespace palmette;
    using CW = Array<float>;
    c.def_prop_ro("n_weights", [](const B& b) { return b.problem.n_weights(); });
    c.def_prop_ro(
        "offers",
        [](const B& b) {
            nb::list names;
            for (const char* name : b.problem.offers()) names.append(name);
            return nb::module_::import_("builtins").attr("frozenset")(names);
        },
        nb::sig("def offers(self, /) -> frozenset[str]"), "What learners may ask of it.");
    c.def_prop_ro("n_shared", [](const B& b) { return b.problem.n_shared(); });
    c.def("__len__", [](const B& b) { return b.problem.size(); });
    c.def("observed", [](const B& b) {
        std::vector<uint8_t> mask(b.problem.n_weights(), 0);
        {
            nb::gil_scoped_release release;
            b.problem.observed(mask.data());
        }
        return numpy_of(std::move(mask));
    });
    c.def(
        "keep_to",
        [](B& b, const Maybe<uint8_t>& free) {
            require(!free || free->size() == b.problem.n_weights(), "there must be one entry per weight");
            b.free = free ? nb::cast(*free) : nb::none();
            b.problem.keep_to(data_of(free));
        },
        "free"_a.noconvert().none(), "Move no weight from now on but those with a 1; None: all.");
    c.def(
        "total_loss",
        [](const B& b, const CW& w, int n_jobs) {
            const float* weights = checked(b, w);
            nb::gil_scoped_release release;
            return total_loss(b.problem, weights, n_jobs);
        },
        "w"_a.noconvert(), "n_jobs"_a);
    c.def(
        "gradient",
        [](const B& b, const CW& w, const Weights& g, bool risk, int n_jobs) {
            const float* weights = checked(b, w);
            float* gradient = checked(b, g);
            nb::gil_scoped_release release;
            std::fill_n(gradient, b.problem.n_weights(), 0.0f);
            return batch_gradient(b.problem, weights, objective_of(risk), n_jobs, gradient);
        },
        "w"_a.noconvert(), "gradient"_a.noconvert(), "risk"_a, "n_jobs"_a);
    c.def(
        "curvature",
        [](const B& b, const CW& w, const Weights& diagonal, int n_jobs) {
            const float* weights = checked(b, w);
            float* out = checked(b, diagonal);
            nb::gil_scoped_release release;
            std::fill_n(out, b.problem.n_weights(), 0.0f);
            batch_gradient(b.problem, weights, Objective::curvature, n_jobs, out);
        },
        "w"_a.noconvert(), "diagonal"_a.noconvert(), "n_jobs"_a);
    c.def(
        "expected_counts",
        [](const B& b, const CW& w, const Weights& counts, int n_jobs) {
            const float* weights = checked(b, w);
            float* out = checked(b, counts);
            nb::gil_scoped_release release;
            std::fill_n(out, b.problem.n_weights(), 0.0f);
            return -batch_gradient(b.problem, weights, Objective::counts, n_jobs, out);
        },
        "w"_a.noconvert(), "counts"_a.noconvert(), "n_jobs"_a,
        "Fill `counts` with the expected uses of every weight given what is known; returns the log of the sum over outputs.");
    c.def(
        "sgd_epoch",
        [](const B& b, const Weights& v, double scale, uint64_t t, const Array<int64_t>& order, double eta0, double lambda, bool risk, size_t batch, int n_jobs) {
            float* weights = checked(b, v);
            const auto examples = checked_order(b, order);
            require(batch > 0, "a batch has at least one example");
            nb::gil_scoped_release release;
            const double loss = sgd_epoch(b.problem, weights, scale, t, examples, {eta0, lambda, objective_of(risk), batch, n_jobs});
            return std::tuple(loss, scale, t);
        },
        "v"_a.noconvert(), "scale"_a, "t"_a, "order"_a.noconvert(), "eta0"_a, "l2"_a, "risk"_a, "batch"_a = 1, "n_jobs"_a = 1);
    c.def(
        "sag_epoch",
        [](const B& b, const Weights& v, SagMemory& memory, const Array<int64_t>& order, double lambda, bool risk) {
            float* weights = checked(b, v);
            require(memory.at.empty() || (memory.at.size() == b.problem.size() + 1 && memory.gradient.size() == b.problem.n_weights()), "this memory is of another problem");
            const auto examples = checked_order(b, order);
            nb::gil_scoped_release release;
            return sag_epoch(b.problem, weights, memory, examples, lambda, objective_of(risk));
        },
        "v"_a.noconvert(), "memory"_a, "order"_a.noconvert(), "l2"_a, "risk"_a);
    bind_margin_learners(c);
}

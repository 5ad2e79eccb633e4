// What learners remember between passes.
#include "bind/learning/memory_state.hpp"

#include <nanobind/stl/tuple.h>

using namespace palmette;

namespace {

template <class Memory>
void new_memory(Memory* place, size_t n_weights) {
    new (place) Memory();
    if (n_weights) place->average.start(n_weights);
}

}  // namespace

void bind_memories(nb::module_& m) {
    using namespace nb::literals;
    nb::class_<SagMemory> sag(m, "SagMemory");
    bind_state(sag);
    sag
        .def(nb::init<>())
        .def_ro("loss", &SagMemory::loss)
        .def(
            "weights",
            [](const SagMemory& memory, const Array<float>& v) {
                require(memory.gradient.empty() || memory.gradient.size() == v.size(), "this memory is of another problem");
                std::vector<float> w(v.size());
                sag_weights(span_of(v), memory, w.data());
                return numpy_of(std::move(w));
            },
            "v"_a.noconvert());
    nb::class_<PerceptronMemory> perceptron(m, "PerceptronMemory");
    bind_state(perceptron);
    perceptron
        .def(
            "__init__",
            [](PerceptronMemory* place, size_t n_weights, bool votes, float margin, size_t most) {
                require(margin >= 0, "the margin must not be negative");
                new_memory(place, n_weights);
                place->votes = votes;
                place->margin = margin;
                place->most = most;
            },
            "n_averaged"_a, "votes"_a, "margin"_a = 0.0f, "most"_a = 0)
        .def_ro("radius", &PerceptronMemory::radius)
        .def(
            "vectors",
            [](PerceptronMemory& memory) {
                memory.keep_longest(false);
                // The last vector may go on surviving: it is looked at, and stays even if it is not among the longest.
                PerceptronMemory seen;
                seen.most = memory.most, seen.updates = memory.updates, seen.survived = memory.survived;
                seen.keep_longest(true);
                std::vector<int64_t> bounds{0}, places;
                std::vector<float> values;
                for (const SparseVector& update : seen.updates) {
                    for (const auto& [index, value] : update.entries) {
                        places.push_back(static_cast<int64_t>(index));
                        values.push_back(value);
                    }
                    bounds.push_back(static_cast<int64_t>(places.size()));
                }
                return std::make_tuple(numpy_of(std::move(bounds)), numpy_of(std::move(places)), numpy_of(std::move(values)),
                                       numpy_of(std::move(seen.survived)));
            },
            "All vectors that vote: how each differs from the one before it (bounds, places, values), and their votes.")
        .def("mean", &mean_of<PerceptronMemory>, "w"_a.noconvert());
    nb::class_<MiraMemory> mira(m, "MiraMemory");
    bind_state(mira);
    mira
        .def("__init__", &new_memory<MiraMemory>, "n_averaged"_a)
        .def("mean", &mean_of<MiraMemory>, "w"_a.noconvert());
    nb::class_<ArowMemory> arow(m, "ArowMemory");
    bind_state(arow);
    arow
        .def(
            "__init__",
            [](ArowMemory* place, size_t n_weights, float variance) {
                require(variance > 0, "the variance must be positive");
                new (place) ArowMemory{std::vector<float>(n_weights, variance), {}};
            },
            "n_weights"_a, "variance"_a)
        .def("variance", [](const ArowMemory& memory) { return numpy_of(std::vector<float>(memory.variance)); });
    nb::class_<SubgradientMemory> subgradient(m, "SubgradientMemory");
    bind_state(subgradient);
    subgradient
        .def(
            "__init__",
            [](SubgradientMemory* place, size_t n_weights, uint64_t t, double norm) {
                new_memory(place, n_weights);
                place->t = t;
                place->norm = norm;
            },
            "n_averaged"_a, "t"_a, "norm"_a)
        .def("mean", &mean_of<SubgradientMemory>, "v"_a.noconvert())
        .def("factor", &subgradient_factor, "l2"_a);
    nb::class_<FrankWolfeMemory> frank_wolfe(m, "FrankWolfeMemory");
    bind_state(frank_wolfe);
    frank_wolfe
        .def("__init__", &new_memory<FrankWolfeMemory>, "n_averaged"_a)
        .def_ro("loss", &FrankWolfeMemory::loss)
        .def_prop_ro("mean_loss", &FrankWolfeMemory::mean_loss)
        .def("mean", &mean_of<FrankWolfeMemory>, "w"_a.noconvert());
    nb::class_<DualMemory> dual(m, "DualMemory");
    bind_state(dual);
    dual
        .def(
            "__init__",
            [](DualMemory* place, bool hinge) {
                new (place) DualMemory();
                place->hinge = hinge;
            },
            "hinge"_a = false)
        .def_ro("values", &DualMemory::values);
    nb::class_<WorkingSet> working_set(m, "WorkingSet");
    bind_state(working_set);
    working_set
        .def(nb::init<>())
        .def_ro("size", &WorkingSet::size)
        .def("dual", &WorkingSet::dual, "l2"_a)
        .def(
            "solve",
            [](WorkingSet& set, double l2, double tolerance, size_t max_rounds) {
                nb::gil_scoped_release release;
                return solve_working_set(set, l2, tolerance, max_rounds);
            },
            "l2"_a, "tolerance"_a, "max_rounds"_a)
        .def("weights", [](const WorkingSet& set) { return numpy_of(std::vector<float>(set.search)); });
}

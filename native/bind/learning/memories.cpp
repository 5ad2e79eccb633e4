// What learners remember between passes.
#include "bind/learning/problem.hpp"

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
    nb::class_<SagMemory>(m, "SagMemory")
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
    nb::class_<PerceptronMemory>(m, "PerceptronMemory")
        .def(
            "__init__",
            [](PerceptronMemory* place, size_t n_weights, bool votes, float margin) {
                require(margin >= 0, "the margin must not be negative");
                new_memory(place, n_weights);
                place->votes = votes;
                place->margin = margin;
            },
            "n_averaged"_a, "votes"_a, "margin"_a = 0.0f)
        .def_ro("radius", &PerceptronMemory::radius)
        .def_prop_ro("n_updates", [](const PerceptronMemory& memory) { return memory.updates.size(); })
        // For pickle: all vectors that vote. The sums of a mean belong to training, and are not kept.
        .def("__getstate__",
             [](const PerceptronMemory& memory) {
                 std::vector<int64_t> bounds{0}, places;
                 std::vector<float> values;
                 for (const SparseVector& update : memory.updates) {
                     for (const auto& [index, value] : update.entries) {
                         places.push_back(static_cast<int64_t>(index));
                         values.push_back(value);
                     }
                     bounds.push_back(static_cast<int64_t>(places.size()));
                 }
                 return std::make_tuple(memory.votes, memory.margin, memory.radius, numpy_of(std::move(bounds)),
                                       numpy_of(std::move(places)), numpy_of(std::move(values)),
                                       numpy_of(std::vector<double>(memory.survived)));
             })
        .def("__setstate__",
             [](PerceptronMemory& memory, const std::tuple<bool, float, double, Array<int64_t>, Array<int64_t>, Array<float>,
                                                           Array<double>>& state) {
                 const auto& [votes, margin, radius, bounds, places, values, survived] = state;
                 const auto n = static_cast<int64_t>(places.size());
                 require(values.size() == places.size(), "no memory of a perceptron");
                 new (&memory) PerceptronMemory{votes, margin, {}, radius, {}, {}};
                 memory.survived.assign(survived.data(), survived.data() + survived.size());
                 for (size_t i = 0; i + 1 < bounds.size(); ++i) {
                     const int64_t begin = bounds.data()[i], end = bounds.data()[i + 1];
                     require(0 <= begin && begin <= end && end <= n, "no memory of a perceptron");
                     SparseVector& update = memory.updates.emplace_back();
                     for (int64_t k = begin; k < end; ++k)
                         update.add(static_cast<size_t>(places.data()[k]), values.data()[k]);
                 }
             })
        .def("survived", [](const PerceptronMemory& memory) { return numpy_of(std::vector<double>(memory.survived)); })
        .def("mean", &mean_of<PerceptronMemory>, "w"_a.noconvert());
    nb::class_<MiraMemory>(m, "MiraMemory")
        .def("__init__", &new_memory<MiraMemory>, "n_averaged"_a)
        .def("mean", &mean_of<MiraMemory>, "w"_a.noconvert());
    nb::class_<ArowMemory>(m, "ArowMemory")
        .def(
            "__init__",
            [](ArowMemory* place, size_t n_weights, float variance) {
                require(variance > 0, "the variance must be positive");
                new (place) ArowMemory{std::vector<float>(n_weights, variance), {}};
            },
            "n_weights"_a, "variance"_a)
        .def("variance", [](const ArowMemory& memory) { return numpy_of(std::vector<float>(memory.variance)); });
    nb::class_<SubgradientMemory>(m, "SubgradientMemory")
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
    nb::class_<FrankWolfeMemory>(m, "FrankWolfeMemory")
        .def("__init__", &new_memory<FrankWolfeMemory>, "n_averaged"_a)
        .def_ro("loss", &FrankWolfeMemory::loss)
        .def_prop_ro("mean_loss", &FrankWolfeMemory::mean_loss)
        .def("mean", &mean_of<FrankWolfeMemory>, "w"_a.noconvert());
    nb::class_<DualMemory>(m, "DualMemory")
        .def(
            "__init__",
            [](DualMemory* place, bool hinge) {
                new (place) DualMemory();
                place->hinge = hinge;
            },
            "hinge"_a = false)
        .def_ro("values", &DualMemory::values);
    nb::class_<WorkingSet>(m, "WorkingSet")
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

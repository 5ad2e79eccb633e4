// What the margin and dual learners remember between passes.
#include "bind/learning/margin_learners.hpp"

using namespace palmette;

namespace {

template <class Memory>
void new_memory(Memory* place, size_t n_weights) {
    new (place) Memory();
    if (n_weights) place->average.start(n_weights);
}

}  // namespace

void bind_margin_memories(nb::module_& m) {
    using namespace nb::literals;
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
    nb::class_<DualMemory>(m, "DualMemory").def(nb::init<>()).def_ro("entropies", &DualMemory::entropies);
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

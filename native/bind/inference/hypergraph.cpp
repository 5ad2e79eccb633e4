#include "inference/hypergraph.hpp"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "bind/bind.hpp"
#include "inference/derivations.hpp"
#include "inference/passes.hpp"
#include "inference/semiring.hpp"

using namespace palmette;

namespace {

using Numbers = nb::ndarray<nb::numpy, double, nb::ndim<1>>;
using Indices = nb::ndarray<nb::numpy, int32_t, nb::ndim<1>>;
using DerivationArrays = std::tuple<Numbers, Indices, nb::ndarray<nb::numpy, int64_t, nb::ndim<1>>>;

// Runs `work` without the interpreter's lock.
template <class Work>
auto unlocked(Work work) {
    nb::gil_scoped_release release;
    return work();
}

template <class T>
std::span<const T> one_per_part(const Hypergraph& g, const Array<T>& values) {
    if (values.size() != static_cast<size_t>(g.n_parts))
        throw std::invalid_argument("expected one value for each of the " + std::to_string(g.n_parts) +
                                    " parts, got " + std::to_string(values.size()));
    return span_of(values);
}

// A pass that takes one number per part and gives one per node, inside or outside.
template <class T>
auto bind_values(std::vector<T> (*pass)(const Hypergraph&, std::span<const T>, bool), bool outside) {
    return [pass, outside](const Hypergraph& g, const Array<T>& values) {
        auto v = one_per_part(g, values);
        return numpy_of(unlocked([&] { return pass(g, v, outside); }));
    };
}

// A pass that takes scores and gives one number per node or edge.
auto bind_pass(std::vector<double> (*pass)(const Hypergraph&, std::span<const double>)) {
    return [pass](const Hypergraph& g, const Array<double>& scores) {
        auto s = one_per_part(g, scores);
        return numpy_of(unlocked([&] { return pass(g, s); }));
    };
}

Numbers bind_log_values(const Hypergraph& g, const Array<double>& scores, bool outside) {
    auto s = one_per_part(g, scores);
    return numpy_of(unlocked([&] { return log_values(g, s, outside); }));
}

nb::typed<nb::list, nb::int_> bind_count_values(const Hypergraph& g, const Array<uint64_t>& counts, bool outside) {
    auto weight = one_per_part(g, counts);
    auto few = unlocked([&] { return count_values(g, weight, outside); });
    nb::typed<nb::list, nb::int_> result;
    if (std::find(few.begin(), few.end(), Counting::kTooMany) == few.end()) {
        for (uint64_t n : few) result.append(n);
        return result;
    }
    auto big = unlocked([&] { return big_count_values(g, weight, outside); });
    nb::object from_bytes = nb::module_::import_("builtins").attr("int").attr("from_bytes");
    for (const BigNat& n : big) {
        std::string bytes;
        for (uint32_t limb : n.limbs())
            for (int shift = 0; shift < 32; shift += 8) bytes.push_back(static_cast<char>(limb >> shift));
        result.append(from_bytes(nb::bytes(bytes.data(), bytes.size()), "little"));
    }
    return result;
}

std::vector<std::vector<double>> bind_kbest_values(const Hypergraph& g, const Array<double>& scores, size_t k,
                                                   bool outside) {
    auto s = one_per_part(g, scores);
    return unlocked([&] { return kbest_values(g, s, k, outside); });
}

std::pair<Numbers, Numbers> bind_expectation_values(const Hypergraph& g, const Array<double>& scores,
                                                    const Array<double>& values, bool outside) {
    auto s = one_per_part(g, scores), v = one_per_part(g, values);
    auto found = unlocked([&] { return expectation_values(g, s, v, outside); });
    return {numpy_of(std::move(found.logs)), numpy_of(std::move(found.means))};
}

// (log_z, part marginals, node marginals)
std::tuple<double, Numbers, Numbers> bind_marginals(const Hypergraph& g, const Array<double>& scores) {
    auto s = one_per_part(g, scores);
    auto found = unlocked([&] { return marginals(g, s); });
    return {found.log_z, numpy_of(std::move(found.parts)), numpy_of(std::move(found.nodes))};
}

std::pair<double, Numbers> bind_covariance(const Hypergraph& g, const Array<double>& scores,
                                           const Array<double>& values) {
    auto s = one_per_part(g, scores), v = one_per_part(g, values);
    auto [mean, parts] = unlocked([&] { return covariance(g, s, v); });
    return {mean, numpy_of(std::move(parts))};
}

DerivationArrays arrays_of(Derivations&& d) {
    return {numpy_of(std::move(d.score)), numpy_of(std::move(d.edges)), numpy_of(std::move(d.start))};
}

DerivationArrays best(const Hypergraph& g, const Array<double>& scores) {
    auto weight = one_per_part(g, scores);
    return arrays_of(unlocked([&] { return best_derivation(g, weight); }));
}

DerivationArrays kbest(const Hypergraph& g, const Array<double>& scores, int64_t k) {
    auto weight = one_per_part(g, scores);
    return arrays_of(unlocked([&] { return kbest_derivations(g, weight, k); }));
}

DerivationArrays samples(const Hypergraph& g, const Array<double>& scores, int64_t n, uint64_t seed) {
    auto s = one_per_part(g, scores);
    return arrays_of(unlocked([&] {
        LogPass pass(g, s, false);
        return sample_derivations(g, pass.weight, pass.in, n, seed);
    }));
}

template <class Member>
auto view(Member member) {
    return [member](nb::handle_t<Hypergraph> self) {
        const auto& values = nb::cast<const Hypergraph&>(self).*member;
        return nb::ndarray<nb::numpy, const int32_t, nb::ndim<1>>(values.data(), {values.size()}, self);
    };
}

// "message: nodes 3, 4"
std::string sentence_of(nb::handle error) {
    nb::tuple args = error.attr("args");
    if (args.size() != 2) return nb::cast<std::string>(nb::str(nb::handle(PyExc_ValueError).attr("__str__")(error)));
    auto sentence = nb::cast<std::string>(nb::str(args[0]));
    auto nodes = nb::cast<std::vector<int32_t>>(args[1]);
    for (size_t i = 0; i < nodes.size() && i < 10; ++i)
        sentence += (i ? ", " : nodes.size() > 1 ? ": nodes " : ": node ") + std::to_string(nodes[i]);
    return nodes.size() > 10 ? sentence + ", ... (" + std::to_string(nodes.size()) + " in all)" : sentence;
}

}  // namespace

void bind_hypergraph(nb::module_& m) {
    // args = (message, the nodes of the cycle or component), so that callers can name them. The type lives as long
    // as the process: a static object would be released after the interpreter is gone.
    static nb::handle cycle_error = nb::exception<CycleError>(m, "CycleError", PyExc_ValueError).release();
    cycle_error.attr("__str__") = nb::cpp_function(sentence_of, nb::is_method());
    nb::register_exception_translator(
        [](const std::exception_ptr& pointer, void*) {
            try {
                std::rethrow_exception(pointer);
            } catch (const CycleError& error) {
                PyErr_SetObject(cycle_error.ptr(), nb::make_tuple(error.what(), error.nodes).ptr());
            }
        });

    using namespace nb::literals;
    nb::class_<Hypergraph>(m, "Hypergraph")
        .def("__init__",
             [](Hypergraph* self, int32_t n_nodes, int32_t n_parts, int32_t root, const Array<int32_t>& heads,
                const Array<int64_t>& tail_start, const Array<int32_t>& tails, const Array<int32_t>& labels) {
                 new (self) Hypergraph(unlocked([&] {
                     return make_hypergraph(n_nodes, n_parts, root, span_of(heads), span_of(tail_start),
                                            span_of(tails), span_of(labels));
                 }));
             },
             "n_nodes"_a, "n_parts"_a, "root"_a, "heads"_a.noconvert(), "tail_start"_a.noconvert(),
             "tails"_a.noconvert(), "labels"_a.noconvert())
        .def_ro("n_nodes", &Hypergraph::n_nodes)
        .def_ro("n_parts", &Hypergraph::n_parts)
        .def_ro("root", &Hypergraph::root)
        .def_prop_ro("n_edges", &Hypergraph::n_edges)
        .def_prop_ro("is_acyclic", &Hypergraph::is_acyclic)
        .def_prop_ro("edge_start", view(&Hypergraph::edge_start))
        .def_prop_ro("labels", view(&Hypergraph::label))
        .def_prop_ro("tail_start", view(&Hypergraph::tail_start))
        .def_prop_ro("tails", view(&Hypergraph::tail))
        .def_prop_ro("order", view(&Hypergraph::order))
        .def_prop_ro("component_start", view(&Hypergraph::component_start))
        .def("find_cycle", &Hypergraph::find_cycle)
        .def("restricted",
             [](const Hypergraph& g, const Array<uint8_t>& keep) {
                 return unlocked([&] { return g.restricted(span_of(keep)); });
             },
             "keep"_a.noconvert())
        .def("log_values", bind_log_values, "scores"_a.noconvert(), "outside"_a)
        .def("inside_max", bind_values(max_values, false), "scores"_a.noconvert())
        .def("outside_max", bind_values(max_values, true), "scores"_a.noconvert())
        .def("inside_real", bind_values(real_values, false), "weights"_a.noconvert())
        .def("outside_real", bind_values(real_values, true), "weights"_a.noconvert())
        .def("inside_boolean", bind_values(boolean_values, false), "values"_a.noconvert())
        .def("outside_boolean", bind_values(boolean_values, true), "values"_a.noconvert())
        .def("count_values", bind_count_values, "counts"_a.noconvert(), "outside"_a)
        .def("kbest_values", bind_kbest_values, "scores"_a.noconvert(), "k"_a, "outside"_a)
        .def("expectation_values", bind_expectation_values, "scores"_a.noconvert(), "values"_a.noconvert(), "outside"_a)
        .def("marginals", bind_marginals, "scores"_a.noconvert())
        .def("edge_marginals", bind_pass(edge_marginals), "scores"_a.noconvert())
        .def("max_marginals", bind_pass(max_marginals), "scores"_a.noconvert())
        .def("covariance", bind_covariance, "scores"_a.noconvert(), "values"_a.noconvert())
        .def("best", best, "scores"_a.noconvert())
        .def("kbest", kbest, "scores"_a.noconvert(), "k"_a)
        .def("samples", samples, "scores"_a.noconvert(), "n"_a, "seed"_a);
}

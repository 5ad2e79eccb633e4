#include "hypergraph.hpp"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "bind.hpp"
#include "derivations.hpp"
#include "inside.hpp"

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

std::vector<Scaled> scaled_of_logs(std::span<const double> scores) {
    std::vector<Scaled> weight;
    weight.reserve(scores.size());
    for (double x : scores) weight.push_back(scaled::from_log(x));
    return weight;
}

std::vector<double> logs_of(const std::vector<Scaled>& values) {
    std::vector<double> logs;
    logs.reserve(values.size());
    for (Scaled x : values) logs.push_back(scaled::to_log(x));
    return logs;
}

// The weights of the log semiring with their inside and, where asked for, outside values.
struct LogPass {
    std::vector<Scaled> weight, in, out;
    Scaled total = scaled::kZero;
    LogPass(const Hypergraph& g, std::span<const double> scores, bool with_outside)
        : weight(scaled_of_logs(scores)), in(inside<Log>(g, weight, Log{})) {
        if (g.root >= 0) total = in[g.root];
        if (with_outside) out = outside<Log>(g, weight, in, Log{});
    }
};

// inside, or outside.
template <class S>
std::vector<typename S::Value> plain(const Hypergraph& g, std::span<const typename S::Value> weight, bool with_outside,
                                     const S& s = {}) {
    auto in = inside<S>(g, weight, s);
    return with_outside ? outside<S>(g, weight, in, s) : in;
}

template <class S>
auto bind_plain(bool with_outside) {
    return [with_outside](const Hypergraph& g, const Array<typename S::Value>& values) {
        auto weight = one_per_part(g, values);
        return numpy_of(unlocked([&] { return plain<S>(g, weight, with_outside); }));
    };
}

Numbers log_values(const Hypergraph& g, const Array<double>& scores, bool with_outside) {
    auto s = one_per_part(g, scores);
    return numpy_of(unlocked([&] {
        LogPass pass(g, s, with_outside);
        return logs_of(with_outside ? pass.out : pass.in);
    }));
}

nb::typed<nb::list, nb::int_> count_values(const Hypergraph& g, const Array<uint64_t>& counts, bool with_outside) {
    auto weight = one_per_part(g, counts);
    auto few = unlocked([&] { return plain<Counting>(g, weight, with_outside); });
    nb::typed<nb::list, nb::int_> result;
    if (std::find(few.begin(), few.end(), Counting::kTooMany) == few.end()) {
        for (uint64_t n : few) result.append(n);
        return result;
    }
    auto big = unlocked([&] {
        std::vector<BigNat> big_weight;
        for (uint64_t n : weight) big_weight.emplace_back(n);
        return plain<BigCounting>(g, big_weight, with_outside);
    });
    nb::object from_bytes = nb::module_::import_("builtins").attr("int").attr("from_bytes");
    for (const BigNat& n : big) {
        std::string bytes;
        for (uint32_t limb : n.limbs())
            for (int shift = 0; shift < 32; shift += 8) bytes.push_back(static_cast<char>(limb >> shift));
        result.append(from_bytes(nb::bytes(bytes.data(), bytes.size()), "little"));
    }
    return result;
}

std::vector<std::vector<double>> kbest_values(const Hypergraph& g, const Array<double>& scores, size_t k,
                                              bool with_outside) {
    auto s = one_per_part(g, scores);
    return unlocked([&] {
        std::vector<std::vector<double>> weight;
        for (double x : s) weight.push_back(x == kLogZero ? std::vector<double>{} : std::vector<double>{x});
        return plain(g, std::span<const std::vector<double>>(weight), with_outside, KBest{k});
    });
}

// (log p, mean) of every node: inside, or outside, in the expectation semiring.
std::pair<Numbers, Numbers> expectation_values(const Hypergraph& g, const Array<double>& scores,
                                               const Array<double>& values, bool with_outside) {
    auto score = one_per_part(g, scores), value = one_per_part(g, values);
    std::vector<double> logs, means;
    unlocked([&] {
        std::vector<Expectation::Value> weight;
        for (size_t k = 0; k < score.size(); ++k)
            weight.push_back(Expectation::make(scaled::from_log(score[k]), value[k]));
        for (const auto& x : plain<Expectation>(g, weight, with_outside)) {
            logs.push_back(scaled::to_log({x.m, x.e}));
            means.push_back(x.m == 0.0 ? 0.0 : x.r / x.m);
        }
        return 0;
    });
    return {numpy_of(std::move(logs)), numpy_of(std::move(means))};
}

// (log_z, part marginals, node marginals)
std::tuple<double, Numbers, Numbers> marginals(const Hypergraph& g, const Array<double>& scores) {
    auto s = one_per_part(g, scores);
    std::vector<double> parts(g.n_parts, 0.0), nodes(g.n_nodes, 0.0);
    double log_z = unlocked([&] {
        LogPass pass(g, s, true);
        auto totals = part_totals<Log>(g, pass.weight, pass.in, pass.out, Log{});
        for (int32_t k = 0; k < g.n_parts; ++k) parts[k] = scaled::ratio(totals[k], pass.total);
        for (int32_t v = 0; v < g.n_nodes; ++v)
            nodes[v] = scaled::ratio(scaled::times(pass.in[v], pass.out[v]), pass.total);
        return scaled::to_log(pass.total);
    });
    return {log_z, numpy_of(std::move(parts)), numpy_of(std::move(nodes))};
}

Numbers edge_marginals(const Hypergraph& g, const Array<double>& scores) {
    auto s = one_per_part(g, scores);
    std::vector<double> edges(g.n_edges(), 0.0);
    unlocked([&] {
        LogPass pass(g, s, true);
        for_each_edge_total<Log>(g, pass.weight, pass.in, pass.out, Log{},
                                 [&](int32_t e, Scaled total) { edges[e] = scaled::ratio(total, pass.total); });
        return 0;
    });
    return numpy_of(std::move(edges));
}

// The score of the best derivation through each edge.
Numbers max_marginals(const Hypergraph& g, const Array<double>& scores) {
    auto weight = one_per_part(g, scores);
    std::vector<double> edges(g.n_edges(), kLogZero);
    unlocked([&] {
        Max s;
        auto in = inside<Max>(g, weight, s);
        auto out = outside<Max>(g, weight, in, s);
        for_each_edge_total<Max>(g, weight, in, out, s, [&](int32_t e, double total) { edges[e] = total; });
        return 0;
    });
    return numpy_of(std::move(edges));
}

// (E[v], Cov[v, number of uses of part k] for every k), v = the sum of the values of a derivation's parts.
std::pair<double, Numbers> covariance(const Hypergraph& g, const Array<double>& scores, const Array<double>& values) {
    auto score = one_per_part(g, scores), value = one_per_part(g, values);
    std::vector<double> result(g.n_parts, 0.0);
    double mean = unlocked([&] {
        g.require_acyclic("the covariance");
        Expectation s;
        std::vector<Expectation::Value> weight;
        for (int32_t k = 0; k < g.n_parts; ++k)
            weight.push_back(Expectation::make(scaled::from_log(score[k]), value[k]));
        auto in = inside<Expectation>(g, weight, s);
        if (g.root < 0 || s.is_zero(in[g.root])) return 0.0;
        auto out = outside<Expectation>(g, weight, in, s);
        auto z = in[g.root];
        double expected = z.r / z.m;
        auto totals = part_totals<Expectation>(g, weight, in, out, s);
        for (int32_t k = 0; k < g.n_parts; ++k) {
            const auto& t = totals[k];
            if (s.is_zero(t)) continue;
            // E[v n_k] - E[v] E[n_k], with both ratios taken at the same scale.
            result[k] = scaled::shifted(t.r / z.m - expected * (t.m / z.m), t.e - z.e);
        }
        return expected;
    });
    return {mean, numpy_of(std::move(result))};
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

template <class Member>
auto view(Member member) {
    return [member](nb::handle_t<Hypergraph> self) {
        const auto& values = nb::cast<const Hypergraph&>(self).*member;
        return nb::ndarray<nb::numpy, const int32_t, nb::ndim<1>>(values.data(), {values.size()}, self);
    };
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
        .def("log_values", log_values, "scores"_a.noconvert(), "outside"_a)
        .def("inside_max", bind_plain<Max>(false), "scores"_a.noconvert())
        .def("outside_max", bind_plain<Max>(true), "scores"_a.noconvert())
        .def("inside_real", bind_plain<Real>(false), "weights"_a.noconvert())
        .def("outside_real", bind_plain<Real>(true), "weights"_a.noconvert())
        .def("inside_boolean", bind_plain<Boolean>(false), "values"_a.noconvert())
        .def("outside_boolean", bind_plain<Boolean>(true), "values"_a.noconvert())
        .def("count_values", count_values, "counts"_a.noconvert(), "outside"_a)
        .def("kbest_values", kbest_values, "scores"_a.noconvert(), "k"_a, "outside"_a)
        .def("expectation_values", expectation_values, "scores"_a.noconvert(), "values"_a.noconvert(), "outside"_a)
        .def("marginals", marginals, "scores"_a.noconvert())
        .def("edge_marginals", edge_marginals, "scores"_a.noconvert())
        .def("max_marginals", max_marginals, "scores"_a.noconvert())
        .def("covariance", covariance, "scores"_a.noconvert(), "values"_a.noconvert())
        .def("best", best, "scores"_a.noconvert())
        .def("kbest", kbest, "scores"_a.noconvert(), "k"_a)
        .def("samples", samples, "scores"_a.noconvert(), "n"_a, "seed"_a);
}

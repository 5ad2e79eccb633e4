#include "inference/deduction.hpp"

#include <nanobind/stl/function.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <limits>
#include <optional>

#include "base/interrupt.hpp"
#include "bind/bind.hpp"

using namespace palmette;
using namespace palmette::deduction;

namespace {

// How Python writes the parts of a rule: an expression is (constant, [(factor, variable), ...]), a body atom is
// (predicate, is_condition, [(variable, offset), ...]), a comparison is (operator, expression, expression).
using PlainExpression = std::pair<int32_t, std::vector<std::pair<int32_t, int32_t>>>;
using PlainAtom = std::tuple<int32_t, bool, std::vector<std::pair<int32_t, int32_t>>>;
using PlainComparison = std::tuple<int32_t, PlainExpression, PlainExpression>;
using PlainOperation = std::tuple<int32_t, int32_t, double>;  // kind, index, number

Expression expression_of(const PlainExpression& plain) { return {plain.first, plain.second}; }

void add_predicate(Program& program, int32_t arity, bool is_derived, const Array<int32_t>& facts, int32_t n_facts,
                   int32_t first_part, const std::optional<PlainExpression>& bucket, const std::string& bucket_where) {
    auto values = span_of(facts);
    program.predicates.push_back({arity, is_derived, {values.begin(), values.end()}, n_facts, first_part,
                                  bucket.has_value(), bucket ? expression_of(*bucket) : Expression{}, bucket_where});
}

void add_rule(Program& program, const std::string& where, int32_t n_variables, int32_t part, int32_t label_atom, bool own_weight,
              int32_t head, const std::vector<PlainExpression>& head_arguments, const std::vector<PlainAtom>& body,
              const std::vector<PlainComparison>& comparisons, const Combination& combination) {
    Rule rule{where, n_variables, part, label_atom, own_weight, head, {}, {}, {}, combination};
    for (const auto& argument : head_arguments) rule.head_arguments.push_back(expression_of(argument));
    for (const auto& [predicate, is_condition, arguments] : body) {
        Atom atom{predicate, is_condition, {}};
        for (auto [variable, offset] : arguments) atom.arguments.push_back({variable, offset});
        rule.body.push_back(std::move(atom));
    }
    for (const auto& [op, left, right] : comparisons) {
        if (op < 0 || op > static_cast<int32_t>(Operator::at_most))
            throw std::invalid_argument("there is no such operator");
        rule.comparisons.push_back({static_cast<Operator>(op), expression_of(left), expression_of(right)});
    }
    program.rules.push_back(std::move(rule));
}

using HeuristicFunction = std::function<double(int32_t, std::vector<int32_t>)>;
using PythonFunction = std::function<double(int32_t, std::vector<double>)>;

UserFunction user_function(const PythonFunction& function) {
    return [&function](int32_t which, std::span<const double> scores) {
        nb::gil_scoped_acquire acquire;
        return function(which, {scores.begin(), scores.end()});
    };
}

Combination combination_of(const std::vector<PlainOperation>& plain) {
    std::vector<Operation> operations;
    for (auto [kind, index, number] : plain) operations.push_back({static_cast<Operation::Kind>(kind), index, number});
    return Combination(std::move(operations));
}

double combine(const Combination& self, const std::vector<double>& premises, const PythonFunction& function) {
    if (premises.size() < static_cast<size_t>(self.n_premises()))
        throw std::invalid_argument("there must be one score per premise");
    std::vector<double> stack;
    return self.value([&](int32_t i) { return premises[i]; }, user_function(function), stack);
}

Instance run(const Program& program, const Array<double>& scores, int32_t order, double heuristic_weight,
             const Array<double>& heuristic_of_bucket, const std::optional<HeuristicFunction>& heuristic, int64_t top,
             double width, bool superior, const PythonFunction& function, int64_t item_limit, int64_t edge_limit,
             double seconds_limit, double byte_limit) {
    Search search;
    if (order < 0 || order > static_cast<int32_t>(Order::stacks)) throw std::invalid_argument("there is no such order");
    search.order = static_cast<Order>(order);
    search.heuristic_weight = heuristic_weight;
    auto h = span_of(heuristic_of_bucket);
    search.heuristic_of_bucket.assign(h.begin(), h.end());
    if (heuristic)
        search.heuristic = [&](int32_t predicate, std::span<const int32_t> arguments) {
            nb::gil_scoped_acquire acquire;
            return (*heuristic)(predicate, std::vector<int32_t>(arguments.begin(), arguments.end()));
        };
    search.top = top;
    search.width = width;
    search.superior = superior;
    search.function = user_function(function);
    search.item_limit = item_limit;
    search.byte_limit = byte_limit;
    search.seconds_limit = seconds_limit;
    search.edge_limit = std::min<int64_t>(edge_limit, std::numeric_limits<int32_t>::max() - 1);
    search.poll = check_interrupt;
    auto s = span_of(scores);
    nb::gil_scoped_release release;
    return instantiate(program, s, search);
}

}  // namespace

void bind_deduction(nb::module_& m) {
    using namespace nb::literals;
    m.attr("SYMBOL") = kSymbol;
    m.attr("MAX_ARITY") = kMaxArity;
    nb::class_<Instance>(m, "Instance")
        .def("take_graph", [](Instance& self) { return std::move(self.graph); },
                     "The hypergraph; handed over once.")
        .def_prop_ro("predicate", [](Instance& self) { return numpy_of(std::vector(self.predicate)); }, nb::rv_policy::move)
        .def_prop_ro("argument_start", [](Instance& self) { return numpy_of(std::vector(self.argument_start)); }, nb::rv_policy::move)
        .def_prop_ro("arguments", [](Instance& self) { return numpy_of(std::vector(self.arguments)); }, nb::rv_policy::move)
        .def_ro("items_made", &Instance::items_made)
        .def_ro("items_popped", &Instance::items_popped)
        .def_ro("edges_built", &Instance::edges_built);
    nb::class_<Combination>(m, "Combination")
        .def("__init__", [](Combination* self, const std::vector<PlainOperation>& operations) {
            new (self) Combination(combination_of(operations));
        }, "operations"_a)
        .def("__call__", combine, "scores"_a, "function"_a, "The score of the head, from those of the premises.");
    nb::class_<Program>(m, "Program")
        .def("__init__", [](Program* self, int32_t n_parts, int32_t goal) { new (self) Program{{}, {}, n_parts, goal}; },
             "n_parts"_a, "goal"_a)
        .def("add_predicate", add_predicate, "arity"_a, "is_derived"_a, "facts"_a.noconvert(), "n_facts"_a,
             "first_part"_a, "bucket"_a.none(), "bucket_where"_a)
        .def("add_rule", add_rule, "where"_a, "n_variables"_a, "part"_a, "label_atom"_a, "own_weight"_a, "head"_a,
             "head_arguments"_a, "body"_a, "comparisons"_a, "combination"_a)
        .def("run", run, "scores"_a.noconvert(), "order"_a, "heuristic_weight"_a, "heuristic_of_bucket"_a.noconvert(),
             "heuristic"_a.none(), "top"_a, "width"_a, "superior"_a, "function"_a, "item_limit"_a, "edge_limit"_a,
             "seconds_limit"_a, "byte_limit"_a);
}

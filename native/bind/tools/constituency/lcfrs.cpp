// Parsing with LCFRS, and estimation of their states.
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cmath>

#include "base/parallel.hpp"
#include "bind/bind.hpp"
#include "tools/constituency/lcfrs/em.hpp"
#include "tools/constituency/lcfrs/parser.hpp"

namespace {

using namespace palmette;

template <class T>
std::vector<T> vector_of(const Array<T>& array) {
    return {array.data(), array.data() + array.size()};
}

LcfrsRules rules_of(const Array<std::int32_t>& fan_out, std::int32_t root, const Array<std::int32_t>& parent,
                    const Array<std::int32_t>& left, const Array<std::int32_t>& right,
                    const Array<std::uint64_t>& yield, const Array<double>& weight,
                    const Array<std::int32_t>& unary_parent, const Array<std::int32_t>& unary_child,
                    const Array<double>& unary_weight) {
    return {vector_of(fan_out),     root,
            vector_of(parent),      vector_of(left),
            vector_of(right),       vector_of(yield),
            vector_of(weight),      vector_of(unary_parent),
            vector_of(unary_child), vector_of(unary_weight)};
}

StateWeights states_of(const LcfrsRules& rules, const Array<std::int32_t>& states, const Array<float>& binary,
                       const Array<float>& unary) {
    StateWeights made{vector_of(states), {0}, {0}, vector_of(binary), vector_of(unary)};
    if (made.states.size() != rules.fan_out.size()) throw nb::value_error("states: one number for each symbol.");
    for (const auto s : made.states)
        if (s < 1 || s > 1024) throw nb::value_error("a symbol has between 1 and 1024 states.");
    for (std::size_t r = 0; r < rules.parent.size(); ++r)
        made.binary_first.push_back(made.binary_first.back() + std::int64_t(made.states[rules.parent[r]]) *
                                                                   made.states[rules.left[r]] *
                                                                   made.states[rules.right[r]]);
    for (std::size_t r = 0; r < rules.unary_parent.size(); ++r)
        made.unary_first.push_back(made.unary_first.back() + std::int64_t(made.states[rules.unary_parent[r]]) *
                                                                 made.states[rules.unary_child[r]]);
    return made;
}

// What Python gets of a tree: score, symbols, shape, parts; of a sentence: trees, in pieces, loosened, tightened, the
// log of the sum, edges, and the posteriors of symbols from start to end.
using TreeTuple = std::tuple<double, std::vector<std::int32_t>, std::vector<std::int32_t>, std::vector<double>>;
using ParseTuple = std::tuple<std::vector<TreeTuple>, bool, bool, bool, double, std::int64_t,
                              std::vector<std::tuple<std::int32_t, std::int32_t, std::int32_t, double>>>;

// Sentences one after the other: n_words, and how many emissions each has; an emission is a position, a symbol, and
// as many values as the symbol has states, besides the weight in the plain grammar.
std::vector<ParseTuple> parse_all(const LcfrsParser& parser, const Array<std::int32_t>& n_words,
                                  const Array<std::int64_t>& first, const Array<std::int32_t>& position,
                                  const Array<std::int32_t>& symbol, const Array<double>& weight,
                                  const std::vector<Array<float>>& values, double segment_threshold,
                                  double item_threshold, std::int64_t max_edges, bool minimum_risk, int k, bool exact,
                                  bool with_posteriors, int n_jobs) {
    const std::size_t n = n_words.size(), n_emissions = position.size();
    if (first.size() != n + 1 || symbol.size() != n_emissions || weight.size() != n_emissions || first.data()[0] != 0 ||
        first.data()[n] != static_cast<std::int64_t>(n_emissions))
        throw nb::value_error("the arrays of sentences do not fit each other.");
    if (k < 1 || !(segment_threshold >= 0) || !(item_threshold >= 0) || max_edges < 1)
        throw nb::value_error("an option of the search is out of range.");
    std::vector<Emission> emissions;
    for (std::size_t e = 0; e < n_emissions; ++e) {
        const std::int32_t s = symbol.data()[e];
        if (s < 0 || s >= parser.grammar.n_symbols() || parser.grammar.rules.fan_out[s] != 1)
            throw nb::value_error("a word has a tag that the grammar has not.");
        if (!(weight.data()[e] >= 0) || !std::isfinite(weight.data()[e]))
            throw nb::value_error("a weight is negative or not finite.");
        emissions.push_back({position.data()[e], s, weight.data()[e]});
    }
    if (values.size() != parser.grammars.size()) throw nb::value_error("values: one array for each grammar.");
    std::vector<std::vector<std::int64_t>> value_first(values.size());
    for (std::size_t g = 0; g < values.size(); ++g) {
        std::int64_t at = 0;
        for (const Emission& e : emissions) value_first[g].push_back(at), at += parser.grammars[g].states[e.symbol];
        if (at != static_cast<std::int64_t>(values[g].size()))
            throw nb::value_error("the values of states do not fit the tags.");
        for (std::size_t i = 0; i < values[g].size(); ++i)
            if (!(values[g].data()[i] >= 0) || !std::isfinite(values[g].data()[i]))
                throw nb::value_error("a value is negative or not finite.");
    }
    for (std::size_t t = 0; t < n; ++t) {
        if (n_words.data()[t] < 1 || n_words.data()[t] > kMaxWords)
            throw nb::value_error("a sentence has between 1 and 256 words.");
        if (first.data()[t] > first.data()[t + 1] || first.data()[t] < 0)
            throw nb::value_error("the arrays of sentences do not fit each other.");
        for (std::int64_t e = first.data()[t]; e < first.data()[t + 1]; ++e)
            if (emissions[e].position < 0 || emissions[e].position >= n_words.data()[t])
                throw nb::value_error("a tag is outside its sentence.");
    }
    LcfrsSearch search;
    search.segment_threshold = segment_threshold, search.item_threshold = item_threshold, search.max_edges = max_edges;
    search.decoding = minimum_risk ? Decoding::kMinimumRisk : Decoding::kMostProbable;
    search.k = k, search.exact = exact, search.posteriors = with_posteriors;
    std::vector<LcfrsParse> parses(n);
    {
        nb::gil_scoped_release release;
        parallel(n, n_jobs, [&](std::size_t t, std::size_t) {
            const std::size_t from = first.data()[t], to = first.data()[t + 1];
            LcfrsSentence sentence{n_words.data()[t], std::span(emissions).subspan(from, to - from), {}};
            for (std::size_t g = 0; g < values.size(); ++g)
                sentence.states.push_back(
                    {std::span<const std::int64_t>(value_first[g]).subspan(from, to - from), span_of(values[g])});
            parses[t] = parser.parse(sentence, search);
        });
    }
    std::vector<ParseTuple> all;
    for (LcfrsParse& parse : parses) {
        auto& [trees, in_pieces, loosened, tightened, log_sum, edges, posteriors] = all.emplace_back();
        for (FlatTree& tree : parse.trees)
            trees.emplace_back(tree.score, std::move(tree.symbols), std::move(tree.shape), std::move(tree.parts));
        for (const NodePosterior& p : parse.posteriors)
            posteriors.emplace_back(p.symbol, p.start, p.end, p.probability);
        in_pieces = parse.in_pieces, loosened = parse.loosened, tightened = parse.tightened;
        log_sum = parse.log_sum, edges = parse.edges;
    }
    return all;
}

LexicalStates words_of(const Array<std::int64_t>& first, const Array<float>& values) {
    return {span_of(first), span_of(values)};
}

}  // namespace

void bind_lcfrs(nb::module_& m) {
    using namespace nb::literals;
    nb::class_<LcfrsParser>(m, "LcfrsParser")
        .def(
            "__init__",
            [](LcfrsParser* self, const Array<std::int32_t>& fan_out, std::int32_t root,
               const Array<std::int32_t>& parent, const Array<std::int32_t>& left, const Array<std::int32_t>& right,
               const Array<std::uint64_t>& yield, const Array<double>& weight, const Array<std::int32_t>& unary_parent,
               const Array<std::int32_t>& unary_child, const Array<double>& unary_weight,
               const std::vector<std::tuple<Array<std::int32_t>, Array<float>, Array<float>>>& grammars) {
                LcfrsGrammar checked(rules_of(fan_out, root, parent, left, right, yield, weight, unary_parent,
                                              unary_child, unary_weight));
                std::vector<StateWeights> given;
                for (const auto& [states, binary, unary] : grammars) {
                    given.push_back(states_of(checked.rules, states, binary, unary));
                    given.back().check(checked.rules);
                }
                if (given.empty()) throw nb::value_error("at least one grammar with states.");
                new (self) LcfrsParser(checked.rules, std::move(given));
            },
            "fan_out"_a.noconvert(), "root"_a, "parent"_a.noconvert(), "left"_a.noconvert(), "right"_a.noconvert(),
            "yield_code"_a.noconvert(), "weight"_a.noconvert(), "unary_parent"_a.noconvert(),
            "unary_child"_a.noconvert(), "unary_weight"_a.noconvert(), "grammars"_a)
        .def("parse", &parse_all, "n_words"_a.noconvert(), "first"_a.noconvert(), "position"_a.noconvert(),
             "symbol"_a.noconvert(), "weight"_a.noconvert(), "values"_a, "segment_threshold"_a, "item_threshold"_a,
             "max_edges"_a, "minimum_risk"_a, "k"_a, "exact"_a, "posteriors"_a, "n_jobs"_a);
    nb::class_<LcfrsEm>(m, "LcfrsEm")
        .def(
            "__init__",
            [](LcfrsEm* self, const Array<std::int32_t>& fan_out, std::int32_t root, const Array<std::int32_t>& parent,
               const Array<std::int32_t>& left, const Array<std::int32_t>& right, const Array<std::uint64_t>& yield,
               const Array<double>& weight, const Array<std::int32_t>& unary_parent,
               const Array<std::int32_t>& unary_child, const Array<double>& unary_weight,
               const Array<std::int64_t>& first, const Array<std::int32_t>& symbol, const Array<std::int32_t>& rule,
               const Array<std::int32_t>& left_node, const Array<std::int32_t>& right_node,
               const Array<std::int32_t>& entry, std::int32_t n_entries) {
                LcfrsGrammar checked(rules_of(fan_out, root, parent, left, right, yield, weight, unary_parent,
                                              unary_child, unary_weight));
                const DerivationTrees trees{vector_of(first),     vector_of(symbol),     vector_of(rule),
                                            vector_of(left_node), vector_of(right_node), vector_of(entry)};
                new (self) LcfrsEm(checked.rules, trees, n_entries);
            },
            "fan_out"_a.noconvert(), "root"_a, "parent"_a.noconvert(), "left"_a.noconvert(), "right"_a.noconvert(),
            "yield_code"_a.noconvert(), "weight"_a.noconvert(), "unary_parent"_a.noconvert(),
            "unary_child"_a.noconvert(), "unary_weight"_a.noconvert(), "first"_a.noconvert(), "symbol"_a.noconvert(),
            "rule"_a.noconvert(), "left_node"_a.noconvert(), "right_node"_a.noconvert(), "entry"_a.noconvert(),
            "n_entries"_a)
        .def(
            "expect",
            [](LcfrsEm& em, const Array<std::int32_t>& states, const Array<float>& binary, const Array<float>& unary,
               const Array<std::int64_t>& word_first, const Array<float>& words, int n_jobs) {
                const StateWeights weights = states_of(em.rules, states, binary, unary);
                StateCounts counts;
                {
                    nb::gil_scoped_release release;
                    counts = em.expect(weights, words_of(word_first, words), n_jobs);
                }
                return std::make_tuple(counts.log_likelihood, numpy_of(std::move(counts.binary)),
                                       numpy_of(std::move(counts.unary)), numpy_of(std::move(counts.lexical)));
            },
            "states"_a.noconvert(), "binary"_a.noconvert(), "unary"_a.noconvert(), "word_first"_a.noconvert(),
            "words"_a.noconvert(), "n_jobs"_a)
        .def(
            "merge_losses",
            [](LcfrsEm& em, const Array<std::int32_t>& states, const Array<float>& binary, const Array<float>& unary,
               const Array<std::int64_t>& word_first, const Array<float>& words, const Array<double>& frequency,
               int n_jobs) {
                const StateWeights weights = states_of(em.rules, states, binary, unary);
                std::vector<double> losses;
                {
                    nb::gil_scoped_release release;
                    losses = em.merge_losses(weights, words_of(word_first, words), span_of(frequency), n_jobs);
                }
                return numpy_of(std::move(losses));
            },
            "states"_a.noconvert(), "binary"_a.noconvert(), "unary"_a.noconvert(), "word_first"_a.noconvert(),
            "words"_a.noconvert(), "frequency"_a.noconvert(), "n_jobs"_a);
}

#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>

#include <cmath>
#include <memory>
#include <stdexcept>
#include <string>

#include "bind/bind.hpp"
#include "structures/chart/bracket_risk.hpp"
#include "structures/chart/closure.hpp"
#include "structures/chart/grammar.hpp"
#include "structures/chart/items.hpp"
#include "structures/chart/sums.hpp"

using namespace palmette;

namespace {

Emissions checked_emissions(const ChartGrammar& grammar, const Array<int32_t>& positions, const Array<int32_t>& symbols,
                            const Array<float>& weights, size_t n) {
    require(n >= 1 && n <= kMostChartWords, "a sentence has between 1 and 20,000 words");
    require(positions.size() == symbols.size() && symbols.size() == weights.size(), "emissions have a position, a symbol and a weight each");
    for (size_t k = 0; k < positions.size(); ++k) {
        const int32_t position = positions.data()[k], symbol = symbols.data()[k];
        require(position >= 0 && static_cast<size_t>(position) < n && (k == 0 || positions.data()[k - 1] <= position),
                "the positions of emissions lie in the sentence and come in order");
        require(symbol >= 0 && symbol < grammar.symbols(), "an emission has a symbol that the grammar has not");
        require(weights.data()[k] < std::numeric_limits<float>::infinity(), "the weight of an emission is not a number or +inf");
    }
    return {span_of(positions), span_of(symbols), span_of(weights)};
}

std::unique_ptr<ChartGrammar> made_grammar(int32_t symbols, int32_t root, const Array<int32_t>& parents, const Array<int32_t>& lefts,
                                           const Array<int32_t>& rights, const Array<float>& weights, const Array<int32_t>& unary_parents,
                                           const Array<int32_t>& unary_children, const Array<float>& unary_weights) {
    require(parents.size() == lefts.size() && lefts.size() == rights.size() && rights.size() == weights.size(),
            "binary rules have a parent, two children and a weight each");
    require(unary_parents.size() == unary_children.size() && unary_children.size() == unary_weights.size(),
            "unary rules have a parent, a child and a weight each");
    std::vector<BinaryRule> binary(parents.size());
    for (size_t k = 0; k < binary.size(); ++k) binary[k] = {parents.data()[k], lefts.data()[k], rights.data()[k], weights.data()[k]};
    std::vector<UnaryRule> unary(unary_parents.size());
    for (size_t k = 0; k < unary.size(); ++k) unary[k] = {unary_parents.data()[k], unary_children.data()[k], unary_weights.data()[k]};
    nb::gil_scoped_release release;
    return std::make_unique<ChartGrammar>(symbols, root, std::move(binary), std::move(unary));
}

void check_span(const ChartItems& items, size_t start, size_t end) {
    require(start < end && end <= items.n(), "a span has 0 <= start < end <= n");
}

void check_item(const ChartItems& items, size_t start, size_t end, size_t symbol) {
    check_span(items, start, end);
    require(symbol < items.symbols(), "the set of items has fewer symbols");
}

void bind_items(nb::module_& m) {
    using namespace nb::literals;
    nb::class_<ChartItems>(m, "ChartItems", "Which (start, end, symbol) are alive in a chart.")
        .def("__init__", [](ChartItems* self, size_t n, size_t symbols, bool alive) {
            require(n <= kMostChartWords && symbols <= size_t{1} << 24, "too many words or symbols for a set of items");
            new (self) ChartItems(n, symbols, alive);
        }, "n"_a, "symbols"_a, "alive"_a = false)
        .def_prop_ro("n", &ChartItems::n)
        .def_prop_ro("symbols", &ChartItems::symbols)
        .def("has", [](const ChartItems& s, size_t start, size_t end, size_t symbol) { check_item(s, start, end, symbol); return s.has(start, end, symbol); },
             "start"_a, "end"_a, "symbol"_a)
        .def("add", [](ChartItems& s, size_t start, size_t end, size_t symbol) { check_item(s, start, end, symbol); s.add(start, end, symbol); },
             "start"_a, "end"_a, "symbol"_a)
        .def("remove", [](ChartItems& s, size_t start, size_t end, size_t symbol) { check_item(s, start, end, symbol); s.remove(start, end, symbol); },
             "start"_a, "end"_a, "symbol"_a)
        .def("close", [](ChartItems& s, size_t start, size_t end) { check_span(s, start, end); s.close(start, end); }, "start"_a, "end"_a)
        .def("open", [](const ChartItems& s, size_t start, size_t end) { check_span(s, start, end); return s.open(start, end); }, "start"_a, "end"_a)
        .def("closed", [](const ChartItems& s, const Array<uint8_t>& words, const Array<uint8_t>& parts) {
            require(words.size() == s.n() && parts.size() == s.symbols(), "every word is closed or not, and every symbol is a part of a phrase or not");
            ChartItems left = s;
            close_words({span_of(words), span_of(parts)}, left);
            return left;
        }, "words"_a.noconvert(), "parts"_a.noconvert(),
             "The same without longer spans that begin (1) or end (2) with a closed word; parts of phrases may begin anywhere.")
        .def("__len__", &ChartItems::count)
        .def("arrays", [](const ChartItems& s) {
            std::vector<int32_t> starts, ends, symbols;
            for (size_t end = 1; end <= s.n(); ++end)
                for (size_t start = 0; start < end; ++start)
                    s.each(start, end, [&](size_t symbol) {
                        starts.push_back(static_cast<int32_t>(start));
                        ends.push_back(static_cast<int32_t>(end));
                        symbols.push_back(static_cast<int32_t>(symbol));
                    });
            return std::tuple(numpy_of(std::move(starts)), numpy_of(std::move(ends)), numpy_of(std::move(symbols)));
        }, "The starts, ends and symbols of all that are alive.");
}

}  // namespace

void bind_chart(nb::module_& m) {
    using namespace nb::literals;
    bind_items(m);
    nb::class_<ChartGrammar>(m, "ChartGrammar", "Binary and unary rules over numbered symbols, indexed for charts.")
        .def(nb::new_(&made_grammar), "symbols"_a, "root"_a, "parents"_a.noconvert(), "lefts"_a.noconvert(), "rights"_a.noconvert(), "weights"_a.noconvert(),
             "unary_parents"_a.noconvert(), "unary_children"_a.noconvert(), "unary_weights"_a.noconvert())
        .def_prop_ro("symbols", &ChartGrammar::symbols)
        .def_prop_ro("root", &ChartGrammar::root);
    m.def("best_bracketing", [](size_t n, const Array<int32_t>& starts, const Array<int32_t>& ends, const Array<double>& values) {
        require(n <= kMostChartWords, "a sentence has at most 20,000 words");
        require(starts.size() == ends.size() && ends.size() == values.size(), "brackets have a start, an end and a value each");
        for (size_t b = 0; b < starts.size(); ++b)
            require(starts.data()[b] >= 0 && starts.data()[b] < ends.data()[b] && static_cast<size_t>(ends.data()[b]) <= n, "a bracket has 0 <= start < end <= n");
        std::vector<int32_t> chosen;
        {
            nb::gil_scoped_release release;
            chosen = best_bracketing(n, span_of(starts), span_of(ends), span_of(values));
        }
        return numpy_of(std::move(chosen));
    }, "n"_a, "starts"_a.noconvert(), "ends"_a.noconvert(), "values"_a.noconvert(), "The numbers of the brackets of the best bracketing, in preorder.");
}

#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>

#include "bind/bind.hpp"
#include "structures/chart/item_charts.hpp"

using namespace palmette;

namespace {

using Numbers = nb::ndarray<nb::numpy, double, nb::ndim<1>>;
using Lengths = Array<int64_t>;

// Checks what the loops rely on.
ItemScores scores_of(const ItemGrammar& grammar, const Array<double>& items, const Array<double>& rules, const Array<double>& root,
                     const Lengths& lengths) {
    size_t spans = 0;
    for (int64_t n : span_of(lengths)) {
        require(n >= 0 && n <= 1'000'000, "a sentence cannot have this many words");
        spans += spans_of(static_cast<size_t>(n));
    }
    require(items.size() == spans * grammar.symbols(), "a sentence of n words has n (n + 1) / 2 rows of item scores, one number for each symbol");
    require(rules.size() == grammar.rules(), "there must be one score for every rule");
    require(root.size() == grammar.symbols(), "there must be one root score for every symbol");
    return {items.data(), rules.data(), root.data()};
}

struct Parts {
    std::vector<double> items, rules, root;
    Parts(size_t n_items, const ItemGrammar& grammar) : items(n_items), rules(grammar.rules()), root(grammar.symbols()) {}
    ItemParts places() { return {items.data(), rules.data(), root.data()}; }
};

// (log Z, items, rules, root)
auto sums(const ItemGrammar& grammar, const Array<double>& items, const Array<double>& rules, const Array<double>& root, const Lengths& lengths,
          int jobs, const Maybe<double>& weights, bool with_parts) {
    const ItemScores scores = scores_of(grammar, items, rules, root, lengths);
    require(!weights || weights->size() == lengths.size(), "there must be one weight for every sentence");
    std::vector<double> log_z(lengths.size());
    Parts parts(with_parts ? items.size() : 0, grammar);
    {
        nb::gil_scoped_release release;
        item_sums(grammar, scores, span_of(lengths), jobs, data_of(weights), log_z.data(), with_parts ? parts.places() : ItemParts{});
    }
    return std::make_tuple(numpy_of(std::move(log_z)), numpy_of(std::move(parts.items)), numpy_of(std::move(parts.rules)),
                           numpy_of(std::move(parts.root)));
}

std::tuple<Numbers, Numbers, Numbers> covariances(const ItemGrammar& grammar, const Array<double>& items, const Array<double>& rules,
                                                  const Array<double>& root, const Array<double>& item_values, const Array<double>& rule_values,
                                                  const Array<double>& root_values, const Lengths& lengths, int jobs) {
    const ItemScores scores = scores_of(grammar, items, rules, root, lengths);
    const ItemScores values = scores_of(grammar, item_values, rule_values, root_values, lengths);
    Parts parts(items.size(), grammar);
    {
        nb::gil_scoped_release release;
        item_covariances(grammar, scores, values, span_of(lengths), jobs, parts.places());
    }
    return {numpy_of(std::move(parts.items)), numpy_of(std::move(parts.rules)), numpy_of(std::move(parts.root))};
}

// (scores, items, rules, roots)
auto best(const ItemGrammar& grammar, const Array<double>& items, const Array<double>& rules, const Array<double>& root, const Lengths& lengths,
          int jobs) {
    const ItemScores scores = scores_of(grammar, items, rules, root, lengths);
    ItemTrees found;
    {
        nb::gil_scoped_release release;
        found = best_item_trees(grammar, scores, span_of(lengths), jobs);
    }
    return std::make_tuple(numpy_of(std::move(found.scores)), numpy_of(std::move(found.items)), numpy_of(std::move(found.rules)),
                           numpy_of(std::move(found.roots)));
}

}  // namespace

void bind_item_charts(nb::module_& m) {
    using namespace nb::literals;
    nb::class_<ItemGrammar>(m, "ItemGrammar", "Binary rules for charts by the scores of their items.")
        .def("__init__",
             [](ItemGrammar* self, size_t symbols, const Array<int32_t>& parents, const Array<int32_t>& lefts, const Array<int32_t>& rights) {
                 new (self) ItemGrammar(symbols, span_of(parents), span_of(lefts), span_of(rights));
             },
             "symbols"_a, "parents"_a.noconvert(), "lefts"_a.noconvert(), "rights"_a.noconvert())
        .def("sums", &sums, "items"_a.noconvert(), "rules"_a.noconvert(), "root"_a.noconvert(), "lengths"_a.noconvert(), "jobs"_a,
             "weights"_a.noconvert().none(), "with_parts"_a)
        .def("covariances", &covariances, "items"_a.noconvert(), "rules"_a.noconvert(), "root"_a.noconvert(), "item_values"_a.noconvert(),
             "rule_values"_a.noconvert(), "root_values"_a.noconvert(), "lengths"_a.noconvert(), "jobs"_a)
        .def("best", &best, "items"_a.noconvert(), "rules"_a.noconvert(), "root"_a.noconvert(), "lengths"_a.noconvert(), "jobs"_a);
}

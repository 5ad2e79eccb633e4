// Search by synchronous rules: sentences of strings in, translations in flat arrays out.
#include <cmath>
#include <string>

#include "bind/tools/translation/forests.hpp"
#include "bind/tools/translation/rule_table.hpp"
#include "bind/tools/translation/sentences.hpp"
#include "tools/translation/chart/batch.hpp"

using namespace palmette;
using namespace nb::literals;
using namespace translation_bind;

namespace {

// rule_start, rule, rule_begin, rule_end, rule_label, rule_tails, item_start, items: the derivations in preorder.
using RuleTuple = std::tuple<Numpy<std::int64_t>, Numpy<u32>, Numpy<u32>, Numpy<u32>, Numpy<u32>, Numpy<u32>, Numpy<std::int64_t>,
                             Numpy<std::int32_t>>;
using ChartTuple = std::tuple<BatchTuple, RuleTuple>;

class BoundChartSearch {
public:
    BoundChartSearch(const BoundRuleTable& table, const NgramModel* lm, const Array<double>& weights,
                     const std::vector<std::uint16_t>& copy_labels, const std::string& unknown, u32 pop_limit, bool growing, u32 span,
                     u32 table_limit, u32 unary, std::uint64_t most)
        : reader_(table.source_words, table.target_words, lm, unknown) {
        model_.table = table.view;
        model_.layout = {static_cast<int>(table.view.n_columns)};
        require(weights.size() == static_cast<std::size_t>(model_.layout.size()), "expected one weight for each feature");
        for (const double weight : span_of(weights)) require(std::isfinite(weight), "a weight is not a finite number");
        require(!copy_labels.empty(), "copied words have no label");
        for (const std::uint16_t label : copy_labels) require(label < table.view.n_labels, "a label of copied words is not in the table");
        require(span >= 1 && span <= 255, "a span of 1 to 255 words was expected");
        model_.copy_labels = copy_labels;
        model_.weights.assign(weights.data(), weights.data() + weights.size());
        model_.limits = {pop_limit, span, table_limit, unary, growing, most};
        model_.lm_ids = reader_.lm_ids();
        if (lm) query_.emplace(lm->query());
        model_.lm = lm ? &*query_ : nullptr;
    }
    BoundChartSearch(const BoundChartSearch&) = delete;

    const ChartModel& model() const { return model_; }
    // Forests point into their arrays, and sentences into both.
    Prepared prepare(const Sentences& given, const AllKnown& known, const Forests& forests, std::vector<SourceForest>& parses) const {
        Prepared prepared = reader_.prepare(given, known, std::nullopt);
        require(forests.has_value() == model_.table.trees, "rules over trees need trees, and others have no use for them");
        if (forests) add_forests(*forests, model_.table, prepared, parses);
        return prepared;
    }

private:
    SentenceReader reader_;
    std::optional<NgramQuery> query_;
    ChartModel model_;
};

ChartTuple chart_tuple_of(ChartBatch&& batch, const WordTable& more) {
    RuleTuple rules{numpy_of(std::move(batch.rule_start)), numpy_of(std::move(batch.rule)),       numpy_of(std::move(batch.rule_begin)),
                    numpy_of(std::move(batch.rule_end)),   numpy_of(std::move(batch.rule_label)), numpy_of(std::move(batch.rule_tails)),
                    numpy_of(std::move(batch.item_start)), numpy_of(std::move(batch.items))};
    return {tuple_of(std::move(batch), more), std::move(rules)};
}

template <class T>
auto chart_member(std::vector<T> ChartGraph::*values) {
    return [values](nb::handle_t<ChartGraph> self) {
        const auto& own = nb::cast<const ChartGraph&>(self).*values;
        return nb::ndarray<nb::numpy, const T, nb::ndim<1>>(own.data(), {own.size()}, self);
    };
}

}  // namespace

void bind_rule_search(nb::module_& m) {
    nb::class_<ChartGraph>(m, "ChartGraph", "The vertices of a search by rules that lead to whole translations.")
        .def_prop_ro("graph", [](const ChartGraph& graph) -> const Hypergraph& { return graph.graph; }, nb::rv_policy::reference_internal)
        .def_prop_ro("exact", [](const ChartGraph& graph) { return graph.exact; })
        .def_prop_ro("features", chart_member(&ChartGraph::features))
        .def_prop_ro("begin", chart_member(&ChartGraph::begin))
        .def_prop_ro("end", chart_member(&ChartGraph::end))
        .def_prop_ro("rule", chart_member(&ChartGraph::rule))
        .def_prop_ro("label", chart_member(&ChartGraph::label))
        .def_prop_ro("item_start", chart_member(&ChartGraph::item_start))
        .def_prop_ro("items", chart_member(&ChartGraph::items))
        .def(
            "kbest",
            [](const ChartGraph& graph, const BoundRuleTable& table, const Array<double>& weights, std::int64_t k, bool distinct) {
                require(weights.size() * graph.begin.size() == graph.features.size(), "expected one weight for each feature");
                check_k(k, 1);
                ChartBatch batch;
                {
                    nb::gil_scoped_release unlocked;
                    batch = chart_kbest_of(graph, table.view, span_of(weights), {k, distinct, 1});
                }
                return chart_tuple_of(std::move(batch), WordTable(false));
            },
            "table"_a, nb::arg("weights").noconvert(), "k"_a, "distinct"_a)
        .def(
            "one",
            [](const ChartGraph& graph, const BoundRuleTable& table, const Array<std::int32_t>& edges, const Array<double>& weights) {
                require(weights.size() * graph.begin.size() == graph.features.size(), "expected one weight for each feature");
                return chart_tuple_of(chart_derivation(graph, table.view, span_of(weights), span_of(edges)), WordTable(false));
            },
            "table"_a, nb::arg("edges").noconvert(), nb::arg("weights").noconvert());

    nb::class_<BoundChartSearch>(m, "ChartSearch", "Search by synchronous rules, with weights and limits.")
        .def(nb::init<const BoundRuleTable&, const NgramModel*, const Array<double>&, const std::vector<std::uint16_t>&, const std::string&,
                      u32, bool, u32, u32, u32, std::uint64_t>(),
             "table"_a, nb::arg("lm").none(), nb::arg("weights").noconvert(), "copy_labels"_a, "unknown"_a, "pop_limit"_a, "growing"_a,
             "span"_a, "table_limit"_a, "unary"_a, "most"_a, nb::keep_alive<1, 2>(), nb::keep_alive<1, 3>())
        .def(
            "translate",
            [](const BoundChartSearch& search, const Sentences& sentences, const AllKnown& known, int n_jobs, const Forests& forests) {
                std::vector<SourceForest> parses;
                const Prepared prepared = search.prepare(sentences, known, forests, parses);
                ChartBatch batch;
                {
                    nb::gil_scoped_release unlocked;
                    batch = translate_chart(search.model(), prepared.sentences, n_jobs);
                }
                return chart_tuple_of(std::move(batch), prepared.more);
            },
            "sentences"_a, "known"_a.none(), "n_jobs"_a, "forests"_a.none() = nb::none())
        .def(
            "kbest",
            [](const BoundChartSearch& search, const Sentences& sentences, const AllKnown& known, std::int64_t k, bool distinct, int n_jobs,
               const Forests& forests) {
                check_k(k, 1);
                std::vector<SourceForest> parses;
                const Prepared prepared = search.prepare(sentences, known, forests, parses);
                ChartBatch batch;
                {
                    nb::gil_scoped_release unlocked;
                    batch = translate_chart_kbest(search.model(), prepared.sentences, {k, distinct, 1}, n_jobs);
                }
                return chart_tuple_of(std::move(batch), prepared.more);
            },
            "sentences"_a, "known"_a.none(), "k"_a, "distinct"_a, "n_jobs"_a, "forests"_a.none() = nb::none())
        .def(
            "graphs",
            [](const BoundChartSearch& search, const Sentences& sentences, const AllKnown& known, int n_jobs, const Forests& forests) {
                std::vector<SourceForest> parses;
                const Prepared prepared = search.prepare(sentences, known, forests, parses);
                std::vector<ChartGraph> graphs;
                {
                    nb::gil_scoped_release unlocked;
                    graphs = chart_graphs(search.model(), prepared.sentences, n_jobs);
                }
                return std::make_tuple(std::move(graphs), strings_of(prepared.more));
            },
            "sentences"_a, "known"_a.none(), "n_jobs"_a, "forests"_a.none() = nb::none());
}

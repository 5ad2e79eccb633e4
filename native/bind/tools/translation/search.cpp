// Search by phrases: sentences of strings in, translations in flat arrays out.
#include <cmath>
#include <string>

#include "bind/tools/translation/phrase_table.hpp"
#include "bind/tools/translation/sentences.hpp"

using namespace palmette;
using namespace nb::literals;
using namespace translation_bind;

namespace {

class Search {
public:
    Search(const BoundPhraseTable& table, const NgramModel* lm, const Array<double>& weights, int from, int to,
           const std::string& unknown, u32 stack, double threshold, u32 pop_limit, std::int64_t distortion_limit, u32 table_limit,
           u32 max_phrase, bool hierarchical, std::uint64_t most)
        : reader_(table.source_words, table.target_words, lm, unknown) {
        model_.table = table.view;
        model_.layout = {static_cast<int>(table.view.n_columns), static_cast<int>(table.view.n_reordering), from, to};
        const auto inside = [&](int column) { return column >= 0 && column <= model_.layout.n_reordering - 3; };
        require((from == -1 || inside(from)) && (to == -1 || inside(to)), "orientations are three columns of the table");
        require(weights.size() == static_cast<std::size_t>(model_.layout.size()), "expected one weight for each feature");
        for (const double weight : span_of(weights)) require(std::isfinite(weight), "a weight is not a finite number");
        require(threshold >= 0, "a threshold below 0");
        model_.weights.assign(weights.data(), weights.data() + weights.size());
        model_.limits = {stack, threshold, pop_limit, distortion_limit, table_limit, max_phrase, hierarchical, most};
        model_.lm_ids = reader_.lm_ids();
        if (lm) query_.emplace(lm->query());
        model_.lm = lm ? &*query_ : nullptr;
    }
    Search(const Search&) = delete;

    const SearchModel& model() const { return model_; }

    Prepared prepare(const Sentences& given, const AllKnown& known, const Walls& walls) const {
        return reader_.prepare(given, known, walls);
    }

private:
    SentenceReader reader_;
    std::optional<NgramQuery> query_;
    SearchModel model_;
};

template <class T>
auto member(std::vector<T> SearchGraph::*values) {
    return [values](nb::handle_t<SearchGraph> self) {
        const auto& own = nb::cast<const SearchGraph&>(self).*values;
        return nb::ndarray<nb::numpy, const T, nb::ndim<1>>(own.data(), {own.size()}, self);
    };
}

}  // namespace

void bind_phrase_search(nb::module_& m) {
    nb::class_<SearchGraph>(m, "TranslationGraph", "The hypotheses of a search that lead to whole translations.")
        .def_prop_ro("graph", [](const SearchGraph& graph) -> const Hypergraph& { return graph.graph; }, nb::rv_policy::reference_internal)
        .def_prop_ro("exact", [](const SearchGraph& graph) { return graph.exact; })
        .def_prop_ro("features", member(&SearchGraph::features))
        .def_prop_ro("begin", member(&SearchGraph::begin))
        .def_prop_ro("end", member(&SearchGraph::end))
        .def_prop_ro("pair", member(&SearchGraph::pair))
        .def_prop_ro("word_start", member(&SearchGraph::word_start))
        .def_prop_ro("words", member(&SearchGraph::words))
        .def_prop_ro("covered", member(&SearchGraph::covered))
        .def(
            "kbest",
            [](const SearchGraph& graph, const BoundPhraseTable& table, const Array<double>& weights, std::int64_t k, bool distinct,
               std::int64_t factor) {
                require(weights.size() * graph.begin.size() == graph.features.size(), "expected one weight for each feature");
                check_k(k, factor);
                TranslationBatch batch;
                {
                    nb::gil_scoped_release unlocked;
                    batch = kbest_of(graph, span_of(weights), {k, distinct, factor});
                    batch.add_links(table.view);
                }
                return tuple_of(std::move(batch), WordTable(false));
            },
            "table"_a, nb::arg("weights").noconvert(), "k"_a, "distinct"_a, "factor"_a);

    nb::class_<Search>(m, "PhraseSearch", "Search by phrases, with weights and limits.")
        .def(nb::init<const BoundPhraseTable&, const NgramModel*, const Array<double>&, int, int, const std::string&, u32, double, u32,
                      std::int64_t, u32, u32, bool, std::uint64_t>(),
             "table"_a, nb::arg("lm").none(), nb::arg("weights").noconvert(), "from_column"_a, "to_column"_a, "unknown"_a, "stack"_a,
             "threshold"_a, "pop_limit"_a, "distortion_limit"_a, "table_limit"_a, "max_phrase"_a, "hierarchical"_a, "most"_a,
             nb::keep_alive<1, 2>(), nb::keep_alive<1, 3>())
        .def(
            "translate",
            [](const Search& search, const Sentences& sentences, const AllKnown& known, const Walls& walls, int n_jobs) {
                const Prepared prepared = search.prepare(sentences, known, walls);
                TranslationBatch batch;
                {
                    nb::gil_scoped_release unlocked;
                    batch = translate(search.model(), prepared.sentences, n_jobs);
                }
                return tuple_of(std::move(batch), prepared.more);
            },
            "sentences"_a, "known"_a.none(), "walls"_a.none(), "n_jobs"_a)
        .def(
            "kbest",
            [](const Search& search, const Sentences& sentences, const AllKnown& known, const Walls& walls, std::int64_t k,
               bool distinct, std::int64_t factor, int n_jobs) {
                check_k(k, factor);
                const Prepared prepared = search.prepare(sentences, known, walls);
                TranslationBatch batch;
                {
                    nb::gil_scoped_release unlocked;
                    batch = translate_kbest(search.model(), prepared.sentences, {k, distinct, factor}, n_jobs);
                }
                return tuple_of(std::move(batch), prepared.more);
            },
            "sentences"_a, "known"_a.none(), "walls"_a.none(), "k"_a, "distinct"_a, "factor"_a, "n_jobs"_a)
        .def(
            "graphs",
            [](const Search& search, const Sentences& sentences, const AllKnown& known, const Walls& walls, int n_jobs) {
                const Prepared prepared = search.prepare(sentences, known, walls);
                std::vector<SearchGraph> graphs;
                {
                    nb::gil_scoped_release unlocked;
                    graphs = search_graphs(search.model(), prepared.sentences, n_jobs);
                }
                return std::make_tuple(std::move(graphs), strings_of(prepared.more));
            },
            "sentences"_a, "known"_a.none(), "walls"_a.none(), "n_jobs"_a);
}

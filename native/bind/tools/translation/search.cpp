// Search by phrases: sentences of strings in, translations in flat arrays out.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <string>

#include "bind/bind.hpp"
#include "bind/tools/lm/query.hpp"
#include "bind/tools/translation/phrase_table.hpp"
#include "tools/translation/search/batch.hpp"

using namespace palmette;
using namespace nb::literals;

namespace {

using u32 = std::uint32_t;
template <class T>
using Numpy = nb::ndarray<nb::numpy, T, nb::ndim<1>>;
using Strings = std::vector<std::string>;
// What is known of a sentence: (begin, end, target words, exclusive) of fixed spans, forbidden phrases, the whole target.
using Fixed = std::tuple<u32, u32, Strings, bool>;
using Known = std::tuple<std::vector<Fixed>, std::vector<Strings>, std::optional<Strings>>;
using AllKnown = std::optional<std::vector<std::optional<Known>>>;
using Sentences = nb::typed<nb::list, nb::typed<nb::list, nb::str>>;
using Walls = std::optional<std::vector<nb::bytes>>;
// sentence_start, word_start, words, phrase_start, begin, end, pair, n_words, link_start, links, score, features, prefix,
// exact, more words.
using BatchTuple = std::tuple<Numpy<std::int64_t>, Numpy<std::int64_t>, Numpy<u32>, Numpy<std::int64_t>, Numpy<u32>, Numpy<u32>,
                              Numpy<u32>, Numpy<u32>, Numpy<std::int64_t>, Numpy<std::uint16_t>, Numpy<double>, Numpy<double>, Numpy<u32>,
                              Numpy<std::uint8_t>, Strings>;

std::string_view view_of(nb::handle word) {
    if (!PyUnicode_Check(word.ptr())) throw nb::type_error("a word is a string");
    Py_ssize_t size = 0;
    const char* data = PyUnicode_AsUTF8AndSize(word.ptr(), &size);
    if (!data) throw nb::python_error();
    return {data, static_cast<std::size_t>(size)};
}

// Sentences as numbers. Target words that the table does not have are numbered on behind its own.
struct Prepared {
    std::vector<u32> words, copies, more_lm_ids;
    std::vector<std::uint8_t> walls;
    std::vector<SourceSentence> sentences;
    WordTable more{false};
};

class Search {
public:
    Search(const BoundPhraseTable& table, const NgramModel* lm, const Array<double>& weights, int from, int to,
           const std::string& unknown, u32 stack, double threshold, u32 pop_limit, std::int64_t distortion_limit, u32 table_limit,
           u32 max_phrase, bool hierarchical, std::uint64_t most)
        : table_(table), lm_(lm), unknown_(unknown) {
        model_.table = table.view;
        model_.layout = {static_cast<int>(table.view.n_columns), static_cast<int>(table.view.n_reordering), from, to};
        const auto inside = [&](int column) { return column >= 0 && column <= model_.layout.n_reordering - 3; };
        require((from == -1 || inside(from)) && (to == -1 || inside(to)), "orientations are three columns of the table");
        require(weights.size() == static_cast<std::size_t>(model_.layout.size()), "expected one weight for each feature");
        for (const double weight : span_of(weights)) require(std::isfinite(weight), "a weight is not a finite number");
        require(unknown == "copy" || unknown == "drop" || unknown == "mark", "unknown words are copied, dropped or marked");
        require(threshold >= 0, "a threshold below 0");
        model_.weights.assign(weights.data(), weights.data() + weights.size());
        model_.limits = {stack, threshold, pop_limit, distortion_limit, table_limit, max_phrase, hierarchical, most};
        lm_ids_.resize(table.target_words.size());
        for (u32 word = 0; word < lm_ids_.size(); ++word) lm_ids_[word] = lm_id_of(table.target_words.word(word));
        model_.lm_ids = lm_ids_;
        if (lm) query_.emplace(lm->query());
        model_.lm = lm ? &*query_ : nullptr;
    }
    Search(const Search&) = delete;

    const SearchModel& model() const { return model_; }

    Prepared prepare(const Sentences& given, const AllKnown& known, const Walls& walls) const {
        Prepared made;
        std::vector<std::size_t> start{0};
        for (nb::handle sentence : given) {
            for (nb::handle word : nb::cast<nb::list>(sentence)) {
                const std::string_view text = view_of(word);
                made.words.push_back(table_.source_id(text));
                made.copies.push_back(unknown_ == "drop"   ? kNoWord
                                      : unknown_ == "copy" ? target_id(text, made)
                                                           : target_id("<unk>" + std::string(text) + "</unk>", made));
            }
            start.push_back(made.words.size());
        }
        const std::size_t n = start.size() - 1;
        require(!known || known->size() == n, "not as many known translations as sentences");
        require(!walls || walls->size() == n, "not as many walls as sentences");
        if (walls)
            for (std::size_t s = 0; s < n; ++s) {
                const nb::bytes& own = (*walls)[s];
                require(own.size() == start[s + 1] - start[s], "not one wall for each word");
                made.walls.insert(made.walls.end(), own.c_str(), own.c_str() + own.size());
            }
        made.sentences.resize(n);
        for (std::size_t s = 0; s < n; ++s) {
            SourceSentence& sentence = made.sentences[s];
            const std::size_t size = start[s + 1] - start[s];
            sentence.words = std::span<const u32>(made.words).subspan(start[s], size);
            sentence.copies = std::span<const u32>(made.copies).subspan(start[s], size);
            if (walls) sentence.walls = std::span<const std::uint8_t>(made.walls).subspan(start[s], size);
            if (known && (*known)[s]) add_known(*(*known)[s], sentence, made);
        }
        for (u32 word = 0; word < made.more.size(); ++word) made.more_lm_ids.push_back(lm_id_of(made.more.word(word)));
        for (SourceSentence& sentence : made.sentences) sentence.more_lm_ids = made.more_lm_ids;
        return made;
    }

private:
    u32 lm_id_of(std::string_view word) const {
        const u32 id = lm_ ? lm_->words().find(word) : WordTable::unknown;
        return id == WordTable::begin || id == WordTable::end ? WordTable::unknown : id;
    }

    u32 target_id(std::string_view word, Prepared& made) const {
        const u32 id = table_.target_words.find(word);
        if (id || (table_.target_words.size() && table_.target_words.word(0) == word)) return id;
        return table_.target_words.size() + made.more.intern(word);
    }

    std::vector<u32> target_ids(const Strings& words, Prepared& made) const {
        std::vector<u32> ids;
        for (const std::string& word : words) ids.push_back(target_id(word, made));
        return ids;
    }

    void add_known(const Known& known, SourceSentence& sentence, Prepared& made) const {
        const auto& [fixed, forbidden, target] = known;
        for (const auto& [begin, end, words, exclusive] : fixed) {
            require(begin < end && end <= sentence.size(), "a fixed translation lies outside its sentence");
            sentence.given.push_back({begin, end, target_ids(words, made), exclusive});
        }
        for (const Strings& phrase : forbidden) sentence.forbidden.push_back(target_ids(phrase, made));
        sentence.forced = target.has_value();
        if (target) sentence.target = target_ids(*target, made);
    }

    const BoundPhraseTable& table_;
    const NgramModel* lm_;
    std::string unknown_;
    std::vector<u32> lm_ids_;
    std::optional<NgramQuery> query_;
    SearchModel model_;
};

Strings strings_of(const WordTable& table) {
    Strings words;
    for (u32 word = 0; word < table.size(); ++word) words.emplace_back(table.word(word));
    return words;
}

BatchTuple tuple_of(TranslationBatch&& batch, const WordTable& more) {
    return {numpy_of(std::move(batch.sentence_start)), numpy_of(std::move(batch.word_start)), numpy_of(std::move(batch.words)),
            numpy_of(std::move(batch.phrase_start)),   numpy_of(std::move(batch.begin)),      numpy_of(std::move(batch.end)),
            numpy_of(std::move(batch.pair)),           numpy_of(std::move(batch.n_words)),    numpy_of(std::move(batch.link_start)),
            numpy_of(std::move(batch.links)),          numpy_of(std::move(batch.score)),      numpy_of(std::move(batch.features)),
            numpy_of(std::move(batch.prefix)),         numpy_of(std::move(batch.exact)),      strings_of(more)};
}

void check_k(std::int64_t k, std::int64_t factor) {
    require(k > 0 && factor > 0 && k < (std::int64_t{1} << 31) / factor, "a number of translations out of range");
}

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

// Counts of n-grams, metrics, and line searches over lists and graphs of translations.
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <memory>
#include <tuple>

#include "bind/bind.hpp"
#include "tools/translation/tuning/candidate_lists.hpp"
#include "tools/translation/tuning/character_matches.hpp"
#include "tools/translation/tuning/edits.hpp"
#include "tools/translation/tuning/mert.hpp"
#include "tools/translation/tuning/ngram_matches.hpp"
#include "tools/translation/tuning/translation_graphs.hpp"

using namespace palmette;

namespace {

template <class T>
using Numpy = nb::ndarray<nb::numpy, T, nb::ndim<1>>;
using NumpyPair = std::tuple<Numpy<double>, Numpy<double>>;

template <class T>
void check_all_finite(const Array<T>& values, const char* what) {
    bool good = true;
    for (size_t k = 0; k < values.size(); ++k) good &= std::isfinite(values.data()[k]);
    require(good, what);
}

Grouped grouped(const Array<int64_t>& texts, const Array<int64_t>& words, const Array<uint32_t>& ids) {
    require(texts.size() > 0 && words.size() > 0, "the boundaries begin with 0");
    check_boundaries(texts, texts.size() - 1, words.size() - 1, "the boundaries do not cut the texts into sentences");
    check_boundaries(words, words.size() - 1, ids.size(), "the boundaries do not cut the words into texts");
    return {span_of(texts), span_of(words), ids.data()};
}

void require_references(const Grouped& references, size_t n) {
    require(references.size() == n, "there must be references for every sentence");
    for (size_t s = 0; s < n; ++s) require(references.texts[s] < references.texts[s + 1], "a sentence has no reference");
}

// What Python holds: a source, the arrays that it looks at, and the metric.
struct TuningData {
    nb::object kept;
    std::unique_ptr<LineSource> source;
    Metric metric;

    const double* checked(const Array<double>& w) const {
        require(w.size() == source->n_features(), "there must be one weight per feature");
        check_all_finite(w, "weights must be finite");
        return w.data();
    }
};

struct BoundLists : TuningData {
    const CandidateLists* own;
};
struct BoundGraphs : TuningData {
    const TranslationGraphs* own;
};

NumpyPair curve(const TuningData& data, const Array<double>& w, const Array<double>& d) {
    const double *at = data.checked(w), *along = data.checked(d);
    std::vector<double> from, scores;
    {
        nb::gil_scoped_release release;
        ErrorSurface surface(data.source->n_counts());
        LineSource::Memory memory;
        data.source->trace(at, along, -1, memory, surface);
        surface.sweep(data.metric, [&](double begin, double, double score) {
            from.push_back(begin);
            scores.push_back(score);
        });
    }
    return {numpy_of(std::move(from)), numpy_of(std::move(scores))};
}

std::tuple<double, double> line_search(const TuningData& data, const Array<double>& w, const Array<double>& d) {
    const double *at = data.checked(w), *along = data.checked(d);
    nb::gil_scoped_release release;
    ErrorSurface surface(data.source->n_counts());
    LineSource::Memory memory;
    data.source->trace(at, along, -1, memory, surface);
    const LineOptimum best = best_on_line(surface, data.metric);
    return {best.x, best.score};
}

NumpyPair run_mert(const TuningData& data, const Array<double>& starts, const Array<uint8_t>& free, const Array<double>& scale,
                   size_t n_directions, size_t n_rounds, uint64_t seed, int n_jobs) {
    const size_t n = data.source->n_features();
    require(n > 0 && starts.size() > 0 && starts.size() % n == 0, "starts must be rows of weights");
    require(free.size() == n && scale.size() == n, "there must be one value per feature");
    check_all_finite(starts, "weights must be finite");
    check_all_finite(scale, "scales must be finite");
    MertResult found;
    {
        nb::gil_scoped_release release;
        found = mert(*data.source, data.metric, span_of(starts), {span_of(free), span_of(scale), n_directions, n_rounds, seed}, n_jobs);
    }
    return {numpy_of(std::move(found.weights)), numpy_of(std::move(found.scores))};
}

// The metric of each row of counts.
Numpy<double> row_scores(const Metric& metric, const Array<double>& counts) {
    require(metric.n_counts > 0 && counts.size() % metric.n_counts == 0, "counts must be rows");
    std::vector<double> scores;
    for (size_t k = 0; k < counts.size(); k += metric.n_counts) scores.push_back(metric(counts.data() + k));
    return numpy_of(std::move(scores));
}

}  // namespace

void bind_tuning(nb::module_& m) {
    using namespace nb::literals;
    const auto counting = [&m](const char* name, std::vector<float> (*count)(const Grouped&, const Grouped&, int), const char* about) {
        m.def(
            name,
            [count](const Array<int64_t>& texts, const Array<int64_t>& words, const Array<uint32_t>& ids, const Array<int64_t>& reference_texts,
                    const Array<int64_t>& reference_words, const Array<uint32_t>& reference_ids, int n_jobs) {
                const Grouped translations = grouped(texts, words, ids), references = grouped(reference_texts, reference_words, reference_ids);
                require_references(references, translations.size());
                std::vector<float> counts;
                {
                    nb::gil_scoped_release release;
                    counts = count(translations, references, n_jobs);
                }
                return numpy_of(std::move(counts));
            },
            "texts"_a.noconvert(), "words"_a.noconvert(), "ids"_a.noconvert(), "reference_texts"_a.noconvert(),
            "reference_words"_a.noconvert(), "reference_ids"_a.noconvert(), "n_jobs"_a, about);
    };
    counting("count_ngrams", count_ngrams, "The ten counts of BLEU for every translation, row after row.");
    counting("count_characters", count_characters, "The 18 counts of chrF for every translation, whose words are characters.");
    counting("count_edits", count_edits, "The two counts of TER for every translation, row after row.");
    nb::class_<Metric>(m, "TranslationMetric")
        .def(
            "__init__",
            [](Metric* place, int kind, int smoothing, double value, bool effective, double beta, size_t n_counts) {
                require(kind >= 0 && kind <= 2 && smoothing >= 0 && smoothing <= 3, "no such metric");
                require(kind == 0 ? n_counts == kBleuCounts : kind == 1 ? n_counts == 2 : n_counts > 0 && n_counts % 3 == 0, "the metric has another number of counts");
                new (place) Metric{static_cast<MetricKind>(kind), static_cast<Smoothing>(smoothing), value, effective, beta, n_counts};
            },
            "kind"_a, "smoothing"_a, "value"_a, "effective"_a, "beta"_a, "n_counts"_a,
            "kind: 0 bleu, 1 errors, 2 chrf; smoothing of BLEU: 0 none, 1 floor, 2 add, 3 exp.")
        .def("scores", row_scores, "counts"_a.noconvert());
    nb::class_<TuningData>(m, "TuningData")
        .def_prop_ro("n_features", [](const TuningData& data) { return data.source->n_features(); })
        .def(
            "score",
            [](const TuningData& data, const Array<double>& w) {
                const double* at = data.checked(w);
                nb::gil_scoped_release release;
                return data.source->score(data.metric, at);
            },
            "w"_a.noconvert(), "The metric of the translations that are best with weights w.")
        .def("curve", curve, "w"_a.noconvert(), "d"_a.noconvert(), "The metric along w + x d: where each interval begins, and its score.")
        .def("line_search", line_search, "w"_a.noconvert(), "d"_a.noconvert(), "The best x along w + x d, and its score.")
        .def("mert", run_mert, "starts"_a.noconvert(), "free"_a.noconvert(), "scale"_a.noconvert(), "n_directions"_a, "n_rounds"_a, "seed"_a, "n_jobs"_a,
             "Weights from each start, row after row, and their scores.");
    nb::class_<BoundLists, TuningData>(m, "TuningLists")
        .def(
            "__init__",
            [](BoundLists* place, const Metric& metric, const Array<int64_t>& lists, const Array<double>& features, size_t n_features, const Array<float>& counts) {
                require(lists.size() > 1, "there must be a list");
                const size_t n = static_cast<size_t>(std::max<int64_t>(0, lists.data()[lists.size() - 1]));
                check_boundaries(lists, lists.size() - 1, n, "the lists do not cut the candidates");
                require(n < (size_t{1} << 31), "there are too many candidates");
                for (size_t i = 0; i + 1 < lists.size(); ++i) require(lists.data()[i] < lists.data()[i + 1], "a list has no candidate");
                require(n_features > 0 && n_features < (size_t{1} << 20) && features.size() == n * n_features, "features must be a row for each candidate");
                require(counts.size() == n * metric.n_counts, "counts must be a row for each candidate");
                check_all_finite(features, "features must be finite");
                check_all_finite(counts, "counts must be finite");
                nb::list kept;
                kept.append(lists);
                kept.append(counts);
                nb::gil_scoped_release release;
                auto source = std::make_unique<CandidateLists>(span_of(lists), span_of(features), n_features, span_of(counts), metric.n_counts);
                const CandidateLists* own = source.get();
                nb::gil_scoped_acquire acquire;
                new (place) BoundLists{{kept, std::move(source), metric}, own};
            },
            "metric"_a, "lists"_a.noconvert(), "features"_a.noconvert(), "n_features"_a, "counts"_a.noconvert())
        .def(
            "best",
            [](const BoundLists& data, const Array<double>& w) {
                const double* at = data.checked(w);
                std::vector<int64_t> chosen;
                {
                    nb::gil_scoped_release release;
                    chosen = data.own->best(at);
                }
                return numpy_of(std::move(chosen));
            },
            "w"_a.noconvert(), "The best candidate of each list, the first of equals.");
    nb::class_<BoundGraphs, TuningData>(m, "TuningGraphs")
        .def(
            "__init__",
            [](BoundGraphs* place, const Metric& metric, const std::vector<nb::handle_t<Hypergraph>>& graphs, const std::vector<Array<double>>& features,
               const std::vector<Array<int64_t>>& begins, const std::vector<Array<int32_t>>& items, size_t n_features, const Array<int64_t>& reference_texts,
               const Array<int64_t>& reference_words, const Array<uint32_t>& reference_ids) {
                require(metric.kind == MetricKind::bleu, "graphs are tuned for BLEU");
                require(!graphs.empty() && n_features > 0, "there must be a graph and a feature");
                require(features.size() == graphs.size() && begins.size() == graphs.size() && items.size() == graphs.size(), "every graph has its arrays");
                const Grouped references = grouped(reference_texts, reference_words, reference_ids);
                require_references(references, graphs.size());
                nb::list kept;
                std::vector<TranslationGraph> all;
                for (size_t s = 0; s < graphs.size(); ++s) {
                    const Hypergraph& g = nb::cast<const Hypergraph&>(graphs[s]);
                    const size_t n = static_cast<size_t>(g.n_parts);
                    require(features[s].size() == n * n_features, "features must be a row for each part");
                    check_all_finite(features[s], "features must be finite");
                    check_boundaries(begins[s], n, items[s].size(), "the boundaries do not cut the words into parts");
                    all.push_back({&g, features[s].data(), span_of(begins[s]), span_of(items[s])});
                    kept.append(nb::make_tuple(graphs[s], features[s], begins[s], items[s]));
                }
                auto source = std::make_unique<TranslationGraphs>(std::move(all), references, n_features);
                const TranslationGraphs* own = source.get();
                new (place) BoundGraphs{{kept, std::move(source), metric}, own};
            },
            "metric"_a, "graphs"_a, "features"_a.noconvert(), "begins"_a.noconvert(), "items"_a.noconvert(), "n_features"_a, "reference_texts"_a.noconvert(),
            "reference_words"_a.noconvert(), "reference_ids"_a.noconvert())
        .def(
            "envelope",
            [](const BoundGraphs& data, size_t s, const Array<double>& w, const Array<double>& d) {
                const double *at = data.checked(w), *along = data.checked(d);
                require(s < data.own->size(), "there is no such graph");
                TranslationGraphs::Translations found;
                {
                    nb::gil_scoped_release release;
                    found = data.own->envelope(s, at, along);
                }
                return std::tuple(numpy_of(std::move(found.from)), numpy_of(std::move(found.words)), numpy_of(std::move(found.ids)));
            },
            "s"_a, "w"_a.noconvert(), "d"_a.noconvert(), "The translations of a graph along w + x d: where each begins to be best, and their words.");
}

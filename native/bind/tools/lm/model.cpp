// Language models: text to counts, counts to a model, and the model's arrays.
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <stdexcept>
#include <utility>

#include "bind/tools/lm/model.hpp"
#include "bind/bind.hpp"
#include "tools/lm/arpa.hpp"
#include "tools/lm/estimation.hpp"
#include "tools/lm/mixing.hpp"
#include "tools/lm/pruning.hpp"
#include "tools/lm/query.hpp"
#include "tools/lm/table.hpp"
#include "tools/lm/text.hpp"
#include "tools/lm/trie.hpp"

using namespace palmette;
using namespace nb::literals;

namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

// The counts of a text, and its words.
struct Counts {
    WordTable words;
    CountTrie trie;
};

std::string_view view_of(const nb::bytes& bytes) { return {bytes.c_str(), bytes.size()}; }

template <class T>
using Made = nb::ndarray<nb::numpy, T, nb::ndim<1>>;
using WordArrays = std::tuple<Made<std::uint8_t>, Made<std::int64_t>>;
using CountArrays = std::tuple<Made<u32>, Made<u32>, Made<u32>>;
using LevelParts = std::tuple<Made<std::uint8_t>, Made<std::uint8_t>, Made<u64>, Made<u32>, Made<float>>;

WordArrays word_arrays(const WordTable& words) {
    std::vector<std::uint8_t> text(words.text().begin(), words.text().end());
    std::vector<std::int64_t> offsets(words.offsets().begin(), words.offsets().end());
    return {numpy_of(std::move(text)), numpy_of(std::move(offsets))};
}

nb::ndarray<nb::numpy, u64, nb::ndim<2>> numpy_of_lines(TableLines&& lines) {
    auto owned = std::make_unique<TableLines>(std::move(lines));
    void* data = owned->data();
    const std::size_t n = owned->size();
    nb::capsule owner(owned.release(), [](void* p) noexcept { delete static_cast<TableLines*>(p); });
    return {data, {n, 8}, owner};
}

void check_thresholds(const std::vector<u32>& thresholds) {
    for (std::size_t i = 1; i < thresholds.size(); ++i)
        if (thresholds[i] < thresholds[i - 1]) throw std::invalid_argument("thresholds that fall with the order");
}

// The values of level 0, with −0 where no n-gram begins with a word.
std::vector<float> unigram_values(const BackoffModel& model) {
    const NgramLevel& level = model.levels[0];
    std::vector<float> values(2 * level.probs.size());
    for (std::size_t w = 0; w < level.probs.size(); ++w) {
        values[2 * w] = level.probs[w];
        float backoff = model.order() > 1 ? level.backoffs[w] : -0.0f;
        if (backoff == 0) backoff = model.order() > 1 && level.starts[w] < level.starts[w + 1] ? 0.0f : -0.0f;
        values[2 * w + 1] = backoff;
    }
    return values;
}

NgramPlain plain_of_counts(Counts& counts, const std::string& smoothing, const std::vector<u32>& thresholds, double discount,
                           double concentration, int n_jobs, std::vector<int>& fallbacks,
                           std::vector<std::vector<double>>& discounts) {
    static const std::vector<std::string> names{"maximum-likelihood",   "dirichlet",  "katz", "katz-absolute",
                                                "absolute-discounting", "kneser-ney", "modified-kneser-ney"};
    const auto found = std::find(names.begin(), names.end(), smoothing);
    if (found == names.end()) throw std::invalid_argument("no such smoothing");
    if (counts.trie.levels.empty()) throw std::invalid_argument("these counts have been used");
    check_thresholds(thresholds);
    EstimationOptions options{static_cast<Smoothing>(found - names.begin()), thresholds, discount, concentration, n_jobs};
    Estimate made = estimate(std::move(counts.trie), options);
    counts.trie = {};
    WordTable words = std::exchange(counts.words, WordTable());
    for (NgramLevel& level : made.model.levels) level.suffixes = {};
    fallbacks = made.fallbacks;
    for (const LevelRule& rule : made.rules) {
        std::vector<double> row(rule.off.begin() + 1, rule.off.end());
        row.push_back(rule.off_more);
        row.push_back(rule.mu);
        discounts.push_back(std::move(row));
    }
    return {std::move(words), std::move(made.model)};
}

}  // namespace

void bind_ngram(nb::module_& m) {
    nb::class_<NgramText>(m, "NgramText", "Text as numbers of words.")
        .def(nb::init<>())
        .def(
            "add",
            [](NgramText& text, const nb::bytes& lines, bool skip_marks, int n_jobs) {
                const std::string_view view = view_of(lines);
                nb::gil_scoped_release unlocked;
                text.add(view, skip_marks ? NgramText::Marks::skip : NgramText::Marks::fail, n_jobs);
            },
            "lines"_a, "skip_marks"_a = false, "n_jobs"_a = 1)
        .def(
            "expect", [](NgramText& text, u64 n_bytes) { text.expect(n_bytes); }, "n_bytes"_a,
            "Make room for a text of about n_bytes bytes.")
        .def("intern", [](NgramText& text, const std::string& word) { return text.words.intern(word); }, "word"_a)
        .def_prop_ro("n_tokens", [](const NgramText& text) { return text.tokens.size(); })
        .def_prop_ro("n_lines", [](const NgramText& text) { return text.n_lines; })
        .def_prop_ro("n_words", [](const NgramText& text) { return text.words.size(); })
        .def("word_counts", [](const NgramText& text) { return numpy_of(text.word_counts()); })
        .def("words", [](const NgramText& text) { return word_arrays(text.words); })
        .def(
            "keep",
            [](NgramText& text, const Array<std::uint8_t>& kept) {
                if (kept.size() != text.words.size()) throw std::invalid_argument("not one number for each word");
                text.keep({kept.data(), kept.data() + kept.size()});
            },
            nb::arg("kept").noconvert())
        .def(
            "number_as",
            [](NgramText& text, const Array<std::uint8_t>& utf8, const Array<std::int64_t>& offsets) {
                const WordTable all = checked_words(utf8, offsets);
                nb::gil_scoped_release unlocked;
                text.number_as(all);
            },
            nb::arg("text").noconvert(), nb::arg("offsets").noconvert(), "Gives the words the numbers that they have among these.")
        .def(
            "sentence_end",
            [](const NgramText& text, u64 place) {
                while (place < text.tokens.size() && text.tokens[place] != WordTable::end) ++place;
                return std::min<u64>(place + 1, text.tokens.size());
            },
            "place"_a, "Where the sentence that a place is in ends.")
        .def(
            "count",
            [](const NgramText& text, int order, u64 first, u64 last, int n_jobs) {
                if (order < 1 || order > kMaxOrder) throw std::invalid_argument("an order outside 1 … 9");
                if (first > last || last > text.tokens.size() ||
                    (first < last && (text.tokens[first] != WordTable::begin || text.tokens[last - 1] != WordTable::end)))
                    throw std::invalid_argument("a part of the text that is not whole sentences");
                nb::gil_scoped_release unlocked;
                const std::span<const u32> part(text.tokens.data() + first, last - first);
                return Counts{text.words, count_ngrams(part, text.words.size(), order, n_jobs)};
            },
            "order"_a, "first"_a, "last"_a, "n_jobs"_a = 1, "Counts the n-grams of some sentences.")
        .def("clear", [](NgramText& text) { text.tokens = {}; }, "Forgets the text; its words stay.");

    nb::class_<Counts>(m, "NgramCounts", "Counts of n-grams.")
        .def_static(
            "from_arrays",
            [](const Array<std::uint8_t>& text, const Array<std::int64_t>& offsets,
               const std::vector<std::tuple<Array<u32>, Array<u32>, Array<u32>>>& levels) {
                return Counts{checked_words(text, offsets), checked_counts(levels, offsets.size() - 1)};
            },
            "text"_a, "offsets"_a, "levels"_a)
        .def("arrays",
             [](const Counts& counts) {
                 std::vector<CountArrays> levels;
                 for (const CountLevel& level : counts.trie.levels)
                     levels.push_back({numpy_of(Ids(level.words)), numpy_of(Ids(level.starts)), numpy_of(Ids(level.counts))});
                 return levels;
             })
        .def_prop_ro("sizes",
                     [](const Counts& counts) {
                         std::vector<u64> sizes;
                         for (const CountLevel& level : counts.trie.levels) sizes.push_back(level.counts.size());
                         return sizes;
                     })
        .def(
            "cut",
            [](Counts& counts, int order) {
                if (order < 1 || order > counts.trie.order()) throw std::invalid_argument("the counts do not have this order");
                counts.trie.levels.resize(order);
                counts.trie.levels.back().starts = {};
            },
            "order"_a, "Forgets longer n-grams.")
        .def(
            "merge",
            [](Counts& counts, const Counts& more, int n_jobs) {
                if (counts.trie.order() != more.trie.order()) throw std::invalid_argument("counts of different orders");
                for (u32 w = 0; w < std::min(counts.words.size(), more.words.size()); ++w)
                    if (counts.words.word(w) != more.words.word(w))
                        throw std::invalid_argument("counts whose words have different numbers");
                nb::gil_scoped_release unlocked;
                counts.trie = merge_counts(counts.trie, more.trie);
                if (more.words.size() > counts.words.size()) counts.words = more.words;
                link_suffixes(counts.trie, n_jobs);
            },
            "more"_a, "n_jobs"_a = 1, "Adds other counts, whose words have the same numbers as far as both have them.")
        .def(
            "estimate",
            [](Counts& counts, const std::string& smoothing, const std::vector<u32>& thresholds, double discount,
               double concentration, int n_jobs) {
                std::vector<int> fallbacks;
                std::vector<std::vector<double>> discounts;
                NgramPlain plain;
                {
                    nb::gil_scoped_release unlocked;
                    plain = plain_of_counts(counts, smoothing, thresholds, discount, concentration, n_jobs, fallbacks,
                                            discounts);
                }
                return std::make_tuple(std::move(plain), discounts, fallbacks);
            },
            "smoothing"_a, "thresholds"_a, "discount"_a, "concentration"_a, "n_jobs"_a = 1,
            "A model, discounts by order, and the orders that had to fall back; the counts are gone.");

    nb::class_<NgramPlain>(m, "NgramPlain", "A backoff model as plain arrays.")
        .def_prop_ro("sizes",
                     [](const NgramPlain& plain) {
                         std::vector<u64> sizes;
                         for (const NgramLevel& level : plain.model.levels) sizes.push_back(level.probs.size());
                         return sizes;
                     })
        .def("words", [](const NgramPlain& plain) { return word_arrays(plain.words); })
        .def("unigrams", [](const NgramPlain& plain) { return numpy_of(unigram_values(plain.model)); })
        .def(
            "pack",
            [](const NgramPlain& plain, int quantize, int n_jobs) {
                if (quantize && (quantize < 2 || quantize > 16)) throw std::invalid_argument("bits outside 2 … 16");
                std::vector<PackedLevel> levels;
                {
                    nb::gil_scoped_release unlocked;
                    levels = pack(plain.model, quantize, n_jobs);
                }
                std::vector<LevelParts> parts;
                for (PackedLevel& level : levels)
                    parts.push_back({numpy_of(std::move(level.records)), numpy_of(std::move(level.starts.low)),
                                     numpy_of(std::move(level.starts.high)), numpy_of(std::move(level.starts.samples)),
                                     numpy_of(std::move(level.codes))});
                return parts;
            },
            "quantize"_a, "n_jobs"_a = 1)
        .def(
            "table",
            [](const NgramPlain& plain, int n_jobs) {
                u64 seed = 0;
                TableLines lines;
                {
                    nb::gil_scoped_release unlocked;
                    lines = make_table(plain.model, seed, n_jobs);
                }
                return std::make_tuple(numpy_of_lines(std::move(lines)), seed);
            },
            "n_jobs"_a = 1)
        .def("arpa_head", [](const NgramPlain& plain) { return arpa_head(plain.model); })
        .def(
            "arpa_lines",
            [](const NgramPlain& plain, int level, u32 first, u32 last) {
                if (level < 0 || level >= plain.model.order() || last > plain.model.size(level))
                    throw std::invalid_argument("these n-grams do not exist");
                std::string text;
                {
                    nb::gil_scoped_release unlocked;
                    text = arpa_lines(plain.model, plain.words, level, first, last);
                }
                return nb::bytes(text.data(), text.size());
            },
            "level"_a, "first"_a, "last"_a)
        .def_static(
            "from_arpa",
            [](const Array<std::uint8_t>& text) {
                Arpa arpa;
                std::int64_t line = 0;
                std::string message;
                {
                    nb::gil_scoped_release unlocked;
                    try {
                        arpa = read_arpa({reinterpret_cast<const char*>(text.data()), text.size()});
                    } catch (const ArpaError& error) {
                        line = error.line;
                        message = error.what();
                    }
                }
                return std::make_tuple(NgramPlain{std::move(arpa.words), std::move(arpa.model)}, line, message);
            },
            nb::arg("text").noconvert(), "The model, or the line and the fault.")
        .def(
            "prune",
            [](NgramPlain& plain, double threshold) {
                nb::gil_scoped_release unlocked;
                prune(plain.model, threshold);
            },
            "threshold"_a)
        .def_static(
            "mix",
            [](const std::vector<const NgramPlain*>& models, const std::vector<double>& weights) {
                if (models.empty() || models.size() != weights.size())
                    throw std::invalid_argument("not one weight for each model");
                std::vector<MixturePart> parts;
                for (std::size_t i = 0; i < models.size(); ++i)
                    parts.push_back({&models[i]->words, &models[i]->model, weights[i]});
                NgramPlain plain;
                nb::gil_scoped_release unlocked;
                plain.model = mix(parts, plain.words);
                return plain;
            },
            "models"_a, "weights"_a);
}

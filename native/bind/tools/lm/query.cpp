// Language models: queries of the arrays of a model file.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <stdexcept>

#include "bind/bind.hpp"
#include "bind/tools/lm/model.hpp"
#include "bind/tools/lm/query.hpp"
#include "tools/lm/query.hpp"

using namespace palmette;
using namespace nb::literals;

namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

using SentenceList = nb::typed<nb::list, nb::str>;

std::string_view text_of(nb::handle object) {
    if (PyBytes_Check(object.ptr())) {
        char* data = nullptr;
        Py_ssize_t size = 0;
        if (PyBytes_AsStringAndSize(object.ptr(), &data, &size)) throw nb::python_error();
        return {data, static_cast<std::size_t>(size)};
    }
    if (!PyUnicode_Check(object.ptr())) throw nb::type_error("a sentence is a string");
    Py_ssize_t size = 0;
    const char* data = PyUnicode_AsUTF8AndSize(object.ptr(), &size);
    if (!data) throw nb::python_error();
    return {data, static_cast<std::size_t>(size)};
}

std::vector<std::string_view> texts_of(const SentenceList& sentences) {
    std::vector<std::string_view> texts;
    texts.reserve(sentences.size());
    for (nb::handle sentence : sentences) texts.push_back(text_of(sentence));
    return texts;
}

nb::typed<nb::tuple, int, nb::ellipsis> state_words(const NgramState& state) {
    nb::list words;
    for (int k = state.length; k--;) words.append(state.words[k]);
    return nb::borrow<nb::typed<nb::tuple, int, nb::ellipsis>>(nb::tuple(words));
}

}  // namespace

WordTable checked_words(const Array<std::uint8_t>& text, const Array<std::int64_t>& offsets) {
    require(offsets.size() > 0 && offsets.data()[0] == 0 &&
                static_cast<u64>(offsets.data()[offsets.size() - 1]) == text.size() &&
                std::is_sorted(offsets.data(), offsets.data() + offsets.size()),
            "words that are not cut out of their text");
    return WordTable({reinterpret_cast<const char*>(text.data()), text.size()}, span_of(offsets));
}

CountTrie checked_counts(const std::vector<std::tuple<Array<u32>, Array<u32>, Array<u32>>>& levels, std::size_t n_words) {
    require(!levels.empty() && levels.size() <= kMaxOrder, "not between one and nine orders");
    CountTrie trie;
    for (std::size_t k = 0; k < levels.size(); ++k) {
        const auto& [words, starts, counts] = levels[k];
        const bool last = k + 1 == levels.size();
        require(k ? words.size() == counts.size() : counts.size() == n_words, "not one word for each count");
        require(last || (starts.size() == counts.size() + 1 && starts.data()[0] == 0 &&
                         starts.data()[starts.size() - 1] == std::get<2>(levels[k + 1]).size() &&
                         std::is_sorted(starts.data(), starts.data() + starts.size())),
                "starts that cut no list of n-grams");
        for (std::size_t i = 0; i < words.size(); ++i) require(words.data()[i] < n_words, "a word does not exist");
        trie.levels.push_back({Ids(words.data(), words.data() + words.size()),
                               last ? Ids() : Ids(starts.data(), starts.data() + starts.size()),
                               Ids(counts.data(), counts.data() + counts.size()),
                               {}});
    }
    for (std::size_t k = 0; k + 1 < levels.size(); ++k) {
        const Ids& below = trie.levels[k + 1].words;
        for (std::size_t i = 0; i + 1 < trie.levels[k].starts.size(); ++i)
            for (u32 c = trie.levels[k].starts[i] + 1; c < trie.levels[k].starts[i + 1]; ++c)
                require(below[c - 1] < below[c], "n-grams that are out of order");
    }
    link_suffixes(trie, 1);
    for (std::size_t k = 1; k < levels.size(); ++k)
        for (std::size_t i = 0; i < trie.levels[k].words.size(); ++i) {
            const u32 suffix = trie.levels[k].suffixes[i];
            require(suffix < trie.levels[k - 1].counts.size() &&
                        (k == 1 ? suffix : trie.levels[k - 1].words[suffix]) == trie.levels[k].words[i],
                    "an n-gram whose end was not counted");
        }
    return trie;
}

void bind_ngram_query(nb::module_& m) {
    nb::class_<NgramState>(m, "NgramState", "What a history means to the words after it.")
        .def(nb::init<>())
        .def_prop_ro("words", &state_words, "The numbers of the words that matter, in the order of the text.")
        .def_prop_ro("backoffs",
                     [](const NgramState& state) {
                         return std::vector<float>(state.backoffs.begin(), state.backoffs.begin() + state.length);
                     })
        .def("__eq__",
             [](const NgramState& a, nb::handle b) {
                 return nb::isinstance<NgramState>(b) && a == nb::cast<const NgramState&>(b);
             })
        .def("__hash__",
             [](const NgramState& state) {
                 u64 key = state.length;
                 for (int k = 0; k < state.length; ++k) key = combine(key, state.words[k]);
                 return static_cast<std::int64_t>(key >> 1);
             })
        .def("__getstate__",
             [](const NgramState& state) {
                 std::vector<u32> words(state.words.begin(), state.words.begin() + state.length);
                 std::vector<float> backoffs(state.backoffs.begin(), state.backoffs.begin() + state.length);
                 return std::make_tuple(words, backoffs);
             })
        .def("__setstate__", [](NgramState& state, const std::tuple<std::vector<u32>, std::vector<float>>& parts) {
            const auto& [words, backoffs] = parts;
            require(words.size() < kMaxOrder && words.size() == backoffs.size(), "no state of a language model");
            new (&state) NgramState();
            state.length = static_cast<std::uint8_t>(words.size());
            std::copy(words.begin(), words.end(), state.words.begin());
            std::copy(backoffs.begin(), backoffs.end(), state.backoffs.begin());
        });

    nb::class_<NgramModel>(m, "NgramModel", "A language model over the arrays of its file.")
        .def(nb::init<const Array<std::uint8_t>&, const Array<std::int64_t>&, const Array<float>&,
                      const std::vector<NgramLevelArrays>&, int, const std::optional<NgramLines>&, u64>(),
             nb::arg("text").noconvert(), nb::arg("offsets").noconvert(), nb::arg("unigrams").noconvert(),
             nb::arg("levels").noconvert(), "quantize"_a, nb::arg("table").noconvert().none(), "seed"_a)
        .def_prop_ro("order", &NgramModel::order)
        .def_prop_ro("n_words", [](const NgramModel& model) { return model.words().size(); })
        .def("find", [](const NgramModel& model, nb::handle word) { return model.words().find(text_of(word)); }, "word"_a)
        .def("contains", [](const NgramModel& model, nb::handle word) { return model.words().contains(text_of(word)); }, "word"_a)
        .def(
            "word",
            [](const NgramModel& model, u32 id) {
                require(id < model.words().size(), "a word does not exist");
                return to_str(model.words().word(id));
            },
            "id"_a)
        .def(
            "score",
            [](const NgramModel& model, nb::handle sentence, bool begins, bool ends) {
                const std::string_view text = text_of(sentence);
                double total = 0;
                model.query().score({&text, 1}, begins, ends, 1, {&total, 1});
                return total;
            },
            "sentence"_a, "begins"_a = true, "ends"_a = true)
        .def(
            "score_batch",
            [](const NgramModel& model, const SentenceList& sentences, bool begins, bool ends, int n_jobs) {
                const std::vector<std::string_view> texts = texts_of(sentences);
                std::vector<double> totals(texts.size());
                {
                    nb::gil_scoped_release unlocked;
                    model.query().score(texts, begins, ends, n_jobs, totals);
                }
                return numpy_of(std::move(totals));
            },
            "sentences"_a, "begins"_a, "ends"_a, "n_jobs"_a)
        .def(
            "word_scores",
            [](const NgramModel& model, const SentenceList& sentences, bool begins, bool ends, int n_jobs) {
                const std::vector<std::string_view> texts = texts_of(sentences);
                WordScores all;
                {
                    nb::gil_scoped_release unlocked;
                    all = model.query().score_words(texts, begins, ends, n_jobs);
                }
                return std::make_tuple(numpy_of(std::move(all.log_probs)), numpy_of(std::move(all.lengths)),
                                       numpy_of(std::move(all.unknown)), numpy_of(std::move(all.bounds)));
            },
            "sentences"_a, "begins"_a, "ends"_a, "n_jobs"_a)
        .def(
            "full_scores",
            [](const NgramModel& model, nb::handle sentence, bool begins, bool ends) {
                const std::string_view text = text_of(sentence);
                const WordScores all = model.query().score_words({&text, 1}, begins, ends, 1);
                nb::list list;
                for (std::size_t i = 0; i < all.log_probs.size(); ++i)
                    list.append(nb::make_tuple(all.log_probs[i], int{all.lengths[i]}, all.unknown[i] != 0));
                return nb::borrow<nb::typed<nb::list, nb::typed<nb::tuple, double, int, bool>>>(list);
            },
            "sentence"_a, "begins"_a, "ends"_a)
        .def("begin", [](const NgramModel& model) { return model.query().begin(); })
        .def(
            "advance",
            [](const NgramModel& model, const NgramState& state, nb::handle word) {
                for (int k = 0; k < state.length; ++k)
                    require(state.words[k] < model.words().size() && state.length < model.order(), "a state of another model");
                NgramState next;
                const WordScore score = model.query().score(state, model.words().find(text_of(word)), next);
                return std::make_tuple(score.log_prob, int{score.length}, score.unknown, next);
            },
            "state"_a, "word"_a)
        .def(
            "distribution",
            [](const NgramModel& model, const NgramState& state) {
                for (int k = 0; k < state.length; ++k)
                    require(state.words[k] < model.words().size() && state.length < model.order(), "a state of another model");
                std::vector<float> probs;
                {
                    nb::gil_scoped_release unlocked;
                    probs = model.query().distribution(state);
                }
                return numpy_of(std::move(probs));
            },
            "state"_a)
        .def("unpack", [](const NgramModel& model) {
            NgramPlain plain;
            nb::gil_scoped_release unlocked;
            plain.words = model.words();
            plain.model = model.trie().unpack();
            return plain;
        });
}

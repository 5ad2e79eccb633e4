// Bitexts and the passes of word alignment over them.
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <stdexcept>
#include <tuple>

#include "bind/bind.hpp"
#include "tools/alignment/lexical_lookup.hpp"
#include "tools/alignment/word_alignment.hpp"
#include "tools/alignment/word_exchange.hpp"

using namespace palmette;

namespace {

using Doubles = nb::ndarray<nb::numpy, double, nb::ndim<1>>;
using Floats = nb::ndarray<nb::numpy, float, nb::ndim<1>>;
using Ints = nb::ndarray<nb::numpy, int32_t, nb::ndim<1>>;
using Longs = nb::ndarray<nb::numpy, int64_t, nb::ndim<1>>;

Side checked_side(const Array<int64_t>& offsets, const Array<int32_t>& words, size_t n_words) {
    const auto at = span_of(offsets);
    require(!at.empty() && at.front() == 0 && at.back() == static_cast<int64_t>(words.size()), "offsets must go from 0 to the number of words");
    for (size_t s = 1; s < at.size(); ++s) require(at[s - 1] <= at[s], "offsets must not fall");
    for (const int32_t word : span_of(words)) require(word >= 0 && static_cast<size_t>(word) < n_words, "a word is not in the vocabulary");
    return {at, span_of(words)};
}

const float* checked_t(const Bitext& b, const Array<float>& t) {
    require(t.size() == b.n_pairs(), "there must be one probability for every pair of words");
    return t.data();
}

Independent independent(const Bitext& b, const Array<float>& t, const Array<float>& position, float p0, float tension) {
    require(!position.size() || position.size() == static_cast<size_t>(b.shape_at().back()), "there must be one probability for every place of every shape");
    require(p0 >= 0 && p0 < 1, "p0 is a probability");
    require(tension >= 0 && tension <= 100, "a tension is from 0 to 100");
    return {checked_t(b, t), position.size() ? position.data() : nullptr, p0, tension};
}

Jumps jumps(const Bitext& b, const Array<float>& t, const Array<float>& jump, const Array<float>& first, const Array<float>& last, float p0) {
    require(jump.size() % 2 == 1, "there must be as many jumps back as forth, and that to the same place");
    require(first.size() >= 2, "there must be a weight for the first place");
    require(p0 >= 0 && p0 < 1, "p0 is a probability");
    return {checked_t(b, t), span_of(jump), span_of(first), span_of(last), p0};
}

// Where the [l][m] of every sentence begins, or its [m].
std::vector<int64_t> table_offsets(const Bitext& b, bool words) {
    std::vector<int64_t> at(b.size() + 1, 0);
    for (size_t s = 0; s < b.size(); ++s) at[s + 1] = at[s] + static_cast<int64_t>((words ? 1 : b.l(s)) * b.m(s));
    return at;
}

template <class Model>
std::tuple<Longs, Floats> all_posteriors(const Bitext& b, const Model& model, int n_jobs) {
    std::vector<int64_t> at = table_offsets(b, false);
    std::vector<float> out(static_cast<size_t>(at.back()));
    {
        nb::gil_scoped_release release;
        posteriors(b, model, n_jobs, at, out.data());
    }
    return {numpy_of(std::move(at)), numpy_of(std::move(out))};
}

template <class Model>
Ints all_best(const Bitext& b, const Model& model, int n_jobs) {
    const std::vector<int64_t> at = table_offsets(b, true);
    std::vector<int32_t> out(static_cast<size_t>(at.back()));
    {
        nb::gil_scoped_release release;
        best(b, model, n_jobs, at, out.data());
    }
    return numpy_of(std::move(out));
}

IndependentCounts empty_counts(const Bitext& b, const Independent& model) {
    IndependentCounts counts;
    counts.pairs.resize(b.n_pairs());
    counts.positions.resize(model.position ? static_cast<size_t>(b.shape_at().back()) : 0);
    return counts;
}

JumpCounts empty_counts(const Bitext& b, const Jumps& model) {
    JumpCounts counts;
    counts.pairs.resize(b.n_pairs());
    counts.jump.resize(model.jump.size());
    counts.first.resize(model.first.size());
    counts.last.resize(model.last.size());
    return counts;
}

std::tuple<Doubles, Doubles, Doubles> arrays_of(IndependentCounts&& counts) {
    return {numpy_of(std::move(counts.pairs)), numpy_of(std::move(counts.positions)),
            numpy_of(std::vector<double>{counts.null, counts.all, counts.distance, counts.mean, counts.variance})};
}

std::tuple<Doubles, Doubles, Doubles, Doubles, Doubles> arrays_of(JumpCounts&& counts) {
    return {numpy_of(std::move(counts.pairs)), numpy_of(std::move(counts.jump)), numpy_of(std::move(counts.first)), numpy_of(std::move(counts.last)),
            numpy_of(std::vector<double>{counts.null, counts.all})};
}

void require_mirror(const Bitext& b, const Bitext& mirror) {
    require(b.size() == mirror.size(), "both directions must have as many sentences");
    for (size_t s = 0; s < b.size(); ++s) require(b.l(s) == mirror.m(s) && b.m(s) == mirror.l(s), "the sides of one direction must be those of the other, turned");
}

template <class T>
auto copied(const std::vector<T>& values) {
    return numpy_of(std::vector<T>(values));
}

}  // namespace

void bind_alignment(nb::module_& m) {
    using namespace nb::literals;
    nb::class_<Bitext>(m, "Bitext", "Sentence pairs in which every pair of words that meet has a number; NULL is the first source word.")
        .def(
            "__init__",
            [](Bitext* self, const Array<int64_t>& source_offsets, const Array<int32_t>& source, const Array<int64_t>& target_offsets,
               const Array<int32_t>& target, size_t n_source, size_t n_target) {
                const Side e = checked_side(source_offsets, source, n_source), f = checked_side(target_offsets, target, n_target);
                require(e.offsets.size() == f.offsets.size(), "both sides must have as many sentences");
                nb::gil_scoped_release release;
                new (self) Bitext(e, f, n_source, n_target);
            },
            "source_offsets"_a.noconvert(), "source"_a.noconvert(), "target_offsets"_a.noconvert(), "target"_a.noconvert(), "n_source"_a, "n_target"_a)
        .def(
            "liken",
            [](Bitext& self, const std::vector<std::string>& source, const std::vector<std::string>& target) {
                require(source.size() + 2 == self.first_of().size() && target.size() == self.n_target(), "there must be a spelling of every word");
                nb::gil_scoped_release release;
                self.liken(std::vector<std::string_view>(source.begin(), source.end()), std::vector<std::string_view>(target.begin(), target.end()));
            },
            "source"_a, "target"_a, "Compare the spellings of the words of every pair; `alike` has what comes out.")
        .def_prop_ro("alike", [](const Bitext& b) { return copied(b.alike()); }, nb::rv_policy::automatic, "How alike the words of every pair are spelt, 0 to 1; empty before `liken`.")
        .def(
            "exchange_classes",
            [](const Bitext& b, bool target, size_t n_classes, int n_passes) {
                require(n_classes >= 1 && n_classes <= 1000, "there must be 1 to 1000 classes");
                std::vector<int64_t> offsets{0};
                std::vector<int32_t> words;
                for (size_t s = 0; s < b.size(); ++s) {
                    const int32_t* begin = target ? b.target(s) : b.source(s);
                    words.insert(words.end(), begin, begin + (target ? b.m(s) : b.l(s)));
                    offsets.push_back(static_cast<int64_t>(words.size()));
                }
                nb::gil_scoped_release release;
                ExchangedClasses found = exchange_classes(offsets, words, target ? b.n_target() : b.first_of().size() - 2, n_classes, n_passes);
                nb::gil_scoped_acquire acquire;
                return std::tuple<Ints, double>(numpy_of(std::move(found.of)), found.log_likelihood);
            },
            "target"_a, "n_classes"_a, "n_passes"_a, "Classes of the words of one side that make its bigrams of classes most probable, and that log-likelihood.")
        .def("__len__", &Bitext::size)
        .def_prop_ro("n_pairs", &Bitext::n_pairs)
        .def_prop_ro("n_target", &Bitext::n_target)
        .def_prop_ro("first_of", [](const Bitext& b) { return copied(b.first_of()); }, nb::rv_policy::automatic)
        .def_prop_ro("target_of", [](const Bitext& b) { return copied(b.target_of()); }, nb::rv_policy::automatic)
        .def_prop_ro("shape_lengths", [](const Bitext& b) { return copied(b.shape_lengths()); }, nb::rv_policy::automatic)
        .def("part", [](const Bitext& b, size_t begin, size_t end) { return b.part(begin, end); }, "begin"_a, "end"_a,
             "Some of the sentence pairs; pairs of words keep their numbers.")
        .def(
            "links",
            [](const Bitext& b, size_t s) {
                require(s < b.size(), "there is no sentence pair with this number");
                const uint32_t* links = b.links(s);
                return numpy_of(std::vector<uint32_t>(links, links + (b.l(s) + 1) * b.m(s)));
            },
            "s"_a, "The numbers of a sentence's pairs of words, [1 + source][target], NULL first.")
        .def_prop_ro("lengths", [](const Bitext& b) {
                 std::vector<int32_t> l(b.size()), m(b.size());
                 for (size_t s = 0; s < b.size(); ++s) l[s] = static_cast<int32_t>(b.l(s)), m[s] = static_cast<int32_t>(b.m(s));
                 return std::tuple<Ints, Ints>(numpy_of(std::move(l)), numpy_of(std::move(m)));
             }, nb::rv_policy::automatic)
        .def(
            "expect_independent",
            [](const Bitext& b, const Array<float>& t, const Array<float>& position, float p0, float tension, int n_jobs) {
                const Independent model = independent(b, t, position, p0, tension);
                IndependentCounts counts = empty_counts(b, model);
                double loss = 0;
                {
                    nb::gil_scoped_release release;
                    loss = expect(b, model, n_jobs, counts);
                }
                return std::tuple(loss, arrays_of(std::move(counts)));
            },
            "t"_a.noconvert(), "position"_a.noconvert(), "p0"_a, "tension"_a, "n_jobs"_a,
            "The log-likelihood, and expected counts: pairs, places, and of NULL, words, distances, their means and variances.")
        .def(
            "expect_jumps",
            [](const Bitext& b, const Array<float>& t, const Array<float>& jump, const Array<float>& first, const Array<float>& last, float p0, int n_jobs) {
                const Jumps model = jumps(b, t, jump, first, last, p0);
                JumpCounts counts = empty_counts(b, model);
                double loss = 0;
                {
                    nb::gil_scoped_release release;
                    loss = expect(b, model, n_jobs, counts);
                }
                return std::tuple(loss, arrays_of(std::move(counts)));
            },
            "t"_a.noconvert(), "jump"_a.noconvert(), "first"_a.noconvert(), "last"_a.noconvert(), "p0"_a, "n_jobs"_a,
            "The log-likelihood, and expected counts: pairs, jumps, first and last places, and of NULL and words.")
        .def(
            "agree_independent",
            [](const Bitext& b, const Bitext& mirror, const Array<float>& t, const Array<float>& back_t, float p0, float tension, float back_tension, int n_jobs) {
                require_mirror(b, mirror);
                const Independent forth{checked_t(b, t), nullptr, p0, tension}, back{checked_t(mirror, back_t), nullptr, p0, back_tension};
                require(p0 >= 0 && p0 < 1, "p0 is a probability");
                require(tension >= 0 && tension <= 100 && back_tension >= 0 && back_tension <= 100, "a tension is from 0 to 100");
                IndependentCounts counts = empty_counts(b, forth), mirrored = empty_counts(mirror, back);
                double loss = 0;
                {
                    nb::gil_scoped_release release;
                    loss = expect_agreement(b, mirror, forth, back, n_jobs, counts, mirrored);
                }
                return std::tuple(loss, arrays_of(std::move(counts)), arrays_of(std::move(mirrored)));
            },
            "mirror"_a, "t"_a.noconvert(), "back_t"_a.noconvert(), "p0"_a, "tension"_a, "back_tension"_a, "n_jobs"_a,
            "Expected counts of both directions, of links the product of both posteriors.")
        .def(
            "agree_jumps",
            [](const Bitext& b, const Bitext& mirror, const Array<float>& t, const Array<float>& jump, const Array<float>& first, const Array<float>& last,
               const Array<float>& back_t, const Array<float>& back_jump, const Array<float>& back_first, const Array<float>& back_last, float p0,
               float back_p0, int n_jobs) {
                require_mirror(b, mirror);
                const Jumps forth = jumps(b, t, jump, first, last, p0), back = jumps(mirror, back_t, back_jump, back_first, back_last, back_p0);
                JumpCounts counts = empty_counts(b, forth), mirrored = empty_counts(mirror, back);
                double loss = 0;
                {
                    nb::gil_scoped_release release;
                    loss = expect_agreement(b, mirror, forth, back, n_jobs, counts, mirrored);
                }
                return std::tuple(loss, arrays_of(std::move(counts)), arrays_of(std::move(mirrored)));
            },
            "mirror"_a, "t"_a.noconvert(), "jump"_a.noconvert(), "first"_a.noconvert(), "last"_a.noconvert(), "back_t"_a.noconvert(),
            "back_jump"_a.noconvert(), "back_first"_a.noconvert(), "back_last"_a.noconvert(), "p0"_a, "back_p0"_a, "n_jobs"_a)
        .def(
            "posteriors_independent",
            [](const Bitext& b, const Array<float>& t, const Array<float>& position, float p0, float tension, int n_jobs) {
                return all_posteriors(b, independent(b, t, position, p0, tension), n_jobs);
            },
            "t"_a.noconvert(), "position"_a.noconvert(), "p0"_a, "tension"_a, "n_jobs"_a,
            "Offsets, and for every sentence the probabilities of links, [source][target].")
        .def(
            "posteriors_jumps",
            [](const Bitext& b, const Array<float>& t, const Array<float>& jump, const Array<float>& first, const Array<float>& last, float p0, int n_jobs) {
                return all_posteriors(b, jumps(b, t, jump, first, last, p0), n_jobs);
            },
            "t"_a.noconvert(), "jump"_a.noconvert(), "first"_a.noconvert(), "last"_a.noconvert(), "p0"_a, "n_jobs"_a)
        .def(
            "best_independent",
            [](const Bitext& b, const Array<float>& t, const Array<float>& position, float p0, float tension, int n_jobs) {
                return all_best(b, independent(b, t, position, p0, tension), n_jobs);
            },
            "t"_a.noconvert(), "position"_a.noconvert(), "p0"_a, "tension"_a, "n_jobs"_a, "For every target word its source word from 1 on, 0 for NULL.")
        .def(
            "best_jumps",
            [](const Bitext& b, const Array<float>& t, const Array<float>& jump, const Array<float>& first, const Array<float>& last, float p0, int n_jobs) {
                return all_best(b, jumps(b, t, jump, first, last, p0), n_jobs);
            },
            "t"_a.noconvert(), "jump"_a.noconvert(), "first"_a.noconvert(), "last"_a.noconvert(), "p0"_a, "n_jobs"_a);

    m.def(
        "lexical_lookup",
        [](const Bitext& b, const Array<int64_t>& first_of, const Array<int32_t>& target_of, const Array<float>& weights, const Array<float>& unseen, int n_jobs) {
            const auto at = span_of(first_of);
            require(!at.empty() && at.front() == 0 && at.back() == static_cast<int64_t>(target_of.size()) && weights.size() == target_of.size() && unseen.size() == at.size(),
                    "a table must have rows that go from 0 to its size");
            for (size_t e = 1; e < at.size(); ++e) require(at[e - 1] <= at[e], "rows must not fall");
            std::vector<float> out(b.n_pairs());
            {
                nb::gil_scoped_release release;
                look_up(b, at, span_of(target_of), span_of(weights), span_of(unseen), n_jobs, out.data());
            }
            return numpy_of(std::move(out));
        },
        "bitext"_a, "first_of"_a.noconvert(), "target_of"_a.noconvert(), "weights"_a.noconvert(), "unseen"_a.noconvert(), "n_jobs"_a,
        "The weight that a table has for each pair of words of a bitext.");
}

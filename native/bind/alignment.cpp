// Bitexts and the passes of word alignment over them.
#include <nanobind/stl/tuple.h>

#include <optional>
#include <stdexcept>
#include <tuple>

#include "bind.hpp"
#include "word_alignment.hpp"

using namespace palmette;

namespace {

using Doubles = nb::ndarray<nb::numpy, double, nb::ndim<1>>;
using Floats = nb::ndarray<nb::numpy, float, nb::ndim<1>>;
using Ints = nb::ndarray<nb::numpy, int32_t, nb::ndim<1>>;
using Longs = nb::ndarray<nb::numpy, int64_t, nb::ndim<1>>;

void require(bool holds, const char* what) {
    if (!holds) throw std::invalid_argument(what);
}

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

Independent independent(const Bitext& b, const Array<float>& t, const Array<float>& position) {
    require(position.size() == static_cast<size_t>(b.shape_at().back()), "there must be one probability for every place of every shape");
    return {checked_t(b, t), position.data()};
}

Jumps jumps(const Bitext& b, const Array<float>& t, const Array<float>& jump, const Array<float>& first, const Array<float>& last, float p0) {
    require(jump.size() % 2 == 1, "there must be as many jumps back as forth, and that to the same place");
    require(first.size() >= 2, "there must be a weight for the first place");
    require(p0 >= 0 && p0 <= 1, "p0 is a probability");
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
        .def("__len__", &Bitext::size)
        .def_prop_ro("n_pairs", &Bitext::n_pairs)
        .def_prop_ro("first_of", [](const Bitext& b) { return copied(b.first_of()); }, nb::rv_policy::automatic)
        .def_prop_ro("target_of", [](const Bitext& b) { return copied(b.target_of()); }, nb::rv_policy::automatic)
        .def_prop_ro("shape_lengths", [](const Bitext& b) { return copied(b.shape_lengths()); }, nb::rv_policy::automatic)
        .def_prop_ro("shape_at", [](const Bitext& b) { return copied(b.shape_at()); }, nb::rv_policy::automatic)
        .def(
            "expect_independent",
            [](const Bitext& b, const Array<float>& t, const Array<float>& position, bool positions, int n_jobs) {
                const Independent model = independent(b, t, position);
                IndependentCounts counts{std::vector<double>(b.n_pairs()), std::vector<double>(positions ? position.size() : 0)};
                double loss = 0;
                {
                    nb::gil_scoped_release release;
                    loss = expect(b, model, n_jobs, counts);
                }
                return std::tuple<double, Doubles, Doubles>(loss, numpy_of(std::move(counts.pairs)), numpy_of(std::move(counts.positions)));
            },
            "t"_a.noconvert(), "position"_a.noconvert(), "positions"_a, "n_jobs"_a,
            "The log-likelihood, and expected counts of pairs and, if wanted, of places.")
        .def(
            "expect_jumps",
            [](const Bitext& b, const Array<float>& t, const Array<float>& jump, const Array<float>& first, const Array<float>& last, float p0, int n_jobs) {
                const Jumps model = jumps(b, t, jump, first, last, p0);
                JumpCounts counts{std::vector<double>(b.n_pairs()), std::vector<double>(jump.size()), std::vector<double>(first.size()),
                                  std::vector<double>(last.size())};
                double loss = 0;
                {
                    nb::gil_scoped_release release;
                    loss = expect(b, model, n_jobs, counts);
                }
                return std::tuple<double, Doubles, Doubles, Doubles, Doubles, double>(
                    loss, numpy_of(std::move(counts.pairs)), numpy_of(std::move(counts.jump)), numpy_of(std::move(counts.first)),
                    numpy_of(std::move(counts.last)), counts.all > 0 ? counts.null / counts.all : 0);
            },
            "t"_a.noconvert(), "jump"_a.noconvert(), "first"_a.noconvert(), "last"_a.noconvert(), "p0"_a, "n_jobs"_a,
            "The log-likelihood, expected counts of pairs, jumps, first and last places, and the share of NULL.")
        .def(
            "posteriors_independent",
            [](const Bitext& b, const Array<float>& t, const Array<float>& position, int n_jobs) { return all_posteriors(b, independent(b, t, position), n_jobs); },
            "t"_a.noconvert(), "position"_a.noconvert(), "n_jobs"_a, "Offsets, and for every sentence the probabilities of links, [source][target].")
        .def(
            "posteriors_jumps",
            [](const Bitext& b, const Array<float>& t, const Array<float>& jump, const Array<float>& first, const Array<float>& last, float p0, int n_jobs) {
                return all_posteriors(b, jumps(b, t, jump, first, last, p0), n_jobs);
            },
            "t"_a.noconvert(), "jump"_a.noconvert(), "first"_a.noconvert(), "last"_a.noconvert(), "p0"_a, "n_jobs"_a)
        .def(
            "best_independent",
            [](const Bitext& b, const Array<float>& t, const Array<float>& position, int n_jobs) { return all_best(b, independent(b, t, position), n_jobs); },
            "t"_a.noconvert(), "position"_a.noconvert(), "n_jobs"_a, "For every target word its source word from 1 on, 0 for NULL.")
        .def(
            "best_jumps",
            [](const Bitext& b, const Array<float>& t, const Array<float>& jump, const Array<float>& first, const Array<float>& last, float p0, int n_jobs) {
                return all_best(b, jumps(b, t, jump, first, last, p0), n_jobs);
            },
            "t"_a.noconvert(), "jump"_a.noconvert(), "first"_a.noconvert(), "last"_a.noconvert(), "p0"_a, "n_jobs"_a);
}

// The sampler of word alignments with fertilities.
#include "tools/alignment/sampler.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>

#include <algorithm>
#include <stdexcept>
#include <string>

#include "bind/bind.hpp"

using namespace palmette;

namespace {

OrderKind order_named(const std::string& name) {
    if (name == "jumps") return OrderKind::jumps;
    if (name == "diagonal") return OrderKind::diagonal;
    if (name == "table") return OrderKind::table;
    require(name == "cepts", "the order must be jumps, diagonal, table or cepts");
    return OrderKind::cepts;
}

void require_floats(const std::vector<float>& values, bool positive, const char* what) {
    for (const float x : values) require(positive ? x > 0 && x < 1e30f : x >= 0 && x < 1e30f, what);
}

std::vector<int32_t> checked_classes(const Array<int32_t>& classes, size_t n_words, size_t n) {
    require(n >= 1 && classes.size() == n_words, "there must be a class of every word");
    for (const int32_t k : span_of(classes)) require(k >= 0 && static_cast<size_t>(k) < n, "a class is out of range");
    return {span_of(classes).begin(), span_of(classes).end()};
}

}  // namespace

void bind_alignment_sampler(nb::module_& m) {
    using namespace nb::literals;
    m.attr("N_FERTILITIES") = kFertilities;
    nb::class_<AlignmentSampler>(m, "AlignmentSampler",
                                 "A sampler of word alignments, one word after another; order: jumps (the HMM's), diagonal or table (Model 3), or cepts (Model 4).")
        .def(nb::new_([](const Bitext& b, const Array<float>& pairs, const Array<float>& sources, const Array<float>& fertilities,
                         const Array<float>& displacements, const Array<int32_t>& source_classes, const Array<int32_t>& target_classes, size_t n_source_classes,
                         size_t n_target_classes, const Array<int32_t>& start, const std::string& order, float null, float fertility, float smoothing, float classes, float table,
                         uint64_t seed, size_t kept) {
                 SamplerPriors priors;
                 priors.pairs.assign(pairs.data(), pairs.data() + pairs.size());
                 priors.sources.assign(sources.data(), sources.data() + sources.size());
                 priors.fertilities.assign(fertilities.data(), fertilities.data() + fertilities.size());
                 priors.order.assign(displacements.data(), displacements.data() + displacements.size());
                 require(priors.pairs.size() == b.n_pairs(), "there must be one prior for every pair of words");
                 require(priors.sources.size() + 1 == b.first_of().size(), "there must be one prior for every source word and NULL");
                 require(priors.fertilities.empty() || priors.fertilities.size() == priors.sources.size() * kFertilities, "there must be all fertilities of all words");
                 require_floats(priors.pairs, true, "priors must be above zero");
                 require_floats(priors.sources, true, "priors must be above zero");
                 require_floats(priors.fertilities, false, "counts must not be negative");
                 require_floats(priors.order, false, "counts must not be negative");
                 require(null > 0 && null < 1, "the probability of NULL must lie between 0 and 1");
                 require(fertility > 0 && smoothing > 0 && classes > 0 && table > 0, "strengths must be above zero");
                 require(kept <= 4096, "at most 4096 sweeps can be kept");
                 WordClasses kinds{checked_classes(source_classes, priors.sources.size() - 1, n_source_classes),
                                   checked_classes(target_classes, b.n_target(), n_target_classes), n_source_classes, n_target_classes};
                 SamplerSettings settings{order_named(order), null, fertility, smoothing, classes, table, seed, kept};
                 require(priors.order.empty() || priors.order.size() == order_size(settings.order, kinds, b), "there must be all counts of displacements");
                 std::vector<int32_t> a(start.data(), start.data() + start.size());
                 size_t at = 0;
                 for (size_t s = 0; s < b.size(); ++s)
                     for (size_t j = 0; j < b.m(s); ++j, ++at)
                         require(at < a.size() && a[at] >= 0 && static_cast<size_t>(a[at]) <= b.l(s), "every target word must start at a word of its sentence");
                 require(at == a.size(), "there must be a start for every target word");
                 nb::gil_scoped_release release;
                 return AlignmentSampler::make(b, std::move(priors), std::move(kinds), settings, std::move(a));
             }),
             nb::keep_alive<0, 2>(), "bitext"_a, "pairs"_a.noconvert(), "sources"_a.noconvert(), "fertilities"_a.noconvert(), "displacements"_a.noconvert(), "source_classes"_a.noconvert(),
             "target_classes"_a.noconvert(), "n_source_classes"_a, "n_target_classes"_a, "start"_a.noconvert(), nb::kw_only(), "order"_a, "null"_a, "fertility"_a,
             "smoothing"_a, "classes"_a, "table"_a, "seed"_a, "kept"_a)
        .def("sweep", &AlignmentSampler::sweep, "keep"_a, nb::call_guard<nb::gil_scoped_release>(),
             "Every word chooses once; returns the sum of log P(word | all else). With `keep`, the probabilities count.")
        .def("climb", &AlignmentSampler::climb, nb::call_guard<nb::gil_scoped_release>(), "The best moves and swaps, until none helps; how many there were.")
        .def(
            "conditional",
            [](AlignmentSampler& self, size_t sentence, size_t word, const Bitext& b) {
                require(sentence < b.size() && word < b.m(sentence), "there is no such word");
                return numpy_of(self.conditional(sentence, word));
            },
            "sentence"_a, "word"_a, "bitext"_a, "P(place | all else) of one target word, NULL first.")
        .def_prop_ro("alignment", [](const AlignmentSampler& self) { return numpy_of(std::vector<int32_t>(self.alignment())); }, nb::rv_policy::automatic)
        .def("posteriors", [](const AlignmentSampler& self) { return numpy_of(self.posteriors()); }, "The mean of what was kept, [source][target] of every sentence.")
        .def("packed_posteriors", [](const AlignmentSampler& self) { return numpy_of(self.packed_posteriors()); }, "The same in half the memory: 65535 is one.")
        .def("pair_counts", [](const AlignmentSampler& self) { return numpy_of(self.pair_counts()); })
        .def("fertility_counts", [](const AlignmentSampler& self) { return numpy_of(self.fertility_counts()); })
        .def("order_counts", [](const AlignmentSampler& self) { return numpy_of(self.order_counts()); });
}

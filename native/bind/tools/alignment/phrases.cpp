// Phrase pairs of an aligned text: counted, and written as a table.
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>

#include <algorithm>
#include <tuple>

#include "bind/bind.hpp"
#include "bind/tools/alignment/sides.hpp"
#include "tools/alignment/phrase_lines.hpp"
#include "tools/alignment/phrase_pairs.hpp"

using namespace palmette;

namespace {

template <class T>
using Numpy = nb::ndarray<nb::numpy, T, nb::ndim<1>>;

// A phrase table that is written: it holds on to the arrays.
struct PhraseWriter {
    struct Text {
        Array<int64_t> offsets;
        Array<int32_t> ids;
        Array<uint8_t> utf8;
        Array<int64_t> words;

        Side side() const { return {checked_offsets(offsets, ids.size()), span_of(ids)}; }
        Words strings() const {
            const Words found{{reinterpret_cast<const char*>(utf8.data()), utf8.size()}, checked_offsets(words, utf8.size())};
            for (const int32_t word : span_of(ids)) require(word >= 0 && static_cast<size_t>(word) + 1 < words.size(), "a word has no string");
            return found;
        }
    };
    Text source, target;
    Array<int32_t> places;
    PhraseRows rows;

    PhraseWriter(Text e, Text f, Array<int32_t> where)
        : source(std::move(e)), target(std::move(f)), places(std::move(where)), rows{source.side(), target.side(), source.strings(), target.strings(), span_of(places)} {
        require(rows.source.offsets.size() == rows.target.offsets.size(), "both sides must have as many sentences");
        require(places.size() % 5 == 0, "a place is five numbers");
        for (size_t row = 0; row < rows.size(); ++row) {
            const int32_t* at = places.data() + 5 * row;
            require(at[0] >= 0 && static_cast<size_t>(at[0]) + 1 < rows.source.offsets.size(), "there is no such sentence");
            const auto s = static_cast<size_t>(at[0]);
            require(0 <= at[1] && at[1] <= at[2] && static_cast<size_t>(at[2]) <= rows.source.length(s), "a source phrase lies outside its sentence");
            require(0 <= at[3] && at[3] <= at[4] && static_cast<size_t>(at[4]) <= rows.target.length(s), "a target phrase lies outside its sentence");
        }
    }

    nb::bytes lines(const Array<int64_t>& counts, const Array<double>& lexical, const Array<int64_t>& links_at, const Array<int32_t>& link_source,
                    const Array<int32_t>& link_target, size_t begin, size_t end) const {
        require(counts.size() == 3 * rows.size() && lexical.size() == 2 * rows.size(), "there must be three counts and two weights of every row");
        require(begin <= end && end <= rows.size(), "there are fewer rows");
        const auto at = checked_offsets(links_at, link_source.size());
        check_links(rows.source, rows.target, at, link_source, link_target);
        std::string text;
        {
            nb::gil_scoped_release release;
            text = phrase_lines(rows, {span_of(counts), span_of(lexical), at, span_of(link_source), span_of(link_target)}, begin, end);
        }
        return nb::bytes(text.data(), text.size());
    }
};

// Counted pairs, with the arrays of the text that they are places in.
struct BoundPairs {
    Array<int64_t> source_offsets, target_offsets;
    SortedLinks links;
    PhrasePairs found;

    std::vector<int32_t> places() const {
        const auto sentences = sentences_of({span_of(source_offsets), {}}, found.places);
        std::vector<int32_t> rows;
        rows.reserve(5 * sentences.size());
        for (size_t k = 0; k < sentences.size(); ++k) {
            const PhrasePairs::Place& place = found.places[k];
            const auto s = static_cast<size_t>(sentences[k]);
            const auto i0 = static_cast<int32_t>(place.source_at - source_offsets.data()[s]), j0 = static_cast<int32_t>(place.target_at - target_offsets.data()[s]);
            rows.insert(rows.end(), {sentences[k], i0, i0 + place.source_length, j0, j0 + place.target_length});
        }
        return rows;
    }

    std::vector<uint32_t> counts() const {
        std::vector<uint32_t> rows;
        rows.reserve(3 * found.count.size());
        for (size_t k = 0; k < found.count.size(); ++k)
            rows.insert(rows.end(), {found.target_count[found.nodes.target_node[k]], found.source_count[found.nodes.source_node[k]], found.count[k]});
        return rows;
    }

    std::tuple<std::vector<uint32_t>, std::vector<uint16_t>> inside() const {
        std::vector<uint32_t> begin{0};
        std::vector<uint16_t> inner;
        const auto offsets = span_of(target_offsets);
        for (const PhrasePairs::Place& place : found.places) {
            const int64_t corner = place.target_at - *(std::upper_bound(offsets.begin(), offsets.end(), int64_t{place.target_at}) - 1);
            for (size_t i = 0; i < place.source_length; ++i)
                for (int64_t k = links.of_word[place.source_at + i]; k < links.of_word[place.source_at + i + 1]; ++k)
                    inner.push_back(static_cast<uint16_t>(i << 8 | static_cast<size_t>(links.target[static_cast<size_t>(k)] - corner)));
            begin.push_back(static_cast<uint32_t>(inner.size()));
        }
        return {std::move(begin), std::move(inner)};
    }
};

template <class Make>
auto unlocked(Make make) {
    nb::gil_scoped_release release;
    return make();
}

using Find = PhrasePairs (*)(const Side&, const Side&, const SortedLinks&, int32_t, OrientationKind, int);

// The pairs that `find` finds in a checked text.
template <class Found>
std::unique_ptr<BoundPairs> bound_pairs(const Array<int64_t>& source_offsets, const Array<int32_t>& source, const Array<int64_t>& target_offsets,
                                        const Array<int32_t>& target, const Array<int64_t>& links_at, const Array<int32_t>& link_source,
                                        const Array<int32_t>& link_target, Found find) {
    const Side e{checked_offsets(source_offsets, source.size()), span_of(source)};
    const Side f{checked_offsets(target_offsets, target.size()), span_of(target)};
    const auto at = checked_offsets(links_at, link_source.size());
    check_ids(source, 0, int64_t{1} << 31, "a word has a number below 0");
    check_ids(target, 0, int64_t{1} << 31, "a word has a number below 0");
    check_links(e, f, at, link_source, link_target);
    return unlocked([&] {
        SortedLinks links(e, at, span_of(link_source), span_of(link_target));
        PhrasePairs found = find(e, f, links);
        return std::make_unique<BoundPairs>(BoundPairs{source_offsets, target_offsets, std::move(links), std::move(found)});
    });
}

template <Find find>
std::unique_ptr<BoundPairs> pairs_by(const Array<int64_t>& source_offsets, const Array<int32_t>& source, const Array<int64_t>& target_offsets,
                                     const Array<int32_t>& target, const Array<int64_t>& links_at, const Array<int32_t>& link_source,
                                     const Array<int32_t>& link_target, int32_t longest, int orientation, int n_jobs) {
    require(longest >= 1 && longest <= 255, "phrases have 1 to 255 words");
    require(orientation >= 0 && orientation <= static_cast<int>(OrientationKind::hierarchical), "there is no such orientation");
    return bound_pairs(source_offsets, source, target_offsets, target, links_at, link_source, link_target,
                       [&](const Side& e, const Side& f, const SortedLinks& links) {
                           return find(e, f, links, longest, static_cast<OrientationKind>(orientation), n_jobs);
                       });
}

// Places as five numbers each, which must lie in the text, and rise.
std::vector<PhrasePairs::Place> checked_places(const Side& source, const Side& target, const Array<int32_t>& rows) {
    require(rows.size() % 5 == 0, "a place is five numbers");
    std::vector<PhrasePairs::Place> places;
    places.reserve(rows.size() / 5);
    for (size_t k = 0; k < rows.size(); k += 5) {
        const int32_t* at = rows.data() + k;
        require(at[0] >= 0 && static_cast<size_t>(at[0]) + 1 < source.offsets.size(), "there is no such sentence");
        require(k == 0 || !std::lexicographical_compare(at, at + 5, at - 5, at), "places must rise");
        const auto s = static_cast<size_t>(at[0]);
        require(0 <= at[1] && at[1] < at[2] && at[2] - at[1] <= 255 && static_cast<size_t>(at[2]) <= source.length(s), "a source phrase lies outside its sentence");
        require(0 <= at[3] && at[3] < at[4] && at[4] - at[3] <= 255 && static_cast<size_t>(at[4]) <= target.length(s), "a target phrase lies outside its sentence");
        places.push_back({static_cast<uint32_t>(source.offsets[s] + at[1]), static_cast<uint32_t>(target.offsets[s] + at[3]),
                          static_cast<uint8_t>(at[2] - at[1]), static_cast<uint8_t>(at[4] - at[3]), {}, {}});
    }
    return places;
}

std::unique_ptr<BoundPairs> merged_pairs(const Array<int64_t>& source_offsets, const Array<int32_t>& source, const Array<int64_t>& target_offsets,
                                         const Array<int32_t>& target, const Array<int64_t>& links_at, const Array<int32_t>& link_source,
                                         const Array<int32_t>& link_target, const Array<int32_t>& rows, const Array<uint32_t>& count,
                                         const Array<uint32_t>& orientation, int n_jobs) {
    require(5 * count.size() == rows.size(), "there must be one count for each place");
    require(orientation.size() == 0 || orientation.size() == 6 * count.size(), "there must be six counts of orientations for each place");
    return bound_pairs(source_offsets, source, target_offsets, target, links_at, link_source, link_target,
                       [&](const Side& e, const Side& f, const SortedLinks& links) {
                           return pairs_of_variants(e, f, links, checked_places(e, f, rows), span_of(count), span_of(orientation), n_jobs);
                       });
}

}  // namespace

void bind_alignment_phrases(nb::module_& m) {
    using namespace nb::literals;
    nb::class_<PairNodes>(m, "PairNodes", "Phrase pairs as nodes of two tries, one a side.")
        .def_prop_ro("size", [](const PairNodes& nodes) { return nodes.source_node.size(); })
        .def("source", [](const PairNodes& nodes) { return numpy_of(std::vector<uint32_t>(nodes.source_node)); }, "The node of each source phrase.")
        .def("target", [](const PairNodes& nodes) { return numpy_of(std::vector<uint32_t>(nodes.target_node)); }, "The node of each target phrase.");
    nb::class_<BoundPairs>(m, "PhrasePairs", "The distinct phrase pairs of an aligned text.")
        .def_prop_ro("nodes", [](const BoundPairs& pairs) -> const PairNodes& { return pairs.found.nodes; }, nb::rv_policy::reference_internal)
        .def("places", [](const BoundPairs& pairs) { return numpy_of(unlocked([&] { return pairs.places(); })); },
             "Five numbers for each pair: sentence, begin and end of the source phrase, of the target phrase.")
        .def("counts", [](const BoundPairs& pairs) { return numpy_of(unlocked([&] { return pairs.counts(); })); },
             "Three numbers for each pair: how often the target phrase, the source phrase and both occur in blocks.")
        .def("orientations", [](const BoundPairs& pairs) { return numpy_of(std::vector<uint32_t>(pairs.found.orientation)); },
             "Six numbers for each pair: monotone, swap, discontinuous to the block before, and to the block after.")
        .def("links", [](const BoundPairs& pairs) {
            auto [begin, inner] = unlocked([&] { return pairs.inside(); });
            return std::tuple<Numpy<uint32_t>, Numpy<uint16_t>>(numpy_of(std::move(begin)), numpy_of(std::move(inner)));
        }, "Where the links of each pair begin, and the links inside: source word << 8 | target word.");
    m.def("phrase_pairs", &pairs_by<phrase_pairs>, "source_offsets"_a.noconvert(), "source"_a.noconvert(), "target_offsets"_a.noconvert(), "target"_a.noconvert(),
          "links_at"_a.noconvert(), "link_source"_a.noconvert(), "link_target"_a.noconvert(), "longest"_a, "orientation"_a, "n_jobs"_a,
          "The phrase pairs that agree with the links. orientation: 0 none, 1 by words, 2 by phrases, 3 hierarchical.");
    m.def("phrase_variants", &pairs_by<phrase_variants>, "source_offsets"_a.noconvert(), "source"_a.noconvert(), "target_offsets"_a.noconvert(),
          "target"_a.noconvert(), "links_at"_a.noconvert(), "link_source"_a.noconvert(), "link_target"_a.noconvert(), "longest"_a, "orientation"_a, "n_jobs"_a,
          "The same of a part of a text: pairs with other links are apart, for `pairs_of_variants`.");
    m.def("pairs_of_variants", &merged_pairs, "source_offsets"_a.noconvert(), "source"_a.noconvert(), "target_offsets"_a.noconvert(),
          "target"_a.noconvert(), "links_at"_a.noconvert(), "link_source"_a.noconvert(), "link_target"_a.noconvert(), "places"_a.noconvert(),
          "count"_a.noconvert(), "orientation"_a.noconvert(), "n_jobs"_a,
          "The phrase pairs of a whole text from the variants of its parts, in the order of their places.");
    nb::class_<PhraseWriter>(m, "PhraseWriter", "Distinct phrase pairs, as five numbers each: sentence, begin and end of the source and the target phrase.")
        .def(
            "__init__",
            [](PhraseWriter* self, const Array<int64_t>& source_offsets, const Array<int32_t>& source, const Array<uint8_t>& source_utf8,
               const Array<int64_t>& source_words, const Array<int64_t>& target_offsets, const Array<int32_t>& target, const Array<uint8_t>& target_utf8,
               const Array<int64_t>& target_words, const Array<int32_t>& places) {
                new (self) PhraseWriter({source_offsets, source, source_utf8, source_words}, {target_offsets, target, target_utf8, target_words}, places);
            },
            "source_offsets"_a.noconvert(), "source"_a.noconvert(), "source_utf8"_a.noconvert(), "source_words"_a.noconvert(),
            "target_offsets"_a.noconvert(), "target"_a.noconvert(), "target_utf8"_a.noconvert(), "target_words"_a.noconvert(), "places"_a.noconvert())
        .def(
            "order",
            [](const PhraseWriter& w) {
                std::vector<int64_t> order;
                {
                    nb::gil_scoped_release release;
                    order = phrase_order(w.rows);
                }
                return numpy_of(std::move(order));
            },
            "The rows in the order of the bytes of their phrases.")
        .def("lines", &PhraseWriter::lines, "counts"_a.noconvert(), "lexical"_a.noconvert(), "links_at"_a.noconvert(), "link_source"_a.noconvert(),
             "link_target"_a.noconvert(), "begin"_a, "end"_a, "Some rows in the format of Moses: phrases, four scores, links, counts.");
}

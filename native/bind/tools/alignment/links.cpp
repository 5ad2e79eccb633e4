// What comes before and after word alignment: text of two languages, links of both directions as one, phrase pairs.
#include <nanobind/stl/tuple.h>

#include <stdexcept>
#include <tuple>

#include "bind/bind.hpp"
#include "tools/alignment/parallel_text.hpp"
#include "tools/alignment/phrase_pairs.hpp"
#include "tools/alignment/symmetrization.hpp"

using namespace palmette;

namespace {

template <class T>
using Numpy = nb::ndarray<nb::numpy, T, nb::ndim<1>>;
using SideTuple = std::tuple<Numpy<int32_t>, nb::typed<nb::list, nb::str>, Numpy<int64_t>>;
using LinksTuple = std::tuple<Numpy<int64_t>, Numpy<int32_t>, Numpy<int32_t>, Numpy<float>>;

std::string_view view(const nb::bytes& text) { return {text.c_str(), text.size()}; }

SideTuple side_tuple(TextSide&& side) {
    nb::list words;
    for (const std::string_view word : side.words.strings()) words.append(to_str(word));
    return {numpy_of(std::move(side.ids)), nb::borrow<nb::typed<nb::list, nb::str>>(words), numpy_of(std::move(side.offsets))};
}

std::span<const int64_t> checked_offsets(const Array<int64_t>& offsets, size_t n_words) {
    const auto at = span_of(offsets);
    require(!at.empty() && at.front() == 0 && at.back() == static_cast<int64_t>(n_words), "offsets must go from 0 to the number of items");
    for (size_t s = 1; s < at.size(); ++s) require(at[s - 1] <= at[s], "offsets must not fall");
    return at;
}

// Sides of which only the offsets matter.
Side lengths(const Array<int64_t>& offsets) {
    require(offsets.size() > 0 && offsets.data()[offsets.size() - 1] < (int64_t{1} << 31), "offsets must go from 0 on, and not beyond 2^31");
    return {checked_offsets(offsets, static_cast<size_t>(offsets.data()[offsets.size() - 1])), {}};
}

void check_best(const Array<int32_t>& best, const Side& from, const Side& to) {
    require(static_cast<int64_t>(best.size()) == to.offsets.back(), "there must be one place for every word");
    for (size_t s = 0; s + 1 < to.offsets.size(); ++s)
        for (int64_t k = to.offsets[s]; k < to.offsets[s + 1]; ++k)
            require(best.data()[k] >= 0 && static_cast<size_t>(best.data()[k]) <= from.length(s), "a place lies outside its sentence");
}

void check_links(const Side& e, const Side& f, std::span<const int64_t> at, const Array<int32_t>& source, const Array<int32_t>& target) {
    require(e.offsets.size() == f.offsets.size() && e.offsets.size() == at.size(), "both sides and the links must have as many sentences");
    require(source.size() == target.size(), "every link has two words");
    for (size_t s = 0; s + 1 < at.size(); ++s)
        for (int64_t k = at[s]; k < at[s + 1]; ++k) {
            const int32_t i = source.data()[k], j = target.data()[k];
            require(i >= 0 && static_cast<size_t>(i) < e.length(s) && j >= 0 && static_cast<size_t>(j) < f.length(s), "a link lies outside its sentence");
        }
}

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
        require(begin <= end && end <= rows.size(), "there are not so many rows");
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

LinksTuple symmetrized(const Array<int64_t>& source, const Array<int64_t>& target, const Array<int32_t>& forth, const Array<int32_t>& back,
                       const Array<float>& p, const Array<float>& q, int how, float threshold, int n_jobs) {
    const Side e = lengths(source), f = lengths(target);
    require(e.offsets.size() == f.offsets.size(), "both sides must have as many sentences");
    require(how >= 0 && how <= static_cast<int>(Symmetry::target), "there is no such symmetrization");
    const auto symmetry = static_cast<Symmetry>(how);
    size_t cells = 0;
    for (size_t s = 0; s + 1 < e.offsets.size(); ++s) cells += e.length(s) * f.length(s);
    const bool known = symmetry == Symmetry::posterior || p.size() || q.size();
    require(!known || (p.size() == cells && q.size() == cells), "there must be a probability for every link of every sentence");
    if (symmetry != Symmetry::posterior) {
        check_best(forth, e, f);
        check_best(back, f, e);
    }
    Links links;
    {
        nb::gil_scoped_release release;
        links = symmetrize(e, f, {span_of(forth), span_of(back), span_of(p), span_of(q)}, symmetry, threshold, n_jobs);
    }
    return {numpy_of(std::move(links.offsets)), numpy_of(std::move(links.source)), numpy_of(std::move(links.target)),
            numpy_of(std::move(links.probability))};
}

}  // namespace

void bind_alignment_links(nb::module_& m) {
    using namespace nb::literals;
    m.def(
        "read_side",
        [](const nb::bytes& text) {
            TextSide side;
            read_side(view(text), side);
            return side_tuple(std::move(side));
        },
        "text"_a, "The sentences of a text: ids of all words in a row, the distinct words, and where each sentence begins.");
    m.def(
        "read_pairs",
        [](const nb::bytes& text, bool bars) {
            TextSide source, target;
            const BadLine bad = read_pairs(view(text), bars ? PairSeparator::bars : PairSeparator::tab, source, target);
            return std::tuple<SideTuple, SideTuple, int64_t, int64_t>(side_tuple(std::move(source)), side_tuple(std::move(target)), bad.number,
                                                                      bad.parts);
        },
        "text"_a, "bars"_a, "Both sides of all lines; the number of the first line that has not two parts (0: none), and how many it has.");
    m.def(
        "count_separators",
        [](const nb::bytes& text) {
            const SeparatorCounts counts = count_separators(view(text));
            return std::tuple<int64_t, int64_t, int64_t>(counts.lines, counts.tab, counts.bars);
        },
        "text"_a, "Lines that are not blank, those of two parts between tabs, and those of two parts between |||.");
    m.def("symmetrize_links", &symmetrized, "source_offsets"_a.noconvert(), "target_offsets"_a.noconvert(), "forth"_a.noconvert(),
          "back"_a.noconvert(), "p"_a.noconvert(), "q"_a.noconvert(), "how"_a, "threshold"_a, "n_jobs"_a,
          "Links of both directions as one alignment: offsets of sentences, source words, target words, probabilities.");
    m.def(
        "pharaoh_lines",
        [](const Array<int64_t>& offsets, const Array<int32_t>& source, const Array<int32_t>& target, const Array<float>& probability) {
            require(source.size() == target.size(), "every link has two words");
            require(probability.size() == 0 || probability.size() == source.size(), "there must be a probability for every link");
            const auto at = checked_offsets(offsets, source.size());
            const Links links{{at.begin(), at.end()}, {source.data(), source.data() + source.size()}, {target.data(), target.data() + target.size()},
                              {probability.data(), probability.data() + probability.size()}};
            const std::string text = pharaoh(links, probability.size() > 0);
            return nb::bytes(text.data(), text.size());
        },
        "offsets"_a.noconvert(), "source"_a.noconvert(), "target"_a.noconvert(), "probability"_a.noconvert(),
        "One line for every sentence, with probabilities if there are any.");
    m.def(
        "phrase_pairs",
        [](const Array<int64_t>& source_offsets, const Array<int32_t>& source, const Array<int64_t>& target_offsets, const Array<int32_t>& target,
           const Array<int64_t>& links_at, const Array<int32_t>& link_source, const Array<int32_t>& link_target, int32_t max_length) {
            const Side e{checked_offsets(source_offsets, source.size()), span_of(source)};
            const Side f{checked_offsets(target_offsets, target.size()), span_of(target)};
            const auto at = checked_offsets(links_at, link_source.size());
            require(max_length >= 1, "phrases have at least one word");
            check_links(e, f, at, link_source, link_target);
            PhrasePairs found;
            {
                nb::gil_scoped_release release;
                found = phrase_pairs(e, f, at, span_of(link_source), span_of(link_target), max_length);
            }
            using Column = Numpy<int32_t>;
            using Keys = Numpy<uint64_t>;
            return std::tuple<Column, Column, Column, Column, Column, Keys, Keys, Keys>(
                numpy_of(std::move(found.sentence)), numpy_of(std::move(found.source_begin)), numpy_of(std::move(found.source_end)),
                numpy_of(std::move(found.target_begin)), numpy_of(std::move(found.target_end)), numpy_of(std::move(found.source_key)),
                numpy_of(std::move(found.target_key)), numpy_of(std::move(found.links_key)));
        },
        "source_offsets"_a.noconvert(), "source"_a.noconvert(), "target_offsets"_a.noconvert(), "target"_a.noconvert(), "links_at"_a.noconvert(),
        "link_source"_a.noconvert(), "link_target"_a.noconvert(), "max_length"_a,
        "Blocks that agree with the links: sentence, ends of both phrases, and keys of their words and links.");
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

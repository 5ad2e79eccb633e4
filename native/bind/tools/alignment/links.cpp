// What comes before and after word alignment: text of two languages, links of both directions as one.
#include <nanobind/stl/tuple.h>

#include <stdexcept>
#include <tuple>

#include "bind/bind.hpp"
#include "bind/tools/alignment/sides.hpp"
#include "tools/alignment/parallel_text.hpp"
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
}

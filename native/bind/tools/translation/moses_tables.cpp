// Phrase tables and reordering tables in the format of Moses.
#include "tools/translation/moses_tables.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>

#include <string>
#include <tuple>

#include "bind/bind.hpp"
#include "bind/tools/translation/phrase_table.hpp"

using namespace palmette;

namespace {

using Text = std::tuple<nb::ndarray<nb::numpy, uint8_t, nb::ndim<1>>, nb::ndarray<nb::numpy, int64_t, nb::ndim<1>>>;

Text text_of(const WordTable& words) {
    return {numpy_of(std::vector<uint8_t>(words.text().begin(), words.text().end())),
            numpy_of(std::vector<int64_t>(words.offsets().begin(), words.offsets().end()))};
}

std::string_view content(const Array<uint8_t>& text) { return {reinterpret_cast<const char*>(text.data()), text.size()}; }

Words strings(const Array<uint8_t>& utf8, const Array<int64_t>& offsets, uint32_t n) {
    check_boundaries(offsets, n, utf8.size(), "the offsets do not cut the text into words");
    return {content(utf8), span_of(offsets)};
}

// A writer, and the arrays that it looks into.
struct BoundWriter {
    Array<uint8_t> source_utf8, target_utf8;
    Array<int64_t> source_offsets, target_offsets;
    Array<uint32_t> counts;
    MosesWriter writer;
};

template <auto member>
auto copied(const MosesTable& table) {
    return numpy_of(std::remove_cvref_t<decltype(table.*member)>(table.*member));
}

template <auto read>
std::tuple<int64_t, std::string> fault_of(MosesTable& table, const Array<uint8_t>& text) {
    nb::gil_scoped_release release;
    LineFault fault = read(content(text), table);
    return {fault.line, std::move(fault.message)};
}

}  // namespace

void bind_moses_tables(nb::module_& m) {
    using namespace nb::literals;
    nb::class_<MosesTable>(m, "MosesTable", "The content of a phrase table in the format of Moses, in the order of its lines.")
        .def(nb::init<>())
        .def("read", &fault_of<&read_phrase_table>, "text"_a.noconvert(), "Read a phrase table: the line that is wrong (0: none), and why.")
        .def("read_reordering", &fault_of<&read_reordering_table>, "text"_a.noconvert(), "Read the orientations of its pairs, with the same answer.")
        .def_prop_ro("nodes", [](const MosesTable& table) -> const PairNodes& { return table.nodes; }, nb::rv_policy::reference_internal)
        .def_prop_ro("n_columns", [](const MosesTable& table) { return table.n_columns; })
        .def_prop_ro("n_reordering", [](const MosesTable& table) { return table.n_reordering; })
        .def("source_words", [](const MosesTable& table) { return text_of(table.source_words); })
        .def("target_words", [](const MosesTable& table) { return text_of(table.target_words); })
        .def("scores", &copied<&MosesTable::scores>)
        .def("reordering", &copied<&MosesTable::reordering>)
        .def("link_begin", &copied<&MosesTable::link_begin>)
        .def("links", &copied<&MosesTable::links>)
        .def("counts", &copied<&MosesTable::counts>);
    nb::class_<BoundWriter>(m, "MosesWriter", "Writes a phrase table in the format of Moses, sorted by the bytes of its phrases.")
        .def(
            "__init__",
            [](BoundWriter* self, const BoundPhraseTable& table, const Array<uint8_t>& source_utf8, const Array<int64_t>& source_offsets,
               const Array<uint8_t>& target_utf8, const Array<int64_t>& target_offsets, const Array<uint32_t>& counts) {
                require(counts.size() == 0 || counts.size() == 3 * table.view.n_pairs(), "there must be three counts for each pair, or none");
                table.view.check();
                const Words source = strings(source_utf8, source_offsets, table.view.n_source_words);
                const Words target = strings(target_utf8, target_offsets, table.view.n_target_words);
                new (self) BoundWriter{source_utf8, target_utf8, source_offsets, target_offsets, counts, MosesWriter(table.view, source, target, span_of(counts))};
            },
            nb::keep_alive<1, 2>(), "table"_a, "source_utf8"_a.noconvert(), "source_offsets"_a.noconvert(), "target_utf8"_a.noconvert(),
            "target_offsets"_a.noconvert(), "counts"_a.noconvert())
        .def_prop_ro("size", [](const BoundWriter& writer) { return writer.writer.size(); }, "The number of source phrases.")
        .def(
            "lines",
            [](const BoundWriter& writer, size_t begin, size_t end, bool reordering) {
                require(begin <= end && end <= writer.writer.size(), "there are fewer source phrases");
                std::string text;
                {
                    nb::gil_scoped_release release;
                    text = writer.writer.lines(begin, end, reordering);
                }
                return nb::bytes(text.data(), text.size());
            },
            "begin"_a, "end"_a, "reordering"_a, "The lines of some source phrases: of the phrase table, or of the reordering table.");
}

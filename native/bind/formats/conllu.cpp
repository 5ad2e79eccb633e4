// Token formats: parsed into NumPy arrays of ids and lists of strings, and written back from them.
#include <nanobind/ndarray.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "bind/bind.hpp"
#include "formats/columns.hpp"
#include "formats/conllu.hpp"
#include "formats/write_tokens.hpp"

namespace {

using namespace palmette;

template <class T>
using Numbers = nb::ndarray<nb::numpy, T, nb::ndim<1>>;
using Strings = nb::typed<nb::list, nb::str>;

Strings to_strings(const std::vector<std::string_view>& strings) {
    nb::list out;
    for (const std::string_view text : strings) out.append(nb::str(text.data(), text.size()));
    return nb::borrow<Strings>(out);
}

// What a parser found, as Python objects.
struct ParsedTokens {
    Numbers<std::int64_t> offsets, lines, comment_offsets, extra_offsets;
    Numbers<std::int32_t> heads, extra_after;
    std::vector<std::pair<Numbers<std::int32_t>, Strings>> columns;
    Strings comments, extras;
    ProblemList problems;
    std::int64_t n_skipped;
};

template <class Parse>
ParsedTokens parse(nb::bytes text, Parse parser) {
    const std::string_view view(text.c_str(), text.size());
    TokenTable table = [&] {
        nb::gil_scoped_release release;
        return parser(view);
    }();
    std::vector<std::pair<Numbers<std::int32_t>, Strings>> columns;
    for (std::size_t c = 0; c < table.tables.size(); ++c)
        columns.emplace_back(numpy_of(std::move(table.ids[c])), to_strings(table.tables[c].strings()));
    return {numpy_of(std::move(table.offsets)),
            numpy_of(std::move(table.lines)),
            numpy_of(std::move(table.comment_offsets)),
            numpy_of(std::move(table.extra_offsets)),
            numpy_of(std::move(table.heads)),
            numpy_of(std::move(table.extra_after)),
            std::move(columns),
            to_strings(table.comments),
            to_strings(table.extras),
            problem_list(table.problems),
            table.problems.count()};
}

// A copy of a list that keeps its strings alive while the views of them are read without the GIL.
struct HeldStrings {
    nb::tuple held;
    std::vector<std::string_view> views;

    explicit HeldStrings(const nb::list& strings) : held(strings) {
        views.reserve(held.size());
        for (nb::handle item : held) {
            Py_ssize_t size = 0;
            const char* bytes = PyUnicode_AsUTF8AndSize(item.ptr(), &size);
            if (!bytes) throw nb::python_error();
            views.emplace_back(bytes, static_cast<std::size_t>(size));
        }
    }
};

using NamedColumn = std::tuple<std::string, Array<std::int32_t>, Strings>;

template <class Format>
nb::bytes format(const Array<std::int64_t>& offsets, const std::vector<NamedColumn>& columns, const nb::list& comments,
                 const Array<std::int64_t>& comment_offsets, Format write) {
    if (offsets.size() == 0) throw nb::value_error("offsets must begin with 0");
    CorpusView corpus{span_of(offsets), {}, {span_of(comment_offsets), {}}};
    std::vector<nb::tuple> held;
    for (const auto& [name, ids, strings] : columns) {
        HeldStrings table(strings);
        corpus.columns.push_back({name, span_of(ids), std::move(table.views)});
        held.push_back(std::move(table.held));
    }
    HeldStrings comment_lines(comments);
    corpus.comments.lines = comment_lines.views;
    const std::string text = [&] {
        nb::gil_scoped_release release;
        return write(corpus);
    }();
    return nb::bytes(text.data(), text.size());
}

nb::bytes format_conllu_rows(Array<std::int64_t> offsets, std::vector<NamedColumn> columns, Array<std::int32_t> heads,
                             Strings comments, Array<std::int64_t> comment_offsets, Strings extras,
                             Array<std::int64_t> extra_offsets, Array<std::int32_t> extra_after) {
    const HeldStrings extra_lines(extras);
    const SentenceLines extra{span_of(extra_offsets), extra_lines.views};
    return format(offsets, columns, comments, comment_offsets, [&](const CorpusView& corpus) {
        return format_conllu(corpus, span_of(heads), extra, span_of(extra_after));
    });
}

char checked_separator(const std::string& separator) {
    if (separator != "\t" && separator != " ") throw nb::value_error("the separator must be a tab or a space");
    return separator[0];
}

}  // namespace

void bind_conllu(nb::module_& m) {
    // The arrays own themselves: they must not keep the whole result alive.
    constexpr auto shared = nb::rv_policy::automatic;
    nb::class_<ParsedTokens>(m, "ParsedTokens", "A token file as arrays of ids and lists of strings.")
        .def_prop_ro("offsets", [](const ParsedTokens& p) { return p.offsets; }, shared)
        .def_prop_ro("lines", [](const ParsedTokens& p) { return p.lines; }, shared, "Where each sentence begins.")
        .def_prop_ro("heads", [](const ParsedTokens& p) { return p.heads; }, shared)
        .def_prop_ro("columns", [](const ParsedTokens& p) { return p.columns; }, shared, "Ids and strings of each column.")
        .def_prop_ro("comments", [](const ParsedTokens& p) { return p.comments; })
        .def_prop_ro("comment_offsets", [](const ParsedTokens& p) { return p.comment_offsets; }, shared)
        .def_prop_ro("extras", [](const ParsedTokens& p) { return p.extras; }, "Ranges and empty nodes, as whole lines.")
        .def_prop_ro("extra_offsets", [](const ParsedTokens& p) { return p.extra_offsets; }, shared)
        .def_prop_ro("extra_after", [](const ParsedTokens& p) { return p.extra_after; }, shared)
        .def_prop_ro("problems", [](const ParsedTokens& p) { return p.problems; }, "(line, message), the first hundred.")
        .def_prop_ro("n_skipped", [](const ParsedTokens& p) { return p.n_skipped; });

    m.def(
        "parse_conllu",
        [](nb::bytes text, bool lenient, unsigned wanted) {
            return parse(text, [&](std::string_view view) { return parse_conllu(view, lenient, wanted & kAllColumns); });
        },
        nb::arg("text"), nb::arg("lenient"), nb::arg("wanted") = kAllColumns);
    m.def(
        "fill_conllu",
        [](nb::bytes text, std::size_t field, Array<std::int32_t> ids, Strings strings) {
            HeldStrings table(strings);
            const ColumnView column{"labels", span_of(ids), std::move(table.views)};
            const std::string filled = [&] {
                nb::gil_scoped_release release;
                return fill_conllu({text.c_str(), text.size()}, field, column);
            }();
            return nb::bytes(filled.data(), filled.size());
        },
        nb::arg("text"), nb::arg("field"), nb::arg("ids"), nb::arg("strings"));
    m.def(
        "detect_separator",
        [](nb::bytes text) { return std::string(1, detect_separator({text.c_str(), text.size()})); }, nb::arg("text"));
    m.def(
        "parse_columns",
        [](nb::bytes text, const std::string& separator, std::size_t n_columns, bool lenient) {
            const char byte = checked_separator(separator);
            return parse(text, [&](std::string_view view) { return parse_columns(view, byte, n_columns, lenient); });
        },
        nb::arg("text"), nb::arg("separator"), nb::arg("n_columns"), nb::arg("lenient"));
    m.def("format_conllu", &format_conllu_rows, nb::arg("offsets"), nb::arg("columns"), nb::arg("heads"),
          nb::arg("comments"), nb::arg("comment_offsets"), nb::arg("extras"), nb::arg("extra_offsets"),
          nb::arg("extra_after"));
    m.def(
        "format_columns",
        [](Array<std::int64_t> offsets, std::vector<NamedColumn> columns, Strings comments,
           Array<std::int64_t> comment_offsets, const std::string& separator) {
            const char byte = checked_separator(separator);
            return format(offsets, columns, comments, comment_offsets,
                          [&](const CorpusView& corpus) { return format_columns(corpus, byte); });
        },
        nb::arg("offsets"), nb::arg("columns"), nb::arg("comments"), nb::arg("comment_offsets"), nb::arg("separator"));
}

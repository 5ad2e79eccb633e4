// Treebank files: a file's bytes in, Python trees out, in one crossing.
#include "formats/brackets.hpp"

#include <nanobind/stl/string.h>

#include "bind/bind.hpp"
#include "bind/formats/tree_builder.hpp"
#include "formats/negra_export.hpp"

using namespace palmette::trees;

namespace {

nb::tuple treebank(const nb::list& trees, FlatTrees& flat) {
    return nb::make_tuple(trees, numpy_of(std::move(flat.lines)), problem_list(flat.problems), flat.problems.count());
}

nb::tuple bind_read_brackets(nb::bytes data, nb::tuple classes, bool positions, bool lenient) {
    const std::string_view text(data.c_str(), data.size());
    FlatTrees flat;
    {
        nb::gil_scoped_release release;
        flat = read_brackets(text, positions ? Leaves::numbered : Leaves::in_order, lenient);
    }
    nb::list trees = build_trees(flat, TreeClasses(classes), positions ? Codes::unescape : Codes::keep, nb::list());
    return treebank(trees, flat);
}

nb::list export_notes(const FlatTrees& flat, nb::handle note_class) {
    std::vector<nb::object> strings;
    for (std::string_view text : flat.columns.strings()) strings.push_back(to_str(text));
    nb::list notes;
    for (const Note& note : flat.notes) {
        nb::list secondary;
        for (const auto& [edge, number] : note.secondary) secondary.append(nb::make_tuple(strings[edge], number));
        nb::object number = note.number < 0 ? nb::none() : nb::object(nb::int_(note.number));
        nb::object comment = note.comment < 0 ? nb::object(nb::str("")) : strings[note.comment];
        notes.append(note_class(strings[note.lemma], strings[note.morph], strings[note.edge], number,
                                nb::tuple(secondary), comment));
    }
    return notes;
}

nb::tuple bind_read_export(nb::bytes data, nb::tuple classes, const std::string& root, bool lenient) {
    if (nb::len(classes) != 4)
        throw nb::type_error("classes must be Tree, Leaf and the notes of a node and a sentence");
    const nb::object note = classes[2], sentence = classes[3];
    const std::string_view text(data.c_str(), data.size());
    ExportTrees read;
    {
        nb::gil_scoped_release release;
        read = read_export(text, root, lenient);
    }
    nb::list trees = build_trees(read.flat, TreeClasses(classes), Codes::keep, export_notes(read.flat, note));
    for (size_t i = 0; i < read.sentences.size(); ++i) {
        const Sentence& s = read.sentences[i];
        set_note(trees[i], sentence(to_str(s.bos), to_str(s.eos), to_str(s.before), s.version));
    }
    return treebank(trees, read.flat);
}

}  // namespace

void bind_brackets(nb::module_& m) {
    m.def("read_brackets", &bind_read_brackets, nb::arg("data"), nb::arg("classes"), nb::arg("positions"),
          nb::arg("lenient"),
          nb::sig("def read_brackets(data: bytes, classes: tuple[type, ...], positions: bool, lenient: bool) -> "
                  "tuple[typing.Any, typing.Any, typing.Any, int]"),
          "The trees of a bracketed text, their lines, its first problems as (line, message), and how many there are.\n"
          "With `positions`, leaves are i=word.");
    m.def("read_export", &bind_read_export, nb::arg("data"), nb::arg("classes"), nb::arg("root"), nb::arg("lenient"),
          nb::sig("def read_export(data: bytes, classes: tuple[type, ...], root: str, lenient: bool) -> "
                  "tuple[typing.Any, typing.Any, typing.Any, int]"),
          "The trees of a file in the Negra export format, and the rest as `read_brackets` gives it.");
    m.def("build_tree", &build_tree, nb::arg("tree_class"), nb::arg("label"), nb::arg("children"), nb::arg("note").none(),
          nb::sig("def build_tree(tree_class: type, label: str, children: tuple[typing.Any, ...], note: object) -> "
                  "typing.Any"),
          "A node of children that are known to be trees and leaves in the order of their first words.");
    m.def("build_leaf", &build_leaf, nb::arg("leaf_class"), nb::arg("word"), nb::arg("position"),
          nb::sig("def build_leaf(leaf_class: type, word: str, position: int) -> typing.Any"), "A leaf.");
}

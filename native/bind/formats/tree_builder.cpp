#include "bind/formats/tree_builder.hpp"

#include "formats/brackets.hpp"

using palmette::trees::FlatTrees;

namespace {

// Takes an object out of the garbage collector's rounds, which would walk over every tree again and again: trees are
// immutable and made from the leaves up, so no reference leads back and counting references is enough.
PyObject* uncollected(nb::object object) {
    PyObject_GC_UnTrack(object.ptr());
    return object.release().ptr();
}

// Objects in progress: one reference each, given back if an exception passes by.
class ObjectStack {
public:
    ~ObjectStack() {
        for (PyObject* object : objects_) Py_DECREF(object);
    }
    void push(PyObject* object) { objects_.push_back(object); }
    size_t size() const { return objects_.size(); }

    // The last k as a tuple, which takes the references over.
    nb::object pop_tuple(size_t k) {
        nb::object tuple = nb::steal(PyTuple_New(Py_ssize_t(k)));
        if (!tuple) throw nb::python_error();
        const size_t start = objects_.size() - k;
        for (size_t i = 0; i < k; ++i) PyTuple_SetItem(tuple.ptr(), Py_ssize_t(i), objects_[start + i]);
        objects_.resize(start);
        PyObject_GC_UnTrack(tuple.ptr());
        return tuple;
    }
    nb::object pop() {
        nb::object object = nb::steal(objects_.back());
        objects_.pop_back();
        return object;
    }

private:
    std::vector<PyObject*> objects_;
};

// Whether something is a class that was written in Python: those of C may not survive being made without __init__.
bool is_python_class(nb::handle type) {
    return PyType_Check(type.ptr()) &&
           (PyType_GetFlags(reinterpret_cast<PyTypeObject*>(type.ptr())) & Py_TPFLAGS_HEAPTYPE);
}

// A new object of a class with slots, without calling its __init__.
nb::object allocate(nb::handle type) {
    nb::object made = nb::steal(PyType_GenericAlloc(reinterpret_cast<PyTypeObject*>(type.ptr()), 0));
    if (!made) throw nb::python_error();
    return made;
}

void set_slot(nb::handle object, nb::handle name, nb::handle value) {
    if (PyObject_GenericSetAttr(object.ptr(), name.ptr(), value.ptr()) != 0) throw nb::python_error();
}

// The slots of a tree, and the position of a leaf: interned once and kept for good, since a lookup per node would cost as
// much as the node.
PyObject* const* slot_names() {
    static PyObject* const names[] = {PyUnicode_InternFromString("label"), PyUnicode_InternFromString("children"),
                                      PyUnicode_InternFromString("first"), PyUnicode_InternFromString("note"),
                                      PyUnicode_InternFromString("position")};
    return names;
}

std::vector<nb::object> to_strings(const palmette::trees::Symbols& interner, Codes codes, bool are_words) {
    std::vector<nb::object> strings;
    strings.reserve(interner.strings().size());
    for (std::string_view text : interner.strings()) {
        PyObject* made = codes == Codes::unescape
                             ? to_str(palmette::trees::unescape_brackets(text, are_words)).release().ptr()
                             : to_str(text).release().ptr();
        if (!are_words) PyUnicode_InternInPlace(&made);
        strings.push_back(nb::steal(made));
    }
    return strings;
}

}  // namespace

TreeClasses::TreeClasses(nb::tuple classes) {
    if (nb::len(classes) < 2 || !PyType_Check(nb::object(classes[0]).ptr()) ||
        !PyType_Check(nb::object(classes[1]).ptr()))
        throw nb::type_error("classes must be a tuple that begins with Tree and Leaf");
    tree = classes[0];
    leaf = classes[1];
}

TreeFactory::TreeFactory(TreeClasses classes) : classes_(std::move(classes)) {
    if (!is_python_class(classes_.tree) || !is_python_class(classes_.leaf)) throw nb::type_error("trees and leaves need their classes");
}

nb::object TreeFactory::leaf(nb::handle word, nb::handle position) const { return build_leaf(classes_.leaf, word, position); }

nb::object TreeFactory::tree(nb::handle label, const nb::object* made, const int32_t* which, size_t k, nb::handle first) const {
    nb::object children = nb::steal(PyTuple_New(Py_ssize_t(k)));
    if (!children) throw nb::python_error();
    for (size_t i = 0; i < k; ++i) PyTuple_SetItem(children.ptr(), Py_ssize_t(i), nb::object(made[which ? size_t(which[i]) : i]).release().ptr());
    PyObject_GC_UnTrack(children.ptr());
    nb::object tree = allocate(classes_.tree);
    set_slot(tree, slot_names()[0], label);
    set_slot(tree, slot_names()[1], children);
    set_slot(tree, slot_names()[2], first);
    set_slot(tree, slot_names()[3], nb::none());
    return nb::steal(uncollected(std::move(tree)));
}

nb::list build_trees(const FlatTrees& flat, const TreeClasses& classes, Codes codes, nb::list notes) {
    const nb::object label_name = nb::str("label"), children_name = nb::str("children"), first_name = nb::str("first"),
                     note_name = nb::str("note"), word_name = nb::str("word"), position_name = nb::str("position");
    const auto words = to_strings(flat.words, codes, true), labels = to_strings(flat.labels, codes, false);
    std::vector<nb::object> ints;  // positions, shared by all trees
    for (int32_t number : flat.number)
        while (int64_t(ints.size()) <= number) ints.push_back(nb::int_(ints.size()));

    nb::list trees;
    ObjectStack stack;
    std::vector<int32_t> firsts;  // position of the first word of each object on the stack
    size_t entry = 0;
    for (int64_t end : flat.ends) {
        for (; int64_t(entry) < end; ++entry) {
            const int32_t number = flat.number[entry];
            if (number >= 0) {
                nb::object leaf = allocate(classes.leaf);
                set_slot(leaf, word_name, words[flat.symbol[entry]]);
                set_slot(leaf, position_name, ints[number]);
                stack.push(uncollected(std::move(leaf)));
                firsts.push_back(number);
                continue;
            }
            const size_t k = size_t(-number);
            nb::object tree = allocate(classes.tree);
            firsts.resize(firsts.size() - k + 1);  // children are in the order of their first words
            set_slot(tree, label_name, labels[flat.symbol[entry]]);
            set_slot(tree, children_name, stack.pop_tuple(k));
            set_slot(tree, first_name, ints[firsts.back()]);
            const int32_t note = flat.note.empty() ? -1 : flat.note[entry];
            if (note < 0)
                set_slot(tree, note_name, nb::none());
            else
                set_slot(tree, note_name, nb::object(notes[note]));
            stack.push(uncollected(std::move(tree)));
        }
        trees.append(stack.pop());
        firsts.clear();
    }
    return trees;
}

nb::object build_tree(nb::handle tree_class, nb::handle label, nb::tuple children, nb::handle note) {
    PyObject* const* names = slot_names();
    if (!is_python_class(tree_class) || children.size() == 0)
        throw nb::type_error("a tree needs its class and at least one child");
    const nb::object child = children[0];
    const bool is_tree = Py_TYPE(child.ptr()) == reinterpret_cast<PyTypeObject*>(tree_class.ptr());
    const nb::object first = nb::steal(PyObject_GetAttr(child.ptr(), names[is_tree ? 2 : 4]));
    if (!first) throw nb::python_error();
    nb::object tree = allocate(tree_class);
    set_slot(tree, names[0], label);
    set_slot(tree, names[1], children);
    set_slot(tree, names[2], first);
    set_slot(tree, names[3], note);
    PyObject_GC_UnTrack(children.ptr());
    return nb::steal(uncollected(std::move(tree)));
}

nb::object build_leaf(nb::handle leaf_class, nb::handle word, nb::handle position) {
    static PyObject* const names[] = {PyUnicode_InternFromString("word"), PyUnicode_InternFromString("position")};
    if (!is_python_class(leaf_class)) throw nb::type_error("a leaf needs its class");
    nb::object leaf = allocate(leaf_class);
    set_slot(leaf, names[0], word);
    set_slot(leaf, names[1], position);
    return nb::steal(uncollected(std::move(leaf)));
}

void set_note(nb::handle tree, nb::handle note) { set_slot(tree, nb::str("note"), note); }

// Python trees from flat arrays.
#pragma once
#include "bind/bind.hpp"
#include "formats/flat_trees.hpp"

// The Python classes that trees are made of: palmette.trees.tree.Tree and Leaf, both with slots.
struct TreeClasses {
    nb::object tree, leaf;
    explicit TreeClasses(nb::tuple classes);  // the first two of them
};

// Makes nodes and leaves that are known to be right, without calling Python; none is walked by the collector.
class TreeFactory {
public:
    explicit TreeFactory(TreeClasses classes);
    nb::object leaf(nb::handle word, nb::handle position) const;
    // A node above some of `made`: those of the numbers in `which`, or the first k without them.
    nb::object tree(nb::handle label, const nb::object* made, const int32_t* which, size_t k, nb::handle first) const;

private:
    TreeClasses classes_;
};

enum class Codes { keep, unescape };  // "-LRB-" and the like, in words and labels

// A list with one Tree per tree. `notes` has one object per entry of `flat.notes`. O(entries), no recursion.
nb::list build_trees(const palmette::trees::FlatTrees& flat, const TreeClasses& classes, Codes codes, nb::list notes);

// One node of children that are known to be right and in order, or one leaf; neither is walked by the collector.
nb::object build_tree(nb::handle tree_class, nb::handle label, nb::tuple children, nb::handle note);
nb::object build_leaf(nb::handle leaf_class, nb::handle word, nb::handle position);

// Sets `tree.note` behind the back of its class, which forbids it to others.
void set_note(nb::handle tree, nb::handle note);

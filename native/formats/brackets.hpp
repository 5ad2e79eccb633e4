// Penn brackets "(S (NP (NN time)) ...)" and discbrackets "(S (NP 0=time 2=arrow) ...)" as flat trees.
#pragma once
#include "formats/flat_trees.hpp"

namespace palmette::trees {

enum class Leaves {
    in_order,  // a leaf is a word; its position is its place in the text
    numbered,  // a leaf is "position=word"
};

// Reads every tree of a text in one pass, linear in its length, without recursion.
// The first problem ends the reading, unless `lenient`: then the tree that has it is skipped. What follows it begins
// where its brackets close or where a line begins with a bracket, whichever comes first.
FlatTrees read_brackets(std::string_view text, Leaves leaves, bool lenient);

// "-LRB-", "-RRB-" (in words only), "#LRB#" and "#RRB#" back to brackets; a backslash before keeps them literal.
std::string unescape_brackets(std::string_view text, bool is_word);

}  // namespace palmette::trees

// Trees as flat arrays: every tree of a file in postfix order, with its strings interned.
//
// An entry is a word or a node, and a node comes after its children, so trees are built with one stack and no
// recursion:   "(S (NP a) (VP b))"   is   a, NP/1, b, VP/1, S/2.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/intern.hpp"
#include "base/text.hpp"
#include "base/text_errors.hpp"

namespace palmette::trees {

// Words or labels, interned.
class Symbols {
public:
    static constexpr int32_t invalid = -1;

    // The id of a string, or `invalid` where it is not UTF-8 (checked once per distinct string).
    int32_t operator()(std::string_view text);
    const std::vector<std::string_view>& strings() const { return interner_.strings(); }

private:
    Interner interner_;
};

// The columns of an export line that a tree has no place for.
struct Note {
    int32_t lemma, morph, edge;  // ids in `FlatTrees::columns`
    int32_t number;              // of a nonterminal (500, 501, ...), or -1 for a word
    int32_t comment;             // id in `columns`, or -1
    std::vector<std::pair<int32_t, int32_t>> secondary;  // edge label (id in `columns`) and node number
};

struct FlatTrees {
    Symbols words, labels, columns;
    std::vector<int32_t> symbol;   // of a word: id in `words`; of a node: id in `labels`
    std::vector<int32_t> number;   // of a word: its position (≥ 0); of a node: minus the number of its children
    std::vector<int32_t> note;     // index in `notes`, or -1; empty where the format has no notes
    std::vector<int64_t> ends;     // per tree: one past its last entry
    std::vector<int64_t> lines;    // per tree: where it begins
    std::vector<Note> notes;
    Problems problems;

    void cut(size_t entries);      // drops the entries of a tree that went wrong
};

// One tree as it is read from a format whose words carry their positions: entries in any order, each naming its
// parent (an index, or -1 for the root).
struct Draft {
    static constexpr int32_t inner = -1;  // the position of a node that is not a word
    std::vector<int32_t> symbol, parent, position, note;

    int32_t add(int32_t symbol, int32_t parent, int32_t position, int32_t note = -1);
    void clear();
};

// Appends a draft to the flat trees, the children of every node in the order of their first words.
// Returns an entry that no path from the root reaches, or -1 where the draft is a tree. O(n log n).
int32_t append(const Draft& draft, FlatTrees& flat);

}  // namespace palmette::trees

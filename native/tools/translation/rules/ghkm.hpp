// Rules of an aligned text with trees on one side (CSC 448, §19.1; Galley et al. 2004, 2006).
//
// The extent of a tree node is the least run of words of the other side, the string, that holds all words linked to words below
// the node. A frontier node has a nonempty extent in which all words are linked to words below it alone, or to none. A rule has a
// frontier node as its root; below it, nodes are expanded until words and frontier nodes, which are its variables. Its other side is
// the root's extent, with the variables in place of their extents. In a minimal rule every frontier node below the root is a
// variable; a composed rule expands some of them. A word of the string without links is in the rule of the lowest node whose extent
// holds it, that is as high as the extents allow; the extent of a tree's root is the whole string.
//
// All rules of a root are found in one walk over decisions, one for each open node, leftmost first: the same sequences that are the
// keys of fragments in a rule table over trees. O(rules of the text) trie steps and nodes.
#pragma once
#include <cstdint>
#include <span>

#include "tools/translation/rules/aligned_text.hpp"
#include "tools/translation/rules/rule_counts.hpp"

namespace palmette {

// Trees of sentences; node v of sentence s is number at[s] + v of all, in preorder. Sentences may have none.
struct TreeNodes {
    std::span<const std::int64_t> at;                  // [sentences + 1]
    std::span<const std::uint32_t> label, production;  // of each node
    std::span<const std::int32_t> begin, end;          // its words
    std::span<const std::int32_t> next;                // the first node behind all that are below it, counted in its tree

    // std::invalid_argument unless every tree covers its sentence and its nodes are nested.
    void check(const Side& side, std::uint32_t n_labels, std::uint32_t n_productions) const;
};

struct GhkmLimits {
    bool target_trees = true;         // which side has trees
    bool fragments = false;           // whether source sides are fragments of source trees, and not strings
    bool flat = false;                // whether all labels are 0
    bool unary = true;                // whether a source side may be one nonterminal alone
    bool shares = false;              // whether the rules of a root share a count of 1
    std::int32_t max_rules = 3;       // minimal rules of a composed one
    std::int32_t max_nodes = 15;      // expanded nodes of a composed rule
    std::int32_t max_symbols = 10;    // symbols of the string side of a composed rule
    std::int32_t max_scope = 3;       // of source sides that are strings: how many places of their borders are open; -1: any
};

constexpr std::uint32_t kFirstDecision = 1 << 16;  // symbols of variants below are links, from it on decisions of a fragment

RuleCounts ghkm_rules(const AlignedText& text, const TreeNodes& trees, const GhkmLimits& limits, int n_jobs);

}  // namespace palmette

// Hierarchical rules of an aligned text (CSC 448, §18; Chiang 2007).
//
// An initial phrase is a block of the alignment whose four border words have links: it is tight. If it is loose, words without
// links may be at the borders of its source side, but not of a hole. A rule is an initial phrase in
// which smaller initial phrases, the holes, are replaced by a nonterminal X. For each first word, all source sides are found in one
// walk over words and holes, so that sides with a common beginning share its steps. Each step is one step in a trie.
#pragma once
#include <cstdint>

#include "tools/translation/rules/aligned_text.hpp"
#include "tools/translation/rules/rule_counts.hpp"

namespace palmette {

struct HieroLimits {
    std::int32_t max_span = 10;         // words of an initial phrase on either side, at most 255
    std::int32_t max_symbols = 5;       // symbols of a source side
    std::int32_t max_nonterminals = 2;
    std::int32_t min_hole = 2;          // source words of a hole
    bool adjacent = false;              // whether nonterminals may be neighbours on the source side
    bool loose = false;                 // whether source words at the borders of a rule may lack links
    bool shares = true;                 // whether the rules of an initial phrase share its count of 1
};

RuleCounts hiero_rules(const AlignedText& text, const HieroLimits& limits, int n_jobs);

}  // namespace palmette

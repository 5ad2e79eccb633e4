// Fragments of trees in brackets, such as (VP (RB not) [VB,1]), from the decisions that the variants of rules hold.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "tools/translation/rules/rule_counts.hpp"

namespace palmette {

struct FragmentTexts {
    std::vector<std::uint32_t> of_rule;
    std::vector<std::uint8_t> utf8;      // different texts, in the order of the rules
    std::vector<std::int64_t> offsets;   // where each begins
};

// productions: as text, `VP -> RB VB` or `RB -> "not"`, by the numbers in decisions. A variable's number is its place on the source
// side: with target trees, the target side says which it is. std::invalid_argument if a decision does not fit its node.
FragmentTexts fragment_texts(const RuleCounts& counts, const std::vector<std::string>& productions, std::uint32_t n_target_words, bool target_trees);

}  // namespace palmette

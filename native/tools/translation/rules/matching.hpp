// Which rules of a table may be used on some sentences or trees.
#pragma once
#include <cstdint>
#include <vector>

#include "tools/alignment/bitext.hpp"
#include "tools/translation/rules/ghkm.hpp"
#include "tools/translation/rules/rule_table.hpp"

namespace palmette {

// Over strings: a rule matches if the words of its source side are in the sentence, in its order and side by side, with at least one
// word for each nonterminal. Words are numbers of the table; −1 is another word. One mark for each rule.
std::vector<std::uint8_t> rules_of_sentences(const RuleTableView& table, const Side& text);

// Over trees: a rule matches if its fragment is at a node. The production of a node is its number in the table, or more than
// there are. The trees have been checked.
std::vector<std::uint8_t> rules_of_trees(const RuleTableView& table, const TreeNodes& trees);

}  // namespace palmette

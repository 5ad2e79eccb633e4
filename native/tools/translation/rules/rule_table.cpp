#include "tools/translation/rules/rule_table.hpp"

#include <string>
#include <vector>

namespace palmette {

namespace {

constexpr TableChecks kRuleTable{"rule table"};

}  // namespace

void RuleTableView::damaged(const char* what) { kRuleTable.fail(std::string(what) + " cannot be right"); }

void RuleTableView::check_lengths() const {
    if (child_symbol.empty() || target_begin.empty() || n_nodes() >= none || n_rules() >= none)
        kRuleTable.fail("it has no root, or more than four thousand million items");
    kRuleTable.rows(child_begin, n_nodes(), 1, n_nodes(), "child_begin");
    kRuleTable.rows(rule_begin, n_nodes(), 0, n_rules(), "rule_begin");
    kRuleTable.rows(target_begin, n_targets(), 0, target_items.size(), "target_begin");
    kRuleTable.rows(link_begin, n_rules(), 0, links.size(), "link_begin");
    if (rule_left.size() != n_rules()) kRuleTable.fail("it lacks the left side of a rule");
    if (n_columns > 1000 || scores.size() != n_rules() * n_columns) kRuleTable.fail("it lacks a row of scores for a rule");
    if (n_symbols() >= none) kRuleTable.fail("it has more than four thousand million symbols");
}

void RuleTableView::check() const {
    check_lengths();
    kRuleTable.rising(child_begin, "child_begin");
    kRuleTable.rising(rule_begin, "rule_begin");
    kRuleTable.rising(target_begin, "target_begin");
    kRuleTable.rising(link_begin, "link_begin");
    kRuleTable.below(child_symbol.subspan(1), n_symbols(), "child_symbol");
    kRuleTable.below(rule_target, n_targets(), "rule_target");
    kRuleTable.below(rule_left, n_labels, "rule_left");
    kRuleTable.finite(scores, "scores");
    std::vector<std::uint8_t> depth(n_nodes()), variables(n_nodes());
    for (std::uint32_t v = 0; v < n_nodes(); ++v) {
        if (child_begin[v] <= v || (depth[v] == longest && child_begin[v] < child_begin[v + 1])) damaged("the place of a node below its parent");
        for (std::uint32_t k = child_begin[v]; k < child_begin[v + 1]; ++k) {
            depth[k] = static_cast<std::uint8_t>(depth[v] + 1);
            variables[k] = static_cast<std::uint8_t>(variables[v] + is_nonterminal(child_symbol[k]));
            if (k > child_begin[v] && child_symbol[k - 1] >= child_symbol[k]) damaged("the order of the symbols below a node");
        }
        for (std::uint32_t rule = rule_begin[v]; rule < rule_begin[v + 1]; ++rule)
            links_of(rule, trees ? longest + 1 : depth[v], target(rule, variables[v]).size());
    }
}

}  // namespace palmette

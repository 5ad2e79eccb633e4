// A rule table over arrays that Python holds.
#pragma once
#include <cstdint>
#include <string_view>

#include "base/word_table.hpp"
#include "bind/bind.hpp"
#include "bind/tools/translation/phrase_table.hpp"
#include "tools/translation/rules/rule_table.hpp"

struct BoundRuleTable {
    palmette::WordTable source_words, target_words, labels, productions;
    Array<std::uint32_t> child_begin, child_symbol, rule_begin;
    Array<std::uint16_t> rule_left;
    Array<std::uint32_t> rule_target, target_begin;
    Array<std::int32_t> target_items;
    Table scores;
    Array<std::uint32_t> link_begin;
    Array<std::uint16_t> links;
    palmette::RuleTableView view;  // of these arrays

    // The number of a string in one of the tables of words, or RuleTableView::none.
    static std::uint32_t number(const palmette::WordTable& words, std::string_view word) {
        const std::uint32_t id = words.find(word);
        const bool known = id != 0 || (words.size() && words.word(0) == word);
        return known ? id : palmette::RuleTableView::none;
    }
};

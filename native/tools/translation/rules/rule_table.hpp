// Rules of a synchronous grammar with their scores, as arrays that can lie in a mapped file.
//
// Source sides are paths in a trie with breadth-first numbers, as in phrase_table.hpp. A symbol on an edge is
//
//     over strings   a source word if it is below n_source_words, and else the nonterminal label symbol − n_source_words
//     over trees     a decision about the leftmost open node of a fragment: 0 stops there, so that the node is a variable, and
//                    1 + p expands it by production p
//
// The rules of the source side that node v spells are rule_begin[v] … rule_begin[v + 1] − 1, best first. An item of a target side
// is a word, or −1 − t for the t-th nonterminal of the source side, counted from 0; each occurs once.
//
// A file may say anything. So every access here is checked, at a few instructions each, and throws DamagedTable.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>

#include "tools/translation/checked_rows.hpp"

namespace palmette {

struct RuleTableView {
    static constexpr std::uint32_t none = 0xFFFFFFFFu;
    static constexpr std::size_t longest = 255;  // symbols of a side: a link inside is two bytes
    static constexpr std::size_t most = 63;      // nonterminals of a rule

    struct Range {
        std::uint32_t begin = 0, end = 0;
        std::size_t size() const { return end - begin; }
    };

    bool trees = false;  // what the trie is over
    std::uint32_t n_source_words = 0, n_target_words = 0, n_labels = 0, n_productions = 0;
    std::span<const std::uint32_t> child_begin, child_symbol;   // [nodes + 1], [nodes]
    std::span<const std::uint32_t> rule_begin, rule_target;     // [nodes + 1], [rules]
    std::span<const std::uint16_t> rule_left;                   // [rules]
    std::span<const std::uint32_t> target_begin;                // [targets + 1]
    std::span<const std::int32_t> target_items;
    std::span<const std::uint32_t> link_begin;                  // [rules + 1]
    std::span<const std::uint16_t> links;                       // source position << 8 | target position, nonterminals counted too
    std::span<const float> scores;                              // [rules][n_columns], natural logarithms
    std::size_t n_columns = 0;

    std::size_t n_nodes() const { return child_symbol.size(); }
    std::size_t n_rules() const { return rule_target.size(); }
    std::size_t n_targets() const { return target_begin.size() - 1; }
    std::size_t n_symbols() const { return trees ? std::size_t{n_productions} + 1 : std::size_t{n_source_words} + n_labels; }

    bool is_nonterminal(std::uint32_t symbol) const { return trees ? symbol == 0 : symbol >= n_source_words; }
    // Over strings: the symbol of a label, and back.
    std::uint32_t symbol_of_label(std::uint32_t label) const { return n_source_words + label; }
    std::uint32_t label_of_symbol(std::uint32_t symbol) const {
        if (symbol < n_source_words || symbol - n_source_words >= n_labels) damaged("the label of a nonterminal");
        return symbol - n_source_words;
    }

    // Whether the lengths of all arrays agree; O(1). Everything below needs it.
    void check_lengths() const;
    // Whether every access would succeed, and siblings rise; O(size). The source positions of links over trees are the caller's.
    void check() const;

    // The children of a node, whose symbols rise; over strings those with labels come last.
    Range children(std::uint32_t node) const { return range(child_begin, node, n_nodes(), "the children of a node"); }

    // The node below another with this symbol on its edge, or none.
    std::uint32_t child(std::uint32_t node, std::uint32_t symbol) const {
        const Range found = children(node);
        const std::uint32_t* first = child_symbol.data() + found.begin;
        const std::uint32_t* last = child_symbol.data() + found.end;
        const std::uint32_t* at = std::lower_bound(first, last, symbol);
        return at == last || *at != symbol ? none : static_cast<std::uint32_t>(at - child_symbol.data());
    }

    // The node that a source side leads to, or none.
    std::uint32_t find(std::span<const std::uint32_t> symbols) const {
        std::uint32_t node = 0;
        for (std::size_t k = 0; k < symbols.size() && node != none; ++k) node = child(node, symbols[k]);
        return node;
    }

    Range rules(std::uint32_t node) const { return range(rule_begin, node, n_rules(), "the rules of a source side"); }

    std::uint16_t left(std::uint32_t rule) const {
        if (rule >= n_rules() || rule_left[rule] >= n_labels) damaged("the left side of a rule");
        return rule_left[rule];
    }

    // The target side of a rule whose source side has n nonterminals: at least one item, each word in the vocabulary, each
    // nonterminal once.
    std::span<const std::int32_t> target(std::uint32_t rule, std::size_t n) const {
        if (rule >= n_rules()) damaged("a rule");
        if (rule_target[rule] >= n_targets()) damaged("the target side of a rule");
        const Range found = range(target_begin, rule_target[rule], target_items.size(), "the items of a target side");
        if (found.size() == 0 || found.size() > longest) damaged("the length of a target side");
        const auto items = target_items.subspan(found.begin, found.size());
        if (!complete(items, n)) damaged("an item of a target side");
        return items;
    }

    // All finite.
    std::span<const float> scores_of(std::uint32_t rule) const {
        if (rule >= n_rules()) damaged("a rule");
        const auto found = scores.subspan(rule * n_columns, n_columns);
        for (const float value : found)
            if (!std::isfinite(value)) damaged("a score, which is not a finite number");
        return found;
    }

    // The links of a rule, which lie inside n_source and n_target symbols.
    std::span<const std::uint16_t> links_of(std::uint32_t rule, std::size_t n_source, std::size_t n_target) const {
        const Range found = range(link_begin, rule, links.size(), "the links of a rule");
        const auto inside = links.subspan(found.begin, found.size());
        for (const std::uint16_t link : inside)
            if (static_cast<std::size_t>(link >> 8) >= n_source || static_cast<std::size_t>(link & 255) >= n_target) damaged("a link of a rule");
        return inside;
    }

private:
    [[noreturn]] static void damaged(const char* what);

    bool complete(std::span<const std::int32_t> items, std::size_t n) const {
        std::uint64_t seen = 0;
        for (const std::int32_t item : items) {
            if (item >= 0) {
                if (static_cast<std::uint32_t>(item) >= n_target_words) return false;
                continue;
            }
            const auto t = static_cast<std::uint32_t>(-1 - item);
            if (t >= n || t >= most || seen >> t & 1) return false;
            seen |= std::uint64_t{1} << t;
        }
        return n <= most && seen == (std::uint64_t{1} << n) - 1;
    }

    static Range range(std::span<const std::uint32_t> begins, std::uint32_t row, std::size_t n, const char* what) {
        if (std::size_t{row} + 1 >= begins.size()) damaged(what);
        const Range found{begins[row], begins[row + 1]};
        if (found.begin > found.end || found.end > n) damaged(what);
        return found;
    }
};

}  // namespace palmette

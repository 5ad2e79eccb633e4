// Rule tables: their arrays, checked, and how rules are chosen.
#include "bind/tools/translation/rule_table.hpp"

#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <tuple>

#include "bind/tools/lm/model.hpp"
#include "bind/tools/alignment/sides.hpp"
#include "bind/tools/translation/table_shape.hpp"
#include "tools/translation/rules/matching.hpp"

using namespace palmette;

namespace {

RuleTableView rule_view_of(const BoundRuleTable& t, bool trees) {
    RuleTableView view;
    view.trees = trees;
    view.n_source_words = t.source_words.size();
    view.n_target_words = t.target_words.size();
    view.n_labels = t.labels.size();
    view.n_productions = t.productions.size();
    view.child_begin = span_of(t.child_begin);
    view.child_symbol = span_of(t.child_symbol);
    view.rule_begin = span_of(t.rule_begin);
    view.rule_left = span_of(t.rule_left);
    view.rule_target = span_of(t.rule_target);
    view.target_begin = span_of(t.target_begin);
    view.target_items = span_of(t.target_items);
    view.link_begin = span_of(t.link_begin);
    view.links = span_of(t.links);
    view.scores = {t.scores.data(), t.scores.size()};
    view.n_columns = t.scores.shape(1);
    return view;
}

// Items of target sides as they are in memory.
std::span<const uint32_t> bits_of(std::span<const int32_t> items) { return {reinterpret_cast<const uint32_t*>(items.data()), items.size()}; }

}  // namespace

void bind_rule_table(nb::module_& m) {
    using namespace nb::literals;
    nb::class_<BoundRuleTable>(m, "RuleTable", "A rule table over its arrays. ValueError if they do not fit together.")
        .def(
            "__init__",
            [](BoundRuleTable* self, const Array<uint8_t>& source_utf8, const Array<int64_t>& source_offsets, const Array<uint8_t>& target_utf8,
               const Array<int64_t>& target_offsets, const Array<uint8_t>& labels_utf8, const Array<int64_t>& labels_offsets,
               const Array<uint8_t>& productions_utf8, const Array<int64_t>& productions_offsets, const Array<uint32_t>& child_begin,
               const Array<uint32_t>& child_symbol, const Array<uint32_t>& rule_begin, const Array<uint16_t>& rule_left, const Array<uint32_t>& rule_target,
               const Array<uint32_t>& target_begin, const Array<int32_t>& target_items, const Table& scores, const Array<uint32_t>& link_begin,
               const Array<uint16_t>& links, bool trees, bool whole) {
                BoundRuleTable table{checked_words(source_utf8, source_offsets),
                                     checked_words(target_utf8, target_offsets),
                                     checked_words(labels_utf8, labels_offsets),
                                     checked_words(productions_utf8, productions_offsets),
                                     child_begin,
                                     child_symbol,
                                     rule_begin,
                                     rule_left,
                                     rule_target,
                                     target_begin,
                                     target_items,
                                     scores,
                                     link_begin,
                                     links,
                                     {}};
                table.view = rule_view_of(table, trees);
                {
                    nb::gil_scoped_release release;
                    whole ? table.view.check() : table.view.check_lengths();
                }
                new (self) BoundRuleTable(std::move(table));
            },
            "source_utf8"_a.noconvert(), "source_offsets"_a.noconvert(), "target_utf8"_a.noconvert(), "target_offsets"_a.noconvert(),
            "labels_utf8"_a.noconvert(), "labels_offsets"_a.noconvert(), "productions_utf8"_a.noconvert(), "productions_offsets"_a.noconvert(),
            "child_begin"_a.noconvert(), "child_symbol"_a.noconvert(), "rule_begin"_a.noconvert(), "rule_left"_a.noconvert(),
            "rule_target"_a.noconvert(), "target_begin"_a.noconvert(), "target_items"_a.noconvert(), "scores"_a.noconvert(),
            "link_begin"_a.noconvert(), "links"_a.noconvert(), "trees"_a, "whole"_a,
            "trees: whether the trie is over fragments of source trees. whole: check every item now; otherwise each is checked when it is looked up.")
        .def("check", [](const BoundRuleTable& t) { t.view.check(); }, nb::call_guard<nb::gil_scoped_release>(), "ValueError unless every item is right.")
        .def(
            "source_number", [](const BoundRuleTable& t, std::string_view word) { return t.number(t.source_words, word); }, "word"_a,
            "The number of a source word, or 2**32 - 1.")
        .def(
            "label_number", [](const BoundRuleTable& t, std::string_view label) { return t.number(t.labels, label); }, "label"_a,
            "The number of a label, or 2**32 - 1.")
        .def(
            "production_number", [](const BoundRuleTable& t, std::string_view production) { return t.number(t.productions, production); }, "production"_a,
            "The number of a production, or 2**32 - 1.")
        .def(
            "find",
            [](const BoundRuleTable& t, const std::vector<uint32_t>& symbols) {
                const uint32_t node = t.view.find(symbols);
                if (node == RuleTableView::none) return std::tuple<uint32_t, uint32_t>(0, 0);
                const auto found = t.view.rules(node);
                return std::tuple<uint32_t, uint32_t>(found.begin, found.end);
            },
            "symbols"_a, "The rules of a source side: from the first number to the one before the second.")
        .def(
            "left", [](const BoundRuleTable& t, uint32_t rule) { return t.view.left(rule); }, "rule"_a, "The label of the left side of a rule.")
        .def(
            "target",
            [](const BoundRuleTable& t, uint32_t rule, size_t n) {
                const auto items = t.view.target(rule, n);
                return std::vector<int32_t>(items.begin(), items.end());
            },
            "rule"_a, "n"_a, "The items of the target side of a rule with n nonterminals: words, and -1 - t for nonterminal t.")
        .def(
            "links",
            [](const BoundRuleTable& t, uint32_t rule, size_t n_source, size_t n_target) {
                std::vector<std::tuple<int, int>> links;
                for (const uint16_t link : t.view.links_of(rule, n_source, n_target)) links.emplace_back(link >> 8, link & 255);
                return links;
            },
            "rule"_a, "n_source"_a, "n_target"_a, "The links inside a rule with that many symbols on its sides.")
        .def(
            "matching_sentences",
            [](const BoundRuleTable& t, const Array<int64_t>& offsets, const Array<int32_t>& ids) {
                require(!t.view.trees, "the table is over trees");
                const Side text{checked_offsets(offsets, ids.size()), span_of(ids)};
                check_ids(ids, -1, t.view.n_source_words, "a word is outside the table");
                std::vector<uint8_t> kept;
                {
                    nb::gil_scoped_release release;
                    t.view.check();
                    kept = rules_of_sentences(t.view, text);
                }
                return numpy_of(std::move(kept));
            },
            "offsets"_a.noconvert(), "ids"_a.noconvert(), "Whether each rule may be used on one of some sentences; -1 is a word that the table does not have.")
        .def(
            "matching_trees",
            [](const BoundRuleTable& t, const Array<int64_t>& offsets, const Array<int64_t>& at, const Array<uint32_t>& label, const Array<uint32_t>& production,
               const Array<int32_t>& begin, const Array<int32_t>& end, const Array<int32_t>& next) {
                require(t.view.trees, "the table is not over trees");
                const size_t n = label.size();
                require(production.size() == n && begin.size() == n && end.size() == n && next.size() == n, "every node of a tree has six numbers");
                const Side text{checked_offsets(offsets, static_cast<size_t>(offsets.size() ? offsets.data()[offsets.size() - 1] : 0)), {}};
                const TreeNodes trees{checked_offsets(at, n), span_of(label), span_of(production), span_of(begin), span_of(end), span_of(next)};
                trees.check(text, RuleTableView::none, RuleTableView::none);
                std::vector<uint8_t> kept;
                {
                    nb::gil_scoped_release release;
                    t.view.check();
                    kept = rules_of_trees(t.view, trees);
                }
                return numpy_of(std::move(kept));
            },
            "offsets"_a.noconvert(), "at"_a.noconvert(), "label"_a.noconvert(), "production"_a.noconvert(), "begin"_a.noconvert(), "end"_a.noconvert(),
            "next"_a.noconvert(), "Whether the fragment of each rule is at a node of some trees. production: numbers of the table; 2**32 - 2 is another.")
        .def(
            "select",
            [](const BoundRuleTable& t, const Array<uint8_t>& kept) {
                require(kept.size() == t.view.n_rules(), "every rule is kept or not");
                TableShape shape;
                {
                    nb::gil_scoped_release release;
                    const RuleTableView& view = t.view;
                    view.check();
                    shape = select_pairs({view.child_begin, view.child_symbol, view.rule_begin, view.rule_target, view.target_begin, bits_of(view.target_items)},
                                         span_of(kept));
                }
                return shape_tuple(std::move(shape));
            },
            "kept"_a.noconvert(),
            "The arrays of a table with some of its rules: child_begin, child_symbol, rule_begin, rule_target, target_begin, target_items as unsigned "
            "numbers, and which rule came to each place. Symbols keep their numbers.");
}

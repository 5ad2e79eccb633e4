// Translation of a source tree, or of a forest (CSC 448, §20, algorithm 17; Liu, Liu & Lin 2006; Mi, Huang & Liu 2008).
//
//     for every node n, bottom up:  for every rule r whose fragment matches at n:  a cube of r and the lists of its variables
//
// A fragment matches by one decision for each open node, the leftmost first: stop there, or expand it by one of its edges.
// The trie of fragments is walked depth first, so that fragments that begin alike are matched once. The cost is that of the
// matches, a constant for each node of a tree, and of cube pruning: linear in the nodes.
//
// Glue joins what the children of a node have, in their order, two at a time; it competes with the rules. A word that has no rule is
// copied.
#include "tools/translation/chart/decoder.hpp"
#include "tools/translation/chart/source_forest.hpp"

namespace palmette {

namespace {

using u32 = std::uint32_t;
constexpr u32 kNoList = CubeSearch::kNone;

}  // namespace

void ChartDecoder::translate_forest(const SourceForest& forest) {
    node_lists_.assign(forest.n_nodes(), kNoList);
    word_lists_.assign(n_, kNoList);
    closed_.assign(forest.n_nodes(), 0);
    glue_rules_.clear();
    for (u32 node = 0; node < forest.n_nodes(); ++node) {
        const u32 own = search_.add_cell(forest.begin[node], forest.end[node], forest.label[node]);
        add_given(forest, node, own);
        if (!closed_[node]) {
            for (u32 edge = forest.edge_start[node]; edge < forest.edge_start[node + 1]; ++edge) {
                if (forest.production[edge] == SourceForest::no_production) continue;
                const u32 next = model_.table.child(0, 1 + forest.production[edge]);
                if (next == RuleTableView::none) continue;
                open_children(forest, edge);
                match_open(forest, next, own);
                open_.clear();
            }
            for (u32 edge = forest.edge_start[node]; edge < forest.edge_start[node + 1]; ++edge) add_glue(forest, node, edge, own);
        }
        search_.finish(own);
        // Edges of all rules, copies and glue lead to the same list.
        if (!search_.entries(own).empty()) node_lists_[node] = search_.entries(own)[0].list;
    }
    // S → A for the root, as in any chart.
    first_glued_ = search_.n_cells();
    const u32 lists[] = {search_.begin_list(), node_lists_.back()};
    u32 joined = kNoList;
    if (lists[1] != kNoList) {
        const u32 made = search_.add_cell(0, n_);
        search_.add_cube(made, {glue_rule(2), 1}, lists);
        search_.finish(made);
        if (!search_.entries(made).empty()) joined = search_.entries(made)[0].list;
    }
    finish_sentence(joined);
}

// Translations that come with the sentence are for nodes of the same span; nothing else is, if they are exclusive.
void ChartDecoder::add_given(const SourceForest& forest, u32 node, u32 own) {
    for (const GivenPhrase& one : sentence_->given) {
        if (one.begin != forest.begin[node] || one.end != forest.end[node]) continue;
        if (one.exclusive) closed_[node] = 1;
        if (constraint_.allows(one.words)) search_.add_cube(own, rules_.of_words(one.words, ChartRule::kGiven), {});
    }
}

void ChartDecoder::open_children(const SourceForest& forest, u32 edge) {
    const auto children = forest.children_of(edge);
    for (std::size_t k = children.size(); k-- > 0;)
        if (children[k] >= 0) open_.push_back(static_cast<u32>(children[k]));
}

// A part of a fragment whose open nodes are open_, the leftmost last, and whose variables so far have lists_.
void ChartDecoder::match_open(const SourceForest& forest, u32 at, u32 own) {
    if (open_.empty()) {
        const u32 n_tails = static_cast<u32>(lists_.size());
        if (model_.table.rules(at).size())
            search_.add_cube(own, constraint_.is_free() ? rules_.of_node(at, n_tails) : rules_.of_node(at, n_tails, constraint_), lists_);
        return;
    }
    const u32 node = open_.back();
    open_.pop_back();
    if (node_lists_[node] != kNoList && lists_.size() < RuleTableView::most) {
        const u32 next = model_.table.child(at, 0);
        if (next != RuleTableView::none) {
            lists_.push_back(node_lists_[node]);
            match_open(forest, next, own);
            lists_.pop_back();
        }
    }
    if (!closed_[node]) {
        for (u32 edge = forest.edge_start[node]; edge < forest.edge_start[node + 1]; ++edge) {
            if (forest.production[edge] == SourceForest::no_production) continue;
            const u32 next = model_.table.child(at, 1 + forest.production[edge]);
            if (next == RuleTableView::none) continue;
            const std::size_t before = open_.size();
            open_children(forest, edge);
            match_open(forest, next, own);
            open_.resize(before);
        }
    }
    open_.push_back(node);
}

// What the children of an edge have, one after another; of a word alone, a copy of it if nothing else translates it.
void ChartDecoder::add_glue(const SourceForest& forest, u32 node, u32 edge, u32 own) {
    const auto children = forest.children_of(edge);
    if (children.size() == 1 && children[0] < 0) {
        if (!search_.has_cubes(own)) add_copy(forest.begin[node], own);
        return;
    }
    lists_.clear();
    for (const std::int32_t child : children) lists_.push_back(child < 0 ? word_list(static_cast<u32>(-1 - child)) : node_lists_[child]);
    bool is_full = true;
    for (const u32 list : lists_) is_full = is_full && list != kNoList;
    // S → S A, from the left, until two are left.
    while (is_full && lists_.size() > 2) {
        const u32 made = search_.add_cell(forest.begin[node], search_.span(search_.cell_of_list(lists_[1])).end);
        search_.add_cube(made, {glue_rule(2), 1}, {lists_.data(), 2});
        search_.finish(made);
        is_full = !search_.entries(made).empty();
        if (!is_full) break;
        lists_.erase(lists_.begin());
        lists_[0] = search_.entries(made)[0].list;
    }
    if (is_full) search_.add_cube(own, {glue_rule(static_cast<u32>(lists_.size())), 1}, lists_);
    lists_.clear();
}

u32 ChartDecoder::glue_rule(u32 n_tails) {
    if (glue_rules_.size() <= n_tails) glue_rules_.resize(n_tails + 1, kNoList);
    if (glue_rules_[n_tails] == kNoList) glue_rules_[n_tails] = rules_.of_tails(n_tails, ChartRule::kGlue);
    return glue_rules_[n_tails];
}

u32 ChartDecoder::word_list(u32 place) {
    if (word_lists_[place] == kNoList) {
        const u32 made = search_.add_cell(place, place + 1);
        add_copy(place, made);
        search_.finish(made);
        if (!search_.entries(made).empty()) word_lists_[place] = search_.entries(made)[0].list;
    }
    return word_lists_[place];
}

}  // namespace palmette

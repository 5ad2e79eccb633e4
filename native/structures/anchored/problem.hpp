// Trees of phrases as a learning problem: anchored rules scored by features, over the items that a first pass left.
//
//     score(tree) = Σ over its spans of  w·Φ(symbol, i, j) + w·Φ(rule, i, j) + w·Φ(rule, k) + w·Φ(rule, i, k, j)
//
// with tags, chains of unary rules and what is below the root likewise. The weights are one table of 2^bits; the place
// of a feature is the top of its key. An example's parts, one score each, in this order (see structures/anchored/graph.hpp):
//     lower items, chains above spans, rules above spans, rules with splits, anchored rules, roots
// The loss of a tree is the number of its wrong brackets, and of right ones that it lacks, and of its wrong tags.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <span>
#include <vector>

#include "learning/hashed_pullback.hpp"
#include "learning/problem.hpp"
#include "features/span_features.hpp"
#include "structures/anchored/graph.hpp"

namespace palmette {

inline constexpr double kNoTree = -std::numeric_limits<double>::infinity();  // the score of what has no tree

// A node of a derivation. `id` is the tag, the rule, the chain, or the symbol below the root.
struct AnchoredNode {
    enum Kind : std::int32_t { tag, rule, chain, root };
    std::int32_t start, end, kind, split, id;
    auto operator<=>(const AnchoredNode&) const = default;
};
using AnchoredTree = std::vector<AnchoredNode>;  // sorted

struct AnchoredData {
    TokenViews views;
    const AnchoredGrammar* grammar = nullptr;
    const std::int64_t* item_rows = nullptr;  // sentence i has items[item_rows[i]] …, sorted, none twice
    const AnchoredItem* items = nullptr;
    const std::int64_t* gold_rows = nullptr;  // the nodes of right trees, sorted; none: not known
    const AnchoredNode* gold = nullptr;
    const std::int64_t* constraint_rows = nullptr;  // null: there are none
    const AnchoredConstraint* constraints = nullptr;
    unsigned bits = 22;
};

// What a feature looks at: a template of a family, joined with `name`, a symbol, rule or chain (coarse: with what it shares).
struct AnchoredUse {
    AnchoredFamily family;
    std::size_t number;
    std::int32_t start, end, split;
    enum Name : std::int32_t { symbol, rule, chain } name;
    std::int32_t id;
    bool coarse;
};

class AnchoredProblem {
public:
    using Output = AnchoredTree;

    struct State {
        std::size_t example = 0;
        std::vector<float> scores;                                     // of parts
        std::vector<double> up, low, edge, unary, identity, root;      // sums or maxima of items; shares of what leads to them
        std::vector<std::int32_t> up_from, low_from;                   // of the best
        std::vector<double> costs;                                     // of lower items, then of chains
    };

    explicit AnchoredProblem(const AnchoredData& data);

    std::size_t size() const { return d_.views.n_sentences; }
    std::size_t n_weights() const { return std::size_t{1} << d_.bits; }
    std::size_t n_shared() const { return 0; }
    Offers offers() const { return offers_of_sums(); }
    std::size_t n_parts(std::size_t i) const { return sizes_.empty() ? layout(prepared(i).graph).end : sizes_[i]; }
    float weight(std::size_t) const { return 1.0f; }
    const AnchoredData& data() const { return d_; }

    template <class Visit>
    void rows(std::size_t i, Visit&& visit) const {
        static thread_local std::vector<std::uint32_t> places;
        list_places(i, places);
        for (const std::uint32_t at : places) visit(std::size_t{at}, std::size_t{1});
    }
    void observed(std::uint8_t* mask) const;
    void keep_to(const std::uint8_t* free) { free_ = free; }
    void prepare(State&, const float*, float, bool) const {}
    void score(State& s, std::size_t i, const float* w, float scale) const;
    void set_scores(State& s, std::size_t i, const float* parts) const;
    void part_scores(std::size_t i, const float* w, float* parts) const;

    double best(State& s, float cost, Output& y) const;
    void kbest(State& s, std::size_t k, float cost, std::vector<Output>& ys, std::vector<double>& scores) const;
    double gold(State& s, Output& y) const;
    double loss(std::size_t i, const Output& y) const;
    double part_costs(std::size_t i, float* parts) const;
    template <class Visit>
    void difference(std::size_t i, const Output& gold, const Output& guess, Visit&& take) const {
        static thread_local std::vector<SparseVector::Entry> entries;
        list_difference(i, gold, guess, entries);
        for (const auto& [index, value] : entries) take(index, value);
    }
    // Every feature of a tree: emit(use, place of its weight).
    template <class Emit>
    void features(std::size_t i, std::span<const AnchoredNode> nodes, Emit&& emit) const;

    double marginals(State& s, float* parts) const;
    double gold_marginals(State& s, float* parts) const;
    double risk(State& s, float* parts) const;
    void pullback(std::size_t i, const float* parts, float step, float* g) const;
    void pullback_block(std::size_t begin, std::size_t end, const float* parts, int n_jobs, float* g) const;
    void list_changes(std::size_t i, const float* parts, float step, WeightChanges& changes) const;
    const std::uint8_t* free() const { return free_; }

    // Whether there is a tree at all.
    bool possible(std::size_t i) const { return !prepared(i).graph.roots.empty(); }
    // The tree with the most expected right brackets (less `offset` for each) and tags (labelled recall, Goodman 1996).
    double minimum_risk(State& s, double offset, Output& y) const;
    // The tree whose anchored rules have the largest product of probabilities (Petrov and Klein 2007).
    double rule_product(State& s, Output& y) const;
    // visit(start, end, symbol, probability) for the phrases of all trees; a bracket may come several times. Returns log Z.
    template <class Visit>
    double brackets(State& s, Visit&& visit) const;

    struct Prepared {
        const AnchoredProblem* owner = nullptr;
        std::uint64_t serial = 0;
        std::size_t example = 0;
        AnchoredFeatures features;
        AnchoredGraph graph;
    };
    const Prepared& prepared(std::size_t i) const;

    struct Layout {
        std::size_t unary, rule, split, edge, root, end;  // lower items begin at 0
    };
    static Layout layout(const AnchoredGraph& g) {
        Layout at;
        at.unary = g.lows.size();
        at.rule = at.unary + g.unaries.size();
        at.split = at.rule + g.rules.size();
        at.edge = at.split + g.splits.size();
        at.root = at.edge + g.edges.size();
        at.end = at.root + g.roots.size();
        return at;
    }

private:
    std::size_t place(std::uint64_t key, std::uint64_t name) const { return ((key ^ name) * kOdd) >> (64 - d_.bits); }
    std::span<const AnchoredNode> gold_of(std::size_t i) const {
        return {d_.gold + d_.gold_rows[i], static_cast<std::size_t>(d_.gold_rows[i + 1] - d_.gold_rows[i])};
    }
    // visit(part, keys, how many, name) for the features of every part: keys of what is seen, each joined with the name.
    template <class Visit>
    void walk(const Prepared& p, Visit&& visit, const float* only = nullptr) const;
    template <std::size_t N, class Visit>
    void join(const Keys<N>& keys, std::uint64_t name, std::uint64_t coarse, Visit&& visit) const {
        for (std::size_t t = 0; t < N; ++t)
            if (keys[t]) visit(t, place(keys[t], name), false);
        if (!coarse) return;
        for (std::size_t t = 0; t < N; ++t)
            if (keys[t]) visit(t, place(keys[t], coarse), true);
    }
    // All that a sentence reads, and the entries of Φ(gold) − Φ(guess), as lists: compiled once and not for every learner.
    void list_places(std::size_t i, std::vector<std::uint32_t>& places) const;
    void list_difference(std::size_t i, const Output& gold, const Output& guess, std::vector<SparseVector::Entry>& entries) const;
    void costs(State& s, const AnchoredGraph& g, double cost) const;
    double inside(State& s, const AnchoredGraph& g) const;
    void outside(State& s, const AnchoredGraph& g, float* parts) const;
    double viterbi(State& s, const AnchoredGraph& g) const;
    void follow(const State& s, const AnchoredGraph& g, Output& y) const;

    AnchoredData d_;
    std::uint64_t serial_;
    std::vector<std::size_t> sizes_;
    const std::uint8_t* free_ = nullptr;
};

template <class Emit>
void AnchoredProblem::features(std::size_t i, std::span<const AnchoredNode> nodes, Emit&& emit) const {
    const AnchoredFeatures& f = prepared(i).features;
    const AnchoredGrammar& grammar = *d_.grammar;
    const auto with = [&](const auto& templates, AnchoredFamily family, const AnchoredNode& node, AnchoredUse::Name name, std::int32_t id, const auto& fine, const auto& coarse) {
        Keys<std::extent_v<std::remove_reference_t<decltype(templates)>>> keys;
        const bool split_alone = family == AnchoredFamily::split;
        f.keys(templates, family, split_alone ? 0 : node.start, split_alone ? static_cast<std::int32_t>(f.n()) : node.end,
               family == AnchoredFamily::edge || split_alone ? node.split : node.start, keys);
        join(keys, fine[static_cast<std::size_t>(id)], family == AnchoredFamily::root ? 0 : coarse[static_cast<std::size_t>(id)], [&](std::size_t t, std::size_t place, bool is_coarse) {
            emit(AnchoredUse{family, t, node.start, node.end, node.split, name, id, is_coarse}, place);
        });
    };
    for (const AnchoredNode& node : nodes) {
        const auto symbol = [&](const auto& templates, AnchoredFamily family, std::int32_t id) {
            with(templates, family, node, AnchoredUse::symbol, id, grammar.symbol_key, grammar.coarse_symbol_key);
        };
        const auto rule = [&](const auto& templates, AnchoredFamily family) {
            with(templates, family, node, AnchoredUse::rule, node.id, grammar.rule_key, grammar.coarse_rule_key);
        };
        switch (node.kind) {
            case AnchoredNode::tag: symbol(kTagTemplates, AnchoredFamily::tag, node.id); break;
            case AnchoredNode::root: symbol(kRootTemplates, AnchoredFamily::root, node.id); break;
            case AnchoredNode::chain: {
                const auto symbols = grammar.chain(static_cast<std::size_t>(node.id));
                for (const std::int32_t s : symbols.first(symbols.size() - 1)) symbol(kLabelTemplatesOfSpans, AnchoredFamily::label, s);
                with(kRuleTemplatesOfSpans, AnchoredFamily::rule, node, AnchoredUse::chain, node.id, grammar.chain_key, grammar.coarse_chain_key);
                break;
            }
            default: {
                const std::int32_t parent = grammar.binary[static_cast<std::size_t>(node.id)].parent;
                symbol(kLabelTemplatesOfSpans, AnchoredFamily::label, parent);
                rule(kRuleTemplatesOfSpans, AnchoredFamily::rule);
                rule(kSplitTemplates, AnchoredFamily::split);
                symbol(kSplitTemplates, AnchoredFamily::split, parent);
                rule(kEdgeTemplates, AnchoredFamily::edge);
            }
        }
    }
}

template <class Visit>
double AnchoredProblem::brackets(State& s, Visit&& visit) const {
    const AnchoredGraph& g = prepared(s.example).graph;
    const AnchoredGrammar& grammar = *d_.grammar;
    const Layout at = layout(g);
    static thread_local std::vector<float> parts;
    parts.resize(at.end);
    const double log_z = marginals(s, parts.data());
    for (const AnchoredGraph::Span& span : g.spans) {
        for (std::int32_t a = span.low_begin; a < span.low_end; ++a)
            if (grammar.kinds[static_cast<std::size_t>(g.lows[static_cast<std::size_t>(a)].symbol)] == AnchoredGrammar::phrase)
                visit(span.start, span.end, g.lows[static_cast<std::size_t>(a)].symbol, parts[static_cast<std::size_t>(a)]);
        for (std::int32_t u = span.up_begin; u < span.up_end; ++u)
            for (std::int32_t c = g.ups[static_cast<std::size_t>(u)].unary_begin; c < g.ups[static_cast<std::size_t>(u)].unary_end; ++c) {
                const auto symbols = grammar.chain(static_cast<std::size_t>(g.unaries[static_cast<std::size_t>(c)].chain));
                for (const std::int32_t symbol : symbols.first(symbols.size() - 1))
                    visit(span.start, span.end, symbol, parts[at.unary + static_cast<std::size_t>(c)]);
            }
    }
    return log_z;
}

static_assert(LearningProblem<AnchoredProblem>);

}  // namespace palmette

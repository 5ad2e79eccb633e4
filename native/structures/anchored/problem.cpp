#include "structures/anchored/problem.hpp"

#include <atomic>
#include <stdexcept>

namespace palmette {
namespace {

std::atomic<std::uint64_t> serials{1};

struct LabelledSpan {
    std::int32_t start, end, label;
    auto operator<=>(const LabelledSpan&) const = default;
};

// The labelled brackets of a tree, sorted.
void brackets_of(const AnchoredGrammar& grammar, std::span<const AnchoredNode> nodes, std::vector<LabelledSpan>& to) {
    to.clear();
    const auto take = [&](const AnchoredNode& node, std::int32_t symbol) {
        if (grammar.kinds[static_cast<std::size_t>(symbol)] == AnchoredGrammar::phrase)
            to.push_back({node.start, node.end, grammar.coarse[static_cast<std::size_t>(symbol)]});
    };
    for (const AnchoredNode& node : nodes) {
        if (node.kind == AnchoredNode::rule) take(node, grammar.binary[static_cast<std::size_t>(node.id)].parent);
        if (node.kind != AnchoredNode::chain) continue;
        const auto symbols = grammar.chain(static_cast<std::size_t>(node.id));
        for (const std::int32_t symbol : symbols.first(symbols.size() - 1)) take(node, symbol);
    }
    std::sort(to.begin(), to.end());
}

}  // namespace

AnchoredProblem::AnchoredProblem(const AnchoredData& data) : d_(data), serial_(serials++) {
    if (!d_.gold_rows[size()]) return;
    // What is learnt from is asked for its size again and again.
    std::vector<std::size_t> sizes(size());
    for (std::size_t i = 0; i < size(); ++i) sizes[i] = layout(prepared(i).graph).end;
    sizes_ = std::move(sizes);
}

const AnchoredProblem::Prepared& AnchoredProblem::prepared(std::size_t i) const {
    static thread_local Prepared p;
    if (p.owner == this && p.serial == serial_ && p.example == i) return p;
    p.owner = nullptr;
    p.features.set(d_.views, i);
    const auto of = [i](const auto* entries, const std::int64_t* rows) { return std::span(entries + rows[i], static_cast<std::size_t>(rows[i + 1] - rows[i])); };
    std::span<const AnchoredConstraint> constraints;
    if (d_.constraint_rows) constraints = of(d_.constraints, d_.constraint_rows);
    p.graph.build(*d_.grammar, d_.views.length(i), of(d_.items, d_.item_rows), constraints);
    p.owner = this;
    p.serial = serial_;
    p.example = i;
    return p;
}

void AnchoredProblem::observed(std::uint8_t* mask) const {
    for (std::size_t i = 0; i < size(); ++i)
        features(i, gold_of(i), [&](const AnchoredUse&, std::size_t at) { mask[at] = 1; });
}

double AnchoredProblem::gold(State& s, Output& y) const {
    const auto nodes = gold_of(s.example);
    y.assign(nodes.begin(), nodes.end());
    return 0;
}

double AnchoredProblem::loss(std::size_t i, const Output& y) const {
    static thread_local std::vector<LabelledSpan> right, found, common;
    const auto nodes = gold_of(i);
    if (nodes.empty()) return 0;
    brackets_of(*d_.grammar, nodes, right);
    brackets_of(*d_.grammar, y, found);
    common.clear();
    std::set_intersection(right.begin(), right.end(), found.begin(), found.end(), std::back_inserter(common));
    double wrong = static_cast<double>(right.size() + found.size()) - 2.0 * static_cast<double>(common.size());
    std::vector<AnchoredNode> tags;
    std::set_difference(y.begin(), y.end(), nodes.begin(), nodes.end(), std::back_inserter(tags));
    for (const AnchoredNode& node : tags) wrong += node.kind == AnchoredNode::tag;
    return wrong;
}

// What each lower item and each chain adds to cost · loss; all trees share the number of right brackets, which comes last.
void AnchoredProblem::costs(State& s, const AnchoredGraph& g, double cost) const {
    s.costs.assign(g.lows.size() + g.unaries.size() + 1, 0.0);
    const auto nodes = gold_of(s.example);
    if (cost == 0 || nodes.empty()) return;
    static thread_local std::vector<LabelledSpan> right;
    const AnchoredGrammar& grammar = *d_.grammar;
    brackets_of(grammar, nodes, right);
    const auto bracket = [&](const AnchoredGraph::Span& span, std::int32_t symbol) {
        if (grammar.kinds[static_cast<std::size_t>(symbol)] != AnchoredGrammar::phrase) return 0.0;
        const LabelledSpan wanted{span.start, span.end, grammar.coarse[static_cast<std::size_t>(symbol)]};
        return std::binary_search(right.begin(), right.end(), wanted) ? -cost : cost;
    };
    for (const AnchoredGraph::Span& span : g.spans) {
        for (std::int32_t a = span.low_begin; a < span.low_end; ++a) {
            const std::int32_t symbol = g.lows[static_cast<std::size_t>(a)].symbol;
            double& to = s.costs[static_cast<std::size_t>(a)];
            if (span.end > span.start + 1) to = bracket(span, symbol);
            else if (!std::binary_search(nodes.begin(), nodes.end(), AnchoredNode{span.start, span.end, AnchoredNode::tag, 0, symbol})) to = cost;
        }
        for (std::int32_t u = span.up_begin; u < span.up_end; ++u)
            for (std::int32_t c = g.ups[static_cast<std::size_t>(u)].unary_begin; c < g.ups[static_cast<std::size_t>(u)].unary_end; ++c) {
                const auto symbols = grammar.chain(static_cast<std::size_t>(g.unaries[static_cast<std::size_t>(c)].chain));
                for (const std::int32_t symbol : symbols.first(symbols.size() - 1)) s.costs[g.lows.size() + static_cast<std::size_t>(c)] += bracket(span, symbol);
            }
    }
    s.costs.back() = cost * static_cast<double>(right.size());
}

double AnchoredProblem::part_costs(std::size_t i, float* parts) const {
    const AnchoredGraph& g = prepared(i).graph;
    State s;
    s.example = i;
    costs(s, g, 1);
    std::fill_n(parts, layout(g).end, 0.0f);
    std::copy(s.costs.begin(), s.costs.end() - 1, parts);
    return s.costs.back();
}

double AnchoredProblem::gold_marginals(State& s, float* parts) const {
    const AnchoredGraph& g = prepared(s.example).graph;
    const AnchoredGrammar& grammar = *d_.grammar;
    const Layout at = layout(g);
    std::fill_n(parts, at.end, 0.0f);
    const bool scored = !s.scores.empty();
    double score = 0;
    const auto take = [&](std::size_t part) {
        parts[part] += 1;
        if (scored) score += s.scores[part];
    };
    const auto nodes = gold_of(s.example);
    if (nodes.empty()) throw std::invalid_argument("a sentence has no tree to learn from");
    const auto lower = [&](const AnchoredGraph::Span& span, std::int32_t symbol) {
        for (std::int32_t a = span.low_begin; a < span.low_end; ++a)
            if (g.lows[static_cast<std::size_t>(a)].symbol == symbol) return a;
        return std::int32_t{-1};
    };
    for (const AnchoredNode& node : nodes) {
        const AnchoredGraph::Span* span = g.find(node.start, node.end);
        bool there = false;
        if (span && node.kind == AnchoredNode::tag) {
            const std::int32_t a = lower(*span, node.id);
            if ((there = a >= 0)) take(static_cast<std::size_t>(a));
        } else if (span && node.kind == AnchoredNode::rule) {
            const std::int32_t a = lower(*span, grammar.binary[static_cast<std::size_t>(node.id)].parent);
            if (a >= 0) {
                const AnchoredGraph::Low& low = g.lows[static_cast<std::size_t>(a)];
                for (std::int32_t q = low.rule_begin; q < low.rule_end; ++q) {
                    const AnchoredGraph::RuleSpan& rule = g.rules[static_cast<std::size_t>(q)];
                    if (rule.rule != node.id) continue;
                    for (std::int32_t e = rule.edge_begin; e < rule.edge_end; ++e) {
                        const AnchoredGraph::Edge& edge = g.edges[static_cast<std::size_t>(e)];
                        if (edge.split != node.split) continue;
                        there = true;
                        take(static_cast<std::size_t>(a));
                        take(at.rule + static_cast<std::size_t>(q));
                        take(at.split + static_cast<std::size_t>(edge.rule_split));
                        take(at.edge + static_cast<std::size_t>(e));
                    }
                }
            }
        } else if (span && node.kind == AnchoredNode::chain) {
            for (std::int32_t u = span->up_begin; u < span->up_end; ++u)
                for (std::int32_t c = g.ups[static_cast<std::size_t>(u)].unary_begin; c < g.ups[static_cast<std::size_t>(u)].unary_end; ++c)
                    if (g.unaries[static_cast<std::size_t>(c)].chain == node.id) {
                        there = true;
                        take(at.unary + static_cast<std::size_t>(c));
                    }
        } else if (span) {
            for (std::size_t k = 0; k < g.roots.size(); ++k)
                if (g.roots[k].up >= 0 && g.roots[k].symbol == node.id) {
                    there = true;
                    take(at.root + k);
                }
        }
        if (!there) throw std::invalid_argument("a right tree cannot be built of the items");
    }
    return score;
}

}  // namespace palmette

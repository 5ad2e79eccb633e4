// The best tree of anchored rules: the recurrence of structures/anchored/sums.cpp with maxima. O(anchored rules).
#include <limits>

#include "structures/anchored/problem.hpp"

namespace palmette {
double AnchoredProblem::viterbi(State& s, const AnchoredGraph& g) const {
    const Layout at = layout(g);
    const float* score = s.scores.data();
    s.up.resize(g.ups.size());
    s.low.resize(g.lows.size());
    s.up_from.resize(g.ups.size());
    s.low_from.resize(g.lows.size() + 1);
    for (std::size_t k = g.spans.size(); k-- > 0;) {
        const AnchoredGraph::Span& span = g.spans[k];
        for (auto a = static_cast<std::size_t>(span.low_begin); a < static_cast<std::size_t>(span.low_end); ++a) {
            const AnchoredGraph::Low& low = g.lows[a];
            double high = low.edge_end > low.edge_begin ? kNoTree : 0;
            s.low_from[a] = low.edge_begin;
            for (auto q = static_cast<std::size_t>(low.rule_begin); q < static_cast<std::size_t>(low.rule_end); ++q)
                for (auto e = static_cast<std::size_t>(g.rules[q].edge_begin); e < static_cast<std::size_t>(g.rules[q].edge_end); ++e) {
                    const AnchoredGraph::Edge& edge = g.edges[e];
                    const double x = static_cast<double>(score[at.rule + q] + score[at.edge + e] + score[at.split + static_cast<std::size_t>(edge.rule_split)]) +
                                     s.up[static_cast<std::size_t>(edge.left)] + s.up[static_cast<std::size_t>(edge.right)];
                    if (x > high) high = x, s.low_from[a] = static_cast<std::int32_t>(e);
                }
            s.low[a] = high + score[a] + s.costs[a];
        }
        for (auto u = static_cast<std::size_t>(span.up_begin); u < static_cast<std::size_t>(span.up_end); ++u) {
            const AnchoredGraph::Up& up = g.ups[u];
            s.up[u] = up.low >= 0 ? s.low[static_cast<std::size_t>(up.low)] : kNoTree;
            s.up_from[u] = up.low >= 0 ? -1 : up.unary_begin;
            for (auto c = static_cast<std::size_t>(up.unary_begin); c < static_cast<std::size_t>(up.unary_end); ++c) {
                const double x = score[at.unary + c] + s.costs[g.lows.size() + c] + s.low[static_cast<std::size_t>(g.unaries[c].low)];
                if (x > s.up[u]) s.up[u] = x, s.up_from[u] = static_cast<std::int32_t>(c);
            }
        }
    }
    double high = kNoTree;
    s.low_from.back() = 0;
    for (std::size_t k = 0; k < g.roots.size(); ++k) {
        const double x = score[at.root + k] + (g.roots[k].up >= 0 ? s.up[static_cast<std::size_t>(g.roots[k].up)] : s.low[static_cast<std::size_t>(g.roots[k].low)]);
        if (x > high) high = x, s.low_from.back() = static_cast<std::int32_t>(k);
    }
    return high + s.costs.back();
}

void AnchoredProblem::follow(const State& s, const AnchoredGraph& g, Output& y) const {
    y.clear();
    struct Todo {
        std::int32_t up, low, start, end;
    };
    const std::int32_t n = static_cast<std::int32_t>(g.n);
    const AnchoredGraph::Root& root = g.roots[static_cast<std::size_t>(s.low_from.back())];
    if (root.up >= 0) y.push_back({0, n, AnchoredNode::root, 0, root.symbol});
    std::vector<Todo> todo{{root.up, root.low, 0, n}};
    while (!todo.empty()) {
        auto [up, low, start, end] = todo.back();
        todo.pop_back();
        if (up >= 0) {
            const std::int32_t c = s.up_from[static_cast<std::size_t>(up)];
            low = c < 0 ? g.ups[static_cast<std::size_t>(up)].low : g.unaries[static_cast<std::size_t>(c)].low;
            if (c >= 0) y.push_back({start, end, AnchoredNode::chain, 0, g.unaries[static_cast<std::size_t>(c)].chain});
        }
        const AnchoredGraph::Low& item = g.lows[static_cast<std::size_t>(low)];
        if (item.edge_begin == item.edge_end) {
            y.push_back({start, end, AnchoredNode::tag, 0, item.symbol});
            continue;
        }
        const std::int32_t e = s.low_from[static_cast<std::size_t>(low)];
        std::int32_t q = item.rule_begin;
        while (g.rules[static_cast<std::size_t>(q)].edge_end <= e) ++q;
        const AnchoredGraph::Edge& edge = g.edges[static_cast<std::size_t>(e)];
        y.push_back({start, end, AnchoredNode::rule, edge.split, g.rules[static_cast<std::size_t>(q)].rule});
        todo.push_back({edge.right, -1, edge.split, end});
        todo.push_back({edge.left, -1, start, edge.split});
    }
    std::sort(y.begin(), y.end());
}

double AnchoredProblem::best(State& s, float cost, Output& y) const {
    const AnchoredGraph& g = prepared(s.example).graph;
    y.clear();
    if (g.roots.empty()) return kNoTree;
    costs(s, g, cost);
    const double score = viterbi(s, g);
    follow(s, g, y);
    return score;
}

}  // namespace palmette

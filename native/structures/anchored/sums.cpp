// Sums over trees of anchored rules, the probabilities of their parts, and the covariance of these with the loss.
//
//     low(A, i, j) = s(A, i, j) · Σ over rules A → B C and k of  s(rule, i, k, j) · up(B, i, k) · up(C, k, j)
//     up(A, i, j)  = low(A, i, j) + Σ over chains A → … → B of  s(chain, i, j) · low(B, i, j)
//
// Sums are in logs, with one exp for every anchored rule; the shares of the rules in their item are kept, so that the way
// down from the root multiplies probabilities and nothing can leave the range of numbers. O(anchored rules).
#include <cmath>
#include <limits>
#include <stdexcept>

#include "base/interrupt.hpp"
#include "base/vector_exp.hpp"
#include "structures/anchored/problem.hpp"

namespace palmette {
namespace {

// x[0] … x[n - 1] become their shares e^x / Σ e^x; returns log Σ e^x.
double shares(double* x, std::size_t n) {
    double high = kNoTree;
    for (std::size_t k = 0; k < n; ++k) high = high < x[k] ? x[k] : high;
    if (high == kNoTree) return kNoTree;
    exp_shifted(x, high, n, x);
    double sum = 0;
    for (std::size_t k = 0; k < n; ++k) sum += x[k];
    const double factor = 1 / sum;
    for (std::size_t k = 0; k < n; ++k) x[k] *= factor;
    return high + std::log(sum);
}

}  // namespace

// log Z; afterwards s.edge, s.unary, s.identity and s.root are shares. s.costs must be set.
double AnchoredProblem::inside(State& s, const AnchoredGraph& g) const {
    const Layout at = layout(g);
    const float* score = s.scores.data();
    s.up.resize(g.ups.size());
    s.low.resize(g.lows.size());
    s.edge.resize(g.edges.size());
    s.unary.resize(g.unaries.size());
    s.identity.resize(g.ups.size());
    s.root.resize(g.roots.size());
    static thread_local std::vector<double> room;
    for (std::size_t k = g.spans.size(); k-- > 0;) {
        check_interrupt();
        const AnchoredGraph::Span& span = g.spans[k];
        for (auto a = static_cast<std::size_t>(span.low_begin); a < static_cast<std::size_t>(span.low_end); ++a) {
            const AnchoredGraph::Low& low = g.lows[a];
            double sum = 0;
            if (low.edge_end > low.edge_begin) {
                for (auto q = static_cast<std::size_t>(low.rule_begin); q < static_cast<std::size_t>(low.rule_end); ++q)
                    for (auto e = static_cast<std::size_t>(g.rules[q].edge_begin); e < static_cast<std::size_t>(g.rules[q].edge_end); ++e) {
                        const AnchoredGraph::Edge& edge = g.edges[e];
                        s.edge[e] = static_cast<double>(score[at.rule + q] + score[at.edge + e] + score[at.split + static_cast<std::size_t>(edge.rule_split)]) +
                                    s.up[static_cast<std::size_t>(edge.left)] + s.up[static_cast<std::size_t>(edge.right)];
                    }
                sum = shares(s.edge.data() + low.edge_begin, static_cast<std::size_t>(low.edge_end - low.edge_begin));
            }
            s.low[a] = sum + score[a] + s.costs[a];
        }
        for (auto u = static_cast<std::size_t>(span.up_begin); u < static_cast<std::size_t>(span.up_end); ++u) {
            const AnchoredGraph::Up& up = g.ups[u];
            if (up.unary_begin == up.unary_end) {
                s.identity[u] = 1;
                s.up[u] = s.low[static_cast<std::size_t>(up.low)];
                continue;
            }
            room.clear();
            room.push_back(up.low >= 0 ? s.low[static_cast<std::size_t>(up.low)] : kNoTree);
            for (auto c = static_cast<std::size_t>(up.unary_begin); c < static_cast<std::size_t>(up.unary_end); ++c)
                room.push_back(score[at.unary + c] + s.costs[g.lows.size() + c] + s.low[static_cast<std::size_t>(g.unaries[c].low)]);
            s.up[u] = shares(room.data(), room.size());
            s.identity[u] = room[0];
            std::copy(room.begin() + 1, room.end(), s.unary.begin() + up.unary_begin);
        }
    }
    for (std::size_t k = 0; k < g.roots.size(); ++k)
        s.root[k] = score[at.root + k] + (g.roots[k].up >= 0 ? s.up[static_cast<std::size_t>(g.roots[k].up)] : s.low[static_cast<std::size_t>(g.roots[k].low)]);
    return shares(s.root.data(), s.root.size()) + s.costs.back();
}

// The probabilities of all parts, after `inside`; s.up and s.low become those of items.
void AnchoredProblem::outside(State& s, const AnchoredGraph& g, float* parts) const {
    const Layout at = layout(g);
    std::fill(s.up.begin(), s.up.end(), 0.0);
    std::fill(s.low.begin(), s.low.end(), 0.0);
    std::fill_n(parts, at.end, 0.0f);
    for (std::size_t k = 0; k < g.roots.size(); ++k) {
        parts[at.root + k] = static_cast<float>(s.root[k]);
        (g.roots[k].up >= 0 ? s.up[static_cast<std::size_t>(g.roots[k].up)] : s.low[static_cast<std::size_t>(g.roots[k].low)]) += s.root[k];
    }
    for (const AnchoredGraph::Span& span : g.spans) {
        for (auto u = static_cast<std::size_t>(span.up_begin); u < static_cast<std::size_t>(span.up_end); ++u) {
            const AnchoredGraph::Up& up = g.ups[u];
            if (up.low >= 0) s.low[static_cast<std::size_t>(up.low)] += s.up[u] * s.identity[u];
            for (auto c = static_cast<std::size_t>(up.unary_begin); c < static_cast<std::size_t>(up.unary_end); ++c) {
                const double p = s.up[u] * s.unary[c];
                parts[at.unary + c] = static_cast<float>(p);
                s.low[static_cast<std::size_t>(g.unaries[c].low)] += p;
            }
        }
        for (auto a = static_cast<std::size_t>(span.low_begin); a < static_cast<std::size_t>(span.low_end); ++a) {
            const AnchoredGraph::Low& low = g.lows[a];
            const double here = s.low[a];
            parts[a] = static_cast<float>(here);
            for (auto q = static_cast<std::size_t>(low.rule_begin); q < static_cast<std::size_t>(low.rule_end); ++q) {
                double sum = 0;
                for (auto e = static_cast<std::size_t>(g.rules[q].edge_begin); e < static_cast<std::size_t>(g.rules[q].edge_end); ++e) {
                    const AnchoredGraph::Edge& edge = g.edges[e];
                    const double p = here * s.edge[e];
                    sum += p;
                    s.up[static_cast<std::size_t>(edge.left)] += p;
                    s.up[static_cast<std::size_t>(edge.right)] += p;
                    parts[at.edge + e] = static_cast<float>(p);
                    parts[at.split + static_cast<std::size_t>(edge.rule_split)] += static_cast<float>(p);
                }
                parts[at.rule + q] = static_cast<float>(sum);
            }
        }
    }
}

double AnchoredProblem::marginals(State& s, float* parts) const {
    const AnchoredGraph& g = prepared(s.example).graph;
    if (g.roots.empty()) throw std::invalid_argument("a sentence has no tree");
    costs(s, g, 0);
    const double log_z = inside(s, g);
    outside(s, g, parts);
    return log_z;
}

// Going up, the expected cost below every item; going down, that of whole trees that have a part:
// E[cost | rule] = E[cost | item] − E[cost below the item] + E[cost below the rule].
double AnchoredProblem::risk(State& s, float* parts) const {
    const AnchoredGraph& g = prepared(s.example).graph;
    const Layout at = layout(g);
    marginals(s, parts);
    costs(s, g, 1);
    std::vector<double> up(g.ups.size()), low(g.lows.size());
    const auto below = [&](const AnchoredGraph::Edge& edge) { return up[static_cast<std::size_t>(edge.left)] + up[static_cast<std::size_t>(edge.right)]; };
    const auto below_unary = [&](std::size_t c) { return s.costs[g.lows.size() + c] + low[static_cast<std::size_t>(g.unaries[c].low)]; };
    const auto below_root = [&](const AnchoredGraph::Root& root) { return root.up >= 0 ? up[static_cast<std::size_t>(root.up)] : low[static_cast<std::size_t>(root.low)]; };
    for (std::size_t k = g.spans.size(); k-- > 0;) {
        const AnchoredGraph::Span& span = g.spans[k];
        for (auto a = static_cast<std::size_t>(span.low_begin); a < static_cast<std::size_t>(span.low_end); ++a) {
            low[a] = s.costs[a];
            for (auto e = static_cast<std::size_t>(g.lows[a].edge_begin); e < static_cast<std::size_t>(g.lows[a].edge_end); ++e) low[a] += s.edge[e] * below(g.edges[e]);
        }
        for (auto u = static_cast<std::size_t>(span.up_begin); u < static_cast<std::size_t>(span.up_end); ++u) {
            up[u] = g.ups[u].low >= 0 ? s.identity[u] * low[static_cast<std::size_t>(g.ups[u].low)] : 0;
            for (auto c = static_cast<std::size_t>(g.ups[u].unary_begin); c < static_cast<std::size_t>(g.ups[u].unary_end); ++c) up[u] += s.unary[c] * below_unary(c);
        }
    }
    double mean = 0;
    for (std::size_t k = 0; k < g.roots.size(); ++k) mean += s.root[k] * below_root(g.roots[k]);
    // Sums of p · E[cost | item] on the way down; p itself is in s.up and s.low.
    std::vector<double> whole_up(g.ups.size(), 0.0), whole_low(g.lows.size(), 0.0);
    const auto give_up = [&](std::int32_t u, double amount) { whole_up[static_cast<std::size_t>(u)] += amount; };
    const auto cov = [&](std::size_t part, double p, double amount) { parts[part] = static_cast<float>(amount - p * mean); };
    std::fill_n(parts + at.split, g.splits.size(), 0.0f);
    for (std::size_t k = 0; k < g.roots.size(); ++k) {
        const double amount = s.root[k] * below_root(g.roots[k]);
        cov(at.root + k, s.root[k], amount);
        if (g.roots[k].up >= 0) give_up(g.roots[k].up, amount);
        else whole_low[static_cast<std::size_t>(g.roots[k].low)] += amount;
    }
    for (const AnchoredGraph::Span& span : g.spans) {
        for (auto u = static_cast<std::size_t>(span.up_begin); u < static_cast<std::size_t>(span.up_end); ++u) {
            const AnchoredGraph::Up& item = g.ups[u];
            const double rest = whole_up[u] - s.up[u] * up[u];  // p · E[cost outside of the item]
            if (item.low >= 0) whole_low[static_cast<std::size_t>(item.low)] += s.identity[u] * (rest + s.up[u] * low[static_cast<std::size_t>(item.low)]);
            for (auto c = static_cast<std::size_t>(item.unary_begin); c < static_cast<std::size_t>(item.unary_end); ++c) {
                const double amount = s.unary[c] * (rest + s.up[u] * below_unary(c));
                cov(at.unary + c, s.up[u] * s.unary[c], amount);
                whole_low[static_cast<std::size_t>(g.unaries[c].low)] += amount;
            }
        }
        for (auto a = static_cast<std::size_t>(span.low_begin); a < static_cast<std::size_t>(span.low_end); ++a) {
            const AnchoredGraph::Low& item = g.lows[a];
            cov(a, s.low[a], whole_low[a]);
            const double rest = whole_low[a] - s.low[a] * (low[a] - s.costs[a]);
            for (auto q = static_cast<std::size_t>(item.rule_begin); q < static_cast<std::size_t>(item.rule_end); ++q) {
                double sum = 0, p_sum = 0;
                for (auto e = static_cast<std::size_t>(g.rules[q].edge_begin); e < static_cast<std::size_t>(g.rules[q].edge_end); ++e) {
                    const AnchoredGraph::Edge& edge = g.edges[e];
                    const double p = s.low[a] * s.edge[e], amount = s.edge[e] * (rest + s.low[a] * below(edge));
                    cov(at.edge + e, p, amount);
                    parts[at.split + static_cast<std::size_t>(edge.rule_split)] += static_cast<float>(amount - p * mean);
                    give_up(edge.left, amount);
                    give_up(edge.right, amount);
                    sum += amount;
                    p_sum += p;
                }
                cov(at.rule + q, p_sum, sum);
            }
        }
    }
    return mean + s.costs.back();
}

}  // namespace palmette

// The k best trees, lazily (Huang and Chiang 2005, algorithm 3): the next best derivation of an item is asked for when one
// above it needs it. Every derivation is another tree.
#include <limits>
#include <queue>
#include <set>
#include <tuple>

#include "anchored_problem.hpp"

namespace palmette {
namespace {

struct Candidate {
    double score;
    std::int32_t from, left, right;  // an edge or a chain (-1: the item itself), and which derivations below
    bool operator<(const Candidate& other) const {
        if (score != other.score) return score < other.score;
        if (from != other.from) return from > other.from;
        return left != other.left ? left > other.left : right > other.right;
    }
};

struct Vertex {
    bool begun = false;
    std::vector<Candidate> found;
    std::priority_queue<Candidate> heap;
    std::set<std::tuple<std::int32_t, std::int32_t, std::int32_t>> seen;
};

}  // namespace

void AnchoredProblem::kbest(State& s, std::size_t k, float cost, std::vector<Output>& ys, std::vector<double>& scores) const {
    ys.clear();
    scores.clear();
    const AnchoredGraph& g = prepared(s.example).graph;
    if (g.roots.empty() || !k) return;
    costs(s, g, cost);
    viterbi(s, g);
    const Layout at = layout(g);
    const std::int32_t L = static_cast<std::int32_t>(g.lows.size()), top = L + static_cast<std::int32_t>(g.ups.size());
    std::vector<Vertex> vertices(static_cast<std::size_t>(top) + 1);
    std::vector<std::int32_t> rule_of(g.edges.size());
    for (std::size_t q = 0; q < g.rules.size(); ++q)
        for (std::int32_t e = g.rules[q].edge_begin; e < g.rules[q].edge_end; ++e) rule_of[static_cast<std::size_t>(e)] = static_cast<std::int32_t>(q);

    // The children of a candidate (-1: none) and what it adds to them.
    struct Step {
        double own;
        std::int32_t left, right;
    };
    const auto step = [&](std::int32_t v, std::int32_t from) -> Step {
        if (v == top) {
            const AnchoredGraph::Root& root = g.roots[static_cast<std::size_t>(from)];
            return {s.scores[at.root + static_cast<std::size_t>(from)] + s.costs.back(), root.up >= 0 ? L + root.up : root.low, -1};
        }
        if (v >= L) {
            if (from < 0) return {0.0, g.ups[static_cast<std::size_t>(v - L)].low, -1};
            return {s.scores[at.unary + static_cast<std::size_t>(from)] + s.costs[static_cast<std::size_t>(L + from)], g.unaries[static_cast<std::size_t>(from)].low, -1};
        }
        const double own = s.scores[static_cast<std::size_t>(v)] + s.costs[static_cast<std::size_t>(v)];
        if (from < 0) return {own, -1, -1};
        const AnchoredGraph::Edge& edge = g.edges[static_cast<std::size_t>(from)];
        const std::size_t q = static_cast<std::size_t>(rule_of[static_cast<std::size_t>(from)]);
        return {own + static_cast<double>(s.scores[at.rule + q] + s.scores[at.edge + static_cast<std::size_t>(from)] + s.scores[at.split + static_cast<std::size_t>(edge.rule_split)]),
                L + edge.left, L + edge.right};
    };
    const auto best_of = [&](std::int32_t v) { return v < 0 ? 0.0 : v < L ? s.low[static_cast<std::size_t>(v)] : s.up[static_cast<std::size_t>(v - L)]; };
    // Makes the vertex have its n-th derivation, if there is one.
    const auto derive = [&](auto&& self, std::int32_t v, std::size_t n) -> bool {
        Vertex& vertex = vertices[static_cast<std::size_t>(v)];
        if (!vertex.begun) {
            vertex.begun = true;
            std::vector<Candidate> first;
            const auto offer = [&](std::int32_t from) {
                const Step to = step(v, from);
                first.push_back({to.own + best_of(to.left) + best_of(to.right), from, 0, 0});
            };
            if (v == top) {
                for (std::size_t r = 0; r < g.roots.size(); ++r) offer(static_cast<std::int32_t>(r));
            } else if (v >= L) {
                const AnchoredGraph::Up& up = g.ups[static_cast<std::size_t>(v - L)];
                if (up.low >= 0) offer(-1);
                for (std::int32_t c = up.unary_begin; c < up.unary_end; ++c) offer(c);
            } else {
                const AnchoredGraph::Low& low = g.lows[static_cast<std::size_t>(v)];
                if (low.edge_begin == low.edge_end) offer(-1);
                for (std::int32_t e = low.edge_begin; e < low.edge_end; ++e) offer(e);
            }
            // More than k of them can never be needed.
            const auto better = [](const Candidate& a, const Candidate& b) { return b < a; };
            if (first.size() > k) {
                std::nth_element(first.begin(), first.begin() + static_cast<std::ptrdiff_t>(k), first.end(), better);
                first.resize(k);
            }
            vertex.heap = std::priority_queue<Candidate>(std::less<Candidate>(), std::move(first));
        }
        while (vertex.found.size() <= n) {
            if (!vertex.found.empty()) {
                // The neighbours of the last one.
                const Candidate last = vertex.found.back();
                const Step to = step(v, last.from);
                const auto next = [&](std::int32_t left, std::int32_t right) {
                    if (!vertex.seen.emplace(last.from, left, right).second) return;
                    if (to.left >= 0 && !self(self, to.left, static_cast<std::size_t>(left))) return;
                    if (to.right >= 0 && !self(self, to.right, static_cast<std::size_t>(right))) return;
                    const auto value = [&](std::int32_t child, std::int32_t j) {
                        return child < 0 ? 0.0 : vertices[static_cast<std::size_t>(child)].found[static_cast<std::size_t>(j)].score;
                    };
                    vertex.heap.push({to.own + value(to.left, left) + value(to.right, right), last.from, left, right});
                };
                if (to.left >= 0) next(last.left + 1, last.right);
                if (to.right >= 0) next(last.left, last.right + 1);
            }
            if (vertex.heap.empty()) return false;
            vertex.found.push_back(vertex.heap.top());
            vertex.heap.pop();
        }
        return true;
    };
    struct Todo {
        std::int32_t v, start, end;
        std::size_t n;
    };
    for (std::size_t rank = 0; rank < k && derive(derive, top, rank); ++rank) {
        Output y;
        std::vector<Todo> todo{{top, 0, static_cast<std::int32_t>(g.n), rank}};
        while (!todo.empty()) {
            const auto [v, start, end, n] = todo.back();
            todo.pop_back();
            derive(derive, v, n);
            const Candidate c = vertices[static_cast<std::size_t>(v)].found[n];
            const Step to = step(v, c.from);
            if (v == top) {
                if (to.left >= L) y.push_back({0, end, AnchoredNode::root, 0, g.roots[static_cast<std::size_t>(c.from)].symbol});
            } else if (v >= L) {
                if (c.from >= 0) y.push_back({start, end, AnchoredNode::chain, 0, g.unaries[static_cast<std::size_t>(c.from)].chain});
            } else if (c.from < 0) {
                y.push_back({start, end, AnchoredNode::tag, 0, g.lows[static_cast<std::size_t>(v)].symbol});
            } else {
                const std::int32_t split = g.edges[static_cast<std::size_t>(c.from)].split;
                y.push_back({start, end, AnchoredNode::rule, split, g.rules[static_cast<std::size_t>(rule_of[static_cast<std::size_t>(c.from)])].rule});
                todo.push_back({to.right, split, end, static_cast<std::size_t>(c.right)});
                todo.push_back({to.left, start, split, static_cast<std::size_t>(c.left)});
                continue;
            }
            if (to.left >= 0) todo.push_back({to.left, start, end, static_cast<std::size_t>(c.left)});
        }
        std::sort(y.begin(), y.end());
        ys.push_back(std::move(y));
        scores.push_back(vertices[static_cast<std::size_t>(top)].found[rank].score);
    }
}

}  // namespace palmette

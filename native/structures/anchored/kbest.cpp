// The k best trees, lazily (Huang and Chiang 2005, algorithm 3): the next best derivation of an item is asked for when one
// above it needs it. Every derivation is another tree. What was asked for is a small part of the items, and only that has room.
#include <algorithm>
#include <deque>

#include "structures/anchored/problem.hpp"

namespace palmette {
namespace {

struct Candidate {
    double score;
    std::int32_t from, rule;   // an edge with its rule above the span, a chain or a root; -1: the item itself
    std::int32_t left, right;  // which derivations below
    bool operator<(const Candidate& other) const {
        if (score != other.score) return score < other.score;
        if (from != other.from) return from > other.from;
        return left != other.left ? left > other.left : right > other.right;
    }
};

struct Vertex {
    std::vector<Candidate> found, heap;
};

// The vertices that were asked for, by number; room is kept from sentence to sentence.
class Vertices {
public:
    void clear(std::size_t n) {
        place_.assign(n, -1);
        used_ = 0;
    }
    // References stay good while others are made. `begin` is called with a new one.
    template <class Begin>
    Vertex& at(std::int32_t v, Begin&& begin) {
        std::int32_t& place = place_[static_cast<std::size_t>(v)];
        if (place >= 0) return room_[static_cast<std::size_t>(place)];
        place = static_cast<std::int32_t>(used_);
        if (used_ == room_.size()) room_.emplace_back();
        Vertex& made = room_[used_++];
        made.found.clear();
        made.heap.clear();
        begin(made);
        return made;
    }
    const std::vector<Candidate>& found(std::int32_t v) const { return room_[static_cast<std::size_t>(place_[static_cast<std::size_t>(v)])].found; }

private:
    std::vector<std::int32_t> place_;
    std::deque<Vertex> room_;
    std::size_t used_ = 0;
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
    static thread_local Vertices vertices;
    vertices.clear(static_cast<std::size_t>(top) + 1);

    // The children of a candidate (-1: none) and what it adds to them.
    struct Step {
        double own;
        std::int32_t left, right;
    };
    const auto step = [&](std::int32_t v, std::int32_t from, std::int32_t rule) -> Step {
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
        return {own + static_cast<double>(s.scores[at.rule + static_cast<std::size_t>(rule)] + s.scores[at.edge + static_cast<std::size_t>(from)] +
                                          s.scores[at.split + static_cast<std::size_t>(edge.rule_split)]),
                L + edge.left, L + edge.right};
    };
    const auto best_of = [&](std::int32_t v) { return v < 0 ? 0.0 : v < L ? s.low[static_cast<std::size_t>(v)] : s.up[static_cast<std::size_t>(v - L)]; };
    // Every way to make the vertex, with the best children.
    const auto begin = [&](std::int32_t v, Vertex& vertex) {
        const auto offer = [&](std::int32_t from, std::int32_t rule) {
            const Step to = step(v, from, rule);
            vertex.heap.push_back({to.own + best_of(to.left) + best_of(to.right), from, rule, 0, 0});
        };
        if (v == top) {
            for (std::size_t r = 0; r < g.roots.size(); ++r) offer(static_cast<std::int32_t>(r), -1);
        } else if (v >= L) {
            const AnchoredGraph::Up& up = g.ups[static_cast<std::size_t>(v - L)];
            if (up.low >= 0) offer(-1, -1);
            for (std::int32_t c = up.unary_begin; c < up.unary_end; ++c) offer(c, -1);
        } else {
            const AnchoredGraph::Low& low = g.lows[static_cast<std::size_t>(v)];
            if (low.edge_begin == low.edge_end) offer(-1, -1);
            for (std::int32_t q = low.rule_begin; q < low.rule_end; ++q)
                for (std::int32_t e = g.rules[static_cast<std::size_t>(q)].edge_begin; e < g.rules[static_cast<std::size_t>(q)].edge_end; ++e) offer(e, q);
        }
        // More than k of them can never be needed.
        if (vertex.heap.size() > k) {
            std::nth_element(vertex.heap.begin(), vertex.heap.begin() + static_cast<std::ptrdiff_t>(k), vertex.heap.end(), [](const Candidate& a, const Candidate& b) { return b < a; });
            vertex.heap.resize(k);
        }
        std::make_heap(vertex.heap.begin(), vertex.heap.end());
    };
    // The derivations of a vertex if it has an n-th, else null.
    const auto derive = [&](auto&& self, std::int32_t v, std::size_t n) -> const std::vector<Candidate>* {
        Vertex& vertex = vertices.at(v, [&](Vertex& made) { begin(v, made); });
        while (vertex.found.size() <= n) {
            if (!vertex.found.empty()) {
                // What comes after the last one: the next best child in one place. Each pair of children is met once, since the
                // right one moves only beside the best on the left.
                const Candidate last = vertex.found.back();
                const Step to = step(v, last.from, last.rule);
                const auto next = [&](std::int32_t left, std::int32_t right) {
                    const std::vector<Candidate>* lefts = self(self, to.left, static_cast<std::size_t>(left));
                    if (!lefts) return;
                    double score = to.own + (*lefts)[static_cast<std::size_t>(left)].score;
                    if (to.right >= 0) {
                        const std::vector<Candidate>* rights = self(self, to.right, static_cast<std::size_t>(right));
                        if (!rights) return;
                        score += (*rights)[static_cast<std::size_t>(right)].score;
                    }
                    vertex.heap.push_back({score, last.from, last.rule, left, right});
                    std::push_heap(vertex.heap.begin(), vertex.heap.end());
                };
                if (to.left >= 0) next(last.left + 1, last.right);
                if (to.right >= 0 && last.left == 0) next(0, last.right + 1);
            }
            if (vertex.heap.empty()) return nullptr;
            std::pop_heap(vertex.heap.begin(), vertex.heap.end());
            vertex.found.push_back(vertex.heap.back());
            vertex.heap.pop_back();
        }
        return &vertex.found;
    };
    struct Todo {
        std::int32_t v, start, end, n;
    };
    std::vector<Todo> todo;
    for (std::size_t rank = 0; rank < k && derive(derive, top, rank); ++rank) {
        Output y;
        todo.push_back({top, 0, static_cast<std::int32_t>(g.n), static_cast<std::int32_t>(rank)});
        while (!todo.empty()) {
            const auto [v, start, end, n] = todo.back();
            todo.pop_back();
            const Candidate c = (*derive(derive, v, static_cast<std::size_t>(n)))[static_cast<std::size_t>(n)];
            const Step to = step(v, c.from, c.rule);
            if (v == top) {
                if (to.left >= L) y.push_back({0, end, AnchoredNode::root, 0, g.roots[static_cast<std::size_t>(c.from)].symbol});
            } else if (v >= L) {
                if (c.from >= 0) y.push_back({start, end, AnchoredNode::chain, 0, g.unaries[static_cast<std::size_t>(c.from)].chain});
            } else if (c.from < 0) {
                y.push_back({start, end, AnchoredNode::tag, 0, g.lows[static_cast<std::size_t>(v)].symbol});
            } else {
                const std::int32_t split = g.edges[static_cast<std::size_t>(c.from)].split;
                y.push_back({start, end, AnchoredNode::rule, split, g.rules[static_cast<std::size_t>(c.rule)].rule});
                todo.push_back({to.right, split, end, c.right});
                todo.push_back({to.left, start, split, c.left});
                continue;
            }
            if (to.left >= 0) todo.push_back({to.left, start, end, c.left});
        }
        std::sort(y.begin(), y.end());
        ys.push_back(std::move(y));
        scores.push_back(vertices.found(top)[rank].score);
    }
}

}  // namespace palmette

#include "tools/constituency/lcfrs/decoding.hpp"

#include <algorithm>
#include <cmath>
#include <queue>
#include <set>
#include <tuple>

namespace palmette {
namespace {

constexpr double kNever = -std::numeric_limits<double>::infinity();

// The i-th best way to derive a node: an edge with the ranks of its children; edge -1 is the word itself.
struct Way {
    double score;
    std::int32_t edge, left, right;
};

void append(const LcfrsForest& forest, const ForestScores& scores, const std::vector<std::vector<Way>>& ways,
            std::int32_t root, int rank, FlatTree& tree) {
    struct Task {
        std::int32_t node, rank;
        bool finished;
    };
    std::vector<Task> todo{{root, rank, false}};
    while (!todo.empty()) {
        const Task task = todo.back();
        todo.pop_back();
        const Way& way = ways[task.node][task.rank];
        if (way.edge < 0) {
            tree.symbols.push_back(forest.symbol[task.node]);
            tree.shape.push_back(-1 - forest.span[task.node].first);
            tree.parts.push_back(scores.words[task.node]);
            continue;
        }
        const ForestEdge& edge = forest.edges[way.edge];
        if (task.finished) {
            tree.symbols.push_back(forest.symbol[task.node]);
            tree.shape.push_back(edge.right < 0 ? 1 : 2);
            tree.parts.push_back(scores.edges[way.edge]);
            continue;
        }
        todo.push_back({task.node, task.rank, true});
        if (edge.right >= 0) todo.push_back({edge.right, way.right, false});
        todo.push_back({edge.left, way.left, false});
    }
}

}  // namespace

std::vector<FlatTree> best_trees(const LcfrsForest& forest, const ForestScores& scores, std::int32_t root, int k) {
    std::vector<FlatTree> trees;
    if (root < 0) return trees;
    std::vector<std::vector<Way>> ways(root + 1);
    const auto worse = [](const Way& a, const Way& b) {
        return std::tie(a.score, b.edge, b.left, b.right) < std::tie(b.score, a.edge, a.left, a.right);
    };
    std::vector<Way> heap;
    std::set<std::tuple<std::int32_t, std::int32_t, std::int32_t>> seen;
    for (std::int32_t v = 0; v <= root; ++v) {
        heap.clear();
        const auto push = [&](std::int32_t e, std::int32_t l, std::int32_t r) {
            const ForestEdge& edge = forest.edges[e];
            if (l >= static_cast<int>(ways[edge.left].size())) return;
            if (edge.right >= 0 && r >= static_cast<int>(ways[edge.right].size())) return;
            const double score =
                scores.edges[e] + ways[edge.left][l].score + (edge.right < 0 ? 0 : ways[edge.right][r].score);
            if (score > kNever) heap.push_back({score, e, l, r});
        };
        if (forest.lexical[v] >= 0 && scores.words[v] > kNever) heap.push_back({scores.words[v], -1, 0, 0});
        for (int e = forest.first_edge[v]; e < forest.first_edge[v + 1]; ++e) push(e, 0, 0);
        if (heap.empty()) continue;
        if (k == 1) {
            ways[v].push_back(*std::max_element(heap.begin(), heap.end(), worse));
            continue;
        }
        std::make_heap(heap.begin(), heap.end(), worse);
        seen.clear();
        const auto push_new = [&](std::int32_t e, std::int32_t l, std::int32_t r) {
            if (!seen.insert({e, l, r}).second) return;
            const std::size_t before = heap.size();
            push(e, l, r);
            if (heap.size() > before) std::push_heap(heap.begin(), heap.end(), worse);
        };
        while (!heap.empty() && static_cast<int>(ways[v].size()) < k) {
            std::pop_heap(heap.begin(), heap.end(), worse);
            const Way way = heap.back();
            heap.pop_back();
            ways[v].push_back(way);
            if (way.edge < 0) continue;
            push_new(way.edge, way.left + 1, way.right);
            if (forest.edges[way.edge].right >= 0) push_new(way.edge, way.left, way.right + 1);
        }
    }
    for (int i = 0; i < static_cast<int>(ways[root].size()); ++i) {
        trees.emplace_back();
        trees.back().score = ways[root][i].score;
        append(forest, scores, ways, root, i, trees.back());
    }
    return trees;
}

ForestScores plain_scores(const LcfrsRules& rules, const LcfrsForest& forest, std::span<const Emission> emissions) {
    ForestScores scores;
    scores.edges.reserve(forest.edges.size());
    for (const ForestEdge& e : forest.edges)
        scores.edges.push_back(std::log(e.right < 0 ? rules.unary_weight[e.rule] : rules.weight[e.rule]));
    for (const std::int32_t e : forest.lexical) scores.words.push_back(e < 0 ? kNever : std::log(emissions[e].weight));
    return scores;
}

FlatTree best_with_states(const StateWeights& weights, const LcfrsForest& forest, LexicalStates words) {
    // best(v, x) = max over edges and states of  log weight + best(l, y) + best(r, z)
    FlatTree tree;
    if (forest.root < 0) return tree;
    std::vector<std::size_t> first;
    std::size_t n = 0;
    for (const std::int32_t s : forest.symbol) first.push_back(n), n += weights.states[s];
    std::vector<Way> best(n, Way{kNever, -1, 0, 0});
    for (std::int32_t v = 0; v < forest.n_nodes(); ++v) {
        const int n_here = weights.states[forest.symbol[v]];
        if (forest.lexical[v] >= 0)
            for (int x = 0; x < n_here; ++x)
                best[first[v] + x].score = std::log(double(words.values[words.first[forest.lexical[v]] + x]));
        for (int e = forest.first_edge[v]; e < forest.first_edge[v + 1]; ++e) {
            const ForestEdge& edge = forest.edges[e];
            const int n_left = weights.states[forest.symbol[edge.left]];
            const int n_right = edge.right >= 0 ? weights.states[forest.symbol[edge.right]] : 1;
            const float* block = edge.right >= 0 ? &weights.binary[weights.binary_first[edge.rule]]
                                                 : &weights.unary[weights.unary_first[edge.rule]];
            for (int y = 0; y < n_left; ++y)
                for (int z = 0; z < n_right; ++z) {
                    const double below =
                        best[first[edge.left] + y].score + (edge.right >= 0 ? best[first[edge.right] + z].score : 0);
                    if (!(below > kNever)) continue;
                    for (int x = 0; x < n_here; ++x) {
                        const float w = block[(std::size_t(x) * n_left + y) * n_right + z];
                        if (!(w > 0)) continue;
                        Way& way = best[first[v] + x];
                        if (below > way.score - std::log(double(w))) way = {below + std::log(double(w)), e, y, z};
                    }
                }
        }
    }
    tree.score = best[first[forest.root]].score;
    struct Task {
        std::int32_t node, state;
        bool finished;
    };
    std::vector<Task> todo{{forest.root, 0, false}};
    while (!todo.empty() && tree.score > kNever) {
        const Task task = todo.back();
        todo.pop_back();
        const Way& way = best[first[task.node] + task.state];
        if (way.edge < 0 || task.finished) {
            tree.symbols.push_back(forest.symbol[task.node]);
            tree.shape.push_back(way.edge < 0                       ? -1 - forest.span[task.node].first
                                 : forest.edges[way.edge].right < 0 ? 1
                                                                    : 2);
            double part = way.score;
            if (way.edge >= 0) {
                const ForestEdge& edge = forest.edges[way.edge];
                part -= best[first[edge.left] + way.left].score;
                if (edge.right >= 0) part -= best[first[edge.right] + way.right].score;
            }
            tree.parts.push_back(part);
            continue;
        }
        todo.push_back({task.node, task.state, true});
        if (forest.edges[way.edge].right >= 0) todo.push_back({forest.edges[way.edge].right, way.right, false});
        todo.push_back({forest.edges[way.edge].left, way.left, false});
    }
    return tree;
}

std::vector<std::int32_t> best_pieces(const LcfrsForest& forest, const ForestScores& scores, int n, double cost) {
    std::vector<double> value(forest.n_nodes(), kNever);
    std::vector<std::vector<std::int32_t>> ending(n + 1);
    for (std::int32_t v = 0; v < forest.n_nodes(); ++v) {
        if (forest.lexical[v] >= 0) value[v] = scores.words[v];
        for (int e = forest.first_edge[v]; e < forest.first_edge[v + 1]; ++e) {
            const ForestEdge& edge = forest.edges[e];
            value[v] =
                std::max(value[v], scores.edges[e] + value[edge.left] + (edge.right < 0 ? 0 : value[edge.right]));
        }
        if (!forest.has_gap(v) && value[v] > kNever) ending[forest.span[v].second].push_back(v);
    }
    std::vector<double> best(n + 1, kNever);
    std::vector<std::int32_t> last(n + 1, -1);
    best[0] = 0;
    for (int end = 1; end <= n; ++end) {
        best[end] = best[end - 1] - 4 * cost;  // a word that nothing covers
        last[end] = -end;                      // -1 - position
        for (const std::int32_t v : ending[end])
            if (const double score = best[forest.span[v].first] + value[v] - cost; score > best[end])
                best[end] = score, last[end] = v;
    }
    std::vector<std::int32_t> pieces;
    for (int end = n; end > 0;) {
        pieces.push_back(last[end]);
        end = last[end] < 0 ? end - 1 : forest.span[last[end]].first;
    }
    std::reverse(pieces.begin(), pieces.end());
    return pieces;
}

}  // namespace palmette

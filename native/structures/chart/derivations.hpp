// Trees of a chart: the best, and lazily the k best (Huang & Chiang 2005, algorithm 3).
//
// A chart holds values of items and no pointers: what made an item is found again, for the few items that are in a
// tree, among the rules of its symbol. A chart is anything with `float value(start, end, symbol)`, a log, -inf for
// items that are not there, and `bool has_items(start, end)`, false for spans that have none. Among the
// chains around a cycle of unary rules, only the best between two symbols counts.
#pragma once
#include <algorithm>
#include <cstdint>
#include <limits>
#include <unordered_map>
#include <vector>

#include "structures/chart/grammar.hpp"
#include "structures/chart/items.hpp"

namespace palmette {

// A node of a tree. rule: the number of a binary rule; kEmitted; or `unary_code` of a unary rule.
struct DerivationNode {
    std::int32_t symbol, start, end, rule;
};
inline constexpr std::int32_t kEmitted = -1;
inline std::int32_t unary_code(std::int32_t rule) { return -2 - rule; }
inline bool is_unary_code(std::int32_t code) { return code <= -2; }
inline std::int32_t unary_number(std::int32_t code) { return -2 - code; }

using Derivation = std::vector<DerivationNode>;  // in preorder

// The log weight of a tree, summed in the order of its nodes.
double derivation_score(const ChartGrammar& grammar, const Emissions& emissions, const Derivation& tree);

template <class Chart>
class Derivations {
public:
    Derivations(const ChartGrammar& grammar, const Emissions& emissions, const Chart& chart)
        : grammar_(grammar), emissions_(emissions), chart_(chart), symbols_(static_cast<std::size_t>(grammar.symbols())) {}

    // The best tree of an item that is in the chart.
    Derivation best(std::size_t start, std::size_t end, std::size_t symbol) {
        Derivation tree;
        std::vector<Item> todo{{start, end, symbol}};
        while (!todo.empty()) {
            const Item item = todo.back();
            todo.pop_back();
            Edge chosen{kEmitted, 0, 0, 0, kNever};
            each_edge(item, [&](const Edge& edge) {
                if (edge.score > chosen.score) chosen = edge;
            });
            append(item, chosen, tree);
            if (chosen.rule == kEmitted) continue;
            if (chosen.rule >= 0) todo.push_back({static_cast<std::size_t>(chosen.split), item.end, static_cast<std::size_t>(chosen.second)});
            todo.push_back({item.start, chosen.rule >= 0 ? static_cast<std::size_t>(chosen.split) : item.end, static_cast<std::size_t>(chosen.first)});
        }
        return tree;
    }

    // The k best trees of an item, best first; fewer if there are fewer.
    std::vector<Derivation> kbest(std::size_t start, std::size_t end, std::size_t symbol, std::size_t k) {
        std::vector<Derivation> trees;
        if (chart_.value(start, end, symbol) == kNever) return trees;
        const std::size_t top = node_of({start, end, symbol});
        while (trees.size() < k && reach(top, trees.size())) {
            trees.emplace_back();
            write(top, trees.size() - 1, trees.back());
        }
        return trees;
    }

private:
    static constexpr float kNever = -std::numeric_limits<float>::infinity();
    static constexpr std::int32_t kChain = std::numeric_limits<std::int32_t>::min();  // a chain within a cycle
    // A symbol of symbols_ + s stands for s without what the unary rules of its own cycle add.
    struct Item {
        std::size_t start, end, symbol;
    };
    struct Edge {
        std::int32_t rule, split, first, second;
        float score;
    };
    struct Found {
        std::uint32_t edge, left, right;
        float score;
        bool operator<(const Found& other) const { return score != other.score ? score < other.score : edge > other.edge; }
    };
    struct Node {
        Item item;
        std::vector<Edge> edges;
        std::vector<Found> found, heap;
        std::size_t expanded = 0;  // how many of `found` have put their successors on the heap
    };

    float value(const Item& item) {
        if (item.symbol < symbols_) return chart_.value(item.start, item.end, item.symbol);
        float best = kNever;
        each_edge(item, [&](const Edge& edge) { best = std::max(best, edge.score); });
        return best;
    }

    template <class Visit>
    void each_edge(const Item& item, Visit&& visit) {
        const std::int32_t cycle = item.symbol < symbols_ ? grammar_.cycle_of(item.symbol) : -1;
        if (cycle >= 0) {
            const UnaryBlock& block = grammar_.blocks()[static_cast<std::size_t>(cycle)];
            const std::int32_t* members = grammar_.members().data() + block.members;
            const auto from = static_cast<std::size_t>(std::find(members, members + block.n_members, static_cast<std::int32_t>(item.symbol)) - members);
            for (std::size_t to = 0; to < block.n_members; ++to) {
                const float chain = grammar_.best_closure()[block.matrix + from * block.n_members + to];
                const std::size_t below = symbols_ + static_cast<std::size_t>(members[to]);
                const float score = chain + value({item.start, item.end, below});
                if (score > kNever) visit(Edge{kChain, 0, static_cast<std::int32_t>(below), 0, score});
            }
            return;
        }
        const std::size_t symbol = item.symbol % symbols_;
        const auto [i, j] = std::pair(item.start, item.end);
        if (j == i + 1) {
            const auto range = std::equal_range(emissions_.positions.begin(), emissions_.positions.end(), static_cast<std::int32_t>(i));
            for (auto p = range.first; p != range.second; ++p) {
                const auto at = static_cast<std::size_t>(p - emissions_.positions.begin());
                if (static_cast<std::size_t>(emissions_.symbols[at]) == symbol) visit(Edge{kEmitted, 0, 0, 0, emissions_.log_weights[at]});
            }
        }
        for (std::int32_t u : grammar_.unary_of(symbol)) {
            const UnaryRule& rule = grammar_.unary()[static_cast<std::size_t>(u)];
            if (item.symbol >= symbols_ && grammar_.cycle_of(static_cast<std::size_t>(rule.child)) == grammar_.cycle_of(symbol)) continue;
            const float score = rule.log_weight + chart_.value(i, j, static_cast<std::size_t>(rule.child));
            if (score > kNever) visit(Edge{unary_code(u), 0, rule.child, 0, score});
        }
        splits_.clear();
        for (std::size_t k = i + 1; k < j; ++k)
            if (chart_.has_items(i, k) && chart_.has_items(k, j)) splits_.push_back(k);
        for (const IndexedRule& rule : grammar_.with_parent(symbol))
            for (std::size_t k : splits_) {
                const float left = chart_.value(i, k, static_cast<std::size_t>(rule.left));
                if (left == kNever) continue;
                const float score = rule.log_weight + left + chart_.value(k, j, static_cast<std::size_t>(rule.right));
                if (score > kNever) visit(Edge{rule.original, static_cast<std::int32_t>(k), rule.left, rule.right, score});
            }
    }

    // The nodes that an edge stands for, its tails not among them.
    void append(const Item& item, const Edge& edge, Derivation& tree) const {
        const auto start = static_cast<std::int32_t>(item.start), end = static_cast<std::int32_t>(item.end);
        if (edge.rule != kChain) {
            tree.push_back({static_cast<std::int32_t>(item.symbol % symbols_), start, end, edge.rule});
            return;
        }
        const UnaryBlock& block = grammar_.blocks()[static_cast<std::size_t>(grammar_.cycle_of(item.symbol))];
        const std::int32_t* members = grammar_.members().data() + block.members;
        const auto place = [&](std::size_t symbol) { return static_cast<std::size_t>(std::find(members, members + block.n_members, static_cast<std::int32_t>(symbol)) - members); };
        const std::size_t last = place(static_cast<std::size_t>(edge.first) - symbols_);
        for (std::size_t at = place(item.symbol); at != last;) {
            const std::int32_t child = grammar_.best_step()[block.matrix + at * block.n_members + last];
            std::int32_t best = -1;
            for (std::int32_t u : grammar_.unary_of(static_cast<std::size_t>(members[at])))
                if (grammar_.unary()[static_cast<std::size_t>(u)].child == child &&
                    (best < 0 || grammar_.unary()[static_cast<std::size_t>(u)].log_weight > grammar_.unary()[static_cast<std::size_t>(best)].log_weight))
                    best = u;
            tree.push_back({members[at], start, end, unary_code(best)});
            at = place(static_cast<std::size_t>(child));
        }
    }

    std::size_t node_of(const Item& item) {
        const std::uint64_t key = ChartItems::span(item.start, item.end) * 2 * symbols_ + item.symbol;
        const auto [where, is_new] = numbers_.try_emplace(key, nodes_.size());
        if (!is_new) return where->second;
        nodes_.push_back({item, {}, {}, {}, 0});
        std::vector<Edge> edges;
        each_edge(item, [&](const Edge& edge) { edges.push_back(edge); });
        Node& node = nodes_.back();
        node.edges = std::move(edges);
        node.heap.reserve(node.edges.size() + 8);
        for (std::uint32_t e = 0; e < node.edges.size(); ++e) node.heap.push_back({e, 0, 0, node.edges[e].score});
        std::make_heap(node.heap.begin(), node.heap.end());
        return nodes_.size() - 1;
    }

    std::size_t tail_of(std::size_t number, const Edge& edge, bool second) {
        const Item item = nodes_[number].item;
        if (edge.rule < 0) return node_of({item.start, item.end, static_cast<std::size_t>(edge.first)});
        const auto split = static_cast<std::size_t>(edge.split);
        return second ? node_of({split, item.end, static_cast<std::size_t>(edge.second)}) : node_of({item.start, split, static_cast<std::size_t>(edge.first)});
    }

    // Whether a node has a derivation of this rank, once it has been looked for. Nodes may move in memory meanwhile.
    bool reach(std::size_t number, std::size_t rank) {
        while (nodes_[number].found.size() <= rank) {
            while (nodes_[number].expanded < nodes_[number].found.size()) {
                const Found last = nodes_[number].found[nodes_[number].expanded++];
                const Edge edge = nodes_[number].edges[last.edge];
                if (edge.rule == kEmitted) continue;
                if (edge.rule >= 0) {
                    const std::size_t tail = tail_of(number, edge, true);
                    if (reach(tail, last.right + 1)) push(number, {last.edge, last.left, last.right + 1, last.score + step(tail, last.right)});
                    if (last.right > 0) continue;  // so that every pair of ranks is met once
                }
                const std::size_t tail = tail_of(number, edge, false);
                if (reach(tail, last.left + 1)) push(number, {last.edge, last.left + 1, last.right, last.score + step(tail, last.left)});
            }
            Node& node = nodes_[number];
            if (node.heap.empty()) return false;
            std::pop_heap(node.heap.begin(), node.heap.end());
            node.found.push_back(node.heap.back());
            node.heap.pop_back();
        }
        return true;
    }
    float step(std::size_t tail, std::size_t rank) const { return nodes_[tail].found[rank + 1].score - nodes_[tail].found[rank].score; }
    void push(std::size_t number, const Found& found) {
        auto& heap = nodes_[number].heap;
        heap.push_back(found);
        std::push_heap(heap.begin(), heap.end());
    }

    void write(std::size_t top, std::size_t rank, Derivation& tree) {
        std::vector<std::pair<std::size_t, std::size_t>> todo{{top, rank}};
        while (!todo.empty()) {
            const auto [number, at] = todo.back();
            todo.pop_back();
            reach(number, at);
            const Found found = nodes_[number].found[at];
            const Edge edge = nodes_[number].edges[found.edge];
            append(nodes_[number].item, edge, tree);
            if (edge.rule == kEmitted) continue;
            if (edge.rule >= 0) todo.emplace_back(tail_of(number, edge, true), found.right);
            todo.emplace_back(tail_of(number, edge, false), found.left);
        }
    }

    const ChartGrammar& grammar_;
    const Emissions emissions_;
    const Chart& chart_;
    const std::size_t symbols_;
    std::vector<std::size_t> splits_;  // of the item at hand
    std::vector<Node> nodes_;
    std::unordered_map<std::uint64_t, std::size_t> numbers_;
};

}  // namespace palmette

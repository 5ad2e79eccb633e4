// A hypergraph (packed forest): items are nodes, instantiated rules are edges, and an edge's label is the part
// of the output that it stands for. CSC 448, §11.
#pragma once
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace palmette {

// Thrown because of a cycle of nodes: the graph must be acyclic, or the sum or maximum over the cycle is infinite.
struct CycleError : std::invalid_argument {
    std::vector<int32_t> nodes;
    CycleError(const std::string& message, std::vector<int32_t> cycle)
        : std::invalid_argument(message), nodes(std::move(cycle)) {}
};

struct Hypergraph {
    int32_t n_nodes = 0;
    int32_t n_parts = 0;
    int32_t root = -1;  // the goal; -1 where nothing derives it

    // Edges are grouped by head: those of node v are edge_start[v] .. edge_start[v + 1] - 1.
    std::vector<int32_t> edge_start;
    std::vector<int32_t> label;
    std::vector<int32_t> tail_start;  // the tails of edge e are tail[tail_start[e] .. tail_start[e + 1] - 1]
    std::vector<int32_t> tail;
    int32_t most_tails = 0;  // of an edge

    // The nodes, tails before heads. Nodes that depend on each other form a component and lie together:
    // component c is order[component_start[c] .. component_start[c + 1] - 1]. Where the graph is acyclic every
    // node is its own component, and component_start, cyclic and place are left empty.
    std::vector<int32_t> order;
    std::vector<int32_t> component_start;
    std::vector<uint8_t> cyclic;  // per component
    std::vector<int32_t> place;   // order[place[v]] == v

    // Whether all edges of node v have two tails, the common case, for which the outside pass has its own loop.
    bool is_binary(int32_t v) const {
        return most_tails <= 2 && tail_start[edge_start[v + 1]] - tail_start[edge_start[v]] ==
                                      2 * (edge_start[v + 1] - edge_start[v]);
    }

    int32_t n_edges() const { return static_cast<int32_t>(label.size()); }
    bool is_acyclic() const { return component_start.empty(); }
    std::span<const int32_t> tails(int32_t e) const {
        return {tail.data() + tail_start[e], static_cast<size_t>(tail_start[e + 1] - tail_start[e])};
    }

    // Calls visit(nodes, is_cyclic) for every component, tails before heads.
    template <class Visit>
    void for_each_component(Visit visit) const {
        if (is_acyclic()) {
            for (const int32_t& v : order) visit(std::span(&v, 1), false);
            return;
        }
        for (size_t c = 0; c + 1 < component_start.size(); ++c) visit(component(c), cyclic[c] != 0);
    }
    template <class Visit>
    void for_each_component_backwards(Visit visit) const {
        if (is_acyclic()) {
            for (size_t i = order.size(); i-- > 0;) visit(std::span(&order[i], 1), false);
            return;
        }
        for (size_t c = component_start.size() - 1; c-- > 0;) visit(component(c), cyclic[c] != 0);
    }
    std::span<const int32_t> component(size_t c) const {
        return {order.data() + component_start[c], static_cast<size_t>(component_start[c + 1] - component_start[c])};
    }

    // The nodes of one cycle in the order of derivation, empty if there is none.
    std::vector<int32_t> find_cycle() const;
    // Throws a CycleError that names a cycle, if there is one.
    void require_acyclic(const char* what) const;

    // The nodes given, which must have all tails of their edges and the root among them, as nodes 0, 1, ...
    Hypergraph renumbered(std::span<const int32_t> nodes) const;

    // The same nodes with only the edges e for which keep[e] is not zero.
    Hypergraph restricted(std::span<const uint8_t> keep) const;
};

// Edges in any order: edge e derives heads[e] from tails[tail_start[e] ..], and its part is labels[e].
// Costs O(nodes + edges + tails). Throws std::invalid_argument where an index is out of range.
Hypergraph make_hypergraph(int32_t n_nodes, int32_t n_parts, int32_t root, std::span<const int32_t> heads,
                           std::span<const int64_t> tail_start, std::span<const int32_t> tails,
                           std::span<const int32_t> labels);

// Fills the edges of a graph whose n_nodes is set from edges in any order; those of a head stay in the order they came
// in (a counting sort). Index is int32_t or int64_t. Checks nothing.
template <class Index>
void group_by_head(Hypergraph& g, std::span<const int32_t> heads, std::span<const Index> tail_start,
                   std::span<const int32_t> tails, std::span<const int32_t> labels);

// The nodes that derivations of the root use, each after its tails where there is no cycle. Depth first.
std::vector<int32_t> finished_from(const Hypergraph& g, int32_t root);

// Fills most_tails, order, component_start, cyclic and place from the edges (Tarjan's algorithm, without recursion).
void sort_topologically(Hypergraph& g);

// The strongly connected components of nodes 0 .. n-1, each reported after all it reaches; in a component too the
// nodes come after their successors as far as its cycles allow. `successor(v, i)` is the i-th successor of v, or a
// negative number past the last.
template <class Successor, class Report>
void strong_components(int32_t n, Successor successor, Report report) {
    std::vector<int32_t> index(n, -1), low(n), position(n), path, finished;
    std::vector<uint8_t> is_open(n, 0);  // met, but not reported
    int32_t next_index = 0;
    for (int32_t start = 0; start < n; ++start) {
        if (index[start] >= 0) continue;
        path.push_back(start);
        while (!path.empty()) {
            int32_t v = path.back();
            if (index[v] < 0) {
                index[v] = low[v] = next_index++;
                position[v] = 0;
                is_open[v] = 1;
            }
            int32_t u = successor(v, position[v]);
            if (u >= 0) {
                if (index[u] < 0) {
                    path.push_back(u);  // position[v] moves on when u is done
                } else {
                    if (is_open[u] && low[u] < low[v]) low[v] = low[u];
                    ++position[v];
                }
                continue;
            }
            path.pop_back();
            finished.push_back(v);
            if (low[v] == index[v]) {
                size_t first = finished.size();
                for (; first > 0 && index[finished[first - 1]] >= index[v]; --first) is_open[finished[first - 1]] = 0;
                report(std::span<const int32_t>(finished).subspan(first));
                finished.resize(first);
            }
        }
    }
}

}  // namespace palmette

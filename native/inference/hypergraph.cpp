#include "inference/hypergraph.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace palmette {

template <class Index>
void group_by_head(Hypergraph& g, std::span<const int32_t> heads, std::span<const Index> tail_start,
                   std::span<const int32_t> tails, std::span<const int32_t> labels) {
    const size_t n_edges = heads.size();
    g.edge_start.assign(static_cast<size_t>(g.n_nodes) + 1, 0);
    std::vector<int32_t> next_tail(static_cast<size_t>(g.n_nodes) + 1, 0);
    for (size_t e = 0; e < n_edges; ++e) {
        ++g.edge_start[heads[e] + 1];
        next_tail[heads[e] + 1] += static_cast<int32_t>(tail_start[e + 1] - tail_start[e]);
    }
    std::partial_sum(g.edge_start.begin(), g.edge_start.end(), g.edge_start.begin());
    std::partial_sum(next_tail.begin(), next_tail.end(), next_tail.begin());
    std::vector<int32_t> next_edge(g.edge_start.begin(), g.edge_start.end() - 1);
    g.label.resize(n_edges);
    g.tail_start.resize(n_edges + 1);
    g.tail_start[n_edges] = static_cast<int32_t>(tails.size());
    g.tail.resize(tails.size());
    for (size_t e = 0; e < n_edges; ++e) {
        const int32_t h = heads[e], place = next_edge[h]++;
        g.label[place] = labels[e];
        g.tail_start[place] = next_tail[h];
        for (Index t = tail_start[e]; t < tail_start[e + 1]; ++t) g.tail[next_tail[h]++] = tails[t];
    }
}
template void group_by_head<int32_t>(Hypergraph&, std::span<const int32_t>, std::span<const int32_t>,
                                     std::span<const int32_t>, std::span<const int32_t>);

Hypergraph make_hypergraph(int32_t n_nodes, int32_t n_parts, int32_t root, std::span<const int32_t> heads,
                           std::span<const int64_t> tail_start, std::span<const int32_t> tails,
                           std::span<const int32_t> labels) {
    auto fail = [](const std::string& message) { throw std::invalid_argument(message); };
    size_t n_edges = heads.size();
    if (n_edges >= static_cast<size_t>(std::numeric_limits<int32_t>::max()) ||
        tails.size() >= static_cast<size_t>(std::numeric_limits<int32_t>::max()))
        fail("a hypergraph holds fewer than 2^31 edges and 2^31 tails");
    if (labels.size() != n_edges || tail_start.size() != n_edges + 1)
        fail("heads, labels and tail starts must describe the same number of edges");
    if (n_nodes < 0 || n_parts < 0) fail("the numbers of nodes and parts must not be negative");
    if (root < -1 || root >= n_nodes)
        fail("root " + std::to_string(root) + " is not one of the " + std::to_string(n_nodes) + " nodes");
    if (tail_start[0] != 0 || tail_start[n_edges] != static_cast<int64_t>(tails.size()))
        fail("tail starts must begin at 0 and end at the number of tails");
    for (size_t e = 0; e < n_edges; ++e) {
        if (heads[e] < 0 || heads[e] >= n_nodes)
            fail("edge " + std::to_string(e) + " has head " + std::to_string(heads[e]) + ", but there are " +
                 std::to_string(n_nodes) + " nodes");
        if (labels[e] < 0 || labels[e] >= n_parts)
            fail("edge " + std::to_string(e) + " has label " + std::to_string(labels[e]) + ", but there are " +
                 std::to_string(n_parts) + " parts");
        if (tail_start[e] > tail_start[e + 1]) fail("tail starts must not decrease");
    }
    for (int32_t t : tails)
        if (t < 0 || t >= n_nodes)
            fail("an edge has tail " + std::to_string(t) + ", but there are " + std::to_string(n_nodes) + " nodes");

    Hypergraph g;
    g.n_nodes = n_nodes;
    g.n_parts = n_parts;
    g.root = root;
    group_by_head(g, heads, tail_start, tails, labels);
    sort_topologically(g);
    return g;
}

void sort_topologically(Hypergraph& g) {
    g.order.clear();
    g.component_start.clear();
    g.cyclic.clear();
    g.place.clear();
    g.most_tails = 0;
    for (int32_t e = 0; e < g.n_edges(); ++e)
        g.most_tails = std::max(g.most_tails, g.tail_start[e + 1] - g.tail_start[e]);
    bool sorted = true;
    for (int32_t v = 0; v < g.n_nodes && sorted; ++v)
        for (int32_t i = g.tail_start[g.edge_start[v]]; i < g.tail_start[g.edge_start[v + 1]]; ++i)
            sorted &= g.tail[i] < v;
    if (sorted) {
        g.order.resize(g.n_nodes);
        std::iota(g.order.begin(), g.order.end(), 0);
        return;
    }
    bool acyclic = true;
    g.order.reserve(g.n_nodes);
    g.component_start.push_back(0);
    auto tail_of = [&](int32_t v, int32_t i) {
        int32_t first = g.tail_start[g.edge_start[v]], last = g.tail_start[g.edge_start[v + 1]];
        return i < last - first ? g.tail[first + i] : -1;
    };
    strong_components(g.n_nodes, tail_of, [&](std::span<const int32_t> nodes) {
        bool cyclic = nodes.size() > 1;
        for (int32_t i = 0, t; !cyclic && (t = tail_of(nodes[0], i)) >= 0; ++i) cyclic = t == nodes[0];
        g.order.insert(g.order.end(), nodes.begin(), nodes.end());
        g.component_start.push_back(static_cast<int32_t>(g.order.size()));
        g.cyclic.push_back(cyclic);
        acyclic &= !cyclic;
    });
    if (acyclic) {
        g.component_start.clear();
        g.cyclic.clear();
        return;
    }
    g.place.resize(g.n_nodes);
    for (int32_t i = 0; i < g.n_nodes; ++i) g.place[g.order[i]] = i;
}

std::vector<int32_t> finished_from(const Hypergraph& g, int32_t root) {
    struct Frame {
        int32_t node, tail, end;
    };
    std::vector<int32_t> order;
    std::vector<uint8_t> seen(g.n_nodes, 0);
    std::vector<Frame> path;
    auto enter = [&](int32_t v) {
        seen[v] = 1;
        path.push_back({v, g.tail_start[g.edge_start[v]], g.tail_start[g.edge_start[v + 1]]});
    };
    enter(root);
    while (!path.empty()) {
        Frame& frame = path.back();
        while (frame.tail < frame.end && seen[g.tail[frame.tail]]) ++frame.tail;
        if (frame.tail < frame.end) {
            enter(g.tail[frame.tail]);
            continue;
        }
        order.push_back(frame.node);
        path.pop_back();
    }
    return order;
}

std::vector<int32_t> Hypergraph::find_cycle() const {
    if (is_acyclic()) return {};
    size_t c = std::find(cyclic.begin(), cyclic.end(), 1) - cyclic.begin();
    std::vector<uint8_t> inside(n_nodes, 0);
    for (int32_t v : component(c)) inside[v] = 1;
    // Every node of the component has a tail in it: following them must come back to a node met before.
    std::vector<int32_t> path, met(n_nodes, -1);
    int32_t v = component(c)[0];
    while (met[v] < 0) {
        met[v] = static_cast<int32_t>(path.size());
        path.push_back(v);
        for (int32_t i = tail_start[edge_start[v]]; i < tail_start[edge_start[v + 1]]; ++i)
            if (inside[tail[i]]) {
                v = tail[i];
                break;
            }
    }
    return {path.begin() + met[v], path.end()};
}

void Hypergraph::require_acyclic(const char* what) const {
    if (!is_acyclic()) throw CycleError(std::string(what) + " needs an acyclic hypergraph", find_cycle());
}

Hypergraph Hypergraph::renumbered(std::span<const int32_t> nodes) const {
    std::vector<int32_t> place(n_nodes, -1);
    size_t n_edges = 0, n_tails = 0;
    for (size_t i = 0; i < nodes.size(); ++i) {
        const int32_t first = edge_start[nodes[i]], last = edge_start[nodes[i] + 1];
        place[nodes[i]] = static_cast<int32_t>(i);
        n_edges += last - first;
        n_tails += tail_start[last] - tail_start[first];
    }
    Hypergraph g;
    g.n_nodes = static_cast<int32_t>(nodes.size());
    g.n_parts = n_parts;
    g.root = root < 0 ? -1 : place[root];
    g.edge_start.reserve(nodes.size() + 1);
    g.label.reserve(n_edges);
    g.tail_start.reserve(n_edges + 1);
    g.tail.reserve(n_tails);
    g.edge_start.push_back(0);
    for (int32_t v : nodes) {
        const int32_t first = edge_start[v], last = edge_start[v + 1];
        const int32_t shift = static_cast<int32_t>(g.tail.size()) - tail_start[first];
        g.label.insert(g.label.end(), label.begin() + first, label.begin() + last);
        for (int32_t e = first; e < last; ++e) g.tail_start.push_back(tail_start[e] + shift);
        for (int32_t t = tail_start[first]; t < tail_start[last]; ++t) g.tail.push_back(place[tail[t]]);
        g.edge_start.push_back(static_cast<int32_t>(g.label.size()));
    }
    g.tail_start.push_back(static_cast<int32_t>(g.tail.size()));
    sort_topologically(g);
    return g;
}

Hypergraph Hypergraph::restricted(std::span<const uint8_t> keep) const {
    if (keep.size() != label.size()) throw std::invalid_argument("keep must have one entry per edge");
    Hypergraph g;
    g.n_nodes = n_nodes;
    g.n_parts = n_parts;
    g.root = root;
    g.edge_start.assign(1, 0);
    g.tail_start.assign(1, 0);
    for (int32_t v = 0; v < n_nodes; ++v) {
        for (int32_t e = edge_start[v]; e < edge_start[v + 1]; ++e) {
            if (!keep[e]) continue;
            auto t = tails(e);
            g.label.push_back(label[e]);
            g.tail.insert(g.tail.end(), t.begin(), t.end());
            g.tail_start.push_back(static_cast<int32_t>(g.tail.size()));
        }
        g.edge_start.push_back(static_cast<int32_t>(g.label.size()));
    }
    sort_topologically(g);
    return g;
}

}  // namespace palmette

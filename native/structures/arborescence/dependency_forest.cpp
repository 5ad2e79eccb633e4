#include "structures/arborescence/dependency_forest.hpp"

#include <algorithm>
#include <bit>

namespace palmette::dependency {

Forest::Forest(std::span<const std::int32_t> heads)
    : n_nodes(static_cast<std::int32_t>(heads.size()) + 2), parent(n_nodes), stand_in(n_nodes), place(n_nodes), size(n_nodes, 1) {
    const std::int32_t n = n_nodes - 2;
    for (std::int32_t v = 0; v < n_nodes; ++v) stand_in[v] = v;
    parent[above()] = -1;
    parent[0] = above();
    for (std::int32_t m = 1; m <= n; ++m) {
        const std::int32_t h = heads[m - 1];
        const bool none = h < 0 || h > n;
        headless += none;
        parent[m] = none ? above() : h;
    }
    // A walk that comes back to a node of its own has found a cycle.
    std::vector<std::int32_t> walk(n_nodes, 0);
    walk[0] = walk[above()] = -1;
    for (std::int32_t m = 1; m <= n; ++m) {
        std::int32_t v = m;
        for (; !walk[v]; v = parent[v]) walk[v] = m;
        if (walk[v] != m) continue;
        acyclic = false;
        for (std::int32_t u = parent[v]; u != v;) {
            const std::int32_t next = parent[u];
            stand_in[u] = parent[u] = v;
            u = next;
        }
        parent[v] = above();
    }
    for (std::int32_t m = 1; m <= n; ++m) parent[m] = stand_in[parent[m]];
    // Preorder without recursion: sizes from the leaves up, then every node reserves room for its children.
    std::vector<std::int32_t> waiting(n_nodes, 0), leaves;
    for (std::int32_t v = 0; v < above(); ++v) ++waiting[parent[v]];
    leaves.reserve(n_nodes);
    for (std::int32_t v = 0; v < n_nodes; ++v)
        if (!waiting[v]) leaves.push_back(v);
    for (std::size_t i = 0; i < leaves.size(); ++i) {
        const std::int32_t p = parent[leaves[i]];
        if (p < 0) break;
        size[p] += size[leaves[i]];
        if (!--waiting[p]) leaves.push_back(p);
    }
    std::vector<std::int32_t>& next = waiting;
    place[above()] = 0;
    next[above()] = 1;
    for (std::size_t i = leaves.size() - 1; i-- > 0;) {
        const std::int32_t v = leaves[i], p = parent[v];
        place[v] = next[p];
        next[p] += size[v];
        next[v] = place[v] + 1;
    }
    order.resize(n_nodes);
    for (std::int32_t v = 0; v < n_nodes; ++v) order[place[v]] = v;
}

RangeMin::RangeMin(std::vector<std::int32_t> values) : n_(values.size()), table_(std::move(values)) {
    for (std::size_t width = 2; width <= n_; width *= 2) {
        const std::size_t below = table_.size() - n_;
        table_.resize(table_.size() + n_);
        for (std::size_t i = 0; i + width <= n_; ++i)
            table_[below + n_ + i] = std::min(table_[below + i], table_[below + i + width / 2]);
    }
}

std::int32_t RangeMin::operator()(std::int32_t first, std::int32_t last) const {
    const int level = std::bit_width(static_cast<std::uint32_t>(last - first + 1)) - 1;
    const std::int32_t* row = table_.data() + level * n_;
    return std::min(row[first], row[last + 1 - (1 << level)]);
}

}  // namespace palmette::dependency

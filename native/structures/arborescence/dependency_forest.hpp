// What one node of a dependency graph dominates, as an interval of preorder numbers, whatever the heads are.
//
// All nodes of a cycle dominate the same: one of them stands for all, and the others hang from it as leaves. What has
// no head hangs from an extra node above everything. So the graph becomes a tree of n + 2 nodes.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

namespace palmette::dependency {

struct Forest {
    std::int32_t n_nodes;                // 0, the words, and the node above everything
    std::vector<std::int32_t> parent;    // of a node; -1 above everything
    std::vector<std::int32_t> stand_in;  // the node of its cycle, or itself
    std::vector<std::int32_t> order;     // the nodes in preorder
    std::vector<std::int32_t> place;     // of a node in `order`
    std::vector<std::int32_t> size;      // of the subtree, itself included
    bool acyclic = true;
    std::int32_t headless = 0;  // words

    explicit Forest(std::span<const std::int32_t> heads);

    std::int32_t above() const { return n_nodes - 1; }
    bool is_tree() const { return acyclic && headless == 0; }
    std::int32_t first_of(std::int32_t node) const { return place[stand_in[node]]; }
    std::int32_t end_of(std::int32_t node) const { return place[stand_in[node]] + size[stand_in[node]]; }
};

// The least value of any range: a table of the ranges whose lengths are powers of two. O(n log n), then O(1).
class RangeMin {
public:
    explicit RangeMin(std::vector<std::int32_t> values);
    std::int32_t operator()(std::int32_t first, std::int32_t last) const;  // both included

private:
    std::size_t n_;
    std::vector<std::int32_t> table_;
};

}  // namespace palmette::dependency

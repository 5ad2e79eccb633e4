// The parses of a source sentence: one tree, or several packed into a forest.
//
// Nodes come after those below them, and the last is the root. A node covers words begin … end − 1, and each of its edges is one
// way to cover them: a production with its children from left to right, nodes or words. A tree has one edge for each node.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

namespace palmette {

struct SourceForest {
    static constexpr std::uint32_t no_production = 0xFFFFFFFFu;  // the table has no rule with it

    std::span<const std::uint32_t> begin, end, label;  // of each node; label: any number, for those who draw it
    std::span<const std::uint32_t> edge_start;         // [nodes + 1]
    std::span<const std::uint32_t> production;         // of each edge, by the table
    std::span<const std::uint32_t> child_start;        // [edges + 1]
    std::span<const std::int32_t> children;            // a node, or −1 − the place of a word

    std::uint32_t n_nodes() const { return static_cast<std::uint32_t>(begin.size()); }
    std::span<const std::int32_t> children_of(std::uint32_t edge) const {
        return children.subspan(child_start[edge], child_start[edge + 1] - child_start[edge]);
    }

    // Whether the arrays describe parses of n words: throws std::invalid_argument otherwise. Everything above needs it.
    void check(std::uint32_t n, std::uint32_t n_productions) const;
};

}  // namespace palmette

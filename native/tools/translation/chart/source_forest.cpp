#include "tools/translation/chart/source_forest.hpp"

#include <stdexcept>

namespace palmette {

void SourceForest::check(std::uint32_t n, std::uint32_t n_productions) const {
    using u32 = std::uint32_t;
    const auto require = [](bool good, const char* what) {
        if (!good) throw std::invalid_argument(what);
    };
    const std::size_t nodes = begin.size(), edges = production.size();
    require(nodes > 0 && end.size() == nodes && label.size() == nodes && edge_start.size() == nodes + 1 && child_start.size() == edges + 1,
            "the arrays of a forest do not agree in their lengths");
    require(edge_start[0] == 0 && edge_start[nodes] == edges && child_start[0] == 0 && child_start[edges] == children.size(),
            "the offsets of a forest do not fit its arrays");
    for (u32 node = 0; node < nodes; ++node) {
        require(edge_start[node] < edge_start[node + 1] && edge_start[node + 1] <= edges, "a node of a forest has no edge");
        for (u32 edge = edge_start[node]; edge < edge_start[node + 1]; ++edge) {
            require(production[edge] < n_productions || production[edge] == no_production, "a production of a forest is not in the table");
            require(child_start[edge] < child_start[edge + 1] && child_start[edge + 1] <= children.size(), "an edge of a forest has no child");
            u32 at = begin[node];
            for (const std::int32_t child : children_of(edge)) {
                if (child < 0) {
                    require(static_cast<u32>(-1 - child) == at, "a word of a forest is not where its node is");
                    ++at;
                } else {
                    require(static_cast<u32>(child) < node, "a node of a forest comes before one below it");
                    require(begin[child] == at, "a node of a forest is not where its parent is");
                    at = end[child];
                }
            }
            require(at == end[node] && at > begin[node], "the children of a node of a forest do not cover it");
        }
    }
    require(begin[nodes - 1] == 0 && end[nodes - 1] == n, "a forest does not cover its sentence");
}

}  // namespace palmette

// Parses of sentences in flat arrays, one sentence behind another.
#pragma once
#include <optional>
#include <tuple>
#include <vector>

#include "bind/bind.hpp"
#include "bind/tools/translation/sentences.hpp"
#include "tools/translation/chart/source_forest.hpp"
#include "tools/translation/rules/rule_table.hpp"

namespace translation_bind {

// Where the nodes, edges and children of each sentence begin, [sentences + 1] each; then the arrays of SourceForest, offsets
// counted from the beginning of each sentence.
using ForestArrays = std::tuple<Array<u32>, Array<u32>, Array<u32>, Array<u32>, Array<u32>, Array<u32>, Array<u32>, Array<u32>, Array<u32>,
                                Array<std::int32_t>>;
using Forests = std::optional<ForestArrays>;

// Gives every sentence with words its parses.
inline void add_forests(const ForestArrays& arrays, const palmette::RuleTableView& table, Prepared& made,
                        std::vector<palmette::SourceForest>& parses) {
    const auto& [node_first, edge_first, child_first, begin, end, label, edge_start, production, child_start, children] = arrays;
    const std::size_t n = made.sentences.size();
    const auto offsets = [&](const Array<u32>& given, std::size_t last) {
        const auto own = span_of(given);
        require(own.size() == n + 1 && own[0] == 0 && own[n] == last, "the offsets of forests do not fit their arrays");
        for (std::size_t s = 0; s < n; ++s) require(own[s] <= own[s + 1], "the offsets of forests do not rise");
        return own;
    };
    const auto nodes = offsets(node_first, begin.size()), edges = offsets(edge_first, production.size()),
               below = offsets(child_first, children.size());
    require(end.size() == begin.size() && label.size() == begin.size() && edge_start.size() == begin.size() + n &&
                child_start.size() == production.size() + n,
            "the arrays of forests do not agree in their lengths");
    parses.resize(n);
    for (std::size_t s = 0; s < n; ++s) {
        if (!made.sentences[s].size()) continue;
        const std::size_t first = nodes[s], size = nodes[s + 1] - nodes[s], edge = edges[s], n_edges = edges[s + 1] - edges[s];
        parses[s] = {span_of(begin).subspan(first, size),           span_of(end).subspan(first, size),
                     span_of(label).subspan(first, size),           span_of(edge_start).subspan(first + s, size + 1),
                     span_of(production).subspan(edge, n_edges),    span_of(child_start).subspan(edge + s, n_edges + 1),
                     span_of(children).subspan(below[s], below[s + 1] - below[s])};
        parses[s].check(made.sentences[s].size(), table.n_productions);
        made.sentences[s].forest = &parses[s];
    }
}

}  // namespace translation_bind

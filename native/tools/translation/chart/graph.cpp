#include "tools/translation/chart/graph.hpp"

namespace palmette {

std::vector<double> ChartGraph::scores(std::span<const double> weights) const {
    std::vector<double> sums(begin.size(), 0.0);
    for (std::size_t e = 0; e < sums.size(); ++e)
        for (std::size_t k = 0; k < weights.size(); ++k) sums[e] += weights[k] * features[e * weights.size() + k];
    return sums;
}

ChartGraph chart_graph_of(const ChartDecoder& decoder, bool best) {
    using u32 = std::uint32_t;
    const CubeSearch& search = decoder.search();
    const auto& vertices = search.vertices();
    const auto& edges = search.edges();
    ChartGraph made;
    made.exact = decoder.is_exact();
    const int n_features = decoder.model().layout.size();
    std::vector<u32> start(vertices.size() + 1, 0), sorted;
    if (!best) {
        for (const ChartEdge& edge : edges) ++start[edge.head + 1];
        for (std::size_t v = 0; v < vertices.size(); ++v) start[v + 1] += start[v];
        std::vector<u32> at(start.begin(), start.end() - 1);
        sorted.resize(edges.size());
        for (u32 e = 0; e < edges.size(); ++e) sorted[at[edges[e].head]++] = e;
    }
    const auto edges_of = [&](u32 v) {
        if (best) return std::span<const u32>(&vertices[v].edge, 1);
        return std::span<const u32>(sorted).subspan(start[v], start[v + 1] - start[v]);
    };
    std::vector<std::int32_t> node(vertices.size(), -1), heads, tails;
    std::vector<std::int64_t> tail_start{0};
    std::int32_t n_nodes = 0, root = -1;
    const auto add = [&](std::int32_t head, const ChartEdge& edge) {
        const ChartRule& rule = decoder.rules().rule(edge.rule);
        heads.push_back(head);
        // The beginning of the sentence has no node.
        int skipped = 0;
        for (u32 t = 0; t < rule.n_tails; ++t) {
            const u32 tail = search.tails(edge)[t];
            if (vertices[tail].edge == CubeSearch::kNone)
                ++skipped;
            else
                tails.push_back(node[tail]);
        }
        tail_start.push_back(static_cast<std::int64_t>(tails.size()));
        made.features.resize(made.features.size() + static_cast<std::size_t>(n_features));
        decoder.features(edge, &made.features[made.features.size() - static_cast<std::size_t>(n_features)]);
        const CubeSearch::Span span = search.span(vertices[edge.head].cell);
        made.begin.push_back(span.begin);
        made.end.push_back(span.end);
        made.rule.push_back(rule.rule);
        // Over trees, words that are copied or given have the label of their node; a word beside nodes has none.
        const bool is_other = decoder.model().table.trees && (rule.rule == ChartRule::kCopied || rule.rule == ChartRule::kGiven);
        made.label.push_back(rule.rule == ChartRule::kGlue || rule.rule == ChartRule::kEnd ? ChartRule::kGlue
                             : is_other                                                    ? search.label(vertices[edge.head].cell)
                                                                                           : rule.left);
        for (const std::int32_t part : decoder.rules().parts(rule)) {
            if (part >= 0)
                for (const u32 word : decoder.rules().words(static_cast<u32>(part))) made.items.push_back(static_cast<std::int32_t>(word));
            else if (part + skipped < 0)
                made.items.push_back(part + skipped);
        }
        made.item_start.push_back(static_cast<std::int64_t>(made.items.size()));
    };
    if (decoder.goal() != CubeSearch::kNone) {
        // Depth first from the goal; a node is numbered after all of its tails.
        struct Open {
            u32 vertex, edge, tail;
        };
        std::vector<Open> path{{decoder.goal(), 0, 0}};
        std::vector<std::uint8_t> met(vertices.size(), 0);
        met[decoder.goal()] = 1;
        while (!path.empty()) {
            Open& top = path.back();
            const auto own = edges_of(top.vertex);
            if (top.edge < own.size()) {
                const ChartEdge& edge = edges[own[top.edge]];
                if (top.tail == decoder.rules().rule(edge.rule).n_tails) {
                    ++top.edge;
                    top.tail = 0;
                    continue;
                }
                const u32 next = search.tails(edge)[top.tail++];
                if (!met[next] && vertices[next].edge != CubeSearch::kNone) {
                    met[next] = 1;
                    path.push_back({next, 0, 0});
                }
                continue;
            }
            const u32 v = top.vertex;
            path.pop_back();
            node[v] = n_nodes++;
            for (const u32 e : edges_of(v)) add(node[v], edges[e]);
        }
        root = node[decoder.goal()];
    }
    std::vector<std::int32_t> labels(heads.size());
    for (std::size_t e = 0; e < labels.size(); ++e) labels[e] = static_cast<std::int32_t>(e);
    made.graph = make_hypergraph(n_nodes, static_cast<std::int32_t>(heads.size()), root, heads, tail_start, tails, labels);
    return made;
}

}  // namespace palmette

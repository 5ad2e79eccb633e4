#include "tools/translation/search/graph.hpp"

#include <algorithm>

namespace palmette {

std::vector<double> SearchGraph::scores(std::span<const double> weights) const {
    std::vector<double> sums(begin.size(), 0.0);
    for (std::size_t e = 0; e < sums.size(); ++e)
        for (std::size_t k = 0; k < weights.size(); ++k) sums[e] += weights[k] * features[e * weights.size() + k];
    return sums;
}

SearchGraph graph_of(Decoder& decoder, std::uint32_t n_words, int n_features) {
    using u32 = std::uint32_t;
    const auto& hypotheses = decoder.hypotheses();
    SearchGraph made;
    made.exact = decoder.is_exact();
    // Edges in the order of their heads, then in that in which they were found.
    std::vector<u32> start(hypotheses.size() + 1, 0), sorted(decoder.edges().size());
    for (const Decoder::Edge& edge : decoder.edges()) ++start[edge.head + 1];
    for (std::size_t h = 0; h < hypotheses.size(); ++h) start[h + 1] += start[h];
    std::vector<u32> at(start.begin(), start.end() - 1);
    for (u32 e = 0; e < sorted.size(); ++e) sorted[at[decoder.edges()[e].head]++] = e;
    // Nodes are the hypotheses that some whole translation uses; parents come first.
    std::vector<std::uint8_t> used(hypotheses.size(), 0);
    for (const Decoder::Final& final : decoder.finals()) used[final.hypothesis] = 1;
    for (std::size_t h = hypotheses.size(); h-- > 0;) {
        if (!used[h]) continue;
        for (u32 k = start[h]; k < start[h + 1]; ++k) used[decoder.edges()[sorted[k]].parent] = 1;
    }
    used[0] = 0;  // the empty hypothesis has no node: the first edges have no tails
    std::vector<std::int32_t> node(hypotheses.size(), -1);
    std::int32_t n_nodes = 0;
    std::vector<std::int32_t> heads, tails;
    std::vector<std::int64_t> tail_start{0};
    const auto add = [&](std::int32_t head, u32 parent, u32 option) {
        heads.push_back(head);
        if (parent) tails.push_back(node[parent]);
        tail_start.push_back(static_cast<std::int64_t>(tails.size()));
        made.features.resize(made.features.size() + n_features);
        decoder.features(parent, option, &made.features[made.features.size() - n_features]);
        if (option == Decoder::kNone) {
            made.begin.push_back(n_words);
            made.end.push_back(n_words);
            made.pair.push_back(Decoder::kNone);
        } else {
            const PhraseOption& one = decoder.options().option(option);
            made.begin.push_back(one.begin);
            made.end.push_back(one.end);
            made.pair.push_back(one.pair);
            const auto words = decoder.options().target(one.target);
            made.words.insert(made.words.end(), words.begin(), words.end());
        }
        made.word_start.push_back(static_cast<std::int64_t>(made.words.size()));
    };
    for (u32 h = 1; h < hypotheses.size(); ++h) {
        if (!used[h]) continue;
        node[h] = n_nodes++;
        made.covered.push_back(decoder.covered(h));
        for (u32 k = start[h]; k < start[h + 1]; ++k) {
            const Decoder::Edge& edge = decoder.edges()[sorted[k]];
            add(node[h], edge.parent, edge.option);
        }
    }
    std::int32_t root = -1;
    if (!decoder.finals().empty()) {
        root = n_nodes++;
        made.covered.push_back(n_words);
        for (const Decoder::Final& final : decoder.finals()) add(root, final.hypothesis, Decoder::kNone);
    }
    std::vector<std::int32_t> labels(heads.size());
    for (std::size_t e = 0; e < labels.size(); ++e) labels[e] = static_cast<std::int32_t>(e);
    made.graph = make_hypergraph(n_nodes, static_cast<std::int32_t>(heads.size()), root, heads, tail_start, tails, labels);
    return made;
}

}  // namespace palmette

#include "tools/constituency/latent/forest.hpp"

namespace palmette {
LatentForest CoarseGrammar::built(const LatentRules& rules, const LatentBars& bars, int n,
                                  std::span<const std::uint8_t> keep_below,
                                  std::span<const std::uint8_t> keep_above) const {
    LatentForest forest;
    forest.n = n;
    const std::size_t S = n_symbols_, spans = static_cast<std::size_t>(n) * (n + 1) / 2;
    // The forest: which ends an alive item above may have by start, and which starts by end, as bits.
    const std::size_t W = n / 64 + 1;
    std::vector<std::uint64_t> ends((n + 1) * S * W), starts((n + 1) * S * W);
    std::vector<std::int32_t> above_item(spans * S, -1), below_item(spans * S, -1);
    std::vector<std::vector<std::int32_t>> rises_of(S);
    for (std::size_t u = 0; u < unary_.size(); ++u) rises_of[rules.upper[u]].push_back(static_cast<std::int32_t>(u));
    for (int width = 1; width <= n; ++width)
        for (int i = 0, j = width; j <= n; ++i, ++j) {
            const std::size_t span = span_of(i, j);
            const std::uint8_t* bar = bars.over(span, S + unary_.size());
            for (std::size_t s = 0; s < S; ++s) {
                if (!keep_below[span * S + s]) continue;
                const auto first = static_cast<std::int32_t>(forest.bundles.size());
                if (width > 1)
                    for (std::int32_t rule : rules_of_[s]) {
                        const std::uint64_t *e = ends.data() + (i * S + rules.left[rule]) * W,
                                            *b = starts.data() + (j * S + rules.right[rule]) * W;
                        const auto edge = static_cast<std::int32_t>(forest.edges.size());
                        for (std::size_t w = 0; w < W; ++w)
                            for (std::uint64_t bits = e[w] & b[w]; bits; bits &= bits - 1) {
                                const int k = static_cast<int>(w * 64) + __builtin_ctzll(bits);
                                forest.edges.push_back({above_item[span_of(i, k) * S + rules.left[rule]],
                                                        above_item[span_of(k, j) * S + rules.right[rule]]});
                            }
                        const auto last = static_cast<std::int32_t>(forest.edges.size());
                        if (last > edge) forest.bundles.push_back({rule, edge, last});
                    }
                const auto last = static_cast<std::int32_t>(forest.bundles.size());
                if (width > 1 && first == last) continue;
                below_item[span * S + s] = static_cast<std::int32_t>(forest.items.size());
                forest.items.push_back({static_cast<std::int32_t>(s), i, j, false, first, last});
            }
            for (std::size_t s = 0; s < S; ++s) {
                if (!keep_above[span * S + s]) continue;
                const auto first = static_cast<std::int32_t>(forest.rises.size());
                if (stays(bar, s) > 0 && below_item[span * S + s] >= 0) forest.rises.push_back({-1, below_item[span * S + s]});
                for (std::int32_t u : rises_of[s])
                    if (const std::int32_t item = below_item[span * S + rules.lower[u]]; item >= 0 && rises(bar, u) > 0)
                        forest.rises.push_back({u, item});
                const auto last = static_cast<std::int32_t>(forest.rises.size());
                if (first == last) continue;
                above_item[span * S + s] = static_cast<std::int32_t>(forest.items.size());
                ends[(i * S + s) * W + j / 64] |= std::uint64_t{1} << (j % 64);
                starts[(j * S + s) * W + i / 64] |= std::uint64_t{1} << (i % 64);
                if (width == n && root_[s] > 0) forest.roots.push_back(static_cast<std::int32_t>(forest.items.size()));
                forest.items.push_back({static_cast<std::int32_t>(s), i, j, true, first, last});
            }
        }
    return forest;
}

LatentForest LatentForest::pruned(std::span<const float> posterior, float threshold) const {
    LatentForest kept;
    kept.n = n;
    std::vector<std::int32_t> to_new(items.size(), -1);
    for (std::size_t old = 0; old < items.size(); ++old) {
        if (posterior[old] < threshold) continue;
        Item item = items[old];
        const bool is_word = !item.above && item.end == item.start + 1;
        if (item.above) {
            const auto first = static_cast<std::int32_t>(kept.rises.size());
            for (std::int32_t r = item.first; r < item.last; ++r)
                if (const std::int32_t below = to_new[rises[r].item]; below >= 0) kept.rises.push_back({rises[r].rule, below});
            item.first = first;
            item.last = static_cast<std::int32_t>(kept.rises.size());
        } else {
            const auto first = static_cast<std::int32_t>(kept.bundles.size());
            for (std::int32_t b = item.first; b < item.last; ++b) {
                const auto edge = static_cast<std::int32_t>(kept.edges.size());
                for (std::int32_t e = bundles[b].first; e < bundles[b].last; ++e)
                    if (to_new[edges[e].left] >= 0 && to_new[edges[e].right] >= 0)
                        kept.edges.push_back({to_new[edges[e].left], to_new[edges[e].right]});
                const auto last = static_cast<std::int32_t>(kept.edges.size());
                if (last > edge) kept.bundles.push_back({bundles[b].rule, edge, last});
            }
            item.first = first;
            item.last = static_cast<std::int32_t>(kept.bundles.size());
        }
        if (!is_word && item.first == item.last) continue;
        to_new[old] = static_cast<std::int32_t>(kept.items.size());
        kept.items.push_back(item);
    }
    for (std::int32_t root : roots)
        if (to_new[root] >= 0) kept.roots.push_back(to_new[root]);
    return kept;
}

}  // namespace palmette

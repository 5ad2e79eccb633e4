#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>

#include "latent_forest.hpp"
#include "latent_kernels.hpp"

namespace palmette {
namespace {

std::size_t span_of(int start, int end) { return static_cast<std::size_t>(end) * (end - 1) / 2 + start; }

}  // namespace

CoarseGrammar::CoarseGrammar(const LatentRules& rules, const LatentGrammar& grammar)
    : n_symbols_(rules.n_symbols), unary_(rules.n_unary()), same_(rules.n_symbols), root_(rules.n_symbols),
      rules_of_(rules.n_symbols) {
    std::vector<std::int32_t> order(rules.n_binary());
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
        return std::tie(rules.left[a], rules.right[a], a) < std::tie(rules.left[b], rules.right[b], b);
    });
    for (std::int32_t rule : order) {
        rules_of_[rules.parent[rule]].push_back(rule);
        if (pairs_.empty() || pairs_.back().left != rules.left[rule] || pairs_.back().right != rules.right[rule]) {
            const std::int32_t at = static_cast<std::int32_t>(results_.size());
            pairs_.push_back({rules.left[rule], rules.right[rule], at, at});
        }
        results_.push_back({rules.parent[rule], grammar.binary[grammar.layout.binary[rule]]});
        ++pairs_.back().last;
    }
    for (std::size_t u = 0; u < unary_.size(); ++u) unary_[u] = grammar.unary[grammar.layout.unary[u]];
    for (int a = 0; a < n_symbols_; ++a) {
        same_[a] = grammar.same[grammar.layout.row[a]];
        root_[a] = grammar.root[grammar.layout.row[a]];
    }
}

LatentForest CoarseGrammar::forest(const LatentRules& rules, std::span<const float> words, int n, float threshold,
                                   const LatentBars& bars) const {
    LatentForest forest;
    forest.n = n;
    const std::size_t S = n_symbols_, spans = static_cast<std::size_t>(n) * (n + 1) / 2, stride = padded(n + 1);
    // Values above stand twice: by start, [start][symbol][end], and by end, [end][symbol][start].
    std::vector<float> below(spans * S), by_start((n + 1) * S * stride), by_end((n + 1) * S * stride);
    std::vector<std::int32_t> exponent(spans);  // values of a span are divided by 2^exponent
    std::vector<std::uint8_t> starts_some((n + 1) * S), ends_some((n + 1) * S);  // any end at all, any start at all
    std::vector<float> factor(stride), scaled(S * stride), above(S);
    // factor[k] = 2^(exponents of the parts - exponent of the whole)
    const auto factors = [&](int i, int j, std::int32_t whole) {
        for (int k = i + 1; k < j; ++k)
            factor[k - i - 1] = std::ldexp(1.0f, std::max(-126, exponent[span_of(i, k)] + exponent[span_of(k, j)] - whole));
        for (int k = j - i - 1; k % kLanes; ++k) factor[k] = 0;
    };
    const auto left_row = [&](int i, std::size_t s) { return by_start.data() + (i * S + s) * stride; };
    const auto right_row = [&](int j, std::size_t s) { return by_end.data() + (j * S + s) * stride; };
    constexpr std::int32_t kNone = -(1 << 28);
    // The bars over a span, or nothing.
    const std::size_t bytes = S + unary_.size();
    const auto barred = [&](std::size_t span) -> const std::uint8_t* {
        return bars.row.empty() || bars.row[span] < 0 ? nullptr : bars.barred.data() + bars.row[span] * bytes;
    };
    const auto stays = [&](const std::uint8_t* bar, std::size_t s) { return bar && bar[s] ? 0 : same_[s]; };
    const auto rises = [&](const std::uint8_t* bar, std::size_t u) { return bar && bar[S + u] ? 0 : unary_[u]; };
    for (int width = 1; width <= n; ++width)
        for (int i = 0, j = width; j <= n; ++i, ++j) {
            const std::size_t span = span_of(i, j);
            float* in = below.data() + span * S;
            std::int32_t whole = 0;
            if (width == 1) {
                std::copy_n(words.data() + i * S, S, in);
            } else {
                whole = kNone;
                for (int k = i + 1; k < j; ++k) whole = std::max(whole, exponent[span_of(i, k)] + exponent[span_of(k, j)]);
                if (whole > kNone / 2) {
                    factors(i, j, whole);
                    const int splits = padded(width - 1);
                    for (std::size_t s = 0; s < S; ++s)
                        if (starts_some[i * S + s]) {
                            const float* row = left_row(i, s) + i + 1;
                            for (int k = 0; k < width - 1; ++k) scaled[s * stride + k] = row[k] * factor[k];
                            for (int k = width - 1; k < splits; ++k) scaled[s * stride + k] = 0;
                        }
                    for (const Pair& pair : pairs_) {
                        if (!starts_some[i * S + pair.left] || !ends_some[j * S + pair.right]) continue;
                        const float *l = scaled.data() + pair.left * stride, *r = right_row(j, pair.right) + i + 1;
                        Lanes dot{};
                        int k = 0;
                        for (; k + kLanes <= width - 1; k += kLanes) dot += load(l + k) * load(r + k);
                        float sum = total(dot);
                        for (; k < width - 1; ++k) sum += l[k] * r[k];
                        if (sum > 0)
                            for (std::int32_t at = pair.first; at < pair.last; ++at)
                                in[results_[at].parent] += results_[at].weight * sum;
                    }
                }
            }
            const std::uint8_t* bar = barred(span);
            for (std::size_t s = 0; s < S; ++s) above[s] = stays(bar, s) * in[s];
            for (std::size_t u = 0; u < unary_.size(); ++u) above[rules.upper[u]] += rises(bar, u) * in[rules.lower[u]];
            const float most = std::max(*std::max_element(above.begin(), above.end()), *std::max_element(in, in + S));
            if (!(most > 0)) {
                exponent[span] = kNone;
                continue;
            }
            int shift;
            std::frexp(most, &shift);
            const float scale = std::ldexp(1.0f, -shift);
            exponent[span] = whole + shift;
            for (std::size_t s = 0; s < S; ++s) {
                in[s] = in[s] * scale < 1e-25f ? 0 : in[s] * scale;
                const float value = above[s] * scale;
                if (value < 1e-25f) continue;
                left_row(i, s)[j] = right_row(j, s)[i] = value;
                starts_some[i * S + s] = ends_some[j * S + s] = 1;
            }
        }
    float z = 0;
    for (std::size_t s = 0; s < S; ++s) z += root_[s] * left_row(0, s)[n];
    if (!(z > 0)) return forest;

    // Outside values times what the inside values were divided by, over z: so inside · outside is the posterior.
    std::vector<float> out_start(by_start.size()), out_end(by_end.size()), out_above(S), out_below(S);
    std::vector<std::uint8_t> keep_above(spans * S), keep_below(spans * S);
    const float dead = threshold * 0.1f;
    for (int width = n; width >= 1; --width)
        for (int i = 0, j = width; j <= n; ++i, ++j) {
            const std::size_t span = span_of(i, j);
            if (exponent[span] == kNone) continue;
            bool any = false;
            for (std::size_t s = 0; s < S; ++s) {
                out_above[s] = out_start[(i * S + s) * stride + j] + out_end[(j * S + s) * stride + i];
                if (width == n) out_above[s] += root_[s] / z;
                const float posterior = out_above[s] * left_row(i, s)[j];
                if (posterior < dead) out_above[s] = 0;
                if (posterior >= threshold) keep_above[span * S + s] = 1;
                any = any || posterior >= dead;
            }
            if (!any) continue;
            float* in = below.data() + span * S;
            const std::uint8_t* bar = barred(span);
            for (std::size_t s = 0; s < S; ++s) out_below[s] = stays(bar, s) * out_above[s];
            for (std::size_t u = 0; u < unary_.size(); ++u)
                out_below[rules.lower[u]] += rises(bar, u) * out_above[rules.upper[u]];
            for (std::size_t s = 0; s < S; ++s) {
                if (out_below[s] * in[s] >= threshold) keep_below[span * S + s] = 1;
                if (out_below[s] * in[s] < dead) out_below[s] = 0;
            }
            if (width == 1) continue;
            factors(i, j, exponent[span]);
            for (const Pair& pair : pairs_) {
                if (!starts_some[i * S + pair.left] || !ends_some[j * S + pair.right]) continue;
                float t = 0;
                for (std::int32_t at = pair.first; at < pair.last; ++at)
                    t += results_[at].weight * out_below[results_[at].parent];
                if (!(t > 0)) continue;
                const float *l = left_row(i, pair.left) + i + 1, *r = right_row(j, pair.right) + i + 1;
                float* to_left = out_start.data() + (i * S + pair.left) * stride + i + 1;
                float* to_right = out_end.data() + (j * S + pair.right) * stride + i + 1;
                for (int k = 0; k < width - 1; ++k) {
                    const float f = t * factor[k];
                    to_left[k] += f * r[k];
                    to_right[k] += f * l[k];
                }
            }
        }

    // The forest: which ends an alive item above may have by start, and which starts by end, as bits.
    const std::size_t W = n / 64 + 1;
    std::vector<std::uint64_t> ends((n + 1) * S * W), starts((n + 1) * S * W);
    std::vector<std::int32_t> above_item(spans * S, -1), below_item(spans * S, -1);
    std::vector<std::vector<std::int32_t>> rises_of(S);
    for (std::size_t u = 0; u < unary_.size(); ++u) rises_of[rules.upper[u]].push_back(static_cast<std::int32_t>(u));
    for (int width = 1; width <= n; ++width)
        for (int i = 0, j = width; j <= n; ++i, ++j) {
            const std::size_t span = span_of(i, j);
            const std::uint8_t* bar = barred(span);
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

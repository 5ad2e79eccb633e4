#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>

#include "base/interrupt.hpp"
#include "tools/constituency/latent/blocks.hpp"
#include "tools/constituency/latent/forest.hpp"

namespace palmette {
namespace {

constexpr std::size_t kChunk = 3 * kLanes;  // right children are summed in chunks that stay in registers
constexpr float kFaint = 1e-20f;            // values are dropped that are so much smaller than the largest of their span

}  // namespace

CoarseGrammar::CoarseGrammar(const LatentRules& rules, const LatentGrammar& grammar)
    : n_symbols_(rules.n_symbols), made_(rules.n_symbols), place_(rules.n_symbols, -1), unary_(rules.n_unary()),
      same_(rules.n_symbols), root_(rules.n_symbols), rules_of_(rules.n_symbols) {
    std::vector<std::int32_t> order(rules.n_binary());
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
        return std::tie(rules.left[a], rules.right[a], a) < std::tie(rules.left[b], rules.right[b], b);
    });
    pairs_of_.assign(n_symbols_ + 1, 0);
    for (std::int32_t rule : order) {
        const std::int32_t parent = rules.parent[rule], left = rules.left[rule], right = rules.right[rule];
        const float weight = grammar.binary[grammar.layout.binary[rule]];
        rules_of_[parent].push_back(rule);
        if (place_[right] < 0) place_[right] = static_cast<std::int32_t>(n_right_++);
        if (pairs_.empty() || pairs_.back().left != left || pairs_.back().right != right) {
            const std::int32_t at = static_cast<std::int32_t>(results_.size());
            pairs_.push_back({left, right, at, at});
            ++pairs_of_[left + 1];
        }
        results_.push_back({parent, weight});
        made_[parent].push_back({left, place_[right], weight});
        ++pairs_.back().last;
    }
    for (std::size_t s = 0; s < n_symbols_; ++s) pairs_of_[s + 1] += pairs_of_[s];
    right_width_ = std::max<std::size_t>(1, (n_right_ + kChunk - 1) / kChunk) * kChunk;
    for (std::size_t u = 0; u < unary_.size(); ++u) unary_[u] = grammar.unary[grammar.layout.unary[u]];
    for (std::size_t a = 0; a < n_symbols_; ++a) {
        same_[a] = grammar.same[grammar.layout.row[a]];
        root_[a] = grammar.root[grammar.layout.row[a]];
    }
}

// Inside: for a span and a left child, sums[right] = Σ over k of  above(i, k, left) above(k, j, right), then the rules
// of the two. Outside: for a span and a left child, t[right] = Σ over parents of  out(parent) w, then for every k
//   out(i, k, left) += Σ t[right] above(k, j, right),   out(k, j, right) += above(i, k, left) t[right].
// Outside values are multiplied by what inside values were divided by, and divided by z: in · out is the posterior.
LatentForest CoarseGrammar::forest(const LatentRules& rules, std::span<const float> words, int n, float threshold,
                                   const LatentBars& bars) const {
    const std::size_t S = n_symbols_, R = right_width_, spans = static_cast<std::size_t>(n) * (n + 1) / 2, N = n + 1;
    // Values above are stored twice: as left children, [start][symbol][end], and as right children, [span][place].
    std::vector<float> below(spans * S), lefts(N * S * N), rights(spans * R);
    std::vector<std::int32_t> exponent(spans, kNoExponent);
    std::vector<std::uint8_t> starts(N * S);  // is there a left child of this start and symbol?
    std::vector<float> factor(N), above(S), sums(R);
    const auto left = [&](int i, std::size_t s) { return lefts.data() + (i * S + s) * N; };
    const auto factors = [&](int i, int j, std::int32_t whole) {
        for (int k = i + 1; k < j; ++k) factor[k] = power_of_two(exponent[span_of(i, k)] + exponent[span_of(k, j)] - whole);
    };
    for (int width = 1; width <= n; ++width)
        for (int i = 0, j = width; j <= n; ++i, ++j) {
            check_interrupt();
            const std::size_t span = span_of(i, j);
            float* in = below.data() + span * S;
            std::int32_t whole = kNoExponent;
            if (width == 1) {
                whole = 0;
                std::copy_n(words.data() + i * S, S, in);
            }
            for (int k = i + 1; k < j; ++k) whole = std::max(whole, exponent[span_of(i, k)] + exponent[span_of(k, j)]);
            if (whole <= kNoExponent / 2) continue;
            factors(i, j, whole);
            for (std::size_t s = 0; width > 1 && s < S; ++s) {
                if (!starts[i * S + s] || pairs_of_[s] == pairs_of_[s + 1]) continue;
                const float* from = left(i, s);
                bool any = false;
                for (std::size_t c = 0; c < R; c += kChunk) {
                    Row x{}, y{}, z{};
                    for (int k = i + 1; k < j; ++k) {
                        const float value = from[k] * factor[k];
                        if (value == 0) continue;
                        any = true;
                        const float* r = rights.data() + span_of(k, j) * R + c;
                        x += value * load(r);
                        y += value * load(r + kLanes);
                        z += value * load(r + 2 * kLanes);
                    }
                    if (!any) break;
                    store(sums.data() + c, x);
                    store(sums.data() + c + kLanes, y);
                    store(sums.data() + c + 2 * kLanes, z);
                }
                if (!any) continue;
                for (std::int32_t p = pairs_of_[s]; p < pairs_of_[s + 1]; ++p) {
                    const float sum = sums[place_[pairs_[p].right]];
                    if (sum == 0) continue;
                    for (std::int32_t at = pairs_[p].first; at < pairs_[p].last; ++at)
                        in[results_[at].parent] += results_[at].weight * sum;
                }
            }
            const std::uint8_t* bar = bars.over(span, S + unary_.size());
            for (std::size_t s = 0; s < S; ++s) above[s] = stays(bar, s) * in[s];
            for (std::size_t u = 0; u < unary_.size(); ++u) above[rules.upper[u]] += rises(bar, u) * in[rules.lower[u]];
            const float most = std::max(*std::max_element(above.begin(), above.end()), *std::max_element(in, in + S));
            if (!(most > 0)) continue;
            int shift;
            std::frexp(most, &shift);
            const float scale = power_of_two(-shift);
            exponent[span] = whole + shift;
            for (std::size_t s = 0; s < S; ++s) {
                in[s] = in[s] * scale < kFaint ? 0 : in[s] * scale;
                const float value = above[s] * scale;
                if (value < kFaint) continue;
                left(i, s)[j] = value;
                starts[i * S + s] = 1;
                if (place_[s] >= 0) rights[span * R + place_[s]] = value;
            }
        }
    float z = 0;
    for (std::size_t s = 0; s < S; ++s) z += root_[s] * left(0, s)[n];
    if (!(z > 0)) return {};

    std::vector<float> out_lefts(lefts.size()), out_rights(rights.size()), out_above(S), out_below(S), t(S * R);
    std::vector<std::uint8_t> keep_above(spans * S), keep_below(spans * S);
    std::vector<std::int32_t> touched;
    std::vector<std::size_t> touched_at(S, spans);
    const float dead = threshold * 0.1f;
    for (int width = n; width >= 1; --width)
        for (int i = 0, j = width; j <= n; ++i, ++j) {
            const std::size_t span = span_of(i, j);
            if (exponent[span] == kNoExponent) continue;
            check_interrupt();
            bool any = false;
            for (std::size_t s = 0; s < S; ++s) {
                out_above[s] = 0;
                const float value = left(i, s)[j];
                if (value == 0) continue;
                float out = out_lefts[(i * S + s) * N + j];
                if (place_[s] >= 0) out += out_rights[span * R + place_[s]];
                if (width == n) out += root_[s] / z;
                if (out * value < dead) continue;
                any = true;
                out_above[s] = out;
                keep_above[span * S + s] = out * value >= threshold && out > 0;
            }
            if (!any) continue;
            const float* in = below.data() + span * S;
            const std::uint8_t* bar = bars.over(span, S + unary_.size());
            for (std::size_t s = 0; s < S; ++s) out_below[s] = stays(bar, s) * out_above[s];
            for (std::size_t u = 0; u < unary_.size(); ++u)
                out_below[rules.lower[u]] += rises(bar, u) * out_above[rules.upper[u]];
            touched.clear();
            for (std::size_t s = 0; s < S; ++s) {
                const float posterior = out_below[s] * in[s];
                keep_below[span * S + s] = posterior >= threshold && posterior > 0;
                if (width == 1 || posterior < dead) continue;
                for (const Made& rule : made_[s]) {
                    if (!starts[i * S + rule.left]) continue;
                    float* row = t.data() + rule.left * R;
                    if (touched_at[rule.left] != span) {
                        touched_at[rule.left] = span;
                        touched.push_back(rule.left);
                        std::fill_n(row, R, 0.0f);
                    }
                    row[rule.right] += rule.weight * out_below[s];
                }
            }
            if (touched.empty()) continue;
            factors(i, j, exponent[span]);
            for (std::int32_t s : touched) {
                const float *from = left(i, s), *row = t.data() + s * R;
                float* to = out_lefts.data() + (i * S + s) * N;
                for (int k = i + 1; k < j; ++k) {
                    if (from[k] == 0 || factor[k] == 0) continue;
                    const float scaled = from[k] * factor[k];
                    const float* r = rights.data() + span_of(k, j) * R;
                    float* out = out_rights.data() + span_of(k, j) * R;
                    Row dot{};
                    for (std::size_t c = 0; c < R; c += kLanes) {
                        const Row weight = load(row + c);
                        dot += weight * load(r + c);
                        store(out + c, load(out + c) + scaled * weight);
                    }
                    to[k] += factor[k] * total(dot);
                }
            }
        }
    return built(rules, bars, n, keep_below, keep_above);
}

}  // namespace palmette

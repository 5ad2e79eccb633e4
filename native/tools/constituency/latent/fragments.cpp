// Where no tree covers all words: the best trees side by side. Only for odd input, so nothing here hurries.
#include <algorithm>
#include <cmath>
#include <limits>

#include "base/interrupt.hpp"
#include "tools/constituency/latent/forest.hpp"

namespace palmette {
namespace {

constexpr float kCost = 10;  // of one more fragment, in logs

float log_of(float p) { return p > 0 ? std::log(p) : kNoDerivation; }

}  // namespace

//   below(i, j, A) = max over rules and k of  w(A → B C) above(i, k, B) above(k, j, C)
//   above(i, j, A) = max of  w(A stays) below(i, j, A)  and of  w(A → C) below(i, j, C)
std::vector<std::size_t> CoarseGrammar::fragments(const LatentRules& rules, std::span<const float> words, int n,
                                                  std::span<const std::uint8_t> fragment, LatentTree& nodes,
                                                  double& score) const {
    const std::size_t S = n_symbols_, spans = static_cast<std::size_t>(n) * (n + 1) / 2;
    std::vector<float> below(spans * S, kNoDerivation), above(spans * S, kNoDerivation);
    std::vector<std::vector<std::int32_t>> alive(spans);  // symbols above
    std::vector<std::vector<const Pair*>> by_left(S);
    for (const Pair& pair : pairs_) by_left[pair.left].push_back(&pair);
    struct Choice {
        std::int32_t pair = -1, split = -1, rise = -1;
    };
    std::vector<Choice> choice(spans * S);
    for (int width = 1; width <= n; ++width)
        for (int i = 0, j = width; j <= n; ++i, ++j) {
            check_interrupt();
            const std::size_t at = span_of(i, j) * S;
            if (width == 1)
                for (std::size_t s = 0; s < S; ++s) below[at + s] = log_of(words[i * S + s]);
            for (int k = i + 1; k < j; ++k) {
                const std::size_t l = span_of(i, k) * S, r = span_of(k, j) * S;
                for (std::int32_t left : alive[span_of(i, k)])
                    for (const Pair* pair : by_left[left]) {
                        const float both = above[l + left] + above[r + pair->right];
                        if (both == kNoDerivation) continue;
                        for (std::int32_t result = pair->first; result < pair->last; ++result) {
                            const std::size_t to = at + results_[result].parent;
                            const float value = both + log_of(results_[result].weight);
                            if (value > below[to]) {
                                below[to] = value;
                                choice[to].pair = static_cast<std::int32_t>(pair - pairs_.data());
                                choice[to].split = k;
                            }
                        }
                    }
            }
            for (std::size_t s = 0; s < S; ++s) above[at + s] = below[at + s] + log_of(same_[s]);
            for (std::size_t u = 0; u < unary_.size(); ++u) {
                const float value = below[at + rules.lower[u]] + log_of(unary_[u]);
                if (value > above[at + rules.upper[u]]) {
                    above[at + rules.upper[u]] = value;
                    choice[at + rules.upper[u]].rise = static_cast<std::int32_t>(u);
                }
            }
            for (std::size_t s = 0; s < S; ++s)
                if (above[at + s] > kNoDerivation) alive[span_of(i, j)].push_back(static_cast<std::int32_t>(s));
        }
    // best(j) = max over fragments (i, j, A) of  best(i) + above(i, j, A) - cost
    std::vector<float> best(n + 1, kNoDerivation);
    std::vector<std::pair<int, std::int32_t>> last(n + 1, {0, -1});
    best[0] = 0;
    for (int j = 1; j <= n; ++j)
        for (int i = 0; i < j; ++i)
            for (std::int32_t s : alive[span_of(i, j)]) {
                const float value = best[i] + above[span_of(i, j) * S + s] - kCost;
                if (fragment[s] && value > best[j]) best[j] = value, last[j] = {i, s};
            }
    std::vector<std::size_t> ends;
    score = best[n];
    if (best[n] == kNoDerivation) return ends;
    std::vector<std::pair<int, std::int32_t>> cuts;  // start and symbol, last first
    std::vector<int> stops;
    for (int j = n; j > 0; j = last[j].first) {
        cuts.push_back(last[j]);
        stops.push_back(j);
    }
    const auto find_rule = [&](const Pair& pair, std::int32_t parent) {
        for (std::int32_t rule : rules_of_[parent])
            if (rules.left[rule] == pair.left && rules.right[rule] == pair.right) return rule;
        return -1;
    };
    // Depth is bounded by twice the number of words, which the caller bounds.
    const auto write = [&](auto&& self, int i, int j, std::int32_t s, bool is_above) -> std::int32_t {
        const Choice& made = choice[span_of(i, j) * S + s];
        LatentTreeNode node{LatentNode::word, i, s, i, j, -1, -1};
        if (is_above) {
            const std::int32_t from = made.rise >= 0 ? rules.lower[made.rise] : s;
            node.left = self(self, i, j, from, false);
            node.kind = made.rise >= 0 ? LatentNode::unary : LatentNode::same;
            node.id = made.rise;
        } else if (j > i + 1) {
            const Pair& pair = pairs_[made.pair];
            node.kind = LatentNode::binary;
            node.id = find_rule(pair, s);
            node.left = self(self, i, made.split, pair.left, true);
            node.right = self(self, made.split, j, pair.right, true);
        }
        nodes.push_back(node);
        return static_cast<std::int32_t>(nodes.size()) - 1;
    };
    for (std::size_t f = cuts.size(); f-- > 0;) {
        write(write, cuts[f].first, stops[f], cuts[f].second, true);
        ends.push_back(nodes.size());
    }
    return ends;
}

}  // namespace palmette

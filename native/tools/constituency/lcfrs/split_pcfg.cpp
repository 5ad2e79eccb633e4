#include "tools/constituency/lcfrs/split_pcfg.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <tuple>

#include "base/interrupt.hpp"

namespace palmette {
namespace {

constexpr double kNegligible = 1e-10;  // of a chain of unary steps
constexpr int kLongestChain = 60;

}  // namespace

SplitPcfg::SplitPcfg(const LcfrsGrammar& grammar) {
    const LcfrsRules& rules = grammar.rules;
    first_.resize(rules.fan_out.size());
    for (std::size_t s = 0; s < first_.size(); ++s) first_[s] = n_symbols_, n_symbols_ += rules.fan_out[s];
    root_ = first_[rules.root];
    // Weights of a symbol that sum to more than one are divided by their sum, so that chains have finite sums.
    std::vector<double> totals(first_.size(), 0), share(first_.size());
    for (std::size_t r = 0; r < rules.parent.size(); ++r) totals[rules.parent[r]] += rules.weight[r];
    for (std::size_t r = 0; r < rules.unary_parent.size(); ++r) totals[rules.unary_parent[r]] += rules.unary_weight[r];
    for (std::size_t s = 0; s < share.size(); ++s) share[s] = 1 / std::max(1.0, totals[s]);
    std::map<std::pair<std::int32_t, std::int32_t>, std::int32_t> pairs;  // made symbols for three or more segments
    std::map<std::tuple<std::int32_t, std::int32_t, std::int32_t>, double> binary;
    std::map<std::pair<std::int32_t, std::int32_t>, double> unary;
    const auto add = [&](std::int32_t parent, std::vector<std::int32_t> sequence, double weight) {
        while (sequence.size() > 2) {
            const std::int32_t last = sequence.back();
            sequence.pop_back();
            const auto [made, is_new] = pairs.try_emplace({sequence.back(), last}, n_symbols_);
            if (is_new) binary[{n_symbols_++, sequence.back(), last}] = 1;
            sequence.back() = made->second;
        }
        if (sequence.size() == 2)
            binary[{parent, sequence[0], sequence[1]}] += weight;
        else
            unary[{parent, sequence[0]}] += weight;
    };
    for (std::size_t r = 0; r < rules.parent.size(); ++r) {
        const double weight = rules.weight[r] * share[rules.parent[r]];
        std::vector<std::int32_t> sequence;
        int next[2] = {0, 0}, segment = 0;
        const std::int32_t children[2] = {rules.left[r], rules.right[r]};
        for (const int digit : yield_digits(rules.yield[r])) {
            if (digit == 2)
                add(this->segment(rules.parent[r], segment++), std::exchange(sequence, {}), weight);
            else
                sequence.push_back(this->segment(children[digit], next[digit]++));
        }
        add(this->segment(rules.parent[r], segment), sequence, weight);
    }
    for (std::size_t r = 0; r < rules.unary_parent.size(); ++r)
        for (int i = 0; i < rules.fan_out[rules.unary_parent[r]]; ++i)
            add(segment(rules.unary_parent[r], i), {segment(rules.unary_child[r], i)},
                rules.unary_weight[r] * share[rules.unary_parent[r]]);

    std::vector<std::vector<Rule>> by_left(n_symbols_);
    for (const auto& [rule, weight] : binary)
        if (weight > 0) by_left[std::get<1>(rule)].push_back({std::get<2>(rule), std::get<0>(rule), weight});
    rule_first_.push_back(0);
    for (auto& group : by_left) {
        std::sort(group.begin(), group.end(), [](const Rule& a, const Rule& b) {
            return std::tie(a.right, a.parent) < std::tie(b.right, b.parent);
        });
        rules_.insert(rules_.end(), group.begin(), group.end());
        rule_first_.push_back(static_cast<std::int32_t>(rules_.size()));
    }
    std::vector<std::vector<Link>> steps(n_symbols_);
    for (const auto& [rule, weight] : unary)
        if (weight > 0) steps[rule.second].push_back({rule.first, weight});
    close_unaries(steps);
}

// closure(A, B) = Σ over chains A → … → B of their weights, by the power series. A segment that other segments of its
// item outgrow stays as it is while symbols change above it: chains are long here, and may come back to a symbol.
void SplitPcfg::close_unaries(const std::vector<std::vector<Link>>& steps) {
    std::vector<double> sum(n_symbols_), now(n_symbols_), next(n_symbols_);
    link_first_.push_back(0);
    for (std::int32_t child = 0; child < n_symbols_; ++child) {
        std::fill(sum.begin(), sum.end(), 0);
        std::fill(now.begin(), now.end(), 0);
        now[child] = 1;
        for (int length = 0; length < kLongestChain; ++length) {
            std::fill(next.begin(), next.end(), 0);
            double added = 0;
            for (std::int32_t s = 0; s < n_symbols_; ++s)
                if (now[s] > kNegligible)
                    for (const Link& step : steps[s])
                        next[step.parent] += now[s] * step.weight, added += now[s] * step.weight;
            if (added < kNegligible || !(added < 1e100)) break;
            for (std::int32_t s = 0; s < n_symbols_; ++s) sum[s] += next[s];
            std::swap(now, next);
        }
        for (std::int32_t s = 0; s < n_symbols_; ++s)
            if (sum[s] > kNegligible) links_.push_back({s, sum[s]});
        link_first_.push_back(static_cast<std::int32_t>(links_.size()));
    }
}

AliveSegments SplitPcfg::alive(int n, std::span<const Emission> emissions, double threshold) const {
    const std::size_t size = n_symbols_, n_spans = std::size_t(n) * (n + 1) / 2;
    std::vector<double> inside(n_spans * size, 0), outside(n_spans * size, 0);
    std::vector<std::vector<std::int32_t>> present(n_spans);  // symbols that are not zero
    std::vector<double> largest(n, 0);
    for (const Emission& e : emissions) largest[e.position] = std::max(largest[e.position], e.weight);
    for (const Emission& e : emissions)
        if (e.weight > 0)
            inside[AliveSegments::span(e.position, e.position + 1) * size + first_[e.symbol]] =
                e.weight / largest[e.position] * kScalePerWord;
    std::vector<double> below(size);
    const auto close = [&](std::size_t span) {  // value = closure · below
        double* value = &inside[span * size];
        std::copy(value, value + size, below.begin());
        for (std::size_t s = 0; s < size; ++s)
            if (below[s] > 0)
                for (int k = link_first_[s]; k < link_first_[s + 1]; ++k)
                    value[links_[k].parent] += below[s] * links_[k].weight;
        for (std::size_t s = 0; s < size; ++s)
            if (value[s] > 0) present[span].push_back(static_cast<std::int32_t>(s));
    };
    // inside(i, j, A) = Σ over splits k and rules A → B C of  weight · inside(i, k, B) · inside(k, j, C)
    for (int end = 1; end <= n; ++end)
        for (int start = end - 1; start >= 0; --start) {
            check_interrupt();
            const std::size_t span = AliveSegments::span(start, end);
            double* value = &inside[span * size];
            for (int split = start + 1; split < end; ++split) {
                const std::size_t l = AliveSegments::span(start, split);
                const double *left = &inside[l * size], *right = &inside[AliveSegments::span(split, end) * size];
                if (present[AliveSegments::span(split, end)].empty()) continue;
                for (const std::int32_t s : present[l]) {
                    const double factor = left[s];
                    const Rule *rule = rules_.data() + rule_first_[s], *last = rules_.data() + rule_first_[s + 1];
                    for (; rule < last; ++rule) value[rule->parent] += factor * rule->weight * right[rule->right];
                }
            }
            close(span);
        }
    const std::size_t whole = n ? AliveSegments::span(0, n) : 0;
    const double total = n ? inside[whole * size + root_] : 0;
    if (!(total > 0) || !(total < 1e300)) return {};
    AliveSegments kept(n, n_symbols_);
    outside[whole * size + root_] = 1 / total;
    std::vector<double> above(size);
    for (int end = n; end >= 1; --end)
        for (int start = 0; start < end; ++start) {
            check_interrupt();
            const std::size_t span = AliveSegments::span(start, end);
            const double* value = &inside[span * size];
            double* out = &outside[span * size];
            // What a symbol is worth below a chain; expected times = above · value. What is rare is left out at once.
            bool any = false;
            std::fill(above.begin(), above.end(), 0);
            for (const std::int32_t s : present[span]) {
                double sum = out[s];
                for (int k = link_first_[s]; k < link_first_[s + 1]; ++k)
                    sum += out[links_[k].parent] * links_[k].weight;
                above[s] = sum * value[s] >= threshold ? sum : 0;
                if (above[s] > 0) kept.add(start, end, s), any = true;
            }
            if (!any) continue;
            for (int split = start + 1; split < end; ++split) {
                const std::size_t l = AliveSegments::span(start, split), r = AliveSegments::span(split, end);
                if (present[r].empty()) continue;
                const double *left = &inside[l * size], *right = &inside[r * size];
                double *left_out = &outside[l * size], *right_out = &outside[r * size];
                for (const std::int32_t s : present[l]) {
                    const Rule *rule = rules_.data() + rule_first_[s], *last = rules_.data() + rule_first_[s + 1];
                    double sum = 0;
                    for (; rule < last; ++rule) {
                        const double o = above[rule->parent] * rule->weight;
                        sum += o * right[rule->right];
                        right_out[rule->right] += o * left[s];
                    }
                    left_out[s] += sum;
                }
            }
        }
    return kept;
}

}  // namespace palmette

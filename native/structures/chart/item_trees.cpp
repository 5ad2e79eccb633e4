#include <algorithm>
#include <limits>

#include "base/parallel.hpp"
#include "structures/chart/item_charts.hpp"

namespace palmette {
namespace {

constexpr double kNever = -std::numeric_limits<double>::infinity();

std::size_t place_of(std::size_t n, std::size_t i, std::size_t j) { return i * n - i * (i - 1) / 2 + j - i - 1; }

// The best values of all items of one sentence, and its best tree read off them from the top.
class BestItems {
public:
    BestItems(const ItemGrammar& grammar, const ItemScores& scores) : grammar_(grammar), scores_(scores), S_(grammar.symbols()) {}

    double run(const double* items, std::size_t n) {
        n_ = n;
        items_ = items;
        values_.assign(spans_of(n) * S_, kNever);
        for (std::size_t width = 1; width <= n; ++width)
            for (std::size_t i = 0; i + width <= n; ++i) cell(i, i + width);
        root_ = 0;
        double best = kNever;
        const double* top = values_.data() + place_of(n, 0, n) * S_;
        for (std::size_t a = 0; a < S_; ++a)
            if (top[a] + scores_.root[a] > best) {
                best = top[a] + scores_.root[a];
                root_ = a;
            }
        return best;
    }

    std::int32_t root() const { return static_cast<std::int32_t>(root_); }

    // Items as places from the first of this sentence on.
    void read(std::int64_t* items, std::int32_t* rules) const {
        struct Item {
            std::size_t symbol, i, j;
        };
        std::vector<Item> agenda{{root_, 0, n_}};
        while (!agenda.empty()) {
            const auto [a, i, j] = agenda.back();
            agenda.pop_back();
            *items++ = static_cast<std::int64_t>(place_of(n_, i, j) * S_ + a);
            if (j == i + 1) continue;
            double best = kNever;
            std::size_t split = i + 1, rule = 0;
            const ItemGrammar::Pair* chosen = nullptr;
            for (const ItemGrammar::Pair& pair : grammar_.pairs()) {
                const std::int32_t* parents = grammar_.parents().data();
                const auto* r = std::lower_bound(parents + pair.begin, parents + pair.end, static_cast<std::int32_t>(a));
                for (; r != parents + pair.end && static_cast<std::size_t>(*r) == a; ++r) {
                    const auto original = static_cast<std::size_t>(grammar_.originals()[static_cast<std::size_t>(r - parents)]);
                    for (std::size_t k = i + 1; k < j; ++k) {
                        const double score = scores_.rules[original] + values_[place_of(n_, i, k) * S_ + pair.left] + values_[place_of(n_, k, j) * S_ + pair.right];
                        if (score > best) {
                            best = score;
                            split = k;
                            rule = original;
                            chosen = &pair;
                        }
                    }
                }
            }
            *rules++ = static_cast<std::int32_t>(rule);
            agenda.push_back({chosen->right, split, j});
            agenda.push_back({chosen->left, i, split});
        }
    }

private:
    void cell(std::size_t i, std::size_t j) {
        const std::size_t at = place_of(n_, i, j);
        double* const values = values_.data() + at * S_;
        const double* const own = items_ + at * S_;
        if (j == i + 1) {
            std::copy_n(own, S_, values);
            return;
        }
        pairs_.assign(S_ * S_, kNever);
        for (std::size_t k = i + 1; k < j; ++k) {
            const double *lefts = values_.data() + place_of(n_, i, k) * S_, *rights = values_.data() + place_of(n_, k, j) * S_;
            for (std::size_t b = 0; b < S_; ++b) {
                if (lefts[b] == kNever) continue;
                double* const __restrict row = pairs_.data() + b * S_;
                for (std::size_t c = 0; c < S_; ++c) row[c] = std::max(row[c], lefts[b] + rights[c]);
            }
        }
        for (const ItemGrammar::Pair& pair : grammar_.pairs()) {
            const double m = pairs_[pair.left * S_ + pair.right];
            if (m == kNever) continue;
            for (std::size_t r = pair.begin; r < pair.end; ++r) {
                double& value = values[grammar_.parents()[r]];
                value = std::max(value, m + scores_.rules[grammar_.originals()[r]]);
            }
        }
        for (std::size_t a = 0; a < S_; ++a) values[a] += own[a];
    }

    const ItemGrammar& grammar_;
    const ItemScores& scores_;
    const double* items_ = nullptr;
    std::size_t S_, n_ = 0, root_ = 0;
    std::vector<double> values_, pairs_;
};

}  // namespace

ItemTrees best_item_trees(const ItemGrammar& grammar, const ItemScores& scores, std::span<const std::int64_t> lengths, int jobs) {
    std::vector<std::size_t> spans{0};
    for (std::int64_t length : lengths) spans.push_back(spans.back() + spans_of(static_cast<std::size_t>(length)));
    const std::size_t count = lengths.size(), S = grammar.symbols();
    std::vector<std::size_t> items{0}, rules{0};
    for (std::int64_t length : lengths) {
        items.push_back(items.back() + static_cast<std::size_t>(length ? 2 * length - 1 : 0));
        rules.push_back(rules.back() + static_cast<std::size_t>(length ? length - 1 : 0));
    }
    ItemTrees found{std::vector<double>(count, 0.0), std::vector<std::int64_t>(items.back(), -1),
                    std::vector<std::int32_t>(rules.back(), -1), std::vector<std::int32_t>(count, -1)};
    parallel(count, jobs, [&](std::size_t s, std::size_t) {
        const auto n = static_cast<std::size_t>(lengths[s]);
        if (n == 0) return;
        BestItems best(grammar, scores);
        found.scores[s] = best.run(scores.items + spans[s] * S, n);
        if (found.scores[s] == kNever) return;
        found.roots[s] = best.root();
        best.read(found.items.data() + items[s], found.rules.data() + rules[s]);
        for (std::size_t k = items[s]; k < items[s + 1]; ++k) found.items[k] += static_cast<std::int64_t>(spans[s] * S);
    });
    return found;
}

}  // namespace palmette

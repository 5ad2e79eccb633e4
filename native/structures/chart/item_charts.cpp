#include "structures/chart/item_charts.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>

#include "base/sums/dual.hpp"
#include "base/sums/shared_sums.hpp"

namespace palmette {
namespace {

constexpr double kNone = -std::numeric_limits<double>::infinity();

double value_of(double x) { return x; }
double value_of(Dual x) { return x.v; }
double result_of(double x) { return x; }
double result_of(Dual x) { return x.d; }

// e^(score − shift), and its derivative along a value.
struct Plain {
    using T = double;
    T exp(const double* scores, std::size_t at, double shift) const { return std::exp(scores[at] - shift); }
};
struct Along {
    using T = Dual;
    const double *from = nullptr, *values = nullptr;
    T exp(const double* scores, std::size_t at, double shift) const {
        const double e = std::exp(scores[at] - shift);
        return {e, e == 0 ? 0.0 : e * values[scores + at - from]};
    }
};

std::size_t span_at(std::size_t n, std::size_t i, std::size_t j) { return i * n - i * (i - 1) / 2 + j - i - 1; }

double highest(const double* scores, std::size_t n) { return n ? *std::max_element(scores, scores + n) : kNone; }

// Inside and outside of one sentence; what it works with stays from sentence to sentence.
template <class Number>
class ItemSums {
public:
    using T = typename Number::T;

    // weights: of the rules in the order of the grammar, e^(score − shift)
    ItemSums(const ItemGrammar& grammar, const T* weights, double shift) : grammar_(grammar), weights_(weights), shift_(shift), S_(grammar.symbols()) {}

    double inside(const double* items, std::size_t n, const double* root, const Number& of_items, const Number& of_root) {
        n_ = n;
        values_.assign(spans_of(n) * S_, T{});
        factors_.assign(spans_of(n) * S_, T{});
        scales_.assign(spans_of(n), kNone);
        log_z_ = n ? kNone : 0.0;
        for (std::size_t width = 1; width <= n; ++width)
            for (std::size_t i = 0; i + width <= n; ++i) cell(items, i, i + width, of_items);
        if (n == 0) return log_z_;
        const std::size_t top = span_at(n, 0, n);
        const double highest_root = highest(root, S_);
        if (scales_[top] == kNone || highest_root == kNone) return log_z_;
        T sum{};
        root_.assign(S_, T{});
        for (std::size_t a = 0; a < S_; ++a) {
            root_[a] = of_root.exp(root, a, highest_root);
            sum += root_[a] * values_[top * S_ + a];
        }
        if (!(value_of(sum) > 0)) return log_z_;
        total_ = sum;
        return log_z_ = scales_[top] + highest_root + std::log(value_of(sum));
    }

    // Adds what is expected: to items, [span][symbol]; to the rules of the grammar without their weights; to the root.
    void outside(T* items, T* rules, T* root) {
        const std::size_t top = span_at(n_, 0, n_);
        outside_.assign(values_.size(), T{});
        for (std::size_t a = 0; a < S_; ++a) {
            outside_[top * S_ + a] = root_[a] / total_;
            root[a] += outside_[top * S_ + a] * values_[top * S_ + a];
        }
        for (std::size_t width = n_; width > 1; --width)
            for (std::size_t i = 0; i + width <= n_; ++i) give_back(i, i + width, rules);
        for (std::size_t k = 0; k < values_.size(); ++k) items[k] += outside_[k] * values_[k];
    }

private:
    // What a span has before rules: M(B, C), in units of e^reference.
    double fill_pairs(std::size_t i, std::size_t j) {
        double reference = kNone;
        for (std::size_t k = i + 1; k < j; ++k) reference = std::max(reference, scales_[span_at(n_, i, k)] + scales_[span_at(n_, k, j)]);
        if (reference == kNone) return kNone;
        pairs_.assign(S_ * S_, T{});
        for (std::size_t k = i + 1; k < j; ++k) {
            const std::size_t left = span_at(n_, i, k), right = span_at(n_, k, j);
            const double factor = std::exp(scales_[left] + scales_[right] - reference);
            if (factor == 0) continue;
            const T* const __restrict rights = values_.data() + right * S_;
            for (std::size_t b = 0; b < S_; ++b) {
                const T weight = values_[left * S_ + b] * factor;
                if (value_of(weight) == 0) continue;
                T* const __restrict row = pairs_.data() + b * S_;
                for (std::size_t c = 0; c < S_; ++c) row[c] += weight * rights[c];
            }
        }
        return reference;
    }

    void cell(const double* items, std::size_t i, std::size_t j, const Number& of_items) {
        const std::size_t at = span_at(n_, i, j);
        T* const values = values_.data() + at * S_;
        T* const factors = factors_.data() + at * S_;
        const double shift = highest(items + at * S_, S_);
        if (shift == kNone) return;
        double reference = 0;
        if (j == i + 1) {
            std::fill_n(values, S_, T{1});
        } else {
            reference = fill_pairs(i, j);
            if (reference == kNone) return;
            reference += shift_;
            for (const ItemGrammar::Pair& pair : grammar_.pairs()) {
                const T m = pairs_[pair.left * S_ + pair.right];
                if (value_of(m) == 0) continue;
                each_rule(pair, [&](std::size_t r, std::size_t a) { values[a] += m * weights_[r]; });
            }
        }
        double most = 0;
        for (std::size_t a = 0; a < S_; ++a) {
            factors[a] = value_of(values[a]) == 0 ? T{} : of_items.exp(items + at * S_, a, shift);
            values[a] = values[a] * factors[a];
            most = std::max(most, value_of(values[a]));
        }
        if (!(most > 0)) return;
        for (std::size_t a = 0; a < S_; ++a) {
            values[a] = values[a] * (1 / most);
            factors[a] = factors[a] * (1 / most);
        }
        scales_[at] = reference + shift + std::log(most);
    }

    void give_back(std::size_t i, std::size_t j, T* rules) {
        const std::size_t at = span_at(n_, i, j);
        if (scales_[at] == kNone) return;
        const double reference = fill_pairs(i, j);
        above_.resize(S_);
        bool any = false;
        for (std::size_t a = 0; a < S_; ++a) {
            above_[a] = outside_[at * S_ + a] * factors_[at * S_ + a];
            any = any || value_of(above_[a]) != 0;
        }
        if (!any) return;
        back_.assign(S_ * S_, T{});
        for (const ItemGrammar::Pair& pair : grammar_.pairs()) {
            const T m = pairs_[pair.left * S_ + pair.right];
            if (value_of(m) == 0) continue;
            T sum{};
            each_rule(pair, [&](std::size_t r, std::size_t a) {
                sum += above_[a] * weights_[r];
                rules[r] += m * above_[a];
            });
            back_[pair.left * S_ + pair.right] = sum;
        }
        for (std::size_t k = i + 1; k < j; ++k) {
            const std::size_t left = span_at(n_, i, k), right = span_at(n_, k, j);
            const double factor = std::exp(scales_[left] + scales_[right] - reference);
            if (factor == 0) continue;
            const T* const __restrict rights = values_.data() + right * S_;
            T* const __restrict to_rights = outside_.data() + right * S_;
            for (std::size_t b = 0; b < S_; ++b) {
                const T weight = values_[left * S_ + b] * factor;
                if (value_of(weight) == 0) continue;
                const T* const __restrict row = back_.data() + b * S_;
                T sum{};
                for (std::size_t c = 0; c < S_; ++c) {
                    sum += row[c] * rights[c];
                    to_rights[c] += weight * row[c];
                }
                outside_[left * S_ + b] += sum * factor;
            }
        }
    }

    // visit(rule, parent); parents that follow each other are a loop that the compiler vectorises.
    template <class Visit>
    void each_rule(const ItemGrammar::Pair& pair, const Visit& visit) const {
        const std::int32_t* const parents = grammar_.parents().data();
        if (pair.contiguous) {
            const std::size_t first = static_cast<std::size_t>(parents[pair.begin]);
            const std::size_t count = pair.end - pair.begin;
            for (std::size_t k = 0; k < count; ++k) visit(pair.begin + k, first + k);
        } else {
            for (std::size_t r = pair.begin; r < pair.end; ++r) visit(r, static_cast<std::size_t>(parents[r]));
        }
    }

    const ItemGrammar& grammar_;
    const T* weights_;
    double shift_;
    std::size_t S_, n_ = 0;
    std::vector<T> values_, factors_, outside_, pairs_, back_, above_, root_;
    std::vector<double> scales_;
    T total_{};
    double log_z_ = kNone;
};

// Where the spans of each sentence begin.
std::vector<std::size_t> starts_of(std::span<const std::int64_t> lengths) {
    std::vector<std::size_t> starts{0};
    for (std::int64_t n : lengths) starts.push_back(starts.back() + spans_of(static_cast<std::size_t>(n)));
    return starts;
}

// Runs over all sentences. of(scores): the numbers of scores of one kind. out without places: log Z alone.
template <class Number, class Of>
void run_sums(const ItemGrammar& grammar, const ItemScores& scores, std::span<const std::int64_t> lengths, int jobs, const double* sentence_weights,
              double* log_z, const ItemParts& out, const Of& of) {
    using T = typename Number::T;
    const std::size_t S = grammar.symbols(), R = grammar.rules();
    const double shift = R ? std::max(highest(scores.rules, R), -1e300) : 0.0;
    std::vector<T> weights(R);
    const Number of_rules = of(scores.rules);
    for (std::size_t r = 0; r < R; ++r) weights[r] = of_rules.exp(scores.rules, static_cast<std::size_t>(grammar.originals()[r]), shift);
    const std::vector<std::size_t> starts = starts_of(lengths);
    const std::size_t shared = out.items ? R + S : 0;
    std::vector<double> total(shared, 0.0);
    sum_over_pieces(lengths.size(), shared, jobs, total.data(), [&](std::size_t from, std::size_t to, double* sum) {
        ItemSums<Number> sums(grammar, weights.data(), shift);
        std::vector<T> items, rules(R), root(S);
        for (std::size_t s = from; s < to; ++s) {
            const double* own = scores.items + starts[s] * S;
            const auto n = static_cast<std::size_t>(lengths[s]);
            const double found = sums.inside(own, n, scores.root, of(scores.items), of(scores.root));
            if (log_z) log_z[s] = found;
            if (!out.items || n == 0 || found == kNone) continue;
            const double weight = sentence_weights ? sentence_weights[s] : 1.0;
            items.assign(spans_of(n) * S, T{});
            rules.assign(R, T{});
            root.assign(S, T{});
            sums.outside(items.data(), rules.data(), root.data());
            for (std::size_t k = 0; k < items.size(); ++k) out.items[starts[s] * S + k] = weight * result_of(items[k]);
            for (std::size_t r = 0; r < R; ++r) sum[r] += weight * result_of(rules[r] * weights[r]);
            for (std::size_t a = 0; a < S; ++a) sum[R + a] += weight * result_of(root[a]);
        }
    });
    if (!out.items) return;
    for (std::size_t r = 0; r < R; ++r) out.rules[grammar.originals()[r]] = total[r];
    std::copy_n(total.data() + R, S, out.root);
}

}  // namespace

ItemGrammar::ItemGrammar(std::size_t symbols, std::span<const std::int32_t> parents, std::span<const std::int32_t> lefts,
                         std::span<const std::int32_t> rights)
    : symbols_(symbols), parents_(parents.size()), originals_(parents.size()) {
    const auto is_symbol = [&](std::int32_t symbol) { return symbol >= 0 && static_cast<std::size_t>(symbol) < symbols; };
    for (const auto& column : {parents, lefts, rights})
        if (column.size() != parents.size() || !std::all_of(column.begin(), column.end(), is_symbol))
            throw std::invalid_argument("a rule has three symbols between 0 and " + std::to_string(symbols) + " - 1");
    std::iota(originals_.begin(), originals_.end(), 0);
    std::stable_sort(originals_.begin(), originals_.end(), [&](std::int32_t a, std::int32_t b) {
        return std::tuple(lefts[a], rights[a], parents[a]) < std::tuple(lefts[b], rights[b], parents[b]);
    });
    for (std::size_t r = 0; r < originals_.size(); ++r) {
        const auto k = static_cast<std::size_t>(originals_[r]);
        parents_[r] = parents[k];
        const auto left = static_cast<std::size_t>(lefts[k]), right = static_cast<std::size_t>(rights[k]);
        if (pairs_.empty() || pairs_.back().left != left || pairs_.back().right != right) pairs_.push_back({left, right, r, r, true});
        Pair& pair = pairs_.back();
        if (pair.end > pair.begin && parents_[r] != parents_[r - 1] + 1) pair.contiguous = false;
        pair.end = r + 1;
    }
}

void item_sums(const ItemGrammar& grammar, const ItemScores& scores, std::span<const std::int64_t> lengths, int jobs,
               const double* weights, double* log_z, const ItemParts& out) {
    run_sums<Plain>(grammar, scores, lengths, jobs, weights, log_z, out, [](const double*) { return Plain{}; });
}

void item_covariances(const ItemGrammar& grammar, const ItemScores& scores, const ItemScores& values,
                      std::span<const std::int64_t> lengths, int jobs, const ItemParts& out) {
    run_sums<Along>(grammar, scores, lengths, jobs, nullptr, nullptr, out, [&](const double* of) {
        const double* along = of == scores.items ? values.items : of == scores.rules ? values.rules : values.root;
        return Along{of, along};
    });
}

}  // namespace palmette

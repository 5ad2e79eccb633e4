#include "structures/chart/item_charts.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <type_traits>

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

// Spans that share one walk over the rules, and pairs of children with the same parents that are looked at together.
constexpr std::size_t kTogether = 8, kPairs = 4;

// A number for each of these spans, side by side.
template <class T>
struct Together {
    T of[kTogether];
};
using Four = double __attribute__((vector_size(32), aligned(8), may_alias));
inline Four& four_of(double* x) { return *reinterpret_cast<Four*>(x); }
inline const Four& four_of(const double* x) { return *reinterpret_cast<const Four*>(x); }

template <class T>
inline void add_scaled(Together<T>& to, const Together<T>& m, T weight) {
    if constexpr (std::is_same_v<T, double>)
        for (std::size_t s = 0; s < kTogether; s += 4) four_of(to.of + s) += four_of(m.of + s) * weight;
    else
        for (std::size_t s = 0; s < kTogether; ++s) to.of[s] += m.of[s] * weight;
}

// sums[k] += Σ_p m[p] weights[p n + k].
template <class T>
inline void add_pairs(std::size_t n, const T* weights, const Together<T> (&m)[kPairs], Together<T>* sums) {
    if constexpr (std::is_same_v<T, double>) {
        for (std::size_t s = 0; s < kTogether; s += 4) {
            const Four a = four_of(m[0].of + s), b = four_of(m[1].of + s), c = four_of(m[2].of + s), d = four_of(m[3].of + s);
            for (std::size_t k = 0; k < n; ++k)
                four_of(sums[k].of + s) += (a * weights[k] + b * weights[n + k]) + (c * weights[2 * n + k] + d * weights[3 * n + k]);
        }
    } else {
        for (std::size_t k = 0; k < n; ++k)
            for (std::size_t p = 0; p < kPairs; ++p) add_scaled(sums[k], m[p], weights[p * n + k]);
    }
}

// back[p] = Σ_k above[k] weights[p n + k].
template <class T>
inline void sum_parents(std::size_t n, const T* weights, const Together<T>* above, Together<T> (&back)[kPairs]) {
    if constexpr (std::is_same_v<T, double>) {
        Four low[kPairs] = {}, high[kPairs] = {};
        for (std::size_t k = 0; k < n; ++k) {
            const Four first = four_of(above[k].of), second = four_of(above[k].of + 4);
            for (std::size_t p = 0; p < kPairs; ++p) {
                low[p] += first * weights[p * n + k];
                high[p] += second * weights[p * n + k];
            }
        }
        for (std::size_t p = 0; p < kPairs; ++p) four_of(back[p].of) = low[p], four_of(back[p].of + 4) = high[p];
    } else {
        for (std::size_t p = 0; p < kPairs; ++p) back[p] = {};
        for (std::size_t k = 0; k < n; ++k)
            for (std::size_t p = 0; p < kPairs; ++p) add_scaled(back[p], above[k], weights[p * n + k]);
    }
}

// to[k] += Σ_s m_s rows[s stride + k].
template <class T>
inline void add_rows_of_spans(std::size_t n, const Together<T>& m, const T* rows, std::size_t stride, T* to) {
    static_assert(kTogether == 8);
    if constexpr (std::is_same_v<T, double>) {
        Four weights[kTogether];
        for (std::size_t s = 0; s < kTogether; ++s) weights[s] = Four{} + m.of[s];
        std::size_t k = 0;
        for (; k + 4 <= n; k += 4) {
            Four even = {}, odd = {};
            for (std::size_t s = 0; s < kTogether; s += 2) {
                even += weights[s] * four_of(rows + s * stride + k);
                odd += weights[s + 1] * four_of(rows + (s + 1) * stride + k);
            }
            four_of(to + k) += even + odd;
        }
        rows += k, to += k, n -= k;
    }
    for (std::size_t k = 0; k < n; ++k) {
        T sum = to[k];
        for (std::size_t s = 0; s < kTogether; ++s) sum += m.of[s] * rows[s * stride + k];
        to[k] = sum;
    }
}

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
            for (std::size_t i = 0; i + width <= n; i += kTogether) fill(items, i, width, std::min(kTogether, n - width - i + 1), of_items);
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
            for (std::size_t i = 0; i + width <= n_; i += kTogether) give_back(i, width, std::min(kTogether, n_ - width - i + 1), rules);
        for (std::size_t k = 0; k < values_.size(); ++k) items[k] += outside_[k] * values_[k];
    }

private:
    // What a span has before rules: M(B, C), in units of e^reference; zeros where there is nothing.
    double fill_pairs(std::size_t i, std::size_t j, T* pairs) {
        double reference = kNone;
        for (std::size_t k = i + 1; k < j; ++k) reference = std::max(reference, scales_[span_at(n_, i, k)] + scales_[span_at(n_, k, j)]);
        std::fill_n(pairs, S_ * S_, T{});
        if (reference == kNone) return kNone;
        for (std::size_t k = i + 1; k < j; ++k) {
            const std::size_t left = span_at(n_, i, k), right = span_at(n_, k, j);
            const double factor = std::exp(scales_[left] + scales_[right] - reference);
            if (factor == 0) continue;
            const T* const __restrict rights = values_.data() + right * S_;
            for (std::size_t b = 0; b < S_; ++b) {
                const T weight = values_[left * S_ + b] * factor;
                if (value_of(weight) == 0) continue;
                T* const __restrict row = pairs + b * S_;
                for (std::size_t c = 0; c < S_; ++c) row[c] += weight * rights[c];
            }
        }
        return reference;
    }

    // Spans of one width that begin at i, i + 1, ….
    void fill(const double* items, std::size_t i, std::size_t width, std::size_t count, const Number& of_items) {
        sums_.assign(S_, Together<T>{});
        double references[kTogether] = {};
        if (width == 1)
            for (Together<T>& sum : sums_) std::fill_n(sum.of, count, T{1});
        else
            apply_rules(i, width, count, references);
        for (std::size_t s = 0; s < count; ++s)
            if (references[s] != kNone) close(items, span_at(n_, i + s, i + s + width), references[s] + (width > 1 ? shift_ : 0.0), s, of_items);
    }

    // sums_[A] = Σ M(B, C) e^score of all rules A → B C, for some spans.
    void apply_rules(std::size_t i, std::size_t width, std::size_t count, double* references) {
        pairs_.assign(kTogether * S_ * S_, T{});
        for (std::size_t s = 0; s < count; ++s) references[s] = fill_pairs(i + s, i + s + width, pairs_.data() + s * S_ * S_);
        each_pairs(
            [&](const ItemGrammar::Pair& first, const Together<T>(&m)[kPairs]) {
                add_pairs(first.end - first.begin, weights_ + first.begin, m, sums_.data() + grammar_.parents()[first.begin]);
            },
            [&](const ItemGrammar::Pair& pair, const Together<T>& m) {
                each_rule(pair, [&](std::size_t r, std::size_t a) { add_scaled(sums_[a], m, weights_[r]); });
            });
    }

    // four(first of four pairs whose rules are as many, for the same parents in a row, their M) or one(pair, its M), for
    // all pairs that some span has.
    template <class Four, class One>
    void each_pairs(const Four& four, const One& one) const {
        const auto& pairs = grammar_.pairs();
        for (std::size_t p = 0; p < pairs.size();) {
            Together<T> m[kPairs];
            if (grammar_.alike(p) >= kPairs) {
                bool any = false;
                for (std::size_t q = 0; q < kPairs; ++q) any |= products(pairs[p + q], m[q]);
                if (any) four(pairs[p], m);
                p += kPairs;
            } else {
                if (products(pairs[p], m[0])) one(pairs[p], m[0]);
                ++p;
            }
        }
    }

    // M(B, C) of some spans; whether one of them is not zero.
    bool products(const ItemGrammar::Pair& pair, Together<T>& m) const {
        bool any = false;
        for (std::size_t s = 0; s < kTogether; ++s) {
            m.of[s] = pairs_[(s * S_ + pair.left) * S_ + pair.right];
            any |= value_of(m.of[s]) != 0;
        }
        return any;
    }

    // Multiplies the sums over rules with those of the items, and scales them.
    void close(const double* items, std::size_t at, double reference, std::size_t s, const Number& of_items) {
        T* const values = values_.data() + at * S_;
        T* const factors = factors_.data() + at * S_;
        const double shift = highest(items + at * S_, S_);
        if (shift == kNone) return;
        double most = 0;
        for (std::size_t a = 0; a < S_; ++a) {
            factors[a] = value_of(sums_[a].of[s]) == 0 ? T{} : of_items.exp(items + at * S_, a, shift);
            values[a] = sums_[a].of[s] * factors[a];
            most = std::max(most, value_of(values[a]));
        }
        if (!(most > 0)) return;
        for (std::size_t a = 0; a < S_; ++a) {
            values[a] = values[a] * (1 / most);
            factors[a] = factors[a] * (1 / most);
        }
        scales_[at] = reference + shift + std::log(most);
    }

    void give_back(std::size_t i, std::size_t width, std::size_t count, T* rules) {
        above_.assign(S_, Together<T>{});
        above_rows_.assign(kTogether * S_, T{});
        pairs_.assign(kTogether * S_ * S_, T{});
        back_.assign(kTogether * S_ * S_, T{});
        double references[kTogether];
        bool any[kTogether] = {};
        for (std::size_t s = 0; s < count; ++s) {
            const std::size_t at = span_at(n_, i + s, i + s + width);
            if (scales_[at] == kNone) continue;
            for (std::size_t a = 0; a < S_; ++a) {
                const T above = outside_[at * S_ + a] * factors_[at * S_ + a];
                above_[a].of[s] = above_rows_[s * S_ + a] = above;
                any[s] = any[s] || value_of(above) != 0;
            }
            if (any[s]) references[s] = fill_pairs(i + s, i + s + width, pairs_.data() + s * S_ * S_);
        }
        if (std::none_of(any, any + kTogether, [](bool one) { return one; })) return;
        rules_back(rules);
        for (std::size_t s = 0; s < count; ++s)
            if (any[s]) children_back(i + s, i + s + width, references[s], back_.data() + s * S_ * S_);
    }

    // From the parents of some spans to pairs of children, by [span][right][left], and to the rules between them.
    void rules_back(T* rules) {
        const auto keep = [&](const ItemGrammar::Pair& pair, const Together<T>& m, const Together<T>& back) {
            T* const to = back_.data() + pair.right * S_ + pair.left;
            for (std::size_t s = 0; s < kTogether; ++s) to[s * S_ * S_] = value_of(m.of[s]) != 0 ? back.of[s] : T{};
        };
        each_pairs(
            [&](const ItemGrammar::Pair& first, const Together<T>(&m)[kPairs]) {
                const std::size_t n = first.end - first.begin;
                const auto parent = static_cast<std::size_t>(grammar_.parents()[first.begin]);
                Together<T> back[kPairs];
                sum_parents(n, weights_ + first.begin, above_.data() + parent, back);
                for (std::size_t q = 0; q < kPairs; ++q) {
                    add_rows_of_spans(n, m[q], above_rows_.data() + parent, S_, rules + first.begin + q * n);
                    keep((&first)[q], m[q], back[q]);
                }
            },
            [&](const ItemGrammar::Pair& pair, const Together<T>& m) {
                Together<T> back{};
                each_rule(pair, [&](std::size_t r, std::size_t a) {
                    add_scaled(back, above_[a], weights_[r]);
                    for (std::size_t s = 0; s < kTogether; ++s) rules[r] += above_[a].of[s] * m.of[s];
                });
                keep(pair, m, back);
            });
    }

    void children_back(std::size_t i, std::size_t j, double reference, const T* back) {
        turned_.resize(S_ * S_);
        for (std::size_t c = 0; c < S_; ++c)
            for (std::size_t b = 0; b < S_; ++b) turned_[b * S_ + c] = back[c * S_ + b];
        for (std::size_t k = i + 1; k < j; ++k) {
            const std::size_t left = span_at(n_, i, k), right = span_at(n_, k, j);
            const double factor = std::exp(scales_[left] + scales_[right] - reference);
            if (factor == 0) continue;
            add_rows(values_.data() + left * S_, factor, turned_.data(), outside_.data() + right * S_);
            add_rows(values_.data() + right * S_, factor, back, outside_.data() + left * S_);
        }
    }

    // to += Σ_b weights[b] factor rows[b], four rows at a time: a sum in memory would wait for itself at every row.
    void add_rows(const T* weights, double factor, const T* rows, T* __restrict to) const {
        std::size_t b = 0;
        for (; b + 4 <= S_; b += 4) {
            const T w0 = weights[b] * factor, w1 = weights[b + 1] * factor, w2 = weights[b + 2] * factor, w3 = weights[b + 3] * factor;
            const T *const __restrict r0 = rows + b * S_, *const __restrict r1 = r0 + S_, *const __restrict r2 = r1 + S_,
                                      *const __restrict r3 = r2 + S_;
            for (std::size_t c = 0; c < S_; ++c) to[c] += (w0 * r0[c] + w1 * r1[c]) + (w2 * r2[c] + w3 * r3[c]);
        }
        for (; b < S_; ++b) {
            const T weight = weights[b] * factor;
            for (std::size_t c = 0; c < S_; ++c) to[c] += weight * rows[b * S_ + c];
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
    std::vector<T> values_, factors_, outside_, pairs_, back_, turned_, above_rows_, root_;
    std::vector<Together<T>> sums_, above_;
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
    alike_.assign(pairs_.size(), 1);
    for (std::size_t p = pairs_.size(); p-- > 1;) {
        const Pair &pair = pairs_[p], &before = pairs_[p - 1];
        const bool same = pair.contiguous && before.contiguous && parents_[pair.begin] == parents_[before.begin] &&
                          pair.end - pair.begin == before.end - before.begin;
        if (same) alike_[p - 1] = alike_[p] + 1;
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

#include "structures/chart/item_charts.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>

#include "base/sums/dual.hpp"
#include "base/sums/shared_sums.hpp"
#include "base/vector_exp.hpp"
#include "structures/chart/sentence_lanes.hpp"

namespace palmette {
namespace {

constexpr double kNone = -std::numeric_limits<double>::infinity();

// e^(score − shift) for a score that is not above the shift.
struct Plain {
    using T = Row;
    using One = double;
    One exp(const double* scores, std::size_t at, double shift) const { return exp_negative(scores[at] - shift); }
};
// The same with its derivative along a value.
struct Along {
    using T = DualRow;
    using One = Dual;
    const double *from = nullptr, *values = nullptr;
    One exp(const double* scores, std::size_t at, double shift) const {
        const double e = exp_negative(scores[at] - shift);
        return {e, e == 0 ? 0.0 : e * values[scores + at - from]};
    }
};
double result_of(double x) { return x; }
double result_of(Dual x) { return x.d; }

std::size_t span_at(std::size_t n, std::size_t i, std::size_t j) { return i * n - i * (i - 1) / 2 + j - i - 1; }
double highest(const double* scores, std::size_t n) { return n ? *std::max_element(scores, scores + n) : kNone; }

// Pairs of children that follow each other and have rules for the same parents in a row: a table of weights.
constexpr std::size_t kFewest = 4;  // fewer of them are pairs on their own
struct Run {
    std::size_t first, count, parent, n, place;  // pairs; parents; where the gradient of its rules lies
};

// How the numbers of rules lie in memory: those of a run are rows, padded to whole lanes.
struct Layout {
    std::vector<Run> runs;
    std::vector<std::size_t> alone;   // pairs
    std::vector<std::size_t> places;  // of the rules
    std::size_t size = 0;

    explicit Layout(const ItemGrammar& grammar) : places(grammar.rules()) {
        const auto& pairs = grammar.pairs();
        for (std::size_t p = 0; p < pairs.size();) {
            const std::size_t count = grammar.alike(p) >= kFewest ? grammar.alike(p) : 1, n = pairs[p].end - pairs[p].begin;
            if (count > 1)
                runs.push_back({p, count, static_cast<std::size_t>(grammar.parents()[pairs[p].begin]), n, size});
            else
                alone.push_back(p);
            for (std::size_t q = p; q < p + count; ++q, size += whole_rows(n))
                for (std::size_t r = pairs[q].begin; r < pairs[q].end; ++r) places[r] = size + r - pairs[q].begin;
            p += count;
        }
    }
};

// A sentence: its item scores, its words, and the weight of its gradient.
struct Sentence {
    const double* items;
    std::size_t n, number;
    double weight;
};

// Inside and outside of as many sentences as have room side by side; what they work with stays from group to group.
template <class Number>
class ItemSums {
public:
    using T = typename Number::T;
    using One = typename Number::One;

    // weights: of the rules in the order of the grammar, e^(score − shift)
    ItemSums(const ItemGrammar& grammar, const Layout& layout, const One* weights, double shift)
        : grammar_(grammar), layout_(layout), weights_(weights), shift_(shift), S_(grammar.symbols()), rules_(layout.size) {}

    // log Z of each sentence into log_z[its number].
    void inside(std::span<const Sentence> sentences, const double* root, const Number& of_items, const Number& of_root, double* log_z) {
        sentences_ = sentences;
        n_ = 0;
        for (const Sentence& one : sentences) n_ = std::max(n_, one.n);
        values_.assign(spans_of(n_) * S_, T{});
        factors_.assign(spans_of(n_) * S_, T{});
        scales_.assign(spans_of(n_), Row{} + kNone);
        for (std::size_t width = 1; width <= n_; ++width)
            for (std::size_t i = 0; i + width <= n_; ++i) fill(i, i + width, of_items);
        const double highest_root = highest(root, S_);
        root_.assign(S_, One{});
        if (highest_root != kNone)
            for (std::size_t a = 0; a < S_; ++a) root_[a] = of_root.exp(root, a, highest_root);
        for (std::size_t s = 0; s < sentences.size(); ++s) {
            totals_[s] = One{};
            double& found = log_z[sentences[s].number];
            found = sentences[s].n ? kNone : 0.0;
            if (sentences[s].n == 0) continue;
            const std::size_t top = span_at(n_, 0, sentences[s].n);
            for (std::size_t a = 0; a < S_; ++a) totals_[s] += root_[a] * lane(values_[top * S_ + a], s);
            if (value_in(totals_[s]) > 0) found = scales_[top][s] + highest_root + std::log(value_in(totals_[s]));
        }
    }

    // Writes what is expected of the items of each sentence, [span][symbol], and adds what is expected of the root; that
    // of rules without their weights is kept for `add_rules`.
    void outside(double* const* items, One* root) {
        outside_.assign(values_.size(), T{});
        for (std::size_t s = 0; s < sentences_.size(); ++s) {
            if (!(value_in(totals_[s]) > 0)) continue;
            const std::size_t top = span_at(n_, 0, sentences_[s].n);
            for (std::size_t a = 0; a < S_; ++a) {
                const One own = root_[a] / totals_[s] * sentences_[s].weight;
                set_lane(outside_[top * S_ + a], s, own);
                root[a] += own * lane(values_[top * S_ + a], s);
            }
        }
        for (std::size_t width = n_; width > 1; --width)
            for (std::size_t i = 0; i + width <= n_; ++i) give_back(i, i + width);
        for (std::size_t s = 0; s < sentences_.size(); ++s) {
            double* to = items[s];
            for (std::size_t i = 0; i < sentences_[s].n; ++i)
                for (std::size_t k = span_at(n_, i, i + 1) * S_; k < (span_at(n_, i, sentences_[s].n) + 1) * S_; ++k)
                    *to++ = result_of(lane(outside_[k], s) * lane(values_[k], s));
        }
    }

    // Adds what is expected of the rules in all groups so far.
    void add_rules(double* sum) const {
        for (std::size_t r = 0; r < grammar_.rules(); ++r) sum[r] += result_of(rules_[layout_.places[r]] * weights_[r]);
    }

private:
    // M(B, C) = Σ_k in(B, i, k) in(C, k, j) of every pair, in units of e^reference.
    Row fill_pairs(std::size_t i, std::size_t j) {
        const std::size_t K = j - i - 1;
        Row reference = Row{} + kNone;
        for (std::size_t k = i + 1; k < j; ++k) {
            const Row scale = scales_[span_at(n_, i, k)] + scales_[span_at(n_, k, j)];
            reference = scale > reference ? scale : reference;
        }
        shares_.resize(K);
        lefts_.resize(K * S_);
        rights_.resize(K * S_);
        for (std::size_t k = 0; k < K; ++k) {
            const std::size_t left = span_at(n_, i, i + 1 + k), right = span_at(n_, i + 1 + k, j);
            const Row below = scales_[left] + scales_[right] - reference;  // not a number where there is no tree
            for (std::size_t s = 0; s < kTogether; ++s) shares_[k][s] = exp_negative(below[s]);
            for (std::size_t a = 0; a < S_; ++a) {
                lefts_[k * S_ + a] = values_[left * S_ + a] * shares_[k];
                rights_[k * S_ + a] = values_[right * S_ + a];
            }
        }
        pairs_.resize(grammar_.pairs().size());
        if (has_all_pairs()) {
            multiply(S_, S_, K, lefts_.data(), 1, S_, rights_.data(), S_, 1, pairs_.data(), S_, 1, false);
        } else {
            for (std::size_t p = 0; p < pairs_.size(); ++p) {
                const auto& pair = grammar_.pairs()[p];
                T sum{};
                for (std::size_t k = 0; k < K; ++k) sum += lefts_[k * S_ + pair.left] * rights_[k * S_ + pair.right];
                pairs_[p] = sum;
            }
        }
        return reference;
    }

    bool has_all_pairs() const { return grammar_.pairs().size() == S_ * S_; }

    void fill(std::size_t i, std::size_t j, const Number& of_items) {
        sums_.assign(S_, T{});
        Row reference = Row{} + kNone;
        if (j == i + 1) {
            reference = Row{};
            for (T& sum : sums_) values_in(sum) += 1.0;
        } else {
            // Σ M(B, C) e^score of all rules A → B C
            reference = fill_pairs(i, j) + shift_;
            for (const Run& run : layout_.runs)
                add_shared(run.n, run.count, pairs_.data() + run.first, 1, weights_ + grammar_.pairs()[run.first].begin, run.n, 1,
                           sums_.data() + run.parent);
            for (std::size_t p : layout_.alone)
                for (std::size_t r = grammar_.pairs()[p].begin; r < grammar_.pairs()[p].end; ++r) sums_[parent_of(r)] += pairs_[p] * weights_[r];
        }
        close(i, j, reference, of_items);
    }

    // Multiplies the sums over rules with those of the items, and scales them.
    void close(std::size_t i, std::size_t j, const Row& reference, const Number& of_items) {
        T* const values = values_.data() + span_at(n_, i, j) * S_;
        T* const factors = factors_.data() + span_at(n_, i, j) * S_;
        Row shifts = Row{} + kNone, most = {};
        for (std::size_t s = 0; s < sentences_.size(); ++s) {
            if (j > sentences_[s].n || reference[s] == kNone) continue;
            const double* items = sentences_[s].items + span_at(sentences_[s].n, i, j) * S_;
            const double shift = highest(items, S_);
            if (shift == kNone) continue;
            shifts[s] = shift;
            for (std::size_t a = 0; a < S_; ++a) set_lane(factors[a], s, of_items.exp(items, a, shift));
        }
        for (std::size_t a = 0; a < S_; ++a) {
            keep_where(values_in(sums_[a]), factors[a]);
            values[a] = sums_[a] * factors[a];
            most = values_in(values[a]) > most ? values_in(values[a]) : most;
        }
        const Row inverse = most > 0 ? 1.0 / most : Row{};
        for (std::size_t a = 0; a < S_; ++a) {
            values[a] = values[a] * inverse;
            factors[a] = factors[a] * inverse;
        }
        Row& scale = scales_[span_at(n_, i, j)];
        for (std::size_t s = 0; s < sentences_.size(); ++s)
            if (most[s] > 0) scale[s] = reference[s] + shifts[s] + std::log(most[s]);
    }

    void give_back(std::size_t i, std::size_t j) {
        const std::size_t at = span_at(n_, i, j);
        above_.resize(S_);
        Row any = {};
        for (std::size_t a = 0; a < S_; ++a) {
            above_[a] = outside_[at * S_ + a] * factors_[at * S_ + a];
            any += values_in(above_[a]);
        }
        bool none = true;
        for (std::size_t s = 0; s < kTogether; ++s) none = none && any[s] == 0;
        if (none) return;
        fill_pairs(i, j);
        rules_back();
        children_back(i, j);
    }

    // From the parents to pairs of children, and to the rules between them.
    void rules_back() {
        back_.assign(pairs_.size(), T{});
        for (const Run& run : layout_.runs) {
            add_shared(run.count, run.n, above_.data() + run.parent, 1, weights_ + grammar_.pairs()[run.first].begin, 1, run.n,
                       back_.data() + run.first);
            add_lanes(run.count, run.n, pairs_.data() + run.first, above_.data() + run.parent, lanes_, rules_.data() + run.place);
        }
        for (std::size_t p : layout_.alone)
            for (std::size_t r = grammar_.pairs()[p].begin; r < grammar_.pairs()[p].end; ++r) {
                back_[p] += above_[parent_of(r)] * weights_[r];
                rules_[layout_.places[r]] += sum_of_lanes(above_[parent_of(r)] * pairs_[p]);
            }
        for (std::size_t p = 0; p < back_.size(); ++p) keep_where(values_in(pairs_[p]), back_[p]);
    }

    void children_back(std::size_t i, std::size_t j) {
        const std::size_t K = j - i - 1;
        of_lefts_.assign(K * S_, T{});
        of_rights_.assign(K * S_, T{});
        if (has_all_pairs()) {
            multiply(K, S_, S_, lefts_.data(), S_, 1, back_.data(), S_, 1, of_rights_.data(), S_, 1, false);
            multiply(K, S_, S_, rights_.data(), S_, 1, back_.data(), 1, S_, of_lefts_.data(), S_, 1, false);
        } else {
            for (std::size_t p = 0; p < back_.size(); ++p) {
                const auto& pair = grammar_.pairs()[p];
                for (std::size_t k = 0; k < K; ++k) {
                    of_rights_[k * S_ + pair.right] += lefts_[k * S_ + pair.left] * back_[p];
                    of_lefts_[k * S_ + pair.left] += rights_[k * S_ + pair.right] * back_[p];
                }
            }
        }
        for (std::size_t k = 0; k < K; ++k) {
            T* const left = outside_.data() + span_at(n_, i, i + 1 + k) * S_;
            T* const right = outside_.data() + span_at(n_, i + 1 + k, j) * S_;
            for (std::size_t a = 0; a < S_; ++a) {
                left[a] += of_lefts_[k * S_ + a] * shares_[k];
                right[a] += of_rights_[k * S_ + a];
            }
        }
    }

    std::size_t parent_of(std::size_t rule) const { return static_cast<std::size_t>(grammar_.parents()[rule]); }

    const ItemGrammar& grammar_;
    const Layout& layout_;
    const One* weights_;
    double shift_;
    std::size_t S_, n_ = 0;
    std::span<const Sentence> sentences_;
    std::vector<T> values_, factors_, outside_, pairs_, back_, lefts_, rights_, of_lefts_, of_rights_, sums_, above_;
    std::vector<Row> scales_, shares_;
    std::vector<One> rules_, root_, lanes_;
    One totals_[kTogether] = {};
};

// Runs over all sentences, some of about the same length at a time. of(scores): the numbers of scores of one kind. out
// without places: log Z alone.
template <class Number, class Of>
void run_sums(const ItemGrammar& grammar, const ItemScores& scores, std::span<const std::int64_t> lengths, int jobs, const double* sentence_weights,
              double* log_z, const ItemParts& out, const Of& of) {
    using One = typename Number::One;
    const std::size_t S = grammar.symbols(), R = grammar.rules();
    const double shift = R ? std::max(highest(scores.rules, R), -1e300) : 0.0;
    std::vector<One> weights(R);
    const Number of_rules = of(scores.rules);
    for (std::size_t r = 0; r < R; ++r) weights[r] = of_rules.exp(scores.rules, static_cast<std::size_t>(grammar.originals()[r]), shift);
    std::vector<Sentence> sentences;
    std::vector<double*> places;
    std::size_t start = 0;
    for (std::size_t s = 0; s < lengths.size(); ++s) {
        const auto n = static_cast<std::size_t>(lengths[s]);
        sentences.push_back({scores.items + start * S, n, s, sentence_weights ? sentence_weights[s] : 1.0});
        start += spans_of(n);
    }
    std::stable_sort(sentences.begin(), sentences.end(), [](const Sentence& a, const Sentence& b) { return a.n < b.n; });
    for (const Sentence& one : sentences) places.push_back(out.items ? out.items + (one.items - scores.items) : nullptr);
    const Layout layout(grammar);
    const std::size_t groups = (sentences.size() + kTogether - 1) / kTogether, shared = out.items ? R + S : 0;
    std::vector<double> total(shared, 0.0), found(lengths.size());
    sum_over_pieces(groups, shared, jobs, total.data(), [&](std::size_t from, std::size_t to, double* sum) {
        ItemSums<Number> sums(grammar, layout, weights.data(), shift);
        std::vector<One> root(S);
        for (std::size_t g = from; g < to; ++g) {
            const std::size_t first = g * kTogether, count = std::min(kTogether, sentences.size() - first);
            sums.inside({sentences.data() + first, count}, scores.root, of(scores.items), of(scores.root), found.data());
            if (out.items) sums.outside(places.data() + first, root.data());
        }
        if (!out.items) return;
        sums.add_rules(sum);
        for (std::size_t a = 0; a < S; ++a) sum[R + a] += result_of(root[a]);
    });
    if (log_z) std::copy(found.begin(), found.end(), log_z);
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

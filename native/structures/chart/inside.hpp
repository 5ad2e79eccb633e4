// The inside pass over a chart of rows, for maxima of logs and for sums of scaled weights.
//
//     inside(A, i, j) = ⊕ over rules A → B C and i < k < j  of  w ⊗ inside(B, i, k) ⊗ inside(C, k, j)   (binary)
//                     ⊕ over rules A → B                    of  w ⊗ inside(B, i, j)                     (unary)
//
// By ends from left to right; within an end, from the last start to the first. When all starts after k are done, so
// is the cell (k, j): its unary rules close it, and then every rule whose right child lives there adds to the row
// of its parent for all starts before k at once. O(rules · n³ / 6) in vectors of eight. (CSC 448, §10.2.)
#pragma once
#include <cmath>
#include <limits>
#include <vector>

#include "structures/chart/closure.hpp"
#include "structures/chart/grammar.hpp"
#include "structures/chart/items.hpp"
#include "structures/chart/rows.hpp"

namespace palmette {

inline constexpr std::size_t kMostChartWords = 20'000;

struct MaxOfLogs {
    using T = float;
    static constexpr T kZero = -std::numeric_limits<T>::infinity();
    static T plus(T a, T b) { return a > b ? a : b; }
    static T times(T a, T b) { return a + b; }
    static T weight(const ChartGrammar&, const RowRule& rule) { return rule.log_weight; }
    static T weight(const FactorRule& rule) { return rule.log_weight; }
    static T unary(const ChartGrammar& grammar, std::size_t r) { return grammar.block_rules()[r].log_weight; }
    static T closure(const ChartGrammar& grammar, std::size_t k) { return grammar.best_closure()[k]; }
};

template <class Real>
struct SumOfWeights {
    using T = Real;
    static constexpr T kZero = 0;
    static T plus(T a, T b) { return a + b; }
    static T times(T a, T b) { return a * b; }
    static T weight(const ChartGrammar& grammar, const RowRule& rule) {
        if constexpr (sizeof(T) == sizeof(float))
            return rule.weight;
        else
            return grammar.weight(rule);
    }
    static T row_weight(const ChartGrammar& grammar, const RowRule& rule) {
        if constexpr (sizeof(T) == sizeof(float))
            return rule.weight;
        else
            return grammar.row_weight(rule);
    }
    static T weight(const FactorRule& rule) { return static_cast<T>(rule.weight); }
    static T unary(const ChartGrammar& grammar, std::size_t r) { return static_cast<T>(grammar.block_weights()[r]); }
    static T closure(const ChartGrammar& grammar, std::size_t k) { return static_cast<T>(grammar.sum_closure()[k]); }
};

// What lives in a cell and can be a right child.
template <class T>
struct LiveRight {
    std::int32_t symbol;
    T value;
};

// Fills columns one after the other; what it works with stays from sentence to sentence.
template <class S>
class InsidePass {
public:
    using T = typename S::T;

    void begin(const ChartGrammar& grammar, std::size_t n, const ChartItems* allowed, const ChartClosure& closure, ChartRows<T>& rows) {
        grammar_ = &grammar;
        allowed_ = allowed;
        closure_ = closure;
        rows_ = &rows;
        rows.reset(n, grammar.rows());
        live_.resize(grammar.right_children().size());
    }

    // emit(put) calls put(symbol, weight) for what the last word before `end` can be.
    template <class Emit>
    void column(std::size_t end, Emit&& emit) {
        rows_->clear(end, S::kZero, S::kZero == 0 ? first_start(end) : 0);  // maxima are looked up everywhere
        emit([&](std::size_t symbol, T weight) {
            T& value = rows_->row(end, symbol)[end - 1];
            value = S::plus(value, weight);
        });
        for (std::size_t start = end; start-- > 0;) {
            if (allowed_) mask(start, end);
            if (start + 1 < end && closure_.begin(start))
                keep_parts(start, end);
            else
                close(start, end);
            if (start == 0 || closure_.end(end)) break;
            const std::size_t alive = gather(start, end);
            const std::size_t first = first_start(start);
            by_vectors((rows_->width(start) - first) / ChartRows<T>::kLane, [&](auto vectors) { combine(start, end, alive, first, vectors); });
        }
    }

    // When a column is done (and scaled): its left children, and the factors that are made of them.
    void finish(std::size_t end) {
        ChartRows<T>& rows = *rows_;
        const std::size_t first = first_start(end), width = rows.width(end);
        std::uint8_t* alive = rows.alive(end);
        for (std::int32_t symbol : grammar_->left_children()) {
            const auto left = static_cast<std::size_t>(symbol);
            const T* __restrict from = rows.row(end, left);
            T best = S::kZero;
            for (std::size_t i = first; i < width; ++i) best = from[i] > best ? from[i] : best;
            alive[left] = best != S::kZero;
            if (!alive[left]) continue;
            for (const FactorRule& rule : grammar_->factors_of(left)) {
                const auto factor = static_cast<std::size_t>(rule.factor);
                alive[factor] = 1;
                const T weight = S::weight(rule);
                T* __restrict to = rows.row(end, factor);
                for (std::size_t i = first; i < width; ++i) to[i] = S::plus(to[i], S::times(weight, from[i]));
            }
        }
    }

    // The first start of a column's rows that may have values: the last vector's where the end is closed, else 0.
    std::size_t first_start(std::size_t end) const { return closure_.end(end) ? (end - 1) / ChartRows<T>::kLane * ChartRows<T>::kLane : 0; }

private:
    void keep_parts(std::size_t start, std::size_t end) {
        for (std::size_t symbol = 0; symbol < static_cast<std::size_t>(grammar_->symbols()); ++symbol)
            if (!closure_.parts[symbol]) rows_->row(end, symbol)[start] = S::kZero;
    }

    void mask(std::size_t start, std::size_t end) {
        for (std::size_t symbol = 0; symbol < static_cast<std::size_t>(grammar_->symbols()); ++symbol)
            if (!allowed_->has(start, end, symbol)) rows_->row(end, symbol)[start] = S::kZero;
    }

    void close(std::size_t start, std::size_t end) {
        T* const cell = rows_->row(end, 0) + start;
        const std::size_t width = rows_->width(end);
        const IndexedRule* rules = grammar_->block_rules().data();
        for (const UnaryBlock& block : grammar_->blocks()) {
            for (std::uint32_t r = block.begin; r < block.end; ++r) {
                const auto parent = static_cast<std::size_t>(rules[r].right);
                if (allowed_ && !allowed_->has(start, end, parent)) continue;
                T& value = cell[parent * width];
                value = S::plus(value, S::times(S::unary(*grammar_, r), cell[static_cast<std::size_t>(rules[r].left) * width]));
            }
            if (block.n_members) close_cycle(block, cell, width, start, end);
        }
    }

    void close_cycle(const UnaryBlock& block, T* cell, std::size_t width, std::size_t start, std::size_t end) {
        const std::int32_t* members = grammar_->members().data() + block.members;
        const std::size_t m = block.n_members;
        scratch_.assign(m, S::kZero);
        for (std::size_t a = 0; a < m; ++a)
            for (std::size_t b = 0; b < m; ++b) {
                const T below = cell[static_cast<std::size_t>(members[b]) * width];
                scratch_[a] = S::plus(scratch_[a], S::times(S::closure(*grammar_, block.matrix + a * m + b), below));
            }
        for (std::size_t a = 0; a < m; ++a)
            if (!allowed_ || allowed_->has(start, end, static_cast<std::size_t>(members[a]))) cell[static_cast<std::size_t>(members[a]) * width] = scratch_[a];
    }

    // Written without a branch: half of the symbols live, and no processor can guess which.
    std::size_t gather(std::size_t start, std::size_t end) {
        const T* const cell = rows_->row(end, 0) + start;
        const std::size_t width = rows_->width(end);
        std::size_t alive = 0;
        for (std::int32_t symbol : grammar_->right_children()) {
            const T value = cell[static_cast<std::size_t>(symbol) * width];
            live_[alive] = {symbol, value};
            alive += value != S::kZero;
        }
        return alive;
    }

    // row(A, j)[i] ⊕= w ⊗ inside(C, k, j) ⊗ row(B, k)[i] for every rule A → B C with C alive in (k, j), all i < k from
    // the first on.
    template <class Vectors>
    void combine(std::size_t split, std::size_t end, std::size_t alive, std::size_t first, Vectors vectors) {
        constexpr std::size_t kLane = ChartRows<T>::kLane;
        const std::uint8_t* has_left = rows_->alive(split);
        const T* const lefts = rows_->row(split, 0) + first;
        T* const parents = rows_->row(end, 0) + first;
        const std::size_t left_width = rows_->width(split), parent_width = rows_->width(end);
        for (std::size_t c = 0; c < alive; ++c) {
            const T value = live_[c].value;
            for (const RowRule& rule : grammar_->with_right(static_cast<std::size_t>(live_[c].symbol))) {
                if (!has_left[rule.left]) continue;
                const T factor = S::times(S::weight(*grammar_, rule), value);
                const T* __restrict left = lefts + static_cast<std::size_t>(rule.left) * left_width;
                T* __restrict parent = parents + static_cast<std::size_t>(rule.parent) * parent_width;
#pragma omp simd
                for (std::size_t i = 0; i < vectors * kLane; ++i) parent[i] = S::plus(parent[i], S::times(factor, left[i]));
            }
        }
    }

    const ChartGrammar* grammar_ = nullptr;
    const ChartItems* allowed_ = nullptr;
    ChartClosure closure_;
    ChartRows<T>* rows_ = nullptr;
    std::vector<LiveRight<T>> live_;
    std::vector<T> scratch_;
};

}  // namespace palmette

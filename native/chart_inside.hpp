// The inside pass over a chart of rows, for maxima of logs and for sums of scaled weights.
//
//     inside(A, i, j) = ⊕ over rules A → B C and i < k < j  of  w ⊗ inside(B, i, k) ⊗ inside(C, k, j)   (binary)
//                     ⊕ over rules A → B                    of  w ⊗ inside(B, i, j)                     (unary)
//
// By ends from left to right; within an end, from the last start to the first. When all starts after k are done, so
// is the cell (k, j): its unary rules close it, and then every rule whose right child lives there adds to the rows
// of its parent for all starts before k at once. O(rules · n³ / 6) in vectors of eight. (Seed 4, §10.2.)
#pragma once
#include <cmath>
#include <limits>
#include <vector>

#include "chart_grammar.hpp"
#include "chart_items.hpp"
#include "chart_rows.hpp"

namespace palmette {

struct MaxOfLogs {
    using T = float;
    static constexpr T kZero = -std::numeric_limits<T>::infinity();
    static T plus(T a, T b) { return a > b ? a : b; }
    static T times(T a, T b) { return a + b; }
    static T weight(const IndexedRule& rule) { return rule.log_weight; }
    static T closure(const ChartGrammar& grammar, std::size_t k) { return grammar.best_closure()[k]; }
};

template <class Real>
struct SumOfWeights {
    using T = Real;
    static constexpr T kZero = 0;
    static T plus(T a, T b) { return a + b; }
    static T times(T a, T b) { return a * b; }
    static T weight(const IndexedRule& rule) {
        if constexpr (sizeof(T) == sizeof(float))
            return rule.weight;
        else
            return std::exp(static_cast<T>(rule.log_weight));
    }
    static T closure(const ChartGrammar& grammar, std::size_t k) { return static_cast<T>(grammar.sum_closure()[k]); }
};

// What lives in a cell and can be a right child.
template <class T>
struct LiveRight {
    std::int32_t symbol;
    T value;
};

// Closes a cell under unary rules. allowed: the items that there may be, or null.
template <class S>
void close_cell(const ChartGrammar& grammar, std::size_t start, std::size_t end, const ChartItems* allowed, ChartRows<typename S::T>& rows,
                std::vector<typename S::T>& scratch) {
    using T = typename S::T;
    const auto at = static_cast<std::int16_t>(start);
    const IndexedRule* rules = grammar.block_rules().data();
    for (const UnaryBlock& block : grammar.blocks()) {
        for (std::uint32_t r = block.begin; r < block.end; ++r) {
            const T below = rows.row(end, static_cast<std::size_t>(rules[r].other))[start];
            if (below == S::kZero) continue;
            const auto parent = static_cast<std::size_t>(rules[r].third);
            if (allowed && !allowed->has(start, end, parent)) continue;
            T& value = rows.row(end, parent)[start];
            value = S::plus(value, S::times(S::weight(rules[r]), below));
            rows.widen(end, parent, at, at);
        }
        if (!block.n_members) continue;
        const std::int32_t* members = grammar.members().data() + block.members;
        const std::size_t m = block.n_members;
        scratch.assign(m, S::kZero);
        for (std::size_t a = 0; a < m; ++a)
            for (std::size_t b = 0; b < m; ++b) {
                const T below = rows.row(end, static_cast<std::size_t>(members[b]))[start];
                if (below != S::kZero) scratch[a] = S::plus(scratch[a], S::times(S::closure(grammar, block.matrix + a * m + b), below));
            }
        for (std::size_t a = 0; a < m; ++a) {
            if (scratch[a] == S::kZero || (allowed && !allowed->has(start, end, static_cast<std::size_t>(members[a])))) continue;
            rows.row(end, static_cast<std::size_t>(members[a]))[start] = scratch[a];
            rows.widen(end, static_cast<std::size_t>(members[a]), at, at);
        }
    }
}

// row(A, j)[i] ⊕= w ⊗ inside(C, k, j) ⊗ row(B, k)[i] for every rule A → B C with C alive in (k, j), all i < k.
template <class S>
void combine(const ChartGrammar& grammar, std::size_t split, std::size_t end, const std::vector<LiveRight<typename S::T>>& live,
             ChartRows<typename S::T>& rows) {
    using T = typename S::T;
    constexpr std::size_t kLane = ChartRows<T>::kLane;
    const std::int16_t *first = rows.first(split), *last = rows.last(split);
    for (const auto& [right, value] : live) {
        for (const IndexedRule& rule : grammar.with_right(static_cast<std::size_t>(right))) {
            const std::int16_t from = first[rule.other], to = last[rule.other];
            if (from > to) continue;
            const T factor = S::times(S::weight(rule), value);
            const T* __restrict left = rows.row(split, static_cast<std::size_t>(rule.other));
            T* __restrict parent = rows.row(end, static_cast<std::size_t>(rule.third));
            for (std::size_t i = static_cast<std::size_t>(from) / kLane * kLane; i <= static_cast<std::size_t>(to); i += kLane)
                for (std::size_t v = 0; v < kLane; ++v) parent[i + v] = S::plus(parent[i + v], S::times(factor, left[i + v]));
            rows.widen(end, static_cast<std::size_t>(rule.third), from, to);
        }
    }
}

// Fills the column of an end. emitted(symbol, weight) calls come from `emit(end, put)`.
template <class S, class Emit>
void inside_column(const ChartGrammar& grammar, std::size_t end, const ChartItems* allowed, ChartRows<typename S::T>& rows, Emit&& emit,
                   std::vector<LiveRight<typename S::T>>& live, std::vector<typename S::T>& scratch) {
    using T = typename S::T;
    for (std::size_t start = end; start-- > 0;) {
        if (start + 1 == end)
            emit([&](std::size_t symbol, T weight) {
                if (allowed && !allowed->has(start, end, symbol)) return;
                T& value = rows.row(end, symbol)[start];
                value = S::plus(value, weight);
                rows.widen(end, symbol, static_cast<std::int16_t>(start), static_cast<std::int16_t>(start));
            });
        if (allowed && start + 1 != end)
            for (std::size_t symbol = 0; symbol < rows.symbols(); ++symbol)
                if (rows.first(end)[symbol] <= static_cast<std::int16_t>(start) && !allowed->has(start, end, symbol)) rows.row(end, symbol)[start] = S::kZero;
        close_cell<S>(grammar, start, end, allowed, rows, scratch);
        if (start == 0) break;
        live.clear();
        const std::int16_t *first = rows.first(end), *last = rows.last(end);
        for (std::int32_t symbol : grammar.right_children()) {
            const auto at = static_cast<std::int16_t>(start);
            if (first[symbol] > at || last[symbol] < at) continue;
            const T value = rows.row(end, static_cast<std::size_t>(symbol))[start];
            if (value != S::kZero) live.push_back({symbol, value});
        }
        if (!live.empty()) combine<S>(grammar, start, end, live, rows);
    }
}

}  // namespace palmette

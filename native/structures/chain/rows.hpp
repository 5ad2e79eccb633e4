// Rows of labels, padded to whole lanes: maxima, sums, and sums of weighted rows.
#pragma once
#include <algorithm>
#include <cstddef>
#include <type_traits>

#include "base/lanes.hpp"
#include "structures/chain/chain.hpp"

namespace palmette {

template <class Real>
inline Real largest(const Real* x, std::size_t n) {
    Real top = x[0];
#pragma omp simd reduction(max : top)
    for (std::size_t j = 1; j < n; ++j) top = x[j] > top ? x[j] : top;
    return top;
}

template <class Real>
inline Real total(const Real* x, std::size_t n) {
    Real sum = 0;
#pragma omp simd reduction(+ : sum)
    for (std::size_t j = 0; j < n; ++j) sum += x[j];
    return sum;
}

template <int V, bool kAdd, class Real>
inline void combine_lanes(std::size_t count, const Real* weights, std::size_t weight_step, const Real* rows,
                   std::size_t row_step, Real* out) {
    Lanes<Real> even[V] = {}, odd[V] = {};
    std::size_t p = 0;
    for (; p + 1 < count; p += 2) {
        const auto* row = reinterpret_cast<const Lanes<Real>*>(rows + p * row_step);
        const auto* next = reinterpret_cast<const Lanes<Real>*>(rows + (p + 1) * row_step);
        const Real weight = weights[p * weight_step], next_weight = weights[(p + 1) * weight_step];
#pragma GCC unroll 6
        for (int v = 0; v < V; ++v) {
            even[v] += weight * row[v];
            odd[v] += next_weight * next[v];
        }
    }
    if (p < count) {
        const auto* row = reinterpret_cast<const Lanes<Real>*>(rows + p * row_step);
        for (int v = 0; v < V; ++v) even[v] += weights[p * weight_step] * row[v];
    }
    auto* to = reinterpret_cast<Lanes<Real>*>(out);
    for (int v = 0; v < V; ++v) to[v] = kAdd ? to[v] + even[v] + odd[v] : even[v] + odd[v];
}

// Calls work(V, at) for blocks of V = 1 … 4 lanes from `at` on that make up a row of `stride` numbers: as many as
// there are registers for. V is a constant: `work` may use V() as a template argument.
template <class Work>
inline void in_lane_blocks(std::size_t stride, const Work& work) {
    for (std::size_t at = 0; at < stride;) {
        const std::size_t left = (stride - at) / kLanes;
        const std::size_t take = left <= 4 ? left : left < 8 ? (left + 1) / 2 : 4;
        switch (take) {
            case 1: work(std::integral_constant<int, 1>(), at); break;
            case 2: work(std::integral_constant<int, 2>(), at); break;
            case 3: work(std::integral_constant<int, 3>(), at); break;
            default: work(std::integral_constant<int, 4>(), at);
        }
        at += take * kLanes;
    }
}

// out[y] = Σ_p weights[p] rows[p][y] for a row of `stride` numbers, or adds that sum to it.
template <bool kAdd = false, class Real>
inline void combine(std::size_t count, const Real* weights, std::size_t weight_step, const Real* rows,
                    std::size_t row_step, std::size_t stride, Real* out) {
    in_lane_blocks(stride, [&](auto lanes, std::size_t at) {
        combine_lanes<lanes(), kAdd>(count, weights, weight_step, rows + at, row_step, out + at);
    });
}

}  // namespace palmette

// Sums of rows of a table, and a row added to many: the two inner loops of Φ. Rows are multiples of 8 floats;
// up to 64 of them stay in registers. Rows far apart are fetched ahead.
#pragma once
#include <cstddef>
#include <cstdint>

#include "chain.hpp"

namespace palmette {
namespace rows {

constexpr std::int64_t kAhead = 12;

template <std::size_t Blocks>
void sum_fixed(const float* table, const std::int32_t* ids, const float* values, std::int64_t n, std::int64_t more, float* out) {
    constexpr std::size_t S = Blocks * kLanes;
    float sum[S];
    for (std::size_t y = 0; y < S; ++y) sum[y] = 0;
    for (std::int64_t k = 0; k < n; ++k) {
        if (k + kAhead < more) {
            const float* ahead = table + static_cast<std::size_t>(ids[k + kAhead]) * S;
            __builtin_prefetch(ahead);
            if constexpr (S > 16) __builtin_prefetch(ahead + S - 1);
        }
        const float* row = table + static_cast<std::size_t>(ids[k]) * S;
        if (values) {
            const float value = values[k];
            for (std::size_t y = 0; y < S; ++y) sum[y] += value * row[y];
        } else {
            for (std::size_t y = 0; y < S; ++y) sum[y] += row[y];
        }
    }
    for (std::size_t y = 0; y < S; ++y) out[y] = sum[y];
}

template <std::size_t Blocks>
void add_fixed(float* table, const std::int32_t* ids, const float* values, std::int64_t n, const float* d, float step) {
    constexpr std::size_t S = Blocks * kLanes;
    float change[S];
    for (std::size_t y = 0; y < S; ++y) change[y] = step * d[y];
    for (std::int64_t k = 0; k < n; ++k) {
        float* row = table + static_cast<std::size_t>(ids[k]) * S;
        if (values) {
            const float value = values[k];
            for (std::size_t y = 0; y < S; ++y) row[y] += value * change[y];
        } else {
            for (std::size_t y = 0; y < S; ++y) row[y] += change[y];
        }
    }
}

// out = Σ_{k < n} values[k] · table[ids[k]]; `values` null means all one. There are `more` ids in all, those of the
// tokens that come next, whose rows are fetched ahead.
inline void sum(const float* table, std::size_t S, const std::int32_t* ids, const float* values, std::int64_t n,
                std::int64_t more, float* out) {
    switch (S / kLanes) {
        case 1: return sum_fixed<1>(table, ids, values, n, more, out);
        case 2: return sum_fixed<2>(table, ids, values, n, more, out);
        case 3: return sum_fixed<3>(table, ids, values, n, more, out);
        case 4: return sum_fixed<4>(table, ids, values, n, more, out);
        case 5: return sum_fixed<5>(table, ids, values, n, more, out);
        case 6: return sum_fixed<6>(table, ids, values, n, more, out);
        case 7: return sum_fixed<7>(table, ids, values, n, more, out);
        case 8: return sum_fixed<8>(table, ids, values, n, more, out);
        default: break;
    }
    for (std::size_t y = 0; y < S; ++y) out[y] = 0;
    for (std::int64_t k = 0; k < n; ++k) {
        const float* row = table + static_cast<std::size_t>(ids[k]) * S;
        const float value = values ? values[k] : 1.0f;
        for (std::size_t y = 0; y < S; ++y) out[y] += value * row[y];
    }
}

// table[ids[k]] += step · values[k] · d for every k.
inline void add(float* table, std::size_t S, const std::int32_t* ids, const float* values, std::int64_t n, const float* d, float step) {
    switch (S / kLanes) {
        case 1: return add_fixed<1>(table, ids, values, n, d, step);
        case 2: return add_fixed<2>(table, ids, values, n, d, step);
        case 3: return add_fixed<3>(table, ids, values, n, d, step);
        case 4: return add_fixed<4>(table, ids, values, n, d, step);
        case 5: return add_fixed<5>(table, ids, values, n, d, step);
        case 6: return add_fixed<6>(table, ids, values, n, d, step);
        default: break;
    }
    for (std::int64_t k = 0; k < n; ++k) {
        float* row = table + static_cast<std::size_t>(ids[k]) * S;
        const float scaled = step * (values ? values[k] : 1.0f);
        for (std::size_t y = 0; y < S; ++y) row[y] += scaled * d[y];
    }
}

}  // namespace rows
}  // namespace palmette

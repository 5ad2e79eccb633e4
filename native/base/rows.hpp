// Sums of rows of a table, and a row added to many: the two inner loops of Φ. Rows are multiples of 8 floats;
// up to 64 of them stay in registers. Rows far apart are fetched ahead.
#pragma once
#include <cstddef>
#include <cstdint>

#include "base/lanes.hpp"

namespace palmette {
namespace rows {

constexpr std::int64_t kAhead = 12;

// a · b + c, rounded once where the machine can: said outright, so that the same sums come out of every loop.
inline float multiply_add(float a, float b, float c) {
#ifdef __FMA__
    return __builtin_fmaf(a, b, c);
#else
    return a * b + c;
#endif
}

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
            for (std::size_t y = 0; y < S; ++y) sum[y] = multiply_add(value, row[y], sum[y]);
        } else {
            for (std::size_t y = 0; y < S; ++y) sum[y] += row[y];
        }
    }
    for (std::size_t y = 0; y < S; ++y) out[y] = sum[y];
}

template <std::size_t Blocks>
void add_fixed(float* table, const std::int32_t* ids, const float* values, std::int64_t n, std::int64_t more, const float* d, float step) {
    constexpr std::size_t S = Blocks * kLanes;
    float change[S];
    for (std::size_t y = 0; y < S; ++y) change[y] = step * d[y];
    for (std::int64_t k = 0; k < n; ++k) {
        if (k + kAhead < more) {
            const float* ahead = table + static_cast<std::size_t>(ids[k + kAhead]) * S;
            __builtin_prefetch(ahead, 1);
            if constexpr (S > 16) __builtin_prefetch(ahead + S - 1, 1);
        }
        float* row = table + static_cast<std::size_t>(ids[k]) * S;
        if (values) {
            const float value = values[k];
            for (std::size_t y = 0; y < S; ++y) row[y] = multiply_add(value, change[y], row[y]);
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
        for (std::size_t y = 0; y < S; ++y) out[y] = multiply_add(value, row[y], out[y]);
    }
}

// table[ids[k]] += step · values[k] · d for every k.
inline void add(float* table, std::size_t S, const std::int32_t* ids, const float* values, std::int64_t n, std::int64_t more,
                const float* d, float step) {
    switch (S / kLanes) {
        case 1: return add_fixed<1>(table, ids, values, n, more, d, step);
        case 2: return add_fixed<2>(table, ids, values, n, more, d, step);
        case 3: return add_fixed<3>(table, ids, values, n, more, d, step);
        case 4: return add_fixed<4>(table, ids, values, n, more, d, step);
        case 5: return add_fixed<5>(table, ids, values, n, more, d, step);
        case 6: return add_fixed<6>(table, ids, values, n, more, d, step);
        default: break;
    }
    for (std::int64_t k = 0; k < n; ++k) {
        float* row = table + static_cast<std::size_t>(ids[k]) * S;
        const float value = values ? values[k] : 1.0f;
        for (std::size_t y = 0; y < S; ++y) row[y] = multiply_add(value, step * d[y], row[y]);
    }
}

// The same for the entries alone whose mask, laid out as the table, is one; where it is zero nothing changes.
template <std::size_t Blocks>
void add_masked_fixed(float* table, const std::uint8_t* mask, const std::int32_t* ids, const float* values, std::int64_t n,
                      const float* d, float step) {
    constexpr std::size_t S = Blocks * kLanes;
    float change[S];
    for (std::size_t y = 0; y < S; ++y) change[y] = step * d[y];
    for (std::int64_t k = 0; k < n; ++k) {
        float* row = table + static_cast<std::size_t>(ids[k]) * S;
        const std::uint8_t* free = mask + static_cast<std::size_t>(ids[k]) * S;
        const float value = values ? values[k] : 1.0f;
        for (std::size_t y = 0; y < S; ++y) row[y] += value * static_cast<float>(free[y]) * change[y];
    }
}

inline void add_masked(float* table, const std::uint8_t* mask, std::size_t S, const std::int32_t* ids, const float* values,
                       std::int64_t n, const float* d, float step) {
    switch (S / kLanes) {
        case 1: return add_masked_fixed<1>(table, mask, ids, values, n, d, step);
        case 2: return add_masked_fixed<2>(table, mask, ids, values, n, d, step);
        case 3: return add_masked_fixed<3>(table, mask, ids, values, n, d, step);
        case 4: return add_masked_fixed<4>(table, mask, ids, values, n, d, step);
        case 5: return add_masked_fixed<5>(table, mask, ids, values, n, d, step);
        case 6: return add_masked_fixed<6>(table, mask, ids, values, n, d, step);
        default: break;
    }
    for (std::int64_t k = 0; k < n; ++k) {
        const std::size_t at = static_cast<std::size_t>(ids[k]) * S;
        const float value = values ? values[k] : 1.0f;
        for (std::size_t y = 0; y < S; ++y) table[at + y] += value * static_cast<float>(mask[at + y]) * (step * d[y]);
    }
}

}  // namespace rows
}  // namespace palmette

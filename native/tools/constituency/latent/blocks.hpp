// The loops over the dense blocks of latent grammars. A block is n_p rows, one for each substate of the parent, of
// `size` floats each: the substates of the left child times the padded ones of the right child.
#pragma once
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "base/lanes.hpp"
#include "tools/constituency/latent/grammar.hpp"

namespace palmette {

using Row = Lanes<float>;

inline Row load(const float* from) {
    Row v;
    std::memcpy(&v, from, sizeof v);
    return v;
}
inline void store(float* to, const Row& v) { std::memcpy(to, &v, sizeof v); }
inline float total(const Row& v) {
    return ((v[0] + v[4]) + (v[1] + v[5])) + ((v[2] + v[6]) + (v[3] + v[7]));
}

// 2^e, zero where a float has no such number.
inline float power_of_two(std::int32_t e) {
    if (e < -126) return 0;
    return std::bit_cast<float>(static_cast<std::uint32_t>(std::min(e, 127) + 127) << 23);
}

// outer[l][r] += factor · left[l] · right[r]
inline void add_outer(const float* left, int n_left, const float* right, int n_right, float factor, float* outer) {
    for (int r = 0; r < n_right; r += kLanes) {
        const Row part = factor * load(right + r);
        float* to = outer + r;
        for (int l = 0; l < n_left; ++l, to += n_right) store(to, load(to) + left[l] * part);
    }
}

// out[p] += Σ block[p][·] · outer[·]
inline void add_products(const float* block, int n_p, std::size_t size, const float* outer, float* out) {
    int p = 0;
    for (; p + 4 <= n_p; p += 4) {
        Row a{}, b{}, c{}, d{};
        const float* row = block + p * size;
        for (std::size_t i = 0; i < size; i += kLanes) {
            const Row o = load(outer + i);
            a += load(row + i) * o;
            b += load(row + size + i) * o;
            c += load(row + 2 * size + i) * o;
            d += load(row + 3 * size + i) * o;
        }
        out[p] += total(a);
        out[p + 1] += total(b);
        out[p + 2] += total(c);
        out[p + 3] += total(d);
    }
    for (; p < n_p; ++p) {
        Row a{}, b{};
        const float* row = block + p * size;
        std::size_t i = 0;
        for (; i + 2 * kLanes <= size; i += 2 * kLanes) {
            a += load(row + i) * load(outer + i);
            b += load(row + i + kLanes) * load(outer + i + kLanes);
        }
        if (i < size) a += load(row + i) * load(outer + i);
        out[p] += total(a + b);
    }
}

// sums[·] = Σ weight[p] · block[p][·]
inline void weighted_rows(const float* block, int n_p, std::size_t size, const float* weight, float* sums) {
    for (std::size_t i = 0; i < size; i += kLanes) {
        Row a{}, b{};
        const float* at = block + i;
        int p = 0;
        for (; p + 2 <= n_p; p += 2, at += 2 * size) {
            a += weight[p] * load(at);
            b += weight[p + 1] * load(at + size);
        }
        if (p < n_p) a += weight[p] * load(at);
        store(sums + i, a + b);
    }
}

// to_left[l] += factor Σ sums[l][r] right[r],  to_right[r] += factor Σ left[l] sums[l][r];  gives Σ left sums right.
inline float add_to_children(const float* sums, const float* left, int n_left, const float* right, int n_right,
                             float factor, float* to_left, float* to_right) {
    float whole = 0;
    for (int l = 0; l < n_left; ++l, sums += n_right) {
        const float scaled = factor * left[l];
        Row dot{};
        for (int r = 0; r < n_right; r += kLanes) {
            const Row sum = load(sums + r);
            dot += sum * load(right + r);
            store(to_right + r, load(to_right + r) + scaled * sum);
        }
        const float found = factor * total(dot);
        to_left[l] += found;
        whole += found * left[l];
    }
    return whole;
}

// The largest of n values, n a multiple of the lanes.
inline float largest(const float* values, int n) {
    float best = 0;
    for (int i = 0; i < n; ++i) best = values[i] > best ? values[i] : best;
    return best;
}

}  // namespace palmette

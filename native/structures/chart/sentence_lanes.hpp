// Sums for some sentences side by side: a number of each sentence lies in a lane of a row, so that every operation on
// a chart is one on rows, and products of tables stay in registers. A row is a vector register of the processor.
#pragma once
#include <cstddef>
#include <vector>

#include "base/sums/dual.hpp"

namespace palmette {

// How many sentences, and how many sums stay in registers: as a square and in a row.
#if defined(__AVX512F__)
constexpr std::size_t kTogether = 8, kSquare = 4, kInRow = 8;
#elif defined(__AVX__)
constexpr std::size_t kTogether = 4, kSquare = 3, kInRow = 8;
#else
constexpr std::size_t kTogether = 2, kSquare = 3, kInRow = 8;
#endif

// A number of each sentence.
using Row = double __attribute__((vector_size(sizeof(double) * kTogether)));
inline std::size_t whole_rows(std::size_t n) { return (n + kTogether - 1) / kTogether * kTogether; }

// The same with derivatives along a direction: v + d ε, ε² = 0.
struct DualRow {
    Row v, d;
};
inline DualRow operator*(const DualRow& a, const DualRow& b) { return {a.v * b.v, a.v * b.d + a.d * b.v}; }
inline DualRow operator*(const DualRow& a, const Row& b) { return {a.v * b, a.d * b}; }
inline DualRow operator*(const DualRow& a, const Dual& b) { return {a.v * b.v, a.v * b.d + a.d * b.v}; }
inline DualRow& operator+=(DualRow& a, const DualRow& b) {
    a.v += b.v;
    a.d += b.d;
    return a;
}

inline Row& values_in(Row& x) { return x; }
inline Row& values_in(DualRow& x) { return x.v; }
inline const Row& values_in(const Row& x) { return x; }
inline const Row& values_in(const DualRow& x) { return x.v; }

// One sentence of a row.
inline double lane(const Row& x, std::size_t s) { return x[s]; }
inline Dual lane(const DualRow& x, std::size_t s) { return {x.v[s], x.d[s]}; }
inline void set_lane(Row& x, std::size_t s, double one) { x[s] = one; }
inline void set_lane(DualRow& x, std::size_t s, const Dual& one) { x.v[s] = one.v, x.d[s] = one.d; }
inline double value_in(double x) { return x; }
inline double value_in(const Dual& x) { return x.v; }

inline double sum_of_lanes(const Row& x) {
    double sum = 0;
    for (std::size_t s = 0; s < kTogether; ++s) sum += x[s];
    return sum;
}
inline Dual sum_of_lanes(const DualRow& x) { return {sum_of_lanes(x.v), sum_of_lanes(x.d)}; }

// Zero where the other number is zero.
inline void keep_where(const Row& other, Row& x) { x = other != 0.0 ? x : Row{}; }
inline void keep_where(const Row& other, DualRow& x) { keep_where(other, x.v), keep_where(other, x.d); }

namespace tables {

template <std::size_t M, std::size_t N, class T>
inline void tile(std::size_t length, const T* a, std::size_t am, std::size_t al, const T* b, std::size_t bl, std::size_t bn, T* c,
                 std::size_t cm, std::size_t cn, bool add) {
    T sums[M][N];
    for (std::size_t m = 0; m < M; ++m)
        for (std::size_t n = 0; n < N; ++n) sums[m][n] = add ? c[m * cm + n * cn] : T{};
    for (std::size_t l = 0; l < length; ++l)
#pragma GCC unroll 4
        for (std::size_t m = 0; m < M; ++m)
#pragma GCC unroll 4
            for (std::size_t n = 0; n < N; ++n) sums[m][n] += a[m * am + l * al] * b[l * bl + n * bn];
    for (std::size_t m = 0; m < M; ++m)
        for (std::size_t n = 0; n < N; ++n) c[m * cm + n * cn] = sums[m][n];
}

template <std::size_t N, class T, class U>
inline void strip(std::size_t length, const T* a, std::size_t al, const U* b, std::size_t bl, std::size_t bn, T* c) {
    T sums[N];
    for (std::size_t n = 0; n < N; ++n) sums[n] = c[n];
    for (std::size_t l = 0; l < length; ++l) {
        const T weight = a[l * al];
#pragma GCC unroll 8
        for (std::size_t n = 0; n < N; ++n) sums[n] += weight * b[l * bl + n * bn];
    }
    for (std::size_t n = 0; n < N; ++n) c[n] = sums[n];
}

template <std::size_t M, std::size_t N>
inline void outer_tile(const Row* a, const double* by_lane, std::size_t stride, double* out) {
    using Loose = double __attribute__((vector_size(sizeof(Row)), aligned(8), may_alias));
    Row sums[M][N];
    for (std::size_t m = 0; m < M; ++m)
        for (std::size_t n = 0; n < N; ++n) sums[m][n] = *reinterpret_cast<const Loose*>(out + m * stride + n * kTogether);
    for (std::size_t s = 0; s < kTogether; ++s)
#pragma GCC unroll 4
        for (std::size_t m = 0; m < M; ++m)
#pragma GCC unroll 4
            for (std::size_t n = 0; n < N; ++n) sums[m][n] += a[m][s] * *reinterpret_cast<const Loose*>(by_lane + s * stride + n * kTogether);
    for (std::size_t m = 0; m < M; ++m)
        for (std::size_t n = 0; n < N; ++n) *reinterpret_cast<Loose*>(out + m * stride + n * kTogether) = sums[m][n];
}

}  // namespace tables

// out[m whole_rows(columns) + n] += Σ over sentences of a[m] b[n]. `by_lane` is room to work in.
inline void add_lanes(std::size_t rows, std::size_t columns, const Row* a, const Row* b, std::vector<double>& by_lane, double* out) {
    const std::size_t stride = whole_rows(columns);
    by_lane.assign(stride * kTogether, 0.0);
    for (std::size_t n = 0; n < columns; ++n)
        for (std::size_t s = 0; s < kTogether; ++s) by_lane[s * stride + n] = b[n][s];
    for (std::size_t m = 0; m < rows;) {
        const bool full = m + kSquare <= rows;
        for (std::size_t n = 0; n < stride;) {
            const bool wide = n + 2 * kTogether <= stride;
            const double* const from = by_lane.data() + n;
            double* const to = out + m * stride + n;
            if (full && wide)
                tables::outer_tile<kSquare, 2>(a + m, from, stride, to);
            else if (full)
                tables::outer_tile<kSquare, 1>(a + m, from, stride, to);
            else
                tables::outer_tile<1, 1>(a + m, from, stride, to);
            n += full && wide ? 2 * kTogether : kTogether;
        }
        m += full ? kSquare : 1;
    }
}
inline void add_lanes(std::size_t rows, std::size_t columns, const DualRow* a, const DualRow* b, std::vector<Dual>&, Dual* out) {
    for (std::size_t m = 0; m < rows; ++m)
        for (std::size_t n = 0; n < columns; ++n) out[m * whole_rows(columns) + n] += sum_of_lanes(a[m] * b[n]);
}

// c(m, n) = Σ_l a(m, l) b(l, n), and the old c(m, n) if `add`; x(i, j) lies at x[i x_i + j x_j].
template <class T>
void multiply(std::size_t rows, std::size_t columns, std::size_t length, const T* a, std::size_t am, std::size_t al, const T* b, std::size_t bl,
              std::size_t bn, T* c, std::size_t cm, std::size_t cn, bool add) {
    for (std::size_t m = 0; m < rows;) {
        const bool full = m + kSquare <= rows;
        for (std::size_t n = 0; n < columns;) {
            const T *from = a + m * am, *with = b + n * bn;
            T* const to = c + m * cm + n * cn;
            const bool wide = n + kSquare <= columns;
            if (full && wide)
                tables::tile<kSquare, kSquare>(length, from, am, al, with, bl, bn, to, cm, cn, add);
            else if (full)
                tables::tile<kSquare, 1>(length, from, am, al, with, bl, bn, to, cm, cn, add);
            else if (wide)
                tables::tile<1, kSquare>(length, from, am, al, with, bl, bn, to, cm, cn, add);
            else
                tables::tile<1, 1>(length, from, am, al, with, bl, bn, to, cm, cn, add);
            n += wide ? kSquare : 1;
        }
        m += full ? kSquare : 1;
    }
}

// c[n] += Σ_l a[l al] b(l, n), with numbers b that all sentences share.
template <class T, class U>
void add_shared(std::size_t columns, std::size_t length, const T* a, std::size_t al, const U* b, std::size_t bl, std::size_t bn, T* c) {
    std::size_t n = 0;
    for (; n + kInRow <= columns; n += kInRow) tables::strip<kInRow>(length, a, al, b + n * bn, bl, bn, c + n);
    static_assert(kInRow == 8);
    if (columns - n >= 4) tables::strip<4>(length, a, al, b + n * bn, bl, bn, c + n), n += 4;
    if (columns - n >= 2) tables::strip<2>(length, a, al, b + n * bn, bl, bn, c + n), n += 2;
    if (columns - n >= 1) tables::strip<1>(length, a, al, b + n * bn, bl, bn, c + n);
}

}  // namespace palmette

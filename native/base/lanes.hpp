// Rows of labels are padded to a multiple of eight numbers, so that loops over them are vector instructions alone; and eight
// numbers of a row as one value, at any address. Where the registers of the processor are narrower it is two halves, and so
// on: the compiler turns operations on vectors that are too wide for it into slow ones.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace palmette {

constexpr std::size_t kLanes = 8;
inline std::size_t padded(std::size_t labels) { return (labels + kLanes - 1) / kLanes * kLanes; }

// Bytes of a register.
#if defined(__AVX512F__)
constexpr std::size_t kRegister = 64;
#elif defined(__AVX__)
constexpr std::size_t kRegister = 32;
#else
constexpr std::size_t kRegister = 16;
#endif

template <class T, std::size_t N>
struct Halves;

template <class T, std::size_t N, bool kFits = N * sizeof(T) <= kRegister>
struct LanesOf {
    typedef T type __attribute__((vector_size(N * sizeof(T)), aligned(sizeof(T)), may_alias));
};
template <class T, std::size_t N>
struct LanesOf<T, N, false> {
    using type = Halves<T, N>;
};
template <class T, std::size_t N = kLanes>
using Lanes = typename LanesOf<T, N>::type;

// What a comparison of numbers gives: all bits, or none.
template <class T>
using Mask = std::conditional_t<sizeof(T) == 8, std::int64_t, std::int32_t>;

template <class T, std::size_t N>
struct __attribute__((may_alias)) Halves {
    Lanes<T, N / 2> low, high;
    T operator[](std::size_t i) const { return i < N / 2 ? low[i] : high[i - N / 2]; }
};

#define PALMETTE_LANES template <class T, std::size_t N>
#define PALMETTE_OPERATOR(op)                                                                                            \
    PALMETTE_LANES inline Halves<T, N> operator op(const Halves<T, N>& a, const Halves<T, N>& b) { return {a.low op b.low, a.high op b.high}; } \
    PALMETTE_LANES inline Halves<T, N> operator op(const Halves<T, N>& a, std::type_identity_t<T> b) { return {a.low op b, a.high op b}; }      \
    PALMETTE_LANES inline Halves<T, N> operator op(std::type_identity_t<T> a, const Halves<T, N>& b) { return {a op b.low, a op b.high}; }      \
    PALMETTE_LANES inline Halves<T, N>& operator op##=(Halves<T, N>& a, const Halves<T, N>& b) { return a = a op b; }    \
    PALMETTE_LANES inline Halves<T, N>& operator op##=(Halves<T, N>& a, std::type_identity_t<T> b) { return a = a op b; }
#define PALMETTE_COMPARISON(op)                                                                                                                       \
    PALMETTE_LANES inline Halves<Mask<T>, N> operator op(const Halves<T, N>& a, const Halves<T, N>& b) { return {a.low op b.low, a.high op b.high}; } \
    PALMETTE_LANES inline Halves<Mask<T>, N> operator op(const Halves<T, N>& a, std::type_identity_t<T> b) { return {a.low op b, a.high op b}; }
PALMETTE_OPERATOR(+)
PALMETTE_OPERATOR(-)
PALMETTE_OPERATOR(*)
PALMETTE_COMPARISON(<)
PALMETTE_COMPARISON(>)
PALMETTE_LANES inline Halves<T, N> operator&(const Halves<T, N>& a, const Halves<T, N>& b) { return {a.low & b.low, a.high & b.high}; }
PALMETTE_LANES inline Halves<T, N> operator-(const Halves<T, N>& a) { return {-a.low, -a.high}; }
#undef PALMETTE_OPERATOR
#undef PALMETTE_COMPARISON

// a where the mask is set, b elsewhere.
template <class M, class V>
inline V choose(const M& mask, const V& a, const V& b) {
    return mask ? a : b;
}
template <class T, std::size_t N>
inline Halves<T, N> choose(const Halves<Mask<T>, N>& mask, const Halves<T, N>& a, const Halves<T, N>& b) {
    return {choose(mask.low, a.low, b.low), choose(mask.high, a.high, b.high)};
}

// The sum of all, and the largest: first of halves, then of their halves.
template <class V>
inline auto lane_total(V x) {
    constexpr std::size_t n = sizeof(V) / sizeof(x[0]);
    if constexpr (n == 8) x += __builtin_shufflevector(x, x, 4, 5, 6, 7, 0, 1, 2, 3);
    if constexpr (n == 8) x += __builtin_shufflevector(x, x, 2, 3, 0, 1, 6, 7, 4, 5);
    if constexpr (n == 4) x += __builtin_shufflevector(x, x, 2, 3, 0, 1);
    return x[0] + x[1];
}
PALMETTE_LANES inline T lane_total(const Halves<T, N>& x) { return lane_total(x.low + x.high); }

template <class V>
inline auto lane_largest(V x) {
    constexpr std::size_t n = sizeof(V) / sizeof(x[0]);
    const auto keep = [&x](const V& other) { x = choose(other > x, other, x); };
    if constexpr (n == 8) keep(__builtin_shufflevector(x, x, 4, 5, 6, 7, 0, 1, 2, 3));
    if constexpr (n == 8) keep(__builtin_shufflevector(x, x, 2, 3, 0, 1, 6, 7, 4, 5));
    if constexpr (n == 4) keep(__builtin_shufflevector(x, x, 2, 3, 0, 1));
    return x[0] > x[1] ? x[0] : x[1];
}
PALMETTE_LANES inline T lane_largest(const Halves<T, N>& x) { return lane_largest(choose(x.high > x.low, x.high, x.low)); }
#undef PALMETTE_LANES

}  // namespace palmette

// Non-negative numbers of unlimited range: m · 2^(400 e).
//
// Log-probabilities of long sentences leave the range of a double, and a log-add costs an exp and a log.
// A Scaled number multiplies and adds at nearly the cost of plain doubles, since the exponents of neighbours are
// equal or one step apart, and takes one exp on the way in and one log on the way out.
//
// A number at rest has 2^-200 <= m < 2^200 (or is zero). `times` and `plus` do not bring their results back into
// that range: a product of up to five numbers at rest, and any sum of such products, is safe. `normal` does.
#pragma once
#include <cmath>
#include <limits>
#include <utility>

namespace palmette {

struct Scaled {
    double m;
    // A whole number of steps of 400 binary places; minus infinity for zero. As a double it cannot overflow.
    double e;
};

namespace scaled {

inline constexpr double kHigh = 0x1p200, kLow = 0x1p-200, kUp = 0x1p400, kDown = 0x1p-400;
inline constexpr double kStep = 400 * 0.693147180559945309417232121458;  // the log of one step of e
inline constexpr double kFar = 6;  // from this many steps apart on, the smaller number cannot count

inline constexpr Scaled kZero{0.0, -std::numeric_limits<double>::infinity()};
inline constexpr Scaled kOne{1.0, 0.0};

inline bool is_zero(Scaled a) { return a.m == 0.0; }

// m must be finite and not negative.
inline Scaled normal(Scaled a) {
    if (a.m >= kLow && a.m < kHigh) [[likely]]
        return a;
    if (a.m == 0.0) return kZero;
    for (; a.m >= kHigh; ++a.e) a.m *= kDown;
    for (; a.m < kLow; --a.e) a.m *= kUp;
    return a;
}

// m · 2^(400 e) as a double: zero or infinity beyond its range.
inline double shifted(double m, double e) {
    for (; e < 0 && m != 0.0; ++e) m *= kDown;
    for (; e > 0 && m != 0.0 && std::isfinite(m); --e) m *= kUp;
    return m;
}

inline Scaled times(Scaled a, Scaled b) { return {a.m * b.m, a.e + b.e}; }

[[gnu::noinline]] inline Scaled plus_unequal(Scaled a, Scaled b) {
    if (is_zero(a)) return b;
    if (is_zero(b)) return a;
    if (a.e < b.e) std::swap(a, b);
    if (a.e - b.e < kFar) a.m += shifted(b.m, b.e - a.e);
    return a;
}

// sum ← sum + value. The cases in the order of how often they come; a call would cost more than all of them.
inline void add(Scaled& sum, Scaled value) {
    if (sum.e == value.e) [[likely]]
        sum.m += value.m;
    else if (sum.e - 1.0 == value.e)
        sum.m += value.m * kDown;
    else
        sum = plus_unequal(sum, value);
}

inline Scaled plus(Scaled a, Scaled b) {
    add(a, b);
    return a;
}

inline Scaled from_log(double x) {
    if (x == -std::numeric_limits<double>::infinity()) return kZero;
    double e = std::nearbyint(x / kStep);
    return normal({std::exp(x - e * kStep), e});
}

inline double to_log(Scaled a) {
    if (is_zero(a)) return -std::numeric_limits<double>::infinity();
    return std::log(a.m) + a.e * kStep;
}

inline Scaled from_double(double x) { return normal({x, 0}); }
inline double to_double(Scaled a) { return shifted(a.m, a.e); }

// a / b as a double; 0 / 0 is 0: a part of an infeasible whole.
inline double ratio(Scaled a, Scaled b) { return is_zero(a) ? 0.0 : shifted(a.m / b.m, a.e - b.e); }

}  // namespace scaled
}  // namespace palmette

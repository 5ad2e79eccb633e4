// Numbers with a derivative, v + d ε with ε² = 0: sums of them carry the derivative along one direction.
#pragma once
#include <cmath>
#include <cstddef>

namespace palmette {

struct Dual {
    double v = 0, d = 0;
};

inline Dual operator+(Dual a, Dual b) { return {a.v + b.v, a.d + b.d}; }
inline Dual operator*(Dual a, Dual b) { return {a.v * b.v, a.v * b.d + a.d * b.v}; }
inline Dual operator*(Dual a, double b) { return {a.v * b, a.d * b}; }
inline Dual operator/(Dual a, Dual b) { return {a.v / b.v, (a.d - a.v / b.v * b.d) / b.v}; }
inline Dual& operator+=(Dual& a, Dual b) { return a = a + b; }

}  // namespace palmette

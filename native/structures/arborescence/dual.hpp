// Numbers with a derivative, v + d ε with ε² = 0: sums of them carry the derivative along one direction.
#pragma once
#include <cmath>
#include <cstddef>

namespace palmette {

struct Dual {
    double v = 0, d = 0;
};

// Sums of such numbers, for the charts of structures/arborescence/eisner_chart.hpp and structures/arborescence/elimination.hpp.
struct DualSums {
    using Value = Dual;
    static constexpr std::size_t kBlock = 1;
    static constexpr Dual kZero{0, 0}, kOne{1, 0};
    static Dual times(Dual a, Dual b) { return {a.v * b.v, a.v * b.d + a.d * b.v}; }
    static Dual plus(Dual a, Dual b) { return {a.v + b.v, a.d + b.d}; }
    static Dual rest(Dual a) { return a; }
};

inline Dual inverse(Dual a) { return {1 / a.v, -a.d / (a.v * a.v)}; }
inline Dual quotient(Dual a, Dual b) { return {a.v / b.v, (a.d - a.v / b.v * b.d) / b.v}; }
inline Dual difference(Dual a, Dual b) { return {a.v - b.v, a.d - b.d}; }
inline bool is_zero_weight(Dual a) { return a.v == 0.0; }
inline double log_weight(Dual a) { return std::log(a.v); }
inline void put_marginal(Dual p, double& out) { out = p.d; }

inline Dual give_back(std::size_t from, std::size_t to, const Dual* back, Dual x, const Dual* row, Dual* back_row) {
    Dual sum;
    for (std::size_t t = from; t < to; ++t) {
        sum = DualSums::plus(sum, DualSums::times(back[t], row[t]));
        back_row[t] = DualSums::plus(back_row[t], DualSums::times(back[t], x));
    }
    return sum;
}

}  // namespace palmette

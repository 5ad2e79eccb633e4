// Sums of numbers with a derivative, for the charts of structures/arborescence/eisner_chart.hpp and
// structures/arborescence/elimination.hpp: the derivatives of marginals along one direction.
#pragma once
#include <cmath>
#include <cstddef>

#include "base/sums/dual.hpp"

namespace palmette {

struct DualSums {
    using Value = Dual;
    static constexpr std::size_t kBlock = 1;
    static constexpr Dual kZero{0, 0}, kOne{1, 0};
    static Dual times(Dual a, Dual b) { return a * b; }
    static Dual plus(Dual a, Dual b) { return a + b; }
    static Dual rest(Dual a) { return a; }
};

inline Dual inverse(Dual a) { return Dual{1, 0} / a; }
inline Dual quotient(Dual a, Dual b) { return a / b; }
inline Dual difference(Dual a, Dual b) { return {a.v - b.v, a.d - b.d}; }
inline bool is_zero_weight(Dual a) { return a.v == 0.0; }
inline double log_weight(Dual a) { return std::log(a.v); }
inline void put_marginal(Dual p, double& out) { out = p.d; }

inline Dual give_back(std::size_t from, std::size_t to, const Dual* back, Dual x, const Dual* row, Dual* back_row) {
    Dual sum;
    for (std::size_t t = from; t < to; ++t) {
        sum += back[t] * row[t];
        back_row[t] += back[t] * x;
    }
    return sum;
}

}  // namespace palmette

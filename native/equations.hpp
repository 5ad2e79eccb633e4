// Systems of polynomial equations with non-negative coefficients, and their least non-negative solutions.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "scaled.hpp"

namespace palmette {

// x_v = Σ over terms with head v of coefficient · Π over its tails of x_t, for v = 0 .. n-1.
struct Equations {
    struct Term {
        int32_t head;
        Scaled coefficient;
        int32_t first_tail, last_tail;  // tails[first_tail .. last_tail - 1]
    };
    int32_t n = 0;
    std::vector<Term> terms;
    std::vector<int32_t> tails;

    std::span<const int32_t> tails_of(const Term& term) const {
        return {tails.data() + term.first_tail, static_cast<size_t>(term.last_tail - term.first_tail)};
    }
};

// The least solution by Newton's method from zero, per strongly connected component of what is not zero.
// Nothing if the sums diverge; then `diverged` holds the unknowns of the component that does.
std::optional<std::vector<Scaled>> least_solution(const Equations& equations, std::vector<int32_t>& diverged);

// Solves x = A x + b for a non-negative n × n matrix A, the sum of its entries, whose powers vanish. Nothing where
// I - A is singular. Small systems by elimination, O(n³); larger ones by Gauss-Seidel sweeps over the entries.
struct Entry {
    int32_t row, column;
    double value;
};
std::optional<std::vector<double>> solve_fixpoint(const std::vector<Entry>& a, std::vector<double> b);

}  // namespace palmette

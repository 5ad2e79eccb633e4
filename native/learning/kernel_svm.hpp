// The dual of a support vector machine, by sequential minimal optimisation.
//
//     minimise ½ Σ_ij β_i β_j K_ij − Σ_i y_i β_i    with Σ_i β_i = 0 and 0 ≤ y_i β_i ≤ C_i
//
// g_i = y_i − Σ_j β_j K_ij is the slope. Two β move at a time, one up and one down: i with the largest slope that may go up, and j that may go
// down and promises the largest decrease (g_i − g_j)² / (K_ii + K_jj − 2 K_ij) (Fan, Chen and Lin 2005). It ends when no pair has slopes
// further apart than `tolerance`. Those at their bounds that cannot be chosen any more are left out for a while (shrinking, Joachims 1999).
// A step costs two rows of the Gram matrix, O(examples left).
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "learning/gram_rows.hpp"

namespace palmette {

struct SvmOptions {
    double tolerance = 1e-3;
    std::size_t most_steps = 0;
    bool shrinking = true;
    const std::atomic<bool>* stopped = nullptr;  // by another thread: the solution is then the one reached so far
};

struct SvmSolution {
    std::vector<double> beta;  // of every item of the problem; f(x) = Σ_i β_i K(x_i, x) + bias
    double bias = 0, objective = 0, gap = 0;
    std::size_t steps = 0;
    bool indefinite = false;  // a pair was met that no inner product can have
};

// items: the rows that take part, each once; diagonal: of the whole matrix; signs: ±1 and bounds C_i of the items.
SvmSolution solve_svm(GramRows& rows, std::span<const double> diagonal, std::span<const std::int64_t> items, std::span<const double> signs,
                      std::span<const double> bounds, const SvmOptions& options);

}  // namespace palmette

// What the sums of a chart tell about rules: expected counts, and trees drawn by their probabilities.
#pragma once
#include <random>
#include <span>
#include <vector>

#include "structures/chart/derivations.hpp"
#include "structures/chart/sums.hpp"

namespace palmette {

// Adds to counts how often each binary rule, unary rule and emission is expected in the tree of a sentence:
//     E[A → B C] = Σ over i < k < j of  outside(A, i, j) · w · inside(B, i, k) · inside(C, k, j)
// emissions: those of the inside pass. O(rules · n³ / 6).
void add_expected_counts(const ChartGrammar& grammar, const Emissions& emissions, const ChartSums<double>& sums, std::span<double> binary,
                         std::span<double> unary, std::span<double> emitted);

// A tree drawn by its probability: from the root down, every way to make an item by its share of the item's inside.
Derivation sampled_derivation(const ChartGrammar& grammar, const Emissions& emissions, const ChartSums<double>& sums, std::mt19937_64& random);

}  // namespace palmette

// The bracketing of a sentence with the largest sum of values, in O(n³ / 6) additions.
//
//     best(i, j) = Σ of the values above zero on (i, j)  +  max over i < k < j of best(i, k) + best(k, j)
//
// With posteriors as values, the tree of the most expected right brackets (Goodman 1996; CSC 448, §10.4, algorithm 10).
#pragma once
#include <cstdint>
#include <span>
#include <vector>

namespace palmette {

// The chosen ones, by their numbers, in preorder: by start, then the longer first, then as given.
std::vector<std::int32_t> best_bracketing(std::size_t n, std::span<const std::int32_t> starts, std::span<const std::int32_t> ends,
                                          std::span<const double> values);

}  // namespace palmette

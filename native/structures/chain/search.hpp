// Search for the best label sequence without looking at every state (CSC 448, §7), for order ≥ 1.
//
// A step to label y at position i costs K − (transition + unary), where K ≥ 0 is the least constant that leaves no cost
// negative; all sequences of a sentence have as many steps, so it changes no order.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "structures/chain/chain.hpp"

namespace palmette {

struct ChainSearch {
    bool found = false;  // false: no sequence is allowed, or all were pruned
    bool exact = true;   // whether nothing was done that may have lost the best
    double score = 0;
    std::int64_t touched = 0;  // states that were extended
    std::vector<std::int32_t> labels;
};

// The state of least cost + weight · h first, where h(i) = Σ_{j>i} (least cost of a step to position j), eq. 65.
// Weight 0 is Dijkstra's algorithm, 1 is A*; with more, the cost found is at most `weight` times the least.
ChainSearch best_first_search(const ChainScores<double>& s, double weight);

// Multi-stack search: of every position only the `top` best states within `width` of the best score are extended.
ChainSearch multi_stack_search(const ChainScores<double>& s, std::size_t top, double width);

}  // namespace palmette

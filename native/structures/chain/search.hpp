// Search for the best label sequence without looking at every state (CSC 448, §7), for order ≥ 1.
//
// A step to label y at position i costs K − (transition + unary), where K ≥ 0 is the least constant that leaves no cost
// negative; all sequences of a sentence have as many steps, so it changes no order.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "structures/chain/states.hpp"

namespace palmette {

struct ChainSearch {
    bool found = false;  // false: no sequence is allowed, or all were pruned
    bool exact = true;   // whether nothing was done that may have lost the best
    double score = 0;
    std::int64_t touched = 0;  // states that were extended
    std::vector<std::int32_t> labels;
};

// What the steps after position i are thought to cost, h(i).
struct Heuristic {
    bool constant = false;  // h(i) = factor · steps left; else factor · Σ_{j>i} (least cost of a step to position j), eq. 65
    double factor = 1;
};

// The state of least cost + h first. Factor 0 is Dijkstra's algorithm, 1 of eq. 65 is A*; with more of it, the cost found is
// at most `factor` times the least. The constant one promises nothing: it is not admissible where steps may cost less.
ChainSearch best_first_search(const ChainScores<double>& s, const Heuristic& heuristic);
ChainSearch best_first_search(const StateScores& s, const Heuristic& heuristic);

// Multi-stack search: of every position only the `top` best states within `width` of the best score are extended.
ChainSearch multi_stack_search(const ChainScores<double>& s, std::size_t top, double width);
ChainSearch multi_stack_search(const StateScores& s, std::size_t top, double width);

}  // namespace palmette

// Derivations read off a hypergraph: the best one, the k best lazily, and exact samples.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "base/scaled.hpp"
#include "inference/hypergraph.hpp"

namespace palmette {

// Derivations as lists of edges in preorder (an edge, then all of its first tail, then its second ...):
// derivation d is edges[start[d] .. start[d + 1] - 1].
struct Derivations {
    std::vector<double> score;
    std::vector<int32_t> edges;
    std::vector<int64_t> start{0};
};

// The best score of every node and the edge that gives it, the first one among equals; -1 where there is none.
struct Viterbi {
    std::vector<double> score;
    std::vector<int32_t> edge;
};

Viterbi viterbi(const Hypergraph& g, std::span<const double> weight);

// The best derivation of the root; none where nothing derives it.
Derivations best_derivation(const Hypergraph& g, std::span<const double> weight);

// The k best derivations of the root in descending order, fewer where there are fewer.
// Huang & Chiang (2005), algorithm 3: after one Viterbi pass only what the k best need is looked at.
Derivations kbest_derivations(const Hypergraph& g, std::span<const double> weight, int64_t k);

// n derivations of the root, each drawn with its probability under the weights (logs); `in` are the inside values.
// The score of a sample is its log-probability. Throws std::invalid_argument where nothing derives the root.
Derivations sample_derivations(const Hypergraph& g, std::span<const Scaled> weight, const std::vector<Scaled>& in,
                               int64_t n, uint64_t seed);

}  // namespace palmette

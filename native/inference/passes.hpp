// What one inside and one outside pass compute on a hypergraph, for every semiring that the library has. The loops of
// inference/inside.hpp are compiled here and nowhere else. Scores and values have one number per part.
#pragma once
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/bignat.hpp"
#include "base/scaled.hpp"
#include "inference/hypergraph.hpp"

namespace palmette {

// The weights of the log semiring with their inside and, where asked for, outside values.
struct LogPass {
    std::vector<Scaled> weight, in, out;
    Scaled total = scaled::kZero;  // of the root
    LogPass(const Hypergraph& g, std::span<const double> scores, bool with_outside);
};

// One value per node: inside or, where asked for, outside.
std::vector<double> log_values(const Hypergraph& g, std::span<const double> scores, bool outside);
std::vector<double> max_values(const Hypergraph& g, std::span<const double> scores, bool outside);
std::vector<double> real_values(const Hypergraph& g, std::span<const double> weights, bool outside);
std::vector<uint8_t> boolean_values(const Hypergraph& g, std::span<const uint8_t> values, bool outside);

// `count_values` is cut off at Counting::kTooMany, `big_count_values` is exact.
std::vector<uint64_t> count_values(const Hypergraph& g, std::span<const uint64_t> counts, bool outside);
std::vector<BigNat> big_count_values(const Hypergraph& g, std::span<const uint64_t> counts, bool outside);
std::vector<std::vector<double>> kbest_values(const Hypergraph& g, std::span<const double> scores, size_t k,
                                              bool outside);

// The log of the total weight and the mean of the value, per node, in the expectation semiring.
struct Expectations {
    std::vector<double> logs, means;
};
Expectations expectation_values(const Hypergraph& g, std::span<const double> scores, std::span<const double> values,
                                bool outside);

// The expected number of uses of every part and node; zero where nothing derives the root.
struct Marginals {
    double log_z;
    std::vector<double> parts, nodes;
};
Marginals marginals(const Hypergraph& g, std::span<const double> scores);
std::vector<double> edge_marginals(const Hypergraph& g, std::span<const double> scores);

// The score of the best derivation through each edge.
std::vector<double> max_marginals(const Hypergraph& g, std::span<const double> scores);

// (E[v], Cov[v, number of uses of part k] for every k), v = the sum of the values of a derivation's parts.
std::pair<double, std::vector<double>> covariance(const Hypergraph& g, std::span<const double> scores,
                                                  std::span<const double> values);

}  // namespace palmette

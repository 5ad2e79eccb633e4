// Minimum error rate training: weights whose best translations have the best metric. Och 2003; CSC 448, §21.2.1.
//
// From each start, line searches along the coordinates and along random directions go on until none of them gains.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "tools/translation/tuning/line_source.hpp"

namespace palmette {

struct MertOptions {
    std::span<const std::uint8_t> free;   // of each feature: whether it is tuned
    std::span<const double> scale;        // of each feature: how far a random direction goes along it
    std::size_t n_directions = 0;         // random ones in each round
    std::size_t n_rounds = 100;           // at most
    std::uint64_t seed = 0;
};

struct MertResult {
    std::vector<double> weights;  // of each start
    std::vector<double> scores;   // of each start
};

// starts: rows of weights. Starts run on several threads, each with random numbers of its own.
MertResult mert(const LineSource& source, const Metric& metric, std::span<const double> starts, const MertOptions& options, int n_jobs);

}  // namespace palmette

// The k best label sequences of one sentence, exactly.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "structures/chain/states.hpp"

namespace palmette {

struct KBestLabels {
    std::vector<double> scores;     // in descending order, at most k; only sequences that are allowed
    std::vector<std::int32_t> labels;  // [scores.size()][n]
};

// Recursive enumeration (Jiménez & Marzal 1999): a Viterbi pass, then for every state on the way only as many of its
// best ways as are asked for. O(n L^(order+1) + k n log L). Equal scores come in the order of their last states.
template <class Real>
KBestLabels kbest_labels(const ChainScores<Real>& s, std::size_t k);
KBestLabels kbest_labels(const StateScores& s, std::size_t k);
extern template KBestLabels kbest_labels(const ChainScores<float>&, std::size_t);
extern template KBestLabels kbest_labels(const ChainScores<double>&, std::size_t);

}  // namespace palmette

// The k best derivations of different texts.
//
// Grammars write the same text in many ways. So every node keeps, of the derivations that write the same words, only the
// best: whatever the rest of a derivation is, the others cannot be better. Lazy as Huang & Chiang 2005, algorithm 3.
#pragma once
#include <cstdint>
#include <span>

#include "inference/derivations.hpp"
#include "tools/translation/chart/graph.hpp"

namespace palmette {

// In descending order, fewer if there are fewer. Texts are compared by hashes of 61 bits.
Derivations distinct_derivations(const ChartGraph& graph, std::span<const double> scores, std::int64_t k);

}  // namespace palmette

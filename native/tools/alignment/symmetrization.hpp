// Two alignments of every sentence pair, one from each side, made into one set of links. CSC 448, §15.1.
//
// forth: for every target word its source word from 1 on, 0 for none; back: for every source word its target word likewise.
// P and Q: the posteriors of the two directions, [l][m] and [m][l] of each sentence, one sentence after another. A link's
// probability is the mean (P + Q) / 2, or that of the one direction that is looked at. O(l m) a sentence.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "tools/alignment/bitext.hpp"

namespace palmette {

enum class Symmetry { posterior, intersection, united, grow_diag, grow_diag_final, grow_diag_final_and, source, target };

// Links in the order of source, then target words; those of sentence s from offsets[s] on.
struct Links {
    std::vector<std::int64_t> offsets{0};
    std::vector<std::int32_t> source, target;
    std::vector<float> probability;  // empty: not known
};

struct Directions {
    std::span<const std::int32_t> forth, back;  // empty for Symmetry::posterior
    std::span<const float> p, q;                // empty where probabilities are not wanted
};

// Only the lengths of sentences are used from the sides. Sizes have been checked. threshold: of Symmetry::posterior.
Links symmetrize(const Side& source, const Side& target, const Directions& both, Symmetry how, float threshold, int n_jobs);

// One line for each sentence: 0-0 1-2, or 0-0:0.9871 1-2:0.5012 with probabilities.
std::string pharaoh(const Links& links, bool probabilities);

}  // namespace palmette

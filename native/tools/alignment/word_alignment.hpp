// Expected counts and posteriors of word alignments: each target word has one source word, or none (NULL).
//
//     P(f, a | e) = Π_j P(a_j | …) t(f_j | e_{a_j})
//
// Models 1 and 2: P(a_j = i | j, l, m) is p0 for NULL, and for the places of the source 1 − p0 in equal parts, or as
// e^(−tension · |i/l − j/m|), or a table of the shape (l, m). HMM: P(a_j = i | a_{j−1} = i′) is a jump weight S(i − i′) over
// the sum for all places, and every source word has a NULL behind it, which remembers the place (probability p0 of going
// there). Sums run in floats that are rescaled at each target word. Sentences go in pieces that are the same for every
// number of threads, and their counts are added in order.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tools/alignment/bitext.hpp"

namespace palmette {

// What Models 1 and 2 look at. position: [l + 1][m] for each shape, summing to one over the source; or none.
struct Independent {
    const float* t;
    const float* position;
    float p0, tension;
};

// jump[width + d] is the weight of a jump of d, all beyond the width as the outermost; first[i] that of starting at place i
// (from 1 on, as above); last[d]: of ending d places before the end, empty for no such thing.
struct Jumps {
    const float* t;
    std::span<const float> jump, first, last;
    float p0;
};

struct IndependentCounts {
    std::vector<double> pairs, positions;  // positions may be empty: not wanted
    double null = 0, all = 0;              // target words that are NULL's, and all of them
    // Of |i/l − j/m|, over the target words that are not NULL's: the sum of it, and of its mean and variance in the model.
    double distance = 0, mean = 0, variance = 0;
};

struct JumpCounts {
    std::vector<double> pairs, jump, first, last;
    double null = 0, all = 0;  // target words that are NULL's, and all of them
};

// Adds expected counts; returns the log-likelihood.
double expect(const Bitext& b, const Independent& model, int n_jobs, IndependentCounts& counts);
double expect(const Bitext& b, const Jumps& model, int n_jobs, JumpCounts& counts);

// The same for two directions that shall agree (Liang, Taskar and Klein 2006): a link counts the product of its two
// posteriors, NULL and jumps what they count in their own direction. The bitexts are each other's mirror.
double expect_agreement(const Bitext& b, const Bitext& mirror, const Independent& forth, const Independent& back, int n_jobs,
                        IndependentCounts& counts, IndependentCounts& mirrored);
double expect_agreement(const Bitext& b, const Bitext& mirror, const Jumps& forth, const Jumps& back, int n_jobs, JumpCounts& counts,
                        JumpCounts& mirrored);

// P(a_j = i | f, e) for all sentences, [l][m] each, from `at` on.
void posteriors(const Bitext& b, const Independent& model, int n_jobs, std::span<const std::int64_t> at, float* out);
void posteriors(const Bitext& b, const Jumps& model, int n_jobs, std::span<const std::int64_t> at, float* out);

// The most probable alignment: for every target word its source word from 1 on, 0 for NULL.
void best(const Bitext& b, const Independent& model, int n_jobs, std::span<const std::int64_t> at, std::int32_t* out);
void best(const Bitext& b, const Jumps& model, int n_jobs, std::span<const std::int64_t> at, std::int32_t* out);

}  // namespace palmette

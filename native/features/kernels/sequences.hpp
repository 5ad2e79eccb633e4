// Kernels between sequences of symbols. One sequence meets eight others at a time, one in each lane of a vector.
#pragma once
#include <cstdint>
#include <vector>

#include "features/kernels/sequence_set.hpp"

namespace palmette {

// Σ over common subsequences of n symbols of λ^(stretch in s + stretch in t), a stretch being the positions from the first
// symbol to the last (Lodhi et al. 2002). O(n |s| |t|).
struct GappySubsequences {
    std::size_t n;
    double lambda;
};

// Σ over pairs of n-grams u of s and v of t of the number of n-grams within m mismatches of both, which depends on their
// Hamming distance alone (Leslie et al. 2004). shared[d]: that number at distance d. O(|s| |t|).
struct Mismatches {
    std::size_t n;
    std::vector<double> shared;
};

// Σ over pairs of states of Δ(i, j) = (1 + π) (1 + λ Δ(i+1, j+1)) where the labels (column 0) are equal; π is the sum of the
// weights of the further columns that are equal (Collins & Duffy 2002). O(|s| |t|); of fragments of at most m states
// Δ_q(i, j) = (1 + π) (1 + λ Δ_{q−1}(i+1, j+1)), Σ Δ_m, O(m |s| |t|).
struct TaggedFragments {
    static constexpr std::size_t kAll = static_cast<std::size_t>(-1);

    double lambda;
    std::vector<double> weights;  // of column 1, or of the columns 1 and 2
    std::size_t longest = kAll;   // m
};

// All pairs, row by row; &a == &b gives a symmetric matrix at half the cost. The sets must have the columns that the kernel
// asks for.
void sequence_gram(const SequenceSet& a, const SequenceSet& b, const GappySubsequences& kernel, int n_jobs, double* out);
void sequence_gram(const SequenceSet& a, const SequenceSet& b, const Mismatches& kernel, int n_jobs, double* out);
void sequence_gram(const SequenceSet& a, const SequenceSet& b, const TaggedFragments& kernel, int n_jobs, double* out);

// K(s, s) of every sequence.
void sequence_diagonal(const SequenceSet& a, const GappySubsequences& kernel, int n_jobs, double* out);
void sequence_diagonal(const SequenceSet& a, const Mismatches& kernel, int n_jobs, double* out);
void sequence_diagonal(const SequenceSet& a, const TaggedFragments& kernel, int n_jobs, double* out);

}  // namespace palmette

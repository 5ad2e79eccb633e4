// Many tagged sequences merged, so that a sum of kernels with all of them is one walk over their states.
//
//     Σ_s α_s K(s, x) = Σ_j Σ_i α_i F(i, j),    F(i, j) = (1 + π) (1 + λ F(i+1, j+1)) where the labels are equal
//
// over the states i of all supports in a row, a gap after each. What is at j depends on j + 1 alone, so all states of
// supports are one vector operation. Candidates of a list have the same words, and other labels in a few places: with
// B(i, j), the fragments that end there, those that touch the places p to q are
//
//     Σ_{p≤j≤q} Σ_i α_i F(i, j) + Σ_i α_i λ B(i−1, p−1) F(i, p)
//
// and only these are taken off and added to the sum of the first candidate. Exact. O(states · (2 n + Σ (q − p + 1))).
#pragma once
#include <cstdint>
#include <shared_mutex>
#include <span>
#include <stdexcept>
#include <unordered_map>
#include <vector>

#include "features/kernels/sequences.hpp"

namespace palmette {

class TaggedSupports {
public:
    // For fragments of any length; for short ones there is `FragmentTable`.
    explicit TaggedSupports(TaggedFragments kernel) : kernel_(std::move(kernel)), ids_(n_columns()) {
        if (kernel_.longest != TaggedFragments::kAll) throw std::invalid_argument("the fragments are of any length here");
    }

    std::size_t n_columns() const { return kernel_.weights.size() + 1; }
    std::size_t size() const { return places_.size(); }  // distinct sequences

    // Both take sets of n_columns() columns. Threads may score while another adds.
    void add(const SequenceSet& sequences, std::span<const std::int64_t> which, std::span<const double> alphas);
    void score(const SequenceSet& sequences, int n_jobs, double* out) const;

    // States of some supports, with a gap before, between and after them. Symbols are numbers from 1; a gap is 0.
    struct Block {
        std::vector<std::vector<double>> columns;
        std::vector<double> alpha;
    };

private:
    void add(const SequenceSet& sequences, std::size_t sequence, double alpha);

    struct Place {
        std::uint32_t block, first;
    };

    TaggedFragments kernel_;
    std::vector<std::unordered_map<std::uint64_t, double>> ids_;  // of the symbols of every column
    std::vector<Block> blocks_;
    std::unordered_map<std::uint64_t, Place> places_;  // of every distinct sequence
    mutable std::shared_mutex guard_;
};

}  // namespace palmette

// Sparse vectors by 64-bit keys: inner products of many pairs, and with a sum of vectors.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/key_map.hpp"
#include "features/kernels/sequence_set.hpp"

namespace palmette {

class SparseSet {
public:
    struct Entry {
        std::uint64_t key;
        double value;
    };

    void push(std::uint64_t key, double value) { entries_.push_back({key, value}); }
    // Entries of one key become their sum.
    void end_vector();

    std::size_t size() const { return offsets_.size() - 1; }
    std::span<const Entry> vector(std::size_t i) const {
        return {entries_.data() + offsets_[i], entries_.data() + offsets_[i + 1]};
    }

    // By key, which vectors have it, and with what value.
    struct Posting {
        std::uint32_t vector;
        double value;
    };
    struct Index {
        KeyMap columns;
        std::vector<std::vector<Posting>> postings;
    };
    // Made when it is first asked for, and kept: who asks for the Gram matrix row by row pays for it once.
    std::shared_ptr<const Index> index() const;

private:
    mutable std::shared_ptr<const Index> index_;
    std::vector<Entry> entries_;  // sorted by key in every vector
    std::vector<std::size_t> offsets_{0};
};

// How often every n-gram of `least` to `most` symbols is in each sequence.
SparseSet ngrams(const SequenceSet& sequences, std::size_t least, std::size_t most);

// x · y of all pairs; &a == &b gives a symmetric matrix at half the cost. O(matching entries).
void sparse_gram(const SparseSet& a, const SparseSet& b, int n_jobs, double* out);
void sparse_diagonal(const SparseSet& a, double* out);

// ‖x − y‖² of all pairs: x · x + y · y − 2 x · y, and where that leaves too few digits the sum of squared differences.
void sparse_distances(const SparseSet& a, const SparseSet& b, int n_jobs, double* out);

// w = Σ_i α_i x_i, and w · x.
class SparseSum {
public:
    void add(const SparseSet& vectors, std::size_t i, double alpha);
    void score(const SparseSet& vectors, double* out) const;
    std::size_t size() const { return weights_.size(); }

private:
    KeyMap places_;
    std::vector<double> weights_;
};

}  // namespace palmette

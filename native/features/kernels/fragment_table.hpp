// Fragments of tagged sequences of a few states at most, in one table: a sum of kernels with many supports costs a few
// lookups for each state of an item, however many the supports are.
//
//     Σ_s α_s K(s, x) = Σ over the fragments f of x of A(f) v(f),    A(f) = Σ_s α_s · how often s has f
//
// v is λ^(states − 1) times the weights of the words and shapes that f has. The fragments that begin at a state are a tree,
// and what begins like no support is not followed. Sequences of the same words are taken together, and equal runs of
// labels once: of a right and a wrong candidate, only what they do not share is entered. O(c^m) for a run of m states
// with c columns, and for each place of each distinct run. Exact.
#pragma once
#include <cstdint>
#include <shared_mutex>
#include <span>
#include <vector>

#include "base/key_map.hpp"
#include "features/kernels/sequences.hpp"

namespace palmette {

class FragmentTable {
public:
    static constexpr std::size_t kLongest = 6;

    // At most kLongest states.
    explicit FragmentTable(TaggedFragments kernel);

    std::size_t n_columns() const { return kernel_.weights.size() + 1; }
    std::size_t size() const { return weights_.size(); }  // distinct fragments

    // Both take sets of n_columns() columns. Threads may score while another adds.
    void add(const SequenceSet& sequences, std::span<const std::int64_t> which, std::span<const double> alphas);
    void score(const SequenceSet& sequences, int n_jobs, double* out) const;

    // What a fragment of a sequence adds to its score. kinds: of every state the column, 0 for its label alone.
    struct Amount {
        std::size_t begin, length;
        std::uint8_t kinds[kLongest];
        double value;
    };
    // The amounts of all fragments of a sequence that the table has, from the first state on.
    std::vector<Amount> amounts(const SequenceSet& sequences, std::size_t sequence) const;

private:
    // The states of a run, each as the keys of its label alone, with its word, with its shape.
    struct Run {
        std::size_t length;
        std::uint64_t keys[kLongest][3];
    };

    Run run_of(const SequenceSet& sequences, std::size_t sequence, std::size_t begin) const;
    void enter(const Run& run, std::size_t at, std::uint64_t before, double alpha);
    double sum(const Run& run, std::size_t at, std::uint64_t before, double value) const;
    void list(const Run& run, std::uint64_t before, double value, Amount& now, std::vector<Amount>& found) const;

    TaggedFragments kernel_;
    double factors_[3];  // of a state with its label alone, its word, its shape
    KeyMap places_;
    std::vector<double> weights_;  // A
    mutable std::shared_mutex guard_;
};

}  // namespace palmette

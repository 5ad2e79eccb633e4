// Many trees merged into one forest, so that a sum of kernels with all of them costs little more than one.
#pragma once
#include <cstdint>
#include <shared_mutex>
#include <vector>

#include "features/kernels/tree_matcher.hpp"

namespace palmette {

// Σ_i α_i K(T_i, T) without a kernel call for every T_i: the supports T_i are merged into their distinct subtrees, each with
// the sum of its α. Exact. Threads may score while another adds.
class SupportForest {
public:
    SupportForest(Fragments kind, bool words, Decay decay) : trees_(kind, words), index_(kind), decay_(decay) {}

    void add(const TreeSet& trees, std::size_t tree, double alpha);
    void score(const TreeSet& trees, int n_jobs, double* out) const;

    const TreeSet& trees() const { return trees_; }
    std::size_t n_subtrees() const { return trees_.n_subtrees(); }

private:
    TreeSet trees_;
    SubtreeIndex index_;
    Decay decay_;
    std::vector<std::uint32_t> ranks_;
    std::vector<std::vector<double>> alpha_;  // by class and rank
    mutable std::shared_mutex guard_;
};

}  // namespace palmette

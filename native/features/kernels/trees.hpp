// Kernels between trees: K(S, T) = Σ over nodes a of S and b of T of Δ(a, b).
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "features/kernels/tree_matcher.hpp"

namespace palmette {

// K of two trees, by a merge of their nodes in the order of their classes: only pairs of one class are looked at.
class TreePairs {
public:
    TreePairs(const TreeSet& a, const TreeSet& b, Decay decay) : a_(a), b_(b), decay_(decay) {}
    double operator()(std::size_t tree_a, std::size_t tree_b);

private:
    struct Run {
        std::uint32_t begin = 0, end = 0;
    };
    double by_index(std::size_t tree_a, std::size_t tree_b) const;
    double delta(std::uint32_t i, std::uint32_t j, std::size_t width);

    const TreeSet& a_;
    const TreeSet& b_;
    Decay decay_;
    std::vector<std::uint32_t> place_a_, place_b_;  // of a subtree in the bag of its tree
    std::vector<Run> runs_;
    std::vector<double> delta_, row_;
    std::span<const std::uint32_t> bag_a_, bag_b_;
};

// All pairs of trees, row by row; &a == &b gives a symmetric matrix at half the cost. One tree meets a block of others at
// once (SubtreeIndex), so a Δ is worked out once for all trees that have the subtree.
void tree_gram(const TreeSet& a, const TreeSet& b, Decay decay, int n_jobs, double* out);

// K(T, T) of every tree.
void tree_diagonal(const TreeSet& trees, Decay decay, int n_jobs, double* out);

}  // namespace palmette

// Δ of every subtree of some trees with every subtree of an index, children first and without recursion.
//
//   subset trees      Δ(a, b) = λ Π_j (1 + Δ(a_j, b_j))     where the productions are equal (Collins & Duffy 2001)
//   complete trees    Δ(a, b) = λ^size                      where the subtrees are equal (Vishwanathan & Smola 2002)
//   partial trees     Δ(a, b) = μ (λ² + Σ over common subsequences of children of λ^(children left out) Π Δ)
//                                                           where the labels are equal (Moschitti 2006)
//
// All common subsequences are summed at once, whatever their lengths, since nothing depends on the length:
//   M(i, j) = Δ(a_i, b_j) (1 + D(i−1, j−1))      those that end with the children i and j
//   D(i, j) = M(i, j) + λ D(i−1, j) + λ D(i, j−1) − λ² D(i−1, j−1)
// so two nodes with k and l children cost O(k l).
#pragma once
#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "features/kernels/subtree_index.hpp"

namespace palmette {

struct Decay {
    double lambda, mu;
};

// Σ over common subsequences of two sequences of children; delta(i, j) is 0 where they have nothing in common.
template <class Delta>
double common_subsequences(std::size_t k, std::size_t l, double lambda, std::vector<double>& row, Delta&& delta) {
    if (k == 1 && l == 1) return delta(0, 0);
    row.assign(l + 1, 0.0);  // D(i−1, ·), turned into D(i, ·) from left to right
    double sum = 0;
    for (std::size_t i = 0; i < k; ++i) {
        double diagonal = 0;
        for (std::size_t j = 0; j < l; ++j) {
            const double d = delta(i, j), above = row[j + 1];
            const double m = d == 0 ? 0.0 : d * (1 + diagonal);
            sum += m;
            row[j + 1] = m + lambda * (above + row[j]) - lambda * lambda * diagonal;
            diagonal = above;
        }
    }
    return sum;
}

// The room of one thread, kept from one match to the next.
struct MatchRoom {
    std::vector<std::uint32_t> slot, uses, free, touched;
    std::vector<std::vector<double>> pool;  // Δ of a subtree, until the last of its parents has seen it
    std::vector<bool> seen;
    std::vector<double> row;
};

class TreeMatcher {
public:
    // classes: for every class of `trees` that of the index.
    TreeMatcher(const TreeSet& trees, const SubtreeIndex& index, std::span<const std::uint32_t> classes, Decay decay,
                MatchRoom& room)
        : trees_(trees), index_(index), classes_(classes), decay_(decay), slot_(room.slot), uses_(room.uses),
          free_(room.free), touched_(room.touched), pool_(room.pool), seen_(room.seen), row_(room.row) {}

    // Calls use(subtree, class of the index, Δ with each of its members) for the subtrees, which must come children first
    // with all their children; those of which the index has no class are left out.
    template <class Use>
    void match(std::span<const std::uint32_t> subtrees, Use&& use) {
        if (slot_.size() < trees_.n_subtrees()) {
            slot_.resize(trees_.n_subtrees());
            uses_.resize(trees_.n_subtrees());
        }
        for (std::uint32_t s : subtrees) uses_[s] = 0;
        for (std::uint32_t s : subtrees)
            for (std::uint32_t child : trees_.children(trees_.subtree(s)))
                if (child != KeyMap::kNone) ++uses_[child];
        for (std::uint32_t s : subtrees) {
            const TreeSet::Subtree& subtree = trees_.subtree(s);
            const std::uint32_t c = classes_[subtree.class_id];
            const std::uint32_t n = c == KeyMap::kNone ? 0 : index_.n_members(c);
            slot_[s] = KeyMap::kNone;
            if (n) {
                slot_[s] = take_slot();
                std::vector<double>& delta = pool_[slot_[s]];
                fill(subtree, c, n, delta);
                use(s, c, std::span<const double>(delta.data(), n));
                if (uses_[s] == 0) give_back(s);
            }
            for (std::uint32_t child : trees_.children(subtree))
                if (child != KeyMap::kNone && --uses_[child] == 0) give_back(child);
        }
    }

private:
    void fill(const TreeSet::Subtree& subtree, std::uint32_t c, std::uint32_t n, std::vector<double>& delta) {
        const std::span<const std::uint32_t> below = trees_.children(subtree);
        switch (trees_.kind()) {
            case Fragments::complete:
                delta.assign(n, std::pow(decay_.lambda, subtree.size));
                break;
            case Fragments::subset:
                delta.assign(n, decay_.lambda);
                for (std::size_t j = 0; j < below.size(); ++j) {
                    if (below[j] == KeyMap::kNone || slot_[below[j]] == KeyMap::kNone) continue;
                    const double* child = pool_[slot_[below[j]]].data();
                    for (const auto [rank, child_rank] : index_.links(c, j, class_of(below[j])))
                        delta[rank] *= 1 + child[child_rank];
                }
                break;
            case Fragments::partial:
                delta.assign(n, decay_.mu * decay_.lambda * decay_.lambda);
                touched_.clear();
                if (seen_.size() < n) seen_.resize(n);
                for (std::uint32_t child : below) {
                    if (slot_[child] == KeyMap::kNone) continue;
                    for (const auto [rank, _] : index_.links(c, 0, class_of(child))) {
                        if (!seen_[rank]) touched_.push_back(rank);
                        seen_[rank] = true;
                    }
                }
                for (std::uint32_t rank : touched_) {
                    seen_[rank] = false;
                    delta[rank] += decay_.mu * subsequences(below, index_.children(c, rank));
                }
        }
    }

    double subsequences(std::span<const std::uint32_t> below, std::span<const SubtreeIndex::Place> others) {
        return common_subsequences(below.size(), others.size(), decay_.lambda, row_, [&](std::size_t i, std::size_t j) {
            const std::uint32_t child = below[i];
            if (slot_[child] == KeyMap::kNone || class_of(child) != others[j].class_id) return 0.0;
            return pool_[slot_[child]][others[j].rank];
        });
    }

    std::uint32_t class_of(std::uint32_t subtree) const { return classes_[trees_.subtree(subtree).class_id]; }

    std::uint32_t take_slot() {
        if (free_.empty()) {
            pool_.emplace_back();
            return static_cast<std::uint32_t>(pool_.size() - 1);
        }
        const std::uint32_t slot = free_.back();
        free_.pop_back();
        return slot;
    }
    void give_back(std::uint32_t subtree) {
        if (slot_[subtree] != KeyMap::kNone) free_.push_back(slot_[subtree]);
    }

    const TreeSet& trees_;
    const SubtreeIndex& index_;
    std::span<const std::uint32_t> classes_;
    Decay decay_;
    std::vector<std::uint32_t> &slot_, &uses_, &free_, &touched_;
    std::vector<std::vector<double>>& pool_;
    std::vector<bool>& seen_;
    std::vector<double>& row_;
};

}  // namespace palmette

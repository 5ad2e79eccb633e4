// Distinct subtrees of a set, or of a stretch of it, so that one tree meets all of them at once.
//
// Subtrees of one class lie in a row and have ranks there. For every class, place of a child and class of that child
// there is a list of (rank, rank of the child): a tree whose root and child are of these classes goes along that list
// and sees nothing else.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "features/kernels/tree_set.hpp"

namespace palmette {

class SubtreeIndex {
public:
    struct Link {
        std::uint32_t rank, child_rank;
    };
    struct Place {
        std::uint32_t class_id, rank;
    };

    explicit SubtreeIndex(Fragments kind) : partial_(kind == Fragments::partial) {}

    // Takes up a subtree of the set; its children are here already. Its rank is written into `ranks`.
    void add(const TreeSet& set, std::uint32_t subtree, std::vector<std::uint32_t>& ranks);

    std::uint32_t n_members(std::uint32_t class_id) const {
        return class_id < classes_.size() ? classes_[class_id].n : 0;
    }
    std::size_t n_classes() const { return classes_.size(); }

    // The members of the class whose child at place j is of another class, with the ranks of these children. For partial
    // trees the place does not matter; a member may then be there several times.
    std::span<const Link> links(std::uint32_t class_id, std::size_t j, std::uint32_t child_class) const {
        if (classes_[class_id].first_slot == KeyMap::kNone) return {};
        const std::uint32_t edge = edges_.find(slot(class_id, j) << 32 | child_class);
        return edge == KeyMap::kNone ? std::span<const Link>{} : std::span<const Link>(links_[edge]);
    }

    // The children of a member; kept for partial trees alone.
    std::span<const Place> children(std::uint32_t class_id, std::uint32_t rank) const {
        const Class& c = classes_[class_id];
        return {kids_.data() + c.first_kid[rank], c.n_kids[rank]};
    }

private:
    struct Class {
        std::uint32_t n = 0, first_slot = KeyMap::kNone;
        std::vector<std::uint32_t> first_kid, n_kids;
    };

    std::uint64_t slot(std::uint32_t class_id, std::size_t j) const {
        return classes_[class_id].first_slot + (partial_ ? 0 : j);
    }

    bool partial_;
    std::vector<Class> classes_;
    std::uint32_t n_slots_ = 0;
    KeyMap edges_;
    std::vector<std::vector<Link>> links_;
    std::vector<Place> kids_;
};

}  // namespace palmette

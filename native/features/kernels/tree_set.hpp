// Trees for tree kernels: the distinct subtrees of all of them, and each tree as a bag of these.
//
// A subtree has a class: what must be equal at the roots of two subtrees for them to have a fragment in common. That is
// the production (subset trees), the whole subtree (complete subtrees) or the label (partial trees). Classes are known
// by 64-bit keys made of the strings alone, so sets made apart can be compared. Subtrees are numbered children first.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/key_map.hpp"

namespace palmette {

enum class Fragments : std::uint8_t { subset, complete, partial };

struct TreeColumns;  // features/kernels/trees.cpp: the trees as columns of a Gram matrix

class TreeSet {
public:
    struct Subtree {
        std::uint32_t class_id;
        std::uint32_t first_child, n_children;  // words left out; KeyMap::kNone for a tag whose word is left out
        std::uint32_t size;                     // nodes with a class, this one among them
    };

    TreeSet(Fragments kind, bool words);

    // A tree in postfix order: the hash of each symbol, and of how many of the subtrees before it is made; 0 for a word.
    // False, and nothing is added, if it is not exactly one tree.
    bool add(std::span<const std::uint64_t> symbols, std::span<const std::uint32_t> arities);

    // A subtree of another set of the same kind, whose children are here already. `children`: their numbers here, or kNone.
    std::uint32_t add_subtree(const TreeSet& other, std::uint32_t subtree, std::span<const std::uint32_t> children);

    Fragments kind() const { return kind_; }
    bool words() const { return words_; }
    std::size_t size() const { return offsets_.size() - 1; }
    std::size_t n_subtrees() const { return subtrees_.size(); }
    std::size_t n_classes() const { return keys_.size(); }
    std::uint64_t key(std::uint32_t class_id) const { return keys_[class_id]; }
    std::uint32_t class_of(std::uint64_t key) const { return class_ids_.find(key); }
    const Subtree& subtree(std::uint32_t id) const { return subtrees_[id]; }
    std::span<const std::uint32_t> children(const Subtree& s) const { return {children_.data() + s.first_child, s.n_children}; }

    // The distinct subtrees of a tree, children first, how often each is there, and their places sorted by key.
    std::span<const std::uint32_t> bag(std::size_t tree) const { return slice(bag_, tree); }
    std::span<const std::uint32_t> counts(std::size_t tree) const { return slice(counts_, tree); }
    std::span<const std::uint32_t> by_key(std::size_t tree) const { return slice(by_key_, tree); }

    // For every class of `other` the same class here, or KeyMap::kNone.
    std::vector<std::uint32_t> classes_of(const TreeSet& other) const;

    TreeColumns& columns() const { return *columns_; }

private:
    std::span<const std::uint32_t> slice(const std::vector<std::uint32_t>& values, std::size_t tree) const {
        return {values.data() + offsets_[tree], values.data() + offsets_[tree + 1]};
    }
    std::uint32_t intern(std::uint64_t key, std::span<const std::uint32_t> children);
    void end_tree(std::vector<std::uint32_t>& found);

    Fragments kind_;
    bool words_;
    KeyMap class_ids_, subtree_ids_;
    std::vector<std::uint64_t> keys_;
    std::vector<std::uint32_t> class_arity_;
    std::vector<Subtree> subtrees_;
    std::vector<std::uint32_t> children_;
    std::vector<std::uint64_t> offsets_{0};
    std::vector<std::uint32_t> bag_, counts_, by_key_;
    std::shared_ptr<TreeColumns> columns_;
};

}  // namespace palmette

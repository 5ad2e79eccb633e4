#include "features/kernels/tree_set.hpp"

#include <algorithm>
#include <stdexcept>

namespace palmette {

namespace {

constexpr std::uint64_t kWord = 0x5851F42D4C957F2Du, kBare = 0x14057B7EF767814Fu, kRule = 0x2545F4914F6CDD1Du;

// What a finished part of the tree is to its parent.
struct Part {
    std::uint64_t key;      // what the parent's key sees of it
    std::uint32_t subtree;  // kNone: it has no class
    bool is_tag = false;    // whose word is left out
};

}  // namespace

bool TreeSet::add(std::span<const std::uint64_t> symbols, std::span<const std::uint32_t> arities) {
    // One pass that changes nothing says whether this is one tree.
    std::size_t open = 0;
    for (std::uint32_t k : arities) {
        if (k > open) return false;
        open = open - k + 1;
    }
    if (open != 1 || symbols.size() != arities.size()) return false;

    std::vector<Part> stack;
    std::vector<std::uint32_t> found, below;
    for (std::size_t i = 0; i < symbols.size(); ++i) {
        const std::uint32_t k = arities[i];
        if (k == 0) {
            Part word{words_ ? combine(kWord, symbols[i]) : 0, KeyMap::kNone};  // 0: left out
            if (words_ && kind_ == Fragments::partial) found.push_back(word.subtree = intern(word.key, {}));
            stack.push_back(word);
            continue;
        }
        const std::size_t start = stack.size() - k;
        std::uint64_t key = combine(kRule, symbols[i]);
        bool bare = true;
        below.clear();
        for (std::size_t j = start; j < stack.size(); ++j) {
            if (stack[j].key == 0) continue;
            bare = false;
            key = combine(key, stack[j].key);
            if (stack[j].subtree != KeyMap::kNone || stack[j].is_tag) below.push_back(stack[j].subtree);
        }
        stack.resize(start);
        Part part{};
        if (kind_ == Fragments::partial) {
            part.key = combine(kRule, symbols[i]);
            part.subtree = intern(part.key, below);
        } else if (bare) {
            // Below a production a tag looks like any node of its label; whole subtrees are not equal to a tag.
            part = {combine(kind_ == Fragments::subset ? kRule : kBare, symbols[i]), KeyMap::kNone, true};
        } else {
            part.subtree = intern(key, below);
            // The parent's production sees the label alone; the parent's whole subtree sees all of it.
            part.key = kind_ == Fragments::subset ? combine(kRule, symbols[i]) : key;
        }
        if (part.subtree != KeyMap::kNone) found.push_back(part.subtree);
        stack.push_back(part);
    }
    end_tree(found);
    return true;
}

std::uint32_t TreeSet::intern(std::uint64_t key, std::span<const std::uint32_t> children) {
    // Equal productions have equally many children below, but for a collision of keys, which moves to another key.
    std::uint32_t class_id;
    for (;; ++key) {
        class_id = class_ids_.insert(key, static_cast<std::uint32_t>(keys_.size()));
        if (class_id == keys_.size()) {
            keys_.push_back(key);
            class_arity_.push_back(static_cast<std::uint32_t>(children.size()));
        }
        if (kind_ != Fragments::subset || class_arity_[class_id] == children.size()) break;
    }
    std::uint32_t size = 1;
    for (std::uint32_t child : children) size += child == KeyMap::kNone ? 0 : subtrees_[child].size;
    const bool linked = kind_ != Fragments::complete;
    std::uint64_t identity = combine(kRule, class_id);
    if (linked)
        for (std::uint32_t child : children) identity = combine(identity, child);
    for (;; ++identity) {
        const std::uint32_t id = subtree_ids_.insert(identity, static_cast<std::uint32_t>(subtrees_.size()));
        if (id == subtrees_.size()) {
            if (subtrees_.size() >= KeyMap::kNone - 1 || children_.size() + children.size() >= KeyMap::kNone)
                throw std::length_error("there are more distinct subtrees than 32 bits can number");
            subtrees_.push_back({class_id, static_cast<std::uint32_t>(children_.size()),
                                 linked ? static_cast<std::uint32_t>(children.size()) : 0, size});
            if (linked) children_.insert(children_.end(), children.begin(), children.end());
            return id;
        }
        const Subtree& known = subtrees_[id];
        if (known.class_id == class_id && (!linked || std::ranges::equal(this->children(known), children))) return id;
    }
}

std::uint32_t TreeSet::add_subtree(const TreeSet& other, std::uint32_t subtree, std::span<const std::uint32_t> children) {
    const Subtree& given = other.subtree(subtree);
    const std::uint32_t id = intern(other.key(given.class_id), children);
    subtrees_[id].size = given.size;  // complete subtrees come without their children
    return id;
}

void TreeSet::end_tree(std::vector<std::uint32_t>& found) {
    std::sort(found.begin(), found.end());
    const std::size_t start = bag_.size();
    for (std::size_t i = 0, j; i < found.size(); i = j) {
        for (j = i; j < found.size() && found[j] == found[i];) ++j;
        bag_.push_back(found[i]);
        counts_.push_back(static_cast<std::uint32_t>(j - i));
        by_key_.push_back(static_cast<std::uint32_t>(bag_.size() - 1 - start));
    }
    const auto key_at = [&](std::uint32_t place) { return keys_[subtrees_[bag_[start + place]].class_id]; };
    std::sort(by_key_.begin() + static_cast<std::ptrdiff_t>(start), by_key_.end(), [&](std::uint32_t a, std::uint32_t b) {
        const std::uint64_t x = key_at(a), y = key_at(b);
        return x != y ? x < y : a < b;
    });
    offsets_.push_back(bag_.size());
}

std::vector<std::uint32_t> TreeSet::classes_of(const TreeSet& other) const {
    std::vector<std::uint32_t> same(other.n_classes());
    for (std::size_t c = 0; c < same.size(); ++c)
        same[c] = &other == this ? static_cast<std::uint32_t>(c) : class_of(other.keys_[c]);
    return same;
}

}  // namespace palmette

// Phrases as paths in a trie: equal phrases end in the same node, and nothing but words is compared.
//
// Nodes are numbered as they come; 0 is the root, the empty phrase. A step is one lookup in a hash table.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

#include "base/key_map.hpp"

namespace palmette {

class PhraseTrie {
public:
    PhraseTrie() : parent_{0}, word_{0} {}

    std::size_t size() const { return parent_.size(); }
    std::uint32_t parent(std::uint32_t node) const { return parent_[node]; }  // a lower number than the node has
    std::uint32_t word(std::uint32_t node) const { return word_[node]; }

    // The node below another with this word, which is made if there is none.
    std::uint32_t child(std::uint32_t node, std::uint32_t word) {
        const auto next = static_cast<std::uint32_t>(size());
        const std::uint32_t found = map_.insert(std::uint64_t{node} << 32 | word, next);
        if (found != next) return found;
        if (next == KeyMap::kNone - 1) throw std::length_error("more than four thousand million different phrases");
        parent_.push_back(node);
        word_.push_back(word);
        return next;
    }

    // The node below another with this word, or KeyMap::kNone.
    std::uint32_t find(std::uint32_t node, std::uint32_t word) const { return map_.find(std::uint64_t{node} << 32 | word); }

    template <class Word>
    std::uint32_t insert(std::span<const Word> words) {
        std::uint32_t node = 0;
        for (const Word word : words) node = child(node, static_cast<std::uint32_t>(word));
        return node;
    }

    // The words from the root to a node.
    void spell(std::uint32_t node, std::vector<std::uint32_t>& words) const {
        words.clear();
        for (; node; node = parent_[node]) words.push_back(word_[node]);
        for (std::size_t k = 0, last = words.size(); k + 1 < last; ++k) std::swap(words[k], words[--last]);
    }

private:
    std::vector<std::uint32_t> parent_, word_;
    KeyMap map_;
};

}  // namespace palmette

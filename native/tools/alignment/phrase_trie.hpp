// Phrases as paths in a trie: equal phrases end in the same node, and nothing but words is compared.
//
// Nodes are numbered as they come; 0 is the root, the empty phrase. A step is one lookup in a hash table of node numbers, at
// most half full: 16 to 24 bytes a node in all.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "base/hashing.hpp"

namespace palmette {

class PhraseTrie {
public:
    static constexpr std::uint32_t none = 0xFFFFFFFFu;

    PhraseTrie() : nodes_(1), slots_(64, none) {}

    std::size_t size() const { return nodes_.size(); }
    std::uint32_t parent(std::uint32_t node) const { return nodes_[node].parent; }  // a lower number than the node has
    std::uint32_t word(std::uint32_t node) const { return nodes_[node].word; }

    // The node below another with this word, which is made if there is none.
    std::uint32_t child(std::uint32_t node, std::uint32_t word) {
        std::size_t at = place(node, word);
        for (; slots_[at] != none; at = (at + 1) & (slots_.size() - 1))
            if (is(slots_[at], node, word)) return slots_[at];
        const auto next = static_cast<std::uint32_t>(size());
        if (next == none) throw std::length_error("more than four thousand million different phrases");
        slots_[at] = next;
        nodes_.push_back({node, word});
        if (2 * size() > slots_.size()) grow();
        return next;
    }

    // The node below another with this word, or none.
    std::uint32_t find(std::uint32_t node, std::uint32_t word) const {
        std::size_t at = place(node, word);
        while (slots_[at] != none && !is(slots_[at], node, word)) at = (at + 1) & (slots_.size() - 1);
        return slots_[at];
    }

    template <class Word>
    std::uint32_t insert(std::span<const Word> words) {
        std::uint32_t node = 0;
        for (const Word word : words) node = child(node, static_cast<std::uint32_t>(word));
        return node;
    }

    // The words from the root to a node.
    void spell(std::uint32_t node, std::vector<std::uint32_t>& words) const {
        words.clear();
        for (; node; node = nodes_[node].parent) words.push_back(nodes_[node].word);
        for (std::size_t k = 0, last = words.size(); k + 1 < last; ++k) std::swap(words[k], words[--last]);
    }

private:
    struct Node {
        std::uint32_t parent = 0, word = 0;
    };

    std::size_t place(std::uint32_t node, std::uint32_t word) const { return mix_bits(std::uint64_t{node} << 32 | word) & (slots_.size() - 1); }
    bool is(std::uint32_t found, std::uint32_t node, std::uint32_t word) const { return nodes_[found].parent == node && nodes_[found].word == word; }

    void grow() {
        slots_.assign(2 * slots_.size(), none);
        for (std::uint32_t v = 1; v < size(); ++v) {
            std::size_t at = place(nodes_[v].parent, nodes_[v].word);
            while (slots_[at] != none) at = (at + 1) & (slots_.size() - 1);
            slots_[at] = v;
        }
    }

    std::vector<Node> nodes_;
    std::vector<std::uint32_t> slots_;
};

}  // namespace palmette

// Which source sides of the table a sentence has: the part of the trie that its words can reach, read once.
//
// A node lists its children by those words of the sentence that they have, and by nonterminals, so that a chart that walks the
// trie from many places never searches the table twice.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "base/stamped_map.hpp"
#include "tools/translation/chart/rule_cache.hpp"

namespace palmette {

class SentenceTrie {
public:
    static constexpr std::uint32_t kNone = 0xFFFFFFFFu;

    struct Child {
        std::uint32_t symbol, node;  // a type of word of the sentence, or a label
    };
    struct Node {
        std::uint32_t table = 0, n_tails = 0;
        std::uint32_t first_word = 0, n_words = 0, first_label = 0, n_labels = 0;
        RuleCache::Range rules;
        bool is_read = false, has_rules = false, is_ranked = false;
    };

    // words: of the table; kNoWord where no rule may match.
    void begin(const ChartModel& model, std::span<const std::uint32_t> words);

    std::uint32_t root() const { return 0; }
    // A node whose children are there.
    const Node& read(std::uint32_t node) {
        if (!nodes_[node].is_read) read_children(node);
        return nodes_[node];
    }
    Node& at(std::uint32_t node) { return nodes_[node]; }
    std::uint32_t child(const Node& node, std::uint32_t word_type) const {
        for (std::uint32_t k = 0; k < node.n_words; ++k)
            if (children_[node.first_word + k].symbol == word_type) return children_[node.first_word + k].node;
        return kNone;
    }
    Child label_child(const Node& node, std::uint32_t k) const { return children_[node.first_label + k]; }
    // The type of the word at a place; kNone where no rule may match.
    std::uint32_t type(std::uint32_t place) const { return types_[place]; }

private:
    void read_children(std::uint32_t node);
    std::uint32_t add(std::uint32_t table, std::uint32_t n_tails);

    const ChartModel* model_ = nullptr;
    std::vector<std::uint32_t> types_, words_;  // of each place; of each type, rising
    std::vector<Node> nodes_;
    std::vector<Child> children_;
};

}  // namespace palmette

// Phrase pairs with their scores, as arrays that can lie in a mapped file.
//
// Source phrases are paths in a trie. Its nodes are numbered breadth first, so that the children of node v are the nodes
// child_begin[v] … child_begin[v + 1] − 1, in the order of their words; node 0 is the root. The pairs of the phrase that node v
// spells are pair_begin[v] … pair_begin[v + 1] − 1, best first. Finding a phrase of n words is O(n log children).
//
// A file may say anything. So every access here is checked, at a few instructions each, and throws DamagedTable: what was
// looked up is good, and a table need not be read from end to end before its first use.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>

#include "tools/translation/checked_rows.hpp"

namespace palmette {

struct PhraseTableView {
    static constexpr std::uint32_t none = 0xFFFFFFFFu;
    static constexpr std::size_t longest = 255;  // words of a phrase: a link inside is two bytes

    struct Range {
        std::uint32_t begin = 0, end = 0;
        std::size_t size() const { return end - begin; }
    };

    std::uint32_t n_source_words = 0, n_target_words = 0;           // sizes of the two vocabularies
    std::span<const std::uint32_t> child_begin, child_word;         // [nodes + 1], [nodes]
    std::span<const std::uint32_t> pair_begin, pair_target;         // [nodes + 1], [pairs]
    std::span<const std::uint32_t> target_begin, target_words;      // [targets + 1], […]
    std::span<const std::uint32_t> link_begin;                      // [pairs + 1]
    std::span<const std::uint16_t> links;                           // source word << 8 | target word, counted inside the pair
    std::span<const float> scores, reordering;                      // [pairs][n_columns], [pairs][n_reordering], natural logarithms
    std::size_t n_columns = 0, n_reordering = 0;

    std::size_t n_nodes() const { return child_word.size(); }
    std::size_t n_pairs() const { return pair_target.size(); }
    std::size_t n_targets() const { return target_begin.size() - 1; }

    // Whether the lengths of all arrays agree; O(1). Everything below needs it.
    void check_lengths() const;
    // Whether every access would succeed, and siblings rise; O(size).
    void check() const;

    // The node below another with this word on its edge, or none.
    std::uint32_t child(std::uint32_t node, std::uint32_t word) const {
        const Range found = range(child_begin, node, n_nodes(), "the children of a node");
        const std::uint32_t* first = child_word.data() + found.begin;
        const std::uint32_t* last = child_word.data() + found.end;
        const std::uint32_t* at = std::lower_bound(first, last, word);
        return at == last || *at != word ? none : static_cast<std::uint32_t>(at - child_word.data());
    }

    // The node that a source phrase leads to, or none.
    std::uint32_t find(std::span<const std::uint32_t> words) const {
        std::uint32_t node = 0;
        for (std::size_t k = 0; k < words.size() && node != none; ++k) node = child(node, words[k]);
        return node;
    }

    Range pairs(std::uint32_t node) const { return range(pair_begin, node, n_pairs(), "the pairs of a source phrase"); }

    // The words of the target phrase of a pair: at least one, each in the vocabulary.
    std::span<const std::uint32_t> target(std::uint32_t pair) const {
        if (pair >= n_pairs()) damaged("a phrase pair");
        if (pair_target[pair] >= n_targets()) damaged("the target phrase of a pair");
        const Range found = range(target_begin, pair_target[pair], target_words.size(), "the words of a target phrase");
        if (found.size() == 0 || found.size() > longest) damaged("the length of a target phrase");
        const auto words = target_words.subspan(found.begin, found.size());
        for (const std::uint32_t word : words)
            if (word >= n_target_words) damaged("a word of a target phrase");
        return words;
    }

    // All finite.
    std::span<const float> scores_of(std::uint32_t pair) const { return row(scores, n_columns, pair); }
    std::span<const float> reordering_of(std::uint32_t pair) const { return row(reordering, n_reordering, pair); }

    // The links of a pair, which lie inside n_source source words and the target phrase.
    std::span<const std::uint16_t> links_of(std::uint32_t pair, std::size_t n_source) const {
        const Range found = range(link_begin, pair, links.size(), "the links of a pair");
        const auto inside = links.subspan(found.begin, found.size());
        const std::size_t n_target = target(pair).size();
        for (const std::uint16_t link : inside)
            if (static_cast<std::size_t>(link >> 8) >= n_source || static_cast<std::size_t>(link & 255) >= n_target) damaged("a link of a pair");
        return inside;
    }

private:
    [[noreturn]] static void damaged(const char* what);

    static Range range(std::span<const std::uint32_t> begins, std::uint32_t row, std::size_t n, const char* what) {
        if (std::size_t{row} + 1 >= begins.size()) damaged(what);
        const Range found{begins[row], begins[row + 1]};
        if (found.begin > found.end || found.end > n) damaged(what);
        return found;
    }

    std::span<const float> row(std::span<const float> values, std::size_t width, std::uint32_t pair) const {
        if (pair >= n_pairs()) damaged("a phrase pair");
        const auto found = values.subspan(pair * width, width);
        for (const float value : found)
            if (!std::isfinite(value)) damaged("a score, which is not a finite number");
        return found;
    }
};

}  // namespace palmette

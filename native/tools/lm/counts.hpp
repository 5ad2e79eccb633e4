// How often every n-gram of a text occurs, as a trie in order of the words' numbers.
//
// Level k holds the (k+1)-grams, sorted by their words from the first on; the children of node i of level k, the
// n-grams that begin with it, are nodes starts[k][i] … starts[k][i + 1] of level k + 1. Level 0 holds every word of
// the vocabulary, node i is word i. No n-gram crosses the end of a line, and <s> is only at the front.
//
// Counting sorts the places of the text by their first word, and those of each word by the words that follow
// (tools/lm/sorting.hpp). Then the nodes come by in order, once; and what a node is without its first word is the node of the
// level below that was the last to appear in this order up to the rank of the place after: a sum of bits.
// O(tokens · order); memory is read and written where it was before, or once.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "base/raw_vector.hpp"

namespace palmette {

using Ids = RawVector<std::uint32_t>;

struct CountLevel {
    Ids words;    // the last word of each n-gram; empty at level 0
    Ids starts;   // where the children of each begin, and where the last end; empty at the last level
    Ids counts;   // how often each occurs
    Ids suffixes; // the node of the level below that is it without its first word; empty at level 0
};

struct CountTrie {
    std::vector<CountLevel> levels;

    int order() const { return static_cast<int>(levels.size()); }
    std::uint32_t size(int level) const { return static_cast<std::uint32_t>(levels[level].counts.size()); }
};

// Counts all n-grams of n = 1 … order; tokens are sentences <s> … </s> of numbers below n_words.
CountTrie count_ngrams(std::span<const std::uint32_t> tokens, std::uint32_t n_words, int order, int n_jobs);

// The two together; n-grams of both have the sum of their counts. Without suffixes: see `link_suffixes`.
CountTrie merge_counts(const CountTrie& a, const CountTrie& b);

// The suffix of every n-gram, by descending in step: O(n-grams · log children).
void link_suffixes(CountTrie& trie, int n_jobs);

}  // namespace palmette

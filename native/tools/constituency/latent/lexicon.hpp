// Words and the substates of their tags. A word is a chain of contexts from the most general to itself (all rare words,
// words that look like it, the word); each context c of the chain backs off to the one before it:
//
//   p(s | c) = (count(s, c) + strength · p(s | context before c)) / (count(c) + strength)
//
// and the word's weight below substate s is p(s | word) / p(s), which is P(word | s) but for a factor of the word.
// Then weights of one tag are drawn a little towards their mean ("smoothing").
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tools/constituency/latent/grammar.hpp"

namespace palmette {

struct LatentLexicon {
    std::vector<std::int32_t> begin;      // context -> its first entry; one past the last
    std::vector<std::int32_t> tag;        // entry -> symbol
    std::vector<std::size_t> place;       // entry -> its counts
    std::vector<float> counts;            // of substates, as many per entry as its tag's padded number
    std::vector<float> total;             // of a context
    std::vector<float> prior;             // by row, the frequency of a substate among all words
    std::vector<float> strength;          // of every place in the chain
    float smoothing = 0;
    std::vector<std::int32_t> tags;       // the symbols that are tags

    void check(int n_symbols) const;  // std::invalid_argument if the contexts, entries or tags do not fit

    // Entries of contexts, with zero counts: laid out for the grammar's substates.
    void lay_out(const LatentLayout& layout);

    // The weights of a word in all substates of all tags: out has the width of the layout; other places keep what they
    // have. Contexts below zero are not there.
    void weigh(const LatentLayout& layout, std::span<const std::int32_t> chain, float* out) const;

    // As above for one tag, whose entries in the contexts of the chain are given (below zero: none).
    void weigh_tag(const LatentLayout& layout, int symbol, std::span<const std::int32_t> chain,
                   std::span<const std::int32_t> entries, float* out) const;

  private:
    void finish(const LatentLayout& layout, int symbol, float* row) const;
};

}  // namespace palmette

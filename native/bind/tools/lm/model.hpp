// What the files that bind language models share.
#pragma once
#include <tuple>
#include <vector>

#include "base/word_table.hpp"
#include "bind/bind.hpp"
#include "tools/lm/model.hpp"

// A backoff model as plain arrays, and its words.
struct NgramPlain {
    palmette::WordTable words;
    palmette::BackoffModel model;
};

// The words that lie in two arrays; std::invalid_argument if the second does not cut the first.
palmette::WordTable checked_words(const Array<std::uint8_t>& text, const Array<std::int64_t>& offsets);

// Counts from words, starts and counts of each level; std::invalid_argument if they are not a trie.
palmette::CountTrie checked_counts(
    const std::vector<std::tuple<Array<std::uint32_t>, Array<std::uint32_t>, Array<std::uint32_t>>>& levels,
    std::size_t n_words);

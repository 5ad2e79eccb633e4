// Probabilities of words after their histories, from a trie or, faster, from its hash table.
//
// For every word of a text the n-grams that end there are looked up: of one word, of two, until one is missing. If L
// words is the longest, and the history has n-grams of up to M words,
//
//     log p(w | h) = prob[longest] + Σ backoff[last k words of h], k = L … M
//
// and the backoffs are those found when the word before was looked up. With a table no lookup waits for another: keys
// are made, and their lines fetched, a few words ahead of where they are read.
#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "ngram_table.hpp"
#include "ngram_trie.hpp"
#include "word_table.hpp"

namespace palmette {

inline constexpr int kMaxOrder = 9;

// What a history means to the words after it: its last words, as many as matter, and their backoffs.
struct NgramState {
    std::uint8_t length = 0;
    std::array<std::uint32_t, kMaxOrder - 1> words{};  // the last word first
    std::array<float, kMaxOrder - 1> backoffs{};       // of the last word, the last two, …

    bool operator==(const NgramState& other) const {
        return length == other.length && std::equal(words.begin(), words.begin() + length, other.words.begin());
    }
};

struct WordScore {
    float log_prob;      // base 10
    std::uint8_t length; // of the n-gram that was found
    bool unknown;
};

class NgramQuery {
public:
    NgramQuery(const WordTable& words, std::span<const float> unigrams, const TrieView& trie, const TableView& table)
        : words_(words), unigrams_(unigrams), trie_(trie), table_(table) {}

    int order() const { return trie_.order(); }

    // Sentences as strings of words; the words' scores in order, and with `ends` that of </s> after each sentence.
    // `totals` has room for a sum per sentence, or is empty.
    void score(std::span<const std::string_view> sentences, bool begins, bool ends, int n_jobs,
               std::span<double> totals, std::vector<WordScore>* each, std::vector<std::int64_t>* bounds) const;

    // The history that begins a sentence.
    NgramState begin() const;
    // The score of a word and the history with it.
    WordScore score(const NgramState& state, std::uint32_t word, NgramState& next) const;
    // p(w | history) for every word: O(words + children of the history and its suffixes).
    std::vector<float> distribution(const NgramState& state) const;

private:
    friend class Run;
    const WordTable& words_;
    std::span<const float> unigrams_;
    const TrieView& trie_;
    const TableView& table_;
};

}  // namespace palmette

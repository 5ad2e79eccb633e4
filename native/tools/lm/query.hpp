// Probabilities of words after their histories, from a trie or, faster, from its hash table.
//
// If the longest n-gram of the model that ends at a word has L words, and the longest that ends before it has M,
//
//     log p(w | h) = prob[longest] + Σ backoff[last k words of h], k = L … M
//
// With a table, L is found by bisection, since the end of an n-gram of the model is one too; no lookup waits for
// another, and their lines are fetched ahead. With a trie, the n-grams that end at a word are children of those
// that end before it; several sentences go side by side, so that their searches wait for memory together.
#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/word_table.hpp"
#include "tools/lm/table.hpp"
#include "tools/lm/trie.hpp"

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

// The scores of all words of some sentences, those of sentence i at bounds[i] to bounds[i + 1].
struct WordScores {
    std::vector<float> log_probs;
    std::vector<std::uint8_t> lengths, unknown;
    std::vector<std::int64_t> bounds;
};

class NgramQuery {
public:
    NgramQuery(const WordTable& words, std::span<const float> unigrams, const TrieView& trie, const TableView& table)
        : words_(words), unigrams_(unigrams), trie_(trie), table_(table) {}

    int order() const { return trie_.order(); }

    // Sentences as strings of words: the sum of each, with that of </s> after it if it `ends`.
    void score(std::span<const std::string_view> sentences, bool begins, bool ends, int n_jobs,
               std::span<double> totals) const;
    // The same for each word.
    WordScores score_words(std::span<const std::string_view> sentences, bool begins, bool ends, int n_jobs) const;

    // The history that begins a sentence.
    NgramState begin() const;
    // The score of a word and the history with it.
    WordScore score(const NgramState& state, std::uint32_t word, NgramState& next) const;
    // p(w | history) for every word: O(words + children of the history and its suffixes).
    std::vector<float> distribution(const NgramState& state) const;

private:
    // Calls take(sentence, place in it, score) for every word that counts, sentence by sentence in each piece.
    template <class Take>
    void each_word(std::span<const std::string_view> sentences, bool begins, bool ends, int n_jobs, Take&& take) const;

    const WordTable& words_;
    std::span<const float> unigrams_;
    const TrieView& trie_;
    const TableView& table_;
};

}  // namespace palmette

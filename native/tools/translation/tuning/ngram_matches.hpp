// What BLEU counts of a sentence: n-grams of up to four words that a translation shares with its references.
//
// The references are a trie of their n-grams; a node has the most that one reference has of its n-gram, which clips the
// count of the translation. CSC 448, §21.1. A sentence of m words costs O(4 m) look-ups. The counts are exact, and those
// of sacrebleu.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "base/key_map.hpp"

namespace palmette {

inline constexpr int kBleuOrder = 4;
inline constexpr int kBleuCounts = 2 + 2 * kBleuOrder;  // length, length of the reference, right n-grams, all n-grams

using Words = std::span<const std::uint32_t>;

// The references of one sentence.
class NgramReferences {
public:
    // What a count keeps between calls, so that it allocates nothing; one for each thread.
    struct Scratch {
        std::vector<std::uint32_t> used, touched;
    };

    void add(Words reference);
    // Writes kBleuCounts numbers; the reference's length is the nearest one, the shorter of two as near.
    void count(Words words, Scratch& scratch, float* counts) const;

private:
    KeyMap children_;                     // (node, word) → node; node 0 is the root
    std::vector<std::uint32_t> most_{0};  // of each n-gram in one reference
    std::vector<std::int32_t> lengths_;
};

// Translations t of sentence s: translation[s] … translation[s + 1] - 1, words of t: word[t] … word[t + 1] - 1; the
// references in the same way. Returns kBleuCounts numbers for each translation, the same for any number of threads.
struct Grouped {
    std::span<const std::int64_t> texts;  // of each sentence
    std::span<const std::int64_t> words;  // of each text
    const std::uint32_t* ids;

    std::size_t size() const { return texts.size() - 1; }
    Words text(std::size_t t) const {
        return {ids + words[t], static_cast<std::size_t>(words[t + 1] - words[t])};
    }
};
std::vector<float> count_ngrams(const Grouped& translations, const Grouped& references, int n_jobs);

}  // namespace palmette

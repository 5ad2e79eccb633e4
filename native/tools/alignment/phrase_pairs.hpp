// The distinct phrase pairs of an aligned text with their counts (CSC 448, §15.2; Koehn, Och and Marcu 2003).
//
// All blocks of all sentences (phrase_blocks.hpp) are found in pieces of the text; each takes 12 bytes. Their phrases become
// nodes of two tries, one a side, so that pairs are equal exactly if two numbers are. A counting sort by source node and a sort
// by target node inside each brings equal pairs together. Linear in the blocks; the result does not depend on the threads.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "tools/alignment/bitext.hpp"
#include "tools/alignment/orientation.hpp"
#include "tools/alignment/phrase_trie.hpp"

namespace palmette {

// Pairs as nodes of two tries.
struct PairNodes {
    PhraseTrie source, target;
    std::vector<std::uint32_t> source_node, target_node;
};

// Links of all sentences, sorted by source word; those of sentence s from at[s] on, those of the t-th source word of the text
// from of_word[t] on.
struct SortedLinks {
    std::vector<std::int64_t> at, of_word;
    std::vector<std::int32_t> source, target;

    // The links have been checked to lie in their sentences.
    SortedLinks(const Side& text, std::span<const std::int64_t> links_at, std::span<const std::int32_t> link_source,
                std::span<const std::int32_t> link_target);
};

struct PhrasePairs {
    // Where a pair occurs: first words counted from the beginning of the text, numbers of words; and how it lies to its neighbours.
    struct Place {
        std::uint32_t source_at, target_at;
        std::uint8_t source_length, target_length;
        Orientation before, after;
    };
    PairNodes nodes;
    std::vector<Place> places;               // of each pair, the first with the links that are commonest with it
    std::vector<std::uint32_t> count;        // of each pair
    std::vector<std::uint32_t> orientation;  // [pair][before, after][orientation], if it was asked for
    std::vector<std::uint32_t> source_count, target_count;  // of each node, in blocks
};

// longest: words of a phrase on either side, at most 255.
PhrasePairs phrase_pairs(const Side& source, const Side& target, const SortedLinks& links, std::int32_t longest, OrientationKind kind, int n_jobs);

// For the shards of a text: `phrase_variants` finds the pairs of some sentences, where a pair with other links is another one, so
// that nothing is decided that follows from the whole text. `pairs_of_variants` finds the pairs of all sentences from the variants
// in the order of their places, with one count and six of orientations for each. These are the pairs of `phrase_pairs`.
PhrasePairs phrase_variants(const Side& source, const Side& target, const SortedLinks& links, std::int32_t longest, OrientationKind kind, int n_jobs);
PhrasePairs pairs_of_variants(const Side& source, const Side& target, const SortedLinks& links, std::span<const PhrasePairs::Place> places,
                              std::span<const std::uint32_t> count, std::span<const std::uint32_t> orientation, int n_jobs);

// The sentence that each pair's place is in.
std::vector<std::int32_t> sentences_of(const Side& source, std::span<const PhrasePairs::Place> places);

}  // namespace palmette

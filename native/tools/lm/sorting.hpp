// The places of a text that have the same first word, in order of the words that follow.
//
// The words that follow a place, up to the end of its sentence, are gathered once, so that all the rest happens in
// little memory; keys of as many words as 64 bits hold are sorted by digits, and places that agree in them again by
// the words after.
#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "base/raw_vector.hpp"

namespace palmette {

inline constexpr int kMostWords = 16;  // in an n-gram; a mark holds no more

class NgramSorter {
public:
    // In how many words a place agrees with the one before, and how many n-grams begin there for the first time:
    // those of same + 1 … same + n_new words. The first place of all agrees in one.
    struct Mark {
        std::uint8_t same : 4, n_new : 4;
    };

    NgramSorter(std::span<const std::uint32_t> tokens, std::uint32_t n_words, int order);

    // Sorts n places, none of them an end of a sentence, and marks them.
    void sort(std::uint32_t* places, std::uint32_t n, Mark* marks);

    RawVector<std::uint32_t> new_words;          // the last words of new n-grams, place by place
    std::array<std::uint32_t, kMostWords> sizes{};  // how many n-grams of k + 1 words are new

private:
    const std::uint32_t* following(std::uint32_t i) const { return words_.data() + std::size_t{i} * width_; }
    void gather(const std::uint32_t* places, std::uint32_t n);
    void refine(std::uint32_t first, std::uint32_t n, int depth);
    void insert(std::uint32_t first, std::uint32_t n, int depth);
    void mark(const std::uint32_t* words, int same, Mark& mark);

    std::span<const std::uint32_t> tokens_;
    int order_, width_, word_bits_;
    RawVector<std::uint32_t> words_;   // width_ = order - 1 of each place; 0 after the end of the sentence
    RawVector<std::uint32_t> order_of_, spare_;  // places by number among those at hand
    RawVector<std::uint64_t> keys_, spare_keys_;
    RawVector<std::uint8_t> same_;
};

}  // namespace palmette

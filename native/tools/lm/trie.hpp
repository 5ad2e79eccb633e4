// A backoff model in little memory: what a model file holds, mapped and not copied.
//
// Level 0 is a probability and a backoff for every word. An n-gram of a higher level is a record of bits: its last
// word, its probability and, below the highest order, its backoff; either 32 bits each, or the number of one of 2^q
// values of its level (quantized). Where children begin is a rising sequence (base/packed_bits.hpp): about 85 bits for an
// n-gram of 100,000 words, 37 if quantized to 8 bits. A child is found by binary search.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "base/packed_bits.hpp"
#include "tools/lm/model.hpp"

namespace palmette {

struct PackedLevel {
    Bytes records;
    RisingView::Parts starts;
    std::vector<float> codes;  // 2^q probabilities, then as many backoffs; empty if not quantized
};

// Level 0 of the result has no records: its values stay as they are in the model. `quantize` is a number of bits, 0 for
// exact values.
std::vector<PackedLevel> pack(const BackoffModel& model, int quantize, int n_jobs);

// A place in the trie; length 0 is the root.
class TrieView {
public:
    struct Level {
        std::uint64_t size = 0;
        ByteView records;
        RisingView starts;  // of the children; not at the last level
        std::span<const float> codes;
    };

    static int record_bits(int word_bits, int quantize, bool last) {
        return word_bits + (quantize ? quantize : 32) * (last ? 1 : 2);
    }

    TrieView() = default;
    // The caller has checked all sizes. `unigrams` has two numbers for each word.
    TrieView(std::span<const float> unigrams, std::vector<Level> levels, int quantize)
        : unigrams_(unigrams), levels_(std::move(levels)), quantize_(quantize),
          word_bits_(bits_for(levels_[0].size)), value_bits_(quantize ? quantize : 32),
          word_mask_((std::uint64_t{1} << word_bits_) - 1), value_mask_((std::uint64_t{1} << value_bits_) - 1) {}

    int order() const { return static_cast<int>(levels_.size()); }
    int quantize() const { return quantize_; }
    std::uint64_t size(int level) const { return levels_[level].size; }
    static constexpr std::uint64_t none = ~std::uint64_t{0};

    RisingView::Pair children(int level, std::uint64_t node) const { return levels_[level].starts.pair(node); }
    void prefetch_children(int level, std::uint64_t node) const { levels_[level].starts.prefetch(node); }

    void prefetch(int level, std::uint64_t node) const {
        __builtin_prefetch(levels_[level].records.data() + (node * stride(level) >> 3));
    }
    std::uint32_t word(int level, std::uint64_t node) const {
        return static_cast<std::uint32_t>(read_bits(levels_[level].records.data(), node * stride(level), word_mask_));
    }
    float prob(int level, std::uint64_t node) const {
        return level ? value(level, node, word_bits_, 0) : unigrams_[2 * node];
    }
    float backoff(int level, std::uint64_t node) const {
        return level ? value(level, node, word_bits_ + value_bits_, std::size_t{1} << quantize_) : unigrams_[2 * node + 1];
    }

    // The node of `level` + 1 for a word among the children of a node, or `none`.
    std::uint64_t child(int level, std::uint64_t node, std::uint32_t word) const {
        auto [low, high] = children(level, node);
        const std::uint64_t end = high;
        const std::uint8_t* records = levels_[level + 1].records.data();
        const std::uint64_t stride = this->stride(level + 1);
        while (low < high) {
            const std::uint64_t middle = (low + high) / 2;
            if (read_bits(records, middle * stride, word_mask_) < word)
                low = middle + 1;
            else
                high = middle;
        }
        return low < end && read_bits(records, low * stride, word_mask_) == word ? low : none;
    }

    // The whole model as plain arrays, without suffixes. std::invalid_argument if the arrays are not a trie.
    BackoffModel unpack() const;

private:
    std::uint64_t stride(int level) const { return record_bits(word_bits_, quantize_, level + 1 == order()); }

    float value(int level, std::uint64_t node, int skip, std::size_t codes) const {
        const std::uint64_t bits = read_bits(levels_[level].records.data(), node * stride(level) + skip, value_mask_);
        if (quantize_) return levels_[level].codes[codes + bits];
        return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    }

    std::span<const float> unigrams_;
    std::vector<Level> levels_;
    int quantize_ = 0, word_bits_ = 1, value_bits_ = 32;
    std::uint64_t word_mask_ = 1, value_mask_ = 1;
};

}  // namespace palmette

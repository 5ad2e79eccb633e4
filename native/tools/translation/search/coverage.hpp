// Sets of source words that are translated, each kept once and named by a number. CSC 448, §15.4.
#pragma once
#include <bit>
#include <cstdint>
#include <vector>

#include "base/stamped_map.hpp"

namespace palmette {

class Coverages {
public:
    void reset(std::uint32_t n_words) {
        n_ = n_words;
        width_ = n_words / 64 + 1;  // the place behind the last word is never covered
        bits_.assign(width_, 0);
        first_gap_.assign(1, 0);
        slots_.clear();
    }

    static constexpr std::uint32_t kEmpty = 0;

    bool covers(std::uint32_t set, std::uint32_t word) const { return bits_[set * width_ + word / 64] >> word % 64 & 1; }
    std::uint32_t first_gap(std::uint32_t set) const { return first_gap_[set]; }
    // The first covered word from a place on, or the number of words.
    std::uint32_t next_covered(std::uint32_t set, std::uint32_t from) const {
        const std::uint64_t* bits = &bits_[set * width_];
        std::uint64_t block = from / 64, word = bits[block] >> from % 64 << from % 64;
        while (!word) {
            if (++block == width_) return n_;
            word = bits[block];
        }
        return static_cast<std::uint32_t>(block * 64 + std::countr_zero(word));
    }

    // The set with begin … end − 1 as well.
    std::uint32_t with(std::uint32_t set, std::uint32_t begin, std::uint32_t end) {
        const std::size_t made = bits_.size();
        bits_.resize(made + width_);
        std::uint64_t key = 0;
        for (std::size_t k = 0; k < width_; ++k) bits_[made + k] = bits_[set * width_ + k];
        for (std::uint32_t i = begin; i < end; ++i) bits_[made + i / 64] |= std::uint64_t{1} << i % 64;
        for (std::size_t k = 0; k < width_; ++k) key = combine(key, bits_[made + k]);
        const std::uint32_t next = static_cast<std::uint32_t>(first_gap_.size());
        const std::uint32_t found = slots_.find_or_make(
            key,
            [&](std::uint32_t other) {
                for (std::size_t k = 0; k < width_; ++k)
                    if (bits_[other * width_ + k] != bits_[made + k]) return false;
                return true;
            },
            [&] { return next; });
        if (found != next) {
            bits_.resize(made);
        } else {
            std::uint32_t gap = first_gap_[set];
            if (gap >= begin && gap < end) {
                gap = end;
                while (bits_[made + gap / 64] >> gap % 64 & 1) ++gap;
            }
            first_gap_.push_back(gap);
        }
        return found;
    }

private:
    std::uint32_t n_ = 0;
    std::size_t width_ = 1;
    std::vector<std::uint64_t> bits_;
    std::vector<std::uint32_t> first_gap_;
    StampedMap slots_;
};

}  // namespace palmette

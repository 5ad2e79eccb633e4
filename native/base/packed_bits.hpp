// Numbers of a few bits each, one after another; and sequences that never fall in 2 + log(rise per item) bits each.
// Everything read is within the bytes at hand, whatever these are: a damaged file gives wrong numbers, not a crash.
#pragma once
#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "base/crew.hpp"
#include "base/raw_vector.hpp"

namespace palmette {

using Bytes = RawVector<std::uint8_t>;
using ByteView = std::span<const std::uint8_t>;

inline constexpr std::size_t kPadding = 8;  // bytes behind the last, so that eight can be read anywhere

inline int bits_for(std::uint64_t largest) { return std::bit_width(largest); }

// Up to 57 bits from bit `at` on.
inline std::uint64_t read_bits(const std::uint8_t* bytes, std::uint64_t at, std::uint64_t mask) {
    std::uint64_t word;
    std::memcpy(&word, bytes + (at >> 3), 8);
    return word >> (at & 7) & mask;
}

// Writes numbers one after another, whatever was there before.
class BitWriter {
public:
    explicit BitWriter(std::uint8_t* out) : out_(out) {}

    // Up to 57 bits.
    void put(std::uint64_t value, int bits) {
        pending_ |= value << n_;
        if ((n_ += bits) < 64) return;
        std::memcpy(out_, &pending_, 8);
        out_ += 8;
        n_ -= 64;
        pending_ = n_ ? value >> (bits - n_) : 0;
    }
    // Whole bytes of what is left; the end of what was written.
    std::uint8_t* finish() {
        std::memcpy(out_, &pending_, (n_ + 7) / 8);
        return out_ + (n_ + 7) / 8;
    }

private:
    std::uint8_t* out_;
    std::uint64_t pending_ = 0;
    int n_ = 0;
};

inline std::uint64_t bytes_for(std::uint64_t bits) { return (bits + 7) / 8 + kPadding; }

// Elias and Fano: of each item the low bits as they are, and the high parts in unary, one bit set for each item.
class RisingView {
public:
    static constexpr std::uint64_t kSample = 64;  // items from one known place to the next

    struct Parts {
        Bytes low;
        std::vector<std::uint64_t> high;
        std::vector<std::uint32_t> samples;
    };

    static int low_bits(std::uint64_t n, std::uint64_t last) { return n && last / n ? bits_for(last / n) - 1 : 0; }
    static std::uint64_t high_words(std::uint64_t n, std::uint64_t last) { return ((last >> low_bits(n, last)) + n) / 64 + 1; }
    static Parts pack(std::span<const std::uint32_t> items, Crew& crew);

    RisingView() = default;
    // The last of the `n` items is `last`; the spans have the sizes that `pack` gives.
    RisingView(std::uint64_t n, std::uint64_t last, ByteView low, std::span<const std::uint64_t> high,
               std::span<const std::uint32_t> samples)
        : n_(n), last_(last), low_bits_(low_bits(n, last)), low_(low), high_(high), samples_(samples) {}

    struct Pair {
        std::uint64_t first, last;
    };
    // Items i and i + 1, i + 1 < n, as a range of 0 … last.
    Pair pair(std::uint64_t i) const {
        const std::uint64_t at = place(i);
        const std::uint64_t next = following(at + 1);
        const std::uint64_t a = value(i, at), b = value(i + 1, next);
        return {std::min(a, last_), std::clamp(b, std::min(a, last_), last_)};
    }

    void prefetch(std::uint64_t i) const {
        const std::uint64_t at = samples_[i / kSample];
        __builtin_prefetch(&high_[std::min<std::uint64_t>(at / 64, high_.size() - 1)]);
    }

    // What the arrays must measure.
    static bool fits(std::uint64_t n, std::uint64_t last, ByteView low, std::span<const std::uint64_t> high,
                     std::span<const std::uint32_t> samples) {
        return low.size() == bytes_for(n * low_bits(n, last)) && high.size() == high_words(n, last) &&
               samples.size() == (n + kSample - 1) / kSample;
    }

private:
    std::uint64_t value(std::uint64_t i, std::uint64_t at) const {
        const std::uint64_t mask = (std::uint64_t{1} << low_bits_) - 1;
        const std::uint64_t high = at >= i ? at - i : 0;
        return high << low_bits_ | (low_bits_ ? read_bits(low_.data(), i * low_bits_, mask) : 0);
    }

    // The place of the i-th bit that is set.
    std::uint64_t place(std::uint64_t i) const {
        const std::uint64_t at = samples_[i / kSample];
        std::uint64_t left = i % kSample, word = at / 64;
        if (word >= high_.size()) return 0;
        std::uint64_t bits = high_[word] & ~std::uint64_t{0} << at % 64;
        for (int here; left >= static_cast<std::uint64_t>(here = std::popcount(bits)); bits = high_[word]) {
            left -= here;
            if (++word >= high_.size()) return 0;
        }
        for (; left; --left) bits &= bits - 1;
        return word * 64 + std::countr_zero(bits);
    }

    // The place of the first bit set from `at` on.
    std::uint64_t following(std::uint64_t at) const {
        std::uint64_t word = at / 64;
        if (word >= high_.size()) return 0;
        std::uint64_t bits = high_[word] & ~std::uint64_t{0} << at % 64;
        while (!bits) {
            if (++word >= high_.size()) return 0;
            bits = high_[word];
        }
        return word * 64 + std::countr_zero(bits);
    }

    std::uint64_t n_ = 0, last_ = 0;
    int low_bits_ = 0;
    ByteView low_;
    std::span<const std::uint64_t> high_;
    std::span<const std::uint32_t> samples_;
};

}  // namespace palmette

// The 64-bit hashes that name attributes. Model files contain them: they are the same on every machine, and never change.
#pragma once
#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace palmette {

inline constexpr std::uint64_t kOdd = 0x9E3779B97F4A7C15u, kOdd2 = 0xD6E8FEB86659FD93u;

inline std::uint64_t mix_bits(std::uint64_t h) {
    h = (h ^ h >> 32) * kOdd2;
    h = (h ^ h >> 32) * kOdd2;
    return h ^ h >> 32;
}

// Up to eight bytes as a number, the first byte lowest.
inline std::uint64_t little_endian(const char* bytes, std::size_t n) {
    std::uint64_t word = 0;
    if constexpr (std::endian::native == std::endian::little) {
        // Two loads that overlap, in place of a call for every length.
        if (n == 8) {
            std::memcpy(&word, bytes, 8);
        } else if (n >= 4) {
            std::uint32_t low, high;
            std::memcpy(&low, bytes, 4);
            std::memcpy(&high, bytes + n - 4, 4);
            word = low | std::uint64_t{high} << 8 * (n - 4);
        } else {
            for (std::size_t i = 0; i < n; ++i) word |= std::uint64_t(static_cast<unsigned char>(bytes[i])) << 8 * i;
        }
    } else {
        for (std::size_t i = 0; i < n; ++i) word |= std::uint64_t(static_cast<unsigned char>(bytes[i])) << 8 * i;
    }
    return word;
}

// Never 0, so that 0 can say "absent".
inline std::uint64_t hash_string(std::string_view text, std::uint64_t seed = 0) {
    const char* p = text.data();
    std::size_t n = text.size();
    std::uint64_t h = seed ^ n * kOdd;
    for (; n >= 8; p += 8, n -= 8) {
        h = (h ^ little_endian(p, 8)) * kOdd;
        h ^= h >> 29;
    }
    if (n) h = (h ^ little_endian(p, n)) * kOdd;
    h = mix_bits(h);
    return h ? h : 1;
}

// A key with one more part. The order of the parts counts.
inline std::uint64_t combine(std::uint64_t key, std::uint64_t part) {
    key = ((key << 23 | key >> 41) ^ part) * kOdd;
    return key ^ key >> 32;
}

}  // namespace palmette

// Keys of features of several tokens: the codes of the tokens, joined with the seed of the template by multiplications.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>

#include "base/hashing.hpp"

namespace palmette {

inline constexpr std::uint64_t template_seed(std::uint64_t family, std::uint64_t number) {
    std::uint64_t h = (family * 1000 + number + 1) * kOdd;
    h = (h ^ h >> 31) * kOdd2;
    return h ^ h >> 29;
}

template <std::size_t N>
constexpr std::array<std::uint64_t, N> template_seeds(std::uint64_t family) {
    std::array<std::uint64_t, N> seeds{};
    for (std::size_t t = 0; t < N; ++t) seeds[t] = template_seed(family, t);
    return seeds;
}

// Two codes and a seed; all 64 bits are mixed, the highest best.
inline std::uint64_t join(std::uint64_t seed, std::uint64_t a, std::uint64_t b) {
    std::uint64_t key = (a ^ seed) * kOdd + b;
    key ^= key >> 32;
    return key * kOdd2;
}
inline std::uint64_t join(std::uint64_t key, std::uint64_t c) {
    key = (key ^ key >> 29) + c;
    return key * kOdd;
}

}  // namespace palmette

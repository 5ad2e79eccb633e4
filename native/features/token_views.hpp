// What a parser sees of a token: a row of 64-bit hashes, 0 where absent, in the order of VIEWS (features/token_views.py);
// and the pieces of its morphology. The arrays belong to the caller.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/hashing.hpp"

namespace palmette {

enum TokenView : std::size_t { kWord, kLemma, kUpos, kXpos, kFeats, kEnd2, kEnd3, kStart3, kShape, kCluster, kViews };

// What comes before the first token and after the last, and the root above all: values that no text has.
inline constexpr std::uint64_t kBefore = 0x5bd1e995a3c59ac3u, kAfter = 0x2127599bf4325c37u, kRoot = 0x880355f21e6d1965u;

struct TokenViews {
    std::size_t n_sentences = 0;
    const std::int64_t* offsets = nullptr;
    const std::uint64_t* values = nullptr;  // [tokens][kViews]
    const std::int64_t* piece_rows = nullptr;
    const std::uint64_t* pieces = nullptr;

    std::size_t length(std::size_t i) const { return static_cast<std::size_t>(offsets[i + 1] - offsets[i]); }
    // The values of token t of the corpus.
    const std::uint64_t* row(std::int64_t t) const { return values + static_cast<std::size_t>(t) * kViews; }
    std::span<const std::uint64_t> morphology(std::int64_t t) const {
        return {pieces + piece_rows[t], static_cast<std::size_t>(piece_rows[t + 1] - piece_rows[t])};
    }
};

}  // namespace palmette

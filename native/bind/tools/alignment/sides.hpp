// Sentences and links that come from Python, checked.
#pragma once
#include <cstddef>
#include <cstdint>

#include "bind/bind.hpp"
#include "tools/alignment/bitext.hpp"

inline std::span<const std::int64_t> checked_offsets(const Array<std::int64_t>& offsets, std::size_t n_words) {
    const auto at = span_of(offsets);
    require(!at.empty() && at.front() == 0 && at.back() == static_cast<std::int64_t>(n_words), "offsets must go from 0 to the number of items");
    for (std::size_t s = 1; s < at.size(); ++s) require(at[s - 1] <= at[s], "offsets must not fall");
    return at;
}

inline void check_links(const palmette::Side& e, const palmette::Side& f, std::span<const std::int64_t> at, const Array<std::int32_t>& source, const Array<std::int32_t>& target) {
    require(e.offsets.size() == f.offsets.size() && e.offsets.size() == at.size(), "both sides and the links must have as many sentences");
    require(source.size() == target.size(), "every link has two words");
    for (std::size_t s = 0; s + 1 < at.size(); ++s)
        for (std::int64_t k = at[s]; k < at[s + 1]; ++k) {
            const std::int32_t i = source.data()[k], j = target.data()[k];
            require(i >= 0 && static_cast<std::size_t>(i) < e.length(s) && j >= 0 && static_cast<std::size_t>(j) < f.length(s), "a link lies outside its sentence");
        }
}

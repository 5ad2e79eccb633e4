#include "packed_bits.hpp"

namespace palmette {

RisingView::Parts RisingView::pack(std::span<const std::uint32_t> items) {
    const std::uint64_t n = items.size(), last = n ? items.back() : 0;
    const int low = low_bits(n, last);
    const std::uint64_t mask = (std::uint64_t{1} << low) - 1;
    Parts parts{Bytes(bytes_for(n * low)), std::vector<std::uint64_t>(high_words(n, last)), {}};
    for (std::uint64_t i = 0; i < n; ++i) {
        const std::uint64_t at = (items[i] >> low) + i;
        parts.high[at / 64] |= std::uint64_t{1} << at % 64;
        if (low) write_bits(parts.low.data(), i * low, items[i] & mask);
        if (i % kSample == 0) parts.samples.push_back(static_cast<std::uint32_t>(at));
    }
    return parts;
}

}  // namespace palmette

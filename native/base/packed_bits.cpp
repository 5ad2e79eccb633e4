#include "base/packed_bits.hpp"

#include <atomic>

#include "base/crew.hpp"

namespace palmette {

RisingView::Parts RisingView::pack(std::span<const std::uint32_t> items, Crew& crew) {
    const std::uint64_t n = items.size(), last = n ? items.back() : 0;
    const int low = low_bits(n, last);
    const std::uint64_t mask = (std::uint64_t{1} << low) - 1;
    Parts parts{Bytes(bytes_for(n * low)), std::vector<std::uint64_t>(high_words(n, last)),
                std::vector<std::uint32_t>((n + kSample - 1) / kSample)};
    constexpr std::uint64_t kItems = 1 << 17;  // of a piece: whole bytes of low bits, whole samples
    crew((n + kItems - 1) / kItems, [&](std::size_t piece, std::size_t) {
        BitWriter out(parts.low.data() + piece * kItems * low / 8);
        // A word of high bits may belong to two pieces.
        std::uint64_t word = 0, bits = 0;
        const auto flush = [&] { std::atomic_ref(parts.high[word]).fetch_or(bits, std::memory_order_relaxed); };
        for (std::uint64_t i = piece * kItems, end = std::min(n, i + kItems); i < end; ++i) {
            const std::uint64_t at = (items[i] >> low) + i;
            if (at / 64 != word) {
                flush();
                word = at / 64;
                bits = 0;
            }
            bits |= std::uint64_t{1} << at % 64;
            out.put(items[i] & mask, low);
            if (i % kSample == 0) parts.samples[i / kSample] = static_cast<std::uint32_t>(at);
        }
        flush();
        out.finish();
    });
    std::fill(parts.low.end() - kPadding, parts.low.end(), 0);
    return parts;
}

}  // namespace palmette

#include "tools/lm/sorting.hpp"

#include <algorithm>
#include <bit>

#include "base/word_table.hpp"

namespace palmette {

namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

constexpr u32 kFew = 12;      // up to this many are inserted one by one
constexpr u32 kRadix = 192;   // as many, and more, are sorted by digits
constexpr u32 kPlacesAhead = 16;    // places whose words are fetched in advance

// Sorts keys by `bits` bits from `shift` on, stably; `spare` has room for as many.
void sort_by_digits(u64* first, u32 n, u64* spare, int shift, int bits) {
    constexpr int kMost = 11;
    const int passes = (bits + kMost - 1) / kMost, digit = (bits + passes - 1) / passes;
    const u32 mask = (1u << digit) - 1;
    u64 *from = first, *to = spare;
    u32 count[1 << kMost];
    for (int pass = 0; pass < passes; ++pass, shift += digit) {
        std::fill(count, count + mask + 1, 0);
        for (u32 i = 0; i < n; ++i) ++count[from[i] >> shift & mask];
        u32 sum = 0;
        for (u32 d = 0; d <= mask; ++d) {
            const u32 here = count[d];
            count[d] = sum;
            sum += here;
        }
        for (u32 i = 0; i < n; ++i) to[count[from[i] >> shift & mask]++] = from[i];
        std::swap(from, to);
    }
    if (from != first) std::copy(from, from + n, first);
}

}  // namespace

NgramSorter::NgramSorter(std::span<const u32> tokens, u32 n_words, int order)
    : tokens_(tokens), order_(order), width_(order - 1), word_bits_(static_cast<int>(std::bit_width(n_words))) {}

void NgramSorter::gather(const u32* places, u32 n) {
    u32* out = words_.data();
    for (u32 i = 0; i < n; ++i, out += width_) {
        if (i + kPlacesAhead < n) __builtin_prefetch(&tokens_[places[i + kPlacesAhead]]);
        const u32* from = tokens_.data() + places[i] + 1;
        int k = 0;
        do out[k] = from[k];
        while (from[k] != WordTable::end && ++k < width_);
        for (++k; k < width_; ++k) out[k] = 0;
    }
}

void NgramSorter::sort(u32* places, u32 n, Mark* marks) {
    if (words_.size() < std::size_t{n} * width_) words_.resize(std::size_t{n} * width_);
    gather(places, n);
    if (n == 1) return mark(following(0), 1, marks[0]);
    if (order_of_.size() < n) order_of_.resize(n), spare_.resize(n), same_.resize(n);
    for (u32 i = 0; i < n; ++i) order_of_[i] = i;
    same_[0] = 1;
    refine(0, n, 1);
    for (u32 i = 0; i < n; ++i) mark(following(order_of_[i]), same_[i], marks[i]);
    for (u32 i = 0; i < n; ++i) spare_[i] = places[order_of_[i]];
    std::copy(spare_.begin(), spare_.begin() + n, places);
}

// Sorts places first … first + n of order_of_, which agree in `depth` words; same_[first] is known.
void NgramSorter::refine(u32 first, u32 n, int depth) {
    if (n <= kFew) return insert(first, n, depth);
    const int index_bits = std::bit_width(n - 1);
    const int n_keyed = std::min(order_ - depth, (64 - index_bits) / word_bits_), bits = n_keyed * word_bits_;
    if (keys_.size() < n) keys_.resize(n), spare_keys_.resize(n);
    for (u32 i = 0; i < n; ++i) {
        const u32* words = following(order_of_[first + i]) + depth - 1;
        u64 key = 0;
        for (int k = 0; k < n_keyed; ++k) key = key << word_bits_ | words[k];
        keys_[i] = key << index_bits | i;
    }
    if (n < kRadix)
        std::sort(keys_.begin(), keys_.begin() + n);
    else
        sort_by_digits(keys_.data(), n, spare_keys_.data(), index_bits, bits);
    const u64 index_mask = (u64{1} << index_bits) - 1;
    for (u32 i = 0; i < n; ++i) spare_[i] = order_of_[first + (keys_[i] & index_mask)];
    std::copy(spare_.begin(), spare_.begin() + n, order_of_.begin() + first);
    for (u32 i = 1; i < n; ++i) {
        const u64 differs = (keys_[i] ^ keys_[i - 1]) >> index_bits;
        const int same = differs ? depth + (bits - static_cast<int>(std::bit_width(differs))) / word_bits_ : order_;
        same_[first + i] = static_cast<std::uint8_t>(same);
    }
    depth += n_keyed;
    if (depth == order_) return;
    // Those that agree in all of these words, unless their sentences end there. The keys are overwritten from here on.
    for (u32 i = 0; i < n;) {
        u32 j = i + 1;
        while (j < n && same_[first + j] == order_) ++j;
        if (j > i + 1) {
            const u32* words = following(order_of_[first + i]);
            const u32* const next = words + depth - 1;
            if (std::find(next - n_keyed, next, WordTable::end) == next) refine(first + i, j - i, depth);
        }
        i = j;
    }
}

// The same for a few.
void NgramSorter::insert(u32 first, u32 n, int depth) {
    u32* const at = order_of_.data() + first;
    const auto same = [&](u32 a, u32 b) {
        const u32 *x = following(a), *y = following(b);
        int k = depth - 1;
        while (k < width_ && x[k] == y[k]) ++k;
        return k;
    };
    for (u32 i = 1; i < n; ++i) {
        const u32 one = at[i];
        u32 j = i;
        for (; j; --j) {
            const int k = same(at[j - 1], one);
            if (k == width_ || following(at[j - 1])[k] < following(one)[k]) break;
            at[j] = at[j - 1];
        }
        at[j] = one;
    }
    for (u32 i = 1; i < n; ++i) same_[first + i] = static_cast<std::uint8_t>(same(at[i - 1], at[i]) + 1);
}

void NgramSorter::mark(const u32* words, int same, Mark& mark) {
    int k = same;
    while (k < order_) {
        const u32 word = words[k - 1];
        new_words.push_back(word);
        ++sizes[k++];
        if (word == WordTable::end) break;
    }
    mark.same = static_cast<std::uint8_t>(same);
    mark.n_new = static_cast<std::uint8_t>(k - same);
}

}  // namespace palmette

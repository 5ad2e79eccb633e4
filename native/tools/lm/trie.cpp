#include "tools/lm/trie.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "base/crew.hpp"

namespace palmette {

namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

// 2^bits values, each the mean of as many neighbours in order; those that keep their exact value, 0 and minus
// infinity, come first.
std::vector<float> codebook(RawVector<float> values, int bits) {
    std::sort(values.begin(), values.end());
    const auto ordinary = std::lower_bound(values.begin(), values.end(), -1e30f);
    const auto zero = std::lower_bound(ordinary, values.end(), 0.0f);
    const std::size_t size = std::size_t{1} << bits, n = zero - ordinary;
    std::vector<float> codes{-INFINITY};
    const std::size_t bins = size - 2;
    for (std::size_t i = 0; i < bins; ++i) {
        const std::size_t first = n * i / bins, last = n * (i + 1) / bins;
        double sum = 0;
        for (std::size_t j = first; j < last; ++j) sum += ordinary[j];
        codes.push_back(last > first ? static_cast<float>(sum / double(last - first)) : codes.back());
    }
    codes.push_back(0.0f);
    return codes;
}

u64 nearest(const float* codes, std::size_t size, float value) {
    if (!(value > -1e30f)) return 0;
    if (value >= 0) return size - 1;
    const float* above = std::lower_bound(codes + 1, codes + size - 1, value);
    if (above == codes + size - 1) return size > 2 ? size - 2 : size - 1;
    if (above > codes + 1 && value - above[-1] < *above - value) --above;
    if (std::isinf(*above)) return size - 1;
    return above - codes;
}

}  // namespace

std::vector<PackedLevel> pack(const BackoffModel& model, int quantize, int n_jobs) {
    const int order = model.order(), word_bits = bits_for(model.size(0));
    std::vector<PackedLevel> packed(order);
    Crew crew(n_jobs);
    constexpr u64 kRecords = 1 << 16;  // of a piece; a multiple of 8, so that no two pieces share a byte
    for (int level = 0; level < order; ++level) {
        const NgramLevel& from = model.levels[level];
        PackedLevel& to = packed[level];
        const bool last = level + 1 == order;
        if (!last) to.starts = RisingView::pack(from.starts, crew);
        if (!level) continue;
        const std::size_t n_codes = std::size_t{1} << quantize;
        if (quantize) {
            to.codes = codebook(from.probs, quantize);
            const std::vector<float> more = last ? std::vector<float>(n_codes) : codebook(from.backoffs, quantize);
            to.codes.insert(to.codes.end(), more.begin(), more.end());
        }
        const u64 n = from.probs.size();
        const int bits = TrieView::record_bits(word_bits, quantize, last), value_bits = quantize ? quantize : 32;
        to.records.resize(bytes_for(n * bits));
        const u64 pieces = (n + kRecords - 1) / kRecords;
        crew(pieces, [&](std::size_t piece, std::size_t) {
            const u64 first = piece * kRecords, end = std::min(n, first + kRecords);
            BitWriter out(to.records.data() + first * bits / 8);
            const auto code = [&](float value, std::size_t table) {
                return quantize ? nearest(to.codes.data() + table, n_codes, value) : u64{std::bit_cast<u32>(value)};
            };
            for (u64 i = first; i < end; ++i) {
                out.put(from.words[i], word_bits);
                out.put(code(from.probs[i], 0), value_bits);
                if (!last) out.put(code(from.backoffs[i], n_codes), value_bits);
            }
            out.finish();
        });
        std::fill(to.records.end() - kPadding, to.records.end(), 0);
    }
    return packed;
}

BackoffModel TrieView::unpack() const {
    BackoffModel model;
    model.levels.resize(order());
    for (int level = 0; level < order(); ++level) {
        NgramLevel& to = model.levels[level];
        const u64 n = size(level);
        const bool last = level + 1 == order();
        to.probs.resize(n);
        if (!last) to.backoffs.resize(n);
        if (level) to.words.resize(n);
        for (u64 i = 0; i < n; ++i) {
            to.probs[i] = prob(level, i);
            if (!last) to.backoffs[i] = backoff(level, i);
            if (level && (to.words[i] = word(level, i)) >= size(0)) throw std::invalid_argument("a word does not exist");
        }
        if (last) break;
        to.starts.resize(n + 1);
        u64 expected = 0;
        for (u64 i = 0; i < n; ++i) {
            const auto [first, end] = children(level, i);
            if (first != expected) throw std::invalid_argument("children that do not follow each other");
            to.starts[i] = static_cast<u32>(first);
            expected = end;
        }
        if (expected != size(level + 1)) throw std::invalid_argument("n-grams that nothing leads to");
        to.starts[n] = static_cast<u32>(expected);
    }
    for (int level = 1; level < order(); ++level)
        for (u64 node = 0; node < size(level - 1); ++node) {
            const NgramLevel &above = model.levels[level - 1], &here = model.levels[level];
            for (u32 c = above.starts[node] + 1; c < above.starts[node + 1]; ++c)
                if (here.words[c - 1] >= here.words[c]) throw std::invalid_argument("n-grams that are out of order");
        }
    return model;
}

}  // namespace palmette

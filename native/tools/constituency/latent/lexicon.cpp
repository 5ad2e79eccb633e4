#include "tools/constituency/latent/lexicon.hpp"

#include <algorithm>
#include <stdexcept>

namespace palmette {
namespace {
constexpr float kLeastFrequency = 1e-12f;  // a substate that no word has
}

void LatentLexicon::check(int n_symbols) const {
    if (begin.size() != total.size() + 1 || begin.front() != 0 || begin.back() != static_cast<std::int64_t>(tag.size()) ||
        !std::is_sorted(begin.begin(), begin.end()))
        throw std::invalid_argument("the entries of the contexts are out of order");
    if (strength.empty()) throw std::invalid_argument("a word needs at least one context");
    std::vector<bool> is_tag(n_symbols);
    for (std::int32_t symbol : tags) {
        if (symbol < 0 || symbol >= n_symbols) throw std::invalid_argument("a tag is not a symbol of the grammar");
        is_tag[symbol] = true;
    }
    for (std::int32_t symbol : tag)
        if (symbol < 0 || symbol >= n_symbols || !is_tag[symbol])
            throw std::invalid_argument("the tag of a context is not a tag of the grammar");
}

void LatentLexicon::lay_out(const LatentLayout& layout) {
    place.assign(tag.size() + 1, 0);
    for (std::size_t entry = 0; entry < tag.size(); ++entry)
        place[entry + 1] = place[entry] + padded(layout.substates[tag[entry]]);
    counts.assign(place.back(), 0);
    prior.assign(layout.width(), 0);
}

void LatentLexicon::weigh(const LatentLayout& layout, std::span<const std::int32_t> chain, float* out) const {
    for (std::int32_t symbol : tags) std::fill_n(out + layout.row[symbol], padded(layout.substates[symbol]), 0.0f);
    for (std::size_t level = 0; level < chain.size(); ++level) {
        const std::int32_t context = chain[level];
        if (context < 0 || total[context] <= 0) continue;
        const float inverse = 1 / (total[context] + strength[level]), kept = strength[level] * inverse;
        for (std::int32_t symbol : tags) {
            float* row = out + layout.row[symbol];
            const int n = padded(layout.substates[symbol]);
            for (int x = 0; x < n; ++x) row[x] *= kept;
        }
        for (std::int32_t entry = begin[context]; entry < begin[context + 1]; ++entry) {
            float* row = out + layout.row[tag[entry]];
            const float* count = counts.data() + place[entry];
            const int n = padded(layout.substates[tag[entry]]);
            for (int x = 0; x < n; ++x) row[x] += inverse * count[x];
        }
    }
    for (std::int32_t symbol : tags) finish(layout, symbol, out + layout.row[symbol]);
}

void LatentLexicon::weigh_tag(const LatentLayout& layout, int symbol, std::span<const std::int32_t> chain,
                              std::span<const std::int32_t> entries, float* out) const {
    const int n = padded(layout.substates[symbol]);
    std::fill_n(out, n, 0.0f);
    for (std::size_t level = 0; level < chain.size(); ++level) {
        const std::int32_t context = chain[level];
        if (context < 0 || total[context] <= 0) continue;
        const float inverse = 1 / (total[context] + strength[level]), kept = strength[level] * inverse;
        for (int x = 0; x < n; ++x) out[x] *= kept;
        if (entries[level] < 0) continue;
        const float* count = counts.data() + place[entries[level]];
        for (int x = 0; x < n; ++x) out[x] += inverse * count[x];
    }
    finish(layout, symbol, out);
}

void LatentLexicon::finish(const LatentLayout& layout, int symbol, float* row) const {
    const int n = layout.substates[symbol];
    const float* frequency = prior.data() + layout.row[symbol];
    float sum = 0;
    for (int x = 0; x < n; ++x) {
        row[x] = frequency[x] > kLeastFrequency ? row[x] / frequency[x] : 0;
        sum += row[x];
    }
    const float mean = smoothing * sum / static_cast<float>(n);
    for (int x = 0; x < n; ++x) row[x] = (1 - smoothing) * row[x] + mean;
}

}  // namespace palmette

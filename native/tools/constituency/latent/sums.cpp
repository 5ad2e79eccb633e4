#include "tools/constituency/latent/sums.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "base/interrupt.hpp"
#include "tools/constituency/latent/blocks.hpp"

namespace palmette {
void LatentSums::run(const LatentRules& rules, const LatentGrammar& grammar, const LatentForest& forest,
                     std::span<const float> words) {
    const std::size_t items = forest.items.size();
    place_.resize(items + 1);
    place_[0] = 0;
    for (std::size_t i = 0; i < items; ++i)
        place_[i + 1] = place_[i] + padded(grammar.layout.substates[forest.items[i].symbol]);
    in_.assign(place_.back(), 0);
    out_.assign(place_.back(), 0);
    exponent_.assign(items, kNoExponent);
    item.assign(items, 0);
    edge.assign(forest.edges.size(), 0);
    rise.assign(forest.rises.size(), 0);
    inside(rules, grammar, forest, words);
    if (log_z > -std::numeric_limits<double>::infinity()) outside(rules, grammar, forest);
}

void LatentSums::inside(const LatentRules& rules, const LatentGrammar& grammar, const LatentForest& forest,
                        std::span<const float> words) {
    const LatentLayout& layout = grammar.layout;
    for (std::size_t v = 0; v < forest.items.size(); ++v) {
        check_interrupt();
        const LatentForest::Item& at = forest.items[v];
        const int n = layout.substates[at.symbol];
        float* in = in_.data() + place_[v];
        std::int32_t whole = kNoExponent;
        if (at.above) {
            for (std::int32_t r = at.first; r < at.last; ++r) whole = std::max(whole, exponent_[forest.rises[r].item]);
            if (whole == kNoExponent) continue;
            for (std::int32_t r = at.first; r < at.last; ++r) {
                const auto [rule, below] = forest.rises[r];
                const float factor = power_of_two(exponent_[below] - whole);
                if (factor == 0) continue;
                const float* from = in_.data() + place_[below];
                if (rule < 0) {
                    const float* same = grammar.same.data() + layout.row[at.symbol];
                    for (int x = 0; x < n; ++x) in[x] += factor * same[x] * from[x];
                } else {
                    const int n_c = padded(layout.substates[rules.lower[rule]]);
                    block_.assign(n, 0);
                    add_products(grammar.unary.data() + layout.unary[rule], n, n_c, from, block_.data());
                    for (int x = 0; x < n; ++x) in[x] += factor * block_[x];
                }
            }
        } else if (at.end == at.start + 1) {
            whole = 0;
            std::copy_n(words.data() + at.start * layout.width() + layout.row[at.symbol], n, in);
        } else {
            for (std::int32_t b = at.first; b < at.last; ++b)
                for (std::int32_t e = forest.bundles[b].first; e < forest.bundles[b].last; ++e)
                    whole = std::max(whole, exponent_[forest.edges[e].left] + exponent_[forest.edges[e].right]);
            if (whole <= kNoExponent / 2) continue;
            for (std::int32_t b = at.first; b < at.last; ++b) {
                const auto [rule, first, last] = forest.bundles[b];
                const int n_l = layout.substates[rules.left[rule]], n_r = padded(layout.substates[rules.right[rule]]);
                const std::size_t size = static_cast<std::size_t>(n_l) * n_r;
                block_.assign(size, 0);
                for (std::int32_t e = first; e < last; ++e) {
                    const auto [l, r] = forest.edges[e];
                    const float factor = power_of_two(exponent_[l] + exponent_[r] - whole);
                    if (factor > 0) add_outer(in_.data() + place_[l], n_l, in_.data() + place_[r], n_r, factor, block_.data());
                }
                add_products(grammar.binary.data() + layout.binary[rule], n, size, block_.data(), in);
            }
        }
        const float most = largest(in, padded(n));
        if (!(most > 0)) continue;
        int shift;
        std::frexp(most, &shift);
        const float scale = power_of_two(-shift);
        for (int x = 0; x < n; ++x) in[x] = in[x] * scale < 1e-20f ? 0 : in[x] * scale;
        exponent_[v] = whole + shift;
    }
    std::int32_t whole = kNoExponent;
    for (std::int32_t root : forest.roots) whole = std::max(whole, exponent_[root]);
    double z = 0;
    for (std::int32_t root : forest.roots) {
        const std::size_t row = layout.row[forest.items[root].symbol];
        for (int x = 0; x < layout.substates[forest.items[root].symbol]; ++x)
            z += std::ldexp(static_cast<double>(grammar.root[row + x]) * in_[place_[root] + x],
                            std::max(-1000, exponent_[root] - whole));
    }
    log_z = z > 0 ? std::log(z) + whole * std::log(2.0) : -std::numeric_limits<double>::infinity();
    if (!(z > 0)) return;
    for (std::int32_t root : forest.roots) {
        const std::size_t row = layout.row[forest.items[root].symbol];
        for (int x = 0; x < layout.substates[forest.items[root].symbol]; ++x)
            out_[place_[root] + x] =
                static_cast<float>(std::ldexp(grammar.root[row + x] / z, std::max(-1000, exponent_[root] - whole)));
    }
}

void LatentSums::outside(const LatentRules& rules, const LatentGrammar& grammar, const LatentForest& forest) {
    const LatentLayout& layout = grammar.layout;
    for (std::size_t v = forest.items.size(); v-- > 0;) {
        check_interrupt();
        const LatentForest::Item& at = forest.items[v];
        const int n = layout.substates[at.symbol];
        const float *in = in_.data() + place_[v], *out = out_.data() + place_[v];
        float posterior = 0;
        for (int x = 0; x < n; ++x) posterior += in[x] * out[x];
        item[v] = posterior;
        if (!(posterior > 1e-12f)) continue;
        if (at.above) {
            for (std::int32_t r = at.first; r < at.last; ++r) {
                const auto [rule, below] = forest.rises[r];
                const float factor = power_of_two(exponent_[below] - exponent_[v]);
                if (factor == 0) continue;
                const float* from = in_.data() + place_[below];
                float *to = out_.data() + place_[below], sum = 0;
                if (rule < 0) {
                    const float* same = grammar.same.data() + layout.row[at.symbol];
                    for (int x = 0; x < n; ++x) {
                        const float given = factor * same[x] * out[x];
                        to[x] += given;
                        sum += given * from[x];
                    }
                } else {
                    const int n_c = padded(layout.substates[rules.lower[rule]]);
                    block_.resize(n_c);
                    weighted_rows(grammar.unary.data() + layout.unary[rule], n, n_c, out, block_.data());
                    for (int x = 0; x < n_c; ++x) {
                        const float given = factor * block_[x];
                        to[x] += given;
                        sum += given * from[x];
                    }
                }
                rise[r] = sum;
            }
        } else if (at.end > at.start + 1) {
            for (std::int32_t b = at.first; b < at.last; ++b) {
                const auto [rule, first, last] = forest.bundles[b];
                const int n_l = layout.substates[rules.left[rule]], n_r = padded(layout.substates[rules.right[rule]]);
                const std::size_t size = static_cast<std::size_t>(n_l) * n_r;
                block_.resize(size);
                weighted_rows(grammar.binary.data() + layout.binary[rule], n, size, out, block_.data());
                for (std::int32_t e = first; e < last; ++e) {
                    const auto [l, r] = forest.edges[e];
                    const float factor = power_of_two(exponent_[l] + exponent_[r] - exponent_[v]);
                    if (factor == 0) continue;
                    edge[e] = add_to_children(block_.data(), in_.data() + place_[l], n_l, in_.data() + place_[r], n_r, factor,
                                              out_.data() + place_[l], out_.data() + place_[r]);
                }
            }
        }
    }
}

}  // namespace palmette

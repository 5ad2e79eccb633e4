// What arcs, siblings and grandparents look like: 64-bit keys of features, made from codes of single tokens.
//
// A code is what one token contributes: its word, its tag, its tag with its neighbours'. Codes are made once per token;
// a feature of two or three tokens is a multiplication and an addition of their codes (partial hashes are composed and
// not made again). A code of 0 is absent, and so is every feature with it. The same walk gives scores, gradients and
// names, so that they cannot disagree: `visit(template, key)`.
#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "features/template_keys.hpp"
#include "features/token_views.hpp"

namespace palmette {

// P is the finest tag there is (XPOS, else UPOS), U the coarse one, L the lemma or word, E its last letters; Pm, Pp, Pmp: P
// with the tag before, after, both; Pmm, Ppp: with two before, after; Lm, Lp: P with the word before, after; N: nothing.
enum Code : std::uint8_t { cN, cW, cL, cP, cU, cF, cE, cC, cWP, cLP, cPF, cPm, cPp, cPmp, cPmm, cPpp, cLm, cLp, kCodes };

struct CodePair {
    Code head, mod;
};

// Each comes with the direction, and once more with direction and distance.
inline constexpr CodePair kArcPairs[] = {
    {cW, cN},   {cP, cN},    {cWP, cN},   {cLP, cN},   {cPmp, cN},  {cN, cW},    {cN, cP},   {cN, cWP},  {cN, cLP},  {cN, cPmp},
    {cP, cP},   {cU, cU},    {cW, cW},    {cWP, cWP},  {cWP, cP},   {cP, cWP},   {cW, cP},   {cP, cW},   {cL, cL},   {cL, cP},
    {cP, cL},   {cL, cU},    {cU, cL},    {cLP, cLP},  {cF, cF},    {cPF, cP},   {cP, cPF},  {cPF, cPF}, {cE, cP},   {cP, cE},
    {cE, cE},   {cPm, cPm},  {cPp, cPm},  {cPm, cPp},  {cPp, cPp},  {cPmp, cP},  {cP, cPmp}, {cPmp, cPmp}, {cP, cPm}, {cP, cPp},
    {cPm, cP},  {cPp, cP},   {cP, cPmm},  {cP, cPpp},  {cPmm, cP},  {cPpp, cP},  {cP, cLm},  {cP, cLp},  {cLm, cP},  {cLp, cP},
    {cL, cPmp}, {cPmp, cL},  {cC, cC},    {cC, cP},    {cP, cC},    {cC, cL},    {cL, cC},
};
inline constexpr std::size_t kArcTemplates = std::size(kArcPairs);

// With one score for each label of the arc.
inline constexpr CodePair kLabelPairs[] = {
    {cN, cW},  {cN, cP},   {cN, cL},   {cN, cF},   {cN, cE},   {cN, cPmp}, {cN, cPmm}, {cN, cPpp}, {cN, cLm},  {cN, cLp},
    {cW, cN},  {cP, cN},   {cL, cN},   {cF, cN},   {cPmp, cN}, {cP, cP},   {cU, cU},   {cL, cP},   {cP, cL},   {cL, cL},
    {cW, cW},  {cPF, cPF}, {cP, cPmp}, {cPmp, cP}, {cU, cPm},  {cU, cPp},  {cP, cE},   {cE, cP},   {cC, cP},   {cP, cC},
    {cN, cC},  {cL, cLm},
};
inline constexpr std::size_t kLabelTemplates = std::size(kLabelPairs);

// The filter's, on all n² arcs: each with direction and distance too.
inline constexpr CodePair kFilterPairs[] = {
    {cP, cN}, {cN, cP}, {cLP, cN}, {cN, cLP}, {cP, cP},   {cU, cU},   {cPm, cPm},  {cPp, cPp},  {cPp, cPm},
    {cPm, cPp}, {cPmp, cP}, {cP, cPmp}, {cL, cP}, {cP, cL}, {cU, cPmp}, {cPmp, cU},
};
inline constexpr std::size_t kFilterTemplates = std::size(kFilterPairs);

struct CodeTriple {
    Code first, second, third;
};
// g, h, m
inline constexpr CodeTriple kGrandTriples[] = {
    {cP, cP, cP}, {cU, cU, cU}, {cP, cN, cP}, {cU, cN, cU},  {cL, cN, cL}, {cL, cN, cP},  {cP, cN, cL},
    {cL, cP, cP}, {cP, cL, cP}, {cP, cP, cL}, {cU, cL, cL},  {cL, cU, cL}, {cL, cL, cU},  {cP, cPmp, cP},
    {cPF, cP, cPF}, {cC, cP, cC}, {cU, cF, cF},  {cU, cU, cPmp}, {cU, cPm, cPp}, {cU, cPp, cPm}, {cPmp, cU, cP},
};
// h, m, s
inline constexpr CodeTriple kSiblingTriples[] = {
    {cP, cP, cP}, {cU, cU, cU}, {cN, cP, cP}, {cN, cU, cU}, {cN, cL, cL}, {cN, cL, cP}, {cN, cP, cL},
    {cL, cP, cP}, {cP, cL, cP}, {cP, cP, cL}, {cU, cL, cL}, {cL, cU, cL}, {cL, cL, cU}, {cN, cW, cW},
    {cN, cPF, cPF}, {cP, cPm, cP}, {cP, cC, cC}, {cL, cN, cP}, {cL, cN, cL}, {cU, cPmp, cU}, {cU, cU, cPmp}, {cPmp, cU, cU}, {cU, cPm, cPp},
};
inline constexpr std::size_t kGrandTemplates = std::size(kGrandTriples), kSiblingTemplates = std::size(kSiblingTriples);
struct CodeQuadruple {
    Code g, h, m, s;
};
inline constexpr CodeQuadruple kGrandSiblingQuadruples[] = {
    {cP, cP, cP, cP}, {cU, cU, cU, cU}, {cP, cN, cP, cP}, {cU, cU, cL, cU}, {cU, cL, cU, cU}, {cL, cU, cU, cU}, {cU, cU, cU, cL},
};

inline constexpr auto kArcSeeds = template_seeds<kArcTemplates>(0);
inline constexpr auto kLabelSeeds = template_seeds<kLabelTemplates>(2);
inline constexpr auto kFilterSeeds = template_seeds<kFilterTemplates>(3);
inline constexpr auto kGrandSeeds = template_seeds<kGrandTemplates>(4);
inline constexpr auto kSiblingSeeds = template_seeds<kSiblingTemplates>(5);
inline constexpr auto kGrandSiblingSeeds = template_seeds<std::size(kGrandSiblingQuadruples)>(6);
inline constexpr std::size_t kDistances = 9;
inline std::size_t distance_bin(std::size_t d) {
    constexpr std::uint8_t bins[] = {0, 0, 1, 2, 3, 4, 4, 5, 5, 5, 5, 6, 6, 6, 6, 6, 6, 6, 6, 6};
    return d < std::size(bins) ? bins[d] : d < 40 ? 7 : 8;
}

// The codes of one sentence; place 0 is the root.
class ArcFeatures {
public:
    void set(const TokenViews& views, std::size_t i);
    std::size_t n() const { return n_; }
    const std::uint64_t* at(std::size_t token) const { return codes_.data() + token * kCodes; }

    // The codes of a token that is not there.
    const std::uint64_t* none() const { return none_.data(); }

    template <class Visit>
    void arc(std::size_t h, std::size_t m, Visit&& visit) const {
        const std::uint64_t *a = at(h), *b = at(m), turn = h < m ? kTurn : 0, far = far_[distance_bin(h < m ? m - h : h - m)];
        for (std::size_t t = 0; t < kArcTemplates; ++t) {
            const std::uint64_t x = a[kArcPairs[t].head], y = b[kArcPairs[t].mod];
            if (!x || !y) continue;
            const std::uint64_t key = join(kArcSeeds[t] ^ turn, x, y);
            visit(t, key);
            visit(kArcTemplates + t, join(key, far));
        }
        extras(h, m, 2 * kArcTemplates, template_seed(1, 0) ^ turn, std::forward<Visit>(visit));
    }
    static constexpr std::size_t kArcNames = 2 * kArcTemplates + 5;

    template <class Visit>
    void label(std::size_t h, std::size_t m, Visit&& visit) const {
        const std::uint64_t *a = at(h), *b = at(m), turn = h < m ? kTurn : 0;
        for (std::size_t t = 0; t < kLabelTemplates; ++t) {
            const std::uint64_t x = a[kLabelPairs[t].head], y = b[kLabelPairs[t].mod];
            if (x && y) visit(t, join(kLabelSeeds[t] ^ turn, x, y));
        }
        const std::uint64_t far = far_[distance_bin(h < m ? m - h : h - m)];
        visit(kLabelTemplates, join(join(template_seed(2, 100) ^ turn, a[cU], b[cU]), far));
        visit(kLabelTemplates + 1, join(join(template_seed(2, 101) ^ turn, a[cU], b[cU]), between(h, m)));
        for (const std::uint64_t piece : pieces(m)) visit(kLabelTemplates + 2, join(template_seed(2, 102) ^ turn, a[cU], piece));
    }
    static constexpr std::size_t kLabelNames = kLabelTemplates + 3;

    template <class Visit>
    void filter(std::size_t h, std::size_t m, Visit&& visit) const {
        const std::uint64_t *a = at(h), *b = at(m), turn = h < m ? kTurn : 0, far = far_[distance_bin(h < m ? m - h : h - m)];
        for (std::size_t t = 0; t < kFilterTemplates; ++t) {
            const std::uint64_t key = join(kFilterSeeds[t] ^ turn, a[kFilterPairs[t].head], b[kFilterPairs[t].mod]);
            visit(t, key);
            visit(kFilterTemplates + t, join(key, far));
        }
        visit(2 * kFilterTemplates, join(join(template_seed(3, 100) ^ turn, a[cU], b[cU]), between(h, m)));
    }

    template <class Visit>
    void grand(std::size_t g, std::size_t h, std::size_t m, Visit&& visit) const {
        const std::uint64_t *x = at(g), *y = at(h), *z = at(m);
        const std::uint64_t turn = ((g < h ? 1u : 0u) + (h < m ? 2u : 0u) + (g < m ? 4u : 0u)) * kTurn;
        for (std::size_t t = 0; t < kGrandTemplates; ++t) {
            const auto [p, q, r] = kGrandTriples[t];
            if (x[p] && y[q] && z[r]) visit(t, join(join(kGrandSeeds[t] ^ turn, x[p], y[q]), z[r]));
        }
        const std::uint64_t far = far_[distance_bin(h < m ? m - h : h - m)], high = far_[distance_bin(g < h ? h - g : g - h)];
        const std::uint64_t tags = join(join(template_seed(4, 100) ^ turn, x[cP], y[cP]), z[cP]);
        visit(kGrandTemplates, join(tags, far));
        visit(kGrandTemplates + 1, join(join(tags, far), high * 3));
    }

    // s = 0: m is the first modifier on its side.
    template <class Visit>
    void sibling(std::size_t h, std::size_t m, std::size_t s, Visit&& visit) const {
        const std::uint64_t *x = at(h), *y = at(m), *z = s ? at(s) : none_.data();
        const std::uint64_t turn = h < m ? kTurn : 0, far = far_[s ? distance_bin(s < m ? m - s : s - m) : 0];
        for (std::size_t t = 0; t < kSiblingTemplates; ++t) {
            const auto [p, q, r] = kSiblingTriples[t];
            if (x[p] && y[q] && z[r]) visit(t, join(join(kSiblingSeeds[t] ^ turn, x[p], y[q]), z[r]));
        }
        const std::uint64_t tags = join(join(template_seed(5, 101) ^ turn, x[cP], y[cP]), z[cP]);
        visit(kSiblingTemplates, join(join(join(template_seed(5, 100) ^ turn, x[cU], y[cU]), z[cU]), far));
        visit(kSiblingTemplates + 1, join(tags, far));
        visit(kSiblingTemplates + 2, join(tags, far_[distance_bin(h < m ? m - h : h - m)] * 3));
    }

    template <class Visit>
    void grand_sibling(std::size_t g, std::size_t h, std::size_t m, std::size_t s, Visit&& visit) const {
        const std::uint64_t *w = at(g), *x = at(h), *y = at(m), *z = s ? at(s) : none_.data();
        const std::uint64_t turn = ((g < h ? 1u : 0u) + (h < m ? 2u : 0u) + (g < m ? 4u : 0u)) * kTurn;
        for (std::size_t t = 0; t < std::size(kGrandSiblingQuadruples); ++t) {
            const auto [o, p, q, r] = kGrandSiblingQuadruples[t];
            visit(t, join(join(join(kGrandSiblingSeeds[t] ^ turn, w[o], x[p]), y[q]), z[r]));
        }
    }

    // m is the outermost modifier of h on its side; m = h: there is none (side 0: left).
    template <class Visit>
    void last(std::size_t h, std::size_t m, bool right, Visit&& visit) const {
        const std::uint64_t *x = at(h), *y = m == h ? none_.data() : at(m);
        const std::uint64_t turn = right ? kTurn : 0;
        const auto pair = [&](std::size_t t, std::uint64_t a, std::uint64_t b) {
            if (a && b) visit(t, join(template_seed(7, t) ^ turn, a, b));
        };
        pair(0, x[cP], y[cP]);
        pair(1, x[cL], y[cP]);
        pair(2, x[cP], y[cL]);
        pair(3, x[cLP], y[cN]);
        pair(4, x[cPmp], y[cP]);
        pair(5, x[cU], y[cU]);
        pair(6, x[cL], y[cL]);
    }

private:
    static constexpr std::uint64_t kTurn = 0xA24BAED4963EE407u;

    template <class Visit>
    void extras(std::size_t h, std::size_t m, std::size_t first, std::uint64_t seed, Visit&& visit) const {
        const std::uint64_t *a = at(h), *b = at(m);
        // Every tag that comes between, once.
        for (std::uint64_t set = between_[h * (n_ + 1) + m]; set; set &= set - 1) {
            const std::uint64_t tag = tags_[std::countr_zero(set)];
            visit(first, join(join(seed, a[cP], b[cP]), tag));
            visit(first + 1, join(join(seed + 1, a[cU], b[cU]), tag));
        }
        visit(first + 2, join(join(seed + 2, a[cU], b[cU]), between(h, m)));
        for (const std::uint64_t p : pieces(h))
            for (const std::uint64_t q : pieces(m)) visit(first + 3, join(seed + 3, p, q));
        // How far the modifier is from both ends of the sentence, for arcs from the root above all.
        visit(first + 4, join(join(seed + 4, a[cU], b[cU]), std::min<std::size_t>(m, 4) * 8 + std::min<std::size_t>(n_ - m, 4) + 1));
    }

    // How many verbs, conjunctions and punctuation marks come between, as a code.
    std::uint64_t between(std::size_t h, std::size_t m) const {
        const std::size_t low = std::min(h, m), high = std::max(h, m);
        std::uint64_t code = 1;
        for (std::size_t kind = 0; kind < 3; ++kind)
            code = code * 4 + std::min<std::uint32_t>(3, counts_[kind][high - 1] - counts_[kind][low]);
        return code * kOdd;
    }
    std::span<const std::uint64_t> pieces(std::size_t token) const {
        return {pieces_.data() + piece_at_[token], piece_at_[token + 1] - piece_at_[token]};
    }

    std::size_t n_ = 0;
    std::vector<std::uint64_t> codes_, pieces_, tags_, between_;
    std::vector<std::size_t> piece_at_;
    std::array<std::vector<std::uint32_t>, 3> counts_;
    std::array<std::uint64_t, kCodes> none_{};
    std::array<std::uint64_t, kDistances> far_{};
};

}  // namespace palmette

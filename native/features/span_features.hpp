// What spans, splits and anchored rules look like: 64-bit keys of features, after Hall, Durrett and Klein (2014).
//
// A template names up to four places and what is seen there: the words at both ends of a span and outside of it, those
// on both sides of a split, the length, the shape. Its value for a span is hashed once (`keys`), and joined with every
// symbol or rule that may be there by an exclusive or and a multiplication; the top bits are the place of the weight.
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <vector>

#include "features/template_keys.hpp"
#include "features/token_views.hpp"

namespace palmette {

// What is seen of a token: collapsed word; word, or its class if it is rare; tag; coarse tag; last letters; shape.
enum TokenCode : std::uint8_t { tWord, tKnown, tTag, tCoarse, tEnd3, tEnd2, tShape, tStart3, kTokenCodes };
// What is seen of a span or a split, in place of a token.
enum SpanCode : std::uint8_t { sLength, sShape, sTags, sInside, sLeftLength, sRightLength, kSpanCodes };
// The first and last word of a span, their inner neighbours, the words outside; those beside the split; the span itself.
enum Place : std::uint8_t { pFirst, pLast, pSecond, pLastBut1, pBefore, pAfter, pBefore2, pAfter2, pLeft, pRight, pLeft2, pRight2, pSpan, kPlaces, pNone = kPlaces };

struct SpanLook {
    Place place = pNone;
    std::uint8_t code = 0;
};
struct SpanTemplate {
    std::array<SpanLook, 4> looks{};
};

// With the symbol of the span: lower items and the symbols of chains.
inline constexpr SpanTemplate kLabelTemplatesOfSpans[] = {
    {},
    {{{{pFirst, tKnown}}}}, {{{{pLast, tKnown}}}}, {{{{pBefore, tKnown}}}}, {{{{pAfter, tKnown}}}},
    {{{{pFirst, tTag}}}}, {{{{pLast, tTag}}}}, {{{{pBefore, tTag}}}}, {{{{pAfter, tTag}}}},
    {{{{pFirst, tEnd3}}}}, {{{{pLast, tEnd3}}}}, {{{{pBefore, tEnd3}}}}, {{{{pAfter, tEnd3}}}},
    {{{{pSpan, sLength}}}}, {{{{pSpan, sShape}}}}, {{{{pSpan, sTags}}}}, {{{{pSpan, sInside}}}},
    {{{{pFirst, tTag}, {pLast, tTag}}}}, {{{{pBefore, tTag}, {pAfter, tTag}}}}, {{{{pBefore, tTag}, {pFirst, tTag}}}}, {{{{pLast, tTag}, {pAfter, tTag}}}},
    {{{{pFirst, tKnown}, {pLast, tKnown}}}}, {{{{pBefore, tKnown}, {pAfter, tKnown}}}}, {{{{pBefore, tKnown}, {pFirst, tKnown}}}}, {{{{pLast, tKnown}, {pAfter, tKnown}}}},
    {{{{pFirst, tKnown}, {pLast, tTag}}}}, {{{{pFirst, tTag}, {pLast, tKnown}}}}, {{{{pBefore, tKnown}, {pFirst, tTag}}}}, {{{{pBefore, tTag}, {pFirst, tKnown}}}},
    {{{{pLast, tKnown}, {pAfter, tTag}}}}, {{{{pLast, tTag}, {pAfter, tKnown}}}}, {{{{pBefore, tKnown}, {pAfter, tTag}}}}, {{{{pBefore, tTag}, {pAfter, tKnown}}}},
    {{{{pBefore, tTag}, {pFirst, tTag}, {pLast, tTag}, {pAfter, tTag}}}}, {{{{pBefore, tTag}, {pFirst, tTag}, {pLast, tTag}}}}, {{{{pFirst, tTag}, {pLast, tTag}, {pAfter, tTag}}}},
    {{{{pFirst, tTag}, {pSpan, sLength}}}}, {{{{pLast, tTag}, {pSpan, sLength}}}}, {{{{pBefore, tTag}, {pSpan, sLength}}}}, {{{{pAfter, tTag}, {pSpan, sLength}}}}, {{{{pFirst, tKnown}, {pSpan, sLength}}}},
    {{{{pFirst, tTag}, {pSecond, tTag}}}}, {{{{pLastBut1, tTag}, {pLast, tTag}}}}, {{{{pBefore2, tTag}, {pBefore, tTag}}}}, {{{{pAfter, tTag}, {pAfter2, tTag}}}},
    {{{{pFirst, tKnown}, {pSecond, tKnown}}}}, {{{{pFirst, tTag}, {pSpan, sInside}}}}, {{{{pBefore, tTag}, {pAfter, tTag}, {pSpan, sInside}}}},
    {{{{pBefore, tTag}, {pSpan, sTags}, {pAfter, tTag}}}},
};
// With the binary rule, or the chain, above a span.
inline constexpr SpanTemplate kRuleTemplatesOfSpans[] = {
    {},
    {{{{pFirst, tKnown}}}}, {{{{pLast, tKnown}}}}, {{{{pBefore, tKnown}}}}, {{{{pAfter, tKnown}}}},
    {{{{pFirst, tTag}}}}, {{{{pLast, tTag}}}}, {{{{pBefore, tTag}}}}, {{{{pAfter, tTag}}}},
    {{{{pSpan, sLength}}}}, {{{{pSpan, sShape}}}}, {{{{pSpan, sTags}}}}, {{{{pSpan, sInside}}}},
    {{{{pFirst, tTag}, {pLast, tTag}}}}, {{{{pBefore, tTag}, {pAfter, tTag}}}}, {{{{pBefore, tTag}, {pFirst, tTag}}}}, {{{{pLast, tTag}, {pAfter, tTag}}}},
    {{{{pFirst, tEnd3}}}}, {{{{pLast, tEnd3}}}},
};
// With the rule, or its parent symbol, and a split.
inline constexpr SpanTemplate kSplitTemplates[] = {
    {{{{pLeft, tKnown}}}}, {{{{pRight, tKnown}}}}, {{{{pLeft, tTag}}}}, {{{{pRight, tTag}}}}, {{{{pLeft, tEnd3}}}}, {{{{pRight, tEnd3}}}},
    {{{{pLeft, tTag}, {pRight, tTag}}}}, {{{{pLeft, tKnown}, {pRight, tKnown}}}}, {{{{pLeft, tKnown}, {pRight, tTag}}}}, {{{{pLeft, tTag}, {pRight, tKnown}}}},
    {{{{pLeft2, tTag}, {pLeft, tTag}, {pRight, tTag}}}}, {{{{pLeft, tTag}, {pRight, tTag}, {pRight2, tTag}}}},
};
// With the rule and all of its anchors.
inline constexpr SpanTemplate kEdgeTemplates[] = {
    {{{{pSpan, sLeftLength}, {pSpan, sRightLength}}}},
    {{{{pFirst, tTag}, {pRight, tTag}}}}, {{{{pFirst, tKnown}, {pRight, tKnown}}}}, {{{{pFirst, tKnown}, {pRight, tTag}}}}, {{{{pFirst, tTag}, {pRight, tKnown}}}},
    {{{{pLeft, tTag}, {pLast, tTag}}}}, {{{{pLeft, tKnown}, {pLast, tKnown}}}},
    {{{{pFirst, tTag}, {pLeft, tTag}, {pRight, tTag}, {pLast, tTag}}}},
    {{{{pRight, tTag}, {pLast, tTag}, {pAfter, tTag}}}}, {{{{pFirst, tTag}, {pLeft, tTag}, {pRight, tTag}}}}, {{{{pFirst, tKnown}, {pRight, tKnown}, {pSecond, tTag}}}},
};
// With the tag of a word; the span is the word.
inline constexpr SpanTemplate kTagTemplates[] = {
    {},
    {{{{pFirst, tWord}}}}, {{{{pFirst, tKnown}}}}, {{{{pFirst, tTag}}}}, {{{{pFirst, tEnd3}}}}, {{{{pFirst, tEnd2}}}}, {{{{pFirst, tShape}}}}, {{{{pFirst, tStart3}}}},
    {{{{pBefore, tKnown}}}}, {{{{pAfter, tKnown}}}}, {{{{pBefore2, tKnown}}}}, {{{{pAfter2, tKnown}}}},
    {{{{pBefore, tKnown}, {pFirst, tKnown}}}}, {{{{pFirst, tKnown}, {pAfter, tKnown}}}}, {{{{pBefore, tTag}, {pFirst, tKnown}}}}, {{{{pFirst, tKnown}, {pAfter, tTag}}}},
    {{{{pBefore, tTag}, {pFirst, tTag}}}}, {{{{pFirst, tTag}, {pAfter, tTag}}}}, {{{{pBefore, tTag}, {pFirst, tTag}, {pAfter, tTag}}}}, {{{{pFirst, tShape}, {pFirst, tEnd2}}}},
    {{{{pBefore, tTag}, {pAfter, tTag}, {pFirst, tKnown}}}},
};
// With what is below the root.
inline constexpr SpanTemplate kRootTemplates[] = {
    {}, {{{{pFirst, tTag}}}}, {{{{pLast, tTag}}}}, {{{{pFirst, tKnown}}}}, {{{{pSpan, sLength}}}}, {{{{pLastBut1, tTag}, {pLast, tTag}}}}, {{{{pSpan, sInside}}}}, {{{{pSpan, sTags}}}},
};

// The families of features, as names ask for them.
enum class AnchoredFamily : std::int32_t { tag, label, rule, split, edge, root };

template <std::size_t N>
using Keys = std::array<std::uint64_t, N>;  // 0: absent

// The keys that are there, one after another.
template <std::size_t N>
struct FoundKeys {
    Keys<N> keys;
    std::size_t n = 0;

    void keep() {
        n = 0;
        for (std::size_t t = 0; t < N; ++t) {
            keys[n] = keys[t];
            n += keys[t] != 0;
        }
    }
};

// The codes of one sentence.
class AnchoredFeatures {
public:
    void set(const TokenViews& views, std::size_t i);
    std::size_t n() const { return n_; }

    // The values of templates for a span (and a split, where they look there).
    template <std::size_t N>
    void keys(const SpanTemplate (&templates)[N], AnchoredFamily family, std::int32_t start, std::int32_t end, std::int32_t split, Keys<N>& to) const {
        const std::uint64_t* at[kPlaces];
        std::uint64_t of_span[kSpanCodes];
        look(start, end, split, at, of_span);
        const auto& seeds = kSeeds[static_cast<std::size_t>(family)];
        static_assert(N <= kMostTemplates);
        for (std::size_t t = 0; t < N; ++t) {
            std::uint64_t key = seeds[t];
            for (const SpanLook& l : templates[t].looks) {
                if (l.place == pNone) break;
                const std::uint64_t code = at[l.place][l.code];
                if (!code) {
                    key = 0;
                    break;
                }
                key = (key ^ key >> 29) + code;
                key *= kOdd;
            }
            to[t] = key ? mix_bits(key) | 1 : 0;
        }
    }

    template <std::size_t N>
    void keys(const SpanTemplate (&templates)[N], AnchoredFamily family, std::int32_t start, std::int32_t end, std::int32_t split, FoundKeys<N>& to) const {
        keys(templates, family, start, end, split, to.keys);
        to.keep();
    }

private:
    static constexpr std::size_t kMostTemplates = 64, kFamilies = 6, kLengths = 32;
    static constexpr auto kSeeds = [] {
        std::array<std::array<std::uint64_t, kMostTemplates>, kFamilies> seeds{};
        for (std::size_t f = 0; f < kFamilies; ++f) seeds[f] = template_seeds<kMostTemplates>(20 + f);
        return seeds;
    }();
    // The codes of lengths in eleven bins; all from 31 on have the last.
    static constexpr auto kLengthCodes = [] {
        constexpr std::size_t from[] = {1, 2, 3, 4, 5, 6, 8, 11, 16, 21, 31};
        std::array<std::uint64_t, kLengths> codes{};
        for (std::size_t length = 0; length < kLengths; ++length) {
            std::size_t bin = 0;
            while (bin < std::size(from) && length >= from[bin]) ++bin;
            codes[length] = template_seed(40, bin);
        }
        return codes;
    }();
    void look(std::int32_t start, std::int32_t end, std::int32_t split, const std::uint64_t** at, std::uint64_t* of_span) const {
        at[pFirst] = token(start);
        at[pLast] = token(end - 1);
        at[pSecond] = token(start + 1);
        at[pLastBut1] = token(end - 2);
        at[pBefore] = token(start - 1);
        at[pAfter] = token(end);
        at[pBefore2] = token(start - 2);
        at[pAfter2] = token(end + 1);
        at[pLeft] = token(split - 1);
        at[pRight] = token(split);
        at[pLeft2] = token(split - 2);
        at[pRight2] = token(split + 1);
        at[pSpan] = of_span;
        const std::size_t span = static_cast<std::size_t>(end) * static_cast<std::size_t>(end - 1) / 2 + static_cast<std::size_t>(start);
        of_span[sLength] = length_code(end - start);
        of_span[sShape] = shapes_[span];
        of_span[sTags] = tag_runs_[span];
        of_span[sInside] = inside_[span];
        of_span[sLeftLength] = length_code(split - start);
        of_span[sRightLength] = length_code(end - split);
    }
    static std::uint64_t length_code(std::int32_t length) { return kLengthCodes[static_cast<std::size_t>(std::clamp(length, 0, static_cast<std::int32_t>(kLengths) - 1))]; }
    const std::uint64_t* token(std::int32_t t) const { return codes_.data() + static_cast<std::size_t>(t + 2) * kTokenCodes; }

    std::size_t n_ = 0;
    std::vector<std::uint64_t> codes_;                      // [n + 4][kTokenCodes]
    std::vector<std::uint64_t> shapes_, tag_runs_, inside_;  // by span
};

}  // namespace palmette

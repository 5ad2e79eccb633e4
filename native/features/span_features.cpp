#include "features/span_features.hpp"

namespace palmette {

void AnchoredFeatures::set(const TokenViews& views, std::size_t i) {
    n_ = views.length(i);
    codes_.assign((n_ + 4) * kTokenCodes, 0);
    const auto row = [&](std::size_t t) { return codes_.data() + (t + 2) * kTokenCodes; };
    for (std::size_t t = 0; t < n_; ++t) {
        const std::uint64_t* v = views.row(views.offsets[i] + static_cast<std::int64_t>(t));
        std::uint64_t* c = row(t);
        c[tWord] = v[kWord];
        c[tKnown] = v[kLemma] ? v[kLemma] : v[kWord];
        c[tTag] = v[kXpos];
        c[tCoarse] = v[kUpos];
        c[tEnd3] = v[kEnd3];
        c[tEnd2] = v[kEnd2];
        c[tShape] = v[kShape];
        c[tStart3] = v[kStart3];
    }
    for (std::size_t c = 0; c < kTokenCodes; ++c) {
        for (std::size_t t = 0; t < 2; ++t) codes_[t * kTokenCodes + c] = kBefore + c;
        for (std::size_t t = n_ + 2; t < n_ + 4; ++t) codes_[t * kTokenCodes + c] = kAfter + c;
    }
    // Shapes and tags of all spans by their ends, each from the span that ends one word before; runs of the same count once.
    const std::size_t spans = n_ * (n_ + 1) / 2;
    shapes_.resize(spans);
    tag_runs_.resize(spans);
    inside_.resize(spans);
    for (std::size_t start = 0; start < n_; ++start) {
        std::uint64_t shape = 17, tags = 19, last_shape = 0, seen = 0;
        for (std::size_t end = start + 1; end <= n_; ++end) {
            const std::uint64_t* c = row(end - 1);
            if (c[tShape] != last_shape) shape = combine(shape, c[tShape]);
            last_shape = c[tShape];
            tags = combine(tags, c[tTag] ? c[tTag] : c[tShape]);
            if (c[tCoarse]) seen |= std::uint64_t{1} << (c[tCoarse] >> 58);
            const std::size_t at = end * (end - 1) / 2 + start;
            shapes_[at] = mix_bits(shape) | 1;
            tag_runs_[at] = end - start <= 6 ? mix_bits(tags) | 1 : 0;
            inside_[at] = mix_bits(seen + 3) | 1;
        }
    }
}

}  // namespace palmette

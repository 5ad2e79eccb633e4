#include "features/arc_features.hpp"

namespace palmette {
namespace {

std::uint64_t both(std::uint64_t a, std::uint64_t b) { return a && b ? combine(a, b) : 0; }

}  // namespace

void ArcFeatures::set(const TokenViews& views, std::size_t i) {
    static const std::uint64_t verb = hash_string("VERB"), aux = hash_string("AUX"), punct = hash_string("PUNCT"),
                               cconj = hash_string("CCONJ"), conj = hash_string("CONJ"), sconj = hash_string("SCONJ");
    n_ = views.length(i);
    const std::int64_t first = views.offsets[i];
    for (std::size_t d = 0; d < kDistances; ++d) far_[d] = template_seed(9, d);
    for (std::size_t c = 0; c < kCodes; ++c) none_[c] = template_seed(10, c);
    codes_.assign((n_ + 1) * kCodes, 0);
    piece_at_.assign(2, 0);
    pieces_.clear();
    // Tags and words by place, with what lies beyond both ends.
    std::vector<std::uint64_t> P(n_ + 4), L(n_ + 4);
    const auto row = [&](std::size_t token) { return views.row(first + static_cast<std::int64_t>(token) - 1); };
    P[0] = P[1] = L[0] = L[1] = kBefore;  // shifted by one: place t is at t + 1
    P[n_ + 2] = P[n_ + 3] = L[n_ + 2] = L[n_ + 3] = kAfter;
    for (std::size_t t = 1; t <= n_; ++t) {
        const std::uint64_t* v = row(t);
        P[t + 1] = v[kXpos] ? v[kXpos] : v[kUpos] ? v[kUpos] : v[kShape];
        L[t + 1] = v[kLemma] ? v[kLemma] : v[kWord];
    }
    for (std::size_t t = 0; t <= n_; ++t) {
        std::uint64_t* c = codes_.data() + t * kCodes;
        c[cN] = 1;
        if (!t) {
            for (std::size_t k = 1; k < kCodes; ++k) c[k] = kRoot + k;
            c[cF] = c[cPF] = c[cC] = 0;
            continue;
        }
        const std::uint64_t *v = row(t), p = P[t + 1], l = L[t + 1];
        c[cW] = v[kWord];
        c[cL] = l;
        c[cP] = p;
        c[cU] = v[kUpos] ? v[kUpos] : p;
        c[cF] = v[kFeats];
        c[cE] = v[kEnd3] ? v[kEnd3] : v[kWord];
        c[cC] = v[kCluster];
        c[cWP] = both(v[kWord], p);
        c[cLP] = both(l, p);
        c[cPF] = both(p, v[kFeats]);
        c[cPm] = both(P[t], p);
        c[cPp] = both(p, combine(P[t + 2], 1));
        c[cPmp] = both(c[cPm], P[t + 2]);
        c[cPmm] = both(both(P[t - 1], P[t]), p);
        c[cPpp] = both(both(p, P[t + 2]), combine(P[t + 3], 1));
        c[cLm] = both(L[t], p);
        c[cLp] = both(p, combine(L[t + 2], 1));
        for (const std::uint64_t piece : views.morphology(first + static_cast<std::int64_t>(t) - 1)) pieces_.push_back(piece);
        piece_at_.push_back(pieces_.size());
    }
    // Sets of tags between two places; a sentence has hardly ever more than 64 different ones, the rest share the last bit.
    tags_.clear();
    std::vector<std::uint64_t> bit(n_ + 1, 0);
    for (std::size_t t = 1; t <= n_; ++t) {
        const std::uint64_t p = P[t + 1];
        std::size_t k = static_cast<std::size_t>(std::find(tags_.begin(), tags_.end(), p) - tags_.begin());
        if (k == tags_.size()) {
            if (k < 64) tags_.push_back(p);
            else k = 63;
        }
        bit[t] = std::uint64_t{1} << k;
    }
    between_.assign((n_ + 1) * (n_ + 1), 0);
    for (std::size_t a = 0; a <= n_; ++a) {
        std::uint64_t set = 0;
        for (std::size_t b = a + 1; b <= n_; ++b) {
            between_[a * (n_ + 1) + b] = between_[b * (n_ + 1) + a] = set;
            set |= bit[b];
        }
    }
    for (auto& counts : counts_) counts.assign(n_ + 1, 0);
    for (std::size_t t = 1; t <= n_; ++t) {
        const std::uint64_t u = codes_[t * kCodes + cU];
        counts_[0][t] = counts_[0][t - 1] + (u == verb || u == aux);
        counts_[1][t] = counts_[1][t - 1] + (u == cconj || u == conj || u == sconj);
        counts_[2][t] = counts_[2][t - 1] + (u == punct);
    }
}

}  // namespace palmette

// Discounts from counts of counts.
#include <algorithm>

#include "tools/lm/estimation.hpp"

namespace palmette {

namespace {

// D_r = r − (r + 1) Y n_{r+1} / n_r with Y = n_1 / (n_1 + 2 n_2), for r = 1, 2 and 3 or more (Chen & Goodman).
bool three_discounts(const std::array<std::uint64_t, 10>& n, std::array<double, 4>& d) {
    if (!n[1] || !n[2] || !n[3]) return false;
    const double y = double(n[1]) / (double(n[1]) + 2.0 * double(n[2]));
    for (int r = 1; r <= 3; ++r) {
        d[r] = r - (r + 1) * y * double(n[r + 1]) / double(n[r]);
        if (d[r] < 0 || d[r] > r) return false;
    }
    return true;
}

// Katz: d_r = (r*/r − A) / (1 − A), r* = (r + 1) n_{r+1} / n_r, A = (k + 1) n_{k+1} / n_1, for r ≤ k = 7.
bool good_turing(const std::array<std::uint64_t, 10>& n, LevelRule& rule) {
    constexpr int k = LevelRule::kTable - 1;
    for (int r = 1; r <= k; ++r)
        if (!n[r]) return false;
    const double a = (k + 1) * double(n[k + 1]) / double(n[1]);
    for (int r = 1; r <= k; ++r) {
        const double d = ((r + 1) * double(n[r + 1]) / double(n[r]) / r - a) / (1 - a);
        if (!(d > 0 && d <= 1)) return false;
        rule.off[r] = r - d * r;
    }
    return true;
}

}  // namespace

LevelRule rule_from(Smoothing smoothing, const std::array<std::uint64_t, 10>& n, double discount, bool lowest,
                    bool& fell_back) {
    LevelRule rule;
    std::array<double, 4> d{0, 0.5, 1, 1.5};  // what lmplz falls back to
    const auto take = [&](double one, double two, double more) {
        rule.off.fill(more);
        rule.off[0] = 0;
        rule.off[1] = std::min(one, 1.0);
        rule.off[2] = std::min(two, 2.0);
        rule.off_more = more;
    };
    switch (smoothing) {
        case Smoothing::maximum_likelihood:
        case Smoothing::dirichlet:
            break;
        case Smoothing::katz:
            rule.katz = true;
            if (!good_turing(n, rule)) {
                fell_back = true;
                take(0.5, 0.5, 0.5);
            }
            break;
        case Smoothing::kneser_ney:
            if (lowest) break;  // eq. 48: the lowest order has nothing to fall back to
            [[fallthrough]];
        case Smoothing::katz_absolute:
        case Smoothing::absolute:
            rule.katz = smoothing == Smoothing::katz_absolute;
            if (discount > 0) {
                take(discount, discount, discount);
            } else if (n[1] && n[2]) {
                const double one = double(n[1]) / (double(n[1]) + 2.0 * double(n[2]));
                take(one, one, one);
            } else {
                fell_back = true;
                take(0.5, 0.5, 0.5);
            }
            break;
        case Smoothing::modified_kneser_ney:
            if (!three_discounts(n, d)) {
                fell_back = true;
                d = {0, 0.5, 1, 1.5};
            }
            take(d[1], d[2], d[3]);
            break;
    }
    return rule;
}

}  // namespace palmette

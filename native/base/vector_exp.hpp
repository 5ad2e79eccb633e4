// exp over an array, written so that the compiler vectorises it.
#pragma once
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace palmette {

// e^x for x ≤ 0, within a factor of 1 ± 2e-6 (± 2e-7 for x > -10); 0 below -87, minus infinity included.
// 2^t = 2^k · 2^f with k the nearest whole number to t and |f| ≤ 1/2; 2^f by its Taylor series.
inline float exp_negative(float x) {
    const float t = (x > -87.0f ? x : -87.0f) * 1.44269504088896341f;
    const float shifted = t + 12582912.0f;  // 1.5 · 2^23: rounds t to a whole number in the low bits
    const float f = t - (shifted - 12582912.0f);
    float p = 1.5403530393381609e-4f;
    p = p * f + 1.3333558146428443e-3f;
    p = p * f + 9.6181291076284772e-3f;
    p = p * f + 5.5504108664821580e-2f;
    p = p * f + 2.4022650695910071e-1f;
    p = p * f + 6.9314718055994531e-1f;
    p = p * f + 1.0f;
    const std::uint32_t k = std::bit_cast<std::uint32_t>(shifted) << 23;
    const float result = std::bit_cast<float>(std::bit_cast<std::uint32_t>(p) + k);
    return x > -87.0f ? result : 0.0f;
}

// The same within 1e-15; 0 below -708.
inline double exp_negative(double x) {
    const double t = (x > -708.0 ? x : -708.0) * 1.4426950408889634;
    const double shifted = t + 6755399441055744.0;  // 1.5 · 2^52
    const double k = shifted - 6755399441055744.0;
    // r = x − k ln 2 in two steps, since t itself carries the rounding of a large product.
    const double r = ((x > -708.0 ? x : -708.0) - k * 6.93147180369123816490e-01) - k * 1.90821492927058770002e-10;
    double p = 1.6059043836821613e-10;  // 1 / 13!
    p = p * r + 2.0876756987868099e-9;
    p = p * r + 2.5052108385441719e-8;
    p = p * r + 2.7557319223985891e-7;
    p = p * r + 2.7557319223985893e-6;
    p = p * r + 2.4801587301587302e-5;
    p = p * r + 1.9841269841269841e-4;
    p = p * r + 1.3888888888888889e-3;
    p = p * r + 8.3333333333333333e-3;
    p = p * r + 4.1666666666666667e-2;
    p = p * r + 1.6666666666666667e-1;
    p = p * r + 0.5;
    p = p * r + 1.0;
    p = p * r + 1.0;
    const std::uint64_t exponent = std::bit_cast<std::uint64_t>(shifted) << 52;
    const double result = std::bit_cast<double>(std::bit_cast<std::uint64_t>(p) + exponent);
    return x > -708.0 ? result : 0.0;
}

// out[j] = e^(x[j] − shift), where shift is no less than any x[j].
template <class Real>
void exp_shifted(const Real* x, Real shift, std::size_t n, Real* out) {
    for (std::size_t j = 0; j < n; ++j) out[j] = exp_negative(x[j] - shift);
}

}  // namespace palmette

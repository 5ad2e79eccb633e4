// exp over an array, written so that the compiler vectorises it.
#pragma once
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace palmette {

// e^x for x ≤ 0, within 2e-7 of the true value; 0 below -87, minus infinity included.
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
    const std::int32_t k = std::bit_cast<std::int32_t>(shifted) << 23;
    const float result = std::bit_cast<float>(std::bit_cast<std::int32_t>(p) + k);
    return x > -87.0f ? result : 0.0f;
}
inline double exp_negative(double x) { return std::exp(x); }

// out[j] = e^(x[j] − shift), where shift is no less than any x[j].
template <class Real>
void exp_shifted(const Real* x, Real shift, std::size_t n, Real* out) {
    for (std::size_t j = 0; j < n; ++j) out[j] = exp_negative(x[j] - shift);
}

}  // namespace palmette

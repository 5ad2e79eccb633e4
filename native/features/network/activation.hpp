// Sigmoid, tanh and rectifier over arrays, vectorised.
#pragma once
#include <cmath>
#include <cstddef>

#include "base/vector_exp.hpp"

namespace palmette::network {

enum class Activation { none, tanh, relu, sigmoid };

inline float sigmoid(float x) {
    const float e = exp_negative(-std::fabs(x)), s = 1.0f / (1.0f + e);
    return x < 0.0f ? e * s : s;
}

inline float tanh(float x) {
    const float e = exp_negative(-2.0f * std::fabs(x)), t = (1.0f - e) / (1.0f + e);
    return x < 0.0f ? -t : t;
}

inline void activate(Activation kind, float* x, std::size_t n) {
    if (kind == Activation::tanh)
        for (std::size_t j = 0; j < n; ++j) x[j] = tanh(x[j]);
    if (kind == Activation::relu)
        for (std::size_t j = 0; j < n; ++j) x[j] = x[j] > 0.0f ? x[j] : 0.0f;
    if (kind == Activation::sigmoid)
        for (std::size_t j = 0; j < n; ++j) x[j] = sigmoid(x[j]);
}

}  // namespace palmette::network

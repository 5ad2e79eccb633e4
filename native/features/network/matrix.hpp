// Products with a matrix of weights that is packed once: y = W x for many rows x at a time.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstring>
#include <span>

#include "base/raw_vector.hpp"

namespace palmette::network {

constexpr std::size_t kPanel = 16;  // outputs that are computed side by side
inline std::size_t padded(std::size_t n) { return (n + kPanel - 1) / kPanel * kPanel; }

// W [outputs, inputs], kept in panels of kPanel outputs: panel p has W[p · 16 + j, k] at [k][j], zeros beyond the last output.
//
// Every output is one sum in the order of the inputs, however many rows come together: so what a row gives does not depend
// on the rows beside it.
class Matrix {
public:
    Matrix() = default;
    // Columns first .. first + inputs of rows of `width` weights.
    Matrix(std::span<const float> weights, std::size_t outputs, std::size_t width, std::size_t first, std::size_t inputs)
        : outputs_(outputs), inputs_(inputs), panels_(padded(outputs) * inputs, 0.0f) {
        for (std::size_t o = 0; o < outputs; ++o)
            for (std::size_t k = 0; k < inputs; ++k)
                panels_[(o / kPanel * inputs + k) * kPanel + o % kPanel] = weights[o * width + first + k];
    }
    Matrix(std::span<const float> weights, std::size_t outputs, std::size_t inputs) : Matrix(weights, outputs, inputs, 0, inputs) {}

    std::size_t outputs() const { return outputs_; }
    std::size_t inputs() const { return inputs_; }

    // y[r] += W x[r] for n rows; a row of y has room for padded(outputs) numbers.
    void add(const float* x, std::size_t x_stride, std::size_t n, float* y, std::size_t y_stride) const {
        constexpr std::size_t kBlock = 96;  // rows that stay in the cache while all panels pass by
        for (std::size_t first = 0; first < n; first += kBlock) {
            const std::size_t rows = std::min(kBlock, n - first);
            for (std::size_t panel = 0; panel < padded(outputs_) / kPanel; ++panel) {
                const float* w = panels_.data() + panel * inputs_ * kPanel;
                const float* from = x + first * x_stride;
                float* to = y + first * y_stride + panel * kPanel;
                std::size_t r = 0;
                for (; r + 6 <= rows; r += 6) tile<6>(w, from + r * x_stride, x_stride, to + r * y_stride, y_stride);
                for (; r + 2 <= rows; r += 2) tile<2>(w, from + r * x_stride, x_stride, to + r * y_stride, y_stride);
                for (; r < rows; ++r) tile<1>(w, from + r * x_stride, x_stride, to + r * y_stride, y_stride);
            }
        }
    }

private:
    using Lane = float __attribute__((vector_size(32), aligned(4), may_alias));

    template <int kRows>
    void tile(const float* w, const float* x, std::size_t x_stride, float* y, std::size_t y_stride) const {
        Lane low[kRows], high[kRows];
        for (int r = 0; r < kRows; ++r) {
            low[r] = *reinterpret_cast<const Lane*>(y + r * y_stride);
            high[r] = *reinterpret_cast<const Lane*>(y + r * y_stride + 8);
        }
        for (std::size_t k = 0; k < inputs_; ++k) {
            const Lane a = *reinterpret_cast<const Lane*>(w + k * kPanel), b = *reinterpret_cast<const Lane*>(w + k * kPanel + 8);
            for (int r = 0; r < kRows; ++r) {
                const float value = x[r * x_stride + k];
                low[r] += a * value;
                high[r] += b * value;
            }
        }
        for (int r = 0; r < kRows; ++r) {
            *reinterpret_cast<Lane*>(y + r * y_stride) = low[r];
            *reinterpret_cast<Lane*>(y + r * y_stride + 8) = high[r];
        }
    }

    std::size_t outputs_ = 0, inputs_ = 0;
    RawVector<float> panels_;
};

}  // namespace palmette::network

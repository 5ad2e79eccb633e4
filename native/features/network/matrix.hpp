// Products with a matrix of weights that is packed once: y = W x for many rows x at a time.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstring>
#include <span>

#include "base/lanes.hpp"
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
        const std::size_t panels = padded(outputs_) / kPanel;
        for (std::size_t first = 0; first < n; first += kBlock) {
            const std::size_t rows = std::min(kBlock, n - first), six = rows / 6 * 6, even = rows / 2 * 2;
            const float* from = x + first * x_stride;
            float* to = y + first * y_stride;
            for (std::size_t panel = 0; panel < panels; ++panel)
                for (std::size_t r = 0; r < six; r += 6) tile<6, 1>(panel, from + r * x_stride, x_stride, to + r * y_stride, y_stride);
            // Few rows take more panels at a time: a sum that waits for itself alone would leave the processor idle.
            few<2, 3>(panels, from, x_stride, to, y_stride, six, even);
            few<1, 4>(panels, from, x_stride, to, y_stride, even, rows);
        }
    }

private:
    using Lane = Lanes<float>;

    template <int kRows, int kPanels>
    void few(std::size_t panels, const float* x, std::size_t x_stride, float* y, std::size_t y_stride, std::size_t begin,
             std::size_t end) const {
        for (std::size_t r = begin; r < end; r += kRows) {
            std::size_t panel = 0;
            for (; panel + kPanels <= panels; panel += kPanels)
                tile<kRows, kPanels>(panel, x + r * x_stride, x_stride, y + r * y_stride, y_stride);
            for (; panel < panels; ++panel) tile<kRows, 1>(panel, x + r * x_stride, x_stride, y + r * y_stride, y_stride);
        }
    }

    template <int kRows, int kPanels>
    void tile(std::size_t panel, const float* x, std::size_t x_stride, float* y, std::size_t y_stride) const {
        const float* w = panels_.data() + panel * inputs_ * kPanel;
        y += panel * kPanel;
        Lane low[kRows * kPanels], high[kRows * kPanels];
        for (int p = 0; p < kPanels; ++p)
            for (int r = 0; r < kRows; ++r) {
                low[p * kRows + r] = *reinterpret_cast<const Lane*>(y + r * y_stride + p * kPanel);
                high[p * kRows + r] = *reinterpret_cast<const Lane*>(y + r * y_stride + p * kPanel + 8);
            }
        for (std::size_t k = 0; k < inputs_; ++k)
            for (int p = 0; p < kPanels; ++p) {
                const float* from = w + (p * inputs_ + k) * kPanel;
                const Lane a = *reinterpret_cast<const Lane*>(from), b = *reinterpret_cast<const Lane*>(from + 8);
                for (int r = 0; r < kRows; ++r) {
                    const float value = x[r * x_stride + k];
                    low[p * kRows + r] += a * value;
                    high[p * kRows + r] += b * value;
                }
            }
        for (int p = 0; p < kPanels; ++p)
            for (int r = 0; r < kRows; ++r) {
                *reinterpret_cast<Lane*>(y + r * y_stride + p * kPanel) = low[p * kRows + r];
                *reinterpret_cast<Lane*>(y + r * y_stride + p * kPanel + 8) = high[p * kRows + r];
            }
    }

    std::size_t outputs_ = 0, inputs_ = 0;
    RawVector<float> panels_;
};

}  // namespace palmette::network

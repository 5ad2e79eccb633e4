#include "features/network/recurrent.hpp"

#include "base/interrupt.hpp"

namespace palmette::network {
namespace {

void lstm_step(std::size_t n, const float* gates, float* c, float* h) {
    const float *in = gates, *forget = gates + n, *cell = gates + 2 * n, *output = gates + 3 * n;
    for (std::size_t j = 0; j < n; ++j) {
        c[j] = sigmoid(forget[j]) * c[j] + sigmoid(in[j]) * tanh(cell[j]);
        h[j] = sigmoid(output[j]) * tanh(c[j]);
    }
}

void gru_step(std::size_t n, const float* a, const float* from_hidden, float* h) {
    for (std::size_t j = 0; j < n; ++j) {
        const float reset = sigmoid(a[j] + from_hidden[j]), update = sigmoid(a[n + j] + from_hidden[n + j]);
        const float fresh = tanh(a[2 * n + j] + reset * from_hidden[2 * n + j]);
        h[j] = (1.0f - update) * fresh + update * h[j];
    }
}

}  // namespace

void Direction::run(const Sequences& given, const float* a, std::size_t a_stride, float* out, std::size_t out_stride, float* last,
                    std::size_t last_stride) const {
    const std::size_t n = given.size(), width = gates_of(cell) * size, stride = padded(width);
    std::vector<float> h(n * size, 0.0f), c(cell == Cell::lstm ? n * size : 0, 0.0f);
    RawVector<float> gates(n * stride);
    std::size_t active = n;
    for (std::size_t t = 0; n && t < given.length[0]; ++t) {
        while (given.length[active - 1] <= t) --active;
        if (t % 16 == 0) check_interrupt();
        const auto row = [&](std::size_t b) { return given.first[b] + (backward ? given.length[b] - 1 - t : t); };
        for (std::size_t b = 0; b < active; ++b) {
            const float* begin = cell == Cell::lstm ? a + row(b) * a_stride : hidden_bias.data();
            std::copy_n(begin, width, gates.data() + b * stride);
            std::fill_n(gates.data() + b * stride + width, stride - width, 0.0f);
        }
        if (t || cell == Cell::gru) hidden.add(h.data(), size, active, gates.data(), stride);
        for (std::size_t b = 0; b < active; ++b) {
            if (cell == Cell::lstm)
                lstm_step(size, gates.data() + b * stride, c.data() + b * size, h.data() + b * size);
            else
                gru_step(size, a + row(b) * a_stride, gates.data() + b * stride, h.data() + b * size);
            if (out) std::copy_n(h.data() + b * size, size, out + row(b) * out_stride);
        }
    }
    if (last)
        for (std::size_t b = 0; b < n; ++b) std::copy_n(h.data() + b * size, size, last + b * last_stride);
}

}  // namespace palmette::network

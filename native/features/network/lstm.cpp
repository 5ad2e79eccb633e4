#include "features/network/lstm.hpp"

#include <algorithm>
#include <vector>

#include "base/interrupt.hpp"

namespace palmette::network {
namespace {

// How many sequences still go on at step t; the longest come first.
std::size_t active_at(const Sequences& given, std::size_t t) {
    std::size_t active = 0;
    while (active < given.size() && given.length[active] > t) ++active;
    return active;
}

std::size_t row_at(const Sequences& given, std::size_t b, std::size_t t, bool backward) {
    return given.first[b] + (backward ? given.length[b] - 1 - t : t);
}

// a: W x + b; u: U h; c: of the step before, zeros at the first.
void cell_forward(std::size_t n, float* __restrict a, const float* __restrict u, const float* __restrict c, float* __restrict to,
                  float* __restrict h) {
    for (std::size_t j = 0; j < n; ++j) {
        const float in = sigmoid(a[j] + u[j]), forget = sigmoid(a[n + j] + u[n + j]);
        const float fresh = tanh(a[2 * n + j] + u[2 * n + j]), out = sigmoid(a[3 * n + j] + u[3 * n + j]);
        const float now = forget * c[j] + in * fresh;
        a[j] = in, a[n + j] = forget, a[2 * n + j] = fresh, a[3 * n + j] = out;
        to[j] = now;
        h[j] = out * tanh(now);
    }
}

// dh, dc: the gradients of h' and c'; dc becomes that of c, and the gates their own.
void cell_back(std::size_t n, float* __restrict gates, const float* __restrict now, const float* __restrict before, const float* __restrict grad,
               const float* __restrict dh, float* __restrict dc) {
    for (std::size_t j = 0; j < n; ++j) {
        const float in = gates[j], forget = gates[n + j], fresh = gates[2 * n + j], out = gates[3 * n + j];
        const float bent = tanh(now[j]), of_h = grad[j] + dh[j];
        const float of_c = dc[j] + of_h * out * (1.0f - bent * bent);
        gates[j] = of_c * fresh * in * (1.0f - in);
        gates[n + j] = of_c * before[j] * forget * (1.0f - forget);
        gates[2 * n + j] = of_c * in * (1.0f - fresh * fresh);
        gates[3 * n + j] = of_h * bent * out * (1.0f - out);
        dc[j] = of_c * forget;
    }
}

}  // namespace

void LstmLayer::forward(const Sequences& given, LstmRows gates, LstmRows cells, LstmRows states) const {
    const std::size_t n = given.size(), width = 4 * size, stride = padded(width);
    const Matrix matrix(hidden, width, size);
    std::vector<float> h(n * size), u(n * stride, 0.0f), zeros(size, 0.0f);
    for (std::size_t t = 0; n && t < given.length[0]; ++t) {
        const std::size_t active = active_at(given, t);
        if (t % 16 == 0) check_interrupt();
        if (t) {
            for (std::size_t b = 0; b < active; ++b) std::copy_n(states.row(row_at(given, b, t - 1, backward)), size, h.data() + b * size);
            std::fill_n(u.data(), active * stride, 0.0f);
            matrix.add(h.data(), size, active, u.data(), stride);
        }
        for (std::size_t b = 0; b < active; ++b) {
            const std::size_t row = row_at(given, b, t, backward);
            const float* before = t ? cells.row(row_at(given, b, t - 1, backward)) : zeros.data();
            cell_forward(size, gates.row(row), u.data() + b * stride, before, cells.row(row), states.row(row));
        }
    }
}

void LstmLayer::pull_back(const Sequences& given, LstmRows gates, LstmRows cells, LstmRows grads) const {
    const std::size_t n = given.size(), width = 4 * size, stride = padded(size);
    std::vector<float> turned(hidden.size());
    for (std::size_t o = 0; o < width; ++o)
        for (std::size_t k = 0; k < size; ++k) turned[k * width + o] = hidden[o * size + k];
    const Matrix matrix(turned, size, width);
    std::vector<float> dh(n * stride, 0.0f), dc(n * size, 0.0f), rows(n * width), zeros(size, 0.0f);
    for (std::size_t t = n ? given.length[0] : 0; t-- > 0;) {
        const std::size_t active = active_at(given, t);
        if (t % 16 == 0) check_interrupt();
        for (std::size_t b = 0; b < active; ++b) {
            const std::size_t row = row_at(given, b, t, backward);
            const float* before = t ? cells.row(row_at(given, b, t - 1, backward)) : zeros.data();
            cell_back(size, gates.row(row), cells.row(row), before, grads.row(row), dh.data() + b * stride, dc.data() + b * size);
            std::copy_n(gates.row(row), width, rows.data() + b * width);
        }
        if (!t) break;
        std::fill_n(dh.data(), active * stride, 0.0f);
        matrix.add(rows.data(), width, active, dh.data(), stride);
    }
}

}  // namespace palmette::network

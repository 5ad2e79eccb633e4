// The steps of an LSTM in training: forwards with all that the way back needs, and backwards to the gates.
//
//   i, f, o = σ(a), g = tanh(a);  c' = f c + i g;  h' = o tanh(c')          where a = W x + b + U h, in the order i f g o
//
// What is one product for all tokens (W x, and the gradients of W, U and x) is left to the caller, so this is what must go
// from step to step. Sentences of any lengths lie one after the other in rows, without padding.
#pragma once
#include <cstddef>
#include <span>

#include "features/network/recurrent.hpp"

namespace palmette::network {

// Rows of one direction, each row `stride` numbers after the one before: its columns begin where the pointer is.
struct LstmRows {
    float* data;
    std::size_t stride;
    float* row(std::size_t r) const { return data + r * stride; }
};

struct LstmLayer {
    std::size_t size;
    bool backward;  // reads from the last token to the first
    std::span<const float> hidden;  // U [4 · size, size]

    // gates: W x + b; it becomes i f g o. cells and states: c' and h' of every row.
    void forward(const Sequences& given, LstmRows gates, LstmRows cells, LstmRows states) const;

    // gates and cells: as `forward` left them. grads: of states. gates becomes the gradient by a.
    void pull_back(const Sequences& given, LstmRows gates, LstmRows cells, LstmRows grads) const;
};

}  // namespace palmette::network

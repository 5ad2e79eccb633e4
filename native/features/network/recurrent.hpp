// Recurrent layers: LSTM (Hochreiter & Schmidhuber 1997) and GRU (Cho et al. 2014), one direction over many sequences at a time.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "features/network/activation.hpp"
#include "features/network/matrix.hpp"

namespace palmette::network {

enum class Cell { lstm, gru };
inline std::size_t gates_of(Cell cell) { return cell == Cell::lstm ? 4 : 3; }

// Sequences that lie one after the other in rows: sequence b has the rows first[b] .. first[b] + length[b] - 1. The longest
// come first, so that those which still go on at a step are the first ones.
struct Sequences {
    std::vector<std::size_t> first, length;
    std::size_t size() const { return first.size(); }
    std::size_t rows = 0;
};

// What one direction does from a step to the next:
//
//   LSTM  i, f, o = σ(a), g = tanh(a);  c' = f c + i g;  h' = o tanh(c')         where a = W x + b + U h, in the order i f g o
//   GRU   r, z = σ(a + U h + d), n = tanh(a + r (U h + d));  h' = (1 − z) n + z h   where a = W x + b, in the order r z n
struct Direction {
    Cell cell = Cell::lstm;
    std::size_t size = 0;
    bool backward = false;
    Matrix hidden;                  // U [gates · size, size]
    std::vector<float> hidden_bias;  // d, padded; zeros for an LSTM, whose biases are one

    // a: W x + b of every row, [rows, a_stride]. out: h' of every row, [rows, out_stride], or null where only the last
    // ones are wanted; last: [sequences, size], or null.
    void run(const Sequences& given, const float* a, std::size_t a_stride, float* out, std::size_t out_stride, float* last,
             std::size_t last_stride) const;
};

}  // namespace palmette::network

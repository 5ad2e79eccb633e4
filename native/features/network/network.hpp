// A trained network over tokens: embeddings, recurrent layers, feed-forward layers, one row of outputs per token.
//
//   x_t  = what the inputs give token t, side by side          (tables; convolutions or recurrent layers over letters)
//   h_t  = recurrent layers over x_1 … x_n, in both directions
//   y_t  = W_k σ(… σ(W_1 h_t + b_1) …) + b_k
//
// What depends on the word alone is computed once per word type, up to its product with the first layer. Sentences of like
// length go through the layers together.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "features/network/recurrent.hpp"

namespace palmette::network {

// Ids by rows: those of row r are ids[rows[r]] .. ids[rows[r + 1] - 1].
struct IdRows {
    std::span<const std::int64_t> rows;
    std::span<const std::int32_t> ids;
    std::span<const std::int32_t> of(std::size_t r) const { return ids.subspan(rows[r], rows[r + 1] - rows[r]); }
};

// What is looked up for a row of ids.
struct Input {
    enum class Kind { sum, convolution, recurrent } kind = Kind::sum;
    bool by_type = false;       // are rows those of word types, or of tokens?
    std::vector<float> table;   // [entries, width]
    std::size_t entries = 0, width = 0;
    std::size_t outputs = 0;
    // convolution: the maximum over positions of relu(W [letters around] + b)
    std::size_t reach = 0;      // letters on either side
    Matrix filters;
    std::vector<float> bias;    // padded
    // recurrent: the last state of either direction
    Matrix letters;             // W of both directions [2 · gates · size, width]
    std::vector<Direction> directions;

    // Writes `outputs` numbers for each of n rows to out.
    void apply(const IdRows& given, std::size_t first, std::size_t n, float* out, std::size_t stride) const;
};

struct Recurrent {
    std::size_t inputs = 0;
    Matrix input;             // W of all directions one below the other; empty in the first layer of a network
    std::vector<float> bias;  // padded
    std::vector<Direction> directions;
    std::size_t outputs() const { return directions.size() * directions[0].size; }
};

struct Dense {
    Matrix weights;           // empty in the first layer of a network
    std::size_t inputs = 0, outputs = 0;
    std::vector<float> bias;  // padded
    Activation activation = Activation::none;
};

class Network {
public:
    std::vector<Input> inputs;
    std::vector<Recurrent> recurrent;
    std::vector<Dense> dense;
    Matrix of_types, of_tokens;  // the first layer, for the two kinds of inputs

    std::size_t width(bool by_type) const;
    std::size_t outputs() const;
    // [tokens, stride], zeros behind the outputs. types: of the word of every token, of `n_types` that by-type inputs have rows for.
    std::vector<float> forward(std::span<const std::int64_t> offsets, std::span<const std::int32_t> types, std::size_t n_types,
                               std::span<const IdRows> given, std::size_t stride, int n_jobs) const;
};

}  // namespace palmette::network

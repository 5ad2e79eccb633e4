// Trained networks over tokens: built layer by layer from arrays of weights, then run on sentences.
#include <nanobind/ndarray.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <numeric>

#include "bind/bind.hpp"
#include "features/network/lstm.hpp"
#include "features/network/network.hpp"

namespace {

using namespace palmette::network;

std::vector<float> padded_copy(const Array<float>& values) {
    std::vector<float> found(padded(values.size()), 0.0f);
    std::copy_n(values.data(), values.size(), found.begin());
    return found;
}

Cell cell_of(bool gated) { return gated ? Cell::gru : Cell::lstm; }

// Weights of n directions: hidden [n · gates · size, size] and its biases, which only a GRU has apart from the others.
std::vector<Direction> directions_of(Cell cell, size_t size, size_t n, const Array<float>& hidden, const Array<float>& hidden_bias) {
    const size_t width = gates_of(cell) * size;
    require(size > 0 && (n == 1 || n == 2), "a recurrent layer must have a size and one or two directions");
    require(hidden.size() == n * width * size && hidden_bias.size() == n * width, "the weights of the states have another size");
    std::vector<Direction> found;
    for (size_t d = 0; d < n; ++d) {
        std::vector<float> bias(padded(width), 0.0f);
        std::copy_n(hidden_bias.data() + d * width, width, bias.begin());
        found.push_back({cell, size, d == 1, Matrix({hidden.data() + d * width * size, width * size}, width, size), std::move(bias)});
    }
    return found;
}

void fill_table(Input& input, const Array<float>& table, size_t width) {
    require(width > 0 && table.size() >= width && table.size() % width == 0, "a table of embeddings must have rows of its width");
    input.table.assign(table.data(), table.data() + table.size());
    input.width = width;
    input.entries = table.size() / width;
}

class Builder {
public:
    void add_table(const Array<float>& table, size_t width, bool by_type) {
        Input input;
        fill_table(input, table, width);
        input.by_type = by_type;
        input.outputs = width;
        add(std::move(input));
    }

    void add_convolution(const Array<float>& table, size_t width, const Array<float>& filters, const Array<float>& bias, size_t reach) {
        Input input;
        fill_table(input, table, width);
        input.kind = Input::Kind::convolution;
        input.by_type = true;
        input.reach = reach;
        input.outputs = bias.size();
        require(reach < 64 && bias.size() > 0, "a convolution must have filters and a short reach");
        require(filters.size() == bias.size() * (2 * reach + 1) * width, "the filters have another size");
        input.filters = Matrix({filters.data(), filters.size()}, bias.size(), (2 * reach + 1) * width);
        input.bias = padded_copy(bias);
        add(std::move(input));
    }

    void add_letters(const Array<float>& table, size_t width, bool gated, size_t size, size_t directions, const Array<float>& weights,
                     const Array<float>& bias, const Array<float>& hidden, const Array<float>& hidden_bias) {
        Input input;
        fill_table(input, table, width);
        input.kind = Input::Kind::recurrent;
        input.by_type = true;
        input.directions = directions_of(cell_of(gated), size, directions, hidden, hidden_bias);
        input.outputs = directions * size;
        require(bias.size() == hidden_bias.size() && weights.size() == bias.size() * width, "the weights of the letters have another size");
        input.letters = Matrix({weights.data(), weights.size()}, bias.size(), width);
        input.bias = padded_copy(bias);
        add(std::move(input));
    }

    void add_recurrent(bool gated, size_t size, size_t directions, const Array<float>& weights, const Array<float>& bias,
                       const Array<float>& hidden, const Array<float>& hidden_bias) {
        require(!net_.inputs.empty() && net_.dense.empty(), "recurrent layers come after the inputs and before the others");
        Recurrent layer;
        layer.directions = directions_of(cell_of(gated), size, directions, hidden, hidden_bias);
        require(bias.size() == hidden_bias.size(), "the biases of a recurrent layer have another size");
        layer.input = first_or_whole(weights, bias.size());
        layer.bias = padded_copy(bias);
        net_.recurrent.push_back(std::move(layer));
    }

    void add_dense(const Array<float>& weights, const Array<float>& bias, int activation) {
        require(!net_.inputs.empty() && bias.size() > 0, "a layer needs inputs and outputs");
        require(activation >= 0 && activation <= 3, "there is no such activation");
        Dense layer;
        layer.weights = first_or_whole(weights, bias.size());
        layer.outputs = bias.size();
        layer.bias = padded_copy(bias);
        layer.activation = static_cast<Activation>(activation);
        net_.dense.push_back(std::move(layer));
    }

    auto forward(const Array<int64_t>& offsets, const Array<int32_t>& types, size_t n_types,
                 const std::vector<std::pair<Array<int64_t>, Array<int32_t>>>& given, size_t stride, int n_jobs) const {
        require(!net_.recurrent.empty() || !net_.dense.empty(), "the network has no layers");
        require(offsets.size() > 0 && given.size() == net_.inputs.size(), "there must be ids for every input");
        check_boundaries(offsets, offsets.size() - 1, types.size(), "the offsets do not cut the tokens into sentences");
        check_ids(types, 0, static_cast<int64_t>(n_types), "a type is out of range");
        require(stride >= net_.outputs() && stride < (size_t{1} << 40), "a row of results is too short");
        std::vector<IdRows> rows;
        for (size_t k = 0; k < given.size(); ++k) {
            const Input& input = net_.inputs[k];
            const auto& [ends, ids] = given[k];
            check_boundaries(ends, input.by_type ? n_types : types.size(), ids.size(), "the rows do not cut the ids");
            check_ids(ids, 0, static_cast<int64_t>(input.entries), "an id is out of range");
            rows.push_back({span_of(ends), span_of(ids)});
        }
        std::vector<float> found;
        {
            nb::gil_scoped_release unlocked;
            found = net_.forward(span_of(offsets), span_of(types), n_types, rows, stride, n_jobs);
        }
        return numpy_of(std::move(found));
    }

    size_t outputs() const { return net_.recurrent.empty() && net_.dense.empty() ? 0 : net_.outputs(); }

private:
    void add(Input&& input) {
        require(net_.recurrent.empty() && net_.dense.empty(), "inputs come before the layers");
        net_.inputs.push_back(std::move(input));
    }

    // The first layer is kept in two parts, for inputs by type and by token; the columns of its weights are in the order of
    // the inputs, by type first.
    Matrix first_or_whole(const Array<float>& weights, size_t outputs) {
        const bool first = net_.recurrent.empty() && net_.dense.empty();
        const size_t types = net_.width(true), tokens = net_.width(false);
        const size_t inputs = first ? types + tokens : net_.outputs();
        require(weights.size() == outputs * inputs, "the weights of a layer have another size than its inputs and outputs");
        const std::span<const float> all{weights.data(), weights.size()};
        if (!first) return Matrix(all, outputs, inputs);
        net_.of_types = Matrix(all, outputs, inputs, 0, types);
        net_.of_tokens = Matrix(all, outputs, inputs, types, tokens);
        return {};
    }

    Network net_;
};

template <class T>
using Rows = nb::ndarray<T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// An LSTM in both directions over sentences of these lengths; run(layer, sequences, first column of its size).
template <class Run>
void both_directions(const Array<int64_t>& lengths, const Array<float>& hidden, const Rows<float>& gates, const Rows<float>& cells,
                     const Rows<float>& states, const Run& run) {
    const size_t rows = gates.shape(0), size = cells.shape(1) / 2;
    require(size > 0 && cells.shape(1) == 2 * size && gates.shape(1) == 8 * size && hidden.size() == 8 * size * size,
            "the arrays of an LSTM do not have its width");
    require(cells.shape(0) == rows && states.shape(0) == rows && states.shape(1) == 2 * size, "the arrays of an LSTM differ in their rows");
    Sequences given;
    size_t left = rows;
    for (int64_t length : span_of(lengths)) {
        require(length >= 0 && static_cast<size_t>(length) <= left, "the lengths do not add up to the rows");
        given.first.push_back(rows - left);
        given.length.push_back(static_cast<size_t>(length));
        left -= static_cast<size_t>(length);
    }
    require(left == 0, "the lengths do not add up to the rows");
    std::vector<size_t> order(given.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return given.length[a] > given.length[b]; });
    Sequences sorted;
    sorted.rows = rows;
    for (size_t b : order) sorted.first.push_back(given.first[b]), sorted.length.push_back(given.length[b]);
    nb::gil_scoped_release unlocked;
    for (size_t d = 0; d < 2; ++d)
        run(LstmLayer{size, d == 1, {hidden.data() + d * 4 * size * size, 4 * size * size}}, sorted, d * size);
}

void lstm_forward(const Array<int64_t>& lengths, const Array<float>& hidden, const Rows<float>& gates, const Rows<float>& cells,
                  const Rows<float>& states) {
    both_directions(lengths, hidden, gates, cells, states, [&](const LstmLayer& layer, const Sequences& given, size_t at) {
        layer.forward(given, {gates.data() + 4 * at, gates.shape(1)}, {cells.data() + at, cells.shape(1)}, {states.data() + at, states.shape(1)});
    });
}

void lstm_pull_back(const Array<int64_t>& lengths, const Array<float>& hidden, const Rows<float>& gates, const Rows<float>& cells,
                    const Rows<float>& grads) {
    both_directions(lengths, hidden, gates, cells, grads, [&](const LstmLayer& layer, const Sequences& given, size_t at) {
        layer.pull_back(given, {gates.data() + 4 * at, gates.shape(1)}, {cells.data() + at, cells.shape(1)}, {grads.data() + at, grads.shape(1)});
    });
}

}  // namespace

void bind_network(nb::module_& m) {
    using namespace nb::literals;
    m.def("lstm_forward", &lstm_forward, "lengths"_a.noconvert(), "hidden"_a.noconvert(), "gates"_a.noconvert(), "cells"_a.noconvert(),
          "states"_a.noconvert(), "Fill in the gates, cells and states of an LSTM in both directions.");
    m.def("lstm_pull_back", &lstm_pull_back, "lengths"_a.noconvert(), "hidden"_a.noconvert(), "gates"_a.noconvert(),
          "cells"_a.noconvert(), "grads"_a.noconvert(), "Turn the gates of an LSTM into their gradients.");
    nb::class_<Builder>(m, "Network", "A network over tokens, built from arrays of weights layer by layer.")
        .def(nb::init<>())
        .def("add_table", &Builder::add_table, "table"_a.noconvert(), "width"_a, "by_type"_a)
        .def("add_convolution", &Builder::add_convolution, "table"_a.noconvert(), "width"_a, "filters"_a.noconvert(), "bias"_a.noconvert(),
             "reach"_a)
        .def("add_letters", &Builder::add_letters, "table"_a.noconvert(), "width"_a, "gated"_a, "size"_a, "directions"_a,
             "weights"_a.noconvert(), "bias"_a.noconvert(), "hidden"_a.noconvert(), "hidden_bias"_a.noconvert())
        .def("add_recurrent", &Builder::add_recurrent, "gated"_a, "size"_a, "directions"_a, "weights"_a.noconvert(), "bias"_a.noconvert(),
             "hidden"_a.noconvert(), "hidden_bias"_a.noconvert())
        .def("add_dense", &Builder::add_dense, "weights"_a.noconvert(), "bias"_a.noconvert(), "activation"_a)
        .def("forward", &Builder::forward, "offsets"_a.noconvert(), "types"_a.noconvert(), "n_types"_a, "given"_a, "stride"_a, "n_jobs"_a)
        .def_prop_ro("outputs", &Builder::outputs);
}

#include <algorithm>
#include <numeric>

#include "features/network/network.hpp"

namespace palmette::network {
namespace {

void add_rows(const Input& input, std::span<const std::int32_t> ids, float* out) {
    std::fill_n(out, input.width, 0.0f);
    for (const std::int32_t id : ids) {
        const float* row = input.table.data() + id * input.width;
        for (std::size_t j = 0; j < input.width; ++j) out[j] += row[j];
    }
}

// The letters of all rows, with `between` rows of zeros before, between and after them.
struct Letters {
    std::vector<float> values;
    std::vector<std::size_t> first, length;
    std::size_t rows = 0;

    Letters(const Input& input, const IdRows& given, std::size_t begin, std::size_t n, std::size_t between) {
        rows = between;
        for (std::size_t r = 0; r < n; ++r) {
            first.push_back(rows);
            length.push_back(given.of(begin + r).size());
            rows += length.back() + between;
        }
        values.assign((rows + between) * input.width, 0.0f);
        for (std::size_t r = 0; r < n; ++r) {
            float* to = values.data() + first[r] * input.width;
            for (const std::int32_t id : given.of(begin + r)) {
                std::copy_n(input.table.data() + id * input.width, input.width, to);
                to += input.width;
            }
        }
    }
};

// Neighbouring positions share letters, so the rows of the product overlap in memory.
void convolve(const Input& input, const IdRows& given, std::size_t begin, std::size_t n, float* out, std::size_t stride) {
    const Letters letters(input, given, begin, n, input.reach);
    const std::size_t width = padded(input.outputs), positions = letters.rows - input.reach;
    RawVector<float> found(positions * width);
    for (std::size_t p = 0; p < positions; ++p) std::copy_n(input.bias.data(), width, found.data() + p * width);
    input.filters.add(letters.values.data(), input.width, positions, found.data(), width);
    for (std::size_t r = 0; r < n; ++r) {
        float* to = out + r * stride;
        std::fill_n(to, input.outputs, 0.0f);
        for (std::size_t k = 0; k < letters.length[r]; ++k) {
            const float* from = found.data() + (letters.first[r] - input.reach + k) * width;
            for (std::size_t j = 0; j < input.outputs; ++j) to[j] = from[j] > to[j] ? from[j] : to[j];
        }
    }
}

void recur(const Input& input, const IdRows& given, std::size_t begin, std::size_t n, float* out, std::size_t stride) {
    const Letters letters(input, given, begin, n, 0);
    std::vector<std::size_t> order(n);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return letters.length[a] > letters.length[b]; });
    Sequences words;
    words.rows = letters.rows;
    for (const std::size_t r : order) {
        words.first.push_back(letters.first[r]);
        words.length.push_back(letters.length[r]);
    }
    const std::size_t width = padded(input.letters.outputs());
    RawVector<float> a(letters.rows * width);
    for (std::size_t k = 0; k < letters.rows; ++k) std::copy_n(input.bias.data(), width, a.data() + k * width);
    input.letters.add(letters.values.data(), input.width, letters.rows, a.data(), width);
    const std::size_t size = input.directions[0].size, gates = gates_of(input.directions[0].cell) * size;
    std::vector<float> last(n * input.outputs, 0.0f);
    for (std::size_t d = 0; d < input.directions.size(); ++d)
        input.directions[d].run(words, a.data() + d * gates, width, nullptr, 0, last.data() + d * size, input.outputs);
    for (std::size_t k = 0; k < n; ++k) std::copy_n(last.data() + k * input.outputs, input.outputs, out + order[k] * stride);
}

}  // namespace

void Input::apply(const IdRows& given, std::size_t first, std::size_t n, float* out, std::size_t stride) const {
    if (kind == Kind::convolution) return convolve(*this, given, first, n, out, stride);
    if (kind == Kind::recurrent) return recur(*this, given, first, n, out, stride);
    for (std::size_t r = 0; r < n; ++r) add_rows(*this, given.of(first + r), out + r * stride);
}

}  // namespace palmette::network

#include "features/network/network.hpp"

#include <algorithm>
#include <numeric>

#include "base/parallel.hpp"

namespace palmette::network {
namespace {

constexpr std::size_t kTypes = 256;              // word types of a piece
constexpr std::size_t kSentences = 32, kTokens = 1024;  // most sentences and about the most tokens of a batch

void fill_rows(const std::vector<float>& bias, std::size_t n, float* out, std::size_t stride) {
    for (std::size_t r = 0; r < n; ++r) std::copy_n(bias.data(), stride, out + r * stride);
}

// Sentences by falling length, cut into batches.
std::vector<std::vector<std::size_t>> batches_of(std::span<const std::int64_t> offsets) {
    const std::size_t n = offsets.size() - 1;
    const auto length = [&](std::size_t s) { return offsets[s + 1] - offsets[s]; };
    std::vector<std::size_t> order(n);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return length(a) > length(b); });
    std::vector<std::vector<std::size_t>> found;
    std::size_t tokens = 0;
    for (const std::size_t s : order) {
        if (!length(s)) break;
        if (found.empty() || found.back().size() == kSentences || tokens + length(s) > kTokens) {
            found.emplace_back();
            tokens = 0;
        }
        found.back().push_back(s);
        tokens += length(s);
    }
    return found;
}

}  // namespace

std::size_t Network::width(bool by_type) const {
    std::size_t sum = 0;
    for (const Input& input : inputs) sum += input.by_type == by_type ? input.outputs : 0;
    return sum;
}

std::size_t Network::outputs() const { return dense.empty() ? recurrent.back().outputs() : dense.back().outputs; }

std::vector<float> Network::forward(std::span<const std::int64_t> offsets, std::span<const std::int32_t> types, std::size_t n_types,
                                    std::span<const IdRows> given, std::size_t stride, int n_jobs) const {
    const std::vector<float>& bias = recurrent.empty() ? dense[0].bias : recurrent[0].bias;
    const std::size_t type_width = width(true), token_width = width(false), first = bias.size();
    const auto side_by_side = [&](bool by_type, std::size_t begin, std::size_t n, float* out, std::size_t across) {
        for (std::size_t k = 0; k < inputs.size(); ++k)
            if (inputs[k].by_type == by_type) {
                inputs[k].apply(given[k], begin, n, out, across);
                out += inputs[k].outputs;
            }
    };

    RawVector<float> by_type(type_width ? n_types * first : 0);
    if (type_width)
        parallel((n_types + kTypes - 1) / kTypes, n_jobs, [&](std::size_t piece, std::size_t) {
            const std::size_t begin = piece * kTypes, n = std::min(kTypes, n_types - begin);
            RawVector<float> x(n * type_width);
            side_by_side(true, begin, n, x.data(), type_width);
            fill_rows(bias, n, by_type.data() + begin * first, first);
            of_types.add(x.data(), type_width, n, by_type.data() + begin * first, first);
        });

    std::vector<float> scores(static_cast<std::size_t>(offsets.back()) * stride, 0.0f);
    const auto batches = batches_of(offsets);
    parallel(batches.size(), n_jobs, [&](std::size_t number, std::size_t) {
        Sequences batch;
        for (const std::size_t s : batches[number]) {
            batch.first.push_back(batch.rows);
            batch.length.push_back(offsets[s + 1] - offsets[s]);
            batch.rows += batch.length.back();
        }
        RawVector<float> a(batch.rows * first), x;
        std::size_t across = first;  // of the numbers in a
        for (std::size_t b = 0; b < batch.size(); ++b) {
            const std::size_t begin = offsets[batches[number][b]], n = batch.length[b];
            float* rows = a.data() + batch.first[b] * first;
            for (std::size_t r = 0; r < n; ++r)
                std::copy_n(type_width ? by_type.data() + types[begin + r] * first : bias.data(), first, rows + r * first);
            if (token_width) {
                x.resize(n * token_width);
                side_by_side(false, begin, n, x.data(), token_width);
                of_tokens.add(x.data(), token_width, n, rows, first);
            }
        }
        for (std::size_t layer = 0; layer < recurrent.size(); ++layer) {
            const Recurrent& here = recurrent[layer];
            if (layer) {
                RawVector<float> next(batch.rows * here.bias.size());
                fill_rows(here.bias, batch.rows, next.data(), here.bias.size());
                here.input.add(x.data(), recurrent[layer - 1].outputs(), batch.rows, next.data(), here.bias.size());
                a.swap(next);
                across = here.bias.size();
            }
            x.resize(batch.rows * here.outputs());
            const std::size_t size = here.directions[0].size, gates = gates_of(here.directions[0].cell) * size;
            for (std::size_t d = 0; d < here.directions.size(); ++d)
                here.directions[d].run(batch, a.data() + d * gates, across, x.data() + d * size, here.outputs(), nullptr, 0);
        }
        std::size_t width = recurrent.empty() ? 0 : recurrent.back().outputs();
        for (std::size_t layer = 0; layer < dense.size(); ++layer) {
            const Dense& here = dense[layer];
            if (layer || !recurrent.empty()) {
                RawVector<float> next(batch.rows * here.bias.size());
                fill_rows(here.bias, batch.rows, next.data(), here.bias.size());
                here.weights.add(x.data(), width, batch.rows, next.data(), here.bias.size());
                a.swap(next);
            }
            activate(here.activation, a.data(), batch.rows * here.bias.size());
            x.swap(a);
            width = here.bias.size();
        }
        for (std::size_t b = 0; b < batch.size(); ++b)
            for (std::size_t r = 0; r < batch.length[b]; ++r)
                std::copy_n(x.data() + (batch.first[b] + r) * width, outputs(),
                            scores.data() + (offsets[batches[number][b]] + r) * stride);
    });
    return scores;
}

}  // namespace palmette::network

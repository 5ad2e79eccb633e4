#include "structures/chain/expectations.hpp"

#include "base/sums/shared_sums.hpp"

namespace palmette {
namespace {

// Rows of `stride` numbers, without their pads and times a weight, added to rows of `labels` numbers.
template <class Real>
void add_rows(const Real* from, std::size_t rows, std::size_t labels, std::size_t stride, Real weight, Real* to) {
    for (std::size_t r = 0; r < rows; ++r, from += stride, to += labels)
        for (std::size_t y = 0; y < labels; ++y) to[y] += weight * from[y];
}

}  // namespace

template <class Real>
void expectations_of(const ChainBatch<Real>& batch, int jobs, const Real* weights, double* log_z, const ChainParts<Real>& out) {
    const std::size_t L = batch.labels, S = padded(L), order = static_cast<std::size_t>(batch.order);
    const std::size_t rows = power(L, batch.order), block = order ? rows * S : 0, begins = begin_size(L, S, batch.order);
    const std::size_t shared = begins + (batch.per_position ? 0 : block);
    std::vector<Real> total(shared, Real(0));
    sum_over_pieces(batch.sentences(), shared, jobs, total.data(), [&](std::size_t from, std::size_t to, Real* sum) {
        ChainReader<Real> reader(batch);
        ChainSpace<Real> space;
        ChainPotentials<Real> potentials;
        std::vector<Real> unary, parts;
        bool ready = false;
        for (std::size_t k = from; k < to; ++k) {
            auto s = reader.read(k);
            const std::size_t first = static_cast<std::size_t>(batch.offsets[k]);
            const Real weight = weights ? weights[k] : Real(1);
            if (!ready || s.table_step) potentials.set(s);
            ready = true;
            unary.assign(s.n * S, Real(0));
            // With a weight of its own, or tables of its own, a sentence adds up in a place of its own.
            const bool apart = weight != Real(1) || batch.per_position;
            if (apart) parts.assign(begins + (batch.per_position ? s.n : 1) * block, Real(0));
            Real* const to_begin = apart ? parts.data() : sum;
            log_z[k] = forward_backward(s, potentials, space, unary.data(), begins ? to_begin : nullptr,
                                        order ? to_begin + begins : nullptr);
            add_rows(unary.data(), s.n, L, S, weight, out.unary + first * L);
            if (!apart) continue;
            for (std::size_t j = 0; j < shared; ++j) sum[j] += weight * parts[j];
            if (!batch.per_position) continue;
            for (std::size_t i = order; i < s.n; ++i)
                add_rows(parts.data() + begins + i * block, rows, L, S, weight, out.table + (first + i) * rows * L);
        }
    });
    if (begins) add_rows(total.data(), begins / S, L, S, Real(1), out.begin);
    if (!batch.per_position && order) add_rows(total.data() + begins, rows, L, S, Real(1), out.table);
}

template void expectations_of<float>(const ChainBatch<float>&, int, const float*, double*, const ChainParts<float>&);
template void expectations_of<double>(const ChainBatch<double>&, int, const double*, double*, const ChainParts<double>&);

}  // namespace palmette

// Sums over sentences of what all of them share: one sum for each piece of the batch, added up in their order.
#pragma once
#include <algorithm>
#include <cstddef>
#include <vector>

#include "base/parallel.hpp"

namespace palmette {

// How many pieces n sentences make, where each needs room for `numbers` of `bytes` bytes: at most 16, and 64 MB.
inline std::size_t pieces_of(std::size_t n, std::size_t numbers, std::size_t bytes) {
    const std::size_t most = std::max<std::size_t>(1, (std::size_t{1} << 26) / std::max<std::size_t>(1, numbers * bytes));
    return std::min({n, most, std::size_t{16}});
}

// Calls work(sentences from, to, sum of the piece) in parallel, and adds the sums of `size` numbers to `total`.
template <class Real, class Work>
void sum_over_pieces(std::size_t n, std::size_t size, int jobs, Real* total, const Work& work) {
    const std::size_t pieces = pieces_of(n, size, sizeof(Real));
    std::vector<std::vector<Real>> sums(pieces);
    parallel(pieces, jobs, [&](std::size_t piece, std::size_t) {
        sums[piece].assign(size, Real(0));
        work(piece * n / pieces, (piece + 1) * n / pieces, sums[piece].data());
    });
    for (const std::vector<Real>& sum : sums)
        for (std::size_t j = 0; j < size; ++j) total[j] += sum[j];
}

}  // namespace palmette

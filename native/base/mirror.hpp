// The lower triangle of a symmetric matrix from its upper one, tile by tile.
#pragma once
#include <algorithm>

#include "base/parallel.hpp"

namespace palmette {

inline void mirror(double* matrix, std::size_t n, int n_jobs) {
    constexpr std::size_t tile = 64;
    parallel((n + tile - 1) / tile, n_jobs, [&](std::size_t piece, std::size_t) {
        const std::size_t i0 = piece * tile, i1 = std::min(n, i0 + tile);
        for (std::size_t j0 = 0; j0 <= i0; j0 += tile)
            for (std::size_t i = i0; i < i1; ++i)
                for (std::size_t j = j0; j < std::min(i, j0 + tile); ++j) matrix[i * n + j] = matrix[j * n + i];
    });
}

}  // namespace palmette

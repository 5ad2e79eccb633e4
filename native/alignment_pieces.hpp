// Passes over the sentences of a bitext on several threads, with the same sums for every number of them.
#pragma once
#include <algorithm>
#include <cstddef>
#include <vector>

#include "bitext.hpp"
#include "parallel.hpp"

namespace palmette {

inline void add_to(const std::vector<double>& from, std::vector<double>& to) {
    for (std::size_t k = 0; k < from.size(); ++k) to[k] += from[k];
}

// Where pieces with about as many links each end.
inline std::vector<std::size_t> piece_bounds(const Bitext& b, std::size_t pieces) {
    const std::vector<std::int64_t>& at = b.links_at();
    std::vector<std::size_t> bounds{0};
    for (std::size_t k = 1; k <= pieces; ++k) {
        const std::int64_t wanted = at.back() * static_cast<std::int64_t>(k) / static_cast<std::int64_t>(pieces);
        const auto found = std::lower_bound(at.begin() + static_cast<std::ptrdiff_t>(bounds.back()), at.end(), wanted);
        bounds.push_back(k == pieces ? b.size() : std::min(b.size(), static_cast<std::size_t>(found - at.begin())));
    }
    return bounds;
}

// of(begin, end, counts) for each piece, with counts of its own that add(from, to) then adds up in their order; returns
// the sum of what `of` returns. `counts` comes in with zeros of the right sizes.
template <class Counts, class Of, class Add>
double in_pieces(const Bitext& b, int n_jobs, Counts& counts, Of&& of, Add&& add) {
    constexpr std::size_t kPieces = 4;
    const std::vector<std::size_t> bounds = piece_bounds(b, kPieces);
    std::vector<Counts> own(kPieces - 1, counts);
    std::vector<double> losses(kPieces, 0);
    parallel(kPieces, n_jobs, [&](std::size_t piece, std::size_t) {
        losses[piece] = of(bounds[piece], bounds[piece + 1], piece ? own[piece - 1] : counts);
    });
    for (const Counts& piece : own) add(piece, counts);
    double loss = 0;
    for (const double piece : losses) loss += piece;
    return loss;
}

template <class Of>
void by_sentences(const Bitext& b, int n_jobs, Of&& of) {
    constexpr std::size_t kPieces = 64;
    const std::vector<std::size_t> bounds = piece_bounds(b, kPieces);
    parallel(kPieces, n_jobs, [&](std::size_t piece, std::size_t) { of(bounds[piece], bounds[piece + 1]); });
}

}  // namespace palmette

// Passes over the sentences of a bitext on several threads, with the same sums for every number of them.
#pragma once
#include <algorithm>
#include <cstddef>
#include <vector>

#include "base/flush_to_zero.hpp"
#include "base/parallel.hpp"
#include "tools/alignment/bitext.hpp"

namespace palmette {

constexpr float kNothing = 1e-9f;  // a product of posteriors that is not worth a place in memory

inline void add_to(const std::vector<double>& from, std::vector<double>& to) {
    for (std::size_t k = 0; k < from.size(); ++k) to[k] += from[k];
}

// Where pieces with about as many links each end.
inline std::vector<std::size_t> piece_bounds(const Bitext& b, std::size_t pieces) {
    const auto at = b.links_at();
    const std::int64_t links = at.back() - at.front();
    std::vector<std::size_t> bounds{0};
    for (std::size_t k = 1; k <= pieces; ++k) {
        const std::int64_t wanted = at.front() + links * static_cast<std::int64_t>(k) / static_cast<std::int64_t>(pieces);
        const auto found = std::lower_bound(at.begin() + static_cast<std::ptrdiff_t>(bounds.back()), at.end(), wanted);
        bounds.push_back(k == pieces ? b.size() : std::min(b.size(), static_cast<std::size_t>(found - at.begin())));
    }
    return bounds;
}

// The number of pieces with counts of their own: small enough that adding them up costs little beside the links. It must not
// depend on the number of threads.
inline std::size_t count_pieces(const Bitext& b) {
    const auto links = static_cast<std::size_t>(b.links_at().back() - b.links_at().front());
    return std::clamp<std::size_t>(links / (4 * b.n_pairs() + 1), 2, 8);
}

// of(begin, end, counts) for each piece, with counts of its own that add(from, to) then adds up in their order; returns
// the sum of what `of` returns. `counts` comes in with zeros of the right sizes.
template <class Counts, class Of, class Add>
double in_pieces(const Bitext& b, int n_jobs, Counts& counts, Of&& of, Add&& add) {
    const std::size_t pieces = count_pieces(b);
    const std::vector<std::size_t> bounds = piece_bounds(b, pieces);
    const Counts zeros = counts;
    std::vector<double> losses(pieces, 0);
    const auto piece_into = [&](std::size_t piece, Counts& to) {
        const FlushToZero guard;
        losses[piece] = of(bounds[piece], bounds[piece + 1], to);
    };
    if (n_jobs <= 1) {  // the same sums, with the counts of one piece at a time
        piece_into(0, counts);
        Counts own;
        for (std::size_t piece = 1; piece < pieces; ++piece) {
            own = zeros;
            piece_into(piece, own);
            add(own, counts);
        }
    } else {
        std::vector<Counts> own(pieces);
        parallel(pieces, n_jobs, [&](std::size_t piece, std::size_t) {
            own[piece] = zeros;
            piece_into(piece, own[piece]);
        });
        for (const Counts& piece : own) add(piece, counts);
    }
    double loss = 0;
    for (const double piece : losses) loss += piece;
    return loss;
}

template <class Of>
void by_sentences(const Bitext& b, int n_jobs, Of&& of) {
    constexpr std::size_t kPieces = 64;
    const std::vector<std::size_t> bounds = piece_bounds(b, kPieces);
    parallel(kPieces, n_jobs, [&](std::size_t piece, std::size_t) {
        const FlushToZero guard;
        of(bounds[piece], bounds[piece + 1]);
    });
}

}  // namespace palmette

// Forward and backward of one sentence pair in the HMM of word alignment. Places of the source are 1 … l, each with its
// NULL behind it; place 0 is where one is before the first word that is aligned.
//
//     P(place i | place p) = (1 − p0) S(i − p) / Z_p,    Z_p = Σ_i S(i − p)
//
// Since S knows only the distance, a step is a convolution with one array, which needs no table of moves: O(l² m) time
// in whole vectors, O(l m) memory.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "tools/alignment/word_alignment.hpp"

namespace palmette {

// What a model says of all sentences.
class JumpTable {
public:
    static constexpr std::size_t kLanes = 16;

    JumpTable(const Jumps& jumps, std::size_t longest_source) : model(jumps), longest(longest_source) {
        const auto reach = static_cast<std::ptrdiff_t>(model.jump.size() / 2), far = static_cast<std::ptrdiff_t>(longest);
        ahead.assign(2 * longest + 1 + 2 * kLanes, 0.0f);
        behind = ahead;
        sums.assign(2 * longest + 2, 0.0);
        for (std::ptrdiff_t d = -far; d <= far; ++d) {
            const float weight = model.jump[static_cast<std::size_t>(reach + std::clamp(d, -reach, reach))];
            ahead[static_cast<std::size_t>(far + d)] = weight;
            behind[static_cast<std::size_t>(far - d)] = weight;
            sums[static_cast<std::size_t>(far + d) + 1] = sums[static_cast<std::size_t>(far + d)] + weight;
        }
        starts.assign(longest + 1, 0.0);
        for (std::size_t i = 1; i <= longest; ++i) starts[i] = starts[i - 1] + first(i);
    }

    float first(std::size_t i) const { return model.first[std::min(i, model.first.size() - 1)]; }
    float last(std::size_t l, std::size_t p) const { return model.last.empty() ? 1.0f : model.last[std::min(l - p, model.last.size() - 1)]; }
    // (1 − p0) / Z_p for place p of l, and for the start.
    float share(std::size_t l, std::size_t p) const { return over(p ? sums[longest + l - p + 1] - sums[longest + 1 - p] : starts[l]); }

    Jumps model;
    std::size_t longest;
    std::vector<float> ahead, behind;  // S(d) and S(−d) at longest + d
    std::vector<double> sums, starts;

private:
    float over(double z) const { return z > 0 ? static_cast<float>((1 - model.p0) / z) : 0.0f; }
};

class HmmLattice {
public:
    explicit HmmLattice(const JumpTable& moves) : table(moves) {}

    // Forward and backward; returns log P(f | e), or minus infinity if there is no way. moves: whether `add_moves` comes.
    double set(const Bitext& b, std::size_t s, bool moves = true);

    // P(a_j = i), i from 0 on for the first word.
    float posterior(std::size_t j, std::size_t i) const { return real[j * width + i] * after[(j + 1) * width + i]; }
    // What is left for NULL.
    float null_posterior(std::size_t j) const {
        float mass = 0;
        for (std::size_t i = 0; i < l; ++i) mass += posterior(j, i);
        return std::max(0.0f, 1 - mass);
    }

    // Jumps, first and last places.
    void add_moves(JumpCounts& to);

    std::size_t l = 0, m = 0, width = 0;  // width: l in whole vectors

private:
    const JumpTable& table;
    std::vector<float> t, null, shares, starts, ends;
    // After j target words: at a place (and at the start); with the j-th word aligned there; times Z's inverse; and of
    // what comes after. reach: what comes from word j on, if it is aligned to a place.
    std::vector<float> place, real, scaled, after, reach, diagonal, scales;
    std::vector<float> still, still_after;  // the same of place 0, [m + 1]
};

// to[k] = Σ_p by[p] · of[k − p], k in whole vectors; of[-n … ] must be there.
inline void convolve(float* to, const float* by, std::size_t n, const float* of, std::size_t width) {
    for (std::size_t k = 0; k < width; k += JumpTable::kLanes) {
        float sums[JumpTable::kLanes] = {}, more[JumpTable::kLanes] = {};  // two, since one addition waits for the last
        const float* from = of + k;
        for (std::size_t p = 0; p + 1 < n; p += 2, from -= 2) {
            const float weight = by[p], next = by[p + 1];
#pragma omp simd
            for (std::size_t q = 0; q < JumpTable::kLanes; ++q) sums[q] += weight * from[q];
#pragma omp simd
            for (std::size_t q = 0; q < JumpTable::kLanes; ++q) more[q] += next * from[static_cast<std::ptrdiff_t>(q) - 1];
        }
        const float last = n % 2 ? by[n - 1] : 0.0f;
#pragma omp simd
        for (std::size_t q = 0; q < JumpTable::kLanes; ++q) to[k + q] = sums[q] + more[q] + (n % 2 ? last * from[q] : 0.0f);
    }
}

}  // namespace palmette

#include "tools/alignment/hmm_lattice.hpp"

#include <utility>

namespace palmette {

double HmmLattice::set(const Bitext& b, std::size_t s, bool moves) {
    constexpr double kNone = -std::numeric_limits<double>::infinity();
    constexpr std::size_t kLanes = JumpTable::kLanes;
    l = b.l(s), m = b.m(s), width = (l + kLanes - 1) / kLanes * kLanes;
    const float *weights = table.model.t, *ahead = table.ahead.data() + table.longest, *behind = table.behind.data() + table.longest;
    const std::uint32_t* links = b.links(s);
    t.resize(m * width);
    null.resize(m);
    for (std::size_t j = 0; j < m; ++j) null[j] = table.model.p0 * weights[links[j]];
    for (std::size_t i = 0; i < l; ++i) {  // by rows of the links, whose pairs lie near each other
        const std::uint32_t* row = links + (i + 1) * m;
        float* to = t.data() + i;
        for (std::size_t j = 0; j < m; ++j) to[j * width] = weights[row[j]];
    }
    for (std::size_t j = 0; j < m; ++j) std::fill(t.data() + j * width + l, t.data() + (j + 1) * width, 0.0f);
    shares.assign(width, 0.0f);
    starts.assign(width, 0.0f);
    ends.assign(width, 0.0f);
    const float begin = table.share(l, 0);
    for (std::size_t i = 0; i < l; ++i) {
        shares[i] = table.share(l, i + 1);
        starts[i] = begin * table.first(i + 1);
        ends[i] = table.last(l, i + 1);
    }
    // Plain pointers: the loops below are vectorised only if nothing can move under them.
    const float *__restrict share = shares.data(), *__restrict start = starts.data(), *__restrict end = ends.data();

    place.resize((m + 1) * width);
    real.resize(m * width);
    scaled.resize(m * width);
    after.resize((m + 1) * width);
    reach.resize(m * width);
    still.assign(m + 1, 0.0f);
    still_after.assign(m + 1, 0.0f);
    scales.resize(m);
    std::fill_n(place.data(), width, 0.0f);
    std::copy_n(end, width, after.data() + m * width);
    still[0] = 1;
    still_after[m] = table.last(l, 0);
    double loss = 0, product = 1;

    // A step forward and one backward at a time: each waits for its own last one, not for the other. Both are scaled to
    // sums of one.
    const auto forward = [&](std::size_t j) {
        const float *__restrict before = place.data() + j * width, *__restrict emission = t.data() + j * width;
        float *__restrict now = place.data() + (j + 1) * width, *__restrict here = real.data() + j * width, *__restrict by = scaled.data() + j * width;
        const float none = null[j], unmoved = still[j];
        for (std::size_t p = 0; p < width; ++p) by[p] = before[p] * share[p];
        convolve(here, by, j ? l : 0, ahead, width);
        float sum = unmoved * none;
#pragma omp simd reduction(+ : sum)
        for (std::size_t i = 0; i < width; ++i) {
            const float aligned = (here[i] + unmoved * start[i]) * emission[i], all = aligned + before[i] * none;
            here[i] = aligned;
            now[i] = all;
            sum += all;
        }
        const float scale = sum > 0 ? 1 / sum : 0.0f;
        for (std::size_t i = 0; i < width; ++i) {
            now[i] *= scale;
            here[i] *= scale;
        }
        scales[j] = scale;
        still[j + 1] = unmoved * none * scale;
        product *= static_cast<double>(sum);
        if (product < 1e-200 || product > 1e200) loss += std::log(std::exchange(product, 1.0));
    };
    const auto backward = [&](std::size_t j) {
        const float *__restrict next = after.data() + (j + 1) * width, *__restrict emission = t.data() + j * width;
        float *__restrict now = after.data() + j * width, *__restrict to = reach.data() + j * width;
        const float none = null[j];
        float begun = 0, sum = 0;
#pragma omp simd reduction(+ : begun)
        for (std::size_t i = 0; i < width; ++i) {
            to[i] = emission[i] * next[i];
            begun += start[i] * to[i];
        }
        convolve(now, to, j ? l : 0, behind, width);
#pragma omp simd reduction(+ : sum)
        for (std::size_t p = 0; p < width; ++p) {
            now[p] = share[p] * now[p] + none * next[p];
            sum += now[p];
        }
        const float first = none * still_after[j + 1] + begun, all = sum + first, scale = all > 0 ? 1 / all : 0.0f;
        for (std::size_t p = 0; p < width; ++p) now[p] *= scale;
        still_after[j] = first * scale;
    };
    for (std::size_t j = 0; j < m; ++j) {
        forward(j);
        backward(m - 1 - j);
    }

    // Then after[j] is divided by what makes Σ_p place[j] after[j] one; reach goes with the scale of its step forward.
    for (std::size_t j = m + 1; j-- > 0;) {
        const float* __restrict here = place.data() + j * width;
        float* __restrict now = after.data() + j * width;
        float whole = 0;
#pragma omp simd reduction(+ : whole)
        for (std::size_t p = 0; p < width; ++p) whole += here[p] * now[p];
        whole += still[j] * still_after[j];
        if (!(whole > 0)) return kNone;
        if (j == m) loss += std::log(product * static_cast<double>(whole));
        const float by = 1 / whole;
        for (std::size_t p = 0; p < width; ++p) now[p] *= by;
        still_after[j] *= by;
        if (j == 0) break;
        if (!moves) continue;
        const float *__restrict emission = t.data() + (j - 1) * width, scale = scales[j - 1];
        float* __restrict to = reach.data() + (j - 1) * width;
        for (std::size_t i = 0; i < width; ++i) to[i] = emission[i] * now[i] * scale;
    }
    return loss;
}

void HmmLattice::add_moves(JumpCounts& to) {
    constexpr std::size_t kLanes = JumpTable::kLanes;
    const auto reach_of_counts = static_cast<std::ptrdiff_t>(to.jump.size() / 2);
    // Σ_j of the moves from place p to k, then along the diagonals k − p.
    diagonal.assign(2 * width + kLanes, 0.0f);
    for (std::size_t p = 0; p < l; ++p)
        for (std::size_t k = 0; k < width; k += kLanes) {
            float sums[kLanes] = {};
            for (std::size_t j = 1; j < m; ++j) {
                const float by = scaled[j * width + p];
                const float* from = reach.data() + j * width + k;
#pragma omp simd
                for (std::size_t q = 0; q < kLanes; ++q) sums[q] += by * from[q];
            }
            float* row = diagonal.data() + width - p + k;
            for (std::size_t q = 0; q < kLanes; ++q) row[q] += sums[q];
        }
    const auto far = static_cast<std::ptrdiff_t>(l) - 1;
    for (std::ptrdiff_t d = -far; d <= far; ++d)
        to.jump[static_cast<std::size_t>(reach_of_counts + std::clamp(d, -reach_of_counts, reach_of_counts))] +=
            diagonal[static_cast<std::size_t>(static_cast<std::ptrdiff_t>(width) + d)] *
            table.ahead[static_cast<std::size_t>(static_cast<std::ptrdiff_t>(table.longest) + d)];
    for (std::size_t i = 0; i < l; ++i) {
        float sum = 0;
        for (std::size_t j = 0; j < m; ++j) sum += still[j] * reach[j * width + i];
        to.first[std::min(i + 1, to.first.size() - 1)] += sum * starts[i];
    }
    if (to.last.empty()) return;
    to.last[std::min(l, to.last.size() - 1)] += still[m] * still_after[m];
    for (std::size_t i = 0; i < l; ++i) to.last[std::min(l - i - 1, to.last.size() - 1)] += place[m * width + i] * after[m * width + i];
}

}  // namespace palmette

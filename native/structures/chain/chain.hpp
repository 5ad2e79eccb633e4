// Label sequences y_0 … y_{n-1}, scored by single labels and by label n-grams:
//
//     score(y) = Σ_i unary_i[y_i] + Σ_{i≥1} transitions_i[y_{i-h} … y_{i-1}][y_i],   h = min(i, order)
//
// viterbi     max over y      δ_i(c, y) = unary_i[y] + max_p δ_{i-1}(p, c) + transitions_i[p, c][y]
// forward     Σ over y of e^score, rescaled to sum one at every position, so that no log is taken inside
// backward    the marginals of labels and of label n-grams
//
// A state is the last `order` labels, the newest one fastest and padded to `stride`. Cost O(n · L^(order+1)),
// vectorised over the newest label. Maxima are in structures/chain/chain.cpp, sums in structures/chain/sums.cpp. Seeds: Viterbi and
// forward-backward of the HMM and CRF sections.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <new>
#include <vector>

#include "base/lanes.hpp"
#include "base/vector_exp.hpp"

namespace palmette {

inline std::size_t power(std::size_t base, int exponent) {
    std::size_t result = 1;
    while (exponent-- > 0) result *= base;
    return result;
}

// The size of the tables for positions 1 … order - 1, one after the other.
inline std::size_t begin_size(std::size_t labels, std::size_t stride, int order) {
    std::size_t size = 0;
    for (int i = 1; i < order; ++i) size += power(labels, i) * stride;
    return size;
}

// Views onto the scores of one sentence. Minus infinity forbids; pad entries are never read as labels, and
// must be minus infinity in `unary` and finite or minus infinity in the tables.
template <class Real>
struct ChainScores {
    std::size_t n = 0, labels = 0, stride = 0;
    int order = 1;
    const Real* unary = nullptr;       // [n][stride]
    const Real* begin = nullptr;       // for positions i = 1 … order - 1, in turn [labels^i][stride]
    const Real* table = nullptr;       // for positions i ≥ order, [labels^order][stride]
    std::ptrdiff_t table_step = 0;     // from the table of one position to the next; 0 if they share one
    std::ptrdiff_t grams_step = 0;     // the same for the marginals of n-grams; 0: as table_step

    // How many rows the table of position i ≥ 1 has.
    std::size_t contexts(std::size_t i) const { return power(labels, static_cast<int>(std::min<std::size_t>(i, order))); }

    const Real* transitions(std::size_t i) const {
        if (i >= static_cast<std::size_t>(order)) return table + table_step * static_cast<std::ptrdiff_t>(i);
        return begin + begin_size(labels, stride, static_cast<int>(i));
    }
    // How many entries the states of position i take.
    std::size_t states(std::size_t i) const {
        return power(labels, static_cast<int>(std::min<std::size_t>(i + 1, order)) - 1) * stride;
    }
};

// The place among padded states of the state with the labels of context c, in base L.
inline std::size_t state_of(std::size_t context, std::size_t labels, std::size_t stride) {
    return context / labels * stride + context % labels;
}

// Vectors that begin with a cache line, so that no row of eight doubles lies across two.
template <class T>
struct LineAllocator {
    using value_type = T;
    static constexpr std::align_val_t kLine{64};
    LineAllocator() = default;
    template <class U>
    LineAllocator(const LineAllocator<U>&) {}
    T* allocate(std::size_t n) {
        if (n > std::size_t(-1) / 2 / sizeof(T)) throw std::bad_alloc();
        return static_cast<T*>(::operator new(n * sizeof(T), kLine));
    }
    void deallocate(T* p, std::size_t) { ::operator delete(p, kLine); }
    bool operator==(const LineAllocator&) const = default;
};
template <class T>
using LineVector = std::vector<T, LineAllocator<T>>;

// Room for the passes over one sentence; kept from sentence to sentence.
template <class Real>
struct ChainSpace {
    LineVector<Real> emission, alpha, beta, next, scale, row, exp_table, column;
    std::vector<std::int32_t> back;
    std::vector<Real> column_max;
    const Real* column_max_of = nullptr;  // the table that column_max was computed for
};

template <class Real>
constexpr Real minus_infinity = -std::numeric_limits<Real>::infinity();

inline double log_add(double a, double b) {
    if (a < b) std::swap(a, b);
    return b == minus_infinity<double> ? a : a + std::log1p(std::exp(b - a));
}

// The tables to the power of e, each less its largest entry so that nothing overflows.
template <class Real>
class ChainPotentials {
public:
    // With shared tables this is done once for many sentences; otherwise for each.
    void set(const ChainScores<Real>& s) {
        const std::size_t begins = begin_size(s.labels, s.stride, s.order);
        const std::size_t block = s.order ? power(s.labels, s.order) * s.stride : 0;
        const std::size_t first = static_cast<std::size_t>(s.order);
        const std::size_t tables = s.table_step ? (s.n > first ? s.n - first : 0) : 1;
        least_ = 0;
        if (s.order == 0) return;
        values_.resize(begins + block * tables);
        transposed_.resize(block * tables);
        shifts_.assign(first + tables, Real(0));
        step_ = s.table_step ? block : 0;
        begins_ = begins;
        for (std::size_t i = 1; i < first; ++i) {
            const std::size_t at = begin_size(s.labels, s.stride, static_cast<int>(i));
            fill(s, s.begin + at, power(s.labels, static_cast<int>(i)), values_.data() + at, shifts_[i]);
        }
        for (std::size_t t = 0; t < tables; ++t) {
            Real* values = values_.data() + begins + t * block;
            fill(s, s.table_step ? s.transitions(first + t) : s.table, block / s.stride, values, shifts_[first + t]);
            transpose(s, values, transposed_.data() + t * block);
        }
    }
    const Real* transitions(const ChainScores<Real>& s, std::size_t i) const {
        if (i < static_cast<std::size_t>(s.order))
            return values_.data() + begin_size(s.labels, s.stride, static_cast<int>(i));
        return values_.data() + begins_ + (step_ ? (i - s.order) * step_ : 0);
    }
    // The table of position i ≥ order with the oldest label p as the fastest: [rest of the context][y][p].
    const Real* transposed(const ChainScores<Real>& s, std::size_t i) const {
        return transposed_.data() + (step_ ? (i - s.order) * step_ : 0);
    }
    Real shift(const ChainScores<Real>& s, std::size_t i) const {
        if (i < static_cast<std::size_t>(s.order)) return shifts_[i];
        return shifts_[step_ ? i : s.order];
    }
    // The least log of an entry that is not zero, over all tables.
    Real least() const { return least_; }

private:
    void fill(const ChainScores<Real>& s, const Real* scores, std::size_t rows, Real* out, Real& shift) {
        const std::size_t L = s.labels, S = s.stride;
        Real top = minus_infinity<Real>, low = std::numeric_limits<Real>::infinity();
        for (std::size_t at = 0; at < rows * S; at += S) {
#pragma omp simd reduction(max : top) reduction(min : low)
            for (std::size_t y = 0; y < L; ++y) {
                const Real x = scores[at + y];
                const Real seen = x > minus_infinity<Real> ? x : -minus_infinity<Real>;
                top = x > top ? x : top;
                low = seen < low ? seen : low;
            }
        }
        shift = top == minus_infinity<Real> ? Real(0) : top;
        least_ = std::min(least_, low - shift);
        for (std::size_t at = 0; at < rows * S; at += S) {
            exp_shifted(scores + at, shift, S, out + at);
            for (std::size_t y = L; y < S; ++y) out[at + y] = 0;
        }
    }
    static void transpose(const ChainScores<Real>& s, const Real* values, Real* out) {
        const std::size_t L = s.labels, S = s.stride, rest_of = power(L, s.order - 1);
        for (std::size_t rest = 0; rest < rest_of; ++rest)
            for (std::size_t y = 0; y < L; ++y) {
                Real* row = out + (rest * L + y) * S;
                for (std::size_t p = 0; p < L; ++p) row[p] = values[(p * rest_of + rest) * S + y];
                for (std::size_t p = L; p < S; ++p) row[p] = 0;
            }
    }

    LineVector<Real> values_, transposed_, shifts_;
    std::size_t step_ = 0, begins_ = 0;
    Real least_ = 0;
};

// log Σ_y e^score(y). Fills `unary_marginals` [n][stride] if it is not null, and then adds the marginals of label
// n-grams to `table_marginals` (one table if shared, else one per position, `grams_step` apart) and
// `begin_marginals`, if they are not null. Marginals are not touched where the sum is zero. Where a number that is
// not zero might underflow, even one that looks small now, the pass is done again: floats in doubles, doubles in logs.
template <class Real>
double forward_backward(const ChainScores<Real>& s, const ChainPotentials<Real>& potentials, ChainSpace<Real>& space,
                        Real* unary_marginals, Real* begin_marginals, Real* table_marginals);

// The best labels, ties to the smaller label, and their score; minus infinity if no sequence is allowed. `touched`,
// if it is not null, grows by the number of states that were extended.
template <class Real>
Real viterbi(const ChainScores<Real>& s, ChainSpace<Real>& space, std::int32_t* y, std::int64_t* touched = nullptr);

// The score of one sequence.
template <class Real>
double chain_score(const ChainScores<Real>& s, const std::int32_t* y) {
    double score = 0;
    for (std::size_t i = 0; i < s.n; ++i) {
        score += s.unary[i * s.stride + y[i]];
        if (i && s.order) {
            const std::size_t h = std::min<std::size_t>(i, s.order);
            std::size_t context = 0;
            for (std::size_t j = i - h; j < i; ++j) context = context * s.labels + y[j];
            score += s.transitions(i)[context * s.stride + y[i]];
        }
    }
    return score;
}

extern template double forward_backward<float>(const ChainScores<float>&, const ChainPotentials<float>&,
                                               ChainSpace<float>&, float*, float*, float*);
extern template double forward_backward<double>(const ChainScores<double>&, const ChainPotentials<double>&,
                                                ChainSpace<double>&, double*, double*, double*);
extern template float viterbi<float>(const ChainScores<float>&, ChainSpace<float>&, std::int32_t*, std::int64_t*);
extern template double viterbi<double>(const ChainScores<double>&, ChainSpace<double>&, std::int32_t*, std::int64_t*);

}  // namespace palmette

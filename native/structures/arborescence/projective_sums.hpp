// Sums over projective trees: the chart upwards, and its derivatives downwards (the outside pass). With v̄ for the
// derivative of log Z by v, the marginal of an arc is its weight times its derivative; a row step of the chart
//     to[t] += x · row[t]       gives back       x̄ += Σ_t t̄o[t] row[t]       r̄ow[t] += t̄o[t] x
#pragma once
#include <algorithm>
#include <cmath>
#include <vector>

#include "structures/arborescence/eisner_chart.hpp"

namespace palmette {

inline double to_double(double a) { return a; }
inline double to_double(Scaled a) { return scaled::to_double(a); }
inline double log_of(double a) { return std::log(a); }
inline double log_of(Scaled a) { return scaled::to_log(a); }
inline double inverse(double a) { return 1 / a; }
inline Scaled inverse(Scaled a) { return scaled::normal({1 / a.m, -a.e}); }

// Σ_t back[t] row[t], while backrow[t] += back[t] x.
inline double give_back(std::size_t from, std::size_t to, const double* __restrict back, double x,
                        const double* __restrict row, double* __restrict back_row) {
    double sum = 0;
#pragma omp simd reduction(+ : sum)
    for (std::size_t t = from; t < to; ++t) {
        sum += back[t] * row[t];
        back_row[t] += back[t] * x;
    }
    return sum;
}
inline Scaled give_back(std::size_t from, std::size_t to, const Scaled* back, Scaled x, const Scaled* row,
                        Scaled* back_row) {
    Scaled sum = scaled::kZero;
    for (std::size_t t = from; t < to; ++t) {
        scaled::add(sum, scaled::times(back[t], row[t]));
        Scaled& given = back_row[t];
        scaled::add(given, scaled::times(back[t], x));
        given = scaled::normal(given);
    }
    return scaled::normal(sum);
}

template <class Value, class Real>
void put_marginal(Value p, Real& out) {
    out = static_cast<Real>(std::min(to_double(p), 1.0));
}

template <class W>
class ProjectiveSums {
public:
    using Value = typename W::Value;

    ProjectiveSums(std::vector<Value> weights, std::size_t n, bool single_root)
        : n_(n), width_(n + 1), single_(single_root), weights_(std::move(weights)) {
        chart_.fill(n, [&](std::size_t h, std::size_t m) { return arc(h, m); });
        root_.fill(chart_, single_, [&](std::size_t m) { return weights_[m + 1]; });
    }

    Value total() const { return root_.total; }

    template <class Real>
    void marginals(Real* out) {
        const std::size_t stride = chart_.stride();
        std::fill(out, out + width_ * width_, Real{0});
        back_right_.assign(n_ * stride, W::kZero);
        back_left_.assign(n_ * stride, W::kZero);
        back_left_open_.assign(n_ * stride, W::kZero);
        if (single_)
            from_single_root(out);
        else
            from_roots(out);
        std::vector<Value> back_open(stride);
        for (std::size_t i = 0; i < n_; ++i) {
            Value* const back_right = back_right_.data() + i * stride;
            Value* const back_left = back_left_.data() + i * stride;
            for (std::size_t k = n_ - 1; k > i; --k) {
                const std::size_t row = k * stride;
                const Value open = chart_.open(i, k), with_arc = W::rest(W::times(open, arc(i, k)));
                const Value given = give_back(k + 1, n_, back_left, chart_.left(i, k), chart_.left_open_row(k),
                                              back_left_open_.data() + row);
                back_left[k] = W::rest(W::plus(back_left[k], given));
                const Value back_with_arc = give_back(k, n_, back_right, with_arc, chart_.right_row(k),
                                                      back_right_.data() + row);
                const Value back_left_open = W::rest(W::plus(back_left[k], back_left_open_[i * stride + k]));
                put(out, i + 1, k + 1, W::times(back_with_arc, with_arc));
                put(out, k + 1, i + 1, W::times(back_left_open, chart_.left_open(i, k)));
                back_open[k] = W::rest(W::plus(W::times(back_with_arc, arc(i, k)),
                                               W::times(back_left_open, arc(k, i))));
                const Value to_right = give_back(k, n_, back_open.data(), chart_.right(i, k - 1),
                                                 chart_.left_row(k), back_left_.data() + row);
                back_right[k - 1] = W::rest(W::plus(back_right[k - 1], to_right));
            }
        }
    }

    template <class Random>
    void sample(Random& random, std::int32_t* heads) const {
        const auto draw = [&](std::size_t first, std::size_t last, const auto& term) {
            Value sum = W::kZero;
            for (std::size_t j = first; j < last; ++j) sum = W::plus(sum, term(j));
            sum = W::rest(sum);
            double left = static_cast<double>(random() >> 11) * 0x1p-53;
            std::size_t chosen = first;
            for (std::size_t j = first; j < last; ++j) {
                const double share = to_double(W::times(W::rest(term(j)), inverse(sum)));
                if (share <= 0) continue;
                chosen = j;
                if ((left -= share) < 0) break;
            }
            return chosen;
        };
        read_projective(chart_, root_, single_, [&](std::size_t h, std::size_t m) { return arc(h, m); }, draw, heads);
    }

private:
    Value arc(std::size_t h, std::size_t m) const { return weights_[(h + 1) * width_ + m + 1]; }

    template <class Real>
    void put(Real* out, std::size_t h, std::size_t m, Value p) const {
        put_marginal(p, out[h * width_ + m]);
    }

    template <class Real>
    void from_single_root(Real* out) {
        const Value one = inverse(root_.total);
        for (std::size_t r = 0; r < n_; ++r) {
            const Value above = W::rest(W::times(one, weights_[r + 1])), right = chart_.right(r, n_ - 1);
            back_left_[r] = W::rest(W::times(above, right));
            back_right_[r * chart_.stride() + n_ - 1] = W::rest(W::times(above, chart_.left(0, r)));
            put(out, 0, r + 1, W::times(back_left_[r], chart_.left(0, r)));
        }
    }

    template <class Real>
    void from_roots(Real* out) {
        std::vector<Value> back_closed(n_ + 1, W::kZero), back_before(n_, W::kZero);
        back_closed[n_] = inverse(root_.total);
        for (std::size_t j = n_; j-- > 0;) {
            const std::size_t row = j * chart_.stride();
            const Value back_arc = give_back(j, n_, back_closed.data() + 1, root_.with_arc[j], chart_.right_row(j),
                                             back_right_.data() + row);
            put(out, 0, j + 1, W::times(back_arc, root_.with_arc[j]));
            back_before[j] = W::rest(W::times(back_arc, weights_[j + 1]));
            back_closed[j] = give_back(j, n_, back_before.data(), root_.closed[j], chart_.left_row(j),
                                       back_left_.data() + row);
        }
    }

    std::size_t n_, width_;
    bool single_;
    std::vector<Value> weights_;
    EisnerChart<W> chart_;
    RootChart<W> root_;
    std::vector<Value> back_right_, back_left_, back_left_open_;
};

}  // namespace palmette

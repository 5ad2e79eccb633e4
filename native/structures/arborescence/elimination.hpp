// The determinant of the matrix-tree theorem without a subtraction, and its derivatives.
//
// Z is the determinant of the matrix with Σ_h w(h, m) on the diagonal and −w(h, m) elsewhere (Koo et al. 2007; Smith &
// Smith 2007). A library's LU subtracts numbers that are nearly equal where weights have many orders of magnitude,
// and loses all digits. But what is left when a word v has been eliminated is a matrix of the same kind, with the weights
//     w'(u, x) = w(u, v) w(v, x) / in(v) + w(u, x)          in(v) = Σ_{u ≠ v} w(u, v)         Z = Π_v in(v)
// so that sums and products of positive numbers are enough (Grassmann, Taksar & Heyman 1985), and every digit counts
// at any scale. One root word: Z is then the part of the determinant that is linear in the root's weights, so the
// root is left out of in(v) for all words but the last. A word without any other head must be that last one.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

#include "structures/arborescence/eisner_chart.hpp"

namespace palmette {

inline double log_weight(double a) { return std::log(a); }
inline double log_weight(Scaled a) { return scaled::to_log(a); }
inline double quotient(double a, double b) { return a / b; }
inline Scaled quotient(Scaled a, Scaled b) { return scaled::normal({a.m / b.m, a.e - b.e}); }
inline double difference(double a, double b) { return a - b; }
// Zero where rounding would make it negative.
inline Scaled difference(Scaled a, Scaled b) {
    if (scaled::is_zero(b)) return a;
    if (scaled::is_zero(a)) return a;
    const double m = a.m - scaled::shifted(b.m, b.e - a.e);
    return m > 0 ? scaled::normal({m, a.e}) : scaled::kZero;
}
inline bool is_zero_weight(double a) { return a == 0.0; }
inline bool is_zero_weight(Scaled a) { return scaled::is_zero(a); }

template <class W>
class Elimination {
public:
    using Value = typename W::Value;

    Elimination(std::vector<Value> weights, std::size_t n, bool single_root)
        : n_(n), width_(n + 1), single_(single_root), w_(std::move(weights)), in_(width_, W::kZero), word_(width_) {
        for (std::size_t v = 0; v < width_; ++v) word_[v] = v;
        for (std::size_t v = n; v > 0; --v) {
            if (!sum_into(v) && (v == 1 || !single_ || !(exchange(v), sum_into(v)))) {
                log_z_ = -std::numeric_limits<double>::infinity();
                return;
            }
            log_z_ += log_weight(in_[v]);
            for (std::size_t u = 0; u < v; ++u) {
                const Value share = quotient(at(u, v), in_[v]);
                Value* const __restrict to = &at(u, 0);
                const Value* const __restrict from = &at(v, 0);
                for (std::size_t x = 1; x < v; ++x) to[x] = W::rest(W::plus(to[x], W::times(share, from[x])));
                to[u] = W::kZero;  // no word is its own head
            }
        }
    }

    double log_z() const { return log_z_; }

    // The derivatives of log Z by the weights, [h][m] in the words' own order. Runs the elimination backwards: with a
    // bar for a derivative, T(u) = Σ_x w(v, x) w̄'(u, x) and F = Σ_u w(u, v) T(u) / in(v),
    //     w̄(u, v) = (1 + T(u) − F) / in(v)                   w̄(v, x) = Σ_u w(u, v) w̄'(u, x) / in(v)
    // without 1 − F for the root where it is left out of in(v). w(u, v) T(u) / in(v) is an expected number of
    // dependents, at most n, so the one subtraction costs an absolute error of n roundings in a marginal.
    std::vector<Value> derivatives() const {
        std::vector<Value> back(width_ * width_, W::kZero), below(width_);
        back[1] = quotient(W::kOne, in_[1]);
        for (std::size_t v = 2; v < width_; ++v) {
            const Value* const __restrict row = &w_[v * width_];
            Value* const __restrict to = &back[v * width_];
            Value flow = W::kZero;
            for (std::size_t u = 0; u < v; ++u) {
                const Value share = quotient(w_[u * width_ + v], in_[v]);
                const Value* const __restrict from = &back[u * width_];
                below[u] = W::rest(product_sum(row, from, v));
                for (std::size_t x = 1; x < v; ++x) to[x] = W::rest(W::plus(to[x], W::times(share, from[x])));
                flow = W::rest(W::plus(flow, W::times(share, below[u])));
            }
            for (std::size_t u = 0; u < v; ++u) {
                const bool counts = u > 0 || !single_;
                const Value all = counts ? difference(W::rest(W::plus(W::kOne, below[u])), flow) : below[u];
                back[u * width_ + v] = quotient(all, in_[v]);
            }
        }
        std::vector<Value> out(width_ * width_, W::kZero);
        for (std::size_t u = 0; u < width_; ++u)
            for (std::size_t v = 1; v < width_; ++v)
                if (u != v) out[word_[u] * width_ + word_[v]] = back[u * width_ + v];
        return out;
    }

private:
    Value& at(std::size_t u, std::size_t v) { return w_[u * width_ + v]; }

    bool sum_into(std::size_t v) {
        Value sum = W::kZero;
        for (std::size_t u = single_ && v > 1 ? 1 : 0; u < v; ++u) sum = W::plus(sum, at(u, v));
        in_[v] = W::rest(sum);
        return !is_zero_weight(in_[v]);
    }
    // Lets a word change places with the one that is eliminated last.
    void exchange(std::size_t v) {
        for (std::size_t x = 0; x < width_; ++x) std::swap(at(1, x), at(v, x));
        for (std::size_t u = 0; u < width_; ++u) std::swap(at(u, 1), at(u, v));
        std::swap(word_[1], word_[v]);
    }
    template <class T>
    static T product_sum(const T* a, const T* b, std::size_t to) {
        T sum = W::kZero;
        for (std::size_t x = 1; x < to; ++x) sum = W::plus(sum, W::times(a[x], b[x]));
        return sum;
    }
    static double product_sum(const double* a, const double* b, std::size_t to) {
        double sum = 0;
#pragma omp simd reduction(+ : sum)
        for (std::size_t x = 1; x < to; ++x) sum += a[x] * b[x];
        return sum;
    }
    static Scaled product_sum(const Scaled* a, const Scaled* b, std::size_t to) {
        Scaled sum = scaled::kZero;
        for (std::size_t x = 1; x < to; ++x) scaled::add(sum, scaled::times(a[x], b[x]));
        return sum;
    }

    std::size_t n_, width_;
    bool single_;
    std::vector<Value> w_, in_;
    std::vector<std::size_t> word_;
    double log_z_ = 0;
};

}  // namespace palmette

// Semirings: a set of values with ⊕ (alternatives) and ⊗ (combination), their units, and ⊗ distributing over ⊕.
// CSC 448, §2.2 and §11; Goodman (1999). Inside and outside are written once, over any of these.
//
// `normal` brings a value to rest before it is kept; only the scaled semirings have anything to do there. Between
// rests a value is a sum of products of at most five values at rest.
#pragma once
#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <utility>
#include <vector>

#include "base/bignat.hpp"
#include "base/scaled.hpp"

namespace palmette {

inline constexpr double kLogZero = -std::numeric_limits<double>::infinity();

// ({0, 1}, or, and): is there a derivation?
struct Boolean {
    using Value = uint8_t;
    Value zero() const { return 0; }
    Value one() const { return 1; }
    Value plus(Value a, Value b) const { return a | b; }
    Value times(Value a, Value b) const { return a & b; }
    bool is_zero(Value a) const { return a == 0; }
    Value normal(Value a) const { return a; }
};

// (ℕ, +, ·) as far as 64 bits go: how many derivations? Too many stays visible as kTooMany; then BigCounting takes over.
struct Counting {
    using Value = uint64_t;
    static constexpr Value kTooMany = std::numeric_limits<Value>::max();
    Value zero() const { return 0; }
    Value one() const { return 1; }
    Value plus(Value a, Value b) const {
        Value c;
        return __builtin_add_overflow(a, b, &c) ? kTooMany : c;
    }
    Value times(Value a, Value b) const {
        Value c;
        return __builtin_mul_overflow(a, b, &c) ? kTooMany : c;
    }
    bool is_zero(Value a) const { return a == 0; }
    Value normal(Value a) const { return a; }
};

// (ℕ, +, ·) of any size.
struct BigCounting {
    using Value = BigNat;
    Value zero() const { return BigNat(); }
    Value one() const { return BigNat(1); }
    Value plus(Value a, const Value& b) const { return std::move(a += b); }
    Value times(const Value& a, const Value& b) const { return a * b; }
    bool is_zero(const Value& a) const { return a.is_zero(); }
    Value normal(Value a) const { return a; }
};

// (ℝ, +, ·): sums of products of plain numbers.
struct Real {
    using Value = double;
    Value zero() const { return 0.0; }
    Value one() const { return 1.0; }
    Value plus(Value a, Value b) const { return a + b; }
    Value times(Value a, Value b) const { return a * b; }
    bool is_zero(Value a) const { return a == 0.0; }
    Value normal(Value a) const { return a; }
};

// (ℝ ∪ {-∞}, log-add, +), held as Scaled numbers in between: partition functions and marginals.
struct Log {
    using Value = Scaled;
    Value zero() const { return scaled::kZero; }
    Value one() const { return scaled::kOne; }
    Value plus(Value a, Value b) const { return scaled::plus(a, b); }
    Value times(Value a, Value b) const { return scaled::times(a, b); }
    bool is_zero(Value a) const { return scaled::is_zero(a); }
    Value normal(Value a) const { return scaled::normal(a); }
};

// (ℝ ∪ {-∞}, max, +): the score of the best derivation (Viterbi).
struct Max {
    using Value = double;
    Value zero() const { return kLogZero; }
    Value one() const { return 0.0; }
    Value plus(Value a, Value b) const { return a < b ? b : a; }
    Value times(Value a, Value b) const { return a + b; }
    bool is_zero(Value a) const { return a == kLogZero; }
    Value normal(Value a) const { return a; }
};

// (descending lists of at most k scores, merge, best sums): the scores of the k best derivations.
struct KBest {
    using Value = std::vector<double>;
    size_t k;
    Value zero() const { return {}; }
    Value one() const { return {0.0}; }
    Value plus(const Value& a, const Value& b) const {
        Value c(a.size() + b.size());
        std::merge(a.begin(), a.end(), b.begin(), b.end(), c.begin(), std::greater<>());
        if (c.size() > k) c.resize(k);
        return c;
    }
    Value times(const Value& a, const Value& b) const {
        // The pair of ranks (i, j) has (i+1)(j+1) - 1 pairs above it, so only those with (i+1)(j+1) <= k matter.
        Value c;
        for (size_t i = 0; i < a.size(); ++i)
            for (size_t j = 0; j < b.size() && (i + 1) * (j + 1) <= k; ++j) c.push_back(a[i] + b[j]);
        std::sort(c.begin(), c.end(), std::greater<>());
        if (c.size() > k) c.resize(k);
        return c;
    }
    bool is_zero(const Value& a) const { return a.empty(); }
    Value normal(Value a) const { return a; }
};

// Pairs (p, r) with r = p · (value so far): (p, r)⊕(p', r') = (p+p', r+r'), (p, r)⊗(p', r') = (pp', pr'+rp').
// The total of a node is (Σ p(d), Σ p(d) v(d)) for a value v that adds up over a derivation's parts; the total of
// an edge gives E[v · 1(edge)], hence the covariance of v and every part. CSC 448, §4.6; Li & Eisner (2009).
struct Expectation {
    struct Value {
        double m;  // p = m · 2^(400 e), as in Scaled
        double r;  // r · 2^(400 e)
        double e;
    };
    Value zero() const { return {0.0, 0.0, 0.0}; }
    Value one() const { return {1.0, 0.0, 0.0}; }
    Value plus(Value a, Value b) const {
        if (a.e == b.e) [[likely]]
            return {a.m + b.m, a.r + b.r, a.e};
        if (is_zero(a)) return b;
        if (is_zero(b)) return a;
        if (a.e < b.e) std::swap(a, b);
        if (a.e - b.e < scaled::kFar) {
            a.m += scaled::shifted(b.m, b.e - a.e);
            a.r += scaled::shifted(b.r, b.e - a.e);
        }
        return a;
    }
    Value times(Value a, Value b) const { return {a.m * b.m, a.m * b.r + a.r * b.m, a.e + b.e}; }
    bool is_zero(Value a) const { return a.m == 0.0; }
    Value normal(Value a) const {
        Scaled p = scaled::normal({a.m, a.e});
        return {p.m, is_zero(a) ? 0.0 : scaled::shifted(a.r, a.e - p.e), p.e};
    }

    static Value make(Scaled p, double value) { return {p.m, p.m * value, p.e}; }
};

}  // namespace palmette

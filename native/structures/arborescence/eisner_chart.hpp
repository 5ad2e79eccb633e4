// The chart of projective trees over words 0 … n − 1, in any of three kinds of numbers.
//
//     open(i, k)  = ⊕_{i ≤ j < k}  right(i, j) ⊗ left(j + 1, k)
//     right(i, k) = ⊕_{i < j ≤ k}  open(i, j) ⊗ arc(i → j) ⊗ right(j, k)        right(i, i) = 1
//     left(i, k)  = ⊕_{i ≤ j < k}  left(i, j) ⊗ open(j, k) ⊗ arc(k → j)         left(k, k) = 1
//
// right(i, k) is word i with all its words up to k, left(i, k) is word k with all its words down to i. Eisner 1996.
// The loop over the split is outside and the one over k inside: for a fixed i each finished right(i, j),
// open(i, j + 1) and left(i, j + 1) is multiplied into a whole row, so that all rows are read in the order of memory,
// nothing is stored twice and no sum runs across a vector. What a row has collected is in buffers of its own, since
// a vector load right after a scalar store to the same place would wait.
// The artificial root is not part of the chart: its arcs need O(n²) at the end, with one root word or many.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "base/scaled.hpp"

namespace palmette {

template <class Real>
struct MaxPlus {
    using Value = Real;
    static constexpr std::size_t kBlock = 64 / sizeof(Real);
    static constexpr Real kZero = -std::numeric_limits<Real>::infinity(), kOne = 0;
    static Real times(Real a, Real b) { return a + b; }
    static Real plus(Real a, Real b) { return a < b ? b : a; }
    static Real rest(Real a) { return a; }
};

struct SumProduct {
    using Value = double;
    static constexpr std::size_t kBlock = 8;
    static constexpr double kZero = 0, kOne = 1;
    static double times(double a, double b) { return a * b; }
    static double plus(double a, double b) { return a + b; }
    static double rest(double a) { return a; }
};

// Sums whose range has no limits.
struct ScaledSums {
    using Value = Scaled;
    static constexpr std::size_t kBlock = 1;
    static constexpr Scaled kZero = scaled::kZero, kOne = scaled::kOne;
    static Scaled times(Scaled a, Scaled b) { return scaled::times(a, b); }
    static Scaled plus(Scaled a, Scaled b) { return scaled::plus(a, b); }
    static Scaled rest(Scaled a) { return scaled::normal(a); }
};


// acc ← acc ⊕ factor ⊗ row over a block, whose size the compiler knows.
template <class W>
inline void add_block(typename W::Value* __restrict acc, typename W::Value factor,
                      const typename W::Value* __restrict row) {
#pragma omp simd
    for (std::size_t u = 0; u < W::kBlock; ++u) acc[u] = W::plus(acc[u], W::times(factor, row[u]));
}

template <class W>
class EisnerChart {
public:
    using Value = typename W::Value;

    // arc(h, m) is the weight of an arc between words.
    template <class Arc>
    void fill(std::size_t n, const Arc& arc) {
        constexpr std::size_t B = W::kBlock;
        n_ = n;
        stride_ = (n + B - 1) / B * B;
        memory_.resize((4 * n + 3) * stride_ + 64 / sizeof(Value));
        open_ = memory_.data();  // rows begin where lines of the cache do
        if (const std::size_t past = reinterpret_cast<std::uintptr_t>(open_) % 64) open_ += (64 - past) / sizeof(Value);
        right_ = open_ + n * stride_;
        left_ = right_ + n * stride_;
        left_open_ = left_ + n * stride_;
        Value* const to_open = left_open_ + n * stride_;
        Value *const to_right = to_open + stride_, *const to_left = to_right + stride_;
        for (std::size_t i = n; i-- > 0;) {
            const std::size_t row = i * stride_, first = i / B * B;
            for (Value* table : {open_, right_, left_, left_open_})
                std::fill(table + row + first, table + row + stride_, W::kZero);
            for (Value* sum : {to_open, to_right, to_left}) std::fill(sum + first, sum + stride_, W::kZero);
            right_[row + i] = left_[row + i] = W::kOne;
            Value right = W::kOne;
            for (std::size_t k = i + 1; k < n; ++k) {
                const Value open = W::rest(W::plus(to_open[k], right));
                const Value with_arc = W::rest(W::times(open, arc(i, k)));
                const Value left_open = W::rest(W::times(open, arc(k, i)));
                const Value left = W::rest(W::plus(to_left[k], left_open));
                const Value next = W::rest(W::plus(to_right[k], with_arc));
                open_[row + k] = open;
                right_[row + k] = next;
                left_[row + k] = left;
                left_open_[row + k] = left_open;
                // Rows are zero where they are not defined, so a block may begin before the first place that counts.
                const Value *const lefts = left_ + k * stride_, *const rights = right_ + k * stride_;
                const Value* const left_opens = left_open_ + k * stride_;
                for (std::size_t t = (k + 1) / B * B; t < n; t += B) {
                    add_block<W>(to_open + t, right, lefts + t);
                    add_block<W>(to_right + t, with_arc, rights + t);
                    add_block<W>(to_left + t, left, left_opens + t);
                }
                right = next;
            }
        }
    }

    std::size_t size() const { return n_; }
    std::size_t stride() const { return stride_; }
    std::size_t bytes() const { return memory_.capacity() * sizeof(Value); }
    Value open(std::size_t i, std::size_t k) const { return open_[i * stride_ + k]; }
    Value right(std::size_t i, std::size_t k) const { return right_[i * stride_ + k]; }
    Value left(std::size_t i, std::size_t k) const { return left_[i * stride_ + k]; }
    Value left_open(std::size_t i, std::size_t k) const { return left_open_[i * stride_ + k]; }
    const Value* right_row(std::size_t i) const { return right_ + i * stride_; }
    const Value* left_row(std::size_t i) const { return left_ + i * stride_; }
    const Value* left_open_row(std::size_t i) const { return left_open_ + i * stride_; }

private:
    std::size_t n_ = 0, stride_ = 0;
    std::vector<Value> memory_;
    Value *open_ = nullptr, *right_ = nullptr, *left_ = nullptr, *left_open_ = nullptr;
};

// The root above the chart. One root word r:  Z = ⊕_r left(0, r) ⊗ arc(root → r) ⊗ right(r, n − 1). Many:
//     closed(j) ⊗ left(j, r) ⊗ arc(root → r) ⊗ right(r, k) is a part of closed(k + 1),   closed(0) = 1, Z = closed(n)
template <class W>
struct RootChart {
    using Value = typename W::Value;
    std::vector<Value> closed;    // [n + 1], words before the given one
    std::vector<Value> before;    // [n], ⊕_j closed(j) ⊗ left(j, r)
    std::vector<Value> with_arc;  // [n], the same with the arc from the root
    Value total = W::kZero;

    template <class RootArc>
    void fill(const EisnerChart<W>& chart, bool single_root, const RootArc& arc) {
        const std::size_t n = chart.size();
        closed.assign(n + 1, W::kZero);
        before.assign(n, W::kZero);
        with_arc.assign(n, W::kZero);
        closed[0] = W::kOne;
        total = W::kZero;
        if (single_root) {
            for (std::size_t r = 0; r < n; ++r) {
                before[r] = chart.left(0, r);
                with_arc[r] = W::rest(W::times(before[r], arc(r)));
                total = W::rest(W::plus(total, W::times(with_arc[r], chart.right(r, n - 1))));
            }
            return;
        }
        for (std::size_t j = 0; j < n; ++j) {
            const Value *left = chart.left_row(j), *right = chart.right_row(j);
            for (std::size_t r = j; r < n; ++r) before[r] = W::plus(before[r], W::times(closed[j], left[r]));
            before[j] = W::rest(before[j]);
            with_arc[j] = W::rest(W::times(before[j], arc(j)));
            for (std::size_t k = j; k < n; ++k)
                closed[k + 1] = W::plus(closed[k + 1], W::times(with_arc[j], right[k]));
            closed[j + 1] = W::rest(closed[j + 1]);
        }
        total = closed[n];
    }
};

// Reads a tree off the charts from the top. choose(first, last, term) gives one of first … last − 1, where term(j) is
// the weight of choice j: the greatest for the best tree, one drawn for a sample. O(n) choices of O(n) each.
template <class W, class Arc, class Choose>
void read_projective(const EisnerChart<W>& chart, const RootChart<W>& root, bool single_root, const Arc& arc,
                     const Choose& choose, std::int32_t* heads) {
    enum Kind : std::uint8_t { kOpen, kRight, kLeft };
    struct Item {
        Kind kind;
        std::size_t i, k;
    };
    const std::size_t n = chart.size();
    std::vector<Item> agenda;
    const auto head = [&](std::size_t word, std::size_t its) { heads[word] = static_cast<std::int32_t>(its + 1); };
    if (single_root) {
        const std::size_t r = choose(0, n, [&](std::size_t r) {
            return W::times(root.with_arc[r], chart.right(r, n - 1));
        });
        heads[r] = 0;
        agenda = {{kLeft, 0, r}, {kRight, r, n - 1}};
    } else {
        for (std::size_t end = n; end > 0;) {
            const std::size_t r = choose(0, end, [&](std::size_t r) {
                return W::times(root.with_arc[r], chart.right(r, end - 1));
            });
            const std::size_t j = choose(0, r + 1, [&](std::size_t j) {
                return W::times(root.closed[j], chart.left(j, r));
            });
            heads[r] = 0;
            agenda.push_back({kRight, r, end - 1});
            agenda.push_back({kLeft, j, r});
            end = j;
        }
    }
    while (!agenda.empty()) {
        const auto [kind, i, k] = agenda.back();
        agenda.pop_back();
        if (i == k) continue;
        if (kind == kOpen) {
            const std::size_t j = choose(i, k, [&, i = i, k = k](std::size_t j) {
                return W::times(chart.right(i, j), chart.left(j + 1, k));
            });
            agenda.push_back({kRight, i, j});
            agenda.push_back({kLeft, j + 1, k});
        } else if (kind == kRight) {
            const std::size_t j = choose(i + 1, k + 1, [&, i = i, k = k](std::size_t j) {
                return W::times(W::rest(W::times(chart.open(i, j), arc(i, j))), chart.right(j, k));
            });
            head(j, i);
            agenda.push_back({kOpen, i, j});
            agenda.push_back({kRight, j, k});
        } else {
            const std::size_t j = choose(i, k, [&, i = i, k = k](std::size_t j) {
                return W::times(chart.left(i, j), chart.left_open(j, k));
            });
            head(j, k);
            agenda.push_back({kLeft, i, j});
            agenda.push_back({kOpen, j, k});
        }
    }
}

}  // namespace palmette

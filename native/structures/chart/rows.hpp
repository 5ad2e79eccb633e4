// A value for every item (start, end, symbol), as rows over the starts: [end][row][start].
//
// A rule over a fixed end and split point reads a row of its left child and changes a row of its parent, start by
// start, in whole vectors: rows are rounded up to a multiple of kLane, and hold the semiring's zero beyond their end.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <vector>

namespace palmette {

template <class T>
class ChartRows {
public:
    static constexpr std::size_t kLane = 8;

    // Room for n words; columns must be cleared before use.
    void reset(std::size_t n, std::size_t rows) {
        n_ = n;
        rows_ = rows;
        begin_.resize(n + 2);
        begin_[0] = begin_[1] = 0;
        for (std::size_t end = 1; end <= n; ++end) begin_[end + 1] = begin_[end] + width(end) * rows;
        if (begin_[n + 1] > room_) {
            values_.reset();
            room_ = 0;
            values_.reset(static_cast<T*>(::operator new(begin_[n + 1] * sizeof(T), std::align_val_t{64})));
            room_ = begin_[n + 1];
        }
        alive_.assign((n + 1) * rows, 0);
    }
    // first: values of earlier starts are never looked at.
    void clear(std::size_t end, T zero, std::size_t first = 0) {
        if (first == 0) {
            std::fill_n(row(end, 0), width(end) * rows_, zero);
            return;
        }
        for (std::size_t r = 0; r < rows_; ++r) std::fill(row(end, r) + first, row(end, r) + width(end), zero);
    }

    std::size_t n() const { return n_; }
    std::size_t rows() const { return rows_; }
    static std::size_t width(std::size_t end) { return (end + kLane - 1) / kLane * kLane; }
    static std::size_t bytes(std::size_t n, std::size_t rows) {
        std::size_t total = 0;
        for (std::size_t end = 1; end <= n; ++end) total += width(end) * rows;
        return total * sizeof(T);
    }

    T* row(std::size_t end, std::size_t r) { return values_.get() + begin_[end] + r * width(end); }
    const T* row(std::size_t end, std::size_t r) const { return values_.get() + begin_[end] + r * width(end); }
    T at(std::size_t start, std::size_t end, std::size_t r) const { return row(end, r)[start]; }

    // Whether a row may have a value other than zero: whoever fills rows keeps these.
    std::uint8_t* alive(std::size_t end) { return alive_.data() + end * rows_; }
    const std::uint8_t* alive(std::size_t end) const { return alive_.data() + end * rows_; }

private:
    struct Free {
        void operator()(T* p) const { ::operator delete(p, std::align_val_t{64}); }
    };
    std::size_t n_ = 0, rows_ = 0, room_ = 0;
    std::vector<std::size_t> begin_;
    std::unique_ptr<T, Free> values_;
    std::vector<std::uint8_t> alive_;
};

// Calls work with the number of vectors of kLane as a constant where it is small, so that loops over them unroll.
template <class Work>
void by_vectors(std::size_t vectors, Work&& work) {
    switch (vectors) {
        case 1: return work(std::integral_constant<std::size_t, 1>{});
        case 2: return work(std::integral_constant<std::size_t, 2>{});
        case 3: return work(std::integral_constant<std::size_t, 3>{});
        case 4: return work(std::integral_constant<std::size_t, 4>{});
        case 5: return work(std::integral_constant<std::size_t, 5>{});
        default: return work(vectors);
    }
}

}  // namespace palmette

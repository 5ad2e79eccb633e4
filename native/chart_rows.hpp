// A value for every item (start, end, symbol), as rows over the starts: [end][symbol][start].
//
// A rule over a fixed end and split point reads a row of its left child and changes a row of its parent, start by
// start, in whole vectors: rows are rounded up to a multiple of kLane, and hold the semiring's zero beyond their
// end. For every row, the first and the last start that may differ from zero are known.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <new>
#include <vector>

namespace palmette {

template <class T>
class ChartRows {
public:
    static constexpr std::size_t kLane = 8;
    static constexpr std::int16_t kNowhere = std::numeric_limits<std::int16_t>::max();
    static constexpr std::size_t kMostWords = 20'000;  // starts fit into 16 bits

    void reset(std::size_t n, std::size_t symbols, T zero) {
        n_ = n;
        symbols_ = symbols;
        begin_.resize(n + 2);
        begin_[0] = begin_[1] = 0;
        for (std::size_t end = 1; end <= n; ++end) begin_[end + 1] = begin_[end] + width(end) * symbols;
        if (begin_[n + 1] > room_) {
            values_.reset();
            values_.reset(static_cast<T*>(::operator new(begin_[n + 1] * sizeof(T), std::align_val_t{64})));
            room_ = begin_[n + 1];
        }
        std::fill_n(values_.get(), begin_[n + 1], zero);
        first_.assign((n + 1) * symbols, kNowhere);
        last_.assign((n + 1) * symbols, -1);
    }

    std::size_t n() const { return n_; }
    std::size_t symbols() const { return symbols_; }
    static std::size_t width(std::size_t end) { return (end + kLane - 1) / kLane * kLane; }
    static std::size_t bytes(std::size_t n, std::size_t symbols) {
        std::size_t total = 0;
        for (std::size_t end = 1; end <= n; ++end) total += width(end) * symbols;
        return total * sizeof(T);
    }

    T* row(std::size_t end, std::size_t symbol) { return values_.get() + begin_[end] + symbol * width(end); }
    const T* row(std::size_t end, std::size_t symbol) const { return values_.get() + begin_[end] + symbol * width(end); }
    T at(std::size_t start, std::size_t end, std::size_t symbol) const { return row(end, symbol)[start]; }

    std::int16_t* first(std::size_t end) { return first_.data() + end * symbols_; }
    std::int16_t* last(std::size_t end) { return last_.data() + end * symbols_; }
    const std::int16_t* first(std::size_t end) const { return first_.data() + end * symbols_; }
    const std::int16_t* last(std::size_t end) const { return last_.data() + end * symbols_; }

    // Marks the starts from `from` to `to` of a row as used.
    void widen(std::size_t end, std::size_t symbol, std::int16_t from, std::int16_t to) {
        std::int16_t &a = first(end)[symbol], &b = last(end)[symbol];
        a = std::min(a, from);
        b = std::max(b, to);
    }

private:
    struct Free {
        void operator()(T* p) const { ::operator delete(p, std::align_val_t{64}); }
    };
    std::size_t n_ = 0, symbols_ = 0, room_ = 0;
    std::vector<std::size_t> begin_;
    std::unique_ptr<T, Free> values_;
    std::vector<std::int16_t> first_, last_;
};

}  // namespace palmette

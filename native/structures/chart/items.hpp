// Which items (start, end, symbol) of a chart are alive: per span a bit set over the symbols of a grammar.
//
// What a coarse pass leaves, what a finer pass may visit, and what constraints allow. A finer grammar has a map
// from its symbols to those of the set.
#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace palmette {

class ChartItems {
public:
    ChartItems() = default;
    ChartItems(std::size_t n, std::size_t symbols, bool alive = false) { reset(n, symbols, alive); }

    // Spans are numbered by their ends, then by their starts: 0 <= start < end <= n.
    static std::size_t span(std::size_t start, std::size_t end) { return end * (end - 1) / 2 + start; }

    void reset(std::size_t n, std::size_t symbols, bool alive = false) {
        n_ = n;
        symbols_ = symbols;
        words_ = (symbols + 63) / 64;
        bits_.assign(n * (n + 1) / 2 * words_, alive ? ~std::uint64_t{0} : 0);
        if (!alive || symbols % 64 == 0) return;
        const std::uint64_t last = (std::uint64_t{1} << symbols % 64) - 1;  // no bits beyond the last symbol
        for (std::size_t k = words_ - 1; k < bits_.size(); k += words_) bits_[k] = last;
    }

    std::size_t n() const { return n_; }
    std::size_t symbols() const { return symbols_; }
    std::size_t words_per_span() const { return words_; }

    bool has(std::size_t start, std::size_t end, std::size_t symbol) const {
        return row(start, end)[symbol / 64] >> symbol % 64 & 1;
    }
    void add(std::size_t start, std::size_t end, std::size_t symbol) {
        row(start, end)[symbol / 64] |= std::uint64_t{1} << symbol % 64;
    }
    void remove(std::size_t start, std::size_t end, std::size_t symbol) {
        row(start, end)[symbol / 64] &= ~(std::uint64_t{1} << symbol % 64);
    }
    void close(std::size_t start, std::size_t end) {
        for (std::size_t k = 0; k < words_; ++k) row(start, end)[k] = 0;
    }
    bool open(std::size_t start, std::size_t end) const {
        for (std::size_t k = 0; k < words_; ++k)
            if (row(start, end)[k]) return true;
        return false;
    }
    std::size_t count() const {
        std::size_t total = 0;
        for (std::uint64_t word : bits_) total += static_cast<std::size_t>(std::popcount(word));
        return total;
    }

    // The bits of a span: symbol s is bit s % 64 of word s / 64.
    std::uint64_t* row(std::size_t start, std::size_t end) { return bits_.data() + span(start, end) * words_; }
    const std::uint64_t* row(std::size_t start, std::size_t end) const { return bits_.data() + span(start, end) * words_; }

    // Calls visit(symbol) for those alive in a span, in order.
    template <class Visit>
    void each(std::size_t start, std::size_t end, Visit&& visit) const {
        const std::uint64_t* bits = row(start, end);
        for (std::size_t k = 0; k < words_; ++k)
            for (std::uint64_t left = bits[k]; left; left &= left - 1)
                visit(k * 64 + static_cast<std::size_t>(std::countr_zero(left)));
    }

private:
    std::size_t n_ = 0, symbols_ = 0, words_ = 0;
    std::vector<std::uint64_t> bits_;
};

}  // namespace palmette

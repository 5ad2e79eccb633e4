// Long tables of weights as files have them: gaps between the places of weights, and a number for each weight.
//
// A gap is the number of places without a weight before this one; 255 is that number of places with nothing after them.
// levels[number] is the weight. One pass over the gaps, and no memory but the table.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

namespace palmette {

constexpr std::uint8_t kSkip = 255;

// visit(gap in all, number) for every weight.
template <class Number, class Visit>
void visit_gaps(std::span<const std::uint8_t> gaps, const Number* numbers, Visit&& visit) {
    std::size_t gap = 0;
    for (std::size_t i = 0; i < gaps.size(); ++i) {
        gap += gaps[i];
        if (gaps[i] == kSkip) continue;
        visit(gap, numbers[i]);
        gap = 0;
    }
}

// table[place] = levels[number] for every weight; out_of_range if a place is outside of the table.
template <class Number, class Weight>
void spread_weights(std::span<const std::uint8_t> gaps, const Number* numbers, const Weight* levels, std::span<Weight> table) {
    std::size_t place = 0;
    visit_gaps(gaps, numbers, [&](std::size_t gap, Number number) {
        place += gap;
        if (place >= table.size()) throw std::out_of_range("a weight is outside of the table");
        table[place++] = levels[number];
    });
}

// The same table as rows of `stride` places: the entries of each row, and the columns and weights of all entries.
struct RowEntries {
    std::vector<std::uint32_t> counts;
    std::vector<std::uint16_t> columns;
    std::vector<float> values;
};

template <class Number>
RowEntries row_entries(std::span<const std::uint8_t> gaps, const Number* numbers, const float* levels, std::size_t n_rows,
                       std::size_t stride) {
    RowEntries made{std::vector<std::uint32_t>(n_rows), {}, {}};
    made.columns.reserve(gaps.size());
    made.values.reserve(gaps.size());
    std::size_t row = 0, column = 0;
    visit_gaps(gaps, numbers, [&](std::size_t gap, Number number) {
        column += gap;
        if (column >= stride) row += column / stride, column %= stride;
        if (row >= n_rows) throw std::out_of_range("a weight is outside of the table");
        ++made.counts[row];
        made.columns.push_back(static_cast<std::uint16_t>(column++));
        made.values.push_back(levels[number]);
    });
    return made;
}

}  // namespace palmette

// Rows of weights of which most are zero, one row per attribute and one column per label.
//
// A row with few entries is kept as pairs of column and value, a fuller one as all of its values: so a row costs the bytes
// and the time of what is in it. Sums come out as those of the full table, bit for bit: zeros add nothing.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/rows.hpp"

namespace palmette {

class SparseRows {
public:
    static constexpr std::size_t kMaxColumns = 1 << 16;

    // counts: entries of each row; columns, values: of all entries, row by row, columns rising within a row.
    // invalid_argument if they do not fit together, or a value is not finite.
    SparseRows(std::span<const std::uint32_t> counts, std::span<const std::uint16_t> columns, std::span<const float> values,
               std::size_t n_columns);

    std::size_t size() const { return rows_.size(); }
    std::size_t columns() const { return n_columns_; }
    std::size_t stride() const { return stride_; }

    // sum += row
    void add(std::size_t r, float* sum) const { add(r, sum, [](float value, float to) { return to + value; }); }
    // sum += factor · row
    void add(std::size_t r, float factor, float* sum) const {
        add(r, sum, [factor](float value, float to) { return rows::multiply_add(factor, value, to); });
    }
    // The row itself will be wanted soon; what is in it, soon after.
    void fetch_row(std::size_t r) const { __builtin_prefetch(&rows_[r]); }
    void fetch_entries(std::size_t r) const {
        const Row row = rows_[r];
        if (row.count != kFull) {
            __builtin_prefetch(entries_.data() + row.begin);
            return;
        }
        const float* from = full_.data() + row.begin * stride_;
        __builtin_prefetch(from);
        __builtin_prefetch(from + stride_ - 1);
    }

    // visit(row, column, value) for every entry that is not zero.
    template <class Visit>
    void entries(Visit&& visit) const {
        for (std::size_t r = 0; r < rows_.size(); ++r) {
            const Row row = rows_[r];
            if (row.count == kFull) {
                const float* from = full_.data() + row.begin * stride_;
                for (std::size_t y = 0; y < n_columns_; ++y)
                    if (from[y] != 0) visit(r, y, from[y]);
            } else {
                for (const Entry* e = entries_.data() + row.begin; e != entries_.data() + row.begin + row.count; ++e)
                    visit(r, e->column, e->value);
            }
        }
    }

private:
    struct Row {
        std::uint64_t begin : 40;  // the first of its entries; of a full row its number among these
        std::uint64_t count : 24;
    };
    struct Entry {
        float value;
        std::uint32_t column;
    };
    static constexpr std::uint64_t kFull = (1 << 24) - 1;

    template <class Add>
    void add(std::size_t r, float* sum, Add added) const {
        const Row row = rows_[r];
        if (row.count == kFull) {
            const float* from = full_.data() + row.begin * stride_;
            for (std::size_t y = 0; y < stride_; ++y) sum[y] = added(from[y], sum[y]);
        } else {
            for (const Entry* e = entries_.data() + row.begin; e != entries_.data() + row.begin + row.count; ++e)
                sum[e->column] = added(e->value, sum[e->column]);
        }
    }

    std::size_t n_columns_, stride_;
    std::vector<Row> rows_;
    std::vector<Entry> entries_;
    std::vector<float> full_;  // [full rows][stride], the pads zero
};

// For every token the sum of its attributes' rows, [tokens][stride]: token t has attributes[rows[t]] to
// attributes[rows[t + 1]], with these values; null: all one.
std::vector<float> row_sums(const SparseRows& table, std::span<const std::int64_t> rows, const std::int32_t* attributes,
                            const float* values, int n_jobs);

}  // namespace palmette

#include "features/sparse_rows.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "base/parallel.hpp"

namespace palmette {
namespace {

// Adding a full row costs about as much as adding this part of it entry by entry.
constexpr std::size_t kFullFrom = 4;

}  // namespace

SparseRows::SparseRows(std::span<const std::uint32_t> counts, std::span<const std::uint16_t> columns,
                       std::span<const float> values, std::size_t n_columns)
    : n_columns_(n_columns), stride_((n_columns + kLanes - 1) / kLanes * kLanes) {
    if (n_columns == 0 || n_columns > kMaxColumns) throw std::invalid_argument("there must be 1 to 65,536 columns");
    if (columns.size() != values.size()) throw std::invalid_argument("every entry must have a column and a value");
    std::size_t n_full = 0, n_entries = 0, at = 0;
    for (const std::uint32_t count : counts) {
        if (count > n_columns || count > columns.size() - at) throw std::invalid_argument("the rows are longer than their entries");
        at += count;
        if (kFullFrom * count > stride_) ++n_full;
        else n_entries += count;
    }
    if (at != columns.size()) throw std::invalid_argument("there are entries that belong to no row");
    rows_.reserve(counts.size());
    entries_.reserve(n_entries);
    full_.assign(n_full * stride_, 0.0f);
    n_full = at = 0;
    for (const std::uint32_t count : counts) {
        const bool is_full = kFullFrom * count > stride_;
        if (is_full) rows_.push_back({n_full, kFull});
        else rows_.push_back({entries_.size(), count});
        for (std::size_t k = at; k < at + count; ++k) {
            if (columns[k] >= n_columns || (k > at && columns[k] <= columns[k - 1]))
                throw std::invalid_argument("the columns of a row must rise and be below the number of columns");
            if (!std::isfinite(values[k])) throw std::invalid_argument("a weight is not finite");
            if (is_full) full_[n_full * stride_ + columns[k]] = values[k];
            else entries_.push_back({values[k], columns[k]});
        }
        n_full += is_full;
        at += count;
    }
}

std::vector<float> row_sums(const SparseRows& table, std::span<const std::int64_t> rows, const std::int32_t* attributes,
                            const float* values, int n_jobs) {
    const std::size_t n = rows.size() - 1, S = table.stride();
    std::vector<float> sums(n * S, 0.0f);
    constexpr std::size_t kPieces = 64;
    const std::size_t pieces = std::min(kPieces, n);
    parallel(pieces, n_jobs, [&](std::size_t piece, std::size_t) {
        const std::size_t end = n * (piece + 1) / pieces;
        for (std::size_t t = n * piece / pieces; t < end; ++t)
            for (std::int64_t k = rows[t]; k < rows[t + 1]; ++k) {
                if (k + 2 * palmette::rows::kAhead < rows[end]) table.fetch_row(attributes[k + 2 * palmette::rows::kAhead]);
                if (k + palmette::rows::kAhead < rows[end]) table.fetch_entries(attributes[k + palmette::rows::kAhead]);
                if (values) table.add(attributes[k], values[k], sums.data() + t * S);
                else table.add(attributes[k], sums.data() + t * S);
            }
    });
    return sums;
}

}  // namespace palmette

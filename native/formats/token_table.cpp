#include "formats/token_table.hpp"

namespace palmette {

void TokenTable::close_sentence(std::int64_t first_line) {
    lines.push_back(first_line);
    offsets.push_back(n_rows());
    comment_offsets.push_back(static_cast<std::int64_t>(comments.size()));
    extra_offsets.push_back(static_cast<std::int64_t>(extras.size()));
    for (std::size_t c = 0; c < tables.size(); ++c) table_sizes_[c] = tables[c].size();
}

void TokenTable::drop_sentence() {
    for (std::size_t c = 0; c < tables.size(); ++c) {
        if (!ids[c].empty()) ids[c].resize(offsets.back());  // empty: the column is not read
        tables[c].truncate(table_sizes_[c]);
    }
    if (!heads.empty()) heads.resize(offsets.back());
    comments.resize(comment_offsets.back());
    extras.resize(extra_offsets.back());
    extra_after.resize(extra_offsets.back());
}

void TokenTable::shrink() {
    for (auto& column : ids) column.shrink_to_fit();
    heads.shrink_to_fit();
    offsets.shrink_to_fit();
    lines.shrink_to_fit();
    comment_offsets.shrink_to_fit();
    extra_offsets.shrink_to_fit();
    extra_after.shrink_to_fit();
}

}  // namespace palmette

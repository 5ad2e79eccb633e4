// Sequences of symbols for string kernels: hashes of characters, tokens, or of several things at every position.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

namespace palmette {

class SequenceSet {
public:
    explicit SequenceSet(std::size_t n_columns) : columns_(n_columns) {}

    void push(std::size_t column, std::uint64_t symbol) { columns_[column].push_back(symbol); }
    // False if the columns of the sequence are not equally long.
    bool end_sequence() {
        for (const auto& column : columns_)
            if (column.size() != columns_[0].size()) return false;
        offsets_.push_back(columns_[0].size());
        return true;
    }

    std::size_t size() const { return offsets_.size() - 1; }
    std::size_t n_columns() const { return columns_.size(); }
    std::span<const std::uint64_t> symbols(std::size_t column, std::size_t sequence) const {
        return {columns_[column].data() + offsets_[sequence], columns_[column].data() + offsets_[sequence + 1]};
    }

private:
    std::vector<std::vector<std::uint64_t>> columns_;  // hashes, never 0
    std::vector<std::size_t> offsets_{0};
};

}  // namespace palmette

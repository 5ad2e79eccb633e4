#include "tools/translation/chart/transforms.hpp"

#include <algorithm>

#include "base/hashing.hpp"

namespace palmette {

void TextTransforms::reset(const TargetConstraint& constraint) {
    constraint_ = &constraint;
    begin_ = 0;
    if (constraint.is_free()) return;
    n_ = constraint.n_states();
    table_.clear();
    values_.clear();
    rows_.clear();
    of_words_.clear();
    joined_.clear();
    row_.resize(n_);
    for (std::size_t s = 0; s < n_; ++s) row_[s] = static_cast<std::uint32_t>(s);
    intern(row_);
    std::fill(row_.begin(), row_.end(), 0);
    begin_ = intern(row_);
}

std::uint32_t TextTransforms::intern(std::span<const std::uint32_t> row) {
    if (std::ranges::all_of(row, [](std::uint32_t state) { return state == kBlocked; })) return kBlocked;
    std::uint64_t key = n_;
    for (const std::uint32_t state : row) key = combine(key, state);
    return rows_.find_or_make(
        key, [&](std::uint32_t found) { return std::equal(row.begin(), row.end(), table_.begin() + static_cast<std::ptrdiff_t>(found * n_)); },
        [&] {
            table_.insert(table_.end(), row.begin(), row.end());
            return static_cast<std::uint32_t>(table_.size() / n_ - 1);
        });
}

std::uint32_t TextTransforms::of_words(std::uint32_t number, std::span<const std::uint32_t> words) {
    if (is_free()) return 0;
    const std::uint32_t found = of_words_.find_or_make(
        number, [](std::uint32_t) { return true; },
        [&] {
            for (std::size_t s = 0; s < n_; ++s) {
                std::uint32_t state = static_cast<std::uint32_t>(s);
                for (std::size_t k = 0; k < words.size() && state != kBlocked; ++k) state = constraint_->step(state, words[k]);
                row_[s] = state;
            }
            values_.push_back(intern(row_));
            return static_cast<std::uint32_t>(values_.size() - 1);
        });
    return values_[found];
}

std::uint32_t TextTransforms::joined(std::uint32_t first, std::uint32_t second) {
    if (is_free() || second == 0) return first;
    if (first == 0) return second;
    const std::uint32_t found = joined_.find_or_make(
        std::uint64_t{first} << 32 | second, [](std::uint32_t) { return true; },
        [&] {
            for (std::size_t s = 0; s < n_; ++s) {
                const std::uint32_t middle = table_[first * n_ + s];
                row_[s] = middle == kBlocked ? kBlocked : table_[second * n_ + middle];
            }
            values_.push_back(intern(row_));
            return static_cast<std::uint32_t>(values_.size() - 1);
        });
    return values_[found];
}

}  // namespace palmette

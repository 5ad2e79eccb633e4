// What a piece of target text does to an automaton over words (constraint.hpp): from each state before it, the state after
// it. Transforms are kept once each and named by a number; 0 changes nothing.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "base/stamped_map.hpp"
#include "tools/translation/search/constraint.hpp"

namespace palmette {

class TextTransforms {
public:
    static constexpr std::uint32_t kBlocked = TargetConstraint::kBlocked;

    void reset(const TargetConstraint& constraint);
    bool is_free() const { return constraint_->is_free(); }

    // From any state to the first: the beginning of a text.
    std::uint32_t begin() const { return begin_; }
    // That of some words, which `number` names; kBlocked if no text may have them.
    std::uint32_t of_words(std::uint32_t number, std::span<const std::uint32_t> words);
    // One after another; kBlocked if no text may have both.
    std::uint32_t joined(std::uint32_t first, std::uint32_t second);
    // The state that a text from the beginning ends in.
    std::uint32_t state(std::uint32_t transform) const { return is_free() ? 0 : table_[transform * n_]; }
    bool may_end(std::uint32_t transform) const { return is_free() || constraint_->may_end(state(transform)); }

private:
    std::uint32_t intern(std::span<const std::uint32_t> row);

    const TargetConstraint* constraint_ = nullptr;
    std::size_t n_ = 0;  // states
    std::uint32_t begin_ = 0;
    std::vector<std::uint32_t> table_, row_, values_;
    StampedMap rows_, of_words_, joined_;
};

}  // namespace palmette

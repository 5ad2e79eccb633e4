// Which target texts may come out, as an automaton over words: none with a forbidden phrase, or one text alone.
//
// Forbidden phrases are a trie with failure links (Aho & Corasick 1975), so that a phrase is met wherever it begins. For
// one text, a state is the number of its words so far.
#pragma once
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

namespace palmette {

class TargetConstraint {
public:
    static constexpr std::uint32_t kBlocked = 0xFFFFFFFFu;

    TargetConstraint() = default;
    static TargetConstraint without(const std::vector<std::vector<std::uint32_t>>& phrases);
    static TargetConstraint only(std::vector<std::uint32_t> text);

    bool is_free() const { return goto_.empty() && !forced_; }
    bool is_forced() const { return forced_; }
    std::size_t n_states() const { return forced_ ? text_.size() + 1 : fail_.size(); }

    // The state after a word, or kBlocked; 0 is the first.
    std::uint32_t step(std::uint32_t state, std::uint32_t word) const {
        if (forced_) return state < text_.size() && text_[state] == word ? state + 1 : kBlocked;
        for (;;) {
            const auto found = goto_.find(key(state, word));
            if (found != goto_.end()) return blocked_[found->second] ? kBlocked : found->second;
            if (!state) return 0;
            state = fail_[state];
        }
    }
    bool may_end(std::uint32_t state) const { return !forced_ || state == text_.size(); }

    // Whether a phrase can be part of a text.
    bool allows(std::span<const std::uint32_t> words) const;

private:
    static std::uint64_t key(std::uint32_t state, std::uint32_t word) { return std::uint64_t{state} << 32 | word; }

    bool forced_ = false;
    std::vector<std::uint32_t> text_;
    std::unordered_map<std::uint64_t, std::uint32_t> goto_;
    std::vector<std::uint32_t> fail_;
    std::vector<std::uint8_t> blocked_;
};

}  // namespace palmette

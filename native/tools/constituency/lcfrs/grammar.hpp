// A linear context-free rewriting system of rules with one or two children, indexed for parsing bottom-up.
//
// A symbol of fan-out f derives f segments, from left to right. Rules are ordered (no child's segments change places),
// have no empty segments, and put something between any two segments of the same child. So a set of words says all
// about an item: its maximal runs are the segments. CSC 448, §12.
#pragma once
#include <cstdint>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

namespace palmette {

// How a rule puts the segments of its children together, as digits of base 4 after a leading 3:
// 0 is the next segment of the left child, 1 the next of the right child, 2 a gap. The left child has the first word.
using YieldCode = std::uint64_t;
inline constexpr int kMaxYield = 30;   // digits
inline constexpr int kMaxFanOut = 10;  // so that any two children fit

std::vector<int> yield_digits(YieldCode code);

struct LcfrsRules {
    std::vector<std::int32_t> fan_out;  // of each symbol
    std::int32_t root = 0;
    std::vector<std::int32_t> parent, left, right;  // of binary rules
    std::vector<YieldCode> yield;
    std::vector<double> weight;  // probabilities
    std::vector<std::int32_t> unary_parent, unary_child;
    std::vector<double> unary_weight;
};

class LcfrsGrammar {
   public:
    // Throws std::invalid_argument if the rules are not of this kind, or the unary ones run in a circle.
    explicit LcfrsGrammar(LcfrsRules rules);

    const LcfrsRules rules;
    int n_symbols() const { return static_cast<int>(rules.fan_out.size()); }
    int max_fan_out() const { return max_fan_out_; }
    // The number of a yield function, -1 if no rule has it.
    int yield_number(YieldCode code) const;
    // The binary rules over two children with a yield function.
    std::span<const std::int32_t> over(std::int32_t left, std::int32_t right, int yield) const;
    // The unary rules over a child.
    std::span<const std::int32_t> over(std::int32_t child) const;
    // A child of a unary rule has a lower rank than its parent.
    int rank(std::int32_t symbol) const { return rank_[symbol]; }

   private:
    void check_binary(std::size_t rule) const;
    void order_unaries();
    std::uint64_t key(std::int32_t left, std::int32_t right, int yield) const {
        return (std::uint64_t(left) * rules.fan_out.size() + right) * yields_.size() + yield;
    }

    int max_fan_out_ = 1;
    std::unordered_map<YieldCode, int> yields_;
    std::vector<std::int32_t> by_children_;  // binary rules with equal keys side by side
    struct Slot {
        std::uint64_t key;
        std::int32_t first, last;
    };
    std::vector<Slot> slots_;  // an open hash table over keys
    std::vector<std::int32_t> by_child_, child_first_, rank_;
};

}  // namespace palmette

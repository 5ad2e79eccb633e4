// A weighted grammar of binary and unary rules over symbols 0 … n - 1, indexed for charts.
//
// Tags are symbols like all others: below them are the emissions of a sentence. Weights are logs. Unary
// rules lie in blocks, one per strongly connected component, lower ones first, so that one walk over the blocks
// closes a cell: within a component without a cycle the rules one after the other, within one with cycles by its
// closure, the best chains for maxima and (I - U)^-1 for sums. Binary rules lie by their right children; several that
// have parent and right child in common go through one factor, which the grammar adds to the rows of a chart.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace palmette {

struct BinaryRule {
    std::int32_t parent, left, right;
    float log_weight;
};

struct UnaryRule {
    std::int32_t parent, child;
    float log_weight;
};

// What the words of a sentence can be: weights of symbols at positions, sorted by position.
struct Emissions {
    std::span<const std::int32_t> positions, symbols;
    std::span<const float> log_weights;
};

// A binary rule as seen from its parent, or a unary one (left: the child; right: the parent).
struct IndexedRule {
    std::int32_t left, right;
    float log_weight;
    std::int32_t original;  // its place among the rules as given
};

// A rule as seen from its right child: the row of its left child, and its parent. A left child of symbols() or more
// is a factor: what rules of one parent and one right child have on their left, weighed and added up once per end.
struct RowRule {
    std::int32_t left, parent;
    float log_weight, weight;  // weight = exp(log_weight), within what a float can hold
};

struct FactorRule {
    std::int32_t factor, left;
    float log_weight;
    double weight;
};

struct UnaryBlock {
    std::uint32_t begin, end;          // rules into this component from lower ones
    std::uint32_t members, n_members;  // those of a component with a cycle; none otherwise
    std::uint32_t matrix;              // where its closures begin, [parent][child]
};

class ChartGrammar {
public:
    // std::invalid_argument, in a sentence, for a symbol that is not there, a weight that is not a number or +inf,
    // or a cycle of unary rules that gains by every turn.
    ChartGrammar(std::int32_t symbols, std::int32_t root, std::vector<BinaryRule> binary, std::vector<UnaryRule> unary);

    std::int32_t symbols() const { return symbols_; }
    std::int32_t root() const { return root_; }
    const std::vector<BinaryRule>& binary() const { return binary_; }
    const std::vector<UnaryRule>& unary() const { return unary_; }

    // Rows of a chart: one per symbol, then one per factor.
    std::size_t rows() const { return static_cast<std::size_t>(symbols_) + n_factors_; }
    std::span<const RowRule> with_right(std::size_t right) const {
        return {by_right_.data() + right_begin_[right], right_begin_[right + 1] - right_begin_[right]};
    }
    // The same as seen from their parents; there `parent` is the right child.
    std::span<const RowRule> rows_of(std::size_t parent) const {
        return {by_row_parent_.data() + row_parent_begin_[parent], row_parent_begin_[parent + 1] - row_parent_begin_[parent]};
    }
    double row_weight(const RowRule& rule) const { return row_parent_weights_[static_cast<std::size_t>(&rule - by_row_parent_.data())]; }
    // The weight of a rule of with_right, in full.
    double weight(const RowRule& rule) const { return right_weights_[static_cast<std::size_t>(&rule - by_right_.data())]; }
    std::size_t factors() const { return n_factors_; }
    // The rules of a factor, and those of all factors that have a left child.
    std::span<const FactorRule> with_factor(std::size_t factor) const {
        return {factor_rules_.data() + factor_begin_[factor], factor_begin_[factor + 1] - factor_begin_[factor]};
    }
    std::span<const FactorRule> factors_of(std::size_t left) const {
        return {factors_by_left_.data() + left_begin_[left], left_begin_[left + 1] - left_begin_[left]};
    }
    std::span<const IndexedRule> with_parent(std::size_t parent) const {
        return {by_parent_.data() + parent_begin_[parent], parent_begin_[parent + 1] - parent_begin_[parent]};
    }
    std::span<const std::int32_t> left_children() const { return lefts_; }    // symbols that are left children
    std::span<const std::int32_t> right_children() const { return rights_; }  // symbols that are right children

    // Unary rules of a parent, as numbers of `unary()`.
    std::span<const std::int32_t> unary_of(std::size_t parent) const {
        return {unary_of_.data() + unary_begin_[parent], unary_begin_[parent + 1] - unary_begin_[parent]};
    }
    const std::vector<UnaryBlock>& blocks() const { return blocks_; }
    const std::vector<double>& block_weights() const { return block_weights_; }
    const std::vector<IndexedRule>& block_rules() const { return block_rules_; }
    const std::vector<std::int32_t>& members() const { return members_; }
    const std::vector<float>& best_closure() const { return best_closure_; }         // logs
    const std::vector<std::int32_t>& best_step() const { return best_step_; }        // first child on the best chain
    const std::vector<double>& sum_closure() const { return sum_closure_; }          // not logs
    // The block of a symbol that is on a cycle of unary rules; -1 for all others.
    std::int32_t cycle_of(std::size_t symbol) const { return cycle_of_[symbol]; }
    bool has_cycles() const { return !members_.empty(); }
    bool sums_exist() const { return sums_exist_; }  // false where the weights of chains around a cycle diverge

private:
    void index_binary();
    void index_rows_by_parent();
    void index_unary();
    void close(const std::vector<std::int32_t>& component, UnaryBlock& block);

    std::int32_t symbols_, root_;
    std::vector<BinaryRule> binary_;
    std::vector<UnaryRule> unary_;
    std::size_t n_factors_ = 0;
    std::vector<std::uint32_t> right_begin_, parent_begin_, unary_begin_, factor_begin_, left_begin_, row_parent_begin_;
    std::vector<RowRule> by_right_, by_row_parent_;
    std::vector<double> right_weights_, row_parent_weights_, block_weights_;
    std::vector<FactorRule> factor_rules_, factors_by_left_;
    std::vector<IndexedRule> by_parent_, block_rules_;
    std::vector<std::int32_t> lefts_, rights_, unary_of_, members_, best_step_, cycle_of_;
    std::vector<UnaryBlock> blocks_;
    std::vector<float> best_closure_;
    std::vector<double> sum_closure_;
    bool sums_exist_ = true;
};

}  // namespace palmette

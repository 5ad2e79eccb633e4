// The lexicalised model over the forest that the coarse passes leave: every item gets states, which know the head word
// and what else the decisions look at; states and their edges are again a forest, in which sums and maxima are taken.
#pragma once
#include "inference/hypergraph.hpp"
#include "tools/constituency/lexicalized/forest.hpp"

namespace palmette {

struct LexicalOptions {
    CoarseOptions coarse;
    double tag = 1e-3;   // the least P(tag | word) next to the best
    double beam = 1e-5;  // of the states of an item, next to the best
    size_t memory = size_t{500'000'000};  // bytes that the search of one sentence may take
};

struct LexicalState {
    int32_t item;  // -1 for a child that waits to be attached
    int32_t head_child, before;  // before: the child made before the last
    int32_t outer;  // of one that grows rightwards: the outermost child on the left
    int32_t head, semantic;  // the numbers of the emissions of the head word and of the semantic head word
    double in, out;
};

struct LexicalEdge {
    int32_t head, a, b;
    double weight;
};

struct TreeNode {
    int32_t label, start, end;  // nodes in preorder; labels are plain
    auto operator<=>(const TreeNode&) const = default;
};

struct LexicalBracket {
    int32_t label, start, end;
    double probability;
};

class LexicalForest {
public:
    // given: for every token the tag that it must have, or -1; empty if none has.
    LexicalForest(const LexicalizedModel& model, const CoarseModel& coarse, const TokenTypes& types, std::span<const int32_t> tokens, std::span<const int32_t> given, const SpanRules& rules,
                  const LexicalOptions& options);
    bool parsed() const { return root_ >= 0; }
    bool tightened() const { return tightened_; }  // whether more than asked was pruned, to stay within the memory
    bool too_large() const { return too_large_; }  // whether even that was not enough
    double log_z() const { return std::log(states_[root_].in) + log_scale_; }

    // The tree of the best derivation.
    std::vector<TreeNode> viterbi() const;
    // Different trees of the best derivations, at most k, best first.
    std::vector<std::vector<TreeNode>> kbest(size_t k) const;
    // Brackets, tags among them, and their posterior probabilities; by start, end and label.
    std::vector<LexicalBracket> posteriors() const;
    // The tree with the largest sum of p(bracket) - offset.
    std::vector<TreeNode> minimum_risk(double offset) const;

private:
    friend class StateBuilder;
    void find_emissions(const TokenTypes& types, std::span<const int32_t> tokens, std::span<const int32_t> given, double least);
    bool is_word(const LexicalState& s) const { return s.item >= 0 && forest_.items[s.item].parent < 0 && forest_.items[s.item].kind == kComplete; }
    std::vector<TreeNode> tree_of(const std::vector<int32_t>& edge_of) const;  // by state, -1: none

    const LexicalizedModel& model_;
    int32_t n_;
    Forest forest_;
    std::vector<LexicalEmission> emissions_;
    std::vector<LexicalState> states_;
    std::vector<LexicalEdge> edges_;
    int32_t root_ = -1;
    bool tightened_ = false, too_large_ = false;
    double log_scale_ = 0.0;
};

}  // namespace palmette

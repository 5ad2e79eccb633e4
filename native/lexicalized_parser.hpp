// The lexicalised model over the forest that the coarse passes leave: every item gets states, which know the head word
// and what else the decisions look at; states and their edges are again a forest, in which sums and maxima are taken.
#pragma once
#include "lexicalized_coarse.hpp"
#include "hypergraph.hpp"

namespace palmette {

struct LexicalOptions {
    CoarseOptions coarse;
    double tag = 1e-4;   // the least P(tag | word) next to the best
    double beam = 1e-5;  // of the states of an item, next to the best
    bool grandparents = true;
};

struct LexicalState {
    int32_t item;  // -1 for a child that waits to be attached
    int32_t grandparent, head_child, before;  // before: the child made before the last
    int32_t outer;  // of one that grows rightwards: the outermost child on the left
    int32_t head;  // the number of the emission of the head word
    double in, out;
};

struct LexicalEdge {
    int32_t head, a, b;
    double weight;
};

struct TreeNode {
    int32_t label, start, end;  // nodes in preorder
};

class LexicalForest {
public:
    LexicalForest(const LexicalizedModel& model, const CoarseModel& coarse, const TokenTypes& types, std::span<const int32_t> tokens, const LexicalOptions& options);
    bool parsed() const { return root_ >= 0; }
    double log_z() const;

    // The best tree; its score is the log of the probability of its derivation.
    double viterbi(std::vector<TreeNode>& tree) const;
    // (label, start, end) and its posterior probability, tags among them.
    struct Bracket {
        int32_t label, start, end;
        double probability;
    };
    std::vector<Bracket> posteriors();
    Hypergraph hypergraph(std::vector<double>& weights) const;
    void tree_of(std::span<const int32_t> edges, std::vector<TreeNode>& tree) const;

    const Forest& coarse_forest() const { return forest_; }
    size_t n_states() const { return states_.size(); }
    size_t n_edges() const { return edges_.size(); }

private:
    friend class StateBuilder;
    const LexicalizedModel& model_;
    Forest forest_;
    std::vector<Emission> emissions_;
    std::vector<LexicalState> states_;
    std::vector<LexicalEdge> edges_;
    int32_t root_ = -1;
    double log_scale_ = 0.0;  // what `in` must be multiplied by, as a log
};

}  // namespace palmette

// Grammars with latent substates: every symbol A of a treebank grammar stands for A_0 … A_(k-1), and a rule A → B C is
// a dense block of weights [A's][B's][C's], the last index padded with zeros to whole vectors.
//
// A cell of the chart has two layers. Below, a symbol comes from a tag's word or from a binary rule; above, it is the
// same symbol and substate again ("same"), or it came by one unary rule (a chain of unary nodes is one rule). So no
// unary rule runs in a circle, and every tree has one derivation but for its substates:
//
//   P_above(A_x → same) + Σ P_above(A_x → C_y) = 1,   Σ P_below(A_x → B_y C_z) = 1,   Σ P(root → A_x) = 1.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/lanes.hpp"

namespace palmette {

inline int padded(int n) { return static_cast<int>(padded(static_cast<std::size_t>(n))); }

// The symbols and rules, whatever their substates. Checked when made.
struct LatentRules {
    int n_symbols = 0;
    std::vector<std::int32_t> parent, left, right;  // binary
    std::vector<std::int32_t> upper, lower;         // unary
    void check() const;                             // std::invalid_argument if a symbol is out of range

    std::size_t n_binary() const { return parent.size(); }
    std::size_t n_unary() const { return upper.size(); }
};

// The places of the weights of a grammar with these numbers of substates.
struct LatentLayout {
    std::vector<std::int32_t> substates;  // of every symbol
    std::vector<std::size_t> row;         // symbol -> its place in vectors over all substates; one past the last
    std::vector<std::size_t> binary;      // rule -> its block
    std::vector<std::size_t> unary;

    LatentLayout() = default;
    LatentLayout(const LatentRules& rules, std::vector<std::int32_t> substates);
    std::size_t width() const { return row.back(); }
};

struct LatentGrammar {
    LatentLayout layout;
    std::vector<float> binary, unary;  // blocks
    std::vector<float> same, root;     // by row

    LatentGrammar() = default;
    LatentGrammar(const LatentRules& rules, std::vector<std::int32_t> substates);
};

// The grammar over groups of substates: group[row + x] is the group of A_x, mass the frequency of A_x (both by row).
//   P(A_X → B_Y C_Z) = Σ over x in X of P(x given X) Σ over y in Y, z in Z of P(A_x → B_y C_z)
LatentGrammar projected(const LatentRules& rules, const LatentGrammar& fine, const std::vector<std::int32_t>& group,
                        const std::vector<std::int32_t>& groups, const std::vector<float>& mass);

}  // namespace palmette

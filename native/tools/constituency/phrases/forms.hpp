// Derivations of the parsers as trees of phrases: nodes that binarization made are left out, chains of unary rules written
// out. Each adds one tree over n words to a forest; std::invalid_argument for what is not a tree. O(nodes), after sorting where
// derivations come as sets.
#pragma once
#include "structures/anchored/problem.hpp"
#include "tools/constituency/latent/forest.hpp"
#include "tools/constituency/phrases/forest.hpp"

namespace palmette {

// Brackets in preorder: label, start, end.
void add_brackets(PhraseForest& forest, std::int32_t n, std::span<const std::int32_t> brackets);

// Nodes in preorder; rules: 0 or more above two children, -1 above a word, less above one child. labels: of symbols, -1 for
// those that are left out.
void add_derivation(PhraseForest& forest, std::int32_t n, std::span<const std::int32_t> symbols, std::span<const std::int32_t> rules,
                    std::span<const std::int32_t> labels);

// Anchored rules in any order, each checked by the caller; labels are the numbers of coarse symbols.
void add_anchored(PhraseForest& forest, std::int32_t n, const AnchoredGrammar& grammar, std::span<const AnchoredNode> nodes);

// What the symbols and unary rules of a latent grammar are called.
struct LatentLabels {
    std::span<const std::int32_t> symbols;             // the label of each, -1 for those that are left out
    std::span<const std::int64_t> rows;                // of unary rule r: between[rows[r]] …,
    std::span<const std::int32_t> between;             // the labels within the chain that it stands for, from the top down
    std::int32_t top;                                  // the label above every tree whose root does not have it
};
// The trees of roots, side by side, among nodes whose children come before them.
void add_latent(PhraseForest& forest, std::int32_t n, std::span<const LatentTreeNode> nodes, std::span<const std::int32_t> roots, const LatentLabels& labels);

}  // namespace palmette

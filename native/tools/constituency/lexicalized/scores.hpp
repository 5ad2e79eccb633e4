// The scores of the trees in forests of phrases. Trees of one sentence have most of their steps in common, so the probability
// of a step is computed once per sentence; sums run in the order of the steps, as they do for a tree alone.
#pragma once
#include "tools/constituency/lexicalized/model.hpp"
#include "tools/constituency/phrases/forest.hpp"

namespace palmette {

// For every expansion in a forest (tools/constituency/phrases/shapes.hpp): the label of the node in the model, and which child is its head.
struct ShapeHeads {
    std::span<const std::int32_t> of_node;  // of the nodes of all forests
    std::span<const std::int32_t> label, head;
};

// One score per tree, in the order of the sentences; tokens: the type of every token, offsets: where sentences begin.
// Arguments were checked: every label and head exists, and tags are tags of the model.
std::vector<double> phrase_scores(const LexicalizedModel& model, std::span<const PhraseForest> forests, const ShapeHeads& heads, const TokenTypes& types,
                                  std::span<const std::int64_t> offsets, std::span<const std::int32_t> tokens, int n_jobs);

}  // namespace palmette

// The different expansions in forests of phrases: a label above the labels of its children. What depends on these alone (the
// head child, a finer label) is found once for each.
#pragma once
#include "tools/constituency/phrases/forest.hpp"

namespace palmette {

struct PhraseShapes {
    std::vector<std::int32_t> of_node;  // the shapes of the nodes of all forests, one after the other; -1 for tags
    std::vector<std::int64_t> rows{0};  // shape s is labels[rows[s]] …: that of the node, then those of its children
    std::vector<std::int32_t> labels;
};

// O(children).
PhraseShapes shapes_of(std::span<const PhraseForest> forests);

}  // namespace palmette

// The second coarse model, which also knows the sibling before: a forest of items and edges, tails before heads, of
// which only what is probable is kept. The lexicalised model then looks at nothing else.
#pragma once
#include "tools/constituency/lexicalized/pairs.hpp"

namespace palmette {

enum ItemKind : int8_t { kComplete, kGrowsLeft, kGrowsRight };

struct ForestItem {
    int32_t start, end;
    int32_t label, parent;  // parent: -1 for tags
    int32_t last;           // of a growing one, the child made last on its side, which is the head if `made` is 0
    ItemKind kind;
    int8_t made;
    int8_t level;           // how many chains of single children have been closed over the same words
    int32_t head_child;     // of a growing one
    int32_t pair, row;      // of a growing one: (label, parent), and where its probabilities are
    double in, out;
};

// a and b in the order of the words; b is -1 where there is one tail.
struct HeadedEdge {
    int32_t head, a, b;
    float weight;
};

struct Forest {
    std::vector<ForestItem> items;
    std::vector<HeadedEdge> edges;
    std::vector<int32_t> roots;
    double log_z = 0.0;  // without the words' own probabilities
};

// Fills a forest; false if nothing derives the root. memory: the bytes that all of it may take.
bool coarse_forest(const CoarseModel& model, int32_t n, std::span<const LexicalEmission> emissions, const SpanRules& rules, const CoarseOptions& options, size_t memory, Forest& made);

}  // namespace palmette

// Two cheap models of the same decisions, without words, that say which constituents are worth a closer look.
//
// The first knows of every child only its parent's label and its side. Its chart is a vector over labels per span, and
// extending constituents by a child is a product of vectors, since what a child adds to any parent is summed beforehand:
//
//     L(i, j)[X] = Σ_k h(i, k)[X] L(k, j)[X],   h(i, k)[X] = Σ_Y C(i, k)[Y] p(Y | X, left)      O(n³ |labels|)
//
// The second also knows the parent's parent and the sibling before; it visits only what the first leaves, and what it
// leaves in turn is a forest: items (a constituent, or one that is still growing) and edges, tails before heads.
#pragma once
#include <memory>

#include "lexicalized_model.hpp"

namespace palmette {

// A tag that a word may have.
struct Emission {
    int32_t position, tag;
    float tag_given_word;  // P(tag | word)
    double ratio;          // P(word | tag) / P(word)
};

enum ItemKind : int8_t { kComplete, kGrowsLeft, kGrowsRight };

struct ForestItem {
    int32_t start, end;
    int32_t label, parent;  // parent: -1 for tags
    int32_t last;           // of a growing one, the child made last on its side, which is the head if `made` is 0
    ItemKind kind;
    int8_t made;
    int8_t level;           // how many chains of single children have been closed over the same words
    int32_t head_child;     // of a growing one
    int32_t pair, row;      // of a growing one: (label, parent), and where its probabilities stand
    double in, out;
};

// a and b in the order of the words; b is -1 where there is one tail.
struct ForestEdge {
    int32_t head, a, b;
    float weight;
};

struct Forest {
    std::vector<ForestItem> items;
    std::vector<ForestEdge> edges;
    std::vector<int32_t> roots;
    size_t visited = 0;  // edges before pruning
    double log_z = 0.0;  // of the second model, words without their own probabilities
};

struct CoarseOptions {
    double first = 1e-5, pairs = 1e-5, second = 1e-4;  // the least posterior probability of an item that is kept
};

class CoarseModel {
public:
    explicit CoarseModel(const LexicalizedModel& model);
    // False if nothing derives the root.
    bool forest(int32_t n, std::span<const Emission> emissions, const CoarseOptions& options, Forest& made) const;

private:
    friend class FirstPass;
    friend class PairPass;
    friend class SecondPass;
    const LabelSet& labels_;
    std::vector<int32_t> phrases_, phrase_of_;      // label of each phrase; its number, or -1
    // First model, by phrase then label: head child, left and right children; and stops by phrase.
    std::vector<float> head_, side_[2], stop_[2];
    // Second model: pairs (label, parent) that occurred, and rows of probabilities of a growing one's next child.
    struct Pair {
        int32_t label, parent;
    };
    std::vector<Pair> pairs_;
    std::vector<std::vector<int32_t>> pairs_of_;    // of each label
    std::vector<float> pair_head_;                  // by pair, then label of the head child
    std::vector<float> pair_side_[2], pair_stop_[2];  // by pair, then label: children whatever stands before them
    std::vector<int32_t> rows_[2];                  // [side][(pair · labels + last) · 2 + made], -1: never
    std::vector<float> next_;                       // by row, then label; at the end the stop
};

}  // namespace palmette

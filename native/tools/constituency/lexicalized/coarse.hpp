// What the coarse passes of the lexicalised parser share: words with their tags, spans that are closed, and the
// probabilities of two models of the same decisions that know no words. See tools/constituency/lexicalized/first.hpp and its followers.
#pragma once
#include "base/budget.hpp"
#include "base/interrupt.hpp"
#include "tools/constituency/lexicalized/model.hpp"

namespace palmette {

// A tag that a word may have.
struct LexicalEmission {
    int32_t position, tag;
    float tag_given_word;  // P(tag | word)
    double ratio;          // P(word | tag) / P(word)
};

// The posterior probability that an item must have to be kept, by pass.
struct CoarseOptions {
    double first = 1e-4, pairs = 1e-4, second = 1e-4;
    double drop = 1e-4;  // the same for insides of the second model with outsides of the pass before
    double scale = 8.0;  // what a word counts is multiplied by, so that long sentences stay in the range of a double
};

inline constexpr int kUnaryLevels = 5;  // chains of single children are at most so long

inline size_t cell_of(int32_t i, int32_t j) { return static_cast<size_t>(j) * (j - 1) / 2 + i; }
inline size_t cells_of(int32_t n) { return static_cast<size_t>(n) * (n + 1) / 2; }

// What trees must look like; empty where anything goes.
struct SpanRules {
    std::vector<uint8_t> closed;    // by cell: nothing may be there
    std::vector<uint8_t> whole;     // by cell: a constituent must be there
    std::vector<uint8_t> forbidden; // by cell and label
    bool empty() const { return closed.empty(); }
};

struct CoarseModel {
    explicit CoarseModel(const LexicalizedModel& model);

    const LabelSet& labels;
    std::vector<int32_t> phrases, phrase_of;  // the label of each phrase; the phrase of each label, or -1
    // First model, by label then phrase: as head child, as left and right child; and stops by phrase.
    std::vector<float> head, side[2], stop[2];
    // Pairs (label, parent) that occurred. By pair, then label: head child, left and right children; stops by pair.
    struct Pair {
        int32_t label, parent;
    };
    std::vector<Pair> pairs;
    std::vector<std::vector<int32_t>> pairs_of;  // of each label
    std::vector<float> pair_head, pair_side[2], pair_stop[2];
    // Second model: rows of probabilities of a growing one's next child, by label; at the end the stop.
    std::vector<int32_t> rows[2];  // [side][(pair · labels + last) · 2 + made], -1: never
    std::vector<float> next;

    int32_t row(int32_t pair, int32_t last, int made, int side_) const { return rows[side_][(static_cast<size_t>(pair) * labels.size() + last) * 2 + made]; }
    float child(int32_t row_, int32_t label) const { return next[static_cast<size_t>(row_) * (labels.size() + 1) + label]; }
    bool below_nothing(int32_t pair) const { return pairs[pair].parent >= labels.size(); }
};

}  // namespace palmette

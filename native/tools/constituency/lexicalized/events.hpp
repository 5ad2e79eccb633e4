// What a lexicalised model decides, one step after the other, while it makes a tree from the root down:
//
//     for a constituent with label X, head tag t and head word w, below P, which is below G:
//         the head child's label M, or that it is a word of the tag t;
//         the labels of the children left of it, from the inside out, and a stop; then those right of it;
//         for every child but the head, the tag of its head word (unless the child is a tag) and the word itself
//
// Each step is a decision with an outcome and variables that it may depend on (Collins 1999; Charniak 2000).
#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

namespace palmette {

enum Decision : int { kHead, kLeft, kRight, kTag, kWord, kDecisions };

// The variables. Siblings: p1 is the last child made on this side (the head child at first), p2 the one before.
enum Variable : int {
    vX, vP, vG, vM, vP1, vP2, vP3, vT, vW, vY, vRelation, vTY, vOuter, vMade, vPT, vRole, kVariables
};
using Variables = std::array<int32_t, kVariables>;
inline constexpr int32_t kNever = -7;  // a value that no variable has in any tree

// Labels 0 .. n - 1 are phrases and tags; these follow.
struct LabelSet {
    std::vector<uint8_t> is_tag;
    int32_t root = 0;
    std::vector<int32_t> plain;  // the label that a refined one is written as
    std::vector<float> height;   // of labels over the same words, the higher stands above
    std::vector<uint8_t> joins;  // labels that coordinate or separate: 1 coordination, 2 comma or colon, 0 others
    int32_t size() const { return static_cast<int32_t>(is_tag.size()); }
    int32_t stop() const { return size(); }         // no further child
    int32_t preterminal() const { return size() + 1; }  // the head child is the head word's tag
    int32_t none() const { return size() + 2; }
};

// Trees one after the other, nodes in preorder; a tag has no children and a word.
struct FlatTrees {
    std::span<const int64_t> offsets;  // of the trees in the nodes
    std::span<const int32_t> label, children, head, word;  // head: the number of the head child
    size_t size() const { return offsets.size() - 1; }
};

// How a child stands to the head: the side, and what stands before it.
inline int32_t relation_of(const LabelSet& labels, bool right, int32_t p1) {
    const int join = p1 < labels.size() ? labels.joins[p1] : 0;
    return 2 * join + right;
}

// Calls visit(decision, variables, outcome, node) for every step of one tree, where node is the constituent's for the
// first three decisions and the child's for the others; the outcome of a word is its token's number in `word`.
template <class Visit>
class TreeWalk {
public:
    TreeWalk(const LabelSet& labels, const FlatTrees& trees, size_t tree, Visit& visit)
        : labels_(labels), trees_(trees), visit_(visit) {
        const auto n = static_cast<size_t>(trees.offsets[tree + 1] - trees.offsets[tree]);
        base_ = trees.offsets[tree];
        end_.resize(n);
        tag_.resize(n);
        word_.resize(n);
        for (size_t v = n; v-- > 0;) below(v);
        Variables x;
        x.fill(labels.none());
        x[vW] = -2;
        dependent(0, labels.none(), labels.none(), 0, x);
        std::vector<Frame> todo{{0, labels.none(), labels.none(), 0}};
        while (!todo.empty()) {
            const Frame f = todo.back();
            todo.pop_back();
            if (children(f.node) > 0) expand(f, todo);
        }
    }

private:
    struct Frame {
        size_t node;
        int32_t parent, grandparent, role;
    };
    int32_t label(size_t v) const { return trees_.label[base_ + v]; }
    int32_t children(size_t v) const { return trees_.children[base_ + v]; }

    // Preorder backwards: the children of v follow it, each after the end of the one before.
    void below(size_t v) {
        size_t next = v + 1;
        if (children(v) == 0) {
            tag_[v] = label(v);
            word_[v] = trees_.word[base_ + v];
        }
        for (int32_t i = 0; i < children(v); ++i) {
            if (next >= end_.size()) throw std::invalid_argument("a flat tree ends too early");
            if (i == trees_.head[base_ + v]) {
                tag_[v] = tag_[next];
                word_[v] = word_[next];
            }
            next = end_[next];
        }
        end_[v] = next;
    }

    void dependent(size_t child, int32_t x, int32_t m, int32_t relation, Variables v) {
        v[vY] = label(child);
        v[vX] = x;
        v[vM] = m;
        v[vRelation] = relation;
        if (!labels_.is_tag[label(child)]) visit_(kTag, v, tag_[child], base_ + child);
        v[vTY] = tag_[child];
        visit_(kWord, v, word_[child], base_ + child);
    }

    void expand(const Frame& f, std::vector<Frame>& todo) {
        kids_.clear();
        size_t next = f.node + 1;
        for (int32_t i = 0; i < children(f.node); ++i) {
            kids_.push_back(next);
            next = end_[next];
        }
        const auto head = static_cast<size_t>(trees_.head[base_ + f.node]);
        Variables v;
        v.fill(labels_.none());
        v[vX] = label(f.node);
        v[vP] = f.parent;
        v[vG] = f.grandparent;
        v[vRole] = f.role;
        v[vT] = tag_[f.node];
        v[vW] = word_[f.node];
        const int32_t m = label(kids_[head]);
        const int32_t shown = labels_.is_tag[m] ? labels_.preterminal() : m;
        visit_(kHead, v, shown, base_ + f.node);
        v[vM] = shown;
        for (const bool right : {false, true}) {
            v[vP1] = m;
            v[vP2] = v[vP3] = labels_.none();
            v[vMade] = 0;
            for (size_t i = head;;) {
                const bool last = right ? i + 1 == kids_.size() : i == 0;
                if (last) {
                    visit_(right ? kRight : kLeft, v, labels_.stop(), base_ + f.node);
                    break;
                }
                i = right ? i + 1 : i - 1;
                const size_t child = kids_[i];
                visit_(right ? kRight : kLeft, v, label(child), base_ + f.node);
                dependent(child, v[vX], shown, relation_of(labels_, right, v[vP1]), v);
                v[vP3] = v[vP2];
                v[vP2] = v[vP1];
                v[vP1] = label(child);
                v[vMade] = 1;
            }
            v[vOuter] = v[vMade] ? v[vP1] : labels_.none();
        }
        for (size_t i = 0; i < kids_.size(); ++i)
            todo.push_back({kids_[i], label(f.node), f.parent, i == head ? 0 : i < head ? 1 : 2});
    }

    const LabelSet& labels_;
    const FlatTrees& trees_;
    Visit& visit_;
    int64_t base_ = 0;
    std::vector<size_t> end_, kids_;
    std::vector<int32_t> tag_, word_;
};

}  // namespace palmette

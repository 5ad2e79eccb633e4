// What a lexicalised model decides, one step after the other, while it makes a tree from the root down:
//
//     for a constituent with label X, head tag t and head word w, below P, which is below G:
//         the head child's label M, or that it is a word of the tag t;
//         the labels of the children left of it, from the inside out, and a stop; then those right of it;
//         for every child but the head, the tag of its head word (unless the child is a tag) and the word itself
//
// Each step is a decision with an outcome and variables that it may depend on (Collins 1999; Charniak 2000).
//
// With two heads (CSC 448, §10.9) a constituent also has a semantic head word, which a function word takes from a child:
// *has* from the VP of *barked*, *with* from its NP. If a child gives its head word away, that word is not decided there,
// but where the highest constituent with this semantic head becomes a child: given both heads of its parent. So every word
// is decided once, and the subject of *has barked* may depend on *barked*.
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

namespace palmette {

enum Decision : int { kHead, kLeft, kRight, kTag, kWord, kSemantic, kDecisions };

// The variables. Siblings: p1 is the last child made on this side (the head child at first), p2 the one before.
// s is the parent's semantic head word; own, for a semantic head, the syntactic head word of the same constituent.
enum Variable : int {
    vX, vP, vG, vM, vP1, vP2, vP3, vT, vW, vY, vRelation, vTY, vOuter, vMade, vPT, vRole, vS, vOwn, kVariables
};
using Variables = std::array<int32_t, kVariables>;
inline constexpr int32_t kNever = -7;  // a value that no variable has in any tree
inline constexpr int32_t kNoWord = -2;  // of the variables that are words

// Variables of which nothing is known.
inline Variables no_variables(int32_t none) {
    Variables v;
    v.fill(none);
    v[vW] = v[vS] = v[vOwn] = kNoWord;
    return v;
}

// Labels 0 .. n - 1 are phrases and tags; these follow.
struct LabelSet {
    std::vector<uint8_t> is_tag;
    int32_t root = 0;
    std::vector<int32_t> plain;  // the label that a refined one is written as
    std::vector<float> height;   // of labels over the same words, the higher is above
    std::vector<uint8_t> joins;  // labels that coordinate or separate: 1 coordination, 2 comma or colon, 0 others
    std::vector<uint64_t> given;  // sorted `giving` of plain labels: which children give their semantic head away
    int32_t size() const { return static_cast<int32_t>(is_tag.size()); }
    static uint64_t giving(int32_t label, int32_t head_child, int32_t child, bool right) {
        return (static_cast<uint64_t>(label) << 32 | static_cast<uint64_t>(head_child) << 16 | static_cast<uint64_t>(child)) << 1 | right;
    }
    // Whether a child beside the head child gives its semantic head to the constituent.
    bool gives(int32_t label, int32_t head_child, int32_t child, bool right) const {
        return !given.empty() && std::binary_search(given.begin(), given.end(), giving(plain[label], plain[head_child], plain[child], right));
    }
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

// The relation of a child to the head: the side, and what comes before it.
inline int32_t relation_of(const LabelSet& labels, bool right, int32_t p1) {
    const int join = p1 < labels.size() ? labels.joins[p1] : 0;
    return 2 * join + right;
}

// Calls visit(decision, variables, outcome, node) for every step of one tree, where node is the constituent's for the
// first three decisions and the child's for the others; the outcome of a word is its token's number in `word`. So are vW, vS, vOwn.
template <class Visit>
class TreeWalk {
public:
    TreeWalk(const LabelSet& labels, const FlatTrees& trees, size_t tree, Visit& visit)
        : labels_(labels), trees_(trees), visit_(visit) {
        const auto n = static_cast<size_t>(trees.offsets[tree + 1] - trees.offsets[tree]);
        base_ = trees.offsets[tree];
        end_.resize(n);
        head_.resize(n);
        semantic_.resize(n);
        for (size_t v = n; v-- > 0;) below(v);
        dependent(0, labels.none(), labels.none(), 0, no_variables(labels.none()), false);
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
    int32_t word(size_t v) const { return trees_.word[base_ + v]; }

    // Preorder backwards: the children of v follow it, each after the end of the one before.
    void below(size_t v) {
        size_t next = v + 1;
        if (children(v) == 0) head_[v] = semantic_[v] = v;
        kids_.clear();
        for (int32_t i = 0; i < children(v); ++i) {
            if (next >= end_.size()) throw std::invalid_argument("a flat tree ends too early");
            kids_.push_back(next);
            next = end_[next];
        }
        end_[v] = next;
        if (kids_.empty()) return;
        const auto head = static_cast<size_t>(trees_.head[base_ + v]);
        const size_t m = kids_[head];
        head_[v] = head_[m];
        semantic_[v] = semantic_[m];
        for (size_t i = head; i-- > 0;) give(v, m, kids_[i], false);
        for (size_t i = head + 1; i < kids_.size(); ++i) give(v, m, kids_[i], true);
    }

    void give(size_t v, size_t head_child, size_t child, bool right) {
        if (semantic_[v] == head_[v] && labels_.gives(label(v), label(head_child), label(child), right)) semantic_[v] = semantic_[child];
    }

    void dependent(size_t child, int32_t x, int32_t m, int32_t relation, Variables v, bool gives) {
        const size_t head = head_[child], semantic = semantic_[child];
        v[vY] = label(child);
        v[vX] = x;
        v[vM] = m;
        v[vRelation] = relation;
        if (!labels_.is_tag[label(child)]) visit_(kTag, v, label(head), base_ + child);
        v[vTY] = label(head);
        if (!gives || semantic != head) visit_(kWord, v, word(head), base_ + child);
        if (gives || semantic == head) return;
        v[vOwn] = word(head);
        v[vTY] = label(semantic);
        visit_(kSemantic, v, word(semantic), base_ + child);
    }

    void expand(const Frame& f, std::vector<Frame>& todo) {
        kids_.clear();
        size_t next = f.node + 1;
        for (int32_t i = 0; i < children(f.node); ++i) {
            kids_.push_back(next);
            next = end_[next];
        }
        const auto head = static_cast<size_t>(trees_.head[base_ + f.node]);
        Variables v = no_variables(labels_.none());
        v[vX] = label(f.node);
        v[vP] = f.parent;
        v[vG] = f.grandparent;
        v[vRole] = f.role;
        v[vT] = label(head_[f.node]);
        v[vW] = word(head_[f.node]);
        size_t semantic = semantic_[kids_[head]];
        v[vS] = word(semantic);
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
                const bool gives = semantic == head_[f.node] && labels_.gives(label(f.node), m, label(child), right);
                dependent(child, v[vX], shown, relation_of(labels_, right, v[vP1]), v, gives);
                if (gives) v[vS] = word(semantic = semantic_[child]);
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
    std::vector<size_t> end_, kids_, head_, semantic_;  // heads: the nodes of their tags
};

}  // namespace palmette

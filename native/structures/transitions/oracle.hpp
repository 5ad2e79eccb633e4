// Which transitions lead to a known tree.
//
// Static oracles give one sequence for a tree. Dynamic ones (Goldberg and Nivre 2013) say of any configuration how many arcs of
// the tree each transition puts out of reach; what is lost already does not count. For projective trees their costs are exact
// in arc-hybrid; and in arc-eager but for what its rules for a single root take at the end of a sentence. In a partly known tree
// (-1: any head) only the known arcs count.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "structures/transitions/system.hpp"

namespace palmette {

// The tree of a sentence: heads and labels by word, and the children of every word.
struct GoldTree {
    std::vector<std::int32_t> heads, labels;  // [n + 1]; those of the root are -1
    std::vector<std::int32_t> rows, children;
    std::vector<std::int32_t> order, component;  // for the oracle of swap

    void set(std::span<const std::int32_t> word_heads, std::span<const std::int32_t> word_labels);
    std::span<const std::int32_t> below(std::int32_t word) const {
        return {children.data() + rows[word], children.data() + rows[word + 1]};
    }
    std::int32_t n() const { return static_cast<std::int32_t>(heads.size()) - 1; }
};

// Is every word below the root, and exactly one directly?
bool is_tree(std::span<const std::int32_t> heads);
// Lifts arcs, the shortest of those that cross others first, until the tree is projective (Nivre and Nilsson 2005). Heads of the words of
// a tree.
void projectivise(std::span<std::int32_t> heads);
bool is_projective(std::span<const std::int32_t> heads);

// The kinds of the transitions that make the tree, and whether they do. O(n), with swaps O(n²).
bool oracle(System system, GoldTree& gold, std::vector<Kind>& kinds);

// costs[k] for the kinds of `legal`.
template <class S>
void transition_costs(const Configuration& c, const GoldTree& gold, KindSet legal, std::array<std::int32_t, kKinds>& costs) {
    costs.fill(0);
    const std::int32_t top = c.top(0), next = c.next(0), front = c.front;
    // Children that are still in the buffer; children on the stack that still lack a head.
    const auto to_come = [&](std::int32_t word) {
        std::int32_t count = 0;
        for (const std::int32_t child : gold.below(word)) count += child >= front;
        return count;
    };
    const auto waiting = [&](std::int32_t word) {
        std::int32_t count = 0;
        for (const std::int32_t child : gold.below(word)) count += child < front && c.words[child].head < 0;
        return count;
    };
    // Only a word below which nothing lies on the stack can become the root's.
    const bool bottom = c.stack.size() == 1;
    const std::int32_t head = top > 0 ? gold.heads[top] : kNone;
    if (legal & bit(kShift)) {
        const std::int32_t wanted = gold.heads[next];
        std::int32_t cost = waiting(next);
        if (wanted > 0 && c.words[wanted].stacked) cost += std::is_same_v<S, ArcEager> || wanted != top;
        if (wanted == 0 && !c.stack.empty()) ++cost;
        costs[kShift] = cost;
    }
    if (legal & bit(kLeft)) {
        // n0 → s0: no other head, and no children to come.
        std::int32_t cost = to_come(top);
        cost += head > 0 ? (head >= front && head != next) : (head == 0 && bottom && next != 0);
        if constexpr (std::is_same_v<S, ArcHybrid>) cost += head > 0 && head == c.top(1);
        costs[kLeft] = cost;
    }
    if (legal & bit(kRight)) {
        if constexpr (std::is_same_v<S, ArcHybrid>) {
            costs[kRight] = to_come(top) + (head >= front);
        } else {
            const std::int32_t wanted = gold.heads[next];
            std::int32_t cost = waiting(next);
            cost += wanted == 0 || wanted > next || (wanted > 0 && wanted != top && c.words[wanted].stacked);
            costs[kRight] = cost;
        }
    }
    if (legal & bit(kThird)) costs[kThird] = to_come(top);
}

}  // namespace palmette

#include "structures/arborescence/dependency_tree.hpp"

#include <algorithm>
#include <functional>
#include <queue>
#include <set>
#include <tuple>

#include "structures/arborescence/dependency_forest.hpp"

namespace palmette::dependency {

namespace {

// Whether every arc's head dominates all words between: the preorder numbers between the two lie in the head's interval.
bool mark_crossed(std::span<const std::int32_t> heads, const Forest& forest, std::uint8_t* crossed) {
    const auto n = static_cast<std::int32_t>(heads.size());
    std::vector<std::int32_t> mirrored(forest.n_nodes);
    for (std::int32_t v = 0; v < forest.n_nodes; ++v) mirrored[v] = -forest.place[v];
    const RangeMin lowest(forest.place), highest(std::move(mirrored));
    bool projective = true;
    for (std::int32_t m = 1; m <= n; ++m) {
        const std::int32_t h = heads[m - 1];
        crossed[m - 1] = 0;
        if (h < 0 || h > n) continue;
        const std::int32_t first = std::min(h, m) + 1, last = std::max(h, m) - 1;
        if (first > last) continue;
        if (lowest(first, last) < forest.first_of(h) || -highest(first, last) >= forest.end_of(h)) {
            crossed[m - 1] = 1;
            projective = false;
        }
    }
    return projective;
}

// A block of the projection of v begins at k if v dominates k and not k - 1. So k begins one for all nodes from k up to
// below the lowest common ancestor of k - 1 and k: add 1 at k, take 1 away at the ancestor, and sum over subtrees.
std::int32_t gap_degree_of(const Forest& forest) {
    const std::int32_t n = forest.n_nodes - 2;
    std::vector<std::int32_t> parents(forest.n_nodes);  // in preorder, as preorder numbers
    for (std::int32_t i = 1; i < forest.n_nodes; ++i) parents[i] = forest.place[forest.parent[forest.order[i]]];
    const RangeMin highest_parent(parents);
    std::vector<std::int32_t> blocks(forest.n_nodes, 0);  // in preorder
    ++blocks[forest.place[0]];
    for (std::int32_t k = 1; k <= n; ++k) {
        ++blocks[forest.place[k]];
        const auto [first, last] = std::minmax(forest.place[k - 1], forest.place[k]);
        --blocks[std::min(first, highest_parent(first + 1, last))];
    }
    std::int32_t most = 1;
    for (std::int32_t i = forest.n_nodes - 1; i > 0; --i) {
        blocks[parents[i]] += blocks[i];
        if (forest.stand_in[forest.order[i]] == forest.order[i]) most = std::max(most, blocks[i]);
    }
    return most - 1;
}

// Sets of words do not interleave if none has two members on different sides of two members of another. It is enough
// to look at siblings. The largest set of siblings keeps its tree of words and the others are added: a word moves
// O(log n) times. A small set is not interleaved with the largest if all its words follow the same one of that, where
// the last precedes the first; the small ones are compared with each other by a stack.
bool is_well_nested(const Forest& forest) {
    using Words = std::set<std::int32_t>;
    std::vector<Words> words(forest.n_nodes);
    std::vector<std::vector<std::int32_t>> children(forest.n_nodes);
    for (std::int32_t i = 1; i < forest.n_nodes; ++i) children[forest.parent[forest.order[i]]].push_back(forest.order[i]);
    std::vector<std::pair<std::int32_t, std::int32_t>> members;  // word, child
    std::vector<std::int32_t> stack, left(forest.n_nodes);
    for (std::int32_t i = forest.n_nodes; i-- > 0;) {
        const std::int32_t p = forest.order[i];
        const auto larger = [&](std::int32_t a, std::int32_t b) { return words[a].size() < words[b].size(); };
        const auto heavy = std::max_element(children[p].begin(), children[p].end(), larger);
        Words all;
        if (heavy != children[p].end()) all = std::move(words[*heavy]);
        members.clear();
        for (const std::int32_t c : children[p]) {
            if (c == *heavy) continue;
            bool begun = false;
            std::int32_t before = 0;
            for (const std::int32_t word : words[c]) {
                const auto next = all.lower_bound(word);
                const std::int32_t last = next == all.begin() ? *all.rbegin() : *std::prev(next);
                if (begun && last != before) return false;
                before = last;
                begun = true;
                members.emplace_back(word, c);
            }
            left[c] = static_cast<std::int32_t>(words[c].size());
        }
        std::sort(members.begin(), members.end());
        stack.clear();
        for (const auto& [word, c] : members) {
            // A set that has begun and is not on top is shut in by one that has begun later and not ended.
            if (stack.empty() || stack.back() != c) {
                if (left[c] != static_cast<std::int32_t>(words[c].size())) return false;
                stack.push_back(c);
            }
            if (!--left[c]) stack.pop_back();
        }
        for (const auto& [word, c] : members) all.insert(word);
        if (p != forest.above()) all.insert(p);
        words[p] = std::move(all);
        for (const std::int32_t c : children[p]) words[c].clear();
    }
    return true;
}

std::int32_t depth_of(const Forest& forest) {
    std::vector<std::int32_t> depth(forest.n_nodes, 0);
    std::int32_t most = 0;
    for (std::int32_t i = 2; i < forest.n_nodes; ++i) {  // after the node above everything and the root
        const std::int32_t v = forest.order[i];
        depth[v] = depth[forest.parent[v]] + 1;
        most = std::max(most, depth[v]);
    }
    return most;
}

}  // namespace

Shape shape_of(std::span<const std::int32_t> heads, std::uint8_t* crossed) {
    const Forest forest(heads);
    Shape shape;
    if (forest.headless == 0) shape.flags |= kHeaded;
    if (std::count(heads.begin(), heads.end(), 0) == 1) shape.flags |= kSingleRooted;
    if (forest.acyclic) shape.flags |= kAcyclic;
    if (forest.is_tree()) {
        shape.flags |= kConnected;
        shape.depth = depth_of(forest);
    }
    const bool projective = mark_crossed(heads, forest, crossed);
    if (projective) shape.flags |= kProjective;
    // In a tree, no gap and no arc that is not projective are the same.
    const bool plain = projective && forest.is_tree();
    if (!plain) shape.gap_degree = gap_degree_of(forest);
    // Sets without gaps cannot interleave.
    if (shape.gap_degree == 0 || is_well_nested(forest)) shape.flags |= kWellNested;
    return shape;
}

bool projectivise(std::span<std::int32_t> heads, std::int32_t* lifts) {
    std::fill_n(lifts, heads.size(), 0);
    Forest forest(heads);
    if (!forest.is_tree()) return false;
    const auto n = static_cast<std::int32_t>(heads.size());
    auto& [n_nodes, parent, stand_in, order, place, size, acyclic, headless] = forest;
    const auto is_crossed = [&](std::int32_t m) {
        const std::int32_t h = heads[m - 1], first = place[h], end = first + size[h];
        for (std::int32_t k = std::min(h, m) + 1; k < std::max(h, m); ++k)
            if (place[k] < first || place[k] >= end) return true;
        return false;
    };
    std::vector<std::uint8_t> crossed(n);
    if (mark_crossed(heads, forest, crossed.data())) return true;

    struct Arc {
        std::int32_t length, left, word, head;
        bool operator>(const Arc& other) const {
            return std::tie(length, left, word) > std::tie(other.length, other.left, other.word);
        }
    };
    std::priority_queue<Arc, std::vector<Arc>, std::greater<>> waiting;
    const auto wait = [&](std::int32_t m) {
        const std::int32_t h = heads[m - 1];
        waiting.push({std::abs(h - m), std::min(h, m), m, h});
    };
    std::vector<std::vector<std::int32_t>> children(n + 1);
    for (std::int32_t m = 1; m <= n; ++m) {
        children[heads[m - 1]].push_back(m);
        if (crossed[m - 1]) wait(m);
    }
    while (!waiting.empty()) {
        const Arc arc = waiting.top();
        waiting.pop();
        const std::int32_t m = arc.word, h = arc.head, g = heads[h - 1];
        // The subtree of m moves in preorder behind what stays below h.
        const auto begin = order.begin() + place[m];
        std::rotate(begin, begin + size[m], order.begin() + place[h] + size[h]);
        for (std::int32_t i = place[m], end = place[h] + size[h]; i < end; ++i) place[order[i]] = i;
        size[h] -= size[m];
        heads[m - 1] = g;
        ++lifts[m - 1];
        std::erase(children[h], m);
        children[g].push_back(m);
        crossed[m - 1] = is_crossed(m);
        if (crossed[m - 1]) wait(m);
        // Only h dominates less than before.
        for (const std::int32_t c : children[h])
            if (!crossed[c - 1] && is_crossed(c)) {
                crossed[c - 1] = 1;
                wait(c);
            }
    }
    return true;
}

}  // namespace palmette::dependency

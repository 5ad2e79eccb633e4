// Projective trees over an ArcGraph, scored by grand-sibling parts: Model 1 of Koo and Collins (2010). With one slot per
// arc it is the sibling model of Eisner (1996) and McDonald and Pereira (2006); with constant scores, Eisner's first order.
//
// Beside its parts a tree has ends: `last[a]`, m is the outermost modifier of h on its side, and `none[2 h + side]`, h has
// no modifier there (side 0: left). The items, all of them half of a head's span:
//
//     closed(b, e)     arc b enters h, whose modifiers on one side reach to e
//     open(a, g)       arc a = h → m is the outermost so far, and g the slot of the arc that enters h
//     between(a, j)    what lies between m and its sibling of column j (column 0: between m and h)
//
// With k arcs kept per word the cost is O(k n²) for closed and O(parts · span) for between: no bottleneck.
#pragma once
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "structures/arcs/graph.hpp"

namespace palmette {

template <class Real>
struct TreeScores {
    const ArcGraph* graph = nullptr;
    const Real* parts = nullptr;  // [graph.parts()]
    const Real* last = nullptr;   // [arcs]
    const Real* none = nullptr;   // [2 (n + 1)]
};

// What a pass leaves for the next one.
template <class V>
struct TreeSpace {
    std::vector<V> right, left;     // closed(b, e) at [b][e], rows of n + 2; the root is row `arcs`
    std::vector<V> open, between;   // by graph.row_at, graph.column_at
    std::vector<double> flow_right, flow_left, flow_open, flow_between;
    std::vector<std::int32_t> by_width;
    std::vector<V> factors, ends;   // scores as the sums want them
};

// The best tree and its score; minus infinity if there is none.
double best_tree(const TreeScores<float>& scores, TreeSpace<float>& space, std::int32_t* heads);

// log Z and the probability of every part and end; minus infinity if there is no tree.
double tree_marginals(const TreeScores<double>& scores, TreeSpace<double>& space, float* parts, float* last, float* none);

// visit(arc, row, column) for the part of every word of a tree; false if some arc of it is not in the graph.
template <class Visit>
bool visit_parts(const ArcGraph& graph, const std::int32_t* heads, Visit&& visit) {
    for (std::size_t m = 1; m <= graph.n; ++m) {
        const std::int32_t h = heads[m - 1];
        const std::int64_t a = graph.find(h, static_cast<std::int32_t>(m));
        if (a < 0) return false;
        std::size_t g = 0;
        if (h && graph.grandparents) {
            const std::int64_t b = graph.find(heads[h - 1], h);
            if (b < 0) return false;
            g = graph.slot(static_cast<std::size_t>(b));
        }
        std::size_t column = 0;
        for (std::size_t j = 1; j < graph.columns(static_cast<std::size_t>(a)); ++j)
            if (heads[graph.mod[graph.sibling(static_cast<std::size_t>(a), j)] - 1] == h) {
                column = j;
                break;
            }
        visit(static_cast<std::size_t>(a), g, column);
    }
    return true;
}

// visit_last(a) for every outermost modifier, visit_none(2 h + side) for every side without modifiers.
template <class Last, class None>
void visit_ends(const ArcGraph& graph, const std::int32_t* heads, Last&& visit_last, None&& visit_none) {
    for (std::size_t h = 0; h <= graph.n; ++h) {
        std::int64_t leftmost = -1, rightmost = -1;
        for (std::int32_t k = graph.out_at[h]; k < graph.out_at[h + 1]; ++k) {
            const std::int32_t a = graph.out[k], m = graph.mod[a];
            if (heads[m - 1] != static_cast<std::int32_t>(h)) continue;
            if (m < static_cast<std::int32_t>(h)) {
                if (leftmost < 0) leftmost = a;
            } else {
                rightmost = a;
            }
        }
        if (leftmost >= 0) visit_last(static_cast<std::size_t>(leftmost));
        else if (h) visit_none(2 * h);
        if (rightmost >= 0) visit_last(static_cast<std::size_t>(rightmost));
        else visit_none(2 * h + 1);
    }
}

}  // namespace palmette

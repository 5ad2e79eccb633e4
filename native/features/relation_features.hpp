// What the label of an arc can be told by once the tree is known: the arc itself, its grandparent and siblings, the
// modifiers of both its ends. Attributes are rows of a hashed table, for an order-0 chain over the words.
#pragma once
#include <cstdint>
#include <vector>

#include "features/token_views.hpp"
#include "features/arc_features.hpp"

namespace palmette {

struct LabelAttributes {
    std::vector<std::int64_t> rows{0};
    std::vector<std::int32_t> attributes;
};

// For all tokens; `heads` are trees.
LabelAttributes label_attributes(const TokenViews& views, const std::int32_t* heads, unsigned bits, int n_jobs);

// visit(template, key) for the label of word m of the sentence that `f` is set to; names in label_template_names().
struct TreeContext {
    std::vector<std::vector<std::int32_t>> children;  // by token from the root on, in rising order
    void set(const std::int32_t* heads, std::size_t n);
};

template <class Visit>
void label_context(const ArcFeatures& f, const TreeContext& tree, const std::int32_t* heads, std::size_t m, Visit&& visit) {
    const std::size_t h = static_cast<std::size_t>(heads[m - 1]), g = h ? static_cast<std::size_t>(heads[h - 1]) : 0;
    const bool right = h < m;
    f.label(h, m, visit);
    std::size_t number = ArcFeatures::kLabelNames;
    const std::uint64_t *H = f.at(h), *M = f.at(m), *G = f.at(g);
    const std::uint64_t turn = right ? kOdd2 : 0;
    const auto feature = [&](std::uint64_t a, std::uint64_t b, std::uint64_t c = 1) {
        if (a && b && c) visit(number, join(join(template_seed(8, number) ^ turn, a, b), c));
        ++number;
    };
    feature(G[cP], H[cP], M[cP]);
    feature(G[cL], M[cP]);
    feature(G[cU], H[cU], M[cL]);
    feature(G[cU] + (g < h), H[cL], M[cU]);
    // The neighbours among the modifiers of h, on both sides of m.
    const auto& siblings = tree.children[h];
    const auto here = std::find(siblings.begin(), siblings.end(), static_cast<std::int32_t>(m));
    const std::uint64_t* none = f.none();
    const std::uint64_t* before = here == siblings.begin() ? none : f.at(static_cast<std::size_t>(here[-1]));
    const std::uint64_t* after = here + 1 == siblings.end() ? none : f.at(static_cast<std::size_t>(here[1]));
    feature(before[cP], M[cP], H[cP]);
    feature(after[cP], M[cP], H[cP]);
    feature(before[cL], M[cP]);
    feature(after[cL], M[cP]);
    feature(before[cU], M[cL], H[cU]);
    feature(before[cU], after[cU], combine(M[cU], H[cU]));
    feature(before[cL], M[cL]);
    feature(before[cL], M[cU], H[cL]);
    // How many modifiers h has on each side of itself, and m.
    std::size_t left = 0, own_left = 0;
    for (const std::int32_t c : siblings) left += static_cast<std::size_t>(c) < h;
    for (const std::int32_t c : tree.children[m]) own_left += static_cast<std::size_t>(c) < m;
    const auto few = [](std::size_t count) { return std::min<std::size_t>(count, 3) + 1; };
    const std::uint64_t shape = few(left) * 4 + few(siblings.size() - left), own = few(own_left) * 4 + few(tree.children[m].size() - own_left);
    feature(shape, M[cP], H[cP]);
    feature(own, M[cP], H[cP]);
    feature(own, M[cL]);
    feature(shape, own, combine(M[cU], H[cU]));
    // The first and last modifier of m, then all of them, then the other modifiers of h: each as one of a set.
    const std::uint64_t* first = tree.children[m].empty() ? none : f.at(static_cast<std::size_t>(tree.children[m].front()));
    const std::uint64_t* last = tree.children[m].empty() ? none : f.at(static_cast<std::size_t>(tree.children[m].back()));
    feature(first[cP], M[cP], last[cP]);
    feature(first[cL], M[cP], H[cP]);
    feature(last[cL], M[cP], H[cP]);
    feature(first[cL], M[cP], H[cL]);
    const std::size_t set = number;
    for (const std::int32_t c : tree.children[m]) {
        number = set;
        const std::uint64_t* C = f.at(static_cast<std::size_t>(c));
        const std::uint64_t side = static_cast<std::size_t>(c) < m;
        feature(C[cL] + side, M[cP]);
        feature(C[cP] + side, M[cP], H[cP]);
        feature(C[cL] + side, M[cU], H[cL]);
        feature(C[cU] + side, M[cL], H[cU]);
    }
    for (const std::int32_t c : siblings) {
        if (static_cast<std::size_t>(c) == m) continue;
        number = set + 4;
        const std::uint64_t* C = f.at(static_cast<std::size_t>(c));
        const std::uint64_t side = static_cast<std::size_t>(c) < h ? 1 : static_cast<std::size_t>(c) < m ? 2 : 3;
        feature(C[cL] + side, M[cP]);
        feature(C[cP] + side, M[cP], H[cP]);
        feature(C[cU] + side, M[cL], H[cL]);
    }
}

}  // namespace palmette

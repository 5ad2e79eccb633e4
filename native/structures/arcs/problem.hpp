// Dependency trees as a learning problem: labelled arcs, siblings and grandparents over a pruned graph of arcs.
//
// The weights are two tables: 2^bits single ones for what the trees look like, then 2^label_bits rows of `stride` labels
// (labels rounded up to a multiple of 8, pads zero). A feature's place is the first bits of its key.
//
// An example's parts, in this order, with A arcs in its graph:
//     labels        [A][S]           the arc has this label
//     arcs          [A]
//     grandparents  [graph.row_at]   the arc, and which arc enters its head
//     siblings      [graph.column_at]
//     both          [graph.parts()]
//     last          [A]              the modifier is the outermost on its side
//     none          [2 (n + 1)]      a word has no modifier on a side
// With one label there is nothing to tell apart, and the second table is not looked at. A label is seen by the arc alone, so the best label, or the sum over labels, is found before the tree.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/weight_table.hpp"
#include "features/token_views.hpp"
#include "learning/hashed_pullback.hpp"
#include "learning/problem.hpp"
#include "structures/arcs/graph.hpp"
#include "features/arc_features.hpp"
#include "structures/arcs/grand_siblings.hpp"

namespace palmette {

struct ArcData {
    TokenViews views;
    const std::int64_t* rows = nullptr;       // the heads that token t may have: candidates[rows[t]] …, in rising order
    const std::int32_t* candidates = nullptr;
    const std::int32_t* heads = nullptr;      // -1: not known
    const std::int32_t* labels = nullptr;     // -1: not known
    std::size_t n_labels = 1;
    unsigned bits = 22, label_bits = 16;
    bool siblings = true, grandparents = true;
    bool projective = true;                   // else, but in first order, the best projective tree is improved by moving words
    bool single_root = true;
    const std::uint8_t* root_labels = nullptr;  // by label: 1 for those of arcs from the root, and only of them; null: any label fits
};

// What a feature looks at: tokens from the root on; 0 also where there is none.
enum class FeatureFamily : std::int32_t { label, arc, grand, sibling, both, last_left, last_right };
struct FeatureUse {
    FeatureFamily family;
    std::size_t g, h, m, s;
};

struct LabelledTree {
    std::vector<std::int32_t> heads, labels;
    bool operator==(const LabelledTree&) const = default;
};

class ArcProblem {
public:
    using Output = LabelledTree;

    struct State {
        std::size_t example = 0;
        // w·Φ by kind of part
        std::vector<float> label, arc, grand, sibling, both, last, none;
        // What the trees see: labels maximised or summed out, and everything added up.
        std::vector<float> choice, parts;
        std::vector<double> sums;  // the same as `parts`, with last and none behind them
        std::vector<std::int32_t> chosen;
        TreeSpace<float> max_space;
        TreeSpace<double> sum_space;
        std::vector<std::uint8_t> allowed;  // [A][S]; empty: everything
        std::vector<float> dense;           // [n + 1][n + 1]: scores or marginals of arcs
        std::vector<double> dense_sums, dense_marginals;
    };

    explicit ArcProblem(const ArcData& data);

    std::size_t size() const { return d_.views.n_sentences; }
    std::size_t n_weights() const { return (std::size_t{1} << d_.bits) + (std::size_t{1} << d_.label_bits) * S_; }
    std::size_t n_shared() const { return 0; }
    // Where trees may cross and parts are larger than arcs, there are no sums over trees.
    Offers offers() const { return d_.projective || spanning() ? offers_of_sums() : offers_of_search(); }
    std::size_t n_parts(std::size_t i) const { return sizes_.empty() ? layout(prepared(i).graph).end : sizes_[i]; }
    std::size_t n_tokens(std::size_t i) const { return d_.views.length(i); }
    std::size_t labels() const { return L_; }
    std::size_t stride() const { return S_; }
    const ArcData& data() const { return d_; }
    float weight(std::size_t) const { return 1.0f; }

    template <class Visit>
    void rows(std::size_t i, Visit&& visit) const {
        const Prepared& p = prepared(i);
        walk(p, [&](std::size_t, std::size_t at, std::size_t size) { visit(at, size); });
    }

    void observed(std::uint8_t* mask) const;
    void keep_to(const std::uint8_t* free) { free_ = free; }
    void prepare(State&, const float*, float, bool) const {}
    void score(State& s, std::size_t i, WeightTable w, float scale) const;
    void set_scores(State& s, std::size_t i, const float* parts) const;
    void part_scores(std::size_t i, const float* w, float* parts) const;

    double best(State& s, float cost, Output& y) const;
    void kbest(State& s, std::size_t k, float cost, std::vector<Output>& ys, std::vector<double>& scores) const;
    double gold(State& s, Output& y) const;
    double loss(std::size_t i, const Output& y) const;
    double part_costs(std::size_t i, float* parts) const;

    template <class Visit>
    void difference(std::size_t i, const Output& gold, const Output& guess, Visit&& take) const;
    // The same, with what each feature is: emit(use, template, place of its weight, label or -1, sign).
    template <class Emit>
    void compare(std::size_t i, const Output& gold, const Output& guess, Emit&& emit) const;

    double marginals(State& s, float* parts) const;
    double gold_marginals(State& s, float* parts) const;
    double risk(State& s, float* parts) const;
    void pullback(std::size_t i, const float* parts, float step, float* g) const;
    void pullback_block(std::size_t begin, std::size_t end, const float* parts, int n_jobs, float* g) const;
    // The same as a list of changes, which threads can make side by side.
    void list_changes(std::size_t i, const float* parts, float step, WeightChanges& changes) const;
    const std::uint8_t* free() const { return free_; }

    // The best tree with some heads known (-1: not known, -2 − h: anything but h); minus infinity if there is none.
    double best_with(State& s, const std::int32_t* heads, Output& y) const;
    // The tree with the most expected right arcs, and how many these are; `labelled`: right with their labels.
    double minimum_risk(State& s, bool labelled, Output& y) const;
    // The probability of each candidate head: [candidates of the sentence]. Returns log Z.
    double arc_marginals(State& s, float* arcs, float* labels) const;

    // Features and graph of one example; kept for the thread until it asks for another.
    struct Prepared {
        const ArcProblem* owner = nullptr;
        std::uint64_t serial = 0;
        std::size_t example = 0;
        ArcFeatures features;
        ArcGraph graph;
    };
    const Prepared& prepared(std::size_t i) const;

    std::size_t place(std::uint64_t key) const { return key >> (64 - d_.bits); }
    std::size_t row(std::uint64_t key) const { return rows_at() + (key >> (64 - d_.label_bits)) * S_; }
    std::size_t rows_at() const { return std::size_t{1} << d_.bits; }

private:
    // Where each kind of part begins in an array of parts.
    struct Layout {
        std::size_t label, arc, grand, sibling, both, last, none, end;
    };
    Layout layout(const ArcGraph& g) const;

    // visit(part, first weight, how many) for every feature of every part.
    template <class Visit>
    void walk(const Prepared& p, Visit&& visit, const float* only = nullptr) const;

    void assemble(State& s, const Prepared& p, float cost) const;
    void assemble_sums(State& s, const Prepared& p, double cost) const;
    // In first order non-projective trees are spanning trees: the best one and all sums are exact.
    bool spanning() const { return !d_.projective && !d_.siblings && !d_.grandparents; }
    double best_of_arcs(State& s, const ArcGraph& g, std::int32_t* heads) const;
    void climb(State& s, const Prepared& p, std::vector<std::int32_t>& heads, double& score) const;
    bool known(std::size_t i) const;
    void restrict_to_gold(State& s, const Prepared& p) const;
    bool wrong_head(std::size_t i, std::size_t m, std::int32_t h) const {
        const std::int32_t gold = d_.heads[d_.views.offsets[i] + static_cast<std::int64_t>(m) - 1];
        return gold >= 0 && gold != h;
    }
    bool wrong_label(std::size_t i, std::size_t m, std::size_t l) const {
        const std::int32_t gold = d_.labels[d_.views.offsets[i] + static_cast<std::int64_t>(m) - 1];
        return gold >= 0 && static_cast<std::size_t>(gold) != l;
    }
    // The cost of a wrong label of arc a; a wrong head costs as much, whatever its label.
    bool allows(const State& s, const ArcGraph& g, std::size_t a, std::size_t l) const {
        return (s.allowed.empty() || s.allowed[a * S_ + l]) && (!d_.root_labels || (d_.root_labels[l] != 0) == (g.head[a] == 0));
    }
    float label_cost(std::size_t i, const ArcGraph& g, std::size_t a, std::size_t l, float cost) const {
        const std::size_t m = static_cast<std::size_t>(g.mod[a]);
        return cost != 0 && (wrong_head(i, m, g.head[a]) || wrong_label(i, m, l)) ? cost : 0.0f;
    }
    // log Z of scores + cost · loss, and the marginals of all parts.
    double sum(State& s, const Prepared& p, double cost, float* parts) const;

    ArcData d_;
    std::size_t L_, S_;
    std::uint64_t serial_;
    std::vector<std::size_t> sizes_;  // of the parts of every example, where there is something to learn
    const std::uint8_t* free_ = nullptr;
};

// The scores of all arcs of a sentence by themselves, [n + 1][n + 1] by head, with the best of n_labels labels; `w` as above.
std::vector<float> arc_scores(const TokenViews& views, std::size_t i, WeightTable w, std::size_t n_labels, unsigned bits, unsigned label_bits);

// Every part of a tree, one after another: by words with head, grandparent and sibling, then the ends.
struct TreeWalk {
    std::vector<std::int32_t> sibling;           // by word: the neighbour nearer to the head, 0 for none
    std::vector<std::int32_t> leftmost, rightmost;  // by token from the root on: 0 for none
    void set(const std::vector<std::int32_t>& heads, bool siblings_of_root);
};

template <class Emit>
void ArcProblem::compare(std::size_t i, const Output& gold, const Output& guess, Emit&& emit) const {
    const ArcFeatures& f = prepared(i).features;
    const std::size_t n = n_tokens(i);
    TreeWalk one, two;
    one.set(gold.heads, !d_.single_root);
    two.set(guess.heads, !d_.single_root);
    // emit(use, template, first weight, label or -1, sign)
    const auto single = [&](const FeatureUse& use, float sign) {
        return [&emit, this, use, sign](std::size_t t, std::uint64_t key) { emit(use, t, place(key), -1, sign); };
    };
    const auto labelled = [&](const FeatureUse& use, std::int32_t l, float sign) {
        return [&emit, this, use, l, sign](std::size_t t, std::uint64_t key) { emit(use, t, row(key) + static_cast<std::size_t>(l), l, sign); };
    };
    for (std::size_t m = 1; m <= n; ++m) {
        const auto h1 = static_cast<std::size_t>(gold.heads[m - 1]), h2 = static_cast<std::size_t>(guess.heads[m - 1]);
        const std::int32_t l1 = gold.labels[m - 1], l2 = guess.labels[m - 1];
        const bool same = h1 == h2;
        if (L_ > 1 && (!same || l1 != l2)) {
            f.label(h1, m, labelled({FeatureFamily::label, 0, h1, m, 0}, l1, 1.0f));
            f.label(h2, m, labelled({FeatureFamily::label, 0, h2, m, 0}, l2, -1.0f));
        }
        if (!same) {
            f.arc(h1, m, single({FeatureFamily::arc, 0, h1, m, 0}, 1.0f));
            f.arc(h2, m, single({FeatureFamily::arc, 0, h2, m, 0}, -1.0f));
        }
        const auto g1 = h1 ? static_cast<std::size_t>(gold.heads[h1 - 1]) : 0, g2 = h2 ? static_cast<std::size_t>(guess.heads[h2 - 1]) : 0;
        const auto s1 = static_cast<std::size_t>(one.sibling[m - 1]), s2 = static_cast<std::size_t>(two.sibling[m - 1]);
        const bool same_g = same && g1 == g2, same_s = same && s1 == s2;
        if (d_.grandparents && !same_g) {
            if (h1) f.grand(g1, h1, m, single({FeatureFamily::grand, g1, h1, m, 0}, 1.0f));
            if (h2) f.grand(g2, h2, m, single({FeatureFamily::grand, g2, h2, m, 0}, -1.0f));
        }
        if (d_.siblings && !same_s) {
            f.sibling(h1, m, s1, single({FeatureFamily::sibling, 0, h1, m, s1}, 1.0f));
            f.sibling(h2, m, s2, single({FeatureFamily::sibling, 0, h2, m, s2}, -1.0f));
        }
        if (d_.grandparents && d_.siblings && !(same_g && same_s)) {
            if (h1) f.grand_sibling(g1, h1, m, s1, single({FeatureFamily::both, g1, h1, m, s1}, 1.0f));
            if (h2) f.grand_sibling(g2, h2, m, s2, single({FeatureFamily::both, g2, h2, m, s2}, -1.0f));
        }
    }
    if (!d_.siblings) return;
    const auto end = [&](std::size_t h, std::int32_t outermost, bool right, float sign) {
        const std::size_t m = outermost ? static_cast<std::size_t>(outermost) : h;
        f.last(h, m, right, single({right ? FeatureFamily::last_right : FeatureFamily::last_left, 0, h, m, 0}, sign));
    };
    for (std::size_t h = 0; h <= n; ++h) {
        if (h && one.leftmost[h] != two.leftmost[h]) {
            end(h, one.leftmost[h], false, 1.0f);
            end(h, two.leftmost[h], false, -1.0f);
        }
        if (one.rightmost[h] != two.rightmost[h]) {
            end(h, one.rightmost[h], true, 1.0f);
            end(h, two.rightmost[h], true, -1.0f);
        }
    }
}

template <class Visit>
void ArcProblem::difference(std::size_t i, const Output& gold, const Output& guess, Visit&& take) const {
    compare(i, gold, guess, [&](const FeatureUse&, std::size_t, std::size_t at, std::int32_t, float sign) {
        if (!free_ || free_[at]) take(at, sign);
    });
}

template <class Visit>
void ArcProblem::walk(const Prepared& p, Visit&& visit, const float* only) const {
    const ArcGraph& g = p.graph;
    const ArcFeatures& f = p.features;
    const Layout at = layout(g);
    const auto wanted = [&](std::size_t part) { return !only || only[part] != 0; };
    const auto single = [&](std::size_t part) {
        return [&visit, this, part](std::size_t, std::uint64_t key) { visit(part, place(key), std::size_t{1}); };
    };
    for (std::size_t a = 0; a < g.arcs(); ++a) {
        const auto h = static_cast<std::size_t>(g.head[a]), m = static_cast<std::size_t>(g.mod[a]);
        if (L_ > 1 && (!only || std::any_of(only + at.label + a * S_, only + at.label + (a + 1) * S_, [](float x) { return x != 0; })))
            f.label(h, m, [&](std::size_t, std::uint64_t key) { visit(at.label + a * S_, row(key), S_); });
        if (wanted(at.arc + a)) f.arc(h, m, single(at.arc + a));
        const std::size_t slots = g.slots(a), columns = g.columns(a);
        if (d_.grandparents && h)
            for (std::size_t k = 0; k < slots; ++k)
                if (wanted(at.grand + g.row_at[a] + k))
                    f.grand(static_cast<std::size_t>(g.grandparent(a, k)), h, m, single(at.grand + g.row_at[a] + k));
        if (!d_.siblings) continue;
        for (std::size_t j = 0; j < columns; ++j) {
            const auto s = j ? static_cast<std::size_t>(g.mod[g.sibling(a, j)]) : 0;
            if (wanted(at.sibling + g.column_at[a] + j)) f.sibling(h, m, s, single(at.sibling + g.column_at[a] + j));
            if (d_.grandparents && h)
                for (std::size_t k = 0; k < slots; ++k) {
                    const std::size_t part = at.both + g.part_at[a] + k * columns + j;
                    if (wanted(part)) f.grand_sibling(static_cast<std::size_t>(g.grandparent(a, k)), h, m, s, single(part));
                }
        }
        if (wanted(at.last + a)) f.last(h, m, h < m, single(at.last + a));
    }
    if (!d_.siblings) return;
    for (std::size_t h = 0; h <= g.n; ++h) {
        if (h && wanted(at.none + 2 * h)) f.last(h, h, false, single(at.none + 2 * h));
        if (wanted(at.none + 2 * h + 1)) f.last(h, h, true, single(at.none + 2 * h + 1));
    }
}

static_assert(LearningProblem<ArcProblem>);

}  // namespace palmette

#include "structures/arcs/problem.hpp"

#include <algorithm>
#include <atomic>

#include "base/lanes.hpp"

namespace palmette {
namespace {

std::atomic<std::uint64_t> arc_serials{1};

}  // namespace

void TreeWalk::set(const std::vector<std::int32_t>& heads, bool siblings_of_root) {
    const std::size_t n = heads.size();
    sibling.assign(n, 0);
    leftmost.assign(n + 1, 0);
    rightmost.assign(n + 1, 0);
    for (std::size_t m = 1; m <= n; ++m) {  // modifiers on the right come outwards
        const std::size_t h = static_cast<std::size_t>(heads[m - 1]);
        if (m < h) continue;
        sibling[m - 1] = h || siblings_of_root ? rightmost[h] : 0;
        rightmost[h] = static_cast<std::int32_t>(m);
    }
    for (std::size_t m = n; m >= 1; --m) {
        const std::size_t h = static_cast<std::size_t>(heads[m - 1]);
        if (m > h) continue;
        sibling[m - 1] = leftmost[h];
        leftmost[h] = static_cast<std::int32_t>(m);
    }
}

ArcProblem::ArcProblem(const ArcData& data) : d_(data), L_(data.n_labels), S_(padded(data.n_labels)), serial_(arc_serials++) {
    if (std::all_of(d_.heads, d_.heads + d_.views.offsets[size()], [](std::int32_t h) { return h < 0; })) return;
    sizes_.resize(size());
    ArcGraph g;
    for (std::size_t i = 0; i < size(); ++i) {
        const std::int64_t first = d_.views.offsets[i];
        std::vector<std::uint8_t> keep;
        const std::size_t n = n_tokens(i);
        keep.assign((n + 1) * (n + 1), 0);
        for (std::size_t m = 1; m <= n; ++m)
            for (std::int64_t k = d_.rows[first + static_cast<std::int64_t>(m) - 1]; k < d_.rows[first + static_cast<std::int64_t>(m)]; ++k)
                keep[static_cast<std::size_t>(d_.candidates[k]) * (n + 1) + m] = 1;
        g.build(n, d_.single_root, d_.grandparents, [&](std::size_t h, std::size_t m) { return keep[h * (n + 1) + m]; });
        sizes_[i] = layout(g).end;
    }
}

ArcProblem::Layout ArcProblem::layout(const ArcGraph& g) const {
    Layout at;
    at.label = 0;
    at.arc = g.arcs() * S_;
    at.grand = at.arc + g.arcs();
    at.sibling = at.grand + (d_.grandparents ? g.row_at.back() : 0);
    at.both = at.sibling + (d_.siblings ? g.column_at.back() : 0);
    at.last = at.both + (d_.siblings && d_.grandparents ? g.parts() : 0);
    at.none = at.last + (d_.siblings ? g.arcs() : 0);
    at.end = at.none + (d_.siblings ? 2 * (g.n + 1) : 0);
    return at;
}

const ArcProblem::Prepared& ArcProblem::prepared(std::size_t i) const {
    static thread_local Prepared p;
    if (p.owner == this && p.serial == serial_ && p.example == i) return p;
    p.owner = nullptr;  // until it is whole: memory may run out
    p.features.set(d_.views, i);
    const std::size_t n = n_tokens(i);
    const std::int64_t first = d_.views.offsets[i] - 1;
    static thread_local std::vector<std::uint8_t> keep;
    keep.assign((n + 1) * (n + 1), 0);
    for (std::size_t m = 1; m <= n; ++m)
        for (std::int64_t k = d_.rows[first + static_cast<std::int64_t>(m)]; k < d_.rows[first + static_cast<std::int64_t>(m) + 1]; ++k)
            keep[static_cast<std::size_t>(d_.candidates[k]) * (n + 1) + m] = 1;
    p.graph.build(n, d_.single_root, d_.grandparents, [&](std::size_t h, std::size_t m) { return keep[h * (n + 1) + m]; });
    p.owner = this;
    p.serial = serial_;
    p.example = i;
    return p;
}

void ArcProblem::observed(std::uint8_t* mask) const {
    for (std::size_t i = 0; i < size(); ++i) {
        if (!known(i)) continue;
        State s;
        std::vector<float> parts(n_parts(i), 0.0f);
        s.example = i;
        gold_marginals(s, parts.data());
        const Prepared& p = prepared(i);
        walk(
            p,
            [&](std::size_t part, std::size_t at, std::size_t count) {
                for (std::size_t k = 0; k < count; ++k)
                    if (parts[part + k] != 0) mask[at + k] = 1;
            },
            parts.data());
    }
}

bool ArcProblem::known(std::size_t i) const {
    for (std::int64_t t = d_.views.offsets[i]; t < d_.views.offsets[i + 1]; ++t)
        if (d_.heads[t] < 0 || d_.labels[t] < 0) return false;
    return true;
}

void ArcProblem::restrict_to_gold(State& s, const Prepared& p) const {
    const ArcGraph& g = p.graph;
    s.allowed.assign(g.arcs() * S_, 1);
    for (std::size_t a = 0; a < g.arcs(); ++a) {
        const std::size_t m = static_cast<std::size_t>(g.mod[a]);
        for (std::size_t l = 0; l < L_; ++l)
            if (wrong_head(s.example, m, g.head[a]) || wrong_label(s.example, m, l)) s.allowed[a * S_ + l] = 0;
    }
}

double ArcProblem::gold(State& s, Output& y) const {
    const std::int64_t first = d_.views.offsets[s.example];
    const std::size_t n = n_tokens(s.example);
    if (known(s.example)) {
        y.heads.assign(d_.heads + first, d_.heads + first + static_cast<std::int64_t>(n));
        y.labels.assign(d_.labels + first, d_.labels + first + static_cast<std::int64_t>(n));
        return 0;
    }
    restrict_to_gold(s, prepared(s.example));
    const double score = best(s, 0, y);
    s.allowed.clear();
    return score;
}

double ArcProblem::loss(std::size_t i, const Output& y) const {
    double wrong = 0;
    for (std::size_t m = 1; m <= y.heads.size(); ++m)
        wrong += wrong_head(i, m, y.heads[m - 1]) || wrong_label(i, m, static_cast<std::size_t>(y.labels[m - 1]));
    return wrong;
}

double ArcProblem::part_costs(std::size_t i, float* parts) const {
    const ArcGraph& g = prepared(i).graph;
    const Layout at = layout(g);
    std::fill_n(parts, at.end, 0.0f);
    for (std::size_t a = 0; a < g.arcs(); ++a)
        for (std::size_t l = 0; l < L_; ++l) parts[at.label + a * S_ + l] = label_cost(i, g, a, l, 1.0f);
    return 0;
}

}  // namespace palmette

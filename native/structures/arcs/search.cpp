// From the scores of parts to trees: the best, the k best, marginals, risk.
#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "structures/arborescence/matrix_tree.hpp"
#include "structures/arborescence/spanning_tree.hpp"
#include "structures/arcs/problem.hpp"

namespace palmette {
namespace {

// to[k · columns + j] = an arc's own score + grandparent k's + sibling j's + both's.
template <class Real>
void add_up(const ArcGraph& g, std::size_t a, Real own, const float* grand, const float* sibling, const float* both, Real* to) {
    const std::size_t slots = g.slots(a), columns = g.columns(a);
    for (std::size_t k = 0; k < slots; ++k)
        for (std::size_t j = 0; j < columns; ++j) {
            Real v = own;
            if (grand) v += grand[k];
            if (sibling) v += sibling[j];
            if (both) v += both[k * columns + j];
            to[k * columns + j] = v;
        }
}

}  // namespace

// s.choice: the best label of every arc (chosen in s.chosen) with its arc; s.parts: all of a part's scores.
void ArcProblem::assemble(State& s, const Prepared& p, float cost) const {
    const ArcGraph& g = p.graph;
    s.choice.resize(g.arcs());
    s.chosen.resize(g.arcs());
    s.parts.resize(g.parts());
    for (std::size_t a = 0; a < g.arcs(); ++a) {
        float high = kNoArc;
        std::size_t best = 0;
        for (std::size_t l = 0; l < L_; ++l) {
            if (!allows(s, g, a, l)) continue;
            const float v = s.label[a * S_ + l] + label_cost(s.example, g, a, l, cost);
            if (v > high) high = v, best = l;
        }
        s.choice[a] = high + s.arc[a];
        s.chosen[a] = static_cast<std::int32_t>(best);
        add_up(g, a, s.choice[a], d_.grandparents ? s.grand.data() + g.row_at[a] : nullptr, d_.siblings ? s.sibling.data() + g.column_at[a] : nullptr,
               d_.grandparents && d_.siblings ? s.both.data() + g.part_at[a] : nullptr, s.parts.data() + g.part_at[a]);
    }
    require_moderate(s.parts.data(), g.parts());
    require_moderate(s.last.data(), s.last.size());
    require_moderate(s.none.data(), s.none.size());
}

// The same with labels summed out, in doubles: s.choice gets log Σ over labels, without the arc.
void ArcProblem::assemble_sums(State& s, const Prepared& p, double cost) const {
    const ArcGraph& g = p.graph;
    const std::size_t A = g.arcs();
    s.choice.resize(A);
    s.chosen.resize(A);
    s.parts.resize(g.parts());
    s.sums.resize(g.parts() + A + 2 * (g.n + 1));
    for (std::size_t a = 0; a < A; ++a) {
        const auto value = [&](std::size_t l) { return static_cast<double>(s.label[a * S_ + l]) + label_cost(s.example, g, a, l, static_cast<float>(cost)); };
        const auto allowed = [&](std::size_t l) { return allows(s, g, a, l); };
        double high = -std::numeric_limits<double>::infinity(), sum = 0;
        for (std::size_t l = 0; l < L_; ++l)
            if (allowed(l)) high = std::max(high, value(l));
        if (L_ > 1 && high > -std::numeric_limits<double>::infinity()) {
            for (std::size_t l = 0; l < L_; ++l)
                if (allowed(l)) sum += std::exp(value(l) - high);
            high += std::log(sum);
        }
        s.choice[a] = static_cast<float>(high);
        add_up(g, a, high + s.arc[a], d_.grandparents ? s.grand.data() + g.row_at[a] : nullptr, d_.siblings ? s.sibling.data() + g.column_at[a] : nullptr,
               d_.grandparents && d_.siblings ? s.both.data() + g.part_at[a] : nullptr, s.sums.data() + g.part_at[a]);
    }
    std::copy(s.last.begin(), s.last.end(), s.sums.begin() + static_cast<std::ptrdiff_t>(g.parts()));
    std::copy(s.none.begin(), s.none.end(), s.sums.begin() + static_cast<std::ptrdiff_t>(g.parts() + A));
    require_moderate(s.sums.data(), g.parts() + A + s.none.size());
}

// The best tree for s.choice alone.
double ArcProblem::best_of_arcs(State& s, const ArcGraph& g, std::int32_t* heads) const {
    s.dense.assign((g.n + 1) * (g.n + 1), kNoArc);
    for (std::size_t a = 0; a < g.arcs(); ++a)
        s.dense[static_cast<std::size_t>(g.head[a]) * (g.n + 1) + static_cast<std::size_t>(g.mod[a])] = s.choice[a];
    return g.n ? best_spanning(s.dense.data(), g.n, d_.single_root, heads) : 0;
}

double ArcProblem::best(State& s, float cost, Output& y) const {
    const Prepared& p = prepared(s.example);
    const ArcGraph& g = p.graph;
    assemble(s, p, cost);
    y.heads.assign(g.n, 0);
    y.labels.assign(g.n, 0);
    double score = spanning() ? best_of_arcs(s, g, y.heads.data())
                              : best_tree({&g, s.parts.data(), s.last.data(), s.none.data()}, s.max_space, y.heads.data());
    if (score == -std::numeric_limits<double>::infinity()) return score;
    if (!d_.projective && !spanning()) climb(s, p, y.heads, score);
    for (std::size_t m = 1; m <= g.n; ++m)
        y.labels[m - 1] = s.chosen[static_cast<std::size_t>(g.find(y.heads[m - 1], static_cast<std::int32_t>(m)))];
    return score;
}

double ArcProblem::sum(State& s, const Prepared& p, double cost, float* parts) const {
    const ArcGraph& g = p.graph;
    const std::size_t A = g.arcs();
    const Layout at = layout(g);
    assemble_sums(s, p, cost);
    std::fill_n(parts, at.end, 0.0f);
    static thread_local std::vector<float> flows, last, none;
    flows.resize(g.parts());
    last.resize(A);
    none.resize(2 * (g.n + 1));
    double log_z = 0;
    if (spanning()) {
        // One part per arc: column 0, with the sum over labels and the arc's own score in it.
        const std::size_t width = g.n + 1;
        s.dense_sums.assign(width * width, -std::numeric_limits<double>::infinity());
        s.dense_marginals.assign(width * width, 0.0);
        const auto at_arc = [&](std::size_t a) { return static_cast<std::size_t>(g.head[a]) * width + static_cast<std::size_t>(g.mod[a]); };
        for (std::size_t a = 0; a < A; ++a) s.dense_sums[at_arc(a)] = s.sums[g.part_at[a]];
        if (g.n) log_z = spanning_sums(s.dense_sums.data(), g.n, d_.single_root, s.dense_marginals.data());
        std::fill(flows.begin(), flows.end(), 0.0f);
        for (std::size_t a = 0; a < A; ++a) flows[g.part_at[a]] = static_cast<float>(s.dense_marginals[at_arc(a)]);
    } else {
        log_z = tree_marginals({&g, s.sums.data(), s.sums.data() + g.parts(), s.sums.data() + g.parts() + A}, s.sum_space, flows.data(), last.data(), none.data());
    }
    if (log_z == -std::numeric_limits<double>::infinity()) return log_z;
    for (std::size_t a = 0; a < A; ++a) {
        const std::size_t slots = g.slots(a), columns = g.columns(a);
        const float* flow = flows.data() + g.part_at[a];
        float arc = 0;
        for (std::size_t k = 0; k < slots; ++k)
            for (std::size_t j = 0; j < columns; ++j) {
                const float value = flow[k * columns + j];
                arc += value;
                if (d_.grandparents) parts[at.grand + g.row_at[a] + k] += value;
                if (d_.siblings) parts[at.sibling + g.column_at[a] + j] += value;
                if (d_.siblings && d_.grandparents) parts[at.both + g.part_at[a] + k * columns + j] = value;
            }
        parts[at.arc + a] = arc;
        if (arc > 0) {
            const float* row = s.label.data() + a * S_;
            for (std::size_t l = 0; l < L_; ++l)
                if (allows(s, g, a, l))
                    parts[at.label + a * S_ + l] = arc * std::exp(row[l] + label_cost(s.example, g, a, l, static_cast<float>(cost)) - s.choice[a]);
        }
    }
    if (d_.siblings) {
        std::copy(last.begin(), last.end(), parts + at.last);
        std::copy(none.begin(), none.end(), parts + at.none);
    }
    return log_z;
}

double ArcProblem::marginals(State& s, float* parts) const {
    const double log_z = sum(s, prepared(s.example), 0, parts);
    if (log_z == -std::numeric_limits<double>::infinity()) throw std::invalid_argument("no tree is allowed for a sentence");
    return log_z;
}

double ArcProblem::gold_marginals(State& s, float* parts) const {
    const Prepared& p = prepared(s.example);
    const ArcGraph& g = p.graph;
    if (!known(s.example)) {
        restrict_to_gold(s, p);
        const double log_z = marginals(s, parts);
        s.allowed.clear();
        return log_z;
    }
    const Layout at = layout(g);
    std::fill_n(parts, at.end, 0.0f);
    const std::int32_t* heads = d_.heads + d_.views.offsets[s.example];
    const std::int32_t* labels = d_.labels + d_.views.offsets[s.example];
    double score = 0;
    const bool scored = !s.arc.empty();
    const bool there = visit_parts(g, heads, [&](std::size_t a, std::size_t k, std::size_t j) {
        const std::size_t l = static_cast<std::size_t>(labels[g.mod[a] - 1]), both = g.part_at[a] + k * g.columns(a) + j;
        parts[at.label + a * S_ + l] = 1;
        parts[at.arc + a] = 1;
        if (scored) score += s.label[a * S_ + l] + s.arc[a];
        if (d_.grandparents) {
            parts[at.grand + g.row_at[a] + k] = 1;
            if (scored) score += s.grand[g.row_at[a] + k];
        }
        if (d_.siblings) {
            parts[at.sibling + g.column_at[a] + j] = 1;
            if (scored) score += s.sibling[g.column_at[a] + j];
        }
        if (d_.siblings && d_.grandparents) {
            parts[at.both + both] = 1;
            if (scored) score += s.both[both];
        }
    });
    if (!there) throw std::invalid_argument("a right head is not among the candidates");
    if (d_.siblings)
        visit_ends(
            g, heads,
            [&](std::size_t a) {
                parts[at.last + a] = 1;
                if (scored) score += s.last[a];
            },
            [&](std::size_t k) {
                parts[at.none + k] = 1;
                if (scored) score += s.none[k];
            });
    return score;
}

// The covariance of a part with the loss is how fast its probability moves when scores + ε · loss take the place of scores:
// taken from both sides, in doubles, which leaves an error of ε².
double ArcProblem::risk(State& s, float* parts) const {
    constexpr double kStep = 1.0 / 512;
    const Prepared& p = prepared(s.example);
    const ArcGraph& g = p.graph;
    const Layout at = layout(g);
    static thread_local std::vector<float> less;
    less.resize(at.end);
    marginals(s, parts);
    double risk = 0;
    for (std::size_t a = 0; a < g.arcs(); ++a)
        for (std::size_t l = 0; l < L_; ++l) risk += label_cost(s.example, g, a, l, 1.0f) * parts[at.label + a * S_ + l];
    sum(s, p, kStep, parts);
    sum(s, p, -kStep, less.data());
    for (std::size_t k = 0; k < at.end; ++k) parts[k] = static_cast<float>((parts[k] - less[k]) / (2 * kStep));
    return risk;
}

double ArcProblem::minimum_risk(State& s, bool labelled, Output& y) const {
    static thread_local std::vector<float> parts;
    parts.resize(n_parts(s.example));
    const Prepared& p = prepared(s.example);
    const ArcGraph& g = p.graph;
    const Layout at = layout(g);
    y.heads.assign(g.n, 0);
    y.labels.assign(g.n, 0);
    if (sum(s, p, 0, parts.data()) == -std::numeric_limits<double>::infinity()) return -std::numeric_limits<double>::infinity();
    for (std::size_t a = 0; a < g.arcs(); ++a) {
        const float* row = parts.data() + at.label + a * S_;
        const std::size_t best = static_cast<std::size_t>(std::max_element(row, row + L_) - row);
        s.chosen[a] = static_cast<std::int32_t>(best);
        s.choice[a] = labelled ? row[best] : parts[at.arc + a];
        std::fill(s.parts.begin() + static_cast<std::ptrdiff_t>(g.part_at[a]), s.parts.begin() + static_cast<std::ptrdiff_t>(g.part_at[a + 1]),
                  s.choice[a] > 0 ? s.choice[a] : kNoArc);
    }
    s.last.assign(g.arcs(), 0.0f);
    s.none.assign(2 * (g.n + 1), 0.0f);
    double score = 0;
    if (spanning()) {
        for (float& choice : s.choice) choice = choice > 0 ? choice : kNoArc;
        score = best_of_arcs(s, g, y.heads.data());
    } else {
        score = best_tree({&g, s.parts.data(), s.last.data(), s.none.data()}, s.max_space, y.heads.data());
    }
    if (score == -std::numeric_limits<double>::infinity()) return score;
    if (!d_.projective && !spanning()) climb(s, p, y.heads, score);
    for (std::size_t m = 1; m <= g.n; ++m)
        y.labels[m - 1] = s.chosen[static_cast<std::size_t>(g.find(y.heads[m - 1], static_cast<std::int32_t>(m)))];
    return score;
}

double ArcProblem::arc_marginals(State& s, float* arcs, float* labels) const {
    static thread_local std::vector<float> parts;
    parts.resize(n_parts(s.example));
    const Prepared& p = prepared(s.example);
    const double log_z = sum(s, p, 0, parts.data());
    const Layout at = layout(p.graph);
    // Sums of rounded numbers may come out a little above 1.
    const auto probability = [](float p) { return std::min(p, 1.0f); };
    std::transform(parts.data() + at.arc, parts.data() + at.arc + p.graph.arcs(), arcs, probability);
    if (labels)
        for (std::size_t a = 0; a < p.graph.arcs(); ++a) {
            const float* row = parts.data() + at.label + a * S_;
            std::transform(row, row + L_, labels + a * L_, probability);
        }
    return log_z;
}

double ArcProblem::best_with(State& s, const std::int32_t* heads, Output& y) const {
    const Prepared& p = prepared(s.example);
    const ArcGraph& g = p.graph;
    s.allowed.assign(g.arcs() * S_, 1);
    for (std::size_t a = 0; a < g.arcs(); ++a) {
        const std::int32_t want = heads[g.mod[a] - 1], h = g.head[a];
        const bool good = want == -1 || want == h || (want < -1 && -2 - want != h);
        if (!good) std::fill_n(s.allowed.begin() + static_cast<std::ptrdiff_t>(a * S_), S_, std::uint8_t{0});
    }
    const double score = best(s, 0, y);
    s.allowed.clear();
    return score;
}

void ArcProblem::kbest(State& s, std::size_t k, float cost, std::vector<Output>& ys, std::vector<double>& scores) const {
    // Lawler's way (1972): the rest of the trees falls into n sets, by the first word where they leave the best one.
    const Prepared& p = prepared(s.example);
    const ArcGraph& g = p.graph;
    struct Set {
        double score;
        Output y;
        std::vector<std::uint8_t> allowed;
        std::size_t fixed;  // words before this one are as in y
    };
    ys.clear();
    scores.clear();
    std::vector<Set> sets;
    const auto add = [&](std::vector<std::uint8_t> allowed, std::size_t fixed) {
        Set set{0, {}, std::move(allowed), fixed};
        s.allowed = set.allowed;
        set.score = best(s, cost, set.y);
        if (set.score != -std::numeric_limits<double>::infinity()) sets.push_back(std::move(set));
    };
    add(std::vector<std::uint8_t>(g.arcs() * S_, 1), 1);
    while (ys.size() < k && !sets.empty()) {
        const auto top = std::max_element(sets.begin(), sets.end(), [](const Set& a, const Set& b) { return a.score < b.score; });
        Set set = std::move(*top);
        sets.erase(top);
        ys.push_back(set.y);
        scores.push_back(set.score);
        if (ys.size() == k) break;
        std::vector<std::uint8_t> allowed = set.allowed;
        for (std::size_t m = set.fixed; m <= g.n; ++m) {
            const std::size_t a = static_cast<std::size_t>(g.find(set.y.heads[m - 1], static_cast<std::int32_t>(m)));
            const std::size_t l = static_cast<std::size_t>(set.y.labels[m - 1]);
            std::vector<std::uint8_t> without = allowed;
            without[a * S_ + l] = 0;
            add(std::move(without), m);
            for (std::int32_t b = g.in[m]; b < g.in[m + 1]; ++b)
                std::fill_n(allowed.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(b) * S_), S_, std::uint8_t{0});
            allowed[a * S_ + l] = 1;
        }
    }
    s.allowed.clear();
}

}  // namespace palmette

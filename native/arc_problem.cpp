#include "arc_problem.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>

#include "chain.hpp"
#include "matrix_tree.hpp"
#include "parallel.hpp"
#include "rows.hpp"
#include "spanning_tree.hpp"

namespace palmette {
namespace {

constexpr float kNever = -std::numeric_limits<float>::infinity();
std::atomic<std::uint64_t> serials{1};

// Sums of weights that lie far apart. They are asked for when their places are known and added some hundreds later, when
// they have come: a table does not fit the caches, and waiting for one weight after another took most of the time.
class Fetcher {
public:
    Fetcher(const float* w, float scale) : w_(w), scale_(scale) { places_.resize(kRoom); }
    ~Fetcher() { finish(); }

    // *to = scale · Σ of the weights that of(visit) names.
    template <class Of, class Place>
    void sum(float* to, Of&& of, Place&& place) {
        if (n_ + kMost > kRoom) finish();
        of([&](std::size_t, std::uint64_t key) {
            const std::uint32_t at = static_cast<std::uint32_t>(place(key));
            __builtin_prefetch(w_ + at);
            places_[n_] = at;
            n_ += n_ + 1 < kRoom;
        });
        sums_.push_back({to, static_cast<std::uint32_t>(n_)});
    }
    void finish() {
        std::size_t at = 0;
        for (const auto& [to, end] : sums_) {
            float sum = 0;
            for (; at < end; ++at) sum += w_[places_[at]];
            *to = sum * scale_;
        }
        sums_.clear();
        n_ = 0;
    }

private:
    static constexpr std::size_t kRoom = 2048, kMost = 1024;  // no part has more features than that
    struct Sum {
        float* to;
        std::uint32_t end;
    };
    const float* w_;
    float scale_;
    std::vector<std::uint32_t> places_;
    std::vector<Sum> sums_;
    std::size_t n_ = 0;
};

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

ArcProblem::ArcProblem(const ArcData& data) : d_(data), L_(data.n_labels), S_(padded(data.n_labels)), serial_(serials++) {
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
    p.owner = this;
    p.serial = serial_;
    p.example = i;
    p.features.set(d_.views, i);
    const std::size_t n = n_tokens(i);
    const std::int64_t first = d_.views.offsets[i] - 1;
    static thread_local std::vector<std::uint8_t> keep;
    keep.assign((n + 1) * (n + 1), 0);
    for (std::size_t m = 1; m <= n; ++m)
        for (std::int64_t k = d_.rows[first + static_cast<std::int64_t>(m)]; k < d_.rows[first + static_cast<std::int64_t>(m) + 1]; ++k)
            keep[static_cast<std::size_t>(d_.candidates[k]) * (n + 1) + m] = 1;
    p.graph.build(n, d_.single_root, d_.grandparents, [&](std::size_t h, std::size_t m) { return keep[h * (n + 1) + m]; });
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

void ArcProblem::score(State& s, std::size_t i, const float* w, float scale) const {
    s.example = i;
    const Prepared& p = prepared(i);
    const ArcGraph& g = p.graph;
    const ArcFeatures& f = p.features;
    const std::size_t A = g.arcs();
    s.allowed.clear();
    s.label.assign(A * S_, 0.0f);
    s.arc.assign(A, 0.0f);
    s.grand.assign(d_.grandparents ? g.row_at.back() : 0, 0.0f);
    s.sibling.assign(d_.siblings ? g.column_at.back() : 0, 0.0f);
    s.both.assign(d_.siblings && d_.grandparents ? g.parts() : 0, 0.0f);
    s.last.assign(A, 0.0f);
    s.none.assign(2 * (g.n + 1), 0.0f);
    const float* rows = w + rows_at();
    Fetcher fetcher(w, scale);
    const auto total = [&](float& to, auto&& of) { fetcher.sum(&to, of, [this](std::uint64_t key) { return place(key); }); };
    std::int32_t ids[256];
    for (std::size_t a = 0; a < A; ++a) {
        const auto h = static_cast<std::size_t>(g.head[a]), m = static_cast<std::size_t>(g.mod[a]);
        std::int64_t count = 0;
        if (L_ > 1)
            f.label(h, m, [&](std::size_t, std::uint64_t key) {
                ids[count] = static_cast<std::int32_t>(key >> (64 - d_.label_bits));
                __builtin_prefetch(rows + static_cast<std::size_t>(ids[count]) * S_);
                if (count < 255) ++count;
            });
        total(s.arc[a], [&](auto&& visit) { f.arc(h, m, visit); });
        if (L_ > 1) rows::sum(rows, S_, ids, nullptr, count, count, s.label.data() + a * S_);
        if (scale != 1)
            for (std::size_t l = 0; l < S_; ++l) s.label[a * S_ + l] *= scale;
        const std::size_t slots = g.slots(a), columns = g.columns(a);
        if (d_.grandparents && h)
            for (std::size_t k = 0; k < slots; ++k)
                total(s.grand[g.row_at[a] + k], [&](auto&& visit) { f.grand(static_cast<std::size_t>(g.grandparent(a, k)), h, m, visit); });
        if (!d_.siblings) continue;
        for (std::size_t j = 0; j < columns; ++j) {
            const auto sib = j ? static_cast<std::size_t>(g.mod[g.sibling(a, j)]) : 0;
            total(s.sibling[g.column_at[a] + j], [&](auto&& visit) { f.sibling(h, m, sib, visit); });
            if (d_.grandparents && h)
                for (std::size_t k = 0; k < slots; ++k)
                    total(s.both[g.part_at[a] + k * columns + j],
                          [&](auto&& visit) { f.grand_sibling(static_cast<std::size_t>(g.grandparent(a, k)), h, m, sib, visit); });
        }
        total(s.last[a], [&](auto&& visit) { f.last(h, m, h < m, visit); });
    }
    if (!d_.siblings) return;
    for (std::size_t h = 0; h <= g.n; ++h) {
        if (h) total(s.none[2 * h], [&](auto&& visit) { f.last(h, h, false, visit); });
        total(s.none[2 * h + 1], [&](auto&& visit) { f.last(h, h, true, visit); });
    }
}

void ArcProblem::part_scores(std::size_t i, const float* w, float* parts) const {
    std::fill_n(parts, n_parts(i), 0.0f);
    walk(prepared(i), [&](std::size_t part, std::size_t at, std::size_t count) {
        for (std::size_t k = 0; k < count; ++k) parts[part + k] += w[at + k];
    });
}

void ArcProblem::set_scores(State& s, std::size_t i, const float* parts) const {
    s.example = i;
    const ArcGraph& g = prepared(i).graph;
    const Layout at = layout(g);
    s.allowed.clear();
    s.label.assign(parts + at.label, parts + at.arc);
    s.arc.assign(parts + at.arc, parts + at.grand);
    s.grand.assign(parts + at.grand, parts + at.sibling);
    s.sibling.assign(parts + at.sibling, parts + at.both);
    s.both.assign(parts + at.both, parts + at.last);
    s.last.assign(g.arcs(), 0.0f);
    s.none.assign(2 * (g.n + 1), 0.0f);
    if (d_.siblings) {
        s.last.assign(parts + at.last, parts + at.none);
        s.none.assign(parts + at.none, parts + at.end);
    }
}

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
        float high = kNever;
        std::size_t best = 0;
        for (std::size_t l = 0; l < L_; ++l) {
            if (!s.allowed.empty() && !s.allowed[a * S_ + l]) continue;
            const float v = s.label[a * S_ + l] + label_cost(s, g, a, l, cost);
            if (v > high) high = v, best = l;
        }
        s.choice[a] = high + s.arc[a];
        s.chosen[a] = static_cast<std::int32_t>(best);
        add_up(g, a, s.choice[a], d_.grandparents ? s.grand.data() + g.row_at[a] : nullptr, d_.siblings ? s.sibling.data() + g.column_at[a] : nullptr,
               d_.grandparents && d_.siblings ? s.both.data() + g.part_at[a] : nullptr, s.parts.data() + g.part_at[a]);
    }
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
        const auto value = [&](std::size_t l) { return static_cast<double>(s.label[a * S_ + l]) + label_cost(s, g, a, l, static_cast<float>(cost)); };
        const auto allowed = [&](std::size_t l) { return s.allowed.empty() || s.allowed[a * S_ + l]; };
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
}

// The best tree for s.choice alone.
double ArcProblem::best_of_arcs(State& s, const ArcGraph& g, std::int32_t* heads) const {
    s.dense.assign((g.n + 1) * (g.n + 1), kNever);
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
                if (s.allowed.empty() || s.allowed[a * S_ + l])
                    parts[at.label + a * S_ + l] = arc * std::exp(row[l] + label_cost(s, g, a, l, static_cast<float>(cost)) - s.choice[a]);
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
        for (std::size_t l = 0; l < L_; ++l) risk += label_cost(s, g, a, l, 1.0f) * parts[at.label + a * S_ + l];
    sum(s, p, kStep, parts);
    sum(s, p, -kStep, less.data());
    for (std::size_t k = 0; k < at.end; ++k) parts[k] = static_cast<float>((parts[k] - less[k]) / (2 * kStep));
    return risk;
}

void ArcProblem::pullback(std::size_t i, const float* parts, float step, float* to) const {
    const Prepared& p = prepared(i);
    static thread_local std::vector<float> kept;
    // What is next to nothing would cost as much as what is not.
    constexpr float kNothing = 1e-5f;
    kept.resize(n_parts(i));
    for (std::size_t k = 0; k < kept.size(); ++k) kept[k] = std::abs(parts[k]) > kNothing ? step * parts[k] : 0.0f;
    // As in a Fetcher: single weights are asked for first and changed later, in the same order.
    constexpr std::size_t kRoom = 512;
    std::pair<std::uint32_t, float> later[kRoom];
    std::size_t n = 0;
    const auto finish = [&] {
        for (std::size_t k = 0; k < n; ++k) to[later[k].first] += later[k].second;
        n = 0;
    };
    walk(
        p,
        [&](std::size_t part, std::size_t at, std::size_t count) {
            if (at < rows_at()) {
                if (free_ && !free_[at]) return;
                __builtin_prefetch(to + at, 1);
                later[n++] = {static_cast<std::uint32_t>(at), kept[part]};
                if (n == kRoom) finish();
                return;
            }
            for (std::size_t k = 0; k < count; ++k)
                if (!free_ || free_[at + k]) to[at + k] += kept[part + k];
        },
        kept.data());
    finish();
}

void ArcProblem::pullback_block(std::size_t begin, std::size_t end, const float* parts, int n_jobs, float* to) const {
    constexpr std::size_t kExamples = 64;
    std::vector<std::size_t> examples;
    std::vector<const float*> of;
    const std::vector<float> steps(kExamples, 1.0f);
    for (std::size_t i = begin; i < end; parts += n_parts(i++)) {
        examples.push_back(i);
        of.push_back(parts);
        if (examples.size() < kExamples && i + 1 < end) continue;
        pullback_many(examples, of.data(), steps.data(), n_jobs, to);
        examples.clear();
        of.clear();
    }
}

void ArcProblem::pullback_many(std::span<const std::size_t> examples, const float* const* parts, const float* steps, int n_jobs,
                               float* to) const {
    if (n_jobs <= 1) {
        for (std::size_t k = 0; k < examples.size(); ++k) pullback(examples[k], parts[k], steps[k], to);
        return;
    }
    // First every example's changes, sorted into stretches of the weights; then the stretches, each by one thread.
    constexpr unsigned kStretchBits = 4;
    struct Change {
        std::uint32_t at, part;
    };
    struct Changes {
        std::vector<float> kept;
        std::vector<Change> single[1 << kStretchBits], rows[1 << kStretchBits];
    };
    static thread_local std::vector<Changes> room;
    std::vector<Changes>& changes = room;
    if (changes.size() < examples.size()) changes.resize(examples.size());
    constexpr float kNothing = 1e-5f;
    parallel(examples.size(), n_jobs, [&](std::size_t k, std::size_t) {
        const std::size_t i = examples[k];
        Changes& c = changes[k];
        c.kept.resize(n_parts(i));
        for (std::size_t j = 0; j < c.kept.size(); ++j) c.kept[j] = std::abs(parts[k][j]) > kNothing ? steps[k] * parts[k][j] : 0.0f;
        for (auto& list : c.single) list.clear();
        for (auto& list : c.rows) list.clear();
        const unsigned shift = d_.bits > kStretchBits ? d_.bits - kStretchBits : 0;
        const unsigned row_shift = d_.label_bits > kStretchBits ? d_.label_bits - kStretchBits : 0;
        walk(
            prepared(i),
            [&](std::size_t part, std::size_t at, std::size_t count) {
                if (count == 1 && at < rows_at())
                    c.single[at >> shift].push_back({static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(part)});
                else {
                    const std::size_t row = (at - rows_at()) / S_;
                    c.rows[row >> row_shift].push_back({static_cast<std::uint32_t>(row), static_cast<std::uint32_t>(part)});
                }
            },
            c.kept.data());
    });
    parallel(std::size_t{2} << kStretchBits, n_jobs, [&](std::size_t piece, std::size_t) {
        const std::size_t stretch = piece >> 1;
        for (std::size_t k = 0; k < examples.size(); ++k) {
            const Changes& c = changes[k];
            if (piece & 1) {
                for (const Change& change : c.rows[stretch]) {
                    const std::size_t at = rows_at() + static_cast<std::size_t>(change.at) * S_;
                    for (std::size_t l = 0; l < S_; ++l)
                        if (!free_ || free_[at + l]) to[at + l] += c.kept[change.part + l];
                }
            } else {
                for (const Change& change : c.single[stretch])
                    if (!free_ || free_[change.at]) to[change.at] += c.kept[change.part];
            }
        }
    });
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
                  s.choice[a] > 0 ? s.choice[a] : kNever);
    }
    s.last.assign(g.arcs(), 0.0f);
    s.none.assign(2 * (g.n + 1), 0.0f);
    double score = 0;
    if (spanning()) {
        for (float& choice : s.choice) choice = choice > 0 ? choice : kNever;
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
    std::copy_n(parts.data() + at.arc, p.graph.arcs(), arcs);
    if (labels)
        for (std::size_t a = 0; a < p.graph.arcs(); ++a) std::copy_n(parts.data() + at.label + a * S_, L_, labels + a * L_);
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

std::vector<float> arc_scores(const TokenViews& views, std::size_t i, const float* w, std::size_t n_labels, unsigned bits, unsigned label_bits) {
    ArcFeatures f;
    f.set(views, i);
    const std::size_t n = views.length(i), S = padded(n_labels);
    const float* rows = w + (std::size_t{1} << bits);
    std::vector<float> scores((n + 1) * (n + 1), kNever), label(S);
    for (std::size_t m = 1; m <= n; ++m)
        for (std::size_t h = 0; h <= n; ++h) {
            if (h == m) continue;
            float sum = 0;
            f.arc(h, m, [&](std::size_t, std::uint64_t key) { sum += w[key >> (64 - bits)]; });
            std::fill(label.begin(), label.end(), 0.0f);
            if (n_labels > 1) f.label(h, m, [&](std::size_t, std::uint64_t key) {
                for (std::size_t l = 0; l < n_labels; ++l) label[l] += rows[(key >> (64 - label_bits)) * S + l];
            });
            scores[h * (n + 1) + m] = sum + *std::max_element(label.begin(), label.begin() + static_cast<std::ptrdiff_t>(n_labels));
        }
    return scores;
}

// McDonald and Pereira (2006): while some word has a better head, give it to the word that gains most.
void ArcProblem::climb(State& s, const Prepared& p, std::vector<std::int32_t>& heads, double& score) const {
    const ArcGraph& g = p.graph;
    const std::size_t n = g.n;
    std::vector<std::size_t> entering(n + 1, 0);  // the arc that enters a word
    for (std::size_t m = 1; m <= n; ++m) entering[m] = static_cast<std::size_t>(g.find(heads[m - 1], static_cast<std::int32_t>(m)));
    // The parts of the modifiers of h on one side, and their end.
    const auto chain = [&](std::size_t h, bool right) {
        const std::size_t slot = h && d_.grandparents ? g.slot(entering[h]) : 0;
        double total = 0;
        std::size_t column = 0, last = g.arcs();
        const std::int32_t begin = g.out_at[h], end = g.out_at[h + 1];
        const auto take = [&](std::int32_t at) {
            const std::size_t a = static_cast<std::size_t>(g.out[at]);
            ++column;  // how far the last one taken lies inwards
            if (heads[g.mod[a] - 1] != static_cast<std::int32_t>(h)) return;
            const std::size_t j = last == g.arcs() || g.inner[a] == 0 ? 0 : column;
            total += s.parts[g.part_at[a] + slot * g.columns(a) + j];
            last = a;
            column = 0;
        };
        if (right) {
            for (std::int32_t k = begin; k < end; ++k)
                if (g.mod[g.out[k]] > static_cast<std::int32_t>(h)) take(k);
        } else {
            for (std::int32_t k = end; k-- > begin;)
                if (g.mod[g.out[k]] < static_cast<std::int32_t>(h)) take(k);
        }
        return total + (last == g.arcs() ? s.none[2 * h + right] : s.last[last]);
    };
    const auto around = [&](std::size_t m, std::size_t h1, std::size_t h2) {
        double total = chain(h1, m > h1);
        if (h1 != h2 || (m > h1) != (m > h2)) total += chain(h2, m > h2);
        if (d_.grandparents) {
            if (!(m == h1) && !(m == h2)) total += chain(m, false) + chain(m, true);
        }
        return total;
    };
    const auto below = [&](std::size_t m, std::size_t h) {  // is h in the subtree of m?
        for (std::size_t t = h; t; t = static_cast<std::size_t>(heads[t - 1]))
            if (t == m) return true;
        return false;
    };
    for (std::size_t round = 0; round < 2 * n + 10; ++round) {
        double gain = 1e-4;
        std::size_t best_word = 0, best_arc = 0;
        for (std::size_t m = 1; m <= n; ++m) {
            if (d_.single_root && heads[m - 1] == 0) continue;  // another word would have to take its place
            const std::size_t old = entering[m];
            for (std::int32_t b = g.in[m]; b < g.in[m + 1]; ++b) {
                const std::size_t a = static_cast<std::size_t>(b);
                if (a == old || s.choice[a] == kNever) continue;
                const std::size_t h1 = static_cast<std::size_t>(g.head[old]), h2 = static_cast<std::size_t>(g.head[a]);
                if ((h2 == 0 && d_.single_root) || below(m, h2)) continue;
                const double before = around(m, h1, h2);
                heads[m - 1] = static_cast<std::int32_t>(h2);
                entering[m] = a;
                const double change = around(m, h1, h2) - before;
                heads[m - 1] = static_cast<std::int32_t>(h1);
                entering[m] = old;
                if (change > gain) gain = change, best_word = m, best_arc = a;
            }
        }
        if (!best_word) break;
        heads[best_word - 1] = g.head[best_arc];
        entering[best_word] = best_arc;
        score += gain;
    }
}

}  // namespace palmette

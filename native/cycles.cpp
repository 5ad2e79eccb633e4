#include "cycles.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <queue>

#include "equations.hpp"
#include "inside.hpp"

namespace palmette {
namespace {

// The nodes of a component as unknowns 0 .. n-1; what is already known goes into the coefficients.
Equations equations_of(const Hypergraph& g, std::span<const int32_t> nodes, std::span<const Scaled> weight,
                       const std::vector<Scaled>& in) {
    Equations equations;
    equations.n = static_cast<int32_t>(nodes.size());
    int32_t first = g.place[nodes[0]];
    for (int32_t v : nodes)
        for (int32_t e = g.edge_start[v]; e < g.edge_start[v + 1]; ++e) {
            Equations::Term term{g.place[v] - first, weight[g.label[e]], static_cast<int32_t>(equations.tails.size()), 0};
            for (int32_t t : g.tails(e)) {
                if (in_component(g, nodes, t)) equations.tails.push_back(g.place[t] - first);
                else term.coefficient = scaled::normal(scaled::times(term.coefficient, in[t]));
            }
            term.last_tail = static_cast<int32_t>(equations.tails.size());
            equations.terms.push_back(term);
        }
    return equations;
}

std::vector<Scaled> as_scaled(std::span<const double> x) {
    std::vector<Scaled> result;
    result.reserve(x.size());
    for (double value : x) {
        if (!(value >= 0.0))
            throw std::invalid_argument("sums over cycles need weights that are not negative");
        result.push_back(scaled::from_double(value));
    }
    return result;
}

// Repeats `sweep`, which improves the values of a component and says whether it did, until nothing changes:
// with an idempotent ⊕ that is within n rounds, or never.
template <class Sweep>
void relax(std::span<const int32_t> nodes, Sweep sweep) {
    for (size_t round = 0; round <= nodes.size() + 1; ++round)
        if (!sweep()) return;
    throw CycleError("the best score is infinite, since a cycle has a positive score",
                     std::vector<int32_t>(nodes.begin(), nodes.end()));
}

// Rounding is not an improvement: a cycle of scores +0.1 and -0.1 has to come to rest.
bool improves(double a, double b) { return a > b && !(a - b <= 1e-12 * std::abs(b)); }
bool improves(uint8_t a, uint8_t b) { return a > b; }

// out(t) of idempotent semirings, by relaxation from the heads to the tails.
template <class S>
void relax_outside(const Hypergraph& g, std::span<const int32_t> nodes, std::span<const typename S::Value> weight,
                   Around<S>* at, const S& s) {
    std::vector<typename S::Value> before(nodes.size());
    relax(nodes, [&] {
        for (size_t i = 0; i < nodes.size(); ++i) before[i] = at[nodes[i]].out;
        for (int32_t v : nodes)
            push_outside_of_node(g, v, weight, at, s, [&](int32_t t) { return !in_component(g, nodes, t); });
        bool changed = false;
        for (size_t i = 0; i < nodes.size(); ++i) changed |= improves(at[nodes[i]].out, before[i]);
        return changed;
    });
}

// Knuth (1977): the best node that is not final is final, since no edge can lead to more than its tails have.
void knuth(const Hypergraph& g, std::span<const int32_t> nodes, std::span<const double> weight,
           std::vector<double>& best, std::vector<int32_t>& best_edge) {
    struct Edge {
        int32_t head, id, waiting;
        double score;
    };
    std::vector<Edge> edges;
    std::vector<std::vector<int32_t>> uses(nodes.size());  // one entry per occurrence as a tail
    using Entry = std::pair<double, int32_t>;
    std::priority_queue<Entry> agenda;
    auto offer = [&](const Edge& edge) {
        if (edge.score > best[edge.head] || (best_edge[edge.head] < 0 && edge.score > kLogZero)) {
            best[edge.head] = edge.score;
            best_edge[edge.head] = edge.id;
            agenda.emplace(edge.score, edge.head);
        }
    };
    int32_t first = g.place[nodes[0]];
    for (int32_t v : nodes) best[v] = kLogZero, best_edge[v] = -1;
    for (int32_t v : nodes)
        for (int32_t e = g.edge_start[v]; e < g.edge_start[v + 1]; ++e) {
            Edge edge{v, e, 0, weight[g.label[e]]};
            for (int32_t t : g.tails(e)) {
                if (in_component(g, nodes, t)) {
                    ++edge.waiting;
                    uses[g.place[t] - first].push_back(static_cast<int32_t>(edges.size()));
                } else {
                    edge.score += best[t];
                }
            }
            edges.push_back(edge);
        }
    for (const Edge& edge : edges)
        if (edge.waiting == 0) offer(edge);
    std::vector<uint8_t> final_(nodes.size(), 0);
    while (!agenda.empty()) {
        auto [score, v] = agenda.top();
        agenda.pop();
        if (final_[g.place[v] - first] || score < best[v]) continue;
        final_[g.place[v] - first] = 1;
        for (int32_t k : uses[g.place[v] - first]) {
            edges[k].score += score;
            if (--edges[k].waiting == 0 && !final_[g.place[edges[k].head] - first]) offer(edges[k]);
        }
    }
}

// Whether no edge of the component can score above one of its tails inside it.
bool is_superior(const Hypergraph& g, std::span<const int32_t> nodes, std::span<const double> weight,
                 const std::vector<double>& best) {
    for (int32_t v : nodes)
        for (int32_t e = g.edge_start[v]; e < g.edge_start[v + 1]; ++e) {
            double score = weight[g.label[e]];
            for (int32_t t : g.tails(e))
                if (!in_component(g, nodes, t)) score += best[t];
            if (score > 0.0) return false;
        }
    return true;
}

}  // namespace

void solve_inside(const Hypergraph& g, std::span<const int32_t> nodes, std::span<const Scaled> weight,
                  std::vector<Scaled>& in, const Log&) {
    std::vector<int32_t> diverged;
    auto x = least_solution(equations_of(g, nodes, weight, in), diverged);
    if (!x) {
        for (int32_t& v : diverged) v = nodes[v];
        throw CycleError("the sum over derivations diverges", diverged);
    }
    for (size_t i = 0; i < nodes.size(); ++i) in[nodes[i]] = (*x)[i];
}

void solve_inside(const Hypergraph& g, std::span<const int32_t> nodes, std::span<const double> weight,
                  std::vector<double>& in, const Real&) {
    std::vector<Scaled> scaled_in = as_scaled(in);
    solve_inside(g, nodes, as_scaled(weight), scaled_in, Log{});
    for (int32_t v : nodes) in[v] = scaled::to_double(scaled_in[v]);
}

void solve_inside(const Hypergraph& g, std::span<const int32_t> nodes, std::span<const uint8_t> weight,
                  std::vector<uint8_t>& in, const Boolean& s) {
    for (int32_t v : nodes) in[v] = 0;
    relax(nodes, [&] {
        bool changed = false;
        for (int32_t v : nodes)
            for (int32_t e = g.edge_start[v]; e < g.edge_start[v + 1] && !in[v]; ++e)
                if (edge_inside(g, e, weight, in, s)) in[v] = changed = true;
        return changed;
    });
}

void solve_inside(const Hypergraph& g, std::span<const int32_t> nodes, std::span<const uint64_t> weight,
                  std::vector<uint64_t>& in, const Counting&) {
    // A cycle that something derives can be gone round any number of times; one that nothing derives counts nothing.
    std::vector<uint8_t> possible(in.size()), allowed(weight.size());
    for (size_t v = 0; v < in.size(); ++v) possible[v] = in[v] != 0;
    for (size_t k = 0; k < weight.size(); ++k) allowed[k] = weight[k] != 0;
    solve_inside(g, nodes, allowed, possible, Boolean{});
    for (int32_t v : nodes)
        if (possible[v])
            throw CycleError("there are infinitely many derivations", std::vector<int32_t>(nodes.begin(), nodes.end()));
    for (int32_t v : nodes) in[v] = 0;
}

void solve_inside(const Hypergraph& g, std::span<const int32_t> nodes, std::span<const double> weight,
                  std::vector<double>& in, const Max&) {
    std::vector<int32_t> best_edge(g.n_nodes, -1);
    best_of_component(g, nodes, weight, in, best_edge);
}

void best_of_component(const Hypergraph& g, std::span<const int32_t> nodes, std::span<const double> weight,
                       std::vector<double>& best, std::vector<int32_t>& best_edge) {
    if (is_superior(g, nodes, weight, best)) return knuth(g, nodes, weight, best, best_edge);
    for (int32_t v : nodes) best[v] = kLogZero, best_edge[v] = -1;
    relax(nodes, [&] {
        bool changed = false;
        for (int32_t v : nodes)
            for (int32_t e = g.edge_start[v]; e < g.edge_start[v + 1]; ++e) {
                double score = edge_inside(g, e, weight, best, Max{});
                if (!improves(score, best[v])) continue;
                best[v] = score;
                best_edge[v] = e;
                changed = true;
            }
        return changed;
    });
}

void solve_outside(const Hypergraph& g, std::span<const int32_t> nodes, std::span<const Scaled> weight,
                   Around<Log>* at, const Log& s) {
    // out = base + Jᵀ out, with J(head, tail) = the derivative of in(head) by in(tail). Nodes that nothing derives
    // are left out: their cycles may have no sum, and nothing passes through them.
    int32_t n = 0;
    std::vector<int32_t> local(nodes.size(), -1);
    const int32_t first = g.place[nodes[0]];
    auto row_of = [&](int32_t v) { return local[g.place[v] - first]; };
    std::optional<int64_t> largest;  // the exponent of what comes from outside
    for (int32_t v : nodes) {
        if (s.is_zero(at[v].in)) continue;
        local[g.place[v] - first] = n++;
        Scaled out = at[v].out = s.normal(at[v].out);
        if (!s.is_zero(out)) largest = std::max(largest.value_or(out.e), out.e);
    }
    if (!largest) return;
    std::vector<Entry> a;
    std::vector<double> b(n, 0.0);
    for (int32_t v : nodes) {
        if (row_of(v) < 0) continue;
        b[row_of(v)] = scaled::shifted(at[v].out.m, at[v].out.e - *largest);
        for (int32_t e = g.edge_start[v]; e < g.edge_start[v + 1]; ++e) {
            auto t = g.tails(e);
            for (size_t i = 0; i < t.size(); ++i) {
                if (!in_component(g, nodes, t[i]) || row_of(t[i]) < 0) continue;
                Scaled derivative = weight[g.label[e]];
                for (size_t k = 0; k < t.size(); ++k)
                    if (k != i) derivative = s.normal(s.times(derivative, at[t[k]].in));
                a.push_back({row_of(t[i]), row_of(v), scaled::to_double(derivative)});
            }
        }
    }
    auto x = solve_fixpoint(a, std::move(b));
    if (!x)
        throw CycleError("the expected counts over derivations diverge",
                         std::vector<int32_t>(nodes.begin(), nodes.end()));
    for (int32_t v : nodes)
        if (row_of(v) >= 0)
            at[v].out = s.times(scaled::from_double(std::max(0.0, (*x)[row_of(v)])), {1.0, *largest});
}

void solve_outside(const Hypergraph& g, std::span<const int32_t> nodes, std::span<const double> weight,
                   Around<Real>* at, const Real&) {
    std::vector<Around<Log>> scaled_at;
    for (int32_t v = 0; v < g.n_nodes; ++v)
        scaled_at.push_back({scaled::from_double(at[v].in), scaled::from_double(at[v].out)});
    solve_outside(g, nodes, as_scaled(weight), scaled_at.data(), Log{});
    for (int32_t v : nodes) at[v].out = scaled::to_double(scaled_at[v].out);
}

void solve_outside(const Hypergraph& g, std::span<const int32_t> nodes, std::span<const double> weight,
                   Around<Max>* at, const Max& s) {
    relax_outside(g, nodes, weight, at, s);
}

void solve_outside(const Hypergraph& g, std::span<const int32_t> nodes, std::span<const uint8_t> weight,
                   Around<Boolean>* at, const Boolean& s) {
    relax_outside(g, nodes, weight, at, s);
}

}  // namespace palmette

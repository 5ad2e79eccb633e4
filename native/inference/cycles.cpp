#include "inference/cycles.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <queue>

#include "inference/equations.hpp"
#include "inference/inside.hpp"

namespace palmette {
namespace {

std::vector<int32_t> sorted(std::span<const int32_t> nodes) {
    std::vector<int32_t> result(nodes.begin(), nodes.end());
    std::sort(result.begin(), result.end());
    return result;
}

// The nodes of a component as unknowns 0 .. n-1; what is already known goes into the coefficients.
// weight_of(part) and in_of(node) are Scaled.
template <class WeightOf, class InOf>
Equations inside_equations(const Hypergraph& g, std::span<const int32_t> nodes, WeightOf weight_of, InOf in_of) {
    Equations equations;
    equations.n = static_cast<int32_t>(nodes.size());
    int32_t first = g.place[nodes[0]];
    for (int32_t v : nodes)
        for (int32_t e = g.edge_start[v]; e < g.edge_start[v + 1]; ++e) {
            Equations::Term term{g.place[v] - first, weight_of(g.label[e]),
                                 static_cast<int32_t>(equations.tails.size()), 0};
            for (int32_t t : g.tails(e)) {
                if (in_component(g, nodes, t)) equations.tails.push_back(g.place[t] - first);
                else term.coefficient = scaled::normal(scaled::times(term.coefficient, in_of(t)));
            }
            term.last_tail = static_cast<int32_t>(equations.tails.size());
            equations.terms.push_back(term);
        }
    return equations;
}

// out = base + Jᵀ out, with J(head, tail) = the derivative of in(head) by in(tail). Nodes that nothing derives are
// left out: their cycles may have no sum, and nothing passes through them.
template <class WeightOf, class InOf, class BaseOf>
Equations outside_equations(const Hypergraph& g, std::span<const int32_t> nodes, WeightOf weight_of, InOf in_of,
                            BaseOf base_of) {
    Equations equations;
    equations.n = static_cast<int32_t>(nodes.size());
    int32_t first = g.place[nodes[0]];
    for (int32_t v : nodes) {
        if (scaled::is_zero(in_of(v))) continue;
        auto n_tails = static_cast<int32_t>(equations.tails.size());
        equations.terms.push_back({g.place[v] - first, base_of(v), n_tails, n_tails});
        for (int32_t e = g.edge_start[v]; e < g.edge_start[v + 1]; ++e) {
            auto t = g.tails(e);
            for (size_t i = 0; i < t.size(); ++i) {
                if (!in_component(g, nodes, t[i]) || scaled::is_zero(in_of(t[i]))) continue;
                Scaled derivative = weight_of(g.label[e]);
                for (size_t k = 0; k < t.size(); ++k)
                    if (k != i) derivative = scaled::normal(scaled::times(derivative, in_of(t[k])));
                n_tails = static_cast<int32_t>(equations.tails.size());
                equations.tails.push_back(g.place[v] - first);
                equations.terms.push_back({g.place[t[i]] - first, derivative, n_tails, n_tails + 1});
            }
        }
    }
    return equations;
}

// The solution, or a CycleError that says what diverges where.
std::vector<Scaled> solved(const Equations& equations, std::span<const int32_t> nodes, const char* what) {
    std::vector<int32_t> diverged;
    auto x = least_solution(equations, diverged);
    if (x) return *x;
    for (int32_t& v : diverged) v = nodes[v];
    throw CycleError(what, sorted(diverged));
}

constexpr const char* kNoSum = "the sum over derivations diverges";
constexpr const char* kNoExpectation = "the expected counts over derivations diverge";

Scaled checked_scaled(double x) {
    if (!(x >= 0.0)) throw std::invalid_argument("sums over cycles need weights that are not negative");
    if (x > std::numeric_limits<double>::max())
        throw std::invalid_argument("a sum leaves the range of plain numbers; the log semiring has no such limit");
    return scaled::from_double(x);
}

// Repeats `sweep`, which improves the values of a component and says whether it did, until nothing changes:
// with an idempotent ⊕ that is within n rounds, or never.
template <class Sweep>
void relax(std::span<const int32_t> nodes, Sweep sweep) {
    for (size_t round = 0; round <= nodes.size() + 1; ++round)
        if (!sweep()) return;
    throw CycleError("the best score is infinite, since a cycle has a positive score", sorted(nodes));
}

// What counts as rounding in sums of the scores of a component: a cycle of +0.1, +0.2 and -0.3 has to come to rest.
double rounding(const Hypergraph& g, std::span<const int32_t> nodes, std::span<const double> weight) {
    double largest = 0.0;
    for (int32_t v : nodes)
        for (int32_t e = g.edge_start[v]; e < g.edge_start[v + 1]; ++e)
            if (weight[g.label[e]] > kLogZero) largest = std::max(largest, std::abs(weight[g.label[e]]));
    return 1e-12 * largest;
}
double rounding(const Hypergraph&, std::span<const int32_t>, std::span<const uint8_t>) { return 0.0; }

bool improves(double a, double b, double rounding) {
    return b == kLogZero ? a > b : a - b > std::max(rounding, 1e-12 * std::abs(b));
}
bool improves(uint8_t a, uint8_t b, double) { return a > b; }

// out(t) of idempotent semirings, by relaxation from the heads to the tails among the nodes that something derives.
template <class S>
void relax_outside(const Hypergraph& g, std::span<const int32_t> nodes, std::span<const typename S::Value> weight,
                   Around<S>* at, const S& s) {
    std::vector<typename S::Value> kept(nodes.size());
    double slack = rounding(g, nodes, weight);
    relax(nodes, [&] {
        for (size_t i = 0; i < nodes.size(); ++i) kept[i] = at[nodes[i]].out;
        for (size_t i = nodes.size(); i-- > 0;)
            push_outside_of_node(g, nodes[i], weight, at, s,
                                 [&](int32_t t) { return !in_component(g, nodes, t) || s.is_zero(at[t].in); });
        bool changed = false;
        for (size_t i = 0; i < nodes.size(); ++i) {
            if (improves(at[nodes[i]].out, kept[i], slack)) changed = true;
            else at[nodes[i]].out = kept[i];
        }
        return changed;
    });
}

// Knuth (1977): the best node that is not final is final, since no edge can lead to more than its tails have.
void knuth(const Hypergraph& g, std::span<const int32_t> nodes, std::span<const double> weight,
           std::vector<double>& best, std::vector<int32_t>& best_edge) {
    const int32_t first = g.place[nodes[0]];
    struct Edge {
        int32_t head, id, waiting;
        double score;
    };
    std::vector<Edge> edges;
    std::vector<std::vector<int32_t>> uses(nodes.size());  // one entry per occurrence as a tail
    using Entry = std::pair<double, int32_t>;
    std::priority_queue<Entry> agenda;
    auto offer = [&](const Edge& edge) {
        if (edge.score > best[edge.head]) {
            best[edge.head] = edge.score;
            best_edge[g.place[edge.head] - first] = edge.id;
            agenda.emplace(edge.score, edge.head);
        }
    };
    for (int32_t v : nodes) best[v] = kLogZero;
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

// A cycle that something derives can be gone round any number of times; one that nothing derives counts nothing.
template <class S>
void count_component(const Hypergraph& g, std::span<const int32_t> nodes, std::span<const typename S::Value> weight,
                     std::vector<typename S::Value>& in, const S& s) {
    auto known = [&](const typename S::Value& count) { return s.is_zero(count) ? scaled::kZero : scaled::kOne; };
    Equations equations = inside_equations(
        g, nodes, [&](int32_t k) { return known(weight[k]); }, [&](int32_t v) { return known(in[v]); });
    auto terms_of = terms_that_count(equations);
    for (int32_t v : nodes) in[v] = s.zero();
    for_each_component(equations, terms_of, [&](std::span<const int32_t> unknowns) {
        int32_t v = unknowns[0];
        bool cyclic = unknowns.size() > 1;
        for (int32_t k : terms_of[v])
            for (int32_t t : equations.tails_of(equations.terms[k])) cyclic |= t == v;
        if (cyclic) {
            std::vector<int32_t> met;
            for (int32_t u : unknowns) met.push_back(nodes[u]);
            throw CycleError("there are infinitely many derivations", sorted(met));
        }
        in[nodes[v]] = sum_over_edges(g, nodes[v], weight, in.data(), s);
    });
}

}  // namespace

void solve_inside(const Hypergraph& g, std::span<const int32_t> nodes, std::span<const Scaled> weight,
                  std::vector<Scaled>& in, const Log&) {
    auto x = solved(inside_equations(
                        g, nodes, [&](int32_t k) { return weight[k]; }, [&](int32_t v) { return in[v]; }),
                    nodes, kNoSum);
    for (size_t i = 0; i < nodes.size(); ++i) in[nodes[i]] = x[i];
}

void solve_inside(const Hypergraph& g, std::span<const int32_t> nodes, std::span<const double> weight,
                  std::vector<double>& in, const Real&) {
    auto x = solved(inside_equations(
                        g, nodes, [&](int32_t k) { return checked_scaled(weight[k]); },
                        [&](int32_t v) { return checked_scaled(in[v]); }),
                    nodes, kNoSum);
    for (size_t i = 0; i < nodes.size(); ++i) in[nodes[i]] = scaled::to_double(x[i]);
}

void solve_inside(const Hypergraph& g, std::span<const int32_t> nodes, std::span<const uint8_t> weight,
                  std::vector<uint8_t>& in, const Boolean&) {
    auto known = [](uint8_t value) { return value ? scaled::kOne : scaled::kZero; };
    auto terms_of = terms_that_count(inside_equations(
        g, nodes, [&](int32_t k) { return known(weight[k]); }, [&](int32_t v) { return known(in[v]); }));
    for (size_t i = 0; i < nodes.size(); ++i) in[nodes[i]] = !terms_of[i].empty();
}

void solve_inside(const Hypergraph& g, std::span<const int32_t> nodes, std::span<const uint64_t> weight,
                  std::vector<uint64_t>& in, const Counting& s) {
    count_component(g, nodes, weight, in, s);
}

void solve_inside(const Hypergraph& g, std::span<const int32_t> nodes, std::span<const BigNat> weight,
                  std::vector<BigNat>& in, const BigCounting& s) {
    count_component(g, nodes, weight, in, s);
}

void solve_inside(const Hypergraph& g, std::span<const int32_t> nodes, std::span<const double> weight,
                  std::vector<double>& in, const Max&) {
    best_of_component(g, nodes, weight, in);
}

std::vector<int32_t> best_of_component(const Hypergraph& g, std::span<const int32_t> nodes,
                                       std::span<const double> weight, std::vector<double>& best) {
    std::vector<int32_t> best_edge(nodes.size(), -1);
    if (is_superior(g, nodes, weight, best)) {
        knuth(g, nodes, weight, best, best_edge);
        return best_edge;
    }
    for (int32_t v : nodes) best[v] = kLogZero;
    double slack = rounding(g, nodes, weight);
    relax(nodes, [&] {
        bool changed = false;
        for (size_t i = 0; i < nodes.size(); ++i)
            for (int32_t e = g.edge_start[nodes[i]]; e < g.edge_start[nodes[i] + 1]; ++e) {
                double score = edge_inside(g, e, weight, best, Max{});
                if (!improves(score, best[nodes[i]], slack)) continue;
                best[nodes[i]] = score;
                best_edge[i] = e;
                changed = true;
            }
        return changed;
    });
    return best_edge;
}

void solve_outside(const Hypergraph& g, std::span<const int32_t> nodes, std::span<const Scaled> weight,
                   Around<Log>* at, const Log& s) {
    auto x = solved(outside_equations(
                        g, nodes, [&](int32_t k) { return weight[k]; }, [&](int32_t v) { return at[v].in; },
                        [&](int32_t v) { return s.normal(at[v].out); }),
                    nodes, kNoExpectation);
    for (size_t i = 0; i < nodes.size(); ++i)
        if (!s.is_zero(at[nodes[i]].in)) at[nodes[i]].out = x[i];
}

void solve_outside(const Hypergraph& g, std::span<const int32_t> nodes, std::span<const double> weight,
                   Around<Real>* at, const Real& s) {
    auto x = solved(outside_equations(
                        g, nodes, [&](int32_t k) { return checked_scaled(weight[k]); },
                        [&](int32_t v) { return checked_scaled(at[v].in); },
                        [&](int32_t v) { return checked_scaled(at[v].out); }),
                    nodes, kNoExpectation);
    for (size_t i = 0; i < nodes.size(); ++i)
        if (!s.is_zero(at[nodes[i]].in)) at[nodes[i]].out = scaled::to_double(x[i]);
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

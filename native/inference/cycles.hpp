// Components of nodes that depend on each other: unary chains, self-loops, grammars with A → B → A.
//
// Sums are the least solution of x_v = Σ_e c_e Π x_t, found by Newton's method, which is one linear solve where
// every edge has at most one tail inside the component. Maxima and booleans settle by Knuth's generalisation of
// Dijkstra's algorithm (CSC 448, §7.1) where scores only fall on the way up, or by relaxation otherwise.
// A sum or a maximum that does not exist is a CycleError that names the component.
#pragma once
#include <span>
#include <vector>

#include "inference/hypergraph.hpp"
#include "inference/semiring.hpp"

namespace palmette {

// Whether v is one of the nodes of a component of a graph with cycles.
inline bool in_component(const Hypergraph& g, std::span<const int32_t> nodes, int32_t v) {
    return static_cast<size_t>(g.place[v] - g.place[nodes[0]]) < nodes.size();
}

// Sets in[v] for the nodes of one component; the tails outside of it are done.
template <class S>
void solve_inside(const Hypergraph& g, std::span<const int32_t>, std::span<const typename S::Value>,
                  std::vector<typename S::Value>&, const S&) {
    g.require_acyclic("this semiring");
}
void solve_inside(const Hypergraph& g, std::span<const int32_t> nodes, std::span<const Scaled> weight,
                  std::vector<Scaled>& in, const Log&);
void solve_inside(const Hypergraph& g, std::span<const int32_t> nodes, std::span<const double> weight,
                  std::vector<double>& in, const Real&);
void solve_inside(const Hypergraph& g, std::span<const int32_t> nodes, std::span<const uint8_t> weight,
                  std::vector<uint8_t>& in, const Boolean&);
void solve_inside(const Hypergraph& g, std::span<const int32_t> nodes, std::span<const uint64_t> weight,
                  std::vector<uint64_t>& in, const Counting&);
void solve_inside(const Hypergraph& g, std::span<const int32_t> nodes, std::span<const BigNat> weight,
                  std::vector<BigNat>& in, const BigCounting&);
void solve_inside(const Hypergraph& g, std::span<const int32_t> nodes, std::span<const double> weight,
                  std::vector<double>& in, const Max&);

// The two values of a node side by side: the outside pass needs both at once, and finds them in one cache line.
template <class S>
struct Around {
    typename S::Value in, out;
};

// Completes at[v].out for the nodes of one component; on entry it holds what comes from outside of it. Nodes that
// nothing derives keep that.
template <class S>
void solve_outside(const Hypergraph& g, std::span<const int32_t>, std::span<const typename S::Value>, Around<S>*,
                   const S&) {
    g.require_acyclic("this semiring");
}
void solve_outside(const Hypergraph& g, std::span<const int32_t> nodes, std::span<const Scaled> weight,
                   Around<Log>* at, const Log&);
void solve_outside(const Hypergraph& g, std::span<const int32_t> nodes, std::span<const double> weight,
                   Around<Real>* at, const Real&);
void solve_outside(const Hypergraph& g, std::span<const int32_t> nodes, std::span<const double> weight,
                   Around<Max>* at, const Max&);
void solve_outside(const Hypergraph& g, std::span<const int32_t> nodes, std::span<const uint8_t> weight,
                   Around<Boolean>* at, const Boolean&);

// Sets the best score of every node of a component; the result has the edge that gives it to nodes[i], or -1.
std::vector<int32_t> best_of_component(const Hypergraph& g, std::span<const int32_t> nodes,
                                       std::span<const double> weight, std::vector<double>& best);

}  // namespace palmette

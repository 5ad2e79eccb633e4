// Inside and outside values over any semiring; CSC 448, §11, eq. 102.
//
//   in(v)  = ⊕ over edges e of v:              w(e) ⊗ in(t1) ⊗ ... ⊗ in(tk)
//   out(t) = ⊕ over edges e with t in a tail:  out(head) ⊗ w(e) ⊗ the in of the other tails
//
// Each costs O(edges + tails) on an acyclic graph; inference/cycles.hpp solves the components that have cycles.
#pragma once
#include <span>
#include <vector>

#include "inference/cycles.hpp"
#include "inference/hypergraph.hpp"
#include "inference/semiring.hpp"

namespace palmette {

// sum ← sum ⊕ value
template <class S>
inline void add(typename S::Value& sum, const typename S::Value& value, const S& s) {
    sum = s.plus(std::move(sum), value);
}
inline void add(Scaled& sum, const Scaled& value, const Log&) { scaled::add(sum, value); }

// weight ⊗ the inside values of the tails, in flight (see inference/semiring.hpp).
template <class S>
[[gnu::noinline]] typename S::Value product_of_many(typename S::Value product, std::span<const int32_t> t,
                                                    const typename S::Value* in, const S& s) {
    for (int32_t v : t) product = s.times(s.normal(std::move(product)), in[v]);
    return product;
}
template <class S>
inline typename S::Value product_of(const typename S::Value& weight, std::span<const int32_t> t,
                                    const typename S::Value* in, const S& s) {
    if (t.size() == 2) return s.times(s.times(weight, in[t[0]]), in[t[1]]);
    if (t.size() == 1) return s.times(weight, in[t[0]]);
    if (t.size() == 0) return weight;
    return product_of_many(weight, t, in, s);
}

template <class S>
inline typename S::Value edge_inside(const Hypergraph& g, int32_t e, std::span<const typename S::Value> weight,
                                     const std::vector<typename S::Value>& in, const S& s) {
    return product_of(weight[g.label[e]], g.tails(e), in.data(), s);
}

template <class S>
inline typename S::Value sum_over_edges(const Hypergraph& g, int32_t v, std::span<const typename S::Value> weight,
                                        const typename S::Value* in, const S& s) {
    const int32_t *label = g.label.data(), *start = g.tail_start.data(), *tail = g.tail.data();
    const auto* w = weight.data();
    auto sum = s.zero();
    for (int32_t e = g.edge_start[v], end = g.edge_start[v + 1]; e < end; ++e)
        add(sum, product_of(w[label[e]], {tail + start[e], tail + start[e + 1]}, in, s), s);
    return s.normal(std::move(sum));
}

// weight[k] is the value of part k; the result has one value per node.
template <class S>
std::vector<typename S::Value> inside(const Hypergraph& g, std::span<const typename S::Value> weight, const S& s) {
    std::vector<typename S::Value> in(g.n_nodes, s.zero());
    g.for_each_component([&](std::span<const int32_t> nodes, bool cyclic) {
        if (cyclic) return solve_inside(g, nodes, weight, in, s);
        in[nodes[0]] = sum_over_edges(g, nodes[0], weight, in.data(), s);
    });
    return in;
}

// Adds to the outside of the tails t what their edge gives them; `above` = out(head) ⊗ w(e).
template <class S, class Skip>
[[gnu::noinline]] void push_outside_of_many(std::span<const int32_t> t, const typename S::Value& above, Around<S>* at,
                                            const S& s, Skip skip) {
    // after[i] = the product of the tails after i; before = above and the tails before i.
    std::vector<typename S::Value> after(t.size(), s.one());
    for (size_t i = t.size() - 1; i-- > 0;) after[i] = s.normal(s.times(after[i + 1], at[t[i + 1]].in));
    auto before = s.normal(above);
    for (size_t i = 0; i < t.size(); ++i) {
        if (!skip(t[i])) add(at[t[i]].out, s.times(before, after[i]), s);
        before = s.normal(s.times(before, at[t[i]].in));
    }
}

template <class S, class Skip>
inline void push_outside_of_two(int32_t t, int32_t u, const typename S::Value& above, Around<S>* at, const S& s,
                                Skip skip) {
    auto to_t = s.times(above, at[u].in), to_u = s.times(above, at[t].in);
    if (!skip(t)) add(at[t].out, to_t, s);
    if (!skip(u)) add(at[u].out, to_u, s);
}

template <class S, class Skip>
inline void push_outside(std::span<const int32_t> t, const typename S::Value& above, Around<S>* at, const S& s,
                         Skip skip) {
    if (t.size() == 2) {
        push_outside_of_two(t[0], t[1], above, at, s, skip);
    } else if (t.size() == 1) {
        if (!skip(t[0])) add(at[t[0]].out, above, s);
    } else if (t.size() > 2) {
        push_outside_of_many(t, above, at, s, skip);
    }
}

// Does that for all edges of a node whose outside value is complete.
template <class S, class Skip>
inline void push_outside_of_node(const Hypergraph& g, int32_t v, std::span<const typename S::Value> weight,
                                 Around<S>* at, const S& s, Skip skip) {
    const auto out = at[v].out = s.normal(std::move(at[v].out));
    if (s.is_zero(out)) return;
    const int32_t *label = g.label.data(), *start = g.tail_start.data(), *tail = g.tail.data();
    const auto* w = weight.data();
    int32_t e = g.edge_start[v];
    const int32_t end = g.edge_start[v + 1];
    if (g.is_binary(v)) {
        for (const int32_t* t = tail + start[e]; e < end; ++e, t += 2)
            push_outside_of_two(t[0], t[1], s.times(out, w[label[e]]), at, s, skip);
        return;
    }
    for (; e < end; ++e)
        push_outside({tail + start[e], tail + start[e + 1]}, s.times(out, w[label[e]]), at, s, skip);
}

// The outside value of every node with respect to the root; all zero where there is no root.
template <class S>
std::vector<typename S::Value> outside(const Hypergraph& g, std::span<const typename S::Value> weight,
                                       const std::vector<typename S::Value>& in, const S& s) {
    std::vector<Around<S>> at;
    at.reserve(g.n_nodes);
    for (const auto& value : in) at.push_back({value, s.zero()});
    if (g.root >= 0) at[g.root].out = s.one();
    g.for_each_component_backwards([&](std::span<const int32_t> nodes, bool cyclic) {
        if (!cyclic) return push_outside_of_node(g, nodes[0], weight, at.data(), s, [](int32_t) { return false; });
        // What flows inside a component is part of its solution.
        solve_outside(g, nodes, weight, at.data(), s);
        for (int32_t v : nodes)
            push_outside_of_node(g, v, weight, at.data(), s, [&](int32_t t) { return in_component(g, nodes, t); });
    });
    std::vector<typename S::Value> out;
    out.reserve(g.n_nodes);
    for (auto& both : at) out.push_back(std::move(both.out));
    return out;
}

// Calls visit(edge, out(head) ⊗ w(e) ⊗ in(tails)), in flight: the ⊕ of all derivations through the edge, once per use.
template <class S, class Visit>
void for_each_edge_total(const Hypergraph& g, std::span<const typename S::Value> weight,
                         const std::vector<typename S::Value>& in, const std::vector<typename S::Value>& out,
                         const S& s, Visit visit) {
    for (int32_t v = 0; v < g.n_nodes; ++v) {
        if (s.is_zero(out[v])) continue;
        for (int32_t e = g.edge_start[v]; e < g.edge_start[v + 1]; ++e)
            visit(e, s.times(out[v], edge_inside(g, e, weight, in, s)));
    }
}

// The ⊕ of the edge totals of each part.
template <class S>
std::vector<typename S::Value> part_totals(const Hypergraph& g, std::span<const typename S::Value> weight,
                                           const std::vector<typename S::Value>& in,
                                           const std::vector<typename S::Value>& out, const S& s) {
    std::vector<typename S::Value> total(g.n_parts, s.zero());
    for_each_edge_total(g, weight, in, out, s,
                        [&](int32_t e, const typename S::Value& value) { add(total[g.label[e]], value, s); });
    for (auto& sum : total) sum = s.normal(std::move(sum));
    return total;
}

}  // namespace palmette

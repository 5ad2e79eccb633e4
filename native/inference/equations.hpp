// Systems of polynomial equations with non-negative coefficients, and their least non-negative solutions.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/scaled.hpp"
#include "inference/hypergraph.hpp"

namespace palmette {

// x_v = Σ over terms with head v of coefficient · Π over its tails of x_t, for v = 0 .. n-1.
struct Equations {
    struct Term {
        int32_t head;
        Scaled coefficient;
        int32_t first_tail, last_tail;  // tails[first_tail .. last_tail - 1]
    };
    int32_t n = 0;
    std::vector<Term> terms;
    std::vector<int32_t> tails;

    std::span<const int32_t> tails_of(const Term& term) const {
        return {tails.data() + term.first_tail, static_cast<size_t>(term.last_tail - term.first_tail)};
    }
};

// The terms that are not zero in the least solution, by head. An unknown without such a term is zero.
std::vector<std::vector<int32_t>> terms_that_count(const Equations& equations);

// Calls report(unknowns) for the strongly connected components of those terms, tails before heads.
template <class Report>
void for_each_component(const Equations& equations, const std::vector<std::vector<int32_t>>& terms_of, Report report) {
    std::vector<std::vector<int32_t>> needs(equations.n);
    for (int32_t v = 0; v < equations.n; ++v)
        for (int32_t k : terms_of[v])
            for (int32_t t : equations.tails_of(equations.terms[k])) needs[v].push_back(t);
    strong_components(
        equations.n,
        [&](int32_t v, int32_t i) { return i < static_cast<int32_t>(needs[v].size()) ? needs[v][i] : -1; }, report);
}

// The least solution, per strongly connected component of the terms that count: by Newton's method from zero, which
// is one linear solve where no term has two tails in the component. Nothing if the sums diverge; then `diverged`
// holds the unknowns of the component that does.
std::optional<std::vector<Scaled>> least_solution(const Equations& equations, std::vector<int32_t>& diverged);

}  // namespace palmette

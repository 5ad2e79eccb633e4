#include "inference/equations.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace palmette {
namespace {

using scaled::is_zero;
using scaled::normal;
using scaled::plus;
using scaled::ratio;
using scaled::times;

constexpr size_t kEliminationLimit = 1024;
constexpr int kMostSweeps = 100'000;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Entry {
    int32_t row, column;
    Scaled value;
};

// 1 + a + a² + ...; nothing where that diverges.
std::optional<Scaled> star(Scaled a) {
    double loop = scaled::to_double(a);
    return loop < 1.0 ? std::optional(scaled::from_double(1 / (1 - loop))) : std::nullopt;
}

// Puts x_k = (1 - a_kk)⁻¹ (Σ_{j > k} a_kj x_j + b_k) into the rows below, one k after the other. Nothing is ever
// subtracted but a_kk from 1, and the powers of A vanish just where every a_kk is below 1 on its turn.
std::optional<std::vector<Scaled>> eliminate(const std::vector<Entry>& entries, std::vector<Scaled> b) {
    size_t n = b.size();
    std::vector<Scaled> a(n * n, scaled::kZero);
    for (const Entry& entry : entries) {
        Scaled& sum = a[entry.row * n + entry.column];
        sum = normal(plus(sum, entry.value));
    }
    for (size_t k = 0; k < n; ++k) {
        Scaled* row = &a[k * n];
        auto loops = star(row[k]);
        if (!loops) return {};
        for (size_t j = k + 1; j < n; ++j) row[j] = normal(times(row[j], *loops));
        b[k] = normal(times(b[k], *loops));
        for (size_t i = k + 1; i < n; ++i) {
            Scaled* below = &a[i * n];
            const Scaled factor = below[k];
            if (is_zero(factor)) continue;
            for (size_t j = k + 1; j < n; ++j)
                if (!is_zero(row[j])) below[j] = normal(plus(below[j], times(factor, row[j])));
            b[i] = normal(plus(b[i], times(factor, b[k])));
        }
    }
    for (size_t k = n; k-- > 0;) {
        for (size_t j = k + 1; j < n; ++j) b[k] = plus(b[k], times(a[k * n + j], b[j]));
        b[k] = normal(b[k]);
    }
    return b;
}

// x = d + H d + H² d + ... with the matrix H of one Gauss-Seidel sweep. Where lo · d <= H d <= hi · d in every row,
// the rest of the series lies between the geometric series of lo and of hi, so the sweeps may stop when these agree,
// and there is no sum when lo is not below 1 (Collatz 1942).
std::optional<std::vector<Scaled>> sweep(std::vector<Entry> entries, std::vector<Scaled> b) {
    std::stable_sort(entries.begin(), entries.end(), [](const Entry& x, const Entry& y) { return x.row < y.row; });
    size_t n = b.size();
    std::vector<Scaled> x(n, scaled::kZero), d(n, scaled::kZero), loops(n, scaled::kZero);
    for (const Entry& entry : entries)
        if (entry.row == entry.column) loops[entry.row] = normal(plus(loops[entry.row], entry.value));
    for (Scaled& loop : loops) {
        auto sum = star(loop);
        if (!sum) return {};
        loop = *sum;
    }
    for (int round = 0; round < kMostSweeps; ++round) {
        double lo = kInfinity, hi = 0.0;
        auto entry = entries.begin();
        for (size_t i = 0; i < n; ++i) {
            Scaled sum = round == 0 ? b[i] : scaled::kZero;
            for (; entry != entries.end() && entry->row == static_cast<int32_t>(i); ++entry)
                if (entry->column != entry->row) sum = plus(sum, times(entry->value, d[entry->column]));
            sum = normal(times(normal(sum), loops[i]));
            if (!is_zero(sum) || !is_zero(d[i])) {
                double growth = is_zero(d[i]) ? kInfinity : ratio(sum, d[i]);
                lo = std::min(lo, growth);
                hi = std::max(hi, growth);
            }
            d[i] = sum;
            x[i] = normal(plus(x[i], sum));
        }
        if (hi == 0.0) return x;
        if (round == 0) continue;
        if (lo >= 1.0) return {};
        if (hi >= 1.0) continue;
        const double rest = hi / (1 - hi), doubt = rest - lo / (1 - lo);
        auto settled = [&] {
            for (size_t i = 0; i < n; ++i)
                if (doubt * ratio(d[i], x[i]) > 1e-15) return false;
            return true;
        };
        const bool differ_by_rounding = hi - lo <= 1e-14;
        if (!differ_by_rounding && !settled()) continue;
        for (size_t i = 0; i < n; ++i) x[i] = normal(plus(x[i], times(d[i], scaled::from_double(rest))));
        return x;
    }
    return {};
}

// Solves x = A x + b for a non-negative n × n matrix A, the sum of its entries. Nothing where the powers of A do not
// vanish. Small systems by elimination, O(n³); larger ones by sweeps over the entries.
std::optional<std::vector<Scaled>> solve_fixpoint(std::vector<Entry> a, std::vector<Scaled> b) {
    return b.size() <= kEliminationLimit ? eliminate(a, std::move(b)) : sweep(std::move(a), std::move(b));
}

// One strongly connected component: what is below it is in the coefficients.
struct Block {
    size_t n;
    struct Term {
        int32_t head;
        Scaled c;
        std::vector<int32_t> tails;
    };
    std::vector<Term> terms;

    bool is_linear() const {
        return std::all_of(terms.begin(), terms.end(), [](const Term& term) { return term.tails.size() <= 1; });
    }
    std::vector<Scaled> value(const std::vector<Scaled>& y) const {
        std::vector<Scaled> f(n, scaled::kZero);
        for (const Term& term : terms) {
            Scaled p = term.c;
            for (int32_t t : term.tails) p = normal(times(p, y[t]));
            f[term.head] = normal(plus(f[term.head], p));
        }
        return f;
    }
    std::vector<Entry> jacobian(const std::vector<Scaled>& y) const {
        std::vector<Entry> j;
        for (const Term& term : terms)
            for (size_t i = 0; i < term.tails.size(); ++i) {
                Scaled p = term.c;
                for (size_t k = 0; k < term.tails.size(); ++k)
                    if (k != i) p = normal(times(p, y[term.tails[k]]));
                if (!is_zero(p)) j.push_back({term.head, term.tails[i], p});
            }
        return j;
    }
};

// y ← y + (I - J(y))⁻¹ (f(y) - y), from zero: it rises to the least solution, or comes to where the powers of J do
// not vanish if there is none (Etessami & Yannakakis 2009). The number of correct digits doubles with each step; only
// where the solution is critical a step gains but one bit, and there the last half of the digits is noise.
std::optional<std::vector<Scaled>> newton(const Block& block) {
    std::vector<Scaled> y(block.n, scaled::kZero);
    const bool linear = block.is_linear();
    double step_before = kInfinity;
    for (int round = 0; round < 1000; ++round) {
        std::vector<Scaled> rise = block.value(y);
        bool nearly = true;
        for (size_t i = 0; i < block.n; ++i) {
            // f(y) >= y on the way up; what rounding makes of that below is not a rise.
            double relative = is_zero(rise[i]) ? 0.0 : std::max(0.0, 1 - ratio(y[i], rise[i]));
            rise[i] = normal(times(rise[i], {relative, 0.0}));
            nearly &= relative <= 1e-13;
        }
        auto step = solve_fixpoint(block.jacobian(y), std::move(rise));
        if (!step) return nearly ? std::optional(y) : std::nullopt;
        double largest = 0.0;
        std::vector<Scaled> next(block.n);
        for (size_t i = 0; i < block.n; ++i) {
            next[i] = normal(plus(y[i], (*step)[i]));
            largest = std::max(largest, ratio((*step)[i], next[i]));
        }
        if (nearly && largest > 0.5 * step_before) return y;
        y = std::move(next);
        if (linear || largest < 1e-10) return y;
        step_before = largest;
    }
    return {};
}

}  // namespace

std::vector<std::vector<int32_t>> terms_that_count(const Equations& equations) {
    // waiting[k] counts the tails of term k that are not known to be above zero.
    std::vector<std::vector<int32_t>> uses(equations.n), terms_of(equations.n);
    std::vector<int32_t> waiting, agenda;
    auto count = [&](int32_t k) {
        auto& terms = terms_of[equations.terms[k].head];
        if (terms.empty()) agenda.push_back(equations.terms[k].head);
        terms.push_back(k);
    };
    for (size_t k = 0; k < equations.terms.size(); ++k) {
        const auto& term = equations.terms[k];
        auto t = equations.tails_of(term);
        waiting.push_back(static_cast<int32_t>(t.size()));
        if (is_zero(term.coefficient)) continue;
        for (int32_t v : t) uses[v].push_back(static_cast<int32_t>(k));
        if (t.empty()) count(static_cast<int32_t>(k));
    }
    while (!agenda.empty()) {
        int32_t v = agenda.back();
        agenda.pop_back();
        for (int32_t k : uses[v])
            if (--waiting[k] == 0) count(k);
    }
    return terms_of;
}

std::optional<std::vector<Scaled>> least_solution(const Equations& equations, std::vector<int32_t>& diverged) {
    auto terms_of = terms_that_count(equations);
    std::vector<Scaled> x(equations.n, scaled::kZero);
    std::vector<int32_t> local(equations.n, -1);
    for_each_component(equations, terms_of, [&](std::span<const int32_t> unknowns) {
        if (!diverged.empty() || terms_of[unknowns[0]].empty()) return;
        for (size_t i = 0; i < unknowns.size(); ++i) local[unknowns[i]] = static_cast<int32_t>(i);
        Block block{unknowns.size(), {}};
        for (int32_t v : unknowns)
            for (int32_t k : terms_of[v]) {
                Block::Term term{local[v], equations.terms[k].coefficient, {}};
                for (int32_t t : equations.tails_of(equations.terms[k])) {
                    if (local[t] >= 0) term.tails.push_back(local[t]);
                    else term.c = normal(times(term.c, x[t]));
                }
                block.terms.push_back(std::move(term));
            }
        if (auto y = newton(block))
            for (size_t i = 0; i < unknowns.size(); ++i) x[unknowns[i]] = (*y)[i];
        else
            diverged.assign(unknowns.begin(), unknowns.end());
        for (int32_t v : unknowns) local[v] = -1;
    });
    if (!diverged.empty()) return {};
    return x;
}

}  // namespace palmette

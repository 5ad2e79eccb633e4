#include "equations.hpp"

#include <algorithm>
#include <cmath>

#include "hypergraph.hpp"

namespace palmette {
namespace {

constexpr size_t kEliminationLimit = 1024;

std::optional<std::vector<double>> eliminate(const std::vector<Entry>& entries, std::vector<double> b) {
    size_t n = b.size();
    std::vector<double> a(n * n, 0.0);  // I - A, triangulated with row exchanges
    for (size_t i = 0; i < n; ++i) a[i * n + i] = 1.0;
    for (const Entry& entry : entries) a[entry.row * n + entry.column] -= entry.value;
    for (size_t k = 0; k < n; ++k) {
        size_t pivot = k;
        for (size_t i = k + 1; i < n; ++i)
            if (std::abs(a[i * n + k]) > std::abs(a[pivot * n + k])) pivot = i;
        if (!(std::abs(a[pivot * n + k]) > 1e-300)) return {};
        if (pivot != k) {
            std::swap_ranges(&a[k * n], &a[k * n] + n, &a[pivot * n]);
            std::swap(b[k], b[pivot]);
        }
        for (size_t i = k + 1; i < n; ++i) {
            double factor = a[i * n + k] / a[k * n + k];
            if (factor == 0.0) continue;
            for (size_t j = k; j < n; ++j) a[i * n + j] -= factor * a[k * n + j];
            b[i] -= factor * b[k];
        }
    }
    for (size_t i = n; i-- > 0;) {
        for (size_t j = i + 1; j < n; ++j) b[i] -= a[i * n + j] * b[j];
        b[i] /= a[i * n + i];
        if (!std::isfinite(b[i])) return {};
    }
    return b;
}

std::optional<std::vector<double>> sweep(std::vector<Entry> entries, const std::vector<double>& b) {
    std::sort(entries.begin(), entries.end(), [](const Entry& x, const Entry& y) { return x.row < y.row; });
    std::vector<double> x(b.size(), 0.0);
    for (int round = 0; round < 100'000; ++round) {
        double change = 0.0;
        auto entry = entries.begin();
        for (size_t i = 0; i < b.size(); ++i) {
            double sum = b[i], rest = 1.0;
            for (; entry != entries.end() && entry->row == static_cast<int32_t>(i); ++entry) {
                if (entry->column == entry->row) rest -= entry->value;
                else sum += entry->value * x[entry->column];
            }
            sum /= rest;
            if (!(rest > 0.0) || !std::isfinite(sum)) return {};
            if (sum != 0.0) change = std::max(change, std::abs(sum - x[i]) / std::abs(sum));
            x[i] = sum;
        }
        if (change < 1e-15) return x;
    }
    return {};
}

// One strongly connected component with plain coefficients.
struct Block {
    size_t n;
    struct Term {
        int32_t head;
        double c;
        std::vector<int32_t> tails;
    };
    std::vector<Term> terms;

    std::vector<double> value(const std::vector<double>& y) const {
        std::vector<double> f(n, 0.0);
        for (const Term& term : terms) {
            double p = term.c;
            for (int32_t t : term.tails) p *= y[t];
            f[term.head] += p;
        }
        return f;
    }
    std::vector<Entry> jacobian(const std::vector<double>& y) const {
        std::vector<Entry> j;
        for (const Term& term : terms)
            for (size_t i = 0; i < term.tails.size(); ++i) {
                double p = term.c;
                for (size_t k = 0; k < term.tails.size(); ++k)
                    if (k != i) p *= y[term.tails[k]];
                j.push_back({term.head, term.tails[i], p});
            }
        return j;
    }
};

// y ← y + (I - J(y))⁻¹ (f(y) - y), from zero: it rises to the least solution, or breaks its rise if there is none.
std::optional<std::vector<double>> newton(const Block& block) {
    std::vector<double> y(block.n, 0.0);
    for (int round = 0; round < 1000; ++round) {
        std::vector<double> residual = block.value(y);
        bool settled = round > 0;
        for (size_t i = 0; i < block.n; ++i) {
            residual[i] -= y[i];
            if (!std::isfinite(residual[i])) return {};
            settled &= std::abs(residual[i]) <= 4e-16 * y[i];
        }
        if (settled) return y;
        bool nearly = round > 0;
        for (size_t i = 0; i < block.n; ++i) nearly &= std::abs(residual[i]) <= 1e-14 * y[i];
        auto step = solve_fixpoint(block.jacobian(y), residual);
        // Close to a critical solution the last digits of the step are noise; what is there is the answer.
        if (!step) return nearly ? std::optional(y) : std::nullopt;
        double largest = 0.0;
        for (size_t i = 0; i < block.n; ++i) {
            double next = y[i] + (*step)[i];
            if (!(next > 0.0) || next < y[i] * (1 - 1e-9)) return nearly ? std::optional(y) : std::nullopt;
            largest = std::max(largest, std::abs((*step)[i]) / next);
            y[i] = next;
        }
        if (largest < 1e-15) return y;
    }
    return {};
}

}  // namespace

std::optional<std::vector<double>> solve_fixpoint(const std::vector<Entry>& a, std::vector<double> b) {
    return b.size() <= kEliminationLimit ? eliminate(a, std::move(b)) : sweep(a, b);
}

std::optional<std::vector<Scaled>> least_solution(const Equations& equations, std::vector<int32_t>& diverged) {
    int32_t n = equations.n;
    // Which unknowns are not zero, and which terms count.
    std::vector<uint8_t> positive(n, 0);
    auto counts = [&](const Equations::Term& term) {
        if (scaled::is_zero(term.coefficient)) return false;
        auto t = equations.tails_of(term);
        return std::all_of(t.begin(), t.end(), [&](int32_t v) { return positive[v]; });
    };
    for (bool changed = true; changed;) {
        changed = false;
        for (const auto& term : equations.terms)
            if (!positive[term.head] && counts(term)) positive[term.head] = changed = true;
    }
    std::vector<std::vector<int32_t>> terms_of(n);
    std::vector<std::vector<int32_t>> needs(n);
    for (size_t k = 0; k < equations.terms.size(); ++k) {
        const auto& term = equations.terms[k];
        if (!counts(term)) continue;
        terms_of[term.head].push_back(static_cast<int32_t>(k));
        for (int32_t t : equations.tails_of(term)) needs[term.head].push_back(t);
    }

    std::vector<Scaled> x(n, scaled::kZero);
    std::vector<int32_t> local(n, -1);
    bool exists = true;
    auto need = [&](int32_t v, int32_t i) { return i < static_cast<int32_t>(needs[v].size()) ? needs[v][i] : -1; };
    strong_components(n, need, [&](std::span<const int32_t> unknowns) {
        if (!exists || !positive[unknowns[0]]) return;
        for (size_t i = 0; i < unknowns.size(); ++i) local[unknowns[i]] = static_cast<int32_t>(i);
        // x = y · 2^(256 scale): the largest constant term is near one.
        struct Rough {
            int32_t head;
            Scaled c;
            std::vector<int32_t> tails;
        };
        std::vector<Rough> rough;
        std::optional<int64_t> largest;
        for (int32_t v : unknowns)
            for (int32_t k : terms_of[v]) {
                const auto& term = equations.terms[k];
                Rough r{local[v], term.coefficient, {}};
                for (int32_t t : equations.tails_of(term)) {
                    if (local[t] >= 0) r.tails.push_back(local[t]);
                    else r.c = scaled::normal(scaled::times(r.c, x[t]));
                }
                if (r.tails.empty()) largest = std::max(largest.value_or(r.c.e), r.c.e);
                rough.push_back(std::move(r));
            }
        const int64_t scale = largest.value_or(0);
        Block block{unknowns.size(), {}};
        for (auto& r : rough) {
            int64_t e = r.c.e + scale * (static_cast<int64_t>(r.tails.size()) - 1);
            block.terms.push_back({r.head, scaled::shifted(r.c.m, e), std::move(r.tails)});
        }
        if (auto y = newton(block)) {
            for (size_t i = 0; i < unknowns.size(); ++i) {
                x[unknowns[i]] = scaled::times(scaled::from_double((*y)[i]), {1.0, scale});
            }
        } else {
            exists = false;
            diverged.assign(unknowns.begin(), unknowns.end());
        }
        for (int32_t v : unknowns) local[v] = -1;
    });
    if (!exists) return {};
    return x;
}

}  // namespace palmette

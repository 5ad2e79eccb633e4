#include "chain.hpp"

namespace palmette {
namespace {

template <class Real>
Real largest(const Real* x, std::size_t n) {
    Real top = x[0];
#pragma omp simd reduction(max : top)
    for (std::size_t j = 1; j < n; ++j) top = x[j] > top ? x[j] : top;
    return top;
}

template <class Real>
Real total(const Real* x, std::size_t n) {
    Real sum = 0;
#pragma omp simd reduction(+ : sum)
    for (std::size_t j = 0; j < n; ++j) sum += x[j];
    return sum;
}

// Emissions to the power of e, each position less its largest; returns the sum of what was taken off.
template <class Real>
double exponentiate_unary(const ChainScores<Real>& s, std::vector<Real>& emission) {
    emission.resize(s.n * s.stride);
    double taken = 0;
    for (std::size_t i = 0; i < s.n; ++i) {
        const Real* u = s.unary + i * s.stride;
        const Real top = largest(u, s.stride);
        if (top == minus_infinity<Real>) return minus_infinity<double>;
        exp_shifted(u, top, s.stride, emission.data() + i * s.stride);
        taken += top;
    }
    return taken;
}

// Positions that do not see each other: one softmax each.
template <class Real>
double independent(const ChainScores<Real>& s, ChainSpace<Real>& space, Real* unary_marginals) {
    double log_z = exponentiate_unary(s, space.emission);
    if (log_z == minus_infinity<double>) return log_z;
    for (std::size_t i = 0; i < s.n; ++i) {
        const Real* e = space.emission.data() + i * s.stride;
        const Real sum = total(e, s.stride);
        log_z += std::log(static_cast<double>(sum));
        if (unary_marginals)
            for (std::size_t y = 0; y < s.stride; ++y) unary_marginals[i * s.stride + y] = e[y] / sum;
    }
    return log_z;
}

double log_add(double a, double b) {
    if (a < b) std::swap(a, b);
    return b == minus_infinity<double> ? a : a + std::log1p(std::exp(b - a));
}

// The same sums in logs: many times slower, and immune to underflow.
template <class Real>
double log_forward_backward(const ChainScores<Real>& s, Real* unary_marginals, Real* begin_marginals, Real* table_marginals) {
    std::vector<std::size_t> at(s.n + 1, 0);
    for (std::size_t i = 0; i < s.n; ++i) at[i + 1] = at[i] + s.states(i);
    std::vector<double> alpha(at[s.n], minus_infinity<double>), beta(at[s.n], minus_infinity<double>);
    // Every transition of position i as (state before, state after, row of the table, label).
    const auto each = [&](std::size_t i, auto&& visit) {
        const std::size_t contexts = s.contexts(i);
        const bool grows = i < static_cast<std::size_t>(s.order);
        const std::size_t rest_of = grows ? contexts : contexts / s.labels;
        for (std::size_t c = 0; c < contexts; ++c)
            for (std::size_t y = 0; y < s.labels; ++y)
                visit(at[i - 1] + state_of(c, s.labels, s.stride), at[i] + (grows ? c : c % rest_of) * s.stride + y, c, y);
    };
    for (std::size_t y = 0; y < s.labels; ++y) alpha[y] = s.unary[y];
    for (std::size_t i = 1; i < s.n; ++i) {
        const Real* t = s.transitions(i);
        each(i, [&](std::size_t from, std::size_t to, std::size_t c, std::size_t y) {
            alpha[to] = log_add(alpha[to], alpha[from] + t[c * s.stride + y] + s.unary[i * s.stride + y]);
        });
    }
    double log_z = minus_infinity<double>;
    for (std::size_t j = at[s.n - 1]; j < at[s.n]; ++j) {
        log_z = log_add(log_z, alpha[j]);
        beta[j] = 0;
    }
    if (log_z == minus_infinity<double> || !unary_marginals) return log_z;
    for (std::size_t i = s.n - 1; i > 0; --i) {
        const Real* t = s.transitions(i);
        Real* grams = i < static_cast<std::size_t>(s.order)
                          ? (begin_marginals ? begin_marginals + (t - s.begin) : nullptr)
                          : (table_marginals ? table_marginals + (t - s.table) : nullptr);
        each(i, [&](std::size_t from, std::size_t to, std::size_t c, std::size_t y) {
            const double step = t[c * s.stride + y] + static_cast<double>(s.unary[i * s.stride + y]) + beta[to];
            beta[from] = log_add(beta[from], step);
            if (grams) grams[c * s.stride + y] += static_cast<Real>(std::exp(alpha[from] + step - log_z));
        });
    }
    std::fill(unary_marginals, unary_marginals + s.n * s.stride, Real(0));
    for (std::size_t i = 0; i < s.n; ++i)
        for (std::size_t j = at[i]; j < at[i + 1]; ++j) {
            const double p = std::exp(alpha[j] + beta[j] - log_z);
            if (p == p) unary_marginals[i * s.stride + (j - at[i]) % s.stride] += static_cast<Real>(p);
        }
    return log_z;
}

}  // namespace

template <class Real>
double forward_backward(const ChainScores<Real>& s, const ChainPotentials<Real>& potentials, ChainSpace<Real>& space,
                        Real* unary_marginals, Real* begin_marginals, Real* table_marginals) {
    if (s.n == 0) return 0;
    if (s.order == 0) return independent(s, space, unary_marginals);
    double log_z = exponentiate_unary(s, space.emission);
    if (log_z == minus_infinity<double>) return log_z;
    const std::size_t L = s.labels, S = s.stride, n = s.n;
    const std::size_t order = static_cast<std::size_t>(s.order);
    const std::size_t widest = s.states(n - 1);
    const std::size_t rest_of = power(L, s.order - 1);  // contexts less their oldest label
    space.alpha.resize(n * widest);
    space.scale.resize(n);

    // α_i(c, y) = e_i[y] Σ_p α_{i-1}(p, c) t_i[p, c][y], divided by its sum
    for (std::size_t i = 0; i < n; ++i) {
        const Real* e = space.emission.data() + i * S;
        Real* a = space.alpha.data() + i * widest;
        const std::size_t size = s.states(i);
        if (i == 0) {
            std::copy(e, e + S, a);
        } else {
            const Real* before = a - widest;
            const Real* t = potentials.transitions(s, i);
            log_z += potentials.shift(s, i);
            if (i < order) {
                for (std::size_t c = 0; c < s.contexts(i); ++c) {
                    const Real weight = before[state_of(c, L, S)];
                    for (std::size_t y = 0; y < S; ++y) a[c * S + y] = weight * t[c * S + y];
                }
            } else {
                std::fill(a, a + size, Real(0));
                for (std::size_t c = 0, row = 0; c < L; ++c)
                    for (std::size_t rest = 0; rest < rest_of; ++rest, ++row) {
                        const Real weight = before[state_of(row, L, S)];
                        if (weight == 0) continue;
                        const Real* from = t + row * S;
                        Real* to = a + rest * S;
                        for (std::size_t y = 0; y < S; ++y) to[y] += weight * from[y];
                    }
            }
            for (std::size_t at = 0; at < size; at += S)
                for (std::size_t y = 0; y < S; ++y) a[at + y] *= e[y];
        }
        const Real sum = total(a, size);
        if (!(sum > std::numeric_limits<Real>::min() * 1e6))
            return log_forward_backward(s, unary_marginals, begin_marginals, table_marginals);
        const Real inverse = 1 / sum;
        for (std::size_t j = 0; j < size; ++j) a[j] *= inverse;
        space.scale[i] = inverse;
        log_z += std::log(static_cast<double>(sum));
    }
    if (!unary_marginals) return log_z;

    // β_{i-1}(p, c) = Σ_y t_i[p, c][y] e_i[y] β_i(c, y) / scale; the n-gram's marginal is α_{i-1} times a summand.
    space.beta.assign(widest, Real(1));
    space.next.resize(widest);
    space.row.resize(widest);
    const std::size_t block = power(L, s.order) * S;
    const bool shared = table_marginals && s.table_step == 0;
    if (shared) space.exp_table.assign(block, Real(0));  // Σ_i α_{i-1}(c) e_i β_i, times t at the end
    for (std::size_t i = n; i-- > 0;) {
        const Real* a = space.alpha.data() + i * widest;
        Real* m = unary_marginals + i * S;
        const std::size_t size = s.states(i);
        for (std::size_t y = 0; y < S; ++y) m[y] = a[y] * space.beta[y];
        for (std::size_t at = S; at < size; at += S)
            for (std::size_t y = 0; y < S; ++y) m[y] += a[at + y] * space.beta[at + y];
        if (i == 0) break;
        const Real* e = space.emission.data() + i * S;
        const Real* before = a - widest;
        const Real* t = potentials.transitions(s, i);
        const Real inverse = space.scale[i];
        for (std::size_t at = 0; at < size; at += S)
            for (std::size_t y = 0; y < S; ++y) space.row[at + y] = e[y] * space.beta[at + y] * inverse;
        const bool grows = i < order;
        const std::size_t contexts = s.contexts(i);
        Real* grams = grows ? (begin_marginals ? begin_marginals + begin_size(L, S, static_cast<int>(i)) : nullptr)
                            : (table_marginals && !shared ? table_marginals + s.table_step * static_cast<std::ptrdiff_t>(i) : nullptr);
        for (std::size_t c = 0, rest = 0; c < contexts; ++c) {
            const Real* from = t + c * S;
            const Real* after = space.row.data() + (grows ? c : rest) * S;
            Real sum = 0;
#pragma omp simd reduction(+ : sum)
            for (std::size_t y = 0; y < S; ++y) sum += from[y] * after[y];
            const std::size_t state = state_of(c, L, S);
            space.next[state] = sum;
            const Real weight = before[state];
            if (grams) {
                for (std::size_t y = 0; y < S; ++y) grams[c * S + y] += weight * from[y] * after[y];
            } else if (shared && !grows && weight != 0) {
                Real* sums = space.exp_table.data() + c * S;
                for (std::size_t y = 0; y < S; ++y) sums[y] += weight * after[y];
            }
            if (++rest == rest_of) rest = 0;
        }
        // Pads may hold what the last sentence left: α is zero there, and zero times infinity is no number.
        for (std::size_t at = 0; at < s.states(i - 1); at += S)
            for (std::size_t y = L; y < S; ++y) space.next[at + y] = 0;
        std::swap(space.beta, space.next);
    }
    if (shared && n > order) {
        const Real* t = potentials.transitions(s, order);
        for (std::size_t j = 0; j < block; ++j) table_marginals[j] += space.exp_table[j] * t[j];
    }
    return log_z;
}

namespace {

// δ(y) and its best predecessor for one rest of the context, over all predecessors p:
// best[y] = max_p before[p · before_step] + t[p · t_step + y], ties to the smaller p.
template <class Real>
void best_predecessors(std::size_t L, std::size_t S, const Real* before, std::size_t before_step, const Real* t,
                       std::size_t t_step, Real* best, std::int32_t* back) {
    for (std::size_t y = 0; y < S; ++y) {
        best[y] = minus_infinity<Real>;
        back[y] = 0;
    }
    for (std::size_t p = 0; p < L; ++p) {
        const Real score = before[p * before_step];
        if (score == minus_infinity<Real>) continue;
        const Real* row = t + p * t_step;
        const std::int32_t id = static_cast<std::int32_t>(p);
        for (std::size_t y = 0; y < S; ++y) {
            const Real candidate = score + row[y];
            const bool better = candidate > best[y];
            best[y] = better ? candidate : best[y];
            back[y] = better ? id : back[y];
        }
    }
}

// The same for many labels, without the quadratic work where the scores allow it: predecessors are taken best
// first, and the loop ends when no further one can win anywhere, which is once
// before[p] + max_y (column_max[y] − best[y]) < 0.
template <class Real>
void best_predecessors_bounded(std::size_t L, std::size_t S, Real* before, const Real* t, const Real* column_max,
                               Real* best, std::int32_t* back) {
    for (std::size_t y = 0; y < S; ++y) {
        best[y] = minus_infinity<Real>;
        back[y] = 0;
    }
    Real slack = std::numeric_limits<Real>::infinity();
    for (std::size_t taken = 1; taken <= L; ++taken) {
        const Real score = largest(before, L);
        if (score == minus_infinity<Real> || score + slack < 0) return;
        std::size_t p = 0;
        while (before[p] != score) ++p;
        before[p] = minus_infinity<Real>;
        const Real* row = t + p * S;
        const std::int32_t id = static_cast<std::int32_t>(p);
        for (std::size_t y = 0; y < S; ++y) {
            const Real candidate = score + row[y];
            const bool better = candidate > best[y] || (candidate == best[y] && id < back[y]);
            best[y] = better ? candidate : best[y];
            back[y] = better ? id : back[y];
        }
        if ((taken & (taken - 1)) == 0 || taken % 8 == 0) {
            Real most = minus_infinity<Real>;
#pragma omp simd reduction(max : most)
            for (std::size_t y = 0; y < L; ++y) {
                const Real gap = column_max[y] == minus_infinity<Real> ? minus_infinity<Real> : column_max[y] - best[y];
                most = gap > most ? gap : most;
            }
            slack = most;
        }
    }
}

constexpr std::size_t kManyLabels = 40;

}  // namespace

template <class Real>
Real viterbi(const ChainScores<Real>& s, ChainSpace<Real>& space, std::int32_t* y) {
    if (s.n == 0) return 0;
    const std::size_t L = s.labels, S = s.stride, n = s.n;
    if (s.order == 0) {
        Real score = 0;
        for (std::size_t i = 0; i < n; ++i) {
            const Real* u = s.unary + i * S;
            const Real top = largest(u, L);
            std::size_t best = 0;
            while (best + 1 < L && u[best] != top) ++best;
            y[i] = static_cast<std::int32_t>(best);
            score += top;
        }
        return score;
    }
    const std::size_t order = static_cast<std::size_t>(s.order);
    const std::size_t widest = s.states(n - 1), rest_of = power(L, s.order - 1);
    space.beta.resize(widest);
    space.next.resize(widest);
    space.back.resize(n * widest);
    Real* delta = space.beta.data();
    Real* next = space.next.data();
    const bool bounded = order == 1 && s.table_step == 0 && L >= kManyLabels && n > 1;
    if (bounded && space.column_max_of != s.table) {
        space.column_max.assign(S, minus_infinity<Real>);
        for (std::size_t p = 0; p < L; ++p)
            for (std::size_t j = 0; j < S; ++j) space.column_max[j] = std::max(space.column_max[j], s.table[p * S + j]);
        space.column_max_of = s.table;
    }
    std::copy(s.unary, s.unary + S, delta);
    for (std::size_t i = 1; i < n; ++i) {
        const Real* t = s.transitions(i);
        const Real* u = s.unary + i * S;
        std::int32_t* back = space.back.data() + i * widest;
        if (i < order) {
            for (std::size_t c = 0; c < s.contexts(i); ++c) {
                const Real score = delta[state_of(c, L, S)];
                for (std::size_t j = 0; j < S; ++j) next[c * S + j] = score + t[c * S + j];
            }
        } else if (bounded) {
            best_predecessors_bounded(L, S, delta, t, space.column_max.data(), next, back);
        } else {
            // The oldest label is the slowest of a state, so its step is that of all the rest.
            const std::size_t step = order == 1 ? 1 : rest_of / L * S;
            for (std::size_t rest = 0; rest < rest_of; ++rest)
                best_predecessors(L, S, delta + (order == 1 ? 0 : state_of(rest, L, S)), step, t + rest * S, rest_of * S,
                                  next + rest * S, back + rest * S);
        }
        for (std::size_t at = 0; at < s.states(i); at += S)
            for (std::size_t j = 0; j < S; ++j) next[at + j] += u[j];
        std::swap(delta, next);
    }
    // The best last state, then the oldest label of each state, backwards.
    Real best = minus_infinity<Real>;
    std::size_t state = 0;
    for (std::size_t at = 0; at < s.states(n - 1); at += S)
        for (std::size_t j = 0; j < L; ++j)
            if (delta[at + j] > best) {
                best = delta[at + j];
                state = at + j;
            }
    std::size_t held = std::min(n, order);  // labels in the state
    std::size_t context = state / S * L + state % S;
    for (std::size_t j = n, c = context; j-- > n - held; c /= L) y[j] = static_cast<std::int32_t>(c % L);
    for (std::size_t i = n - 1; i >= order; --i) {
        const std::size_t rest = context / L;  // without y_i; the oldest that was dropped comes from `back`
        const std::int32_t oldest = space.back[i * widest + state_of(context, L, S)];
        y[i - order] = oldest;
        context = rest + static_cast<std::size_t>(oldest) * rest_of;
    }
    return best;
}

template double forward_backward<float>(const ChainScores<float>&, const ChainPotentials<float>&, ChainSpace<float>&,
                                        float*, float*, float*);
template double forward_backward<double>(const ChainScores<double>&, const ChainPotentials<double>&,
                                         ChainSpace<double>&, double*, double*, double*);
template float viterbi<float>(const ChainScores<float>&, ChainSpace<float>&, std::int32_t*);
template double viterbi<double>(const ChainScores<double>&, ChainSpace<double>&, std::int32_t*);

}  // namespace palmette

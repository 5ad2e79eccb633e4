#include "structures/chain/chain.hpp"
#include "structures/chain/rows.hpp"

namespace palmette {
namespace {

// Where e^x is taken for zero by exp_negative.
template <class Real>
constexpr Real kVanishes = sizeof(Real) == 4 ? Real(-87) : Real(-708);

// Emissions to the power of e, each position less its largest; returns the sum of what was taken off. `vanished`
// says whether an emission became zero that was not. Width: of a row, if it is known when this is compiled.
template <std::size_t Width = 0, class Real>
double exponentiate_unary(const ChainScores<Real>& s, LineVector<Real>& emission, bool& vanished) {
    const std::size_t S = Width ? Width : s.stride;
    emission.resize(s.n * S);
    double taken = 0;
    Lanes<Real> least = {};
    for (std::size_t i = 0; i < s.n; ++i) {
        const Real* u = s.unary + i * S;
        Lanes<Real> tops = *reinterpret_cast<const Lanes<Real>*>(u);
        for (std::size_t y = kLanes; y < S; y += kLanes) {
            const auto& more = *reinterpret_cast<const Lanes<Real>*>(u + y);
            tops = choose(more > tops, more, tops);
        }
        const Real top = lane_largest(tops);
        if (top == minus_infinity<Real>) return minus_infinity<double>;
        Real* e = emission.data() + i * S;
        for (std::size_t y = 0; y < S; y += kLanes) {
            const Lanes<Real> x = *reinterpret_cast<const Lanes<Real>*>(u + y) - top;
            const Lanes<Real> seen = choose(x > minus_infinity<Real>, x, Lanes<Real>{});
            least = choose(seen < least, seen, least);
        }
#pragma omp simd
        for (std::size_t y = 0; y < S; ++y) e[y] = exp_negative(u[y] - top);
        taken += top;
    }
    vanished = -lane_largest(-least) <= kVanishes<Real>;
    return taken;
}

// log of a product of many factors, with few logs.
class LogProduct {
public:
    explicit LogProduct(double log) : log_(log) {}
    void times(double factor) {
        product_ *= factor;
        if (product_ < 1e-200 || product_ > 1e200) flush();
    }
    void plus(double log) { log_ += log; }
    double log() {
        flush();
        return log_;
    }

private:
    void flush() {
        log_ += std::log(product_);
        product_ = 1;
    }
    double log_, product_ = 1;
};

// Positions that do not see each other: one softmax each.
template <class Real>
double independent(const ChainScores<Real>& s, ChainSpace<Real>& space, Real* unary_marginals) {
    bool vanished;  // which does no harm here: the largest of a position is one
    const double taken = exponentiate_unary(s, space.emission, vanished);
    if (taken == minus_infinity<double>) return taken;
    LogProduct z(taken);
    for (std::size_t i = 0; i < s.n; ++i) {
        const Real* e = space.emission.data() + i * s.stride;
        const Real sum = total(e, s.stride);
        z.times(sum);
        if (unary_marginals)
            for (std::size_t y = 0; y < s.stride; ++y) unary_marginals[i * s.stride + y] = e[y] / sum;
    }
    return z.log();
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
    const std::ptrdiff_t grams_step = s.grams_step ? s.grams_step : s.table_step;
    for (std::size_t i = s.n - 1; i > 0; --i) {
        const Real* t = s.transitions(i);
        Real* grams = i < static_cast<std::size_t>(s.order)
                          ? (begin_marginals ? begin_marginals + (t - s.begin) : nullptr)
                          : (table_marginals ? table_marginals + grams_step * static_cast<std::ptrdiff_t>(i) : nullptr);
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

// Floats once more in doubles, whose range is eight times as wide in logs.
double wider_forward_backward(const ChainScores<float>& s, float* unary_marginals, float* begin_marginals,
                              float* table_marginals) {
    const std::size_t block = power(s.labels, s.order) * s.stride, begins = begin_size(s.labels, s.stride, s.order);
    const std::size_t tables = s.table_step ? (s.n - 1) * static_cast<std::size_t>(s.table_step) + block : block;
    const std::vector<double> unary(s.unary, s.unary + s.n * s.stride), begin(s.begin, s.begin + begins);
    std::vector<double> table;
    if (s.n > static_cast<std::size_t>(s.order) || !s.table_step) table.assign(s.table, s.table + tables);
    ChainScores<double> wide{s.n, s.labels, s.stride, s.order, unary.data(), begin.data(), table.data(), s.table_step,
                             s.grams_step};
    ChainPotentials<double> potentials;
    ChainSpace<double> space;
    potentials.set(wide);
    std::vector<double> m(unary_marginals ? unary.size() : 0), b(begin_marginals ? begins : 0),
        t(table_marginals ? (s.grams_step ? (s.n - 1) * static_cast<std::size_t>(s.grams_step) + block : table.size()) : 0);
    const double log_z =
        forward_backward(wide, potentials, space, unary_marginals ? m.data() : nullptr,
                         begin_marginals ? b.data() : nullptr, table_marginals ? t.data() : nullptr);
    if (log_z == minus_infinity<double>) return log_z;
    for (std::size_t j = 0; j < m.size(); ++j) unary_marginals[j] = static_cast<float>(m[j]);
    for (std::size_t j = 0; j < b.size(); ++j) begin_marginals[j] += static_cast<float>(b[j]);
    for (std::size_t j = 0; j < t.size(); ++j) table_marginals[j] += static_cast<float>(t[j]);
    return log_z;
}

double wider_forward_backward(const ChainScores<double>& s, double* unary_marginals, double* begin_marginals,
                              double* table_marginals) {
    return log_forward_backward(s, unary_marginals, begin_marginals, table_marginals);
}

// Σ_i α_{i-1}(c) e_i β_i / scale into `exp_table`, some positions at a time so that they stay in cache.
template <class Real>
void add_grams(ChainSpace<Real>& space, std::size_t n, std::size_t L, std::size_t S, std::size_t order, std::size_t widest) {
    constexpr std::size_t kChunk = 256;
    const std::size_t contexts = space.exp_table.size() / S, rest_of = contexts / L;
    for (std::size_t first = order; first < n; first += kChunk) {
        const std::size_t count = std::min(kChunk, n - first);
        for (std::size_t c = 0, rest = 0; c < contexts; ++c) {
            combine<true>(count, space.alpha.data() + (first - 1) * widest + state_of(c, L, S), widest,
                          space.row.data() + first * widest + rest * S, widest, S, space.exp_table.data() + c * S);
            if (++rest == rest_of) rest = 0;
        }
    }
}

// α and β of position i, in the notation of `forward_backward`, where it is used for chains of order 1 with one table,
// whose rows are V lanes long and stay in registers. α_i is divided by the sum of α_{i-1}, not its own: then no step
// waits for a sum and a division. False where a number might underflow.
template <int V, class Real>
bool first_order(const ChainScores<Real>& s, const ChainPotentials<Real>& potentials, ChainSpace<Real>& space,
                 Real* unary_marginals, Real* table_marginals, double& log_z) {
    using Row = Lanes<Real>;
    constexpr std::size_t S = V * kLanes;
    const std::size_t L = s.labels, n = s.n;
    bool vanished = false;
    const double taken = exponentiate_unary<S>(s, space.emission, vanished);
    log_z = taken;
    if (taken == minus_infinity<double>) return true;
    if (vanished || potentials.least() <= kVanishes<Real>) return false;
    const auto row_of = [](Real* p) { return reinterpret_cast<Row*>(p); };
    const Real *t = potentials.transitions(s, 1), *transposed = potentials.transposed(s, 1);
    space.alpha.resize(n * S);
    space.scale.resize(n);
    LogProduct scales(0);  // as they are, rounded: log Z loses nothing by them
    Row least = Row{} + Real(1);
    Real inverse = 1, sum = 1;
    double narrowest = 1;  // the least product of the sums of two neighbours
    for (std::size_t i = 0; i < n; ++i) {
        const Row* e = row_of(space.emission.data() + i * S);
        Row* a = row_of(space.alpha.data() + i * S);
        space.scale[i] = inverse;
        scales.times(inverse);
        Row sums = {}, reached[V];
        if (i) combine_lanes<V, false>(L, space.alpha.data() + (i - 1) * S, 1, t, S, reinterpret_cast<Real*>(reached));
        for (int v = 0; v < V; ++v) {
            if (!i) reached[v] = Row{} + Real(1);
            a[v] = reached[v] * (e[v] * inverse);
            sums += a[v];
        }
        const Real before = sum;
        sum = lane_total(sums);
        if (!(sum > std::numeric_limits<Real>::min() * Real(1e6))) return false;
        narrowest = std::min(narrowest, static_cast<double>(before) * sum);
        inverse = 1 / sum;
        for (int v = 0; v < V; ++v) {
            const Row share = a[v] * inverse;
            const Row seen = choose((reached[v] > 0) & (e[v] > 0), share, least);
            least = choose(seen < least, seen, least);
        }
    }
    const double smallest = -lane_largest(-least);
    if (!(std::log(smallest) + potentials.least() - std::log(static_cast<double>(S)) > kVanishes<Real>)) return false;
    // β_i is at most 1 / α_i and is divided by the sum before: neither may leave the range.
    if (!(smallest * narrowest > 2 * S * static_cast<double>(std::numeric_limits<Real>::min()))) return false;
    log_z = taken + static_cast<double>(n - 1) * potentials.shift(s, 1) + std::log(static_cast<double>(sum)) - scales.log();
    if (!unary_marginals) return true;

    space.row.resize(n * S);
    Row beta[V];
    for (int v = 0; v < V; ++v) beta[v] = Row{} + inverse;
    for (std::size_t i = n; i-- > 0;) {
        const Row* a = row_of(space.alpha.data() + i * S);
        Row* m = row_of(unary_marginals + i * S);
        for (int v = 0; v < V; ++v) m[v] = a[v] * beta[v];
        if (i == 0) break;
        const Row *e = row_of(space.emission.data() + i * S), *before = a - V;
        Row* row = row_of(space.row.data() + i * S);
        for (int v = 0; v < V; ++v) row[v] = beta[v] * (e[v] * space.scale[i]);
        combine_lanes<V, false>(L, space.row.data() + i * S, 1, transposed, S, reinterpret_cast<Real*>(beta));
        for (int v = 0; v < V; ++v) beta[v] = choose(before[v] > 0, beta[v], Row{});
    }
    if (!table_marginals) return true;
    space.exp_table.assign(L * S, Real(0));
    add_grams(space, n, L, S, 1, S);
    for (std::size_t j = 0; j < L * S; ++j) table_marginals[j] += space.exp_table[j] * t[j];
    return true;
}

}  // namespace

template <class Real>
double forward_backward(const ChainScores<Real>& s, const ChainPotentials<Real>& potentials, ChainSpace<Real>& space,
                        Real* unary_marginals, Real* begin_marginals, Real* table_marginals) {
    if (s.n == 0) return 0;
    if (s.order == 0) return independent(s, space, unary_marginals);
    const auto wider = [&] { return wider_forward_backward(s, unary_marginals, begin_marginals, table_marginals); };
    if (s.order == 1 && !s.table_step && !s.grams_step && s.n > 1 && s.stride <= 6 * kLanes) {
        double log_z = 0;
        bool good = false;
        const auto run = [&](auto lanes) {
            good = first_order<lanes()>(s, potentials, space, unary_marginals, table_marginals, log_z);
        };
        if (s.stride == 6 * kLanes)
            run(std::integral_constant<int, 6>());
        else if (s.stride == 5 * kLanes)
            run(std::integral_constant<int, 5>());
        else
            in_lane_blocks(s.stride, [&](auto lanes, std::size_t) { run(lanes); });
        return good ? log_z : wider();
    }
    bool vanished = false;
    const double taken = exponentiate_unary(s, space.emission, vanished);
    if (taken == minus_infinity<double>) return taken;
    if (vanished || potentials.least() <= kVanishes<Real>) return wider();
    LogProduct z(taken);
    const std::size_t L = s.labels, S = s.stride, n = s.n;
    const std::size_t order = static_cast<std::size_t>(s.order);
    const std::size_t widest = s.states(n - 1);
    const std::size_t rest_of = power(L, s.order - 1);      // contexts less their oldest label
    const std::size_t step = order == 1 ? 1 : rest_of / L * S;  // from one oldest label to the next, among states
    space.alpha.resize(n * widest);
    space.scale.resize(n);

    // α_i(c, y) = e_i[y] Σ_p α_{i-1}(p, c) t_i[p, c][y], divided by its sum. `least` watches over the smallest of them
    // that is not zero: as long as it stays so large that its product with any t is a normal number, nothing was lost.
    Lanes<Real> least = Lanes<Real>{} + Real(1);
    for (std::size_t i = 0; i < n; ++i) {
        const Real* e = space.emission.data() + i * S;
        Real* a = space.alpha.data() + i * widest;
        const std::size_t size = s.states(i);
        if (i == 0) {
            std::fill(a, a + S, Real(1));
        } else {
            const Real* before = a - widest;
            const Real* t = potentials.transitions(s, i);
            z.plus(potentials.shift(s, i));
            if (i < order) {
                for (std::size_t c = 0; c < size / S; ++c) {
                    const Real weight = before[state_of(c, L, S)];
                    for (std::size_t y = 0; y < S; ++y) a[c * S + y] = weight * t[c * S + y];
                }
            } else {
                for (std::size_t rest = 0; rest < rest_of; ++rest)
                    combine(L, before + (order == 1 ? 0 : state_of(rest, L, S)), step, t + rest * S, rest_of * S, S,
                            a + rest * S);
            }
        }
        Lanes<Real> sums = {};
        for (std::size_t at = 0; at < size; at += S)
            for (std::size_t y = 0; y < S; y += kLanes) {
                auto& to = *reinterpret_cast<Lanes<Real>*>(a + at + y);
                const auto& emission = *reinterpret_cast<const Lanes<Real>*>(e + y);
                const Lanes<Real> product = to * emission;
                const Lanes<Real> seen = choose((to > 0) & (emission > 0), product, least);
                least = choose(seen < least, seen, least);
                sums += product;
                to = product;
            }
        const Real sum = lane_total(sums);
        if (!(sum > std::numeric_limits<Real>::min() * Real(1e6))) return wider();
        const Real inverse = 1 / sum;
        for (std::size_t j = 0; j < size; j += kLanes) *reinterpret_cast<Lanes<Real>*>(a + j) *= inverse;
        space.scale[i] = inverse;
        z.times(sum);
    }
    const double smallest = -lane_largest(-least);
    if (!(std::log(smallest) + potentials.least() - std::log(static_cast<double>(widest)) > kVanishes<Real>)) return wider();
    if (!unary_marginals) return z.log();

    // β_{i-1}(p, c) = Σ_y t_i[p, c][y] e_i[y] β_i(c, y) / scale; the n-gram's marginal is α_{i-1} times a summand.
    // Where α is zero β does not matter and might be too large: it is set to zero.
    space.beta.assign(widest, Real(1));
    space.next.resize(widest);
    space.column.resize(S);
    space.row.resize(n * widest);  // e_i β_i / scale
    const std::size_t block = power(L, s.order) * S;
    const std::ptrdiff_t grams_step = s.grams_step ? s.grams_step : s.table_step;
    const bool shared = table_marginals && grams_step == 0;
    for (std::size_t i = n; i-- > 0;) {
        const Real* a = space.alpha.data() + i * widest;
        Real* m = unary_marginals + i * S;
        const Real* beta = space.beta.data();
        const std::size_t size = s.states(i);
        for (std::size_t y = 0; y < S; ++y) m[y] = a[y] * beta[y];
        for (std::size_t at = S; at < size; at += S)
            for (std::size_t y = 0; y < S; ++y) m[y] += a[at + y] * beta[at + y];
        if (i == 0) break;
        const Real* e = space.emission.data() + i * S;
        const Real* before = a - widest;
        const Real* t = potentials.transitions(s, i);
        const Real inverse = space.scale[i];
        Real* row = space.row.data() + i * widest;
        for (std::size_t at = 0; at < size; at += S)
            for (std::size_t y = 0; y < S; ++y) row[at + y] = e[y] * beta[at + y] * inverse;
        Real* next = space.next.data();
        const std::size_t next_size = s.states(i - 1);
        const bool grows = i < order;
        if (grows) {
            for (std::size_t c = 0; c < size / S; ++c) {
                Real sum = 0;
                for (std::size_t y = 0; y < S; ++y) sum += t[c * S + y] * row[c * S + y];
                next[state_of(c, L, S)] = sum;
            }
        } else if (order == 1) {
            combine(L, row, 1, potentials.transposed(s, i), S, S, next);
        } else {
            const Real* transposed = potentials.transposed(s, i);
            for (std::size_t rest = 0; rest < rest_of; ++rest) {
                combine(L, row + rest * S, 1, transposed + rest * L * S, S, S, space.column.data());
                Real* to = next + state_of(rest, L, S);
                for (std::size_t p = 0; p < L; ++p) to[p * step] = space.column[p];
            }
        }
        for (std::size_t j = 0; j < next_size; ++j) next[j] = before[j] > 0 ? next[j] : Real(0);
        Real* grams = grows ? (begin_marginals ? begin_marginals + begin_size(L, S, static_cast<int>(i)) : nullptr)
                            : (table_marginals && !shared ? table_marginals + grams_step * static_cast<std::ptrdiff_t>(i)
                                                          : nullptr);
        if (grams) {
            const std::size_t contexts = s.contexts(i), rests = grows ? contexts : rest_of;
            for (std::size_t c = 0, rest = 0; c < contexts; ++c) {
                const Real weight = before[state_of(c, L, S)];
                for (std::size_t y = 0; y < S; ++y) grams[c * S + y] += weight * t[c * S + y] * row[rest * S + y];
                if (++rest == rests) rest = 0;
            }
        }
        std::swap(space.beta, space.next);
    }
    if (!shared) return z.log();

    space.exp_table.assign(block, Real(0));
    add_grams(space, n, L, S, order, widest);
    if (n > order) {
        const Real* t = potentials.transitions(s, order);
        for (std::size_t j = 0; j < block; ++j) table_marginals[j] += space.exp_table[j] * t[j];
    }
    return z.log();
}

template double forward_backward<float>(const ChainScores<float>&, const ChainPotentials<float>&, ChainSpace<float>&,
                                        float*, float*, float*);
template double forward_backward<double>(const ChainScores<double>&, const ChainPotentials<double>&,
                                         ChainSpace<double>&, double*, double*, double*);

}  // namespace palmette

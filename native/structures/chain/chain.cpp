#include "structures/chain/chain.hpp"
#include "structures/chain/rows.hpp"

namespace palmette {
namespace {

template <int V, class Real>
void best_predecessors_lanes(std::size_t L, const Real* before, std::size_t before_step, const Real* t,
                             std::size_t t_step, Real* best, std::int32_t* back) {
    using Ids = Lanes<Mask<Real>>;
    Lanes<Real> top[V];
    Ids from[V] = {};
    for (int v = 0; v < V; ++v) top[v] = Lanes<Real>{} + minus_infinity<Real>;
    for (std::size_t p = 0; p < L; ++p) {
        const Real score = before[p * before_step];
        const auto* row = reinterpret_cast<const Lanes<Real>*>(t + p * t_step);
        const Ids id = Ids{} + static_cast<Mask<Real>>(p);
#pragma GCC unroll 4
        for (int v = 0; v < V; ++v) {
            const Lanes<Real> candidate = score + row[v];
            const Ids better = candidate > top[v];
            top[v] = choose(better, candidate, top[v]);
            from[v] = choose(better, id, from[v]);
        }
    }
    for (int v = 0; v < V; ++v) {
        reinterpret_cast<Lanes<Real>*>(best)[v] = top[v];
        for (std::size_t j = 0; j < kLanes; ++j) back[v * kLanes + j] = static_cast<std::int32_t>(from[v][j]);
    }
}

// δ(y) and its best predecessor for one rest of the context, over all predecessors p:
// best[y] = max_p before[p · before_step] + t[p · t_step + y], ties to the smaller p.
template <class Real>
void best_predecessors(std::size_t L, std::size_t S, const Real* before, std::size_t before_step, const Real* t,
                       std::size_t t_step, Real* best, std::int32_t* back) {
    in_lane_blocks(S, [&](auto lanes, std::size_t at) {
        best_predecessors_lanes<lanes()>(L, before, before_step, t + at, t_step, best + at, back + at);
    });
}

constexpr std::size_t kManyLabels = 40;  // from here on a bounded search is tried
constexpr std::size_t kMostTaken = 16;   // and given up after this many predecessors, or a twelfth of them
constexpr std::size_t kPatience = 8;     // and not tried again for this many positions

// best[y] = max(best[y], score + row[y]), where the predecessor `id` wins ties against larger ones.
template <class Real>
void take_predecessor(std::size_t S, Real score, const Real* row, std::int32_t id, Real* best, std::int32_t* back) {
    for (std::size_t y = 0; y < S; ++y) {
        const Real candidate = score + row[y];
        const bool better = (candidate > best[y]) | ((candidate == best[y]) & (id < back[y]));
        best[y] = better ? candidate : best[y];
        back[y] = better ? id : back[y];
    }
}

// The same for many labels, without the quadratic work where the scores allow it: predecessors are taken best
// first, until no further one can win anywhere, which is once before[p] + column_max[y] < best[y] for every y that
// can be reached. Returns how many were taken; where `most` are not enough that is all of them, in the plain way.
template <class Real>
std::size_t best_predecessors_bounded(std::size_t L, std::size_t S, std::size_t most, Real* before, const Real* t,
                                      const Real* column_max, Real* best, std::int32_t* back) {
    for (std::size_t y = 0; y < S; ++y) {
        best[y] = minus_infinity<Real>;
        back[y] = 0;
    }
    Real scores[kMostTaken];
    std::size_t ids[kMostTaken], taken = 0;
    for (;; ++taken) {
        const Real score = largest(before, L);
        if (score == minus_infinity<Real>) return taken;
        int can_win = taken == 0;
        if (!can_win) {
#pragma omp simd reduction(| : can_win)
            for (std::size_t y = 0; y < L; ++y) {
                const Real reach = score + column_max[y];
                can_win |= (reach > minus_infinity<Real>) & (reach >= best[y]);
            }
        }
        if (!can_win) return taken;
        if (taken == most) break;
        std::size_t p = 0;
        while (before[p] != score) ++p;
        before[p] = minus_infinity<Real>;
        scores[taken] = score;
        ids[taken] = p;
        take_predecessor(S, score, t + p * S, static_cast<std::int32_t>(p), best, back);
    }
    for (std::size_t k = 0; k < taken; ++k) before[ids[k]] = scores[k];
    best_predecessors(L, S, before, 1, t, S, best, back);
    return L;
}

}  // namespace

template <class Real>
Real viterbi(const ChainScores<Real>& s, ChainSpace<Real>& space, std::int32_t* y, std::int64_t* touched) {
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
        if (touched) *touched += static_cast<std::int64_t>(n * L);
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
    std::size_t extended = 0, patience = 0;
    for (std::size_t i = 1; i < n; ++i) {
        const Real* t = s.transitions(i);
        const Real* u = s.unary + i * S;
        std::int32_t* back = space.back.data() + i * widest;
        std::size_t states = s.states(i - 1) / S * L;
        if (i < order) {
            for (std::size_t c = 0; c < s.contexts(i); ++c) {
                const Real score = delta[state_of(c, L, S)];
                for (std::size_t j = 0; j < S; ++j) next[c * S + j] = score + t[c * S + j];
            }
        } else if (bounded && i >= patience) {
            states = best_predecessors_bounded(L, S, std::min(L / 12, kMostTaken), delta, t, space.column_max.data(),
                                               next, back);
            if (states == L) patience = i + kPatience;
        } else {
            // The oldest label is the slowest of a state, so its step is that of all the rest.
            const std::size_t step = order == 1 ? 1 : rest_of / L * S;
            for (std::size_t rest = 0; rest < rest_of; ++rest)
                best_predecessors(L, S, delta + (order == 1 ? 0 : state_of(rest, L, S)), step, t + rest * S, rest_of * S,
                                  next + rest * S, back + rest * S);
        }
        for (std::size_t at = 0; at < s.states(i); at += S)
            for (std::size_t j = 0; j < S; ++j) next[at + j] += u[j];
        extended += states;
        std::swap(delta, next);
    }
    if (touched) *touched += static_cast<std::int64_t>(extended);
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

template float viterbi<float>(const ChainScores<float>&, ChainSpace<float>&, std::int32_t*, std::int64_t*);
template double viterbi<double>(const ChainScores<double>&, ChainSpace<double>&, std::int32_t*, std::int64_t*);

}  // namespace palmette

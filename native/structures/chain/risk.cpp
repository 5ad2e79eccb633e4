// The expected number of wrong labels, and its gradient: the covariance of each part with the loss
// (CSC 448, §4.6). Forward and backward carry pairs: a sum of weights, and the same sum with every
// weight multiplied by the loss of its sequence so far (the expectation semiring of Eisner 2002):
//
//     α_t(c, y) = e_t[y] Σ_p α_{t-1}(p, c) t[p, c][y]      α̂_t(c, y) = e_t[y] Σ_p α̂_{t-1}(p, c) t[p, c][y] + loss_t(y) α_t(c, y)
//
// In doubles, rescaled at every position, vectorised over y. Cost: about three times that of the marginals.
#include <stdexcept>
#include <string>

#include "structures/chain/problem.hpp"

namespace palmette {
namespace {

// Sums over the states of one position: of weights, and of weights times losses.
struct Sums {
    double* weight;
    double* loss;
};

}  // namespace

// One softmax for each position: the loss of another one does not vary with its label.
double ChainProblem::independent_risk(State& s, float* parts) const {
    double risk = marginals(s, parts), at_position;
    risk = 0;
    for (std::size_t t = 0; t < s.scores.n; ++t, risk += at_position) {
        float* p = parts + t * S_;
        at_position = 0;
        for (std::size_t y = 0; y < L_; ++y) at_position += wrong(d_.offsets[s.example] + t, y) ? p[y] : 0.0;
        for (std::size_t y = 0; y < L_; ++y) p[y] *= static_cast<float>((wrong(d_.offsets[s.example] + t, y) ? 1.0 : 0.0) - at_position);
    }
    return risk;
}

double ChainProblem::risk(State& s, float* parts) const {
    const ChainScores<float>& c = s.scores;
    const std::size_t n = c.n, order = static_cast<std::size_t>(d_.order);
    std::fill_n(parts, n_parts(s.example), 0.0f);
    if (n == 0) return 0;
    if (d_.states) return state_risk(s, parts);
    if (order == 0) return independent_risk(s, parts);
    if (!s.potentials_set) {
        s.potentials.set(c);
        s.potentials_set = true;
    }
    const std::size_t widest = c.states(n - 1), rest_of = power(L_, d_.order - 1);
    std::vector<double>& room = s.doubles;
    room.assign((2 * n + 6) * widest + 2 * n * S_, 0.0);
    const auto alpha = [&](std::size_t t) { return Sums{room.data() + 2 * t * widest, room.data() + (2 * t + 1) * widest}; };
    double* spare = room.data() + 2 * n * widest;
    Sums beta{spare, spare + widest}, next{spare + 2 * widest, spare + 3 * widest};
    const Sums after{spare + 4 * widest, spare + 5 * widest};
    double* emission = spare + 6 * widest;  // [n][S]
    double* losses = emission + n * S_;     // [n][S]
    std::vector<double> scale(n);
    for (std::size_t t = 0; t < n; ++t) {
        const float* u = c.unary + t * S_;
        const float top = *std::max_element(u, u + L_);
        for (std::size_t y = 0; y < L_; ++y) {
            emission[t * S_ + y] = top == minus_infinity<float> ? 0.0 : std::exp(static_cast<double>(u[y]) - top);
            losses[t * S_ + y] = wrong(d_.offsets[s.example] + t, y) ? 1.0 : 0.0;
        }
    }

    for (std::size_t t = 0; t < n; ++t) {
        const Sums a = alpha(t);
        const std::size_t size = c.states(t);
        if (t == 0) {
            std::fill_n(a.weight, S_, 1.0);
        } else {
            const Sums before = alpha(t - 1);
            const float* table = s.potentials.transitions(c, t);
            const bool grows = t < order;
            for (std::size_t row = 0, rest = 0; row < c.contexts(t); ++row) {
                const std::size_t state = state_of(row, L_, S_);
                const double weight = before.weight[state], loss = before.loss[state];
                const float* from = table + row * S_;
                double *w = a.weight + (grows ? row : rest) * S_, *l = a.loss + (grows ? row : rest) * S_;
                if (weight != 0)
                    for (std::size_t y = 0; y < S_; ++y) {
                        w[y] += weight * from[y];
                        l[y] += loss * from[y];
                    }
                if (++rest == rest_of) rest = 0;
            }
        }
        double sum = 0;
        const double *e = emission + t * S_, *cost = losses + t * S_;
        for (std::size_t at = 0; at < size; at += S_)
            for (std::size_t y = 0; y < S_; ++y) {
                a.weight[at + y] *= e[y];
                a.loss[at + y] = a.loss[at + y] * e[y] + cost[y] * a.weight[at + y];
                sum += a.weight[at + y];
            }
        // The potentials are zero below e^-87: what is left of such scores is nothing to follow.
        if (!(sum > 0) || std::isinf(sum))
            throw std::domain_error("sentence " + std::to_string(s.example + 1) + ": no sequence of labels is allowed, or the scores are too far apart");
        scale[t] = 1 / sum;
        for (std::size_t j = 0; j < size; ++j) {
            a.weight[j] *= scale[t];
            a.loss[j] *= scale[t];
        }
    }
    double risk = 0;
    for (std::size_t j = 0; j < c.states(n - 1); ++j) risk += alpha(n - 1).loss[j];
    std::fill_n(beta.weight, widest, 1.0);

    // A part's covariance is E[loss · part] − E[loss] · E[part]; those of n-grams go where their marginals go.
    const std::size_t block = s.table.size(), begins = s.begin.size();
    s.scratch.assign(begins + block * (c.table_step ? n : 1), 0.0f);
    for (std::size_t t = n; t-- > 0;) {
        const Sums a = alpha(t);
        for (std::size_t at = 0; at < c.states(t); at += S_)
            for (std::size_t y = 0; y < S_; ++y)
                parts[t * S_ + y] += static_cast<float>((a.loss[at + y] - risk * a.weight[at + y]) * beta.weight[at + y] + a.weight[at + y] * beta.loss[at + y]);
        if (t == 0) break;
        const double *e = emission + t * S_, *cost = losses + t * S_;
        for (std::size_t at = 0; at < c.states(t); at += S_)
            for (std::size_t y = 0; y < S_; ++y) {
                const double factor = e[y] * scale[t];
                after.weight[at + y] = factor * beta.weight[at + y];
                after.loss[at + y] = factor * (beta.loss[at + y] + beta.weight[at + y] * cost[y]);
            }
        const bool grows = t < order;
        const Sums before = alpha(t - 1);
        const float* table = s.potentials.transitions(c, t);
        float* covariances = grows ? s.scratch.data() + begin_size(L_, S_, static_cast<int>(t))
                                   : s.scratch.data() + begins + (c.table_step ? t * block : 0);
        for (std::size_t row = 0, rest = 0; row < c.contexts(t); ++row) {
            const std::size_t state = state_of(row, L_, S_);
            const double weight = before.weight[state], excess = before.loss[state] - risk * weight;
            const float* from = table + row * S_;
            const double *w = after.weight + (grows ? row : rest) * S_, *l = after.loss + (grows ? row : rest) * S_;
            float* covariance = covariances + row * S_;
            double weights = 0, lost = 0;
#pragma omp simd reduction(+ : weights, lost)
            for (std::size_t y = 0; y < S_; ++y) {
                const double step = from[y];
                weights += step * w[y];
                lost += step * l[y];
                covariance[y] += static_cast<float>(step * (excess * w[y] + weight * l[y]));
            }
            next.weight[state] = weights;
            next.loss[state] = lost;
            if (++rest == rest_of) rest = 0;
        }
        std::swap(beta, next);
    }
    spread(s, c, parts);
    return risk;
}

}  // namespace palmette

// The expected number of wrong labels, and its gradient: the covariance of each part with the loss
// (seeds 004, section 4.6). Forward and backward carry pairs: a sum of weights, and the same sum with every
// weight multiplied by the loss of its sequence so far (the expectation semiring of Eisner 2002). In doubles,
// rescaled at every position. Cost: about three times that of the marginals.
#include <stdexcept>

#include "chain_problem.hpp"

namespace palmette {
namespace {

struct Expectation {
    double weight = 0, loss = 0;
    void add(const Expectation& a, double factor, double extra) {
        weight += a.weight * factor;
        loss += (a.loss + a.weight * extra) * factor;
    }
};

}  // namespace

double ChainProblem::risk(State& s, float* parts) const {
    const ChainScores<float>& c = s.scores;
    const std::size_t n = c.n, i0 = s.example;
    std::fill_n(parts, n_parts(i0), 0.0f);
    if (n == 0) return 0;
    const auto loss_at = [&](std::size_t t, std::size_t y) { return wrong(d_.offsets[i0] + t, y) ? 1.0 : 0.0; };

    // Contexts of the last max(order, 1) labels, in base L without pads.
    const std::size_t held = std::max(d_.order, 1);
    std::vector<std::size_t> at(n + 1, 0);
    for (std::size_t t = 0; t < n; ++t) at[t + 1] = at[t] + power(L_, static_cast<int>(std::min(t + 1, held)));
    std::vector<Expectation> alpha(at[n]), beta(at[n]);
    std::vector<double> top(n), scale(n);
    for (std::size_t t = 0; t < n; ++t) top[t] = *std::max_element(c.unary + t * S_, c.unary + t * S_ + L_);
    const auto each = [&](std::size_t t, auto&& visit) {  // (state before, state after, context, label, weight)
        const std::size_t contexts = at[t] - at[t - 1], states = at[t + 1] - at[t];
        const float* table = d_.order ? c.transitions(t) : nullptr;
        for (std::size_t context = 0; context < contexts; ++context)
            for (std::size_t y = 0; y < L_; ++y) {
                const double score = c.unary[t * S_ + y] - top[t] + (table ? table[context * S_ + y] : 0.0);
                visit(at[t - 1] + context, at[t] + (context * L_ + y) % states, context, y, std::exp(score));
            }
    };
    const auto rescale = [&](std::size_t t) {
        double sum = 0;
        for (std::size_t j = at[t]; j < at[t + 1]; ++j) sum += alpha[j].weight;
        if (!(sum > 0) || std::isinf(sum)) throw std::domain_error("no sequence of labels is allowed, or the scores are too far apart");
        scale[t] = 1 / sum;
        for (std::size_t j = at[t]; j < at[t + 1]; ++j) {
            alpha[j].weight *= scale[t];
            alpha[j].loss *= scale[t];
        }
    };
    for (std::size_t y = 0; y < L_; ++y) alpha[y].add({1, 0}, std::exp(c.unary[y] - top[0]), loss_at(0, y));
    rescale(0);
    for (std::size_t t = 1; t < n; ++t) {
        each(t, [&](std::size_t from, std::size_t to, std::size_t, std::size_t y, double m) { alpha[to].add(alpha[from], m, loss_at(t, y)); });
        rescale(t);
    }
    double risk = 0;
    for (std::size_t j = at[n - 1]; j < at[n]; ++j) {
        risk += alpha[j].loss;
        beta[j] = {1, 0};
    }
    float* shared = parts + n * parts_per_token();
    for (std::size_t t = n; t-- > 1;)
        each(t, [&](std::size_t from, std::size_t to, std::size_t context, std::size_t y, double m) {
            m *= scale[t];
            const Expectation& a = alpha[from];
            Expectation after;
            after.add(beta[to], m, loss_at(t, y));
            beta[from].weight += after.weight;
            beta[from].loss += after.loss;
            if (!d_.order) return;
            const double covariance = a.loss * after.weight + a.weight * after.loss - risk * a.weight * after.weight;
            if (d_.pair_rows) parts[n * S_ + (t * L_ + context % L_) * S_ + y] += static_cast<float>(covariance);
            float* table = shared;
            std::size_t size = L_;
            for (std::size_t h = 1; h <= std::min<std::size_t>(t, d_.order); ++h, size *= L_) {
                table[context % size * S_ + y] += static_cast<float>(covariance);
                table += size * S_;
            }
        });
    for (std::size_t t = 0; t < n; ++t)
        for (std::size_t j = at[t]; j < at[t + 1]; ++j) {
            const Expectation &a = alpha[j], &b = beta[j];
            const double covariance = a.loss * b.weight + a.weight * b.loss - risk * a.weight * b.weight;
            parts[t * S_ + (j - at[t]) % L_] += static_cast<float>(covariance);
        }
    return risk;
}

}  // namespace palmette

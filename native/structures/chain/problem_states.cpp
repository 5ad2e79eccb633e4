// Chains as a learning problem where the history of a label is a state: the parts that differ from label n-grams. The
// weights of a step are those of the rows of its state, in the column of its label.
#include <stdexcept>
#include <string>

#include "structures/chain/problem.hpp"

namespace palmette {

void ChainProblem::compose_steps(State& s, const float* shared, float scale) const {
    const LabelStates& m = *d_.states;
    s.steps.resize(m.n_steps());
    for (std::size_t k = 0; k < m.n_steps(); ++k) {
        const float* column = shared + m.label[m.to[k]];
        float sum = 0;
        m.each_row(static_cast<std::size_t>(m.from[k]), [&](std::size_t r) { sum += column[r * S_]; });
        s.steps[k] = scale * sum;
    }
}

// The transpose: values of steps become those of the rows' weights.
static void add_to_rows(const LabelStates& m, std::size_t S, const double* steps, float* shared) {
    for (std::size_t k = 0; k < m.n_steps(); ++k) {
        if (steps[k] == 0) continue;
        float* column = shared + m.label[m.to[k]];
        m.each_row(static_cast<std::size_t>(m.from[k]), [&](std::size_t r) { column[r * S] += static_cast<float>(steps[k]); });
    }
}

void ChainProblem::add_pairs_to_steps(State& s, std::size_t t, const float* bigrams) const {
    const LabelStates& m = *d_.states;
    double* steps = s.own_steps.data() + t * m.n_steps();
    for (std::size_t k = 0; k < m.n_steps(); ++k)
        if (m.from[k]) steps[k] += bigrams[static_cast<std::size_t>(m.label[m.from[k]]) * S_ + static_cast<std::size_t>(m.label[m.to[k]])];
}

StateScores ChainProblem::state_scores(State& s, const float* unary) const {
    s.wide.assign(unary, unary + s.scores.n * S_);
    const bool own = own_tables();
    return {d_.states, s.scores.n, S_, s.wide.data(), own ? s.own_steps.data() : s.steps.data(),
            own ? static_cast<std::ptrdiff_t>(s.steps.size()) : 0};
}

// log P of every step of every state; what ends a sentence where it may not is forbidden first.
void ChainProblem::normalise_steps(State& s) const {
    const LabelStates& m = *d_.states;
    for (std::size_t t = 0; t < s.scores.n; ++t) {
        double* steps = s.own_steps.data() + t * m.n_steps();
        float* unary = s.unary.data() + t * S_;
        for (std::size_t k = 0; k < m.n_steps(); ++k) {
            steps[k] += unary[m.label[m.to[k]]];
            if (t + 1 == s.scores.n && !m.final[m.to[k]]) steps[k] = minus_infinity<double>;
        }
        for (std::size_t q = 0; q < m.size(); ++q) {
            double top = minus_infinity<double>, sum = 0;
            for (std::int64_t j = m.out[q]; j < m.out[q + 1]; ++j) top = std::max(top, steps[m.leaving[j]]);
            if (top == minus_infinity<double>) continue;
            for (std::int64_t j = m.out[q]; j < m.out[q + 1]; ++j) sum += std::exp(steps[m.leaving[j]] - top);
            const double log_sum = top + std::log(sum);
            for (std::int64_t j = m.out[q]; j < m.out[q + 1]; ++j) steps[m.leaving[j]] -= log_sum;
        }
        std::fill_n(unary, L_, 0.0f);
    }
}

double ChainProblem::state_sum(State& s, const float* unary, float* parts) const {
    const LabelStates& m = *d_.states;
    const StateScores scores = state_scores(s, unary);
    const std::size_t n = scores.n, A = m.n_steps();
    if (!s.potentials_set) {
        s.state_potentials.set(scores);
        s.potentials_set = true;
    }
    s.marginals.assign(n * S_, 0.0);
    s.step_marginals.assign(A * (scores.apart ? n : 1), 0.0);
    const double log_z = forward_backward(scores, s.state_potentials, s.state_space, s.marginals.data(), s.step_marginals.data(), scores.apart);
    for (std::size_t k = 0; k < n * S_; ++k) parts[k] = static_cast<float>(s.marginals[k]);
    float *bigrams = parts + n * S_, *shared = parts + n * parts_per_token();
    std::fill(bigrams, shared + n_shared_, 0.0f);
    for (std::size_t t = 0; t < (scores.apart ? n : 1); ++t) {
        const double* steps = s.step_marginals.data() + t * A;
        add_to_rows(m, S_, steps, shared);
        if (d_.pair_rows && t)
            for (std::size_t k = 0; k < A; ++k)
                if (m.from[k]) bigrams[(t * L_ + m.label[m.from[k]]) * S_ + m.label[m.to[k]]] += static_cast<float>(steps[k]);
    }
    return log_z;
}

void ChainProblem::add_gold_steps(const std::int32_t* y, std::size_t n, float* shared) const {
    const LabelStates& m = *d_.states;
    std::vector<std::int32_t> steps;
    m.path(y, n, steps);
    for (const std::int32_t k : steps)
        m.each_row(static_cast<std::size_t>(m.from[k]), [&](std::size_t r) { shared[r * S_ + m.label[m.to[k]]] += 1; });
}

void ChainProblem::observed_steps(std::int64_t begin, std::int64_t end, std::uint8_t* mask) const {
    const LabelStates& m = *d_.states;
    std::vector<std::size_t> states{0}, next;
    std::vector<char> seen(m.size());
    for (std::int64_t t = begin; t < end; ++t) {
        next.clear();
        std::fill(seen.begin(), seen.end(), 0);
        for (const std::size_t q : states)
            for (std::int64_t j = m.out[q]; j < m.out[q + 1]; ++j) {
                const std::size_t to = static_cast<std::size_t>(m.to[m.leaving[j]]), y = static_cast<std::size_t>(m.label[to]);
                if (wrong(t, y)) continue;
                m.each_row(q, [&](std::size_t r) { mask[shared_at_ + r * S_ + y] = 1; });
                if (!seen[to]) next.push_back(to);
                seen[to] = 1;
            }
        states.swap(next);
    }
}

// As in structures/chain/risk.cpp: sums of weights, and the same sums with every weight times the loss of its sequence.
double ChainProblem::state_risk(State& s, float* parts) const {
    const LabelStates& m = *d_.states;
    const StateScores scores = state_scores(s, s.unary.data());
    const std::size_t n = scores.n, Q = m.size(), A = m.n_steps();
    if (!s.potentials_set) {
        s.state_potentials.set(scores);
        s.potentials_set = true;
    }
    std::vector<double> emission(n * S_, 0.0), losses(n * S_, 0.0), scale(n);
    for (std::size_t t = 0; t < n; ++t) {
        const double* u = scores.unary + t * S_;
        const double top = *std::max_element(u, u + L_);
        for (std::size_t y = 0; y < L_; ++y) {
            emission[t * S_ + y] = top == minus_infinity<double> ? 0.0 : std::exp(u[y] - top);
            losses[t * S_ + y] = wrong(d_.offsets[s.example] + static_cast<std::int64_t>(t), y) ? 1.0 : 0.0;
        }
    }
    struct Sums {
        double weight = 0, loss = 0;
    };
    std::vector<Sums> alpha((n + 1) * Q), beta(Q), next(Q);
    alpha[0].weight = 1;
    for (std::size_t t = 0; t < n; ++t) {
        const double* v = s.state_potentials.steps_to(scores, t);
        const Sums* before = alpha.data() + t * Q;
        Sums* a = alpha.data() + (t + 1) * Q;
        double sum = 0;
        for (std::size_t q = 1; q < Q; ++q) {
            const std::size_t y = static_cast<std::size_t>(m.label[q]);
            for (std::int64_t k = m.into[q]; k < m.into[q + 1]; ++k) {
                a[q].weight += before[m.from[k]].weight * v[k];
                a[q].loss += before[m.from[k]].loss * v[k];
            }
            const bool may = t + 1 < n || m.final[q];
            const double e = may ? emission[t * S_ + y] : 0.0;
            a[q].weight *= e;
            a[q].loss = a[q].loss * e + losses[t * S_ + y] * a[q].weight;
            sum += a[q].weight;
        }
        if (!(sum > 0) || std::isinf(sum))
            throw std::domain_error("sentence " + std::to_string(s.example + 1) + ": no sequence of labels is allowed, or the scores are too far apart");
        scale[t] = 1 / sum;
        for (std::size_t q = 1; q < Q; ++q) {
            a[q].weight *= scale[t];
            a[q].loss *= scale[t];
        }
    }
    double risk = 0;
    for (std::size_t q = 0; q < Q; ++q) {
        risk += alpha[n * Q + q].loss;
        beta[q].weight = m.final[q] ? 1.0 : 0.0;
    }
    float *bigrams = parts + n * S_, *shared = parts + n * parts_per_token();
    std::vector<double> covariance(A, 0.0);
    for (std::size_t t = n; t-- > 0;) {
        const double* v = s.state_potentials.steps_to(scores, t);
        const Sums* before = alpha.data() + t * Q;
        std::fill(next.begin(), next.end(), Sums{});
        for (std::size_t q = 1; q < Q; ++q) {
            const std::size_t y = static_cast<std::size_t>(m.label[q]);
            const double factor = emission[t * S_ + y] * scale[t];
            const double weight = factor * beta[q].weight, loss = factor * (beta[q].loss + beta[q].weight * losses[t * S_ + y]);
            double at_label = 0;
            for (std::int64_t k = m.into[q]; k < m.into[q + 1]; ++k) {
                const Sums& from = before[m.from[k]];
                const double step = v[k] * ((from.loss - risk * from.weight) * weight + from.weight * loss);
                next[m.from[k]].weight += v[k] * weight;
                next[m.from[k]].loss += v[k] * loss;
                at_label += step;
                covariance[k] += step;
                if (d_.pair_rows && t && m.from[k]) bigrams[(t * L_ + m.label[m.from[k]]) * S_ + y] += static_cast<float>(step);
            }
            parts[t * S_ + y] += static_cast<float>(at_label);
        }
        std::swap(beta, next);
    }
    add_to_rows(m, S_, covariance.data(), shared);
    return risk;
}

}  // namespace palmette

#include "structures/chain/states.hpp"

#include <stdexcept>

namespace palmette {
namespace {

constexpr double kForbidden = minus_infinity<double>;
constexpr double kRange = -300;  // logs of products below this are left to the passes in logs

[[noreturn]] void refuse_states(const char* what) { throw std::invalid_argument(what); }

// The emissions to the power of e, each position less its largest. False where a position has no label at all.
bool exponentiate(const StateScores& s, std::vector<double>& emission, double& taken, double& least) {
    emission.assign(s.n * s.stride, 0.0);
    for (std::size_t i = 0; i < s.n; ++i) {
        const double* u = s.unary + i * s.stride;
        const double top = *std::max_element(u, u + s.states->n_labels);
        if (top == kForbidden) return false;
        for (std::size_t y = 0; y < s.states->n_labels; ++y)
            if (u[y] > kForbidden) least = std::min(least, u[y] - top);
        exp_shifted(u, top, s.states->n_labels, emission.data() + i * s.stride);
        taken += top;
    }
    return true;
}

double log_forward_backward(const StateScores& s, double* unary_marginals, double* step_marginals, std::ptrdiff_t grams_apart) {
    const LabelStates& m = *s.states;
    const std::size_t Q = m.size(), n = s.n;
    std::vector<double> alpha((n + 1) * Q, kForbidden), beta(Q, kForbidden), next(Q);
    alpha[0] = 0;
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t k = 0; k < m.n_steps(); ++k) {
            const double way = alpha[i * Q + m.from[k]] + s.steps_to(i)[k] + s.unary[i * s.stride + m.label[m.to[k]]];
            alpha[(i + 1) * Q + m.to[k]] = log_add(alpha[(i + 1) * Q + m.to[k]], way);
        }
    double log_z = kForbidden;
    for (std::size_t q = 0; q < Q; ++q)
        if (m.final[q]) {
            log_z = log_add(log_z, alpha[n * Q + q]);
            beta[q] = 0;
        }
    if (log_z == kForbidden || !unary_marginals) return log_z;
    std::fill(unary_marginals, unary_marginals + n * s.stride, 0.0);
    for (std::size_t i = n; i-- > 0;) {
        std::fill(next.begin(), next.end(), kForbidden);
        for (std::size_t k = 0; k < m.n_steps(); ++k) {
            const std::size_t y = static_cast<std::size_t>(m.label[m.to[k]]);
            const double step = s.steps_to(i)[k] + s.unary[i * s.stride + y] + beta[m.to[k]];
            next[m.from[k]] = log_add(next[m.from[k]], step);
            const double p = std::exp(alpha[i * Q + m.from[k]] + step - log_z);
            if (!(p > 0)) continue;
            unary_marginals[i * s.stride + y] += p;
            if (step_marginals) step_marginals[grams_apart * static_cast<std::ptrdiff_t>(i) + static_cast<std::ptrdiff_t>(k)] += p;
        }
        std::swap(beta, next);
    }
    return log_z;
}

}  // namespace

LabelStates::LabelStates(std::size_t n_labels_, std::size_t n_rows_, std::vector<std::int32_t> label_,
                         std::vector<std::int32_t> from_, std::vector<std::int32_t> to_, std::vector<std::uint8_t> final_,
                         std::vector<std::int64_t> row_first_, std::vector<std::int32_t> rows_)
    : n_labels(n_labels_), n_rows(n_rows_), label(std::move(label_)), from(std::move(from_)), to(std::move(to_)),
      final(std::move(final_)), row_first(std::move(row_first_)), rows(std::move(rows_)) {
    const std::size_t Q = label.size();
    if (!Q || label[0] != -1 || final.size() != Q || row_first.size() != Q + 1 || from.size() != to.size())
        refuse_states("the states of labels do not fit together");
    for (std::size_t q = 1; q < Q; ++q)
        if (label[q] < 0 || static_cast<std::size_t>(label[q]) >= n_labels) refuse_states("a state has no label");
    if (row_first[0] != 0 || row_first[Q] != static_cast<std::int64_t>(rows.size())) refuse_states("the rows of states do not fit");
    for (std::size_t q = 0; q < Q; ++q)
        if (row_first[q] > row_first[q + 1]) refuse_states("the rows of states do not fit");
    for (const std::int32_t row : rows)
        if (row < 0 || static_cast<std::size_t>(row) >= n_rows) refuse_states("a row of a state is out of range");
    into.assign(Q + 1, 0);
    out.assign(Q + 1, 0);
    step_of_.assign(Q * n_labels, -1);
    for (std::size_t k = 0; k < from.size(); ++k) {
        if (from[k] < 0 || static_cast<std::size_t>(from[k]) >= Q || to[k] < 1 || static_cast<std::size_t>(to[k]) >= Q)
            refuse_states("a step leads nowhere");
        if (k && to[k] < to[k - 1]) refuse_states("the steps are not in the order of their states");
        std::int32_t& step = step_of_[static_cast<std::size_t>(from[k]) * n_labels + static_cast<std::size_t>(label[to[k]])];
        if (step >= 0) refuse_states("two steps of one state have the same label");
        step = static_cast<std::int32_t>(k);
        ++into[to[k] + 1];
        ++out[from[k] + 1];
    }
    for (std::size_t q = 0; q < Q; ++q) {
        into[q + 1] += into[q];
        out[q + 1] += out[q];
    }
    leaving.resize(from.size());
    std::vector<std::int64_t> place(out.begin(), out.end() - 1);
    for (std::size_t k = 0; k < from.size(); ++k) leaving[place[from[k]]++] = static_cast<std::int32_t>(k);
}

void LabelStates::path(const std::int32_t* y, std::size_t n, std::vector<std::int32_t>& steps) const {
    steps.clear();
    std::size_t state = 0;
    for (std::size_t i = 0; i < n; ++i) {
        const std::int32_t k = step(state, static_cast<std::size_t>(y[i]));
        if (k < 0) return;
        steps.push_back(k);
        state = static_cast<std::size_t>(to[k]);
    }
}

void StatePotentials::set(const StateScores& s) {
    const std::size_t A = s.states->n_steps(), tables = s.apart ? s.n : 1;
    values_.resize(A * tables);
    shifts_.assign(std::max<std::size_t>(tables, 1), 0.0);
    least_ = 0;
    for (std::size_t t = 0; t < tables; ++t) {
        const double* scores = s.steps_to(t);
        double* values = values_.data() + t * A;
        double top = kForbidden, low = 0;
        for (std::size_t k = 0; k < A; ++k) top = std::max(top, scores[k]);
        if (top == kForbidden) top = 0;
        for (std::size_t k = 0; k < A; ++k)
            if (scores[k] > kForbidden) low = std::min(low, scores[k] - top);
        exp_shifted(scores, top, A, values);
        shifts_[t] = top;
        least_ = std::min(least_, low);
    }
}

double viterbi(const StateScores& s, StateSpace& space, std::int32_t* y, std::int64_t* touched) {
    const LabelStates& m = *s.states;
    const std::size_t Q = m.size(), n = s.n;
    space.delta.assign(Q, kForbidden);
    space.next.resize(Q);
    space.back.resize(n * Q);
    space.delta[0] = 0;
    for (std::size_t i = 0; i < n; ++i) {
        const double* steps = s.steps_to(i);
        const double* delta = space.delta.data();
        std::int32_t* back = space.back.data() + i * Q;
        space.next[0] = kForbidden;
        for (std::size_t q = 1; q < Q; ++q) {
            const double u = s.unary[i * s.stride + m.label[q]];
            double best = kForbidden;
            std::int64_t through = m.into[q];
            if (u > kForbidden)
                for (std::int64_t k = m.into[q]; k < m.into[q + 1]; ++k) {
                    const double way = delta[m.from[k]] + steps[k];
                    if (way > best) {
                        best = way;
                        through = k;
                    }
                }
            space.next[q] = best + u;
            back[q] = static_cast<std::int32_t>(through);
        }
        if (touched && i) *touched += static_cast<std::int64_t>(Q - 1);
        std::swap(space.delta, space.next);
    }
    double best = kForbidden;
    std::size_t state = 0;
    for (std::size_t q = 0; q < Q; ++q)
        if (m.final[q] && space.delta[q] > best) {
            best = space.delta[q];
            state = q;
        }
    if (best == kForbidden) {
        std::fill(y, y + n, 0);
        return best;
    }
    for (std::size_t i = n; i-- > 0;) {
        y[i] = m.label[state];
        state = static_cast<std::size_t>(m.from[space.back[i * Q + state]]);
    }
    return best;
}

double forward_backward(const StateScores& s, const StatePotentials& potentials, StateSpace& space, double* unary_marginals,
                        double* step_marginals, std::ptrdiff_t grams_apart) {
    const LabelStates& m = *s.states;
    const std::size_t Q = m.size(), n = s.n, A = m.n_steps();
    if (n == 0) return m.final[0] ? 0 : kForbidden;
    const auto in_logs = [&] { return log_forward_backward(s, unary_marginals, step_marginals, grams_apart); };
    double taken = 0, least_emission = 0;
    if (!exponentiate(s, space.emission, taken, least_emission)) return kForbidden;
    if (least_emission + potentials.least() < kRange) return in_logs();
    space.alpha.assign((n + 1) * Q, 0.0);
    space.scale.resize(n);
    space.alpha[0] = 1;
    double least = 1, log_z = taken;
    for (std::size_t i = 0; i < n; ++i) {
        const double *before = space.alpha.data() + i * Q, *e = space.emission.data() + i * s.stride;
        const double* v = potentials.steps_to(s, i);
        double *a = space.alpha.data() + (i + 1) * Q, sum = 0;
        const auto enter = [&](std::size_t q) {
            const double emission = e[m.label[q]];
            if (emission == 0) return;
            double reached = 0;
            for (std::int64_t k = m.into[q]; k < m.into[q + 1]; ++k) reached += before[m.from[k]] * v[k];
            a[q] = reached * emission;
            sum += a[q];
        };
        if (i == 0)
            for (std::int64_t k = m.out[0]; k < m.out[1]; ++k) enter(static_cast<std::size_t>(m.to[m.leaving[k]]));
        else
            for (std::size_t q = 1; q < Q; ++q) enter(q);
        if (sum == 0) return kForbidden;  // nothing was lost so far
        const double inverse = 1 / sum;
        for (std::size_t q = 1; q < Q; ++q) {
            a[q] *= inverse;
            least = a[q] > 0 && a[q] < least ? a[q] : least;
        }
        if (!(std::log(least) + least_emission + potentials.least() > kRange)) return in_logs();
        space.scale[i] = inverse;
        log_z += std::log(sum) + potentials.shift(s, i);
    }
    double ended = 0;
    const double* last = space.alpha.data() + n * Q;
    for (std::size_t q = 1; q < Q; ++q) ended += m.final[q] ? last[q] : 0.0;
    if (ended == 0) return kForbidden;
    log_z += std::log(ended);
    if (!unary_marginals) return log_z;

    // β of a state is the sum of what may follow; α β is its probability. Where α is zero β does not matter.
    space.beta.assign(Q, 0.0);
    space.next.resize(Q);
    space.row.assign(step_marginals && !grams_apart && !s.apart ? A : 0, 0.0);
    for (std::size_t q = 1; q < Q; ++q) space.beta[q] = m.final[q] ? 1 / ended : 0.0;
    std::fill(unary_marginals, unary_marginals + n * s.stride, 0.0);
    for (std::size_t i = n; i-- > 0;) {
        const double *before = space.alpha.data() + i * Q, *a = before + Q, *e = space.emission.data() + i * s.stride;
        const double* v = potentials.steps_to(s, i);
        double *next = space.next.data(), *m_i = unary_marginals + i * s.stride;
        double* grams = step_marginals && space.row.empty() ? step_marginals + grams_apart * static_cast<std::ptrdiff_t>(i) : nullptr;
        std::fill(next, next + Q, 0.0);
        for (std::size_t q = 1; q < Q; ++q) {
            if (a[q] == 0 || space.beta[q] == 0) continue;
            const std::size_t y = static_cast<std::size_t>(m.label[q]);
            m_i[y] += a[q] * space.beta[q];
            const double row = e[y] * space.beta[q] * space.scale[i];
            const std::int64_t begin = m.into[q], end = m.into[q + 1];
            for (std::int64_t k = begin; k < end; ++k) next[m.from[k]] += v[k] * row;
            if (!space.row.empty())
                for (std::int64_t k = begin; k < end; ++k) space.row[k] += before[m.from[k]] * row;
            else if (grams)
                for (std::int64_t k = begin; k < end; ++k) grams[k] += before[m.from[k]] * v[k] * row;
        }
        for (std::size_t q = 0; q < Q; ++q) next[q] = before[q] > 0 ? next[q] : 0.0;
        std::swap(space.beta, space.next);
    }
    const double* v = potentials.steps_to(s, 0);
    for (std::size_t k = 0; k < space.row.size(); ++k) step_marginals[k] += space.row[k] * v[k];
    return log_z;
}

double chain_score(const StateScores& s, const std::int32_t* y) {
    const LabelStates& m = *s.states;
    double score = 0;
    std::size_t state = 0;
    for (std::size_t i = 0; i < s.n; ++i) {
        const std::int32_t k = m.step(state, static_cast<std::size_t>(y[i]));
        if (k < 0) return kForbidden;
        score += s.unary[i * s.stride + y[i]] + s.steps_to(i)[k];
        state = static_cast<std::size_t>(m.to[k]);
    }
    return m.final[state] ? score : kForbidden;
}

}  // namespace palmette

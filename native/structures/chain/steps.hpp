// What searches need to know of a chain: the states of every position, and the steps between them. A state of position i
// has read the labels up to i. `from` of a step to position 0 says nothing.
#pragma once
#include <cstddef>

#include "structures/chain/chain.hpp"
#include "structures/chain/states.hpp"

namespace palmette {

// States are contexts in base L of min(i + 1, order) labels, and of one label where labels do not see each other.
template <class Real>
class ContextSteps {
public:
    explicit ContextSteps(const ChainScores<Real>& s) : s_(s), order_(std::max<std::size_t>(s.order, 1)) {}

    std::size_t n() const { return s_.n; }
    std::size_t states(std::size_t i) const { return power(s_.labels, static_cast<int>(std::min(i + 1, order_))); }
    std::size_t label(std::size_t state) const { return state % s_.labels; }
    double score(std::size_t i, std::size_t from, std::size_t state) const {
        const std::size_t y = state % s_.labels;
        const double unary = s_.unary[i * s_.stride + y];
        return i == 0 || s_.order == 0 ? unary : s_.transitions(i)[from * s_.stride + y] + unary;
    }
    double end_score(std::size_t) const { return 0; }

    // visit(state before) for the steps to a state of position i ≥ 1.
    template <class Visit>
    void each_before(std::size_t i, std::size_t state, const Visit& visit) const {
        const std::size_t before = states(i - 1), L = s_.labels;
        if (s_.order == 0) {
            for (std::size_t from = 0; from < before; ++from) visit(from);
        } else if (i < order_) {
            visit(state / L);
        } else {
            for (std::size_t p = 0; p < L; ++p) visit(p * (before / L) + state / L);
        }
    }
    // visit(next state, score) for the first steps, and for those from a state of position i - 1.
    template <class Visit>
    void each_first(const Visit& visit) const {
        for (std::size_t y = 0; y < s_.labels; ++y) visit(y, static_cast<double>(s_.unary[y]));
    }
    template <class Visit>
    void each_after(std::size_t i, std::size_t from, const Visit& visit) const {
        const std::size_t kept = s_.order == 0 ? 0 : i < order_ ? from : from % power(s_.labels, s_.order - 1);
        for (std::size_t y = 0; y < s_.labels; ++y) visit(kept * s_.labels + y, score(i, from, y));
    }
    // The highest score of a step to every position.
    std::vector<double> best_steps() const {
        std::vector<double> best(s_.n, minus_infinity<double>), column(s_.labels);
        const Real* known = nullptr;  // the table whose columns' maxima are at hand
        for (std::size_t i = 0; i < s_.n; ++i) {
            const Real* t = i && s_.order ? s_.transitions(i) : nullptr;
            if (!t) {
                column.assign(s_.labels, 0);
            } else if (t != known) {
                column.assign(s_.labels, minus_infinity<double>);
                for (std::size_t c = 0; c < s_.contexts(i); ++c)
                    for (std::size_t y = 0; y < s_.labels; ++y) column[y] = std::max<double>(column[y], t[c * s_.stride + y]);
            }
            known = t;
            for (std::size_t y = 0; y < s_.labels; ++y) best[i] = std::max(best[i], column[y] + s_.unary[i * s_.stride + y]);
        }
        return best;
    }

private:
    const ChainScores<Real>& s_;
    const std::size_t order_;
};

// The states of an automaton. Those of the last position are final ones.
class StateSteps {
public:
    explicit StateSteps(const StateScores& s) : s_(s), m_(*s.states) {}

    std::size_t n() const { return s_.n; }
    std::size_t states(std::size_t) const { return m_.size(); }
    std::size_t label(std::size_t state) const { return static_cast<std::size_t>(m_.label[state]); }
    double score(std::size_t i, std::size_t from, std::size_t state) const {
        if (state == 0) return minus_infinity<double>;
        const std::int32_t k = m_.step(i == 0 ? 0 : from, label(state));
        return k < 0 || m_.to[k] != static_cast<std::int32_t>(state) ? minus_infinity<double> : score_of(i, k);
    }
    double end_score(std::size_t from) const { return m_.final[from] ? 0 : minus_infinity<double>; }

    template <class Visit>
    void each_before(std::size_t, std::size_t state, const Visit& visit) const {
        for (std::int64_t k = m_.into[state]; k < m_.into[state + 1]; ++k) visit(static_cast<std::size_t>(m_.from[k]));
    }
    template <class Visit>
    void each_first(const Visit& visit) const {
        each_after(0, 0, visit);
    }
    template <class Visit>
    void each_after(std::size_t i, std::size_t from, const Visit& visit) const {
        for (std::int64_t k = m_.out[from]; k < m_.out[from + 1]; ++k) {
            const std::int32_t step = m_.leaving[k];
            if (i + 1 < s_.n || m_.final[m_.to[step]]) visit(static_cast<std::size_t>(m_.to[step]), score_of(i, step));
        }
    }
    std::vector<double> best_steps() const {
        std::vector<double> best(s_.n, minus_infinity<double>);
        for (std::size_t i = 0; i < s_.n; ++i)
            for (std::size_t k = 0; k < m_.n_steps(); ++k)
                best[i] = std::max(best[i], score_of(i, static_cast<std::int32_t>(k)));
        return best;
    }

private:
    double score_of(std::size_t i, std::int32_t step) const {
        return s_.steps_to(i)[step] + s_.unary[i * s_.stride + m_.label[m_.to[step]]];
    }
    const StateScores& s_;
    const LabelStates& m_;
};

}  // namespace palmette

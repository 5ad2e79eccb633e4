// Chains whose history is the state of a deterministic automaton that reads the labels:
//
//     score(y) = Σ_i unary_i[y_i] + steps_i[σ_i → σ_{i+1}],   σ_0 the start, σ_{i+1} = next(σ_i, y_i)
//
// Only steps that exist are listed, so that an automaton, and the label n-grams that occur in a corpus, cost what their
// steps cost: O(n · steps). A state is entered by one label only, which is the label of each step to it. All in doubles.
// Sums are rescaled at every position, and repeated in logs where a number might underflow.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "structures/chain/chain.hpp"

namespace palmette {

// States, and the rows of weights that score the steps from a state: row r adds w[r][y] to the step of label y.
class LabelStates {
public:
    // label: by which a state is entered, -1 for the start, state 0. from, to: of steps, in the order of (to, from).
    // final: where a sequence may end. The rows of state q are rows[row_first[q]] … rows[row_first[q + 1]].
    LabelStates(std::size_t n_labels, std::size_t n_rows, std::vector<std::int32_t> label, std::vector<std::int32_t> from,
                std::vector<std::int32_t> to, std::vector<std::uint8_t> final, std::vector<std::int64_t> row_first,
                std::vector<std::int32_t> rows);

    std::size_t size() const { return label.size(); }
    std::size_t n_steps() const { return from.size(); }
    // The step of a label from a state, or -1.
    std::int32_t step(std::size_t state, std::size_t y) const { return step_of_[state * n_labels + y]; }
    // visit(row) for the rows of a state.
    template <class Visit>
    void each_row(std::size_t state, Visit&& visit) const {
        for (std::int64_t k = row_first[state]; k < row_first[state + 1]; ++k) visit(static_cast<std::size_t>(rows[k]));
    }
    // The steps of a sequence, one for each label; fewer where a label cannot follow.
    void path(const std::int32_t* y, std::size_t n, std::vector<std::int32_t>& steps) const;

    std::size_t n_labels, n_rows;
    std::vector<std::int32_t> label, from, to;
    std::vector<std::uint8_t> final;
    std::vector<std::int64_t> row_first;
    std::vector<std::int32_t> rows;
    std::vector<std::int64_t> into;   // the steps to state q are into[q] … into[q + 1]
    std::vector<std::int64_t> out;    // those from state q are the entries out[q] … out[q + 1] of `leaving`
    std::vector<std::int32_t> leaving;

private:
    std::vector<std::int32_t> step_of_;
};

// Views onto the scores of one sentence. Minus infinity forbids.
struct StateScores {
    const LabelStates* states = nullptr;
    std::size_t n = 0, stride = 0;
    const double* unary = nullptr;   // [n][stride]
    const double* steps = nullptr;   // [steps]
    std::ptrdiff_t apart = 0;        // from the steps of one position to those of the next; 0 if they share them

    const double* steps_to(std::size_t i) const { return steps + apart * static_cast<std::ptrdiff_t>(i); }
};

// The scores of steps to the power of e, each less the largest of its position.
class StatePotentials {
public:
    void set(const StateScores& s);
    const double* steps_to(const StateScores& s, std::size_t i) const { return values_.data() + (s.apart ? i * s.states->n_steps() : 0); }
    double shift(const StateScores& s, std::size_t i) const { return shifts_[s.apart ? i : 0]; }
    double least() const { return least_; }  // the least log of an entry that is not zero

private:
    std::vector<double> values_, shifts_;
    double least_ = 0;
};

struct StateSpace {
    std::vector<double> emission, alpha, beta, next, row, scale, delta;
    std::vector<std::int32_t> back, path;
};

// The best labels and their score; minus infinity if no sequence is allowed. `touched` grows by the states extended.
double viterbi(const StateScores& s, StateSpace& space, std::int32_t* y, std::int64_t* touched = nullptr);

// log Σ_y e^score(y). Fills `unary_marginals` [n][stride] if it is not null, and adds the marginals of steps to
// `step_marginals`, one array for all positions or, `grams_apart` numbers apart, one for each.
double forward_backward(const StateScores& s, const StatePotentials& potentials, StateSpace& space, double* unary_marginals,
                        double* step_marginals, std::ptrdiff_t grams_apart);

// The score of one sequence; minus infinity if the states do not allow it.
double chain_score(const StateScores& s, const std::int32_t* y);

}  // namespace palmette

// Tagged sentences as a learning problem: chains whose scores are sums of weights of attributes.
//
// The weights lie in rows of `stride` labels (labels rounded up to a multiple of 8, pads zero):
//     attribute a                 w[a · S + y]
//     pair attribute b            w[P + (b · L + y′) · S + y]
//     label n-grams, h = 1…order  w[T_h + (y_{i-h} … y_{i-1}) · S + y_i]      these are the shared parts
// or, where the history of a label is a state of `LabelStates` (structures/chain/problem_states.cpp),
//     row r of its states         w[T + r · S + y]                            the shared parts in place of n-grams
// An example's own parts are the labels of its tokens, [n][S], then with pair attributes the bigrams
// [n][L][S]. Nothing here is copied: the arrays belong to the caller.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "learning/problem.hpp"
#include "structures/chain/chain.hpp"
#include "structures/chain/states.hpp"

namespace palmette {

struct ChainData {
    std::size_t n_sentences = 0;
    const std::int64_t* offsets = nullptr;
    const std::int64_t* rows = nullptr;
    const std::int32_t* attributes = nullptr;
    const float* values = nullptr;  // null: all one
    const float* unary = nullptr;   // [tokens][S]: scores computed elsewhere, added to those of the attributes
    const std::int64_t* pair_rows = nullptr;  // null: no pair attributes
    const std::int32_t* pair_attributes = nullptr;
    const float* pair_values = nullptr;
    const std::int32_t* labels = nullptr;     // -1: not known
    const std::uint8_t* allowed = nullptr;    // [tokens][L], what an unknown label may be; null: anything
    const float* weights = nullptr;           // of sentences; null: all one
    std::size_t n_attributes = 0, n_pair_attributes = 0, n_labels = 0;
    int order = 1;
    // What the scheme of the labels allows, as zero or minus infinity; null: everything.
    const float* start_mask = nullptr;  // [S]
    const float* end_mask = nullptr;    // [S]
    const float* pair_mask = nullptr;   // [L][S]
    // The scores of a label are normalised over the labels of its position, given those before it (a MEMM): Z = 1.
    bool local = false;
    // The history of a label is the state of this automaton, which also has what the masks say; null: the last labels.
    const LabelStates* states = nullptr;
};

class ChainProblem {
public:
    using Output = std::vector<std::int32_t>;

    struct State {
        std::size_t example = 0;
        std::vector<float> unary, begin, table, pair_table, restricted, scratch;
        std::vector<double> doubles;
        bool potentials_set = false;
        ChainPotentials<float> potentials;
        ChainSpace<float> space;
        ChainScores<float> scores;
        // With states: the scores of steps that all share, and of this example's own; room for its labels' in doubles.
        std::vector<double> steps, own_steps, wide, marginals, step_marginals;
        StatePotentials state_potentials;
        StateSpace state_space;
    };

    explicit ChainProblem(const ChainData& data);
    ChainProblem(ChainProblem&&) = default;

    std::size_t size() const { return d_.n_sentences; }
    std::size_t n_weights() const { return shared_at_ + n_shared_; }
    std::size_t n_shared() const { return n_shared_; }
    Offers offers() const {
        Offers offers = offers_of_sums();
        offers.push_back("history");
        const std::int32_t* end = d_.labels + d_.offsets[size()];
        if (std::find_if(d_.labels, end, [](std::int32_t label) { return label < 0; }) != end) offers.push_back("latent");
        return offers;
    }
    std::size_t n_tokens(std::size_t i) const { return d_.offsets[i + 1] - d_.offsets[i]; }
    std::size_t n_parts(std::size_t i) const { return n_tokens(i) * parts_per_token() + n_shared_; }
    std::size_t parts_per_token() const { return S_ + (d_.pair_rows ? L_ * S_ : 0); }
    std::size_t labels() const { return L_; }
    std::size_t stride() const { return S_; }
    std::size_t shared_at() const { return shared_at_; }
    const ChainData& data() const { return d_; }
    float weight(std::size_t i) const { return d_.weights ? d_.weights[i] : 1.0f; }

    template <class Visit>
    void rows(std::size_t i, Visit&& visit) const {
        for (std::int64_t k = d_.rows[d_.offsets[i]]; k < d_.rows[d_.offsets[i + 1]]; ++k)
            visit(static_cast<std::size_t>(d_.attributes[k]) * S_, S_);
        if (d_.pair_rows)
            for (std::int64_t k = d_.pair_rows[d_.offsets[i]]; k < d_.pair_rows[d_.offsets[i + 1]]; ++k)
                visit(pairs_at_ + static_cast<std::size_t>(d_.pair_attributes[k]) * L_ * S_, L_ * S_);
    }

    void observed(std::uint8_t* mask) const;
    // Only weights with a 1 here move from now on; null: all. [n_weights], the caller's.
    void keep_to(const std::uint8_t* free) { free_ = free; }
    void prepare(State& s, const float* shared, float scale, bool sums) const;
    void score(State& s, std::size_t i, const float* w, float scale) const;
    void set_scores(State& s, std::size_t i, const float* parts) const;
    // Where the tables of positions differ: what the other passes may not take for shared.
    bool own_tables() const { return (d_.order || d_.states) && (d_.pair_rows || d_.local); }
    // The scores of the example in `s`, where histories are states; good until the next call.
    StateScores state_scores(State& s, const float* unary) const;
    void part_scores(std::size_t i, const float* w, float* parts) const;

    double best(State& s, float cost, Output& y) const;
    void kbest(State& s, std::size_t k, float cost, std::vector<Output>& ys, std::vector<double>& scores) const;
    double gold(State& s, Output& y) const;  // and its score
    double loss(std::size_t i, const Output& y) const;
    double part_costs(std::size_t i, float* parts) const;

    template <class Visit>
    void difference(std::size_t i, const Output& gold, const Output& guess, Visit&& take) const {
        const auto visit = [&](std::size_t k, float value) {
            if (!free_ || free_[k]) take(k, value);
        };
        const std::int64_t first = d_.offsets[i];
        const std::size_t n = n_tokens(i);
        for (std::size_t t = 0; t < n; ++t) {
            const std::size_t a = gold[t], b = guess[t];
            if (a != b)
                for (std::int64_t k = d_.rows[first + t]; k < d_.rows[first + t + 1]; ++k) {
                    const std::size_t row = static_cast<std::size_t>(d_.attributes[k]) * S_;
                    const float value = d_.values ? d_.values[k] : 1.0f;
                    visit(row + a, value);
                    visit(row + b, -value);
                }
            if (t && d_.pair_rows && (a != b || gold[t - 1] != guess[t - 1]))
                for (std::int64_t k = d_.pair_rows[first + t]; k < d_.pair_rows[first + t + 1]; ++k) {
                    const std::size_t row = pairs_at_ + static_cast<std::size_t>(d_.pair_attributes[k]) * L_ * S_;
                    const float value = d_.pair_values ? d_.pair_values[k] : 1.0f;
                    visit(row + gold[t - 1] * S_ + a, value);
                    visit(row + guess[t - 1] * S_ + b, -value);
                }
            std::size_t at = shared_at_, c_gold = 0, c_guess = 0, place = 1;
            for (std::size_t h = 1; !d_.states && h <= std::min<std::size_t>(t, d_.order); ++h) {
                c_gold += gold[t - h] * place;
                c_guess += guess[t - h] * place;
                place *= L_;
                if (c_gold != c_guess || a != b) {
                    visit(at + c_gold * S_ + a, 1.0f);
                    visit(at + c_guess * S_ + b, -1.0f);
                }
                at += place * S_;
            }
        }
        if (d_.states) state_difference(gold, guess, visit);
    }

    double marginals(State& s, float* parts) const { return sum(s, s.scores, parts); }
    double gold_marginals(State& s, float* parts) const;
    double risk(State& s, float* parts) const;
    void pullback(std::size_t i, const float* parts, float step, float* g) const;
    // Φᵀ for many examples: each row of `g` is the sum of its tokens' parts, so threads share no row.
    void pullback_block(std::size_t begin, std::size_t end, const float* parts, int n_jobs, float* g) const;

private:
    // Which tokens of a block have an attribute: the attributes' CSR turned round. Kept, since batch learners come back.
    struct Turned {
        std::size_t begin = 0, end = 0;
        std::vector<std::int64_t> rows;
        std::vector<std::int32_t> tokens;
        std::vector<float> values;
    };
    void pullback_free(std::size_t i, const float* parts, float step, float* g) const;
    const Turned& turned(std::size_t begin, std::size_t end) const;

    template <class Visit>
    void state_difference(const Output& gold, const Output& guess, const Visit& visit) const {
        std::vector<std::int32_t> a, b;
        d_.states->path(gold.data(), gold.size(), a);
        d_.states->path(guess.data(), guess.size(), b);
        const auto add = [&](std::int32_t step, float value) {
            const std::size_t y = static_cast<std::size_t>(d_.states->label[d_.states->to[step]]);
            d_.states->each_row(d_.states->from[step], [&](std::size_t r) { visit(shared_at_ + r * S_ + y, value); });
        };
        for (std::size_t t = 0; t < std::max(a.size(), b.size()); ++t) {
            if (t < std::min(a.size(), b.size()) && a[t] == b[t]) continue;
            if (t < a.size()) add(a[t], 1.0f);
            if (t < b.size()) add(b[t], -1.0f);
        }
    }

    // What structures/chain/problem_states.cpp has, for histories that are states.
    void compose_steps(State& s, const float* shared, float scale) const;
    void add_pairs_to_steps(State& s, std::size_t t, const float* bigrams) const;
    void normalise_steps(State& s) const;
    double state_sum(State& s, const float* unary, float* parts) const;
    double state_risk(State& s, float* parts) const;
    void add_gold_steps(const std::int32_t* y, std::size_t n, float* shared) const;
    void observed_steps(std::int64_t begin, std::int64_t end, std::uint8_t* mask) const;

    // The best output with these scores of labels, and the score of an output with the example's own.
    double best_with(State& s, const float* unary, Output& y) const;
    double score_of(State& s, const std::int32_t* y) const;

    // Adds a bigram table [L][S] to the transitions of position t, whatever the history.
    void add_pairs(State& s, std::size_t t, const float* bigrams) const;
    bool labelled(std::size_t i) const;
    // Does label y at token t disagree with what is known of it?
    bool wrong(std::int64_t t, std::size_t y) const {
        const std::int32_t known = d_.labels[t];
        return known >= 0 ? static_cast<std::size_t>(known) != y : d_.allowed && !d_.allowed[t * L_ + y];
    }
    void restrict_to_gold(State& s) const;
    double sum(State& s, const ChainScores<float>& scores, float* parts) const;
    void spread(const State& s, const ChainScores<float>& scores, float* parts) const;
    double independent_risk(State& s, float* parts) const;
    void set_view(State& s, std::size_t i) const;
    void mask_ends(State& s) const;
    void normalise(State& s) const;  // structures/chain/local.cpp

    ChainData d_;
    const std::uint8_t* free_ = nullptr;
    mutable std::vector<std::unique_ptr<Turned>> turned_;
    std::unique_ptr<std::mutex> turning_ = std::make_unique<std::mutex>();  // two callers may share a problem
    std::size_t L_, S_, pairs_at_, shared_at_, n_shared_;
};

static_assert(LearningProblem<ChainProblem>);

// The arrays of a problem of order 0 in which the labels before a token are attributes of it (structures/chain/local.cpp).
struct LabelHistory {
    std::vector<std::int64_t> rows;
    std::vector<std::int32_t> attributes, labels;
    std::vector<float> values;           // empty: all one
    std::vector<std::uint8_t> allowed;   // empty: anything
    std::size_t n_attributes = 0;

    explicit LabelHistory(const ChainData& d);
};

}  // namespace palmette

// Chains of labels that are made of parts: an analysis of a word is its part of speech, and a value for each of its attributes.
//
//     score(y) = Σ_t Σ_{p in label y_t} u[t][p] + Σ_t T[class of y_{t−1}][class of y_t]
//
// u[t][p] is the sum of the weights of token t's attributes for part p, so labels share what is known of their parts, and only
// the labels of the table can be predicted. Each label has a class, and transitions see classes only. So sums over labels are
// sums within classes, then a chain over the classes: O(labels · parts of a label + classes²) for a token.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "learning/learnable.hpp"
#include "learning/problem.hpp"

namespace palmette {

struct FactoredData {
    std::span<const std::int64_t> offsets;  // of sentences in tokens
    std::span<const std::int64_t> rows;     // of tokens in attributes
    const std::int32_t* attributes = nullptr;
    const float* unary = nullptr;           // [tokens][S]: scores of parts computed elsewhere, added; null: none
    const std::int32_t* labels = nullptr;   // of tokens; -1: not known
    const float* weights = nullptr;         // of sentences; null: all one
    // Labels that a token may have; none listed: any. Null: any for all.
    const std::int64_t* allowed_rows = nullptr;
    const std::int32_t* allowed = nullptr;
    std::span<const std::int64_t> label_rows;  // of labels in parts
    const std::int32_t* label_parts = nullptr;
    const std::int32_t* classes = nullptr;     // of labels
    std::size_t n_attributes = 0, n_parts = 0, n_classes = 0;
};

class FactoredProblem {
public:
    using Output = std::vector<std::int32_t>;  // a label for every token

    struct State {
        std::size_t example = 0, n = 0;
        std::vector<float> unary;          // [n][S]
        std::vector<float> labels;         // [n][L], scores
        std::vector<float> shared;         // [C + 1][C], scores of transitions; the last row is the beginning
        float top = 0;                     // the largest of them
        std::vector<double> transitions;   // e^(shared − top)
        std::vector<float> changed;        // label scores with the loss, or restricted
        std::vector<float> inside;         // [n][L], e^(score − the best of the class)
        std::vector<double> emissions, forward, backward, row;
        std::vector<float> best;           // [n][C]
        std::vector<std::int32_t> arg, from;
    };

    explicit FactoredProblem(const FactoredData& data);

    std::size_t size() const { return d_.offsets.size() - 1; }
    std::size_t n_weights() const { return shared_at_ + n_shared(); }
    std::size_t n_shared() const { return (C_ + 1) * C_; }
    Offers offers() const { return {"best", "kbest", "weights", "votes", "marginals", "parts"}; }
    std::size_t n_tokens(std::size_t i) const { return static_cast<std::size_t>(d_.offsets[i + 1] - d_.offsets[i]); }
    std::size_t n_parts(std::size_t i) const { return n_tokens(i) * S_ + n_shared(); }
    std::size_t n_labels() const { return L_; }
    std::size_t stride() const { return S_; }
    float weight(std::size_t i) const { return d_.weights ? d_.weights[i] : 1.0f; }
    std::int64_t first_token(std::size_t i) const { return d_.offsets[i]; }

    template <class Visit>
    void rows(std::size_t i, Visit&& visit) const {
        for (std::int64_t k = d_.rows[d_.offsets[i]]; k < d_.rows[d_.offsets[i + 1]]; ++k)
            visit(static_cast<std::size_t>(d_.attributes[k]) * S_, S_);
    }

    void observed(std::uint8_t* mask) const;
    void keep_to(const std::uint8_t* free) { free_ = free; }
    void prepare(State& s, const float* shared, float scale, bool sums) const;
    void score(State& s, std::size_t i, const float* w, float scale) const;
    void set_scores(State& s, std::size_t i, const float* parts) const;
    void part_scores(std::size_t i, const float* w, float* parts) const;

    double best(State& s, float cost, Output& y) const;
    void kbest(State& s, std::size_t k, float cost, std::vector<Output>& ys, std::vector<double>& scores) const;
    double gold(State& s, Output& y) const;
    double loss(std::size_t i, const Output& y) const;
    double part_costs(std::size_t i, float* parts) const;  // throws: a wrong label is not a sum over parts

    template <class Visit>
    void difference(std::size_t i, const Output& gold, const Output& guess, Visit&& take) const {
        const auto visit = [&](std::size_t k, float value) {
            if (!free_ || free_[k]) take(k, value);
        };
        for (std::size_t t = 0; t < gold.size(); ++t) {
            if (gold[t] != guess[t])
                for (const std::int64_t token = d_.offsets[i] + static_cast<std::int64_t>(t); const auto& [part, value] : {Side{gold[t], 1.0f}, Side{guess[t], -1.0f}})
                    for (std::int64_t k = d_.rows[token]; k < d_.rows[token + 1]; ++k)
                        for (std::int64_t p = d_.label_rows[part]; p < d_.label_rows[part + 1]; ++p)
                            visit(static_cast<std::size_t>(d_.attributes[k]) * S_ + static_cast<std::size_t>(d_.label_parts[p]), value);
            const std::size_t a = transition(gold, t), b = transition(guess, t);
            if (a != b) visit(shared_at_ + a, 1.0f), visit(shared_at_ + b, -1.0f);
        }
    }

    double marginals(State& s, float* parts) const { return sum(s, s.labels.data(), parts, nullptr); }
    // The same with the probability of every label at every token, [n][L].
    double label_marginals(State& s, float* labels) const { return sum(s, s.labels.data(), nullptr, labels); }
    double gold_marginals(State& s, float* parts) const;
    double risk(State& s, float* parts) const;  // throws: not offered
    void pullback(std::size_t i, const float* parts, float step, float* g) const;
    void pullback_block(std::size_t begin, std::size_t end, const float* parts, int n_jobs, float* g) const;

private:
    struct Side {
        std::int32_t label;
        float value;
    };

    // Where the transition into token t is among the shared parts.
    std::size_t transition(const Output& y, std::size_t t) const {
        const std::size_t before = t ? static_cast<std::size_t>(d_.classes[y[t - 1]]) : C_;
        return before * C_ + static_cast<std::size_t>(d_.classes[y[t]]);
    }
    bool wrong(std::int64_t token, std::int32_t y) const { return d_.labels[token] >= 0 && d_.labels[token] != y; }
    void set_labels(State& s) const;
    void restrict_to_gold(State& s) const;
    void add_cost(State& s, float cost) const;
    double viterbi(State& s, const float* labels, Output& y) const;
    double score_of(const State& s, const Output& y) const;
    double sum(State& s, const float* labels, float* parts, float* label_values) const;
    void pullback_own(std::size_t i, const float* parts, float step, float* g) const;

    FactoredData d_;
    std::size_t L_, S_, C_, shared_at_;
    const std::uint8_t* free_ = nullptr;
};

static_assert(LearningProblem<FactoredProblem>);

extern template class LearnableAs<FactoredProblem>;

}  // namespace palmette

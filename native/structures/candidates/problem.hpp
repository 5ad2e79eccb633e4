// Lists of candidates, of which one is to be chosen: GEN(x) is given, and Φ of each candidate is a sparse vector.
//
// A part is a candidate of its list. Those of least loss are right: an update moves towards the one of them that scores
// best. O(entries of the list) for a score and for a pullback.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "learning/learnable.hpp"
#include "learning/problem.hpp"

namespace palmette {

// List i has the candidates lists[i] … lists[i + 1] - 1, candidate c the entries rows[c] … rows[c + 1] - 1.
struct RankingData {
    std::span<const std::int64_t> lists, rows;
    const std::int32_t* features = nullptr;
    const float* values = nullptr;
    const float* losses = nullptr;   // of every candidate
    const float* weights = nullptr;  // of every list; null: 1
    std::size_t n_features = 0;
};

class RankingProblem {
public:
    using Output = std::size_t;  // the place of a candidate in its list

    struct State {
        std::size_t example = 0;
        std::vector<float> scores;
    };

    explicit RankingProblem(const RankingData& data);

    std::size_t size() const { return d_.lists.size() - 1; }
    std::size_t n_weights() const { return d_.n_features; }
    std::size_t n_shared() const { return 0; }
    Offers offers() const { return offers_of_sums(); }
    std::size_t n_parts(std::size_t i) const { return static_cast<std::size_t>(d_.lists[i + 1] - d_.lists[i]); }
    float weight(std::size_t i) const { return d_.weights ? d_.weights[i] : 1.0f; }

    template <class Visit>
    void rows(std::size_t i, Visit&& visit) const {
        for (std::size_t c = first(i); c < first(i + 1); ++c)
            each(c, [&](std::size_t k, float) { visit(k, std::size_t{1}); });
    }

    void observed(std::uint8_t* mask) const;
    void keep_to(const std::uint8_t* free) { free_ = free; }
    void prepare(State&, const float*, float, bool) const {}
    void score(State& s, std::size_t i, const float* w, float scale) const;
    void set_scores(State& s, std::size_t i, const float* parts) const;
    void part_scores(std::size_t i, const float* w, float* parts) const;
    double best(State& s, float cost, Output& y) const;
    void kbest(State& s, std::size_t k, float cost, std::vector<Output>& ys, std::vector<double>& scores) const;
    double gold(State& s, Output& y) const;
    // What it lacks of the best of its list.
    double loss(std::size_t i, const Output& y) const { return d_.losses[first(i) + y] - least_[i]; }
    double part_costs(std::size_t i, float* parts) const {
        for (std::size_t c = 0; c < n_parts(i); ++c) parts[c] = static_cast<float>(loss(i, c));
        return 0;
    }

    template <class Visit>
    void difference(std::size_t i, const Output& gold, const Output& guess, Visit&& visit) const {
        if (gold == guess) return;
        const auto take = [&](float sign) {
            return [&visit, this, sign](std::size_t k, float value) {
                if (!free_ || free_[k]) visit(k, sign * value);
            };
        };
        each(first(i) + gold, take(1.0f));
        each(first(i) + guess, take(-1.0f));
    }

    double marginals(State& s, float* parts) const;
    double gold_marginals(State& s, float* parts) const;
    double risk(State& s, float* parts) const;
    void pullback(std::size_t i, const float* parts, float step, float* g) const;
    void pullback_block(std::size_t begin, std::size_t end, const float* parts, int n_jobs, float* g) const;

private:
    std::size_t first(std::size_t i) const { return static_cast<std::size_t>(d_.lists[i]); }
    bool right(std::size_t i, std::size_t y) const { return d_.losses[first(i) + y] == least_[i]; }

    template <class Visit>
    void each(std::size_t candidate, Visit&& visit) const {
        for (std::int64_t k = d_.rows[candidate]; k < d_.rows[candidate + 1]; ++k)
            visit(static_cast<std::size_t>(d_.features[k]), d_.values[k]);
    }

    RankingData d_;
    std::vector<float> least_;  // loss in each list
    const std::uint8_t* free_ = nullptr;
};

static_assert(LearningProblem<RankingProblem>);

extern template class LearnableAs<RankingProblem>;

}  // namespace palmette

// Every word chooses its head on its own: the quick first-order model that says which arcs a parser need look at.
// As a learning problem it is n choices among n + 1 heads; its features are those of ArcFeatures::filter.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "features/token_views.hpp"
#include "learning/problem.hpp"
#include "features/arc_features.hpp"

namespace palmette {

class HeadChoiceProblem {
public:
    using Output = std::vector<std::int32_t>;

    struct State {
        std::size_t example = 0;
        std::vector<float> scores;  // [n][n + 1]; a word is never its own head
    };

    HeadChoiceProblem(const TokenViews& views, const std::int32_t* heads, unsigned bits);

    std::size_t size() const { return views_.n_sentences; }
    std::size_t n_weights() const { return std::size_t{1} << bits_; }
    std::size_t n_shared() const { return 0; }
    Offers offers() const { return offers_of_sums(); }
    std::size_t n_parts(std::size_t i) const { return views_.length(i) * (views_.length(i) + 1); }
    float weight(std::size_t) const { return 1.0f; }

    template <class Visit>
    void rows(std::size_t i, Visit&& visit) const {
        walk(i, nullptr, [&](std::size_t, std::size_t at) { visit(at, std::size_t{1}); });
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
    double loss(std::size_t i, const Output& y) const;
    double part_costs(std::size_t i, float* parts) const;

    template <class Visit>
    void difference(std::size_t i, const Output& gold, const Output& guess, Visit&& take) const {
        const ArcFeatures& f = features(i);
        const auto visit = [&](std::uint64_t key, float value) {
            const std::size_t k = key >> (64 - bits_);
            if (!free_ || free_[k]) take(k, value);
        };
        for (std::size_t m = 1; m <= gold.size(); ++m) {
            if (gold[m - 1] == guess[m - 1]) continue;
            f.filter(static_cast<std::size_t>(gold[m - 1]), m, [&](std::size_t, std::uint64_t key) { visit(key, 1.0f); });
            f.filter(static_cast<std::size_t>(guess[m - 1]), m, [&](std::size_t, std::uint64_t key) { visit(key, -1.0f); });
        }
    }

    double marginals(State& s, float* parts) const;
    double gold_marginals(State& s, float* parts) const;
    double risk(State& s, float* parts) const;
    void pullback(std::size_t i, const float* parts, float step, float* g) const;
    void pullback_block(std::size_t begin, std::size_t end, const float* parts, int n_jobs, float* g) const;

    const TokenViews& views() const { return views_; }

private:
    // Kept for the thread until it asks for those of another sentence.
    const ArcFeatures& features(std::size_t i) const;
    std::int32_t head(std::size_t i, std::size_t m) const { return heads_[views_.offsets[i] + static_cast<std::int64_t>(m) - 1]; }

    template <class Visit>
    void walk(std::size_t i, const float* only, Visit&& visit) const {
        const ArcFeatures& f = features(i);
        const std::size_t n = views_.length(i);
        for (std::size_t m = 1; m <= n; ++m)
            for (std::size_t h = 0; h <= n; ++h) {
                const std::size_t part = (m - 1) * (n + 1) + h;
                if (h == m || (only && only[part] == 0)) continue;
                f.filter(h, m, [&](std::size_t, std::uint64_t key) { visit(part, key >> (64 - bits_)); });
            }
    }

    TokenViews views_;
    const std::int32_t* heads_;  // -1: not known
    unsigned bits_;
    std::uint64_t serial_;  // tells problems apart that come to lie at the same address
    const std::uint8_t* free_ = nullptr;
};

static_assert(LearningProblem<HeadChoiceProblem>);

// The heads worth looking at, word by word in rising order: those whose probability is at least `threshold` times the
// highest, at most `most`; always the known head (`heads` not null).
struct Candidates {
    std::vector<std::int64_t> rows{0};
    std::vector<std::int32_t> heads;
};
Candidates head_candidates(const HeadChoiceProblem& p, const float* w, double threshold, std::size_t most, const std::int32_t* heads,
                           int n_jobs);

// The probability of each word's head in `heads` among all heads that the word could have; each word chooses by itself.
void head_probabilities(const HeadChoiceProblem& p, const float* w, const std::int32_t* heads, int n_jobs, float* probabilities);

}  // namespace palmette

#include "structures/candidates/problem.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace palmette {
namespace {

constexpr double kNever = -std::numeric_limits<double>::infinity();

// softmax of the scores that `use` takes; the others get 0. Returns log Σ e^score.
template <class Use>
double softmax(const std::vector<float>& scores, float* p, Use&& use) {
    double high = kNever, sum = 0;
    for (std::size_t c = 0; c < scores.size(); ++c)
        if (use(c)) high = std::max(high, static_cast<double>(scores[c]));
    for (std::size_t c = 0; c < scores.size(); ++c)
        if (use(c)) sum += std::exp(scores[c] - high);
    for (std::size_t c = 0; c < scores.size(); ++c) p[c] = use(c) ? static_cast<float>(std::exp(scores[c] - high) / sum) : 0.0f;
    return scores.empty() ? 0 : high + std::log(sum);
}

}  // namespace

RankingProblem::RankingProblem(const RankingData& data) : d_(data) {
    for (std::size_t i = 0; i < size(); ++i) {
        const float* from = d_.losses + first(i);
        least_.push_back(n_parts(i) ? *std::min_element(from, from + n_parts(i)) : 0.0f);
    }
}

void RankingProblem::observed(std::uint8_t* mask) const {
    for (std::size_t i = 0; i < size(); ++i)
        for (std::size_t y = 0; y < n_parts(i); ++y)
            if (right(i, y)) each(first(i) + y, [&](std::size_t k, float) { mask[k] = 1; });
}

void RankingProblem::part_scores(std::size_t i, const float* w, float* parts) const {
    for (std::size_t y = 0; y < n_parts(i); ++y) {
        double sum = 0;
        each(first(i) + y, [&](std::size_t k, float value) { sum += static_cast<double>(value) * w[k]; });
        parts[y] = static_cast<float>(sum);
    }
}

void RankingProblem::score(State& s, std::size_t i, const float* w, float scale) const {
    s.example = i;
    s.scores.resize(n_parts(i));
    part_scores(i, w, s.scores.data());
    if (scale != 1)
        for (float& x : s.scores) x *= scale;
}

void RankingProblem::set_scores(State& s, std::size_t i, const float* parts) const {
    s.example = i;
    s.scores.assign(parts, parts + n_parts(i));
}

double RankingProblem::best(State& s, float cost, Output& y) const {
    y = 0;
    double high = kNever;
    for (std::size_t c = 0; c < s.scores.size(); ++c) {
        const double v = s.scores[c] + cost * loss(s.example, c);
        if (v > high) high = v, y = c;
    }
    return s.scores.empty() ? 0 : high;
}

void RankingProblem::kbest(State& s, std::size_t k, float cost, std::vector<Output>& ys, std::vector<double>& scores) const {
    const auto value = [&](std::size_t c) { return s.scores[c] + cost * loss(s.example, c); };
    ys.resize(s.scores.size());
    std::iota(ys.begin(), ys.end(), std::size_t{0});
    std::stable_sort(ys.begin(), ys.end(), [&](std::size_t a, std::size_t b) { return value(a) > value(b); });
    ys.resize(std::min(k, ys.size()));
    scores.clear();
    for (const std::size_t c : ys) scores.push_back(value(c));
}

double RankingProblem::gold(State& s, Output& y) const {
    y = 0;
    double high = kNever;
    for (std::size_t c = 0; c < s.scores.size(); ++c)
        if (right(s.example, c) && s.scores[c] > high) high = s.scores[c], y = c;
    return s.scores.empty() ? 0 : high;
}

double RankingProblem::marginals(State& s, float* parts) const {
    return softmax(s.scores, parts, [](std::size_t) { return true; });
}

double RankingProblem::gold_marginals(State& s, float* parts) const {
    return softmax(s.scores, parts, [&](std::size_t c) { return right(s.example, c); });
}

// The covariance of the choice of a candidate with the loss: p (loss − expected loss).
double RankingProblem::risk(State& s, float* parts) const {
    marginals(s, parts);
    double expected = 0;
    for (std::size_t c = 0; c < s.scores.size(); ++c) expected += parts[c] * loss(s.example, c);
    for (std::size_t c = 0; c < s.scores.size(); ++c) parts[c] *= static_cast<float>(loss(s.example, c) - expected);
    return expected;
}

void RankingProblem::pullback(std::size_t i, const float* parts, float step, float* g) const {
    for (std::size_t y = 0; y < n_parts(i); ++y) {
        if (parts[y] == 0) continue;
        const float amount = step * parts[y];
        each(first(i) + y, [&](std::size_t k, float value) {
            if (!free_ || free_[k]) g[k] += amount * value;
        });
    }
}

void RankingProblem::pullback_block(std::size_t begin, std::size_t end, const float* parts, int, float* g) const {
    for (std::size_t i = begin; i < end; ++i) {
        pullback(i, parts, 1.0f, g);
        parts += n_parts(i);
    }
}

template class LearnableAs<RankingProblem>;

}  // namespace palmette

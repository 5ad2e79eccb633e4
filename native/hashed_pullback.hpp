// Φᵀ for problems whose weights lie in one large table of hashed features: what costs is the way to the weights.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "parallel.hpp"

namespace palmette {

// step · parts, less what is next to nothing: it would cost as much as what is not.
inline void scaled_parts(const float* parts, std::size_t n, float step, std::vector<float>& kept) {
    constexpr float kNothing = 1e-5f;
    kept.resize(n);
    for (std::size_t k = 0; k < n; ++k) kept[k] = std::abs(parts[k]) > kNothing ? step * parts[k] : 0.0f;
}

// Changes of single weights: asked for first and made later, in the same order.
class LateChanges {
public:
    explicit LateChanges(float* to) : to_(to) {}
    ~LateChanges() { finish(); }
    LateChanges(const LateChanges&) = delete;
    LateChanges& operator=(const LateChanges&) = delete;

    void add(std::size_t at, float by) {
        __builtin_prefetch(to_ + at, 1);
        later_[n_++] = {static_cast<std::uint32_t>(at), by};
        if (n_ == kRoom) finish();
    }

private:
    static constexpr std::size_t kRoom = 512;

    void finish() {
        for (std::size_t k = 0; k < n_; ++k) to_[later_[k].first] += later_[k].second;
        n_ = 0;
    }

    float* to_;
    std::size_t n_ = 0;
    std::pair<std::uint32_t, float> later_[kRoom];
};

// Several examples, each with its step. Every thread walks over all of them in their order and changes its own stretch of the
// weights, one(example, kept, stretch, stretches): no sum depends on how many there are.
template <class Problem, class One>
void pullback_by_stretches(const Problem& p, std::span<const std::size_t> examples, const float* const* parts, const float* steps,
                           int n_jobs, One&& one) {
    const std::size_t stretches = static_cast<std::size_t>(std::max(1, n_jobs));
    std::vector<std::vector<float>> kept(examples.size());
    parallel(examples.size(), n_jobs, [&](std::size_t k, std::size_t) { scaled_parts(parts[k], p.n_parts(examples[k]), steps[k], kept[k]); });
    parallel(stretches, n_jobs, [&](std::size_t stretch, std::size_t) {
        for (std::size_t k = 0; k < examples.size(); ++k) one(examples[k], kept[k].data(), stretch, stretches);
    });
}

// Examples begin … end - 1, their parts one after another, so many at a time.
template <class Problem>
void pullback_in_blocks(const Problem& p, std::size_t begin, std::size_t end, const float* parts, int n_jobs, float* to) {
    constexpr std::size_t kExamples = 64;
    std::vector<std::size_t> examples;
    std::vector<const float*> of;
    const std::vector<float> steps(kExamples, 1.0f);
    for (std::size_t i = begin; i < end; parts += p.n_parts(i++)) {
        examples.push_back(i);
        of.push_back(parts);
        if (examples.size() < kExamples && i + 1 < end) continue;
        p.pullback_many(examples, of.data(), steps.data(), n_jobs, to);
        examples.clear();
        of.clear();
    }
}

}  // namespace palmette

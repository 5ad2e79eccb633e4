// Φᵀ for problems whose weights lie in one large table of hashed features: what costs is the way to the weights.
#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/parallel.hpp"

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

// What an example changes, listed by the stretch of the table in which a weight lies. Threads list the changes of examples
// side by side; then each takes stretches of the table and makes the changes there in the order of the examples. So no sum
// depends on the number of threads, and a stretch stays in a cache while it is worked on.
class WeightChanges {
public:
    static constexpr std::size_t kStretches = 32;

    // Starts Φᵀ of parts with a step, for a table of n_weights weights; kept() holds step · parts from now on.
    void start(std::size_t n_weights, const float* parts, std::size_t n_parts, float step) {
        const int bits = std::bit_width(n_weights);
        shift_ = std::max(0, bits - 5);
        for (std::size_t stretch = 0; stretch < kStretches; ++stretch) {
            single_[stretch].clear();
            rows_[stretch].clear();
        }
        scaled_parts(parts, n_parts, step, kept_);
    }
    const std::vector<float>& kept() const { return kept_; }

    void add(std::size_t at, float by) { single_[at >> shift_].push_back({static_cast<std::uint32_t>(at), by}); }
    // kept()[part] … to as many weights from `at` on; a row lies in the stretch of its first weight.
    void add_row(std::size_t at, std::size_t part, std::size_t count) {
        rows_[at >> shift_].push_back({at, static_cast<std::uint32_t>(part), static_cast<std::uint32_t>(count)});
    }

    void make(std::size_t stretch, const std::uint8_t* free, float* to) const {
        for (const auto& [at, by] : single_[stretch])
            if (!free || free[at]) to[at] += by;
        for (const auto& [at, part, count] : rows_[stretch])
            for (std::size_t k = 0; k < count; ++k)
                if (!free || free[at + k]) to[at + k] += kept_[part + k];
    }

private:
    struct Row {
        std::size_t at;
        std::uint32_t part, count;
    };
    int shift_ = 0;
    std::vector<float> kept_;
    std::array<std::vector<std::pair<std::uint32_t, float>>, kStretches> single_;
    std::array<std::vector<Row>, kStretches> rows_;
};

// Makes the listed changes of several examples, in their order.
inline void make_changes(std::span<const WeightChanges> changes, const std::uint8_t* free, int n_jobs, float* to) {
    parallel(WeightChanges::kStretches, n_jobs, [&](std::size_t stretch, std::size_t) {
        for (const WeightChanges& of : changes) of.make(stretch, free, to);
    });
}

// Examples begin … end - 1, their parts one after another, `kExamples` at a time.
template <class Problem>
void pullback_in_blocks(const Problem& p, std::size_t begin, std::size_t end, const float* parts, int n_jobs, float* to) {
    constexpr std::size_t kExamples = 64;
    std::vector<WeightChanges> changes(std::min(kExamples, end - begin));
    std::vector<const float*> of;
    for (; begin < end; begin += of.size()) {
        of.clear();
        for (std::size_t i = begin; i < std::min(begin + kExamples, end); parts += p.n_parts(i++)) of.push_back(parts);
        parallel(of.size(), n_jobs, [&](std::size_t k, std::size_t) { p.list_changes(begin + k, of[k], 1.0f, changes[k]); });
        make_changes({changes.data(), of.size()}, p.free(), n_jobs, to);
    }
}

}  // namespace palmette

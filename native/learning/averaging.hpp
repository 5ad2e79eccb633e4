// The weighted mean of all weight vectors met, where each differs from the one before in a few places only.
//
// Let v_t be the vector at step t and c_t its share. A change d that comes when the shares so far sum to `mass`
// is missing from all vectors before it, so  Σ_t c_t v_t = mass · v − Σ over changes of (mass at the change) · d.
#pragma once
#include <algorithm>
#include <cstddef>
#include <span>

#include "base/zeroed.hpp"

namespace palmette {

struct Average {
    ZeroedVector<float> late;     // Σ (mass at the change) · change; empty: no mean is kept
    double mass = 0, total = 0;   // Σ c_t, and what to divide by

    bool kept() const { return !late.empty(); }
    void start(std::size_t n_weights) {
        if (late.empty()) late.resize(n_weights);
    }
    void change(std::size_t index, float by) { late[index] += static_cast<float>(mass) * by; }
    // The vector stays as it is for a step.
    void stay(double share = 1) {
        mass += share;
        total += share;
    }
    // `out` must be zero: where nothing ever changed it is not written to.
    void mean(std::span<const float> v, float* out) const {
        constexpr std::size_t kPage = 1024;
        const bool averaged = total > 0 && kept();
        const auto zero = [](float x) { return x == 0; };
        for (std::size_t begin = 0; begin < v.size(); begin += kPage) {
            const std::size_t end = std::min(begin + kPage, v.size());
            if (std::all_of(v.data() + begin, v.data() + end, zero) &&
                (!averaged || std::all_of(late.data() + begin, late.data() + end, zero)))
                continue;
            for (std::size_t k = begin; k < end; ++k)
                out[k] = averaged ? static_cast<float>((mass * v[k] - late[k]) / total) : v[k];
        }
    }
};

}  // namespace palmette

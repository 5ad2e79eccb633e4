// The weighted mean of all weight vectors met, where each differs from the one before in a few places only.
//
// Let v_t be the vector at step t and c_t its share. A change d that comes when the shares so far sum to `mass`
// is missing from all vectors before it, so  Σ_t c_t v_t = mass · v − Σ over changes of (mass at the change) · d.
#pragma once
#include <cstddef>
#include <span>
#include <vector>

namespace palmette {

struct Average {
    std::vector<float> late;      // Σ (mass at the change) · change; empty: no mean is kept
    double mass = 0, total = 0;   // Σ c_t, and what to divide by

    bool kept() const { return !late.empty(); }
    void start(std::size_t n_weights) {
        if (late.empty()) late.assign(n_weights, 0.0f);
    }
    void change(std::size_t index, float by) { late[index] += static_cast<float>(mass) * by; }
    // The vector stays as it is for a step.
    void stay(double share = 1) {
        mass += share;
        total += share;
    }
    void mean(std::span<const float> v, float* out) const {
        for (std::size_t k = 0; k < v.size(); ++k)
            out[k] = total > 0 && kept() ? static_cast<float>((mass * v[k] - late[k]) / total) : v[k];
    }
};

}  // namespace palmette

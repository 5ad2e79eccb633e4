#include "tools/translation/tuning/error_surface.hpp"

#include <algorithm>
#include <cmath>

namespace palmette {
namespace {

constexpr double kNarrow = 1e-7;  // relative to x

// How far 0 is from an interval.
double distance(double from, double to) { return from > 0 ? from : to < 0 ? -to : 0; }

bool is_narrow(double from, double to) {
    return std::isfinite(to - from) && to - from <= kNarrow * std::max(std::abs(from), kNarrow);
}

double inside(double from, double to) {
    if (std::isinf(from) && std::isinf(to)) return 0;
    if (std::isinf(from)) return to - std::max(std::abs(to), kNarrow);
    if (std::isinf(to)) return from + std::max(std::abs(from), kNarrow);
    return from + (to - from) / 2;
}

}  // namespace

void ErrorSurface::clear() {
    std::fill(start_.begin(), start_.end(), 0.0);
    events_.clear();
    changes_.clear();
}

void ErrorSurface::begin(const float* counts) {
    for (std::size_t s = 0; s < n_; ++s) start_[s] += counts[s];
}

void ErrorSurface::change(double x, const float* before, const float* after) {
    const std::size_t row = changes_.size();
    events_.push_back({x, row});
    changes_.resize(row + n_);
    for (std::size_t s = 0; s < n_; ++s) changes_[row + s] = after[s] - before[s];
}

void ErrorSurface::sort() {
    std::sort(events_.begin(), events_.end(), [](const Event& a, const Event& b) { return a.x < b.x; });
}

LineOptimum best_on_line(ErrorSurface& surface, const Metric& metric) {
    LineOptimum best{0, -std::numeric_limits<double>::infinity()};
    double nearest = 0;
    surface.sweep(metric, [&](double from, double to, double score) {
        if (score < best.score || is_narrow(from, to)) return;
        const double far = distance(from, to);
        if (score > best.score || far < nearest) best = {inside(from, to), score}, nearest = far;
    });
    return best;
}

}  // namespace palmette

#include "learning/kernel_svm.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace palmette {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kFlat = 1e-12;        // the curvature of a pair that has none
constexpr double kNegative = -1e-7;    // relative to the diagonal: less is not a rounding error
constexpr std::size_t kBetween = 1000; // steps from one shrinking to the next

// The arrays are ordered so that the first `active` items are those that are left.
class Solver {
public:
    Solver(GramRows& rows, std::span<const double> diagonal, std::span<const std::int64_t> items, std::span<const double> signs, std::span<const double> bounds,
           const SvmOptions& options)
        : rows_(rows), options_(options), n_(items.size()), active_(n_), place_(n_), id_(n_), y_(signs.begin(), signs.end()), low_(n_), high_(n_), beta_(n_, 0.0), g_(y_), d_(n_) {
        for (std::size_t i = 0; i < n_; ++i) {
            place_[i] = static_cast<std::uint32_t>(i);
            id_[i] = static_cast<std::uint32_t>(items[i]);
            low_[i] = y_[i] > 0 ? 0.0 : -bounds[i];
            high_[i] = y_[i] > 0 ? bounds[i] : 0.0;
            d_[i] = diagonal[static_cast<std::size_t>(items[i])];
        }
    }

    SvmSolution solve() {
        const std::size_t most = options_.most_steps ? options_.most_steps : std::max<std::size_t>(10'000'000, 100 * n_);
        std::size_t steps = 0, until = std::min(n_, kBetween);
        bool near = false;  // everything was looked at again once, close to the end
        look();
        while (steps < most && !(options_.stopped && options_.stopped->load(std::memory_order_relaxed))) {
            if (options_.shrinking && until-- == 0) {
                until = std::min(n_, kBetween);
                if (!near && top_ - bottom_ <= 10 * options_.tolerance) {
                    near = true;
                    unshrink();
                }
                shrink();
                look();
            }
            if (top_ - bottom_ < options_.tolerance) {
                if (active_ == n_) break;
                unshrink();
                look();
                until = std::min<std::size_t>(until, 1);
                if (top_ - bottom_ < options_.tolerance) break;
            }
            if (!step()) {
                if (active_ == n_) break;
                unshrink();
                look();
                continue;
            }
            ++steps;
        }
        if (active_ < n_) unshrink();
        look();
        return solution(steps);
    }

private:
    bool may_rise(std::size_t k) const { return beta_[k] < high_[k]; }
    bool may_fall(std::size_t k) const { return beta_[k] > low_[k]; }

    // The largest slope of those that may rise, and the smallest of those that may fall.
    void look() {
        top_ = -kInfinity, bottom_ = kInfinity, i_ = n_;
        for (std::size_t k = 0; k < active_; ++k) {
            if (may_rise(k) && g_[k] > top_) top_ = g_[k], i_ = k;
            if (may_fall(k) && g_[k] < bottom_) bottom_ = g_[k];
        }
    }

    bool step() {
        if (i_ >= n_) return false;
        const std::size_t i = i_;
        const double* Ki = rows_[id_[i]];
        const double gi = g_[i], di = d_[i];
        std::size_t j = n_;
        double most = 0, curvature = 0;
        for (std::size_t k = 0; k < active_; ++k) {
            const double lead = gi - g_[k];
            if (lead <= 0 || !may_fall(k)) continue;
            double a = di + d_[k] - 2 * Ki[id_[k]];
            if (a <= 0) {
                indefinite_ = indefinite_ || a < kNegative * (std::abs(di) + std::abs(d_[k]));
                a = kFlat;
            }
            const double gain = lead * lead / a;
            if (gain > most) most = gain, j = k, curvature = a;
        }
        if (j == n_) return false;
        const double* Kj = rows_[id_[j]];
        Ki = rows_[id_[i]];
        const double rise = high_[i] - beta_[i], fall = beta_[j] - low_[j], wanted = (gi - g_[j]) / curvature;
        const double by = std::min(wanted, std::min(rise, fall));
        if (by == rise) beta_[i] = high_[i];
        else beta_[i] += by;
        if (by == fall) beta_[j] = low_[j];
        else beta_[j] -= by;
        // g_k −= by · (K_ik − K_jk), and at the same time the next i
        top_ = -kInfinity, bottom_ = kInfinity, i_ = n_;
        for (std::size_t k = 0; k < active_; ++k) {
            const double g = g_[k] -= by * (Ki[id_[k]] - Kj[id_[k]]);
            if (may_rise(k) && g > top_) top_ = g, i_ = k;
            if (may_fall(k) && g < bottom_) bottom_ = g;
        }
        return true;
    }

    // At its upper bound with a slope above all that may rise, or at its lower bound below all that may fall: it stays where it is.
    void shrink() {
        for (std::size_t k = 0; k < active_;) {
            const bool stays = (!may_rise(k) && g_[k] > top_) || (!may_fall(k) && g_[k] < bottom_);
            if (stays) swap(k, --active_);
            else ++k;
        }
    }

    void unshrink() {
        for (std::size_t k = active_; k < n_; ++k) g_[k] = y_[k];
        // By the rows of supports or by the rows of those left out, whichever are fewer.
        std::size_t supports = 0;
        for (std::size_t k = 0; k < n_; ++k) supports += beta_[k] != 0;
        if (supports <= n_ - active_ || rows_.is_whole()) {
            for (std::size_t j = 0; j < n_; ++j) {
                if (beta_[j] == 0) continue;
                const double* K = rows_[id_[j]];
                for (std::size_t k = active_; k < n_; ++k) g_[k] -= beta_[j] * K[id_[k]];
            }
        } else {
            for (std::size_t k = active_; k < n_; ++k) {
                const double* K = rows_[id_[k]];
                for (std::size_t j = 0; j < n_; ++j) g_[k] -= beta_[j] * K[id_[j]];
            }
        }
        active_ = n_;
    }

    void swap(std::size_t a, std::size_t b) {
        std::swap(place_[a], place_[b]);
        std::swap(id_[a], id_[b]);
        std::swap(y_[a], y_[b]);
        std::swap(low_[a], low_[b]);
        std::swap(high_[a], high_[b]);
        std::swap(beta_[a], beta_[b]);
        std::swap(g_[a], g_[b]);
        std::swap(d_[a], d_[b]);
    }

    SvmSolution solution(std::size_t steps) const {
        SvmSolution found;
        found.beta.resize(n_);
        double free = 0, sum = 0;
        for (std::size_t k = 0; k < n_; ++k) {
            found.beta[place_[k]] = beta_[k];
            found.objective -= 0.5 * beta_[k] * (y_[k] + g_[k]);
            if (may_rise(k) && may_fall(k)) free += 1, sum += g_[k];
        }
        const bool both = std::isfinite(top_) && std::isfinite(bottom_);
        found.bias = free > 0 ? sum / free : both ? (top_ + bottom_) / 2 : std::isfinite(top_) ? top_ : std::isfinite(bottom_) ? bottom_ : 0.0;
        found.gap = both ? std::max(0.0, top_ - bottom_) : 0.0;
        found.steps = steps;
        found.indefinite = indefinite_;
        return found;
    }

    GramRows& rows_;
    SvmOptions options_;
    std::size_t n_, active_, i_ = 0;
    std::vector<std::uint32_t> place_, id_;  // in the problem, in the matrix
    std::vector<double> y_, low_, high_, beta_, g_, d_;
    double top_ = 0, bottom_ = 0;
    bool indefinite_ = false;
};

}  // namespace

SvmSolution solve_svm(GramRows& rows, std::span<const double> diagonal, std::span<const std::int64_t> items, std::span<const double> signs,
                      std::span<const double> bounds, const SvmOptions& options) {
    return Solver(rows, diagonal, items, signs, bounds, options).solve();
}

}  // namespace palmette

// The metric along a line of weights, w + x d: a piecewise constant function of x, computed exactly. CSC 448, §21.2.1.
//
// Every sentence has its counts at x = −∞, and a change of them where its best candidate changes. The changes of all
// sentences are sorted, and one sweep from left to right adds them up. O(m log m) for m changes.
#pragma once
#include <cstddef>
#include <limits>
#include <vector>

#include "tools/translation/tuning/metric.hpp"

namespace palmette {

class ErrorSurface {
public:
    explicit ErrorSurface(std::size_t n_counts) : n_(n_counts), start_(n_counts, 0.0) {}

    void clear();
    void begin(const float* counts);  // of a sentence at x = −∞
    void change(double x, const float* before, const float* after);

    // Calls visit(from, to, score) for every interval between two changes, from left to right.
    template <class Visit>
    void sweep(const Metric& metric, Visit&& visit) {
        sort();
        std::vector<double> sums = start_;
        double from = -std::numeric_limits<double>::infinity();
        for (std::size_t k = 0; k < events_.size();) {
            const double x = events_[k].x;
            visit(from, x, metric(sums.data()));
            for (; k < events_.size() && events_[k].x == x; ++k)
                for (std::size_t s = 0; s < n_; ++s) sums[s] += changes_[events_[k].row + s];
            from = x;
        }
        visit(from, std::numeric_limits<double>::infinity(), metric(sums.data()));
    }

private:
    struct Event {
        double x;
        std::size_t row;
    };

    void sort();

    std::size_t n_;
    std::vector<double> start_;
    std::vector<Event> events_;
    std::vector<float> changes_;  // counts after less counts before
};

struct LineOptimum {
    double x = 0, score = 0;
};

// The middle of the best interval; of equally good ones that nearest to 0. Intervals too narrow for the rounding of
// scores do not count.
LineOptimum best_on_line(ErrorSurface& surface, const Metric& metric);

}  // namespace palmette

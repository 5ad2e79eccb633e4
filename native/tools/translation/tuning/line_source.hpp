// What line search needs of the translations that it chooses from, be they lists or graphs.
#pragma once
#include <cstddef>
#include <vector>

#include "tools/translation/tuning/error_surface.hpp"

namespace palmette {

class LineSource {
public:
    // What searches one after another remember: the scores of candidates at the last weights.
    struct Memory {
        std::vector<double> weights, scores;
        std::size_t n_updates = 0;  // since all scores were computed from the beginning
    };

    virtual ~LineSource() = default;
    virtual std::size_t n_features() const = 0;
    virtual std::size_t n_counts() const = 0;
    // Fills the surface with all sentences along w + x d. coordinate: the feature whose unit vector d is, or -1.
    virtual void trace(const double* w, const double* d, int coordinate, Memory& memory, ErrorSurface& surface) const = 0;
    // Adds up the counts of the translations that are best with weights w.
    virtual void add_best(const double* w, double* sums) const = 0;

    double score(const Metric& metric, const double* w) const;
};

}  // namespace palmette

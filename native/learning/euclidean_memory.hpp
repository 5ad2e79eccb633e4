// The nearest rows of numbers by √Σ_d (x_d − y_d)². The rows are in the order of their projection on one direction, best that along which they
// spread most: a search starts at the query's own place and goes outwards both ways until the projection alone is farther away than the k-th
// row. Exact; O(n D) at worst.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "learning/neighbours.hpp"

namespace palmette {

class EuclideanMemory {
public:
    // rows: [n][width]; along: a direction of at most unit length, by which the rows are ordered.
    EuclideanMemory(std::span<const double> rows, std::size_t width, std::span<const double> along, std::size_t n_classes, std::span<const std::int32_t> classes);

    std::size_t size() const { return classes_.size(); }
    std::size_t width() const { return width_; }
    std::size_t n_classes() const { return n_classes_; }

    // Distances are not squared.
    std::span<const Neighbour> search(const double* query, std::size_t k, bool distances, Nearest& room) const;
    void votes(std::span<const double> queries, std::size_t n_queries, std::size_t k, bool distances, Voting voting, double decay, int n_jobs, double* out) const;

private:
    double projection(const double* row) const;

    std::size_t width_, n_classes_;
    std::vector<std::uint32_t> places_;  // of the rows in their order
    std::vector<double> rows_, keys_, along_;
    std::vector<std::int32_t> classes_;
};

}  // namespace palmette

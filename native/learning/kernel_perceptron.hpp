// The perceptron in dual form (Clark 2013, "the dual-form perceptron"; Freund and Schapire 1999), for two or more classes.
//
//     F_c(x) = Σ_i α_ic K(x_i, x);  where argmax_c F_c(x_i) = z is not y:  α_iy += 1, α_iz −= 1
//
// The scores of all examples are kept up to date: a mistake adds one row of the Gram matrix to one class and takes it off another, so a pass
// costs O(n classes + mistakes · n) and not O(n supports k). With a budget the oldest support is forgotten when there are too many.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "learning/gram_rows.hpp"

namespace palmette {

// α_i rose for the class `right` and fell for `wrong`, when `time` examples had been seen.
struct DualUpdate {
    std::uint32_t item, right, wrong;
    std::uint64_t time;
};

class DualPerceptron {
public:
    // budget: the largest number of supports; 0 for no limit.
    DualPerceptron(std::size_t n, std::size_t n_classes, std::size_t budget) : n_(n), c_(n_classes), budget_(budget), scores_(n * n_classes, 0.0), alpha_(n * n_classes, 0.0), weighted_(n * n_classes, 0.0), in_(n, 0) {}

    // A pass over the examples of `order`; labels of all n. Returns the mistakes.
    std::size_t pass(GramRows& rows, std::span<const std::int64_t> order, std::span<const std::int32_t> labels);

    std::size_t size() const { return n_; }
    std::size_t n_classes() const { return c_; }
    std::uint64_t seen() const { return seen_; }
    const std::vector<double>& alpha() const { return alpha_; }  // [n][classes]
    // The mean of α after every example. What was forgotten is not in it.
    std::vector<double> mean() const;
    const std::vector<DualUpdate>& updates() const { return updates_; }

private:
    void change(const double* row, std::size_t item, std::size_t c, double by);
    void forget_oldest(GramRows& rows);

    std::size_t n_, c_, budget_;
    std::vector<double> scores_;           // [classes][n]
    std::vector<double> alpha_, weighted_; // [n][classes]; Σ time · change
    std::vector<std::uint8_t> in_;         // is it a support?
    std::vector<std::uint32_t> supports_;  // in the order in which they came, from `first_` on
    std::size_t first_ = 0;
    std::uint64_t seen_ = 0;
    std::vector<DualUpdate> updates_;
};

// Votes of all vectors that a perceptron went through: vector u, the sum of the first u updates, has times[u + 1] − times[u] of them, and the
// last one until `end`. gram: [queries][supports]; updates name supports by their column. votes: [queries][classes].
void vote_dual(const double* gram, std::size_t n_queries, std::size_t n_supports, std::span<const std::int64_t> columns, std::span<const std::int32_t> right,
               std::span<const std::int32_t> wrong, std::span<const std::int64_t> times, std::int64_t end, std::size_t n_classes, double* votes);

}  // namespace palmette

// Inside and outside sums of a sentence's chart, in scaled weights, and the posteriors of its items.
//
// Weights are neither logs nor plain: each word has a scale, and an item (A, i, j) is stored as
// inside · exp(S[j] - S[i]). A product of two items that meet needs no correction then. A column is rescaled when it
// is done, so that the mean log of the best item per start is zero: values stay within a few powers of ten of one,
// and floats will do. Where they do not (log_z not finite, or far out), the sums run again in doubles.
#pragma once
#include <limits>
#include <vector>

#include "structures/chart/inside.hpp"

namespace palmette {

inline constexpr double kNoLog = -std::numeric_limits<double>::infinity();  // of zero

template <class Real>
class ChartSums {
public:
    using S = SumOfWeights<Real>;

    // log Σ over trees; -inf if there is none, or if their weights left the range of Real (see `trustworthy`).
    // scales: S[0] … S[n] as they shall be; by default they are chosen on the way.
    double run_inside(const ChartGrammar& grammar, const Emissions& emissions, std::size_t n, const ChartItems* allowed = nullptr,
                      const ChartClosure& closure = {}, std::span<const double> scales = {});

    // Only after an inside pass with a finite log_z. Outside values carry 1 / Z: a posterior is a plain product.
    // drop: items of a lower posterior count as none.
    void run_outside(const ChartGrammar& grammar, double drop = 0);

    double log_z() const { return log_z_; }
    // Whether the root's scaled weight lies well within the range of Real.
    bool trustworthy() const { return trustworthy_; }
    const ChartRows<Real>& inside() const { return inside_; }
    const ChartRows<Real>& outside() const { return outside_; }
    double posterior(std::size_t start, std::size_t end, std::size_t symbol) const {
        return static_cast<double>(inside_.at(start, end, symbol)) * static_cast<double>(outside_.at(start, end, symbol));
    }
    // log inside(A, i, j), unscaled.
    double log_inside(std::size_t start, std::size_t end, std::size_t symbol) const {
        return std::log(static_cast<double>(inside_.at(start, end, symbol))) - (scale_[end] - scale_[start]);
    }
    // Spans with this end and an earlier start have no values at all: their end is closed.
    std::size_t first_start(std::size_t end) const { return pass_.first_start(end); }
    double scale(std::size_t position) const { return scale_[position]; }  // S[position]

private:
    void rescale(std::size_t end, std::size_t symbols);

    ChartRows<Real> inside_, outside_;
    std::vector<double> scale_;
    template <class Vectors>
    void outside_of_children(const ChartGrammar& grammar, std::size_t start, std::size_t end, std::size_t first, Vectors vectors);
    void outside_of_unaries(const ChartGrammar& grammar, std::size_t start, std::size_t end);
    void outside_of_factors(const ChartGrammar& grammar, std::size_t end, Real least);
    void list_present(const ChartGrammar& grammar, std::size_t end);
    void select(const ChartGrammar& grammar, std::size_t start, std::size_t end, Real least);

    InsidePass<S> pass_;
    ChartClosure closure_;
    std::vector<Real> scratch_;
    double log_z_ = 0;
    bool trustworthy_ = false;
    std::vector<std::int32_t> present_;  // of the column at hand: the symbols that have an item
    std::vector<std::int32_t> parents_;  // of these, those that pass something on to children
};

extern template class ChartSums<float>;
extern template class ChartSums<double>;

// Sums in doubles; where the scales chosen on the way do not suit, again with those of the best tree.
double inside_in_doubles(ChartSums<double>& sums, const ChartGrammar& grammar, const Emissions& emissions, std::size_t n, const ChartItems* allowed = nullptr,
                         const ChartClosure& closure = {});

// Sums in floats, and where these do not suffice in doubles.
class SentenceSums {
public:
    double run(const ChartGrammar& grammar, const Emissions& emissions, std::size_t n, const ChartItems* allowed = nullptr, double drop = 0,
               const ChartClosure& closure = {});
    double posterior(std::size_t start, std::size_t end, std::size_t symbol) const {
        return in_doubles_ ? doubles_.posterior(start, end, symbol) : floats_.posterior(start, end, symbol);
    }
    bool in_doubles() const { return in_doubles_; }
    const ChartSums<float>& floats() const { return floats_; }
    const ChartSums<double>& doubles() const { return doubles_; }

private:
    ChartSums<float> floats_;
    ChartSums<double> doubles_;
    bool in_doubles_ = false;
};

// The items whose posterior is at least the threshold, of sums that are done and have a tree.
void keep_likely(const ChartGrammar& grammar, const SentenceSums& sums, std::size_t n, double threshold, ChartItems& kept);

// Keeps the items whose posterior is at least the threshold; log Σ over trees. Without any tree all items are kept.
// sums: room to work in, which a caller may keep from sentence to sentence.
double prune(const ChartGrammar& grammar, const Emissions& emissions, std::size_t n, double threshold, ChartItems& kept,
             SentenceSums& sums, const ChartItems* allowed = nullptr);
double prune(const ChartGrammar& grammar, const Emissions& emissions, std::size_t n, double threshold, ChartItems& kept);

}  // namespace palmette

// Lists of candidates with features and counts, of which line search chooses.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "tools/translation/tuning/envelope.hpp"
#include "tools/translation/tuning/line_source.hpp"

namespace palmette {

class CandidateLists : public LineSource {
public:
    // List i has the candidates lists[i] … lists[i + 1] - 1, at least one; features are rows of n_features numbers,
    // counts rows of n_counts. Lists and counts must outlive this object.
    CandidateLists(std::span<const std::int64_t> lists, std::span<const double> features, std::size_t n_features,
                   std::span<const float> counts, std::size_t n_counts);

    std::size_t n_features() const override { return n_features_; }
    std::size_t n_counts() const override { return n_counts_; }
    void trace(const double* w, const double* d, int coordinate, Memory& memory, ErrorSurface& surface) const override;
    void add_best(const double* w, double* sums) const override;

    // The best candidate of each list, the first of equals.
    std::vector<std::int64_t> best(const double* w) const;

private:
    std::size_t size() const { return static_cast<std::size_t>(lists_.back()); }
    std::vector<double> products(const double* w) const;
    const std::vector<double>& remembered(const double* w, Memory& memory) const;
    const float* counts(std::int64_t candidate) const { return counts_.data() + static_cast<std::size_t>(candidate) * n_counts_; }

    std::span<const std::int64_t> lists_;
    std::size_t n_features_;
    std::span<const float> counts_;
    std::size_t n_counts_;
    std::vector<double> columns_;        // feature by feature
    std::vector<std::int32_t> orders_;   // of each feature: the candidates of each list by rising value
};

}  // namespace palmette

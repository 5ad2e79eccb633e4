#include "learning/kernel_perceptron.hpp"

#include <algorithm>

namespace palmette {

std::size_t DualPerceptron::pass(GramRows& rows, std::span<const std::int64_t> order, std::span<const std::int32_t> labels) {
    std::size_t mistakes = 0;
    for (const std::int64_t at : order) {
        const std::size_t i = static_cast<std::size_t>(at), y = static_cast<std::size_t>(labels[i]);
        std::size_t z = 0;
        for (std::size_t c = 1; c < c_; ++c)
            if (scores_[c * n_ + i] > scores_[z * n_ + i]) z = c;
        if (z != y) {
            ++mistakes;
            const double* row = rows[i];
            change(row, i, y, 1.0);
            change(row, i, z, -1.0);
            updates_.push_back({static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(y), static_cast<std::uint32_t>(z), seen_});
            if (!in_[i]) {
                in_[i] = 1;
                supports_.push_back(static_cast<std::uint32_t>(i));
            }
            if (budget_ && supports_.size() - first_ > budget_) forget_oldest(rows);
        }
        ++seen_;
    }
    return mistakes;
}

void DualPerceptron::change(const double* row, std::size_t item, std::size_t c, double by) {
    double* scores = scores_.data() + c * n_;
    for (std::size_t k = 0; k < n_; ++k) scores[k] += by * row[k];
    alpha_[item * c_ + c] += by;
    weighted_[item * c_ + c] += by * static_cast<double>(seen_);
}

void DualPerceptron::forget_oldest(GramRows& rows) {
    const std::size_t item = supports_[first_++];
    const double* row = rows[item];
    for (std::size_t c = 0; c < c_; ++c) {
        const double a = alpha_[item * c_ + c];
        if (a != 0) change(row, item, c, -a);
        alpha_[item * c_ + c] = weighted_[item * c_ + c] = 0;
    }
    in_[item] = 0;
}

std::vector<double> DualPerceptron::mean() const {
    // A change after `time` examples is in force for the other seen − time.
    std::vector<double> found(alpha_);
    if (seen_)
        for (std::size_t k = 0; k < found.size(); ++k) found[k] -= weighted_[k] / static_cast<double>(seen_);
    return found;
}

void vote_dual(const double* gram, std::size_t n_queries, std::size_t n_supports, std::span<const std::int64_t> columns, std::span<const std::int32_t> right,
               std::span<const std::int32_t> wrong, std::span<const std::int64_t> times, std::int64_t end, std::size_t n_classes, double* votes) {
    std::vector<double> scores(n_classes);
    for (std::size_t q = 0; q < n_queries; ++q) {
        const double* row = gram + q * n_supports;
        double* own = votes + q * n_classes;
        std::fill_n(own, n_classes, 0.0);
        std::fill(scores.begin(), scores.end(), 0.0);
        for (std::size_t u = 0; u <= columns.size(); ++u) {
            const std::int64_t from = u ? times[u - 1] : 0, until = u < columns.size() ? times[u] : end;
            const auto best = std::max_element(scores.begin(), scores.end()) - scores.begin();
            own[best] += static_cast<double>(until - from);
            if (u == columns.size()) break;
            const double k = row[columns[u]];
            scores[static_cast<std::size_t>(right[u])] += k;
            scores[static_cast<std::size_t>(wrong[u])] -= k;
        }
    }
}

}  // namespace palmette

#include "tools/translation/tuning/candidate_lists.hpp"

#include <algorithm>
#include <numeric>

namespace palmette {
namespace {

void sort_lists(std::span<const std::int64_t> lists, const double* values, std::int32_t* order) {
    std::iota(order, order + lists.back(), 0);
    for (std::size_t i = 0; i + 1 < lists.size(); ++i)
        std::sort(order + lists[i], order + lists[i + 1], [&](std::int32_t a, std::int32_t b) {
            return values[a] != values[b] ? values[a] < values[b] : a < b;
        });
}

}  // namespace

CandidateLists::CandidateLists(std::span<const std::int64_t> lists, std::span<const double> features, std::size_t n_features,
                               std::span<const float> counts, std::size_t n_counts)
    : lists_(lists), n_features_(n_features), counts_(counts), n_counts_(n_counts), columns_(features.size()), orders_(features.size()) {
    const std::size_t n = size();
    for (std::size_t k = 0; k < n_features_; ++k) {
        for (std::size_t c = 0; c < n; ++c) columns_[k * n + c] = features[c * n_features_ + k];
        sort_lists(lists_, columns_.data() + k * n, orders_.data() + k * n);
    }
}

std::vector<double> CandidateLists::products(const double* w) const {
    const std::size_t n = size();
    std::vector<double> sums(n, 0.0);
    for (std::size_t k = 0; k < n_features_; ++k) {
        if (w[k] == 0) continue;
        const double* column = columns_.data() + k * n;
        for (std::size_t c = 0; c < n; ++c) sums[c] += w[k] * column[c];
    }
    return sums;
}

// A search along a coordinate changes one weight, so the scores change by one column.
const std::vector<double>& CandidateLists::remembered(const double* w, Memory& memory) const {
    constexpr std::size_t kMost = 64;  // updates, before rounding adds up
    std::vector<double>& old = memory.weights;
    std::size_t changed = n_features_ + 1, n = size();  // nothing is remembered yet, or too much was added
    if (old.size() == n_features_ && memory.n_updates < kMost) {
        changed = 0;
        for (std::size_t k = 0; k < n_features_; ++k) changed += w[k] != old[k];
    }
    if (changed > 1) {
        memory.scores = products(w);
        memory.n_updates = 0;
    } else if (changed == 1) {
        const auto k = static_cast<std::size_t>(std::mismatch(old.begin(), old.end(), w).first - old.begin());
        const double step = w[k] - old[k];
        const double* column = columns_.data() + k * n;
        for (std::size_t c = 0; c < n; ++c) memory.scores[c] += step * column[c];
        ++memory.n_updates;
    }
    old.assign(w, w + n_features_);
    return memory.scores;
}

void CandidateLists::trace(const double* w, const double* d, int coordinate, Memory& memory, ErrorSurface& surface) const {
    const std::size_t n = size();
    const std::vector<double>& intercepts = remembered(w, memory);
    std::vector<double> own;
    std::vector<std::int32_t> sorted;
    const double* slopes;
    const std::int32_t* order;
    if (coordinate >= 0) {
        slopes = columns_.data() + static_cast<std::size_t>(coordinate) * n;
        order = orders_.data() + static_cast<std::size_t>(coordinate) * n;
    } else {
        own = products(d);
        sorted.resize(n);
        sort_lists(lists_, own.data(), sorted.data());
        slopes = own.data();
        order = sorted.data();
    }
    surface.clear();
    std::vector<Line> envelope;
    for (std::size_t i = 0; i + 1 < lists_.size(); ++i) {
        envelope.clear();
        for (auto k = lists_[i]; k < lists_[i + 1]; ++k)
            add_to_envelope(envelope, Line{slopes[order[k]], intercepts[order[k]], kFarLeft, order[k]});
        surface.begin(counts(envelope[0].id));
        for (std::size_t k = 1; k < envelope.size(); ++k)
            surface.change(envelope[k].from, counts(envelope[k - 1].id), counts(envelope[k].id));
    }
}

std::vector<std::int64_t> CandidateLists::best(const double* w) const {
    const std::vector<double> scores = products(w);
    std::vector<std::int64_t> chosen;
    for (std::size_t i = 0; i + 1 < lists_.size(); ++i)
        chosen.push_back(std::max_element(scores.begin() + lists_[i], scores.begin() + lists_[i + 1]) - scores.begin());
    return chosen;
}

void CandidateLists::add_best(const double* w, double* sums) const {
    for (const std::int64_t c : best(w))
        for (std::size_t s = 0; s < n_counts_; ++s) sums[s] += counts(c)[s];
}

}  // namespace palmette

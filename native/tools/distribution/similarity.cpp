#include "tools/distribution/similarity.hpp"

#include <algorithm>
#include <cmath>

#include "base/parallel.hpp"

namespace palmette {

namespace {

constexpr std::size_t kRowsPerPiece = 8;

// What a shared column adds to the sum of two rows, and what the sum becomes: `size` is the number of columns of a row.
struct RowFacts {
    double sum;
    double norm;
    double size;
};
struct Lin {
    double add(double a, double b) const { return a + b; }
    double finish(double sum, const RowFacts& a, const RowFacts& b) const { return sum / (a.sum + b.sum); }
};
struct Cosine {
    double add(double a, double b) const { return a * b; }
    double finish(double sum, const RowFacts& a, const RowFacts& b) const { return sum / (a.norm * b.norm); }
};
struct SetCosine {
    double add(double, double) const { return 1; }
    double finish(double sum, const RowFacts& a, const RowFacts& b) const { return sum / std::sqrt(a.size * b.size); }
};
struct Dice {
    double add(double, double) const { return 1; }
    double finish(double sum, const RowFacts& a, const RowFacts& b) const { return 2 * sum / (a.size + b.size); }
};
struct Jaccard {
    double add(double, double) const { return 1; }
    double finish(double sum, const RowFacts& a, const RowFacts& b) const { return sum / (a.size + b.size - sum); }
};

template <class Call>
auto with_measure(Similarity measure, Call&& call) {
    switch (measure) {
        case Similarity::lin: return call(Lin());
        case Similarity::cosine: return call(Cosine());
        case Similarity::set_cosine: return call(SetCosine());
        case Similarity::dice: return call(Dice());
        default: return call(Jaccard());
    }
}

struct Found {
    double score;
    std::int32_t row;
};

}  // namespace

SimilarityIndex::SimilarityIndex(SparseTable table, std::size_t n_columns) : table_(table), starts_(n_columns + 1, 0) {
    const std::size_t n = table_.n_rows();
    for (const std::int32_t column : table_.columns) ++starts_[static_cast<std::size_t>(column) + 1];
    for (std::size_t c = 0; c < n_columns; ++c) starts_[c + 1] += starts_[c];
    rows_.resize(table_.columns.size());
    values_.resize(table_.columns.size());
    std::vector<std::int64_t> next(starts_.begin(), starts_.end() - 1);
    sums_.assign(n, 0);
    norms_.assign(n, 0);
    for (std::size_t r = 0; r < n; ++r) {
        double squares = 0;
        for (std::int64_t e = table_.starts[r]; e < table_.starts[r + 1]; ++e) {
            const auto at = static_cast<std::size_t>(next[static_cast<std::size_t>(table_.columns[e])]++);
            const double value = table_.values[e];
            rows_[at] = static_cast<std::int32_t>(r);
            values_[at] = table_.values[e];
            sums_[r] += value;
            squares += value * value;
        }
        norms_[r] = std::sqrt(squares);
    }
}

template <class Measure>
double SimilarityIndex::finish(double sum, std::size_t a, std::size_t b, const Measure& measure) const {
    if (!(sum > 0)) return 0;
    auto facts = [this](std::size_t r) {
        return RowFacts{sums_[r], norms_[r], static_cast<double>(table_.starts[r + 1] - table_.starts[r])};
    };
    return measure.finish(sum, facts(a), facts(b));
}

template <class Measure>
double SimilarityIndex::pair(std::size_t a, std::size_t b, const Measure& measure) const {
    double sum = 0;
    std::int64_t i = table_.starts[a], j = table_.starts[b];
    while (i < table_.starts[a + 1] && j < table_.starts[b + 1]) {
        if (table_.columns[i] < table_.columns[j]) {
            ++i;
        } else if (table_.columns[j] < table_.columns[i]) {
            ++j;
        } else {
            sum += measure.add(table_.values[i++], table_.values[j++]);
        }
    }
    return finish(sum, a, b, measure);
}

double SimilarityIndex::similarity(std::size_t a, std::size_t b, Similarity measure) const {
    return with_measure(measure, [&](const auto& chosen) { return pair(a, b, chosen); });
}

double SimilarityIndex::paired_similarity(std::size_t a, std::size_t b, Similarity measure) const {
    return std::sqrt(similarity(a, b, measure) * similarity(a ^ 1, b ^ 1, measure));
}

// sums[b] = Σ over the columns c of `row` that b has of add(a_c, b_c)
template <class Measure>
void SimilarityIndex::meet(std::size_t row, const Measure& measure, std::vector<double>& sums) const {
    std::fill(sums.begin(), sums.end(), 0.0);
    for (std::int64_t e = table_.starts[row]; e < table_.starts[row + 1]; ++e) {
        const auto column = static_cast<std::size_t>(table_.columns[e]);
        const double value = table_.values[e];
        for (std::int64_t p = starts_[column]; p < starts_[column + 1]; ++p) {
            sums[static_cast<std::size_t>(rows_[p])] += measure.add(value, values_[p]);
        }
    }
}

template <class Measure, bool paired>
NearestRows SimilarityIndex::search(std::span<const std::int32_t> asked, const Measure& measure, std::size_t k,
                                    int n_jobs) const {
    NearestRows found;
    found.rows.assign(asked.size() * k, -1);
    found.scores.assign(asked.size() * k, 0.0f);
    const std::size_t n = n_rows(), n_pieces = (asked.size() + kRowsPerPiece - 1) / kRowsPerPiece;
    parallel(n_pieces, n_jobs, [&](std::size_t piece, std::size_t) {
        std::vector<double> sums(n), others(paired ? n : 0);
        std::vector<Found> all;
        all.reserve(n);
        for (std::size_t q = piece * kRowsPerPiece; q < std::min(asked.size(), (piece + 1) * kRowsPerPiece); ++q) {
            check_interrupt();
            const auto a = static_cast<std::size_t>(asked[q]);
            meet(a, measure, sums);
            if constexpr (paired) meet(a ^ 1, measure, others);
            all.clear();
            for (std::size_t b = 0; b < n; ++b) {
                if (b == a || !(sums[b] > 0)) continue;
                double score = finish(sums[b], a, b, measure);
                if constexpr (paired) {
                    if (!(others[b ^ 1] > 0)) continue;
                    score = std::sqrt(score * finish(others[b ^ 1], a ^ 1, b ^ 1, measure));
                }
                all.push_back({score, static_cast<std::int32_t>(b)});
            }
            const std::size_t most = std::min(k, all.size());
            auto better = [](const Found& x, const Found& y) { return x.score > y.score || (x.score == y.score && x.row < y.row); };
            std::partial_sort(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(most), all.end(), better);
            for (std::size_t i = 0; i < most; ++i) {
                found.rows[q * k + i] = all[i].row;
                found.scores[q * k + i] = static_cast<float>(all[i].score);
            }
        }
    });
    return found;
}

NearestRows SimilarityIndex::nearest(std::span<const std::int32_t> asked, Similarity measure, std::size_t k, int n_jobs) const {
    return with_measure(measure, [&](const auto& chosen) {
        return search<std::remove_cvref_t<decltype(chosen)>, false>(asked, chosen, k, n_jobs);
    });
}

NearestRows SimilarityIndex::nearest_paired(std::span<const std::int32_t> asked, Similarity measure, std::size_t k,
                                            int n_jobs) const {
    return with_measure(measure, [&](const auto& chosen) {
        return search<std::remove_cvref_t<decltype(chosen)>, true>(asked, chosen, k, n_jobs);
    });
}

}  // namespace palmette

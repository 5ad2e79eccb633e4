// Similarity of rows of a sparse table of non-negative numbers: words by contexts, or slots of paths by their fillers.
//
// T(a) is the set of columns with a positive value in row a (CSC 448, §24.3):
//   lin         Σ over T(a) ∩ T(b) of a_c + b_c, divided by Σ a_c + Σ b_c            (132)
//   cosine      Σ a_c b_c / (|a| |b|)                                                (135)
//   set cosine  |T(a) ∩ T(b)| / √(|T(a)| |T(b)|)                                     (136)
//   dice        2 |T(a) ∩ T(b)| / (|T(a)| + |T(b)|)                                  (137)
//   jaccard     |T(a) ∩ T(b)| / |T(a) ∪ T(b)|                                        (138)
//
// A row meets only the rows that share a column with it, through an inverted index: all neighbours of all rows cost the
// sum over columns of the square of their length.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace palmette {

enum class Similarity { lin, cosine, set_cosine, dice, jaccard };

// Rows by columns: the entries of row r are starts[r] to starts[r + 1], columns rise in a row, values are positive.
struct SparseTable {
    std::span<const std::int64_t> starts;
    std::span<const std::int32_t> columns;
    std::span<const float> values;
    std::size_t n_rows() const { return starts.size() - 1; }
};

// The k most similar rows of each row that was asked for, best first; −1 and 0 where there are fewer. Rows that are
// equally similar come in the order of their numbers.
struct NearestRows {
    std::vector<std::int32_t> rows;
    std::vector<float> scores;
};

class SimilarityIndex {
public:
    SimilarityIndex(SparseTable table, std::size_t n_columns);

    double similarity(std::size_t a, std::size_t b, Similarity measure) const;
    NearestRows nearest(std::span<const std::int32_t> asked, Similarity measure, std::size_t k, int n_jobs) const;
    // Rows come in pairs, 2i and 2i + 1, the two slots of path i; row 2i + 1 also names the path with its slots exchanged.
    // The similarity of paths is the geometric mean of those of their slots.
    double paired_similarity(std::size_t a, std::size_t b, Similarity measure) const;
    NearestRows nearest_paired(std::span<const std::int32_t> asked, Similarity measure, std::size_t k, int n_jobs) const;

    std::size_t n_rows() const { return table_.n_rows(); }

private:
    template <class Measure>
    void meet(std::size_t row, const Measure& measure, std::vector<double>& sums) const;
    template <class Measure>
    double finish(double sum, std::size_t a, std::size_t b, const Measure& measure) const;
    template <class Measure>
    double pair(std::size_t a, std::size_t b, const Measure& measure) const;
    template <class Measure, bool paired>
    NearestRows search(std::span<const std::int32_t> asked, const Measure& measure, std::size_t k, int n_jobs) const;

    SparseTable table_;
    std::vector<std::int64_t> starts_;  // of columns
    std::vector<std::int32_t> rows_;
    std::vector<float> values_;
    std::vector<double> sums_;   // Σ a_c of every row
    std::vector<double> norms_;  // |a|
};

}  // namespace palmette

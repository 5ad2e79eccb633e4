// Similar rows of sparse tables: measures by name, arrays that the index keeps alive.
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include <array>
#include <cmath>
#include <string>

#include "bind/bind.hpp"
#include "tools/distribution/similarity.hpp"

using namespace palmette;
using namespace nb::literals;

namespace {

constexpr std::array<const char*, 5> kNames{"lin", "cosine", "set-cosine", "dice", "jaccard"};

Similarity measure_named(const std::string& name) {
    for (std::size_t i = 0; i < kNames.size(); ++i)
        if (name == kNames[i]) return static_cast<Similarity>(i);
    throw std::invalid_argument("an unknown measure of similarity");
}

using Nearest = std::tuple<nb::ndarray<nb::numpy, std::int32_t, nb::ndim<1>>, nb::ndarray<nb::numpy, float, nb::ndim<1>>>;

// An index over arrays that it keeps alive.
class OwningIndex {
public:
    OwningIndex(const Array<std::int64_t>& starts, const Array<std::int32_t>& columns, const Array<float>& values,
                std::size_t n_columns)
        : starts_(starts), columns_(columns), values_(values), index_(checked(starts, columns, values, n_columns), n_columns) {}
    OwningIndex(const OwningIndex&) = delete;

    nb::ndarray<nb::numpy, double, nb::ndim<1>> similarities(const Array<std::int32_t>& a, const Array<std::int32_t>& b,
                                                             const std::string& name, bool paired) const {
        const Similarity measure = measure_named(name);
        require(a.size() == b.size(), "not as many first rows as second ones");
        check_rows(a, paired);
        check_rows(b, paired);
        std::vector<double> found(a.size());
        {
            nb::gil_scoped_release release;
            for (std::size_t i = 0; i < found.size(); ++i) {
                const auto one = static_cast<std::size_t>(a.data()[i]), two = static_cast<std::size_t>(b.data()[i]);
                found[i] = paired ? index_.paired_similarity(one, two, measure) : index_.similarity(one, two, measure);
            }
        }
        return numpy_of(std::move(found));
    }

    Nearest nearest(const Array<std::int32_t>& asked, const std::string& name, std::size_t k, bool paired, int n_jobs) const {
        const Similarity measure = measure_named(name);
        check_rows(asked, paired);
        k = std::min(k, index_.n_rows());
        NearestRows found;
        {
            nb::gil_scoped_release release;
            found = paired ? index_.nearest_paired(span_of(asked), measure, k, n_jobs)
                           : index_.nearest(span_of(asked), measure, k, n_jobs);
        }
        return {numpy_of(std::move(found.rows)), numpy_of(std::move(found.scores))};
    }

private:
    static SparseTable checked(const Array<std::int64_t>& starts, const Array<std::int32_t>& columns, const Array<float>& values,
                               std::size_t n_columns) {
        require(starts.size() > 0 && values.size() == columns.size(), "not as many values as columns");
        require(starts.size() - 1 < 0x7FFFFFFF && n_columns < 0x7FFFFFFF, "too many rows or columns");
        check_boundaries(starts, starts.size() - 1, columns.size(), "rows that do not follow each other");
        check_ids(columns, 0, static_cast<std::int64_t>(n_columns), "a column that does not exist");
        for (std::size_t r = 0; r + 1 < starts.size(); ++r)
            for (std::int64_t e = starts.data()[r] + 1; e < starts.data()[r + 1]; ++e)
                require(columns.data()[e - 1] < columns.data()[e], "columns of a row that do not rise");
        for (std::size_t e = 0; e < values.size(); ++e)
            require(values.data()[e] > 0 && std::isfinite(values.data()[e]), "a value that is not a positive number");
        return {span_of(starts), span_of(columns), span_of(values)};
    }

    void check_rows(const Array<std::int32_t>& rows, bool paired) const {
        require(!paired || index_.n_rows() % 2 == 0, "an odd number of rows");
        check_ids(rows, 0, static_cast<std::int64_t>(index_.n_rows()), "a row that does not exist");
    }

    Array<std::int64_t> starts_;
    Array<std::int32_t> columns_;
    Array<float> values_;
    SimilarityIndex index_;
};

}  // namespace

void bind_distribution(nb::module_& m) {
    nb::class_<OwningIndex>(m, "SimilarityIndex",
                            "An inverted index of a sparse table: which rows are similar. Columns rise in a row.")
        .def(nb::init<const Array<std::int64_t>&, const Array<std::int32_t>&, const Array<float>&, std::size_t>(),
             "starts"_a.noconvert(), "columns"_a.noconvert(), "values"_a.noconvert(), "n_columns"_a)
        .def("similarities", &OwningIndex::similarities, "a"_a.noconvert(), "b"_a.noconvert(), "measure"_a, "paired"_a = false,
             "The similarity of a[i] and b[i]; paired: of paths, whose slots are rows 2i and 2i + 1.")
        .def("nearest", &OwningIndex::nearest, "asked"_a.noconvert(), "measure"_a, "k"_a, "paired"_a = false, "n_jobs"_a = 1,
             "The min(k, rows) most similar rows of each row that is asked for (−1: none), and how similar they are.");
}

// Lists of candidates as a learning problem.
#include "bind/learning/problem.hpp"
#include "structures/candidates/problem.hpp"

#include <cmath>

#include <nanobind/stl/optional.h>

using namespace palmette;

namespace {

using BoundRanking = Bound<RankingProblem>;

void check_finite(const Array<float>& values, const char* what) {
    bool good = true;
    for (size_t k = 0; k < values.size(); ++k) good &= std::isfinite(values.data()[k]);
    require(good, what);
}

}  // namespace

void bind_ranking(nb::module_& m) {
    using namespace nb::literals;
    nb::class_<BoundRanking, BoundProblem> problem(m, "RankingProblem");
    problem.def(
        "__init__",
        [](BoundRanking* place, const Array<int64_t>& lists, const Array<int64_t>& rows, const Array<int32_t>& features, const Array<float>& values,
           const Array<float>& losses, const Maybe<float>& weights, size_t n_features) {
            require(lists.size() > 0 && rows.size() > 0, "the boundaries begin with 0");
            check_boundaries(lists, lists.size() - 1, rows.size() - 1, "the lists do not cut the candidates");
            check_boundaries(rows, rows.size() - 1, features.size(), "the rows do not cut the features into candidates");
            for (size_t i = 0; i + 1 < lists.size(); ++i) require(lists.data()[i] < lists.data()[i + 1], "a list has no candidate");
            require(values.size() == features.size(), "there must be one value per feature");
            require(losses.size() + 1 == rows.size(), "there must be one loss per candidate");
            require(!weights || weights->size() + 1 == lists.size(), "there must be one weight per list");
            require(n_features < (size_t{1} << 31), "there are too many features");
            check_ids(features, 0, static_cast<int64_t>(n_features), "a feature is out of range");
            check_finite(values, "the values of features must be finite");
            check_finite(losses, "losses must be finite");
            nb::list kept;
            kept.append(lists);
            kept.append(rows);
            kept.append(features);
            kept.append(values);
            kept.append(losses);
            if (weights) kept.append(*weights);
            new (place) BoundRanking(kept, RankingProblem({span_of(lists), span_of(rows), features.data(), values.data(), losses.data(), data_of(weights), n_features}));
        },
        "lists"_a.noconvert(), "rows"_a.noconvert(), "features"_a.noconvert(), "values"_a.noconvert(), "losses"_a.noconvert(), "weights"_a.noconvert().none(), "n_features"_a,
        "List i has the candidates lists[i] … lists[i + 1] - 1, candidate c the features rows[c] … rows[c + 1] - 1.");
    problem.def(
        "scores",
        [](const BoundRanking& b, const Array<float>& w) {
            const float* weights = checked(b, w);
            std::vector<float> found;
            {
                nb::gil_scoped_release release;
                for (size_t i = 0; i < b.problem.size(); ++i) {
                    const size_t begin = found.size();
                    found.resize(begin + b.problem.n_parts(i));
                    b.problem.part_scores(i, weights, found.data() + begin);
                }
            }
            return numpy_of(std::move(found));
        },
        "w"_a.noconvert(), "The scores of all candidates.");
}

#include <nanobind/stl/tuple.h>

#include <cmath>
#include <stdexcept>
#include <string>

#include "bind/bind.hpp"
#include "structures/arborescence/covariances.hpp"
#include "structures/arborescence/dense_arcs.hpp"
#include "structures/arborescence/dual_decomposition.hpp"
#include "structures/arborescence/eisner.hpp"
#include "structures/arborescence/matrix_tree.hpp"
#include "structures/arborescence/spanning_tree.hpp"

using namespace palmette;

namespace {

using Numbers = nb::ndarray<nb::numpy, double, nb::ndim<1>>;
using Heads = nb::ndarray<nb::numpy, int32_t, nb::ndim<1>>;

// Scores of arcs [h][m] of one sentence, the root at 0.
template <class Real>
using Matrix = nb::ndarray<const Real, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

using Written = nb::ndarray<int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

constexpr size_t kMostWords = 1 << 20;

std::string described(double score) {
    if (std::isnan(score)) return "not a number";
    return std::isinf(score) ? "+inf" : "too large to add up";
}

template <class Real>
void check_values(const Real* scores, size_t n, const std::string& where) {
    const std::ptrdiff_t bad = first_bad_arc(scores, n);
    if (bad < 0) return;
    const size_t h = static_cast<size_t>(bad) / (n + 1), m = static_cast<size_t>(bad) % (n + 1);
    throw std::invalid_argument(where + "the score of the arc from " + std::to_string(h) + " to " + std::to_string(m) +
                                " is " + described(scores[bad]) +
                                "; scores must be finite, or -inf where an arc is forbidden");
}

size_t checked_size(size_t rows, size_t columns) {
    if (rows != columns || rows < 1 || rows > kMostWords)
        throw std::invalid_argument("arc scores of n words must have the shape (n + 1) × (n + 1), heads first and the "
                                    "root at 0; got " +
                                    std::to_string(rows) + " × " + std::to_string(columns));
    return rows - 1;
}

template <class Real>
size_t checked(const Matrix<Real>& scores) {
    const size_t n = checked_size(scores.shape(0), scores.shape(1));
    check_values(scores.data(), n, "");
    return n;
}

template <class Real>
size_t checked(const Array<Real>& scores, const Array<int64_t>& lengths) {
    size_t words = 0, arcs = 0;
    for (int64_t length : span_of(lengths)) {
        const size_t n = static_cast<size_t>(length);
        if (length < 0 || n >= kMostWords) throw std::invalid_argument("a sentence cannot have " + std::to_string(length) + " words");
        words += n;
        arcs += (n + 1) * (n + 1);
        if (arcs > scores.size()) break;
    }
    if (arcs != scores.size())
        throw std::invalid_argument("sentences of n words have (n + 1)² scores each; for these lengths there are " +
                                    std::string(arcs > scores.size() ? "too few" : "too many"));
    arcs = 0;
    for (size_t s = 0; s < lengths.size(); ++s) {
        const size_t n = static_cast<size_t>(lengths.data()[s]);
        check_values(scores.data() + arcs, n, "sentence " + std::to_string(s + 1) + ": ");
        arcs += (n + 1) * (n + 1);
    }
    return words;
}

// The score of the best tree, whose heads are written: for one sentence the crossing counts, and an array that the caller
// makes is cheaper than one that is handed over.
template <class Real>
double best_one(const Matrix<Real>& scores, const Written& heads, bool projective, bool single_root) {
    const size_t n = checked(scores);
    if (heads.shape(0) != n) throw std::invalid_argument("there must be one head for every word");
    nb::gil_scoped_release release;
    return best_tree(scores.data(), n, {projective, single_root}, heads.data());
}

template <class Real>
std::tuple<Heads, Numbers> best_many(const Array<Real>& scores, const Array<int64_t>& lengths, bool projective,
                                     bool single_root, int jobs) {
    std::vector<int32_t> heads(checked(scores, lengths));
    std::vector<double> best(lengths.size());
    {
        nb::gil_scoped_release release;
        best_trees(scores.data(), span_of(lengths), {projective, single_root}, jobs, heads.data(), best.data());
    }
    return {numpy_of(std::move(heads)), numpy_of(std::move(best))};
}

template <class Real>
auto sums_many(const Array<Real>& scores, const Array<int64_t>& lengths, bool projective, bool single_root, int jobs,
               bool with_marginals) {
    checked(scores, lengths);
    std::vector<double> log_z(lengths.size());
    std::vector<Real> marginals(with_marginals ? scores.size() : 0);
    {
        nb::gil_scoped_release release;
        sums_of_trees(scores.data(), span_of(lengths), {projective, single_root}, jobs, log_z.data(),
                      with_marginals ? marginals.data() : nullptr);
    }
    return std::make_tuple(numpy_of(std::move(log_z)), numpy_of(std::move(marginals)));
}

Numbers covariances(const Array<double>& scores, const Array<double>& values, const Array<int64_t>& lengths, bool projective,
                    bool single_root, int jobs) {
    checked(scores, lengths);
    if (values.size() != scores.size()) throw std::invalid_argument("there must be one value for every score of an arc");
    std::vector<double> found(scores.size());
    {
        nb::gil_scoped_release release;
        covariances_of_trees(scores.data(), values.data(), span_of(lengths), {projective, single_root}, jobs, found.data());
    }
    return numpy_of(std::move(found));
}

// (scores, heads) of the k best
std::tuple<Numbers, Heads> kbest(const Matrix<double>& scores, bool projective, bool single_root, size_t k) {
    const size_t n = checked(scores);
    ScoredTrees found;
    {
        nb::gil_scoped_release release;
        found = projective ? kbest_projective(scores.data(), n, single_root, k)
                           : kbest_spanning(scores.data(), n, single_root, k);
    }
    return {numpy_of(std::move(found.scores)), numpy_of(std::move(found.heads))};
}

Heads samples(const Matrix<double>& scores, bool projective, bool single_root, size_t count, uint64_t seed) {
    const size_t n = checked(scores);
    std::vector<int32_t> heads;
    {
        nb::gil_scoped_release release;
        heads = projective ? sample_projective(scores.data(), n, single_root, count, seed)
                           : sample_spanning(scores.data(), n, single_root, count, seed);
    }
    return numpy_of(std::move(heads));
}

// (heads, score, bound, is the best, iterations)
std::tuple<Heads, double, double, bool, size_t> decompose(const Matrix<double>& scores, const Array<double>& siblings,
                                                          bool single_root, size_t max_iter) {
    const size_t n = checked(scores), width = n + 1;
    if (width > 4096 || siblings.size() != width * width * width)
        throw std::invalid_argument("sibling scores of n words must have the shape (n + 1) × (n + 1) × (n + 1)");
    CertifiedTree found;
    {
        nb::gil_scoped_release release;
        found = dual_decomposition(scores.data(), siblings.data(), n, single_root, max_iter);
    }
    return {numpy_of(std::move(found.heads)), found.score, found.bound, found.is_best, found.iterations};
}

template <class Real>
void bind_trees(nb::module_& m, const std::string& name) {
    m.def((name + "_best_tree").c_str(), &best_one<Real>, nb::arg("scores").noconvert(), nb::arg("heads").noconvert(),
          nb::arg("projective"), nb::arg("single_root"));
    m.def((name + "_best_trees").c_str(), &best_many<Real>, nb::arg("scores").noconvert(),
          nb::arg("lengths").noconvert(), nb::arg("projective"), nb::arg("single_root"), nb::arg("jobs"));
    m.def((name + "_tree_sums").c_str(), &sums_many<Real>, nb::arg("scores").noconvert(),
          nb::arg("lengths").noconvert(), nb::arg("projective"), nb::arg("single_root"), nb::arg("jobs"),
          nb::arg("with_marginals"));
}

}  // namespace

void bind_arborescence(nb::module_& m) {
    bind_trees<float>(m, "float");
    bind_trees<double>(m, "double");
    m.def("tree_covariances", &covariances, nb::arg("scores").noconvert(), nb::arg("values").noconvert(),
          nb::arg("lengths").noconvert(), nb::arg("projective"), nb::arg("single_root"), nb::arg("jobs"));
    m.def("kbest_trees", &kbest, nb::arg("scores").noconvert(), nb::arg("projective"), nb::arg("single_root"),
          nb::arg("k"));
    m.def("sample_trees", &samples, nb::arg("scores").noconvert(), nb::arg("projective"), nb::arg("single_root"),
          nb::arg("count"), nb::arg("seed"));
    m.def("dual_decomposition", &decompose, nb::arg("scores").noconvert(), nb::arg("siblings").noconvert(),
          nb::arg("single_root"), nb::arg("max_iter"));
}

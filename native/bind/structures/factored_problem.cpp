// Chains of labels that are made of parts, as a learning problem.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>

#include "base/parallel.hpp"
#include "bind/learning/problem.hpp"
#include "structures/factored/problem.hpp"

using namespace palmette;

namespace {

using BoundFactored = Bound<FactoredProblem>;

constexpr size_t kPieces = 64;

// Calls work(state, i) for every sentence, with its scores in `state`.
template <class Work>
void each_sentence(const FactoredProblem& p, const float* w, bool sums, int n_jobs, const Work& work) {
    std::vector<FactoredProblem::State> states(static_cast<size_t>(std::max(1, n_jobs)));
    for (auto& state : states) p.prepare(state, w + p.n_weights() - p.n_shared(), 1.0f, sums);
    const size_t pieces = std::min(kPieces, p.size());
    parallel(pieces, n_jobs, [&](size_t piece, size_t thread) {
        for (size_t i = p.size() * piece / pieces; i < p.size() * (piece + 1) / pieces; ++i) {
            p.score(states[thread], i, w, 1.0f);
            work(states[thread], i);
        }
    });
}

void new_factored(BoundFactored* place, const Array<int64_t>& offsets, const Array<int64_t>& rows, const Array<int32_t>& attributes,
                  const Maybe<float>& unary, const Array<int32_t>& labels, const Maybe<float>& weights, const Maybe<int64_t>& allowed_rows,
                  const Maybe<int32_t>& allowed, const Array<int64_t>& label_rows, const Array<int32_t>& label_parts, const Array<int32_t>& classes,
                  size_t n_attributes, size_t n_parts, size_t n_classes) {
    require(offsets.size() > 0 && label_rows.size() > 1, "there must be sentences and labels");
    require(n_parts > 0 && n_parts < (1u << 20) && n_classes > 0 && n_classes < (1u << 12), "there must be parts and classes, and not too many");
    const size_t n = offsets.size() - 1, tokens = labels.size(), n_labels = label_rows.size() - 1, S = (n_parts + 7) / 8 * 8;
    check_boundaries(offsets, n, tokens, "the offsets do not cut the tokens into sentences");
    check_boundaries(rows, tokens, attributes.size(), "the rows do not cut the attributes into tokens");
    check_boundaries(label_rows, n_labels, label_parts.size(), "the rows do not cut the parts into labels");
    check_ids(attributes, 0, static_cast<int64_t>(n_attributes), "an attribute is out of range");
    check_ids(labels, -1, static_cast<int64_t>(n_labels), "a label is out of range");
    check_ids(label_parts, 0, static_cast<int64_t>(n_parts), "a part is out of range");
    check_ids(classes, 0, static_cast<int64_t>(n_classes), "a class is out of range");
    require(classes.size() == n_labels, "there must be one class per label");
    require(!unary || unary->size() == tokens * S, "there must be a row of scores per token");
    require(!weights || weights->size() == n, "there must be one weight per sentence");
    require(allowed_rows.has_value() == allowed.has_value(), "what is allowed needs rows and labels");
    if (allowed) {
        check_boundaries(*allowed_rows, tokens, allowed->size(), "the rows do not cut what is allowed into tokens");
        check_ids(*allowed, 0, static_cast<int64_t>(n_labels), "an allowed label is out of range");
    }
    FactoredData d;
    d.offsets = span_of(offsets);
    d.rows = span_of(rows);
    d.attributes = attributes.data();
    d.unary = data_of(unary);
    d.labels = labels.data();
    d.weights = data_of(weights);
    d.allowed_rows = data_of(allowed_rows);
    d.allowed = data_of(allowed);
    d.label_rows = span_of(label_rows);
    d.label_parts = label_parts.data();
    d.classes = classes.data();
    d.n_attributes = n_attributes;
    d.n_parts = n_parts;
    d.n_classes = n_classes;
    nb::list kept;
    for (const auto* array : {&offsets, &rows, &label_rows}) kept.append(*array);
    for (const auto* array : {&attributes, &labels, &label_parts, &classes}) kept.append(*array);
    if (unary) kept.append(*unary);
    if (weights) kept.append(*weights);
    if (allowed) kept.append(*allowed_rows), kept.append(*allowed);
    new (place) BoundFactored(kept, FactoredProblem(d));
}

}  // namespace

void bind_factored_problem(nb::module_& m) {
    using namespace nb::literals;
    nb::class_<BoundFactored, BoundProblem> problem(m, "FactoredProblem");
    problem.def("__init__", &new_factored, "offsets"_a.noconvert(), "rows"_a.noconvert(), "attributes"_a.noconvert(), "unary"_a.noconvert().none(),
                "labels"_a.noconvert(), "weights"_a.noconvert().none(), "allowed_rows"_a.noconvert().none(), "allowed"_a.noconvert().none(),
                "label_rows"_a.noconvert(), "label_parts"_a.noconvert(), "classes"_a.noconvert(), "n_attributes"_a, "n_parts"_a, "n_classes"_a,
                "Label y has the parts label_parts[label_rows[y]] … and a class; the weights are a row of parts for each attribute, then transitions of classes.");
    problem.def(
        "decode",
        [](const BoundFactored& b, const Array<float>& w, int n_jobs) {
            const float* weights = checked(b, w);
            const FactoredProblem& p = b.problem;
            std::vector<int32_t> labels(static_cast<size_t>(p.first_token(p.size())));
            std::vector<double> scores(p.size());
            {
                nb::gil_scoped_release release;
                each_sentence(p, weights, false, n_jobs, [&](FactoredProblem::State& state, size_t i) {
                    FactoredProblem::Output y;
                    scores[i] = p.best(state, 0.0f, y);
                    std::copy(y.begin(), y.end(), labels.begin() + p.first_token(i));
                });
            }
            return std::tuple(numpy_of(std::move(labels)), numpy_of(std::move(scores)));
        },
        "w"_a.noconvert(), "n_jobs"_a, "The best label of every token, and the score of every sentence.");
    problem.def(
        "probabilities",
        [](const BoundFactored& b, const Array<float>& w, int n_jobs) {
            const float* weights = checked(b, w);
            const FactoredProblem& p = b.problem;
            std::vector<float> labels(static_cast<size_t>(p.first_token(p.size())) * p.n_labels());
            std::vector<double> log_z(p.size());
            {
                nb::gil_scoped_release release;
                each_sentence(p, weights, true, n_jobs, [&](FactoredProblem::State& state, size_t i) {
                    log_z[i] = p.label_marginals(state, labels.data() + static_cast<size_t>(p.first_token(i)) * p.n_labels());
                });
            }
            return std::tuple(numpy_of(std::move(labels)), numpy_of(std::move(log_z)));
        },
        "w"_a.noconvert(), "n_jobs"_a, "The probability of every label at every token, and log Z of every sentence.");
    problem.def(
        "kbest",
        [](const BoundFactored& b, const Array<float>& w, size_t k, int n_jobs) {
            const float* weights = checked(b, w);
            const FactoredProblem& p = b.problem;
            require(k > 0, "k must be at least 1");
            std::vector<std::vector<FactoredProblem::Output>> found(p.size());
            std::vector<std::vector<double>> totals(p.size());
            std::vector<int64_t> rows(1, 0);
            std::vector<int32_t> labels;
            std::vector<double> scores;
            {
                nb::gil_scoped_release release;
                each_sentence(p, weights, false, n_jobs, [&](FactoredProblem::State& state, size_t i) { p.kbest(state, k, 0.0f, found[i], totals[i]); });
                for (size_t i = 0; i < p.size(); ++i) {
                    rows.push_back(rows.back() + static_cast<int64_t>(found[i].size()));
                    for (const auto& y : found[i]) labels.insert(labels.end(), y.begin(), y.end());
                    scores.insert(scores.end(), totals[i].begin(), totals[i].end());
                }
            }
            return std::tuple(numpy_of(std::move(rows)), numpy_of(std::move(labels)), numpy_of(std::move(scores)));
        },
        "w"_a.noconvert(), "k"_a, "n_jobs"_a, "The k best of each sentence: where its own begin, their labels in a row, and their scores.");
}

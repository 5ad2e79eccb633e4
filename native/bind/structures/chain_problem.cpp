// Label sequences as a learning problem.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>

#include <stdexcept>
#include <string>

#include "bind/learning/problem.hpp"
#include "structures/chain/learning.hpp"

using namespace palmette;

namespace {

using BoundChain = Bound<ChainProblem>;

void new_chain(BoundChain* place, const Array<int64_t>& offsets, const Array<int64_t>& rows, const Array<int32_t>& attributes,
               const Maybe<float>& values, const Maybe<int64_t>& pair_rows, const Maybe<int32_t>& pair_attributes,
               const Maybe<float>& pair_values, const Array<int32_t>& labels, const Maybe<uint8_t>& allowed,
               const Maybe<float>& weights, size_t n_attributes, size_t n_pair_attributes, size_t n_labels, int order,
               const Maybe<float>& start_mask, const Maybe<float>& end_mask, const Maybe<float>& pair_mask, bool local,
               const Maybe<float>& unary, const nb::object& states) {
    require(offsets.size() > 0 && n_labels > 0 && n_labels < (1u << 20) && order >= 0 && order <= 3, "a chain needs labels, and an order of 0 to 3");
    const size_t n = offsets.size() - 1, tokens = labels.size(), S = padded(n_labels);
    check_boundaries(offsets, n, tokens, "the offsets do not cut the tokens into sentences");
    check_boundaries(rows, tokens, attributes.size(), "the rows do not cut the attributes into tokens");
    check_ids(attributes, 0, static_cast<int64_t>(n_attributes), "an attribute is out of range");
    check_ids(labels, -1, static_cast<int64_t>(n_labels), "a label is out of range");
    require(!values || values->size() == attributes.size(), "there must be one value per attribute");
    require(pair_rows.has_value() == pair_attributes.has_value(), "pair rows and pair attributes come together");
    if (pair_rows) {
        check_boundaries(*pair_rows, tokens, pair_attributes->size(), "the rows do not cut the pair attributes into tokens");
        check_ids(*pair_attributes, 0, static_cast<int64_t>(n_pair_attributes), "a pair attribute is out of range");
        require(order > 0 || !states.is_none(), "pair attributes need an order of at least 1");
    }
    require(!pair_values || (pair_attributes && pair_values->size() == pair_attributes->size()), "there must be one value per pair attribute");
    require(!allowed || allowed->size() == tokens * n_labels, "`allowed` must have one entry per token and label");
    require(!weights || weights->size() == n, "there must be one weight per sentence");
    require(!start_mask || start_mask->size() == S, "the start mask has the wrong length");
    require(!end_mask || end_mask->size() == S, "the end mask has the wrong length");
    require(!pair_mask || pair_mask->size() == S * n_labels, "the pair mask has the wrong length");
    ChainData d;
    d.n_sentences = n;
    d.offsets = offsets.data();
    d.rows = rows.data();
    d.attributes = attributes.data();
    d.values = data_of(values);
    d.pair_rows = data_of(pair_rows);
    d.pair_attributes = data_of(pair_attributes);
    d.pair_values = data_of(pair_values);
    d.labels = labels.data();
    d.allowed = data_of(allowed);
    d.weights = data_of(weights);
    d.n_attributes = n_attributes;
    d.n_pair_attributes = pair_rows ? n_pair_attributes : 0;
    d.n_labels = n_labels;
    d.order = order;
    d.start_mask = data_of(start_mask);
    d.end_mask = data_of(end_mask);
    d.pair_mask = data_of(pair_mask);
    require(!unary || unary->size() == tokens * S, "there must be a row of scores per token");
    d.local = local;
    d.unary = data_of(unary);
    if (!states.is_none()) {
        d.states = &nb::cast<const LabelStates&>(states);
        require(d.states->n_labels == n_labels, "the states are of other labels");
        require(!start_mask && !end_mask && !pair_mask, "states say themselves what is allowed: there are no masks beside them");
    }
    nb::list kept;
    for (const auto* array : {&offsets, &rows}) kept.append(*array);
    kept.append(attributes);
    kept.append(labels);
    for (const auto* array : {&values, &pair_values, &weights, &start_mask, &end_mask, &pair_mask, &unary})
        if (*array) kept.append(**array);
    if (pair_rows) kept.append(*pair_rows);
    if (pair_attributes) kept.append(*pair_attributes);
    if (allowed) kept.append(*allowed);
    kept.append(states);
    new (place) BoundChain(kept, ChainProblem(d));
}

// Every token as a choice of its own, with the right labels before it among its attributes; the same weights.
nb::object with_history(const BoundChain& chain) {
    const ChainData& old = chain.problem.data();
    LabelHistory history = [&] {
        nb::gil_scoped_release release;
        return LabelHistory(old);
    }();
    ChainData d;
    d.n_sentences = old.n_sentences;
    d.offsets = old.offsets;
    d.weights = old.weights;
    d.n_labels = old.n_labels;
    d.n_attributes = history.n_attributes;
    d.order = 0;
    d.rows = history.rows.data();
    d.attributes = history.attributes.data();
    d.labels = history.labels.data();
    d.values = history.values.empty() ? nullptr : history.values.data();
    d.allowed = history.allowed.empty() ? nullptr : history.allowed.data();
    nb::list kept;
    kept.append(chain.kept);
    kept.append(numpy_of(std::move(history.rows)));  // the vectors move, and their data stays where it is
    kept.append(numpy_of(std::move(history.attributes)));
    kept.append(numpy_of(std::move(history.labels)));
    kept.append(numpy_of(std::move(history.values)));
    kept.append(numpy_of(std::move(history.allowed)));
    return nb::cast(BoundChain(kept, ChainProblem(d)));
}

}  // namespace

void bind_chain_problem(nb::module_& m) {
    using namespace nb::literals;
    nb::class_<BoundChain, BoundProblem> chain(m, "ChainProblem");
    chain.def("__init__", &new_chain, "offsets"_a.noconvert(), "rows"_a.noconvert(), "attributes"_a.noconvert(), "values"_a.noconvert().none(),
              "pair_rows"_a.noconvert().none(), "pair_attributes"_a.noconvert().none(), "pair_values"_a.noconvert().none(), "labels"_a.noconvert(),
              "allowed"_a.noconvert().none(), "weights"_a.noconvert().none(), "n_attributes"_a, "n_pair_attributes"_a, "n_labels"_a, "order"_a,
              "start_mask"_a.noconvert().none(), "end_mask"_a.noconvert().none(), "pair_mask"_a.noconvert().none(), "local"_a = false, "unary"_a.noconvert() = nb::none(),
              "states"_a = nb::none());
    chain.def("with_history", &with_history, nb::sig("def with_history(self) -> ChainProblem"));
    chain.def(
        "kbest",
        [](const BoundChain& b, const Array<float>& w, size_t k, int n_jobs) {
            const float* weights = checked(b, w);
            std::vector<int64_t> rows;
            std::vector<int32_t> labels;
            std::vector<double> scores;
            {
                nb::gil_scoped_release release;
                kbest_chains(b.problem, weights, k, n_jobs, rows, labels, scores);
            }
            return std::tuple(numpy_of(std::move(rows)), numpy_of(std::move(labels)), numpy_of(std::move(scores)));
        },
        "w"_a.noconvert(), "k"_a, "n_jobs"_a);
    chain.def(
        "decode",
        [](const BoundChain& b, const Array<float>& w, int n_jobs) {
            const float* weights = checked(b, w);
            std::vector<int32_t> labels(b.problem.data().offsets[b.problem.size()]);
            std::vector<double> scores(b.problem.size());
            {
                nb::gil_scoped_release release;
                decode_chains(b.problem, weights, n_jobs, labels.data(), scores.data());
            }
            return std::tuple(numpy_of(std::move(labels)), numpy_of(std::move(scores)));
        },
        "w"_a.noconvert(), "n_jobs"_a);
    chain.def(
        "probabilities",
        [](const BoundChain& b, const Array<float>& w, int n_jobs) {
            const float* weights = checked(b, w);
            std::vector<float> labels(b.problem.data().offsets[b.problem.size()] * b.problem.labels());
            std::vector<double> log_z(b.problem.size());
            {
                nb::gil_scoped_release release;
                chain_probabilities(b.problem, weights, n_jobs, labels.data(), log_z.data());
            }
            return std::tuple(numpy_of(std::move(labels)), numpy_of(std::move(log_z)));
        },
        "w"_a.noconvert(), "n_jobs"_a);
    chain.def(
        "scores",
        [](const BoundChain& b, const Array<float>& w, size_t i) {
            const float* weights = checked(b, w);
            require(i < b.problem.size(), "there is no such sentence");
            ChainProblem::State state;
            b.problem.prepare(state, weights + b.problem.shared_at(), 1.0f, false);
            b.problem.score(state, i, weights, 1.0f);
            const ChainScores<float>& s = state.scores;
            const size_t L = s.labels, S = s.stride;
            const auto rows = [&](const float* from, size_t count) {
                std::vector<float> out;
                out.reserve(count * L);
                for (size_t r = 0; r < count; ++r) out.insert(out.end(), from + r * S, from + r * S + L);
                return out;
            };
            if (b.problem.data().states) {  // the scores of steps stand for the table
                const StateScores steps = b.problem.state_scores(state, s.unary);
                const size_t count = steps.states->n_steps() * (steps.apart ? s.n : 1);
                return std::tuple(numpy_of(rows(s.unary, s.n)), numpy_of(std::vector<float>()),
                                  numpy_of(std::vector<float>(steps.steps, steps.steps + count)));
            }
            const size_t tables = s.order ? power(L, s.order) * (s.table_step ? s.n : 1) : 0;
            const size_t begins = s.order ? begin_size(L, S, s.order) / S : 0;
            return std::tuple(numpy_of(rows(s.unary, s.n)), numpy_of(rows(s.begin, begins)), numpy_of(rows(s.table, tables)));
        },
        "w"_a.noconvert(), "sentence"_a);
    chain.def(
        "difference",
        [](const BoundChain& b, size_t i, const Array<int32_t>& first, const Array<int32_t>& second) {
            require(i < b.problem.size() && first.size() == b.problem.n_tokens(i) && second.size() == first.size(), "there must be one label per token");
            check_ids(first, 0, static_cast<int64_t>(b.problem.labels()), "a label is out of range");
            check_ids(second, 0, static_cast<int64_t>(b.problem.labels()), "a label is out of range");
            const ChainProblem::Output one(first.data(), first.data() + first.size()), two(second.data(), second.data() + second.size());
            SparseVector difference;
            b.problem.difference(i, one, two, [&](size_t index, float value) { difference.add(index, value); });
            difference.gather();
            std::vector<int64_t> indices;
            std::vector<float> values;
            for (const auto& entry : difference.entries) {
                indices.push_back(static_cast<int64_t>(entry.index));
                values.push_back(entry.value);
            }
            return std::tuple(numpy_of(std::move(indices)), numpy_of(std::move(values)));
        },
        "sentence"_a, "first"_a.noconvert(), "second"_a.noconvert());
    chain.def(
        "constrained",
        [](const BoundChain& b, const Array<float>& w) {
            const float* weights = checked(b, w);
            std::vector<int32_t> labels;
            std::vector<double> scores;
            {
                nb::gil_scoped_release release;
                ChainProblem::State state;
                ChainProblem::Output y;
                b.problem.prepare(state, weights + b.problem.shared_at(), 1.0f, false);
                for (size_t i = 0; i < b.problem.size(); ++i) {
                    b.problem.score(state, i, weights, 1.0f);
                    scores.push_back(b.problem.gold(state, y));
                    labels.insert(labels.end(), y.begin(), y.end());
                }
            }
            return std::tuple(numpy_of(std::move(labels)), numpy_of(std::move(scores)));
        },
        "w"_a.noconvert());
}

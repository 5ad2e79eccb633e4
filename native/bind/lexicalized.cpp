// The lexicalised model of trees: training by counting, and parsing.
#include <nanobind/stl/array.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "bind.hpp"
#include "lexicalized_parser.hpp"
#include "parallel.hpp"

using namespace palmette;

namespace {

using Chain = std::vector<std::vector<int>>;

BackoffChain chain_of(const Chain& levels, int limit) {
    BackoffChain chain;
    for (const auto& level : levels) {
        chain.emplace_back();
        for (const int v : level) {
            if (v < 0 || v >= limit) throw std::invalid_argument("a chain names a variable that does not exist");
            chain.back().push_back(static_cast<uint8_t>(v));
        }
    }
    return chain;
}

}  // namespace

void bind_lexicalized(nb::module_& m) {
    nb::class_<LexicalizedModel>(m, "LexicalizedModel")
        .def("__init__", [](LexicalizedModel* place, const Array<uint8_t>& is_tag, const Array<uint8_t>& joins, int root, const Array<int64_t>& offsets, const Array<int32_t>& label, const Array<int32_t>& children,
                         const Array<int32_t>& head, const Array<int32_t>& token, const Array<int32_t>& word, const Array<int32_t>& features, int n_features,
                         const std::vector<std::vector<Chain>>& chains, const Chain& looks, int n_words, int rare) {
            auto model = new (place) LexicalizedModel();
            model->labels.is_tag.assign(is_tag.data(), is_tag.data() + is_tag.size());
            model->labels.joins.assign(joins.data(), joins.data() + joins.size());
            model->labels.root = root;
            std::array<std::vector<BackoffChain>, kDecisions> made;
            for (int d = 0; d < kDecisions; ++d) for (const Chain& chain : chains.at(d)) made[d].push_back(chain_of(chain, kVariables));
            model->train({span_of(offsets), span_of(label), span_of(children), span_of(head), span_of(token)}, {span_of(word), span_of(features), n_features}, made, chain_of(looks, n_features), n_words, rare);
        })
        .def("smooth", [](LexicalizedModel& model, int decision, int which, int level, float discount, float strength) {
            Backoff& b = decision == kDecisions ? model.looks : decision == kDecisions + 1 ? model.known : model.decisions.at(decision).at(which);
            if (level < 0 || level >= static_cast<int>(b.levels().size())) throw std::invalid_argument("no such level");
            b.set_smoothing(level, discount, strength);
        })
        .def("log_likelihood", [](const LexicalizedModel& model, const Array<int64_t>& offsets, const Array<int32_t>& label, const Array<int32_t>& children,
                                  const Array<int32_t>& head, const Array<int32_t>& token, const Array<int32_t>& word, const Array<int32_t>& features, int n_features) {
            std::vector<double> sums(kDecisions, 0.0);
            std::vector<int64_t> counts(kDecisions, 0);
            model.log_likelihood({span_of(offsets), span_of(label), span_of(children), span_of(head), span_of(token)}, {span_of(word), span_of(features), n_features}, sums.data(), counts.data());
            return std::pair(sums, counts);
        })
        .def("parse", [](const LexicalizedModel& model, const Array<int64_t>& offsets, const Array<int32_t>& tokens, const Array<int32_t>& word, const Array<int32_t>& features, int n_features,
                         double first, double pairs, double second, double tag, double beam, bool grandparents, bool posteriors) {
            const CoarseModel coarse(model);
            const TokenTypes types{span_of(word), span_of(features), n_features};
            nb::list all;
            LexicalOptions options{{first, pairs, second}, tag, beam, grandparents};
            for (size_t i = 0; i + 1 < offsets.size(); ++i) {
                LexicalForest forest(model, coarse, types, span_of(tokens).subspan(offsets.data()[i], offsets.data()[i + 1] - offsets.data()[i]), options);
                nb::list tree, brackets;
                double score = 0.0;
                if (forest.parsed()) {
                    std::vector<TreeNode> nodes;
                    score = forest.viterbi(nodes);
                    for (const TreeNode& node : nodes) tree.append(nb::make_tuple(node.label, node.start, node.end));
                    if (posteriors)
                        for (const auto& b : forest.posteriors()) brackets.append(nb::make_tuple(b.label, b.start, b.end, b.probability));
                }
                all.append(nb::make_tuple(tree, score, brackets, forest.coarse_forest().visited, forest.coarse_forest().items.size(), forest.coarse_forest().edges.size(), forest.n_states(), forest.n_edges()));
            }
            return all;
        });
}

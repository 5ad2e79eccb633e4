// Trees of phrases over anchored rules, as a learning problem.
#include "bind/features/token_views.hpp"
#include "bind/learning/problem.hpp"
#include "bind/tools/constituency/phrases.hpp"
#include "structures/anchored/learning.hpp"
#include "structures/anchored/pruning.hpp"
#include "tools/constituency/phrases/forms.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <memory>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

using namespace palmette;

namespace {

static_assert(sizeof(AnchoredItem) == 12 && sizeof(AnchoredNode) == 20 && sizeof(AnchoredConstraint) == 16);

struct BoundAnchored : Bound<AnchoredProblem> {
    BoundViews views;
    std::shared_ptr<const AnchoredGrammar> grammar;
};

struct BoundGrammar {
    std::shared_ptr<const AnchoredGrammar> grammar;
};

AnchoredGrammar grammar_of(const Array<int32_t>& kinds, const Array<int32_t>& coarse, const Array<int32_t>& binary, const Array<int32_t>& chain_rows,
                           const Array<int32_t>& chains, const Array<int32_t>& roots, int32_t root) {
    const int32_t n = static_cast<int32_t>(kinds.size());
    require(n > 0 && kinds.size() < (1u << 24) && coarse.size() == kinds.size(), "there must be one kind and one coarse symbol per symbol");
    require(root >= 0 && root < n, "the root is not a symbol");
    check_ids(kinds, 0, 3, "a kind is out of range");
    check_ids(coarse, 0, int64_t{1} << 31, "a coarse symbol is negative");
    check_ids(binary, 0, n, "a rule has a symbol that does not exist");
    check_ids(chains, 0, n, "a chain has a symbol that does not exist");
    check_ids(roots, 0, n, "what is below the root is not a symbol");
    require(binary.size() % 3 == 0 && binary.size() < (1u << 26), "a binary rule has three symbols");
    AnchoredGrammar g;
    g.root = root;
    for (size_t k = 0; k < kinds.size(); ++k) g.kinds.push_back(static_cast<uint8_t>(kinds.data()[k]));
    g.coarse.assign(coarse.data(), coarse.data() + coarse.size());
    for (size_t k = 0; k < binary.size(); k += 3) {
        g.binary.push_back({binary.data()[k], binary.data()[k + 1], binary.data()[k + 2]});
        require(g.kinds[static_cast<size_t>(g.binary.back().parent)] != AnchoredGrammar::tag, "a tag cannot be the parent of a rule");
        if (k) {
            const auto &a = g.binary[g.binary.size() - 2], &b = g.binary.back();
            require(std::tuple(a.parent, a.left, a.right) < std::tuple(b.parent, b.left, b.right), "binary rules must be sorted, and none twice");
        }
    }
    require(chain_rows.size() > 0 && chain_rows.data()[0] == 0 && static_cast<size_t>(chain_rows.data()[chain_rows.size() - 1]) == chains.size(), "the rows do not cut the chains");
    for (size_t c = 0; c + 1 < chain_rows.size(); ++c) {
        const int64_t from = chain_rows.data()[c], to = chain_rows.data()[c + 1];
        require(to - from >= 2 && to <= static_cast<int64_t>(chains.size()), "a chain has at least two symbols");
        for (int64_t k = from; k < to; ++k) {
            const int32_t symbol = chains.data()[k];
            require(symbol != root, "the root cannot be in a chain");
            require(k + 1 == to || g.kinds[static_cast<size_t>(symbol)] != AnchoredGrammar::tag, "a tag can only end a chain");
        }
    }
    g.chain_rows.assign(chain_rows.data(), chain_rows.data() + chain_rows.size());
    g.chain_symbols.assign(chains.data(), chains.data() + chains.size());
    for (size_t k = 0; k < roots.size(); ++k) require(roots.data()[k] != root && (!k || roots.data()[k - 1] < roots.data()[k]), "what is below the root must be sorted");
    g.roots.assign(roots.data(), roots.data() + roots.size());
    g.index();
    return g;
}

void check_nodes(const AnchoredGrammar& g, const AnchoredNode* nodes, size_t count, int32_t n) {
    for (size_t k = 0; k < count; ++k) {
        const AnchoredNode& node = nodes[k];
        bool good = node.start >= 0 && node.start < node.end && node.end <= n && node.id >= 0 && (!k || nodes[k - 1] < node);
        switch (node.kind) {
            case AnchoredNode::tag: good = good && node.end == node.start + 1 && static_cast<size_t>(node.id) < g.n_symbols(); break;
            case AnchoredNode::rule: good = good && node.split > node.start && node.split < node.end && static_cast<size_t>(node.id) < g.binary.size(); break;
            case AnchoredNode::chain: good = good && static_cast<size_t>(node.id) < g.n_chains(); break;
            case AnchoredNode::root: good = good && static_cast<size_t>(node.id) < g.n_symbols(); break;
            default: good = false;
        }
        if (node.kind != AnchoredNode::rule) good = good && node.split == 0;
        require(good, "a node of a tree is out of range or out of order");
    }
}

void check_constraints(const Array<int64_t>& offsets, const Maybe<int64_t>& rows, const Maybe<int32_t>& constraints) {
    require(rows.has_value() == constraints.has_value(), "constraints come with rows");
    if (!rows) return;
    const size_t n = offsets.size() - 1;
    require(constraints->size() % 4 == 0, "a constraint has four numbers");
    check_boundaries(*rows, n, constraints->size() / 4, "the rows do not cut the constraints into sentences");
    for (size_t i = 0; i < n; ++i)
        for (int64_t k = rows->data()[i]; k < rows->data()[i + 1]; ++k) {
            const int32_t* c = constraints->data() + 4 * k;
            require(c[0] >= 0 && c[0] < c[1] && c[1] <= offsets.data()[i + 1] - offsets.data()[i], "a constraint lies outside of its sentence");
        }
}

}  // namespace

void bind_anchored(nb::module_& m) {
    using namespace nb::literals;
    nb::class_<BoundGrammar>(m, "AnchoredGrammar")
        .def(
            "__init__",
            [](BoundGrammar* place, const Array<int32_t>& kinds, const Array<int32_t>& coarse, const Array<int32_t>& binary, const Array<int32_t>& chain_rows,
               const Array<int32_t>& chains, const Array<int32_t>& roots, int32_t root) {
                new (place) BoundGrammar{std::make_shared<AnchoredGrammar>(grammar_of(kinds, coarse, binary, chain_rows, chains, roots, root))};
            },
            "kinds"_a.noconvert(), "coarse"_a.noconvert(), "binary"_a.noconvert(), "chain_rows"_a.noconvert(), "chains"_a.noconvert(), "roots"_a.noconvert(), "root"_a)
        .def(
            "phrases",
            [](const BoundGrammar& bound, const Array<int64_t>& lengths, const Array<int64_t>& trees, const Array<int64_t>& rows, const Array<int32_t>& nodes) {
                require(nodes.size() % 5 == 0, "a node of a tree has five numbers");
                const auto* all = reinterpret_cast<const AnchoredNode*>(nodes.data());
                return phrases_of(lengths, trees, rows, nodes.size() / 5, [&](PhraseForest& forest, int32_t n, size_t t) {
                    const std::span own(all + rows.data()[t], static_cast<size_t>(rows.data()[t + 1] - rows.data()[t]));
                    check_nodes(*bound.grammar, own.data(), own.size(), n);
                    add_anchored(forest, n, *bound.grammar, own);
                });
            },
            "lengths"_a.noconvert(), "trees"_a.noconvert(), "rows"_a.noconvert(), "nodes"_a.noconvert(),
            "Trees of anchored rules: tree t has the nodes rows[t] …, sentence i has lengths[i] words and the trees trees[i] …. Their labels are coarse symbols.");

    nb::class_<BoundAnchored, BoundProblem> problem(m, "AnchoredProblem");
    problem.def(
        "__init__",
        [](BoundAnchored* place, const Array<int64_t>& offsets, const Array<uint64_t>& values, const Array<int64_t>& piece_rows, const Array<uint64_t>& pieces,
           const BoundGrammar& bound, const Array<int64_t>& item_rows, const Array<int32_t>& items, const Array<int64_t>& gold_rows, const Array<int32_t>& gold, unsigned bits,
           const Maybe<int64_t>& constraint_rows, const Maybe<int32_t>& constraints) {
            BoundViews views(offsets, values, piece_rows, pieces);
            const AnchoredGrammar& g = *bound.grammar;
            const size_t n = views.views.n_sentences;
            require(bits >= 4 && bits <= 30, "a table has 4 to 30 bits");
            require(items.size() % 3 == 0 && gold.size() % 5 == 0, "an item has three numbers, a node of a tree five");
            check_boundaries(item_rows, n, items.size() / 3, "the rows do not cut the items into sentences");
            check_boundaries(gold_rows, n, gold.size() / 5, "the rows do not cut the trees into sentences");
            AnchoredData d;
            d.views = views.views;
            d.grammar = bound.grammar.get();
            d.item_rows = item_rows.data();
            d.items = reinterpret_cast<const AnchoredItem*>(items.data());
            d.gold_rows = gold_rows.data();
            d.gold = reinterpret_cast<const AnchoredNode*>(gold.data());
            d.bits = bits;
            check_constraints(offsets, constraint_rows, constraints);
            d.constraint_rows = data_of(constraint_rows);
            d.constraints = reinterpret_cast<const AnchoredConstraint*>(data_of(constraints));
            for (size_t i = 0; i < n; ++i) {
                const int32_t length = static_cast<int32_t>(views.views.length(i));
                require(length < (1 << 14), "a sentence is too long");
                for (int64_t k = item_rows.data()[i]; k < item_rows.data()[i + 1]; ++k) {
                    const AnchoredItem &item = d.items[k], &before = d.items[k > item_rows.data()[i] ? k - 1 : k];
                    require(item.start >= 0 && item.start < item.end && item.end <= length && item.symbol >= 0 && static_cast<size_t>(item.symbol) < g.n_symbols(),
                            "an item is out of range");
                    require(&item == &before || std::tuple(before.start, before.end, before.symbol) < std::tuple(item.start, item.end, item.symbol), "items must be sorted, and none twice");
                }
                check_nodes(g, d.gold + gold_rows.data()[i], static_cast<size_t>(gold_rows.data()[i + 1] - gold_rows.data()[i]), length);
            }
            nb::list kept;
            kept.append(item_rows);
            kept.append(items);
            kept.append(gold_rows);
            kept.append(gold);
            if (constraints) {
                kept.append(*constraint_rows);
                kept.append(*constraints);
            }
            new (place) BoundAnchored{{kept, AnchoredProblem(d)}, views, bound.grammar};
        },
        "offsets"_a.noconvert(), "values"_a.noconvert(), "piece_rows"_a.noconvert(), "pieces"_a.noconvert(), "grammar"_a, "item_rows"_a.noconvert(), "items"_a.noconvert(),
        "gold_rows"_a.noconvert(), "gold"_a.noconvert(), "bits"_a, "constraint_rows"_a.noconvert() = nb::none(), "constraints"_a.noconvert() = nb::none(),
        "Sentences with the items their trees may have (start, end, symbol), right trees (nodes of start, end, kind, split, id) and constraints (start, end, label, required).");
    problem.def(
        "decode",
        [](const BoundAnchored& b, const Array<float>& w, int choice, double offset, bool sums, int n_jobs) {
            const float* weights = checked(b, w);
            require(choice >= 0 && choice <= 2, "there is no such choice");
            AnchoredTrees found;
            {
                nb::gil_scoped_release release;
                found = decode_anchored(b.problem, weights, static_cast<AnchoredChoice>(choice), offset, sums, n_jobs);
            }
            return std::tuple(numpy_of(std::move(found.rows)), numpy_of(std::move(found.nodes)), numpy_of(std::move(found.scores)), numpy_of(std::move(found.log_z)));
        },
        "w"_a.noconvert(), "choice"_a, "offset"_a, "sums"_a, "n_jobs"_a,
        "The tree of every sentence: rows, nodes (start, end, kind, split, id), scores, and log Z with sums. choice: 0 the best, 1 with the most expected right brackets, 2 with the largest product of rules.");
    problem.def(
        "kbest",
        [](const BoundAnchored& b, const Array<float>& w, size_t k, bool sums, int n_jobs) {
            const float* weights = checked(b, w);
            AnchoredLists found;
            {
                nb::gil_scoped_release release;
                found = kbest_anchored(b.problem, weights, k, sums, n_jobs);
            }
            return std::tuple(numpy_of(std::move(found.trees)), numpy_of(std::move(found.rows)), numpy_of(std::move(found.nodes)), numpy_of(std::move(found.scores)),
                              numpy_of(std::move(found.log_z)));
        },
        "w"_a.noconvert(), "k"_a, "sums"_a, "n_jobs"_a, "The k best trees of every sentence i: those from trees[i] to trees[i + 1].");
    problem.def(
        "brackets",
        [](const BoundAnchored& b, const Array<float>& w, int n_jobs) {
            const float* weights = checked(b, w);
            AnchoredBrackets found;
            {
                nb::gil_scoped_release release;
                found = bracket_probabilities(b.problem, weights, n_jobs);
            }
            return std::tuple(numpy_of(std::move(found.rows)), numpy_of(std::move(found.spans)), numpy_of(std::move(found.probabilities)));
        },
        "w"_a.noconvert(), "n_jobs"_a, "The probabilities of phrases: rows, (start, end, symbol) each, probabilities.");
    problem.def(
        "contributions",
        [](const BoundAnchored& b, const Array<float>& w, size_t i, const Array<int32_t>& nodes) {
            const float* weights = checked(b, w);
            require(i < b.problem.size(), "there is no such sentence");
            require(nodes.size() % 5 == 0, "a node of a tree has five numbers");
            AnchoredTree tree(nodes.size() / 5);
            if (!tree.empty()) std::memcpy(tree.data(), nodes.data(), nodes.size() * sizeof(int32_t));
            check_nodes(*b.grammar, tree.data(), tree.size(), static_cast<int32_t>(b.views.views.length(i)));
            std::vector<int32_t> uses;
            std::vector<double> amounts;
            b.problem.features(i, tree, [&](const AnchoredUse& use, size_t at) {
                if (weights[at] == 0) return;
                uses.insert(uses.end(), {static_cast<int32_t>(use.family), static_cast<int32_t>(use.number), use.start, use.end, use.split, static_cast<int32_t>(use.name), use.id,
                                         static_cast<int32_t>(use.coarse), static_cast<int32_t>(at)});
                amounts.push_back(weights[at]);
            });
            return std::tuple(numpy_of(std::move(uses)), numpy_of(std::move(amounts)));
        },
        "w"_a.noconvert(), "sentence"_a, "nodes"_a.noconvert(), "What features give a tree: [family, template, start, end, split, kind of name, name, coarse, place of the weight] each, and amounts.");
    problem.def(
        "sizes",
        [](const BoundAnchored& b, size_t i) {
            require(i < b.problem.size(), "there is no such sentence");
            const auto& g = b.problem.prepared(i).graph;
            return std::vector<size_t>{g.lows.size(), g.unaries.size(), g.rules.size(), g.splits.size(), g.edges.size(), g.roots.size()};
        },
        "sentence"_a, "How many lower items, chains, rules above spans, rules with splits, anchored rules and roots a sentence has.");
    m.def(
        "prune_sentences",
        [](const ChartGrammar& chart, const BoundGrammar& bound, const Array<int64_t>& offsets, const Array<int64_t>& rows, const Array<int32_t>& positions,
           const Array<int32_t>& symbols, const Array<float>& weights, double threshold, int n_jobs, const Maybe<int64_t>& constraint_rows, const Maybe<int32_t>& constraints) {
            const AnchoredGrammar& g = *bound.grammar;
            require(static_cast<size_t>(chart.symbols()) == g.n_symbols() && chart.root() == g.root, "both grammars must have the same symbols");
            require(chart.sums_exist(), "the weights of chains of unary rules around a cycle add up to infinity");
            require(offsets.size() > 0, "there must be offsets");
            const size_t n = offsets.size() - 1;
            check_boundaries(offsets, n, static_cast<size_t>(std::max<int64_t>(0, offsets.data()[n])), "the offsets are not in order");
            check_boundaries(rows, n, positions.size(), "the rows do not cut the emissions into sentences");
            require(symbols.size() == positions.size() && weights.size() == positions.size(), "emissions have a position, a symbol and a weight each");
            check_ids(symbols, 0, chart.symbols(), "an emission has a symbol that the grammar has not");
            for (size_t i = 0; i < n; ++i) {
                const int64_t length = offsets.data()[i + 1] - offsets.data()[i];
                require(length < (1 << 14), "a sentence is too long");
                for (int64_t k = rows.data()[i]; k < rows.data()[i + 1]; ++k) {
                    require(positions.data()[k] >= 0 && positions.data()[k] < length && (k == rows.data()[i] || positions.data()[k - 1] <= positions.data()[k]),
                            "the positions of emissions lie in the sentence and come in order");
                    require(weights.data()[k] < std::numeric_limits<float>::infinity(), "the weight of an emission is not a number or +inf");
                }
            }
            check_constraints(offsets, constraint_rows, constraints);
            const EmissionTable table{n, offsets.data(), rows.data(), positions.data(), symbols.data(), weights.data(), data_of(constraint_rows),
                                      reinterpret_cast<const AnchoredConstraint*>(data_of(constraints))};
            AnchoredItems found;
            {
                nb::gil_scoped_release release;
                found = prune_sentences(chart, g, table, threshold, n_jobs);
            }
            std::vector<int32_t> items(3 * found.items.size());
            if (!items.empty()) std::memcpy(items.data(), found.items.data(), items.size() * sizeof(int32_t));
            return std::tuple(numpy_of(std::move(found.rows)), numpy_of(std::move(items)), numpy_of(std::move(found.log_z)));
        },
        "chart"_a, "grammar"_a, "offsets"_a.noconvert(), "rows"_a.noconvert(), "positions"_a.noconvert(), "symbols"_a.noconvert(), "weights"_a.noconvert(), "threshold"_a,
        "n_jobs"_a, "constraint_rows"_a.noconvert() = nb::none(), "constraints"_a.noconvert() = nb::none(),
        "The items (start, end, symbol) of sentences whose posterior is at least the threshold, row by row, and log Z; none where there is no tree.");
    m.def(
        "anchored_templates",
        [] {
            static const char* places[] = {"first", "last", "second", "last but one", "before", "after", "2 before", "2 after", "left of split", "right of split", "2 left of split",
                                           "2 right of split", "span"};
            static const char* tokens[] = {"word", "known", "tag", "coarse", "end3", "end2", "shape", "start3"};
            static const char* spans[] = {"length", "shape", "tags", "inside", "left length", "right length"};
            using Names = std::vector<std::vector<std::pair<std::string, std::string>>>;
            const auto names = [&](const auto& templates) {
                Names out;
                for (const SpanTemplate& t : templates) {
                    out.emplace_back();
                    for (const SpanLook& l : t.looks)
                        if (l.place != pNone) out.back().emplace_back(places[l.place], l.place == pSpan ? spans[l.code] : tokens[l.code]);
                }
                return out;
            };
            return std::vector<Names>{names(kTagTemplates), names(kLabelTemplatesOfSpans), names(kRuleTemplatesOfSpans), names(kSplitTemplates), names(kEdgeTemplates), names(kRootTemplates)};
        },
        "What the templates of each family look at: [family][template] pairs of a place and what is seen there.");
}

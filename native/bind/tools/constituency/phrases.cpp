// Trees of phrases: derivations as the parsers have them in, Python trees out, each distinct subtree made once.
#include "bind/tools/constituency/phrases.hpp"

#include "bind/formats/tree_builder.hpp"
#include "tools/constituency/phrases/forms.hpp"
#include "tools/constituency/phrases/shapes.hpp"

using namespace palmette;

namespace {

std::span<const int32_t> row_of(const Array<int32_t>& values, const Array<int64_t>& rows, size_t t, size_t width = 1) {
    const auto begin = static_cast<size_t>(rows.data()[t]), end = static_cast<size_t>(rows.data()[t + 1]);
    return span_of(values).subspan(width * begin, width * (end - begin));
}

BoundPhrases of_brackets(const Array<int64_t>& lengths, const Array<int64_t>& trees, const Array<int64_t>& rows, const Array<int32_t>& brackets) {
    require(brackets.size() % 3 == 0, "a bracket has three numbers");
    return phrases_of(lengths, trees, rows, brackets.size() / 3,
                      [&](PhraseForest& forest, int32_t n, size_t t) { add_brackets(forest, n, row_of(brackets, rows, t, 3)); });
}

BoundPhrases of_derivations(const Array<int64_t>& lengths, const Array<int64_t>& trees, const Array<int64_t>& rows, const Array<int32_t>& symbols,
                            const Array<int32_t>& rules, const Array<int32_t>& labels) {
    require(symbols.size() == rules.size(), "a node has a symbol and a rule");
    for (size_t k = 0; k < symbols.size(); ++k) require(symbols.data()[k] >= 0 && static_cast<size_t>(symbols.data()[k]) < labels.size(), "a node has a symbol without a label");
    return phrases_of(lengths, trees, rows, symbols.size(), [&](PhraseForest& forest, int32_t n, size_t t) {
        add_derivation(forest, n, row_of(symbols, rows, t), row_of(rules, rows, t), span_of(labels));
    });
}

// Nodes of seven numbers (tools/constituency/latent/forest.hpp), which like roots are counted from the first node of the sentence.
BoundPhrases of_latent(const Array<int64_t>& lengths, const Array<int64_t>& trees, const Array<int64_t>& root_rows, const Array<int32_t>& roots, const Array<int64_t>& node_rows,
                       const Array<int32_t>& nodes, const Array<int32_t>& symbols, const Array<int64_t>& rows, const Array<int32_t>& between, int32_t top) {
    require(nodes.size() % 7 == 0 && node_rows.size() == lengths.size() + 1 && node_rows.size() > 0 && node_rows.data()[0] == 0 &&
                static_cast<size_t>(node_rows.data()[lengths.size()]) == nodes.size() / 7,
            "the rows do not cut the nodes into sentences");
    require(rows.size() > 0 && rows.data()[0] == 0 && static_cast<size_t>(rows.data()[rows.size() - 1]) == between.size(), "the rows do not cut the chains");
    for (size_t r = 0; r + 1 < rows.size(); ++r) require(rows.data()[r] <= rows.data()[r + 1], "the rows do not cut the chains");
    std::vector<LatentTreeNode> made(nodes.size() / 7);
    for (size_t i = 0; i < lengths.size(); ++i) {
        require(node_rows.data()[i] <= node_rows.data()[i + 1], "the rows do not cut the nodes into sentences");
        for (int64_t v = node_rows.data()[i]; v < node_rows.data()[i + 1]; ++v) {
            const int32_t* x = nodes.data() + 7 * v;
            const auto before = v - node_rows.data()[i];
            require(x[0] >= 0 && x[0] <= 3 && x[2] >= 0 && static_cast<size_t>(x[2]) < symbols.size() && x[5] >= -1 && x[5] < before && x[6] >= -1 && x[6] < before, "a node is out of range");
            require(x[0] != static_cast<int>(LatentNode::unary) || (x[1] >= 0 && static_cast<size_t>(x[1]) + 1 < rows.size()), "a node has a rule that is not there");
            made[static_cast<size_t>(v)] = {static_cast<LatentNode>(x[0]), x[1], x[2], x[3], x[4], x[5], x[6]};
        }
    }
    const LatentLabels labels{span_of(symbols), span_of(rows), span_of(between), top};
    size_t i = 0;  // the sentence of a tree
    return phrases_of(lengths, trees, root_rows, roots.size(), [&](PhraseForest& forest, int32_t n, size_t t) {
        while (trees.data()[i + 1] <= static_cast<int64_t>(t)) ++i;
        const auto begin = static_cast<size_t>(node_rows.data()[i]), end = static_cast<size_t>(node_rows.data()[i + 1]);
        const auto own = row_of(roots, root_rows, t);
        for (const int32_t root : own) require(root >= 0 && static_cast<size_t>(root) < end - begin, "a tree has a root that is not there");
        add_latent(forest, n, std::span(made).subspan(begin, end - begin), own, labels);
    });
}

// The trees of every sentence over its words; labels: the names of their numbers.
nb::typed<nb::list, nb::any> build(const BoundPhrases& phrases, nb::typed<nb::tuple, nb::any, nb::any> classes, nb::typed<nb::list, nb::str> labels, nb::typed<nb::sequence, nb::any> sentences) {
    const TreeFactory factory{TreeClasses(classes)};
    require(nb::len(sentences) == phrases.forests.size(), "there must be as many sentences as they were parsed");
    std::vector<nb::object> names, numbers, leaves, made;
    for (nb::handle name : labels) names.push_back(nb::borrow(name));
    nb::list lists;
    for (size_t i = 0; i < phrases.forests.size(); ++i) {
        const PhraseForest& forest = phrases.forests[i];
        const nb::sequence words = nb::borrow<nb::sequence>(nb::object(sentences[i]));
        const auto n = static_cast<size_t>(phrases.lengths[i]);
        require(nb::len(words) == n, "a sentence has another number of words than when it was parsed");
        while (numbers.size() < n) numbers.push_back(nb::int_(numbers.size()));
        leaves.clear();
        if (forest.size() > 0)
            for (size_t at = 0; at < n; ++at) leaves.push_back(factory.leaf(nb::object(words[at]), numbers[at]));
        made.clear();
        for (size_t v = 0; v < forest.size(); ++v) {
            const auto below = forest.children(v);
            const auto start = static_cast<size_t>(forest.start(v)), label = static_cast<size_t>(forest.label(v));
            require(label < names.size(), "a node has a label without a name");
            if (below.empty()) {
                made.push_back(factory.tree(names[label], &leaves[start], nullptr, 1, numbers[start]));
            } else {
                made.push_back(factory.tree(names[label], made.data(), below.data(), below.size(), numbers[start]));
            }
        }
        nb::list trees;
        for (const int32_t root : forest.roots()) trees.append(made[static_cast<size_t>(root)]);
        lists.append(trees);
    }
    return nb::borrow<nb::typed<nb::list, nb::any>>(lists);
}

}  // namespace

void bind_phrases(nb::module_& m) {
    using namespace nb::literals;
    nb::class_<BoundPhrases>(m, "PhraseForests", "The trees of sentences; equal subtrees of a sentence are one.")
        .def_static("of_brackets", &of_brackets, "lengths"_a.noconvert(), "trees"_a.noconvert(), "rows"_a.noconvert(), "brackets"_a.noconvert(),
                    "Make trees of brackets in preorder (label, start, end): tree t has rows[t] …, sentence i the trees trees[i] ….")
        .def_static("of_derivations", &of_derivations, "lengths"_a.noconvert(), "trees"_a.noconvert(), "rows"_a.noconvert(), "symbols"_a.noconvert(), "rules"_a.noconvert(),
                    "labels"_a.noconvert(), "Make trees of nodes in preorder, as charts give them; labels: of symbols, -1 for those that are left out.")
        .def_static("of_latent", &of_latent, "lengths"_a.noconvert(), "trees"_a.noconvert(), "root_rows"_a.noconvert(), "roots"_a.noconvert(), "node_rows"_a.noconvert(), "nodes"_a.noconvert(),
                    "symbols"_a.noconvert(), "rows"_a.noconvert(), "between"_a.noconvert(), "top"_a, "Make trees of the nodes of latent grammars below some roots, with the labels of symbols and within unary rules.")
        .def("__len__", [](const BoundPhrases& p) { return p.forests.size(); })
        .def("sizes", [](const BoundPhrases& p) {
            std::vector<int64_t> sizes;
            for (const PhraseForest& forest : p.forests) sizes.push_back(static_cast<int64_t>(forest.size()));
            return numpy_of(std::move(sizes));
        }, "How many different subtrees the trees of each sentence have, words not counted.")
        .def("shapes", [](const BoundPhrases& p) {
            PhraseShapes shapes;
            {
                nb::gil_scoped_release release;
                shapes = shapes_of(p.forests);
            }
            return std::tuple(numpy_of(std::move(shapes.of_node)), numpy_of(std::move(shapes.rows)), numpy_of(std::move(shapes.labels)));
        }, "The different expansions: that of every node (-1 for tags), rows, and labels from rows[s] on, the node's and its children's.")
        .def("trees", &build, "classes"_a, "labels"_a, "sentences"_a, "The trees of every sentence over its words; classes: Tree and Leaf.");
}

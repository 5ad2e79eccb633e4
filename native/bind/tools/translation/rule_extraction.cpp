// Rules of synchronous grammars from aligned text.
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <tuple>

#include "bind/bind.hpp"
#include "bind/tools/alignment/sides.hpp"
#include "tools/translation/rules/fragment_text.hpp"
#include "tools/translation/rules/ghkm.hpp"
#include "tools/translation/rules/hiero.hpp"

using namespace palmette;

namespace {

template <class T>
using Numbers = nb::ndarray<nb::numpy, T, nb::ndim<1>>;

std::tuple<std::vector<uint32_t>, std::vector<uint16_t>> links_of(const RuleCounts& counts) {
    std::vector<uint32_t> begin{0}, path;
    std::vector<uint16_t> links;
    for (const uint32_t variant : counts.variant) {
        counts.variants.spell(variant, path);
        for (const uint32_t symbol : path)
            if (symbol < kFirstDecision) links.push_back(static_cast<uint16_t>(symbol));
        begin.push_back(static_cast<uint32_t>(links.size()));
    }
    return {std::move(begin), std::move(links)};
}

// The first label of each shape.
std::vector<uint16_t> left_of(const RuleCounts& counts) {
    std::vector<uint16_t> first(counts.shapes.size()), left;
    for (uint32_t v = 1; v < counts.shapes.size(); ++v)
        first[v] = counts.shapes.parent(v) ? first[counts.shapes.parent(v)] : static_cast<uint16_t>(counts.shapes.word(v));
    left.reserve(counts.shape.size());
    for (const uint32_t shape : counts.shape) left.push_back(first[shape]);
    return left;
}

// Numbers of target sides with their labels and the left side.
std::vector<uint32_t> targets_of(const RuleCounts& counts) {
    PhraseTrie numbers;
    std::vector<uint32_t> found;
    found.reserve(counts.shape.size());
    for (size_t k = 0; k < counts.shape.size(); ++k) found.push_back(numbers.child(counts.nodes.target_node[k], counts.shape[k]) - 1);
    return found;
}

void keep_rules(RuleCounts& counts, std::span<const bool> kept) {
    const auto rows = [&](auto& values, size_t width) {
        size_t to = 0;
        for (size_t k = 0; k < kept.size(); ++k)
            if (kept[k])
                for (size_t column = 0; column < width; ++column) values[to++] = values[k * width + column];
        values.resize(to);
    };
    for (auto* numbers : {&counts.nodes.source_node, &counts.nodes.target_node, &counts.shape, &counts.variant, &counts.occurrences}) rows(*numbers, 1);
    rows(counts.sentences, 3);
    rows(counts.count, 1);
    rows(counts.lexical, 2);
}

template <class Make>
auto without_lock(Make make) {
    nb::gil_scoped_release release;
    return make();
}

struct CheckedText {
    Side source, target;
    std::span<const int64_t> at;
};

CheckedText checked_text(const Array<int64_t>& source_offsets, const Array<int32_t>& source, const Array<int64_t>& target_offsets, const Array<int32_t>& target,
                         const Array<int64_t>& links_at, const Array<int32_t>& link_source, const Array<int32_t>& link_target,
                         const Array<double>& source_logs, const Array<double>& target_logs, uint32_t n_source_words, uint32_t n_target_words) {
    const CheckedText text{{checked_offsets(source_offsets, source.size()), span_of(source)},
                           {checked_offsets(target_offsets, target.size()), span_of(target)},
                           checked_offsets(links_at, link_source.size())};
    check_ids(source, 0, n_source_words, "a source word is outside its vocabulary");
    check_ids(target, 0, n_target_words, "a target word is outside its vocabulary");
    require(n_source_words < 1u << 31 && n_target_words < 1u << 31, "a vocabulary has more than two thousand million words");
    check_links(text.source, text.target, text.at, link_source, link_target);
    require(source_logs.size() == source.size() && target_logs.size() == target.size(), "every word has a lexical weight");
    return text;
}

}  // namespace

void bind_rule_extraction(nb::module_& m) {
    using namespace nb::literals;
    nb::class_<RuleCounts>(m, "RuleCounts", "The rules of an aligned text, and how often they occur.")
        .def_prop_ro("nodes", [](const RuleCounts& counts) -> const PairNodes& { return counts.nodes; }, nb::rv_policy::reference_internal)
        .def(
            "keep",
            [](RuleCounts& counts, const nb::ndarray<const bool, nb::ndim<1>, nb::c_contig, nb::device::cpu>& kept) {
                require(kept.size() == counts.count.size(), "every rule is kept or not");
                keep_rules(counts, {kept.data(), kept.size()});
            },
            "kept"_a.noconvert(), "Leaves out some of the rules.")
        .def("left", [](const RuleCounts& counts) { return numpy_of(without_lock([&] { return left_of(counts); })); }, "The label of the left side of each rule.")
        .def("targets", [](const RuleCounts& counts) { return numpy_of(without_lock([&] { return targets_of(counts); })); },
             "Numbers of target sides; sides with other labels, or another left side, are different.")
        .def("occurrences", [](const RuleCounts& counts) { return numpy_of(std::vector<uint32_t>(counts.occurrences)); }, "How often each rule occurs.")
        .def("counts", [](const RuleCounts& counts) { return numpy_of(std::vector<double>(counts.count)); }, "The count of each rule, which may be a sum of shares.")
        .def("sentences", [](const RuleCounts& counts) { return numpy_of(std::vector<uint32_t>(counts.sentences)); },
             "Three numbers for each rule: sentence pairs with a rule that has its source side, its target side, and with the rule.")
        .def("lexical", [](const RuleCounts& counts) { return numpy_of(std::vector<float>(counts.lexical)); }, "Two logarithms for each rule: lex(source | target) and back.")
        .def(
            "fragments",
            [](const RuleCounts& counts, const std::vector<std::string>& productions, uint32_t n_target_words, bool target_trees) {
                FragmentTexts found = without_lock([&] { return fragment_texts(counts, productions, n_target_words, target_trees); });
                return std::tuple<Numbers<uint32_t>, Numbers<uint8_t>, Numbers<int64_t>>(numpy_of(std::move(found.of_rule)), numpy_of(std::move(found.utf8)),
                                                                                       numpy_of(std::move(found.offsets)));
            },
            "productions"_a, "n_target_words"_a, "target_trees"_a,
            "The fragment of each rule over strings, by number, and the fragments in brackets as the two arrays of a table of strings.")
        .def("links", [](const RuleCounts& counts) {
            auto [begin, links] = without_lock([&] { return links_of(counts); });
            return std::tuple<Numbers<uint32_t>, Numbers<uint16_t>>(numpy_of(std::move(begin)), numpy_of(std::move(links)));
        }, "Where the links of each rule begin, and the links: source position << 8 | target position.");
    m.def(
        "hiero_rules",
        [](const Array<int64_t>& source_offsets, const Array<int32_t>& source, const Array<int64_t>& target_offsets, const Array<int32_t>& target,
           const Array<int64_t>& links_at, const Array<int32_t>& link_source, const Array<int32_t>& link_target, const Array<double>& source_logs,
           const Array<double>& target_logs, uint32_t n_source_words, uint32_t n_target_words, int max_span, int max_symbols, int max_nonterminals, int min_hole,
           bool adjacent, bool loose, bool shares, int n_jobs) {
            const CheckedText text = checked_text(source_offsets, source, target_offsets, target, links_at, link_source, link_target, source_logs, target_logs,
                                                  n_source_words, n_target_words);
            require(max_span >= 1 && max_span <= 255 && max_symbols >= 1 && max_symbols <= 255, "rules have 1 to 255 words and symbols");
            require(max_nonterminals >= 0 && max_nonterminals <= 63 && min_hole >= 1, "rules have at most 63 nonterminals, of at least one word each");
            return without_lock([&] {
                const SortedLinks links(text.source, text.at, span_of(link_source), span_of(link_target));
                return std::make_unique<RuleCounts>(hiero_rules({text.source, text.target, links, span_of(source_logs), span_of(target_logs), n_source_words, n_target_words},
                                                                {max_span, max_symbols, max_nonterminals, min_hole, adjacent, loose, shares}, n_jobs));
            });
        },
        "source_offsets"_a.noconvert(), "source"_a.noconvert(), "target_offsets"_a.noconvert(), "target"_a.noconvert(), "links_at"_a.noconvert(),
        "link_source"_a.noconvert(), "link_target"_a.noconvert(), "source_logs"_a.noconvert(), "target_logs"_a.noconvert(), "n_source_words"_a,
        "n_target_words"_a, "max_span"_a, "max_symbols"_a, "max_nonterminals"_a, "min_hole"_a, "adjacent"_a, "loose"_a, "shares"_a, "n_jobs"_a,
        "The hierarchical rules of an aligned text. Source symbols are words and then the label X; target items are words and then nonterminals by number.");
    m.def(
        "ghkm_rules",
        [](const Array<int64_t>& source_offsets, const Array<int32_t>& source, const Array<int64_t>& target_offsets, const Array<int32_t>& target,
           const Array<int64_t>& links_at, const Array<int32_t>& link_source, const Array<int32_t>& link_target, const Array<double>& source_logs,
           const Array<double>& target_logs, uint32_t n_source_words, uint32_t n_target_words, const Array<int64_t>& trees_at, const Array<uint32_t>& label,
           const Array<uint32_t>& production, const Array<int32_t>& begin, const Array<int32_t>& end, const Array<int32_t>& next, uint32_t n_labels,
           uint32_t n_productions, bool target_trees, bool fragments, bool flat, bool unary, bool shares, int max_rules, int max_nodes, int max_symbols,
           int max_scope, int n_jobs) {
            const CheckedText text = checked_text(source_offsets, source, target_offsets, target, links_at, link_source, link_target, source_logs, target_logs,
                                                  n_source_words, n_target_words);
            const size_t n = label.size();
            require(production.size() == n && begin.size() == n && end.size() == n && next.size() == n, "every node of a tree has six numbers");
            require(n_labels <= 1u << 16, "there are more than 65,536 labels");
            require(n_productions < 1u << 31, "there are more than two thousand million productions");
            require(!(fragments && (target_trees || flat)), "fragments are of source trees with labels");
            require(max_rules >= 1 && max_nodes >= 1 && max_symbols >= 1, "rules have at least one symbol");
            const TreeNodes trees{checked_offsets(trees_at, n), span_of(label), span_of(production), span_of(begin), span_of(end), span_of(next)};
            trees.check(target_trees ? text.target : text.source, n_labels, n_productions);
            return without_lock([&] {
                const SortedLinks links(text.source, text.at, span_of(link_source), span_of(link_target));
                return std::make_unique<RuleCounts>(ghkm_rules({text.source, text.target, links, span_of(source_logs), span_of(target_logs), n_source_words, n_target_words},
                                                               trees, {target_trees, fragments, flat, unary, shares, max_rules, max_nodes, max_symbols, max_scope}, n_jobs));
            });
        },
        "source_offsets"_a.noconvert(), "source"_a.noconvert(), "target_offsets"_a.noconvert(), "target"_a.noconvert(), "links_at"_a.noconvert(),
        "link_source"_a.noconvert(), "link_target"_a.noconvert(), "source_logs"_a.noconvert(), "target_logs"_a.noconvert(), "n_source_words"_a,
        "n_target_words"_a, "trees_at"_a.noconvert(), "label"_a.noconvert(), "production"_a.noconvert(), "begin"_a.noconvert(), "end"_a.noconvert(),
        "next"_a.noconvert(), "n_labels"_a, "n_productions"_a, "target_trees"_a, "fragments"_a, "flat"_a, "unary"_a, "shares"_a, "max_rules"_a, "max_nodes"_a,
        "max_symbols"_a, "max_scope"_a, "n_jobs"_a, "The rules of an aligned text with trees on one side.");
}

// Phrase tables: their arrays, checked, and how they are built.
#include "bind/tools/translation/phrase_table.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include "bind/tools/lm/model.hpp"
#include "bind/tools/translation/table_shape.hpp"
#include "tools/translation/significance.hpp"

using namespace palmette;

namespace {

std::span<const float> values_of(const Table& table) { return {table.data(), table.size()}; }

PhraseTableView view_of(const BoundPhraseTable& t) {
    PhraseTableView view;
    view.n_source_words = t.source_words.size();
    view.n_target_words = t.target_words.size();
    view.child_begin = span_of(t.child_begin);
    view.child_word = span_of(t.child_word);
    view.pair_begin = span_of(t.pair_begin);
    view.pair_target = span_of(t.pair_target);
    view.target_begin = span_of(t.target_begin);
    view.target_words = span_of(t.target_word_ids);
    view.link_begin = span_of(t.link_begin);
    view.links = span_of(t.links);
    view.scores = values_of(t.scores);
    view.reordering = values_of(t.reordering);
    view.n_columns = t.scores.shape(1);
    view.n_reordering = t.reordering.shape(1);
    return view;
}

}  // namespace

ShapeTuple shape_tuple(TableShape&& shape) {
    return {numpy_of(std::move(shape.child_begin)), numpy_of(std::move(shape.child_word)),   numpy_of(std::move(shape.pair_begin)),
            numpy_of(std::move(shape.pair_target)), numpy_of(std::move(shape.target_begin)), numpy_of(std::move(shape.target_words)),
            numpy_of(std::move(shape.rows))};
}

namespace {

std::vector<uint32_t> inserted(PhraseTrie& trie, const Array<int64_t>& offsets, const Array<int32_t>& ids) {
    std::vector<uint32_t> nodes;
    nodes.reserve(offsets.size());
    for (size_t row = 0; row + 1 < offsets.size(); ++row) {
        const auto begin = static_cast<size_t>(offsets.data()[row]), end = static_cast<size_t>(offsets.data()[row + 1]);
        nodes.push_back(trie.insert(span_of(ids).subspan(begin, end - begin)));
    }
    return nodes;
}

void require_ranks(const PhraseTrie& trie, const Array<uint32_t>& rank) {
    for (uint32_t node = 1; node < trie.size(); ++node) require(trie.word(node) < rank.size(), "a word has no rank");
}

}  // namespace

void bind_phrase_table(nb::module_& m) {
    using namespace nb::literals;
    nb::class_<BoundPhraseTable>(m, "PhraseTable", "A phrase table over its arrays. ValueError if they do not fit together.")
        .def(
            "__init__",
            [](BoundPhraseTable* self, const Array<uint8_t>& source_utf8, const Array<int64_t>& source_offsets, const Array<uint8_t>& target_utf8,
               const Array<int64_t>& target_offsets, const Array<uint32_t>& child_begin, const Array<uint32_t>& child_word,
               const Array<uint32_t>& pair_begin, const Array<uint32_t>& pair_target, const Array<uint32_t>& target_begin,
               const Array<uint32_t>& target_words, const Table& scores, const Table& reordering, const Array<uint32_t>& link_begin,
               const Array<uint16_t>& links, bool whole) {
                BoundPhraseTable table{checked_words(source_utf8, source_offsets), checked_words(target_utf8, target_offsets), child_begin, child_word,
                                       pair_begin, pair_target, target_begin, target_words, scores, reordering, link_begin, links, {}};
                table.view = view_of(table);
                {
                    nb::gil_scoped_release release;
                    whole ? table.view.check() : table.view.check_lengths();
                }
                new (self) BoundPhraseTable(std::move(table));
            },
            "source_utf8"_a.noconvert(), "source_offsets"_a.noconvert(), "target_utf8"_a.noconvert(), "target_offsets"_a.noconvert(),
            "child_begin"_a.noconvert(), "child_word"_a.noconvert(), "pair_begin"_a.noconvert(), "pair_target"_a.noconvert(),
            "target_begin"_a.noconvert(), "target_words"_a.noconvert(), "scores"_a.noconvert(), "reordering"_a.noconvert(),
            "link_begin"_a.noconvert(), "links"_a.noconvert(), "whole"_a,
            "whole: check every item now; otherwise each is checked when it is looked up.")
        .def(
            "find",
            [](const BoundPhraseTable& t, const std::vector<std::string_view>& words) {
                uint32_t node = 0;
                for (const std::string_view word : words) {
                    const uint32_t id = t.source_id(word);
                    node = id == PhraseTableView::none ? id : t.view.child(node, id);
                    if (node == PhraseTableView::none) return std::tuple<uint32_t, uint32_t>(0, 0);
                }
                const auto found = t.view.pairs(node);
                return std::tuple<uint32_t, uint32_t>(found.begin, found.end);
            },
            "words"_a, "The pairs of a source phrase: from the first number to the one before the second.")
        .def(
            "target",
            [](const BoundPhraseTable& t, uint32_t pair) {
                const auto words = t.view.target(pair);
                return std::vector<uint32_t>(words.begin(), words.end());
            },
            "pair"_a, "The words of the target phrase of a pair.")
        .def(
            "links",
            [](const BoundPhraseTable& t, uint32_t pair, size_t n_source) {
                std::vector<std::tuple<int, int>> links;
                for (const uint16_t link : t.view.links_of(pair, n_source)) links.emplace_back(link >> 8, link & 255);
                return links;
            },
            "pair"_a, "n_source"_a, "The links inside a pair whose source phrase has n_source words.");
    m.def(
        "phrase_nodes",
        [](const Array<int64_t>& source_offsets, const Array<int32_t>& source_ids, const Array<int64_t>& target_offsets,
           const Array<int32_t>& target_ids) {
            require(source_offsets.size() > 0 && source_offsets.size() == target_offsets.size(), "every pair has two phrases");
            check_boundaries(source_offsets, source_offsets.size() - 1, source_ids.size(), "the offsets do not cut the words into phrases");
            check_boundaries(target_offsets, target_offsets.size() - 1, target_ids.size(), "the offsets do not cut the words into phrases");
            check_ids(source_ids, 0, int64_t{1} << 31, "a word has a number below 0");
            check_ids(target_ids, 0, int64_t{1} << 31, "a word has a number below 0");
            nb::gil_scoped_release release;
            auto nodes = std::make_unique<PairNodes>();
            nodes->source_node = inserted(nodes->source, source_offsets, source_ids);
            nodes->target_node = inserted(nodes->target, target_offsets, target_ids);
            return nodes;
        },
        "source_offsets"_a.noconvert(), "source_ids"_a.noconvert(), "target_offsets"_a.noconvert(), "target_ids"_a.noconvert(),
        "Phrase pairs from the words of their phrases.");
    m.def(
        "build_phrase_table",
        [](const PairNodes& nodes, const Array<uint32_t>& source_rank, const Array<uint32_t>& target_rank, const Array<float>& score,
           const Maybe<uint16_t>& left) {
            require(score.size() == nodes.source_node.size(), "every pair has a score");
            require(!left || left->size() == score.size(), "every rule has a left side");
            TableShape shape;
            {
                nb::gil_scoped_release release;
                require_ranks(nodes.source, source_rank);
                require_ranks(nodes.target, target_rank);
                shape = build_table(nodes, span_of(source_rank), span_of(target_rank), span_of(score), left ? span_of(*left) : std::span<const uint16_t>{});
            }
            return shape_tuple(std::move(shape));
        },
        "nodes"_a, "source_rank"_a.noconvert(), "target_rank"_a.noconvert(), "score"_a.noconvert(), "left"_a.noconvert() = nb::none(),
        "The arrays of a phrase table from its pairs: child_begin, child_word, pair_begin, pair_target, target_begin, target_words, and which pair "
        "came to each place. left: the labels of rules. ValueError if a pair occurs twice or a phrase is empty.");
    m.def(
        "select_phrase_pairs",
        [](const BoundPhraseTable& table, const Array<uint8_t>& kept) {
            require(kept.size() == table.view.n_pairs(), "every pair is kept or not");
            TableShape shape;
            {
                nb::gil_scoped_release release;
                table.view.check();
                const PhraseTableView& view = table.view;
                shape = select_pairs({view.child_begin, view.child_word, view.pair_begin, view.pair_target, view.target_begin, view.target_words}, span_of(kept));
            }
            return shape_tuple(std::move(shape));
        },
        "table"_a, "kept"_a.noconvert(), "The same arrays of a table with some of its pairs. Words keep their numbers.");
    m.def(
        "sentence_counts",
        [](const BoundPhraseTable& table, const Array<int64_t>& source_offsets, const Array<int32_t>& source_ids, const Array<int64_t>& target_offsets,
           const Array<int32_t>& target_ids, int n_jobs) {
            require(source_offsets.size() > 0 && source_offsets.size() == target_offsets.size(), "both sides must have as many sentences");
            check_boundaries(source_offsets, source_offsets.size() - 1, source_ids.size(), "the offsets do not cut the words into sentences");
            check_boundaries(target_offsets, target_offsets.size() - 1, target_ids.size(), "the offsets do not cut the words into sentences");
            std::vector<uint32_t> counts;
            {
                nb::gil_scoped_release release;
                table.view.check();
                counts = sentence_counts(table.view, {span_of(source_offsets), span_of(source_ids)}, {span_of(target_offsets), span_of(target_ids)}, n_jobs);
            }
            return numpy_of(std::move(counts));
        },
        "table"_a, "source_offsets"_a.noconvert(), "source_ids"_a.noconvert(), "target_offsets"_a.noconvert(), "target_ids"_a.noconvert(), "n_jobs"_a,
        "Three numbers for each pair: sentence pairs with its source phrase, with its target phrase, with both. A word of the text that the table does "
        "not have is -1.");
    m.def(
        "surprises",
        [](const Array<uint32_t>& counts, uint32_t n) {
            require(counts.size() % 3 == 0, "every pair has three counts");
            std::vector<double> found;
            {
                nb::gil_scoped_release release;
                for (size_t k = 0; k < counts.size(); k += 3) {
                    const uint32_t source = counts.data()[k], target = counts.data()[k + 1], both = counts.data()[k + 2];
                    require(both <= source && both <= target && source <= n && target <= n, "both phrases occur at most as often as each");
                    found.push_back(surprise(both, source, target, n));
                }
            }
            return numpy_of(std::move(found));
        },
        "counts"_a.noconvert(), "n"_a, "The negative logarithm of p in Fisher's exact test, from three counts for each pair among n sentence pairs.");
}

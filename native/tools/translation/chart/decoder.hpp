// CKY+ over the source sentence with rules of any rank (CSC 448, §17.1, §18; Chappelier & Rajman 1998; Sennrich 2014).
//
// Spans are visited from the last first word to the first, and the shorter before the longer. A dotted rule, a node of the
// trie of source sides with the spans of its nonterminals so far, is extended by the next word or by a finished cell that
// begins where it ends, depth first, so that dotted rules need no memory. A rule that is complete is a cube of its cell.
// Glue joins cells from left to right: S → A and S → S A for every label A. With n words and spans of at most L,
// a search of the rules of rank 2 costs O(n L³) joins of spans, and a constant for each with cube pruning.
#pragma once
#include <cstdint>
#include <vector>

#include "tools/translation/chart/cubes.hpp"
#include "tools/translation/chart/matching.hpp"
#include "tools/translation/chart/source_forest.hpp"

namespace palmette {

class ChartDecoder {
public:
    explicit ChartDecoder(const ChartModel& model) : model_(model) {}

    // Searches one sentence.
    void run(const SourceSentence& sentence);

    // The vertex of whole translations, or CubeSearch::kNone.
    std::uint32_t goal() const { return goal_; }
    const CubeSearch& search() const { return search_; }
    const RuleCache& rules() const { return rules_; }
    // Whether nothing was pruned.
    bool is_exact() const { return search_.is_complete() && !rules_.left_out(); }
    // How many words of a given text were reached.
    std::uint32_t longest_prefix() const;
    // Φ of an edge.
    void features(const ChartEdge& edge, double* row) const;
    const ChartModel& model() const { return model_; }

private:
    void match(std::uint32_t node, std::uint32_t at);
    void visit(std::uint32_t node, std::uint32_t end);
    RuleCache::Range rules_of(std::uint32_t node);
    void add_others(std::uint32_t begin);
    void finish_cell(std::uint32_t end);
    void glue();
    void add_copy(std::uint32_t place, std::uint32_t cell);
    // Ends the search: a list of translations of all words, after the beginning of the sentence and before its end.
    void finish_sentence(std::uint32_t list);
    // Over trees (forest_decoding.cpp).
    void translate_forest(const SourceForest& forest);
    void add_given(const SourceForest& forest, std::uint32_t node, std::uint32_t own);
    void open_children(const SourceForest& forest, std::uint32_t edge);
    void match_open(const SourceForest& forest, std::uint32_t at, std::uint32_t own);
    void add_glue(const SourceForest& forest, std::uint32_t node, std::uint32_t edge, std::uint32_t own);
    std::uint32_t glue_rule(std::uint32_t n_tails);
    std::uint32_t word_list(std::uint32_t place);
    std::uint32_t& cell(std::uint32_t begin, std::uint32_t end) { return cells_[std::size_t{begin} * width_ + (end - begin - 1)]; }
    std::uint32_t cell_of(std::uint32_t begin, std::uint32_t end);

    const ChartModel& model_;
    const SourceSentence* sentence_ = nullptr;
    TargetConstraint constraint_;
    RuleCache rules_;
    TextStates states_;
    TextTransforms transforms_;
    SentenceTrie trie_;
    CubeSearch search_;
    std::uint32_t n_ = 0, width_ = 0, begin_ = 0, goal_ = CubeSearch::kNone;
    std::vector<std::uint32_t> cells_, words_, lists_;
    std::vector<std::uint8_t> taken_;
    // What every span has, by its place in the chart: entries entry_start_[2 p] … entry_start_[2 p + 1] − 1.
    std::vector<CubeSearch::Entry> all_entries_;
    std::vector<std::uint32_t> entry_start_;
    std::vector<std::uint32_t> glued_;
    std::uint32_t first_glued_ = 0;  // cell
    // Over trees: the list of each node and of each word that is not below a node of its own, and glue by its tails.
    std::vector<std::uint32_t> node_lists_, word_lists_, glue_rules_, open_;
    std::vector<std::uint8_t> closed_;  // nodes for which only a given translation counts
};

}  // namespace palmette

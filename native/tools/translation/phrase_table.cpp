#include "tools/translation/phrase_table.hpp"

#include <string>
#include <vector>

namespace palmette {

namespace {

constexpr TableChecks kPhraseTable{"phrase table"};

}  // namespace

void PhraseTableView::damaged(const char* what) { kPhraseTable.fail(std::string(what) + " cannot be right"); }

void PhraseTableView::check_lengths() const {
    if (child_word.empty() || target_begin.empty() || n_nodes() >= none || n_pairs() >= none)
        kPhraseTable.fail("it has no root, or more than four thousand million items");
    kPhraseTable.rows(child_begin, n_nodes(), 1, n_nodes(), "child_begin");
    kPhraseTable.rows(pair_begin, n_nodes(), 0, n_pairs(), "pair_begin");
    kPhraseTable.rows(target_begin, n_targets(), 0, target_words.size(), "target_begin");
    kPhraseTable.rows(link_begin, n_pairs(), 0, links.size(), "link_begin");
    if (n_columns > 1000 || scores.size() != n_pairs() * n_columns || reordering.size() != n_pairs() * n_reordering ||
        (n_reordering != 0 && n_reordering != 3 && n_reordering != 6))
        kPhraseTable.fail("it lacks a row of scores for a pair");
}

void PhraseTableView::check() const {
    check_lengths();
    kPhraseTable.rising(child_begin, "child_begin");
    kPhraseTable.rising(pair_begin, "pair_begin");
    kPhraseTable.rising(target_begin, "target_begin");
    kPhraseTable.rising(link_begin, "link_begin");
    kPhraseTable.below(child_word.subspan(1), n_source_words, "child_word");
    kPhraseTable.below(pair_target, n_targets(), "pair_target");
    kPhraseTable.below(target_words, n_target_words, "target_words");
    for (std::size_t t = 0; t < n_targets(); ++t)
        if (target_begin[t] == target_begin[t + 1] || target_begin[t + 1] - target_begin[t] > longest) damaged("the length of a target phrase");
    std::vector<std::uint8_t> depth(n_nodes());
    for (std::size_t v = 0; v < n_nodes(); ++v) {
        if (child_begin[v] <= v || (depth[v] == longest && child_begin[v] < child_begin[v + 1])) damaged("the place of a node below its parent");
        for (std::size_t k = child_begin[v]; k < child_begin[v + 1]; ++k) depth[k] = static_cast<std::uint8_t>(depth[v] + 1);
        for (std::size_t k = child_begin[v] + std::size_t{1}; k < child_begin[v + 1]; ++k)
            if (child_word[k - 1] >= child_word[k]) damaged("the order of the words below a node");
        for (std::size_t pair = pair_begin[v]; pair < pair_begin[v + 1]; ++pair) {
            const std::size_t t = pair_target[pair], n_target = target_begin[t + 1] - target_begin[t];
            bool inside = true;
            for (std::size_t k = link_begin[pair]; k < link_begin[pair + 1]; ++k)
                inside &= links[k] >> 8 < depth[v] && static_cast<std::size_t>(links[k] & 255) < n_target;
            if (!inside) damaged("a link of a pair");
        }
    }
    kPhraseTable.finite(scores, "scores");
    kPhraseTable.finite(reordering, "reordering");
}

}  // namespace palmette

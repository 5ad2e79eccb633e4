#include "tools/translation/phrase_table.hpp"

#include <limits>
#include <string>
#include <vector>

namespace palmette {

namespace {

void require_rows(std::span<const std::uint32_t> begins, std::size_t rows, std::uint32_t first, std::size_t last, const char* name) {
    if (begins.size() != rows + 1 || begins.front() != first || begins.back() != last)
        throw DamagedTable(std::string("the phrase table is damaged: array ") + name + " does not cut " + std::to_string(last) + " items into " +
                           std::to_string(rows) + " rows");
}

void require_rising(std::span<const std::uint32_t> begins, const char* name) {
    bool falls = false;
    for (std::size_t k = 1; k < begins.size(); ++k) falls |= begins[k] < begins[k - 1];
    if (falls) throw DamagedTable(std::string("the phrase table is damaged: array ") + name + " falls");
}

void require_below(std::span<const std::uint32_t> values, std::size_t limit, const char* name) {
    std::uint32_t most = 0;
    for (const std::uint32_t value : values) most = std::max(most, value);
    if (!values.empty() && most >= limit)
        throw DamagedTable(std::string("the phrase table is damaged: array ") + name + " points to " + std::to_string(most) + ", and there are only " +
                           std::to_string(limit));
}

void require_finite(std::span<const float> values, const char* name) {
    bool finite = true;
    for (const float value : values) finite &= std::abs(value) <= std::numeric_limits<float>::max();
    if (!finite) throw DamagedTable(std::string("the phrase table is damaged: array ") + name + " has a value that is not a finite number");
}

}  // namespace

void PhraseTableView::damaged(const char* what) { throw DamagedTable(std::string("the phrase table is damaged: ") + what + " cannot be right"); }

void PhraseTableView::check_lengths() const {
    if (child_word.empty() || target_begin.empty() || n_nodes() >= none || n_pairs() >= none)
        throw DamagedTable("the phrase table is damaged: it has no root, or more than four thousand million items");
    require_rows(child_begin, n_nodes(), 1, n_nodes(), "child_begin");
    require_rows(pair_begin, n_nodes(), 0, n_pairs(), "pair_begin");
    require_rows(target_begin, n_targets(), 0, target_words.size(), "target_begin");
    require_rows(link_begin, n_pairs(), 0, links.size(), "link_begin");
    if (n_columns > 1000 || scores.size() != n_pairs() * n_columns || reordering.size() != n_pairs() * n_reordering ||
        (n_reordering != 0 && n_reordering != 3 && n_reordering != 6))
        throw DamagedTable("the phrase table is damaged: it lacks a row of scores for a pair");
}

void PhraseTableView::check() const {
    check_lengths();
    require_rising(child_begin, "child_begin");
    require_rising(pair_begin, "pair_begin");
    require_rising(target_begin, "target_begin");
    require_rising(link_begin, "link_begin");
    require_below(child_word.subspan(1), n_source_words, "child_word");
    require_below(pair_target, n_targets(), "pair_target");
    require_below(target_words, n_target_words, "target_words");
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
    require_finite(scores, "scores");
    require_finite(reordering, "reordering");
}

}  // namespace palmette

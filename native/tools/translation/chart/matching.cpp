#include "tools/translation/chart/matching.hpp"

#include <algorithm>

namespace palmette {

void SentenceTrie::begin(const ChartModel& model, std::span<const std::uint32_t> words) {
    model_ = &model;
    words_.clear();
    for (const std::uint32_t word : words)
        if (word != kNoWord) words_.push_back(word);
    std::sort(words_.begin(), words_.end());
    words_.erase(std::unique(words_.begin(), words_.end()), words_.end());
    types_.clear();
    for (const std::uint32_t word : words)
        types_.push_back(word == kNoWord ? kNone : static_cast<std::uint32_t>(std::lower_bound(words_.begin(), words_.end(), word) - words_.begin()));
    nodes_.clear();
    children_.clear();
    add(0, 0);
}

std::uint32_t SentenceTrie::add(std::uint32_t table, std::uint32_t n_tails) {
    Node made;
    made.table = table;
    made.n_tails = n_tails;
    made.has_rules = model_->table.rules(table).size() > 0;
    nodes_.push_back(made);
    return static_cast<std::uint32_t>(nodes_.size() - 1);
}

void SentenceTrie::read_children(std::uint32_t number) {
    const RuleTableView& table = model_->table;
    const std::uint32_t n_tails = nodes_[number].n_tails;
    const RuleTableView::Range all = table.children(nodes_[number].table);
    const auto symbols = table.child_symbol.subspan(all.begin, all.size());
    const std::size_t n_words =
        static_cast<std::size_t>(std::lower_bound(symbols.begin(), symbols.end(), table.n_source_words) - symbols.begin());
    std::uint32_t first = static_cast<std::uint32_t>(children_.size());
    std::size_t at = 0;
    for (std::uint32_t type = 0; type < words_.size() && at < n_words; ++type) {
        // Both rise: steps of growing length, then bisection.
        std::size_t step = 1;
        while (at + step < n_words && symbols[at + step] < words_[type]) step *= 2;
        const std::size_t last = std::min(n_words, at + step + 1);
        at = static_cast<std::size_t>(std::lower_bound(symbols.begin() + static_cast<std::ptrdiff_t>(at), symbols.begin() + static_cast<std::ptrdiff_t>(last), words_[type]) -
                                      symbols.begin());
        if (at < n_words && symbols[at] == words_[type])
            children_.push_back({type, add(all.begin + static_cast<std::uint32_t>(at), n_tails)});
    }
    nodes_[number].first_word = first;
    nodes_[number].n_words = static_cast<std::uint32_t>(children_.size()) - first;
    first = static_cast<std::uint32_t>(children_.size());
    for (std::size_t k = n_words; k < symbols.size() && n_tails < RuleTableView::most; ++k)
        children_.push_back({table.label_of_symbol(symbols[k]), add(all.begin + static_cast<std::uint32_t>(k), n_tails + 1)});
    nodes_[number].first_label = first;
    nodes_[number].n_labels = static_cast<std::uint32_t>(children_.size()) - first;
    nodes_[number].is_read = true;
}

}  // namespace palmette

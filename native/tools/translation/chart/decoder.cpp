#include "tools/translation/chart/decoder.hpp"

#include <algorithm>
#include <stdexcept>

namespace palmette {

namespace {

using u32 = std::uint32_t;
constexpr u32 kNoCell = CubeSearch::kNone;

}  // namespace

void ChartDecoder::run(const SourceSentence& sentence) {
    sentence_ = &sentence;
    n_ = sentence.size();
    constraint_ = sentence.forced ? TargetConstraint::only(sentence.target)
                  : sentence.forbidden.empty() ? TargetConstraint()
                                               : TargetConstraint::without(sentence.forbidden);
    rules_.begin(model_, sentence);
    states_.reset(model_.lm);
    transforms_.reset(constraint_);
    search_.begin(model_, rules_, states_, transforms_, n_);
    if (model_.table.trees) {
        if (!n_)
            finish_sentence(search_.begin_list());
        else if (sentence.forest)
            translate_forest(*sentence.forest);
        else
            throw std::invalid_argument("a sentence has no tree");
        return;
    }
    // Words that only a given translation may cover match no rule.
    words_.assign(sentence.words.begin(), sentence.words.end());
    taken_.assign(n_, 0);
    width_ = std::max(1u, std::min(n_, model_.limits.span));
    for (const GivenPhrase& one : sentence.given) {
        width_ = std::max(width_, one.end - one.begin);
        if (!one.exclusive) continue;
        for (u32 k = one.begin; k < one.end; ++k) {
            words_[k] = kNoWord;
            taken_[k] = 1;
        }
    }
    trie_.begin(model_, words_);
    cells_.assign(std::size_t{n_} * width_, kNoCell);
    entry_start_.assign(std::size_t{n_} * width_ * 2, 0);
    all_entries_.clear();
    for (begin_ = n_; begin_-- > 0;) {
        add_others(begin_);
        match(trie_.root(), begin_);
        for (u32 end = begin_ + 1; end <= std::min(n_, begin_ + width_); ++end) finish_cell(end);
    }
    glue();
}

u32 ChartDecoder::cell_of(u32 begin, u32 end) {
    u32& found = cell(begin, end);
    if (found == kNoCell) found = search_.add_cell(begin, end);
    return found;
}

RuleCache::Range ChartDecoder::rules_of(u32 number) {
    SentenceTrie::Node& node = trie_.at(number);
    if (!node.is_ranked) {
        node.rules = constraint_.is_free() ? rules_.of_node(node.table, node.n_tails) : rules_.of_node(node.table, node.n_tails, constraint_);
        node.is_ranked = true;
    }
    return node.rules;
}

// A dotted rule that covers begin_ … end − 1.
void ChartDecoder::visit(u32 node, u32 end) {
    // A rule over one nonterminal alone comes when the cell is finished.
    if (trie_.at(node).has_rules) search_.add_cube(cell_of(begin_, end), rules_of(node), lists_);
    match(node, end);
}

// Extends a dotted rule by the word at a place, and by all cells that begin there.
void ChartDecoder::match(u32 number, u32 at) {
    const u32 last = std::min(n_, begin_ + model_.limits.span);
    if (at >= last) return;
    const SentenceTrie::Node node = trie_.read(number);
    if (node.n_words && trie_.type(at) != SentenceTrie::kNone) {
        const u32 next = trie_.child(node, trie_.type(at));
        if (next != SentenceTrie::kNone) visit(next, at + 1);
    }
    if (at == begin_ || !node.n_labels) return;
    for (u32 end = at + 1; end <= last; ++end) {
        const std::size_t place = 2 * (std::size_t{at} * width_ + (end - at - 1));
        u32 k = 0;
        for (u32 e = entry_start_[place]; e < entry_start_[place + 1]; ++e) {
            const CubeSearch::Entry entry = all_entries_[e];
            while (k < node.n_labels && trie_.label_child(node, k).symbol < entry.label) ++k;
            if (k == node.n_labels) break;
            if (trie_.label_child(node, k).symbol != entry.label) continue;
            lists_.push_back(entry.list);
            visit(trie_.label_child(node, k).node, end);
            lists_.pop_back();
        }
    }
}

// Given translations, and a copy of a word that has no rule of its own.
void ChartDecoder::add_others(u32 begin) {
    for (const GivenPhrase& one : sentence_->given) {
        if (one.begin != begin || !constraint_.allows(one.words)) continue;
        const bool overlaps = std::any_of(taken_.begin() + one.begin, taken_.begin() + one.end, [](std::uint8_t t) { return t != 0; });
        const bool same = std::ranges::any_of(sentence_->given, [&](const GivenPhrase& other) {
            return other.exclusive && other.begin == one.begin && other.end == one.end;
        });
        // A translation that competes must leave the words of an exclusive one alone.
        if (one.exclusive || !overlaps || same) search_.add_cube(cell_of(one.begin, one.end), rules_.of_words(one.words, ChartRule::kGiven), {});
    }
    if (taken_[begin]) return;
    const u32 type = trie_.type(begin);
    const u32 node = type == SentenceTrie::kNone ? SentenceTrie::kNone : trie_.child(trie_.read(trie_.root()), type);
    const bool has_rule = node != SentenceTrie::kNone && trie_.at(node).has_rules && rules_of(node).n > 0;
    if (has_rule || (cell(begin, begin + 1) != kNoCell && search_.has_cubes(cell(begin, begin + 1)))) return;
    add_copy(begin, cell_of(begin, begin + 1));
}

void ChartDecoder::add_copy(u32 place, u32 own) {
    const u32 copy = sentence_->copies[place];
    const std::span<const u32> words(&copy, copy == kNoWord ? 0 : 1);
    if (constraint_.allows(words))
        search_.add_cube(own, rules_.of_words(words, ChartRule::kCopied), {});
    else if (!constraint_.is_forced())
        search_.add_cube(own, rules_.of_words({}, ChartRule::kCopied), {});
}

// All rules over begin_ … end − 1 are known: its vertices, then rules over one nonterminal, then rules that begin with it.
void ChartDecoder::finish_cell(u32 end) {
    const std::size_t place = 2 * (std::size_t{begin_} * width_ + (end - begin_ - 1));
    entry_start_[place] = entry_start_[place + 1] = static_cast<u32>(all_entries_.size());
    u32 own = cell(begin_, end);
    if (own == kNoCell) return;
    search_.finish(own);
    const bool in_reach = end - begin_ <= model_.limits.span;
    const SentenceTrie::Node root = trie_.read(trie_.root());
    const auto child_of = [&](std::uint16_t label) {
        for (u32 k = 0; k < root.n_labels; ++k)
            if (trie_.label_child(root, k).symbol == label) return trie_.label_child(root, k).node;
        return SentenceTrie::kNone;
    };
    for (const CubeSearch::Entry& entry : search_.entries(own)) all_entries_.push_back(entry);
    for (u32 level = 0; in_reach && root.n_labels && level < model_.limits.unary; ++level) {
        u32 above = kNoCell;
        for (u32 e = 0; e < search_.entries(own).size(); ++e) {
            const CubeSearch::Entry entry = search_.entries(own)[e];
            const u32 node = child_of(entry.label);
            if (node == SentenceTrie::kNone || !trie_.at(node).has_rules) continue;
            if (above == kNoCell) above = search_.add_cell(begin_, end);
            search_.add_cube(above, rules_of(node), {&entry.list, 1});
        }
        if (above == kNoCell) break;
        search_.finish(above);
        for (const CubeSearch::Entry& entry : search_.entries(above)) all_entries_.push_back(entry);
        own = above;
    }
    std::stable_sort(all_entries_.begin() + entry_start_[place], all_entries_.end(),
                     [](const CubeSearch::Entry& a, const CubeSearch::Entry& b) { return a.label < b.label; });
    entry_start_[place + 1] = static_cast<u32>(all_entries_.size());
    if (!in_reach) return;
    for (u32 e = entry_start_[place]; e < entry_start_[place + 1]; ++e) {
        const CubeSearch::Entry entry = all_entries_[e];
        const u32 node = child_of(entry.label);
        if (node == SentenceTrie::kNone) continue;
        lists_.push_back(entry.list);
        match(node, end);
        lists_.pop_back();
    }
}

void ChartDecoder::glue() {
    glued_.assign(n_ + 1, kNoCell);  // lists
    first_glued_ = search_.n_cells();
    glued_[0] = search_.begin_list();
    const RuleCache::Range join{rules_.of_tails(2, ChartRule::kGlue), 1};
    for (u32 end = 1; end <= n_; ++end) {
        u32 made = kNoCell;
        for (u32 begin = end > width_ ? end - width_ : 0; begin < end; ++begin) {
            if (glued_[begin] == kNoCell) continue;
            const std::size_t place = 2 * (std::size_t{begin} * width_ + (end - begin - 1));
            for (u32 e = entry_start_[place]; e < entry_start_[place + 1]; ++e) {
                const u32 lists[] = {glued_[begin], all_entries_[e].list};
                if (made == kNoCell) made = search_.add_cell(0, end);
                search_.add_cube(made, join, lists);
            }
        }
        if (made == kNoCell) continue;
        search_.finish(made);
        if (!search_.entries(made).empty()) glued_[end] = search_.entries(made)[0].list;
    }
    finish_sentence(glued_[n_]);
}

void ChartDecoder::finish_sentence(u32 list) {
    goal_ = CubeSearch::kNone;
    if (list == kNoCell) return;
    const u32 whole = search_.add_cell(0, n_);
    search_.add_cube(whole, {rules_.of_tails(1, ChartRule::kEnd), 1}, {&list, 1});
    search_.finish(whole);
    if (!search_.entries(whole).empty()) goal_ = search_.exhaust(search_.entries(whole)[0].list);
}

u32 ChartDecoder::longest_prefix() const {
    if (!constraint_.is_forced()) return 0;
    u32 longest = 0;
    for (const ChartVertex& vertex : search_.vertices())
        if (vertex.cell >= first_glued_) longest = std::max(longest, transforms_.state(vertex.transform));
    return longest;
}

void ChartDecoder::features(const ChartEdge& edge, double* row) const {
    rules_.features(rules_.rule(edge.rule), row);
    row[ChartLayout::lm] = edge.lm;
}

}  // namespace palmette

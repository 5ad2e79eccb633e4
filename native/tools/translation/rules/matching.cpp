#include "tools/translation/rules/matching.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "base/pieces.hpp"

namespace palmette {

namespace {

class Marks {
public:
    explicit Marks(const RuleTableView& table) : table_(table), kept(table.n_rules()) {}
    void add(std::uint32_t node) {
        const auto rules = table_.rules(node);
        std::fill(kept.begin() + rules.begin, kept.begin() + rules.end, std::uint8_t{1});
    }

private:
    const RuleTableView& table_;

public:
    std::vector<std::uint8_t> kept;
};

// All source sides in one sentence. Behind a nonterminal the next word may be anywhere from a position on, so only the first such
// position of a node is followed; behind a word it is fixed.
class SentenceMatcher {
public:
    SentenceMatcher(const RuleTableView& table, Marks& marks) : table_(table), marks_(marks), first_(table.n_nodes(), kNever) {}

    void match(std::span<const std::int32_t> words) {
        words_ = words;
        for (const std::uint32_t node : reached_) first_[node] = kNever;
        reached_.clear();
        from(0, 0);
    }

private:
    static constexpr std::uint32_t kNever = 0xFFFFFFFFu;

    // The next symbol of `node` is at `position` or later.
    void from(std::uint32_t node, std::uint32_t position) {
        if (first_[node] <= position) return;
        const std::uint32_t before = std::exchange(first_[node], position);
        if (before == kNever) reached_.push_back(node);
        const auto last = static_cast<std::uint32_t>(std::min<std::size_t>(before, words_.size()));  // later ones have been followed
        for (std::uint32_t at = position; at < last; ++at) {
            if (words_[at] >= 0) word(node, at);
        }
        nonterminals(node, position);
    }

    void word(std::uint32_t node, std::uint32_t at) {
        const std::uint32_t child = table_.child(node, static_cast<std::uint32_t>(words_[at]));
        if (child == RuleTableView::none) return;
        marks_.add(child);
        if (at + 1 >= words_.size()) return;
        if (words_[at + 1] >= 0) word(child, at + 1);
        nonterminals(child, at + 1);
    }

    // Children of a node with a nonterminal that covers the word at `at`, and perhaps more.
    void nonterminals(std::uint32_t node, std::uint32_t at) {
        if (at >= words_.size()) return;
        const auto children = table_.children(node);
        for (std::uint32_t child = children.end; child > children.begin && table_.child_symbol[child - 1] >= table_.n_source_words; --child) {
            if (child - 1 <= node) throw DamagedTable("the rule table is damaged: the place of a node below its parent cannot be right");
            marks_.add(child - 1);
            from(child - 1, at + 1);
        }
    }

    const RuleTableView& table_;
    Marks& marks_;
    std::span<const std::int32_t> words_;
    std::vector<std::uint32_t> first_;    // the first position that a node has been followed from behind a nonterminal
    std::vector<std::uint32_t> reached_;
};

class TreeMatcher {
public:
    TreeMatcher(const RuleTableView& table, Marks& marks, const TreeNodes& trees) : table_(table), marks_(marks), trees_(trees) {}

    void match(std::size_t s) {
        first_ = static_cast<std::size_t>(trees_.at[s]);
        const auto n = static_cast<std::size_t>(trees_.at[s + 1]) - first_;
        for (std::size_t v = 0; v < n; ++v) {
            cells_.clear();
            expand(static_cast<std::int32_t>(v), 0, kNil);
        }
    }

private:
    static constexpr std::size_t kNil = static_cast<std::size_t>(-1);
    struct Cell {
        std::int32_t node;
        std::size_t rest;
    };

    void expand(std::int32_t v, std::uint32_t at, std::size_t rest) {
        const std::uint32_t production = trees_.production[first_ + static_cast<std::size_t>(v)];
        if (production >= table_.n_productions) return;
        const std::uint32_t child = table_.child(at, production + 1);
        if (child == RuleTableView::none) return;
        if (child <= at) throw DamagedTable("the rule table is damaged: the place of a node below its parent cannot be right");
        const std::size_t kept = cells_.size(), first = children_.size();
        for (std::int32_t c = v + 1; c < trees_.next[first_ + static_cast<std::size_t>(v)]; c = trees_.next[first_ + static_cast<std::size_t>(c)]) children_.push_back(c);
        for (std::size_t k = children_.size(); k-- > first;) {
            cells_.push_back({children_[k], rest});
            rest = cells_.size() - 1;
        }
        children_.resize(first);
        decide(child, rest);
        cells_.resize(kept);
    }

    void decide(std::uint32_t at, std::size_t open) {
        if (open == kNil) return marks_.add(at);
        const auto [node, rest] = cells_[open];
        const std::uint32_t stopped = table_.child(at, 0);
        if (stopped != RuleTableView::none) {
            if (stopped <= at) throw DamagedTable("the rule table is damaged: the place of a node below its parent cannot be right");
            decide(stopped, rest);
        }
        expand(node, at, rest);
    }

    const RuleTableView& table_;
    Marks& marks_;
    const TreeNodes& trees_;
    std::size_t first_ = 0;
    std::vector<Cell> cells_;
    std::vector<std::int32_t> children_;
};

}  // namespace

std::vector<std::uint8_t> rules_of_sentences(const RuleTableView& table, const Side& text) {
    Marks marks(table);
    SentenceMatcher matcher(table, marks);
    for (std::size_t s = 0; s + 1 < text.offsets.size(); ++s) {
        check_interrupt();
        matcher.match({text.sentence(s), text.length(s)});
    }
    return std::move(marks.kept);
}

std::vector<std::uint8_t> rules_of_trees(const RuleTableView& table, const TreeNodes& trees) {
    Marks marks(table);
    TreeMatcher matcher(table, marks, trees);
    for (std::size_t s = 0; s + 1 < trees.at.size(); ++s) {
        check_interrupt();
        matcher.match(s);
    }
    return std::move(marks.kept);
}

}  // namespace palmette

#include "tools/translation/rules/ghkm.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "tools/translation/rules/frontier.hpp"

namespace palmette {

namespace {

constexpr std::size_t kLongest = 255, kMostVariables = 63;

class GhkmSentence {
public:
    GhkmSentence(const AlignedText& text, const TreeNodes& trees, const GhkmLimits& limits, RulePiece& piece)
        : text_(text), trees_(trees), limits_(limits), piece_(piece) {}

    void extract(std::size_t s) {
        piece_.begin_sentence();
        nodes_ = static_cast<std::size_t>(trees_.at[s]);
        const auto n = static_cast<std::size_t>(trees_.at[s + 1]) - nodes_;
        const Side &tree = limits_.target_trees ? text_.target : text_.source, &other = limits_.target_trees ? text_.source : text_.target;
        tree_at_ = static_cast<std::size_t>(tree.offsets[s]);
        string_at_ = static_cast<std::size_t>(other.offsets[s]);
        links_.clear();
        for (auto k = static_cast<std::size_t>(text_.links.at[s]); k < static_cast<std::size_t>(text_.links.at[s + 1]); ++k) {
            const std::int32_t i = text_.links.source[k], j = text_.links.target[k];
            links_.emplace_back(limits_.target_trees ? j : i, limits_.target_trees ? i : j);
        }
        std::sort(links_.begin(), links_.end());
        frontier_.reset(trees_, s, static_cast<std::int32_t>(tree.length(s)), static_cast<std::int32_t>(other.length(s)), links_);
        for (std::size_t v = 0; v < n; ++v) {
            if (!frontier_.has(v)) continue;
            root_ = v;
            rules_.clear();
            cells_.clear();
            leaves_.clear();
            decisions_.clear();
            expanded_ = minimal_ = 0;
            expand(v, kNil);
            share();
        }
    }

private:
    static constexpr std::size_t kNil = static_cast<std::size_t>(-1);

    // What is still open, leftmost first: a node of the tree, or −1 − a word.
    struct Cell {
        std::int32_t item;
        std::size_t rest;
    };
    struct Found {
        std::array<std::uint32_t, kRuleParts> node;
        float lex_source, lex_target;
    };

    std::uint32_t label(std::size_t v) const { return limits_.flat ? 0 : trees_.label[nodes_ + v]; }

    // Opens the children of a node, before the rest.
    void expand(std::size_t v, std::size_t rest) {
        const bool own = frontier_.has(v), free = own && !limits_.unary && unary(v);
        const std::size_t kept = cells_.size();
        // Children from left to right: words between the spans of nodes are children too.
        const std::size_t first = children_.size();
        std::int32_t word = trees_.begin[nodes_ + v];
        for (auto c = static_cast<std::int32_t>(v) + 1; c < trees_.next[nodes_ + v]; c = trees_.next[nodes_ + static_cast<std::size_t>(c)]) {
            for (; word < trees_.begin[nodes_ + static_cast<std::size_t>(c)]; ++word) children_.push_back(-1 - word);
            children_.push_back(c);
            word = trees_.end[nodes_ + static_cast<std::size_t>(c)];
        }
        for (; word < trees_.end[nodes_ + v]; ++word) children_.push_back(-1 - word);
        for (std::size_t k = children_.size(); k-- > first;) {
            cells_.push_back({children_[k], rest});
            rest = cells_.size() - 1;
        }
        children_.resize(first);
        decisions_.push_back(1 + trees_.production[nodes_ + v]);
        ++expanded_;
        minimal_ += own && !free;
        walk(rest);
        minimal_ -= own && !free;
        --expanded_;
        decisions_.pop_back();
        cells_.resize(kept);
    }

    void walk(std::size_t open) {
        const std::size_t before = leaves_.size();
        while (open != kNil && cells_[open].item < 0) {
            leaves_.push_back(cells_[open].item);
            open = cells_[open].rest;
        }
        if (leaves_.size() > kLongest || decisions_.size() > kLongest) {
        } else if (open == kNil) {
            emit();
        } else {
            const auto v = static_cast<std::size_t>(cells_[open].item);
            const std::size_t rest = cells_[open].rest;
            if (frontier_.has(v)) {
                leaves_.push_back(static_cast<std::int32_t>(v));
                decisions_.push_back(0);
                walk(rest);
                decisions_.pop_back();
                leaves_.pop_back();
                const bool free = !limits_.unary && unary(v);
                if (minimal_ + !free <= limits_.max_rules && expanded_ < limits_.max_nodes) expand(v, rest);
            } else {
                expand(v, rest);
            }
        }
        leaves_.resize(before);
    }

    // Whether the string side of a node's minimal rule is one variable alone.
    bool unary(std::size_t v) const {
        const Extent& own = frontier_.extent(v);
        for (auto c = v + 1; c < static_cast<std::size_t>(trees_.next[nodes_ + v]); ++c)
            if (frontier_.has(c)) {
                const Extent& below = frontier_.extent(c);
                return below.low == own.low && below.high == own.high;
            }
        return false;
    }

    void emit() {
        // The string side, and where its words and variables are.
        const Extent& own = frontier_.extent(root_);
        variables_.clear();
        for (const std::int32_t leaf : leaves_)
            if (leaf >= 0) variables_.push_back(static_cast<std::size_t>(leaf));
        if (variables_.size() > kMostVariables) return;
        order_.resize(variables_.size());
        for (std::size_t k = 0; k < order_.size(); ++k) order_[k] = k;
        std::sort(order_.begin(), order_.end(), [&](std::size_t a, std::size_t b) { return frontier_.extent(variables_[a]).low < frontier_.extent(variables_[b]).low; });
        string_.clear();
        string_place_.assign(static_cast<std::size_t>(own.high - own.low + 1), 0);
        std::size_t next = 0;
        for (std::int32_t i = own.low; i <= own.high;) {
            if (string_.size() == kLongest) return;
            if (next < order_.size() && frontier_.extent(variables_[order_[next]]).low == i) {
                i = frontier_.extent(variables_[order_[next]]).high + 1;
                string_.push_back(static_cast<std::int32_t>(order_[next++]));
            } else {
                string_place_[static_cast<std::size_t>(i - own.low)] = static_cast<std::uint32_t>(string_.size());
                string_.push_back(-1 - i++);
            }
        }
        if (minimal_ > 1 && string_.size() > static_cast<std::size_t>(limits_.max_symbols)) return;
        if (refused()) return;

        const bool by_string = limits_.target_trees;  // whether variables are numbered in the order of the string
        number_.resize(variables_.size());
        for (std::size_t k = 0; k < order_.size(); ++k) number_[by_string ? order_[k] : k] = static_cast<std::uint32_t>(k);
        Found found{};
        double lex_tree = 0, lex_string = 0;
        const Side &tree_side = limits_.target_trees ? text_.target : text_.source, &string_side = limits_.target_trees ? text_.source : text_.target;
        const auto tree_logs = limits_.target_trees ? text_.target_logs : text_.source_logs, string_logs = limits_.target_trees ? text_.source_logs : text_.target_logs;
        const RulePart tree_part = limits_.target_trees ? kRuleTarget : kRuleSource, string_part = limits_.target_trees ? kRuleSource : kRuleTarget;
        std::uint32_t node = 0;
        std::size_t variable = 0;
        for (const std::int32_t leaf : leaves_) {
            if (leaf < 0) lex_tree += tree_logs[tree_at_ + static_cast<std::size_t>(-1 - leaf)];
            if (limits_.fragments) continue;
            const std::uint32_t symbol = leaf < 0 ? static_cast<std::uint32_t>(tree_side.words[tree_at_ + static_cast<std::size_t>(-1 - leaf)]) : symbol_of(tree_part, variable++);
            node = piece_.tries[tree_part].child(node, symbol);
        }
        if (limits_.fragments)
            for (const std::uint32_t decision : decisions_) node = piece_.tries[tree_part].child(node, decision);
        found.node[tree_part] = node;
        node = 0;
        for (const std::int32_t item : string_) {
            if (item < 0) lex_string += string_logs[string_at_ + static_cast<std::size_t>(-1 - item)];
            const std::uint32_t symbol = item < 0 ? static_cast<std::uint32_t>(string_side.words[string_at_ + static_cast<std::size_t>(-1 - item)])
                                                  : symbol_of(string_part, static_cast<std::size_t>(item));
            node = piece_.tries[string_part].child(node, symbol);
        }
        found.node[string_part] = node;
        found.node[kRuleShape] = shape();
        found.node[kRuleVariant] = variant(own);
        found.lex_source = static_cast<float>(limits_.target_trees ? lex_string : lex_tree);
        found.lex_target = static_cast<float>(limits_.target_trees ? lex_tree : lex_string);
        rules_.push_back(found);
    }

    // The symbol of the k-th variable of the tree: its label on the source, its number on the target.
    std::uint32_t symbol_of(RulePart part, std::size_t k) const {
        return part == kRuleSource ? text_.n_source_words + label(variables_[k]) : text_.n_target_words + number_[k];
    }

    // Whether a rule over strings has a source side that decoders cannot use: a nonterminal that becomes itself, or too many
    // places where it may begin, end or be cut.
    bool refused() const {
        if (limits_.fragments) return false;
        source_.clear();
        if (limits_.target_trees) {
            source_.assign(string_.begin(), string_.end());
        } else {
            std::int32_t k = 0;
            for (const std::int32_t leaf : leaves_) source_.push_back(leaf < 0 ? leaf : k++);
        }
        if (source_.size() == 1 && source_[0] >= 0 && (!limits_.unary || label(variables_[static_cast<std::size_t>(source_[0])]) == label(root_))) return true;
        if (limits_.max_scope < 0) return false;
        std::int32_t scope = (source_.front() >= 0) + (source_.back() >= 0);
        for (std::size_t k = 1; k < source_.size(); ++k) scope += source_[k - 1] >= 0 && source_[k] >= 0;
        return scope > limits_.max_scope;
    }

    std::uint32_t shape() {
        PhraseTrie& shapes = piece_.tries[kRuleShape];
        std::uint32_t node = shapes.child(0, label(root_));
        if (limits_.fragments) return node;
        by_number_.resize(variables_.size());
        for (std::size_t k = 0; k < variables_.size(); ++k) by_number_[number_[k]] = label(variables_[k]);
        for (const std::uint32_t one : by_number_) node = shapes.child(node, one);
        return node;
    }

    std::uint32_t variant(const Extent& own) {
        pairs_.clear();
        for (std::size_t at = 0; at < leaves_.size(); ++at) {
            if (leaves_[at] >= 0) continue;
            const std::int32_t word = -1 - leaves_[at];
            for (auto link = std::lower_bound(links_.begin(), links_.end(), std::pair(word, 0)); link != links_.end() && link->first == word; ++link) {
                const std::uint32_t tree = static_cast<std::uint32_t>(at), other = string_place_[static_cast<std::size_t>(link->second - own.low)];
                pairs_.push_back(limits_.target_trees ? other << 8 | tree : tree << 8 | other);
            }
        }
        std::sort(pairs_.begin(), pairs_.end());
        std::uint32_t node = 0;
        for (const std::uint32_t pair : pairs_) node = piece_.tries[kRuleVariant].child(node, pair);
        if (!limits_.fragments)
            for (const std::uint32_t decision : decisions_) node = piece_.tries[kRuleVariant].child(node, kFirstDecision + decision);
        return node;
    }

    void share() {
        const double count = limits_.shares ? 1.0 / static_cast<double>(std::max<std::size_t>(rules_.size(), 1)) : 1.0;
        for (const Found& rule : rules_) piece_.add(rule.node, count, rule.lex_source, rule.lex_target);
    }

    const AlignedText& text_;
    const TreeNodes& trees_;
    const GhkmLimits& limits_;
    RulePiece& piece_;
    Frontier frontier_;
    std::size_t nodes_ = 0, tree_at_ = 0, string_at_ = 0, root_ = 0;
    std::vector<std::pair<std::int32_t, std::int32_t>> links_;  // tree word, string word
    std::vector<Cell> cells_;
    std::vector<std::int32_t> children_;
    std::int32_t expanded_ = 0, minimal_ = 0;
    std::vector<std::int32_t> leaves_;       // of the fragment: a variable's node, or −1 − a word
    std::vector<std::uint32_t> decisions_;
    std::vector<std::size_t> variables_, order_;
    std::vector<std::uint32_t> number_;      // of variables, as they count on the source side
    std::vector<std::int32_t> string_;       // the string side: which variable, or −1 − a word
    mutable std::vector<std::int32_t> source_;
    std::vector<std::uint32_t> string_place_, by_number_, pairs_;
    std::vector<Found> rules_;
};

}  // namespace

void TreeNodes::check(const Side& side, std::uint32_t n_labels, std::uint32_t n_productions) const {
    const auto wrong = [](std::size_t s) { throw std::invalid_argument("the tree of sentence " + std::to_string(s + 1) + " is damaged"); };
    if (at.size() != side.offsets.size()) throw std::invalid_argument("every sentence has a tree or none");
    for (std::size_t s = 0; s + 1 < at.size(); ++s) {
        const auto first = static_cast<std::size_t>(at[s]), n = static_cast<std::size_t>(at[s + 1]) - first;
        if (n == 0) continue;
        if (begin[first] != 0 || static_cast<std::size_t>(end[first]) != side.length(s) || static_cast<std::size_t>(next[first]) != n) wrong(s);
        for (std::size_t v = 0; v < n; ++v) {
            const std::size_t k = first + v;
            if (begin[k] < 0 || begin[k] >= end[k] || static_cast<std::size_t>(end[k]) > side.length(s) || next[k] <= static_cast<std::int32_t>(v) ||
                static_cast<std::size_t>(next[k]) > n || label[k] >= n_labels || production[k] >= n_productions)
                wrong(s);
            std::int32_t word = begin[k];
            for (auto c = static_cast<std::int32_t>(v) + 1; c < next[k];) {
                const std::size_t child = first + static_cast<std::size_t>(c);
                if (begin[child] < word || end[child] > end[k] || next[child] <= c || next[child] > next[k]) wrong(s);
                word = end[child];
                c = next[child];
            }
        }
    }
}

RuleCounts ghkm_rules(const AlignedText& text, const TreeNodes& trees, const GhkmLimits& limits, int n_jobs) {
    return count_rules(text.source.offsets.size() - 1, n_jobs, [&](std::size_t begin, std::size_t end, RulePiece& piece) {
        GhkmSentence sentence(text, trees, limits, piece);
        for (std::size_t s = begin; s < end; ++s) sentence.extract(s);
    });
}

}  // namespace palmette

// The anchored rules of one sentence: what a grammar can build of the items that a first pass left.
//
// A span has lower items (a symbol by a binary rule, or a tag) and upper ones (a lower item itself, or a chain of unary
// rules above one); binary rules join upper items to lower ones. Where the halves of a rule meet is an AND of two bit
// sets, of the ends of the left symbol and the beginnings of the right one, so a rule costs a few instructions for all its
// splits. Only what a whole tree can use is kept. Spans come with the widest first: sums go through them backwards.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "structures/anchored/grammar.hpp"

namespace palmette {

struct AnchoredItem {
    std::int32_t start, end, symbol;
};

// A bracket that every tree must have, or that none may have; label -1: whatever its label.
struct AnchoredConstraint {
    std::int32_t start, end, label, required;

    bool holds(const AnchoredGrammar& grammar, std::span<const std::int32_t> symbols) const {
        for (const std::int32_t s : symbols)
            if (grammar.kinds[static_cast<std::size_t>(s)] == AnchoredGrammar::phrase && (label < 0 || grammar.coarse[static_cast<std::size_t>(s)] == label)) return required != 0;
        return required == 0;
    }
};

struct AnchoredGraph {
    struct Span {
        std::int32_t start, end, up_begin, up_end, low_begin, low_end;
    };
    struct Up {
        std::int32_t symbol, low, unary_begin, unary_end;  // low: -1 if the symbol is here by unary rules alone
    };
    struct Low {
        std::int32_t symbol, rule_begin, rule_end, edge_begin, edge_end;
    };
    struct Unary {
        std::int32_t chain, low;
    };
    struct RuleSpan {
        std::int32_t rule, edge_begin, edge_end;
    };
    struct Edge {
        std::int32_t split, left, right, rule_split;
    };
    struct RuleSplit {
        std::int32_t rule, split;
    };
    struct Root {
        std::int32_t symbol, up, low;  // one of up and low is -1: above an upper item, or the root symbol's own lower one
    };

    std::size_t n = 0;
    std::vector<Span> spans;
    std::vector<Up> ups;
    std::vector<Low> lows;
    std::vector<Unary> unaries;
    std::vector<RuleSpan> rules;
    std::vector<Edge> edges;
    std::vector<RuleSplit> splits;
    std::vector<Root> roots;

    void build(const AnchoredGrammar& grammar, std::size_t n, std::span<const AnchoredItem> items, std::span<const AnchoredConstraint> constraints = {});
    // The span from start to end, or null.
    const Span* find(std::int32_t start, std::int32_t end) const {
        const std::int32_t at = span_at_[index(start, end)];
        return at < 0 ? nullptr : &spans[static_cast<std::size_t>(at)];
    }

private:
    static std::size_t index(std::int32_t start, std::int32_t end) { return static_cast<std::size_t>(end) * static_cast<std::size_t>(end - 1) / 2 + static_cast<std::size_t>(start); }
    void bottom_up(const AnchoredGrammar& grammar, std::span<const AnchoredItem> items);
    void top_down(const AnchoredGrammar& grammar);
    template <class Visit>
    bool meetings(const AnchoredGrammar::Binary& rule, std::int32_t start, std::int32_t end, Visit&& visit) const;

    // Whether these may be all symbols above a span; crossing brackets are left out with the items.
    bool fits(const AnchoredGrammar& grammar, std::int32_t start, std::int32_t end, std::span<const std::int32_t> symbols) const {
        for (const AnchoredConstraint& c : constraints_)
            if (c.start == start && c.end == end && !c.holds(grammar, symbols)) return false;
        return true;
    }

    // What can be built: by span, symbols; bit 0 of the state: as a lower item, 1: as an upper one, 2, 3: wanted as such.
    struct Alive {
        std::int32_t symbol;
        std::uint8_t state;
        std::int32_t up;  // its number among the upper items, where wanted
    };
    Alive* alive(std::size_t span, std::int32_t symbol) {
        for (std::int32_t k = alive_at_[span]; k < alive_at_[span + 1]; ++k)
            if (alive_[static_cast<std::size_t>(k)].symbol == symbol) return &alive_[static_cast<std::size_t>(k)];
        return nullptr;
    }
    // here_ has the symbols of a span from `enter` to `leave`.
    void enter(std::size_t span) {
        for (std::int32_t k = alive_at_[span]; k < alive_at_[span + 1]; ++k) here_[static_cast<std::size_t>(alive_[static_cast<std::size_t>(k)].symbol)] = k;
    }
    void leave(std::size_t span) {
        for (std::int32_t k = alive_at_[span]; k < alive_at_[span + 1]; ++k) here_[static_cast<std::size_t>(alive_[static_cast<std::size_t>(k)].symbol)] = -1;
    }
    std::span<const AnchoredConstraint> constraints_;  // while building
    std::size_t words_ = 0;  // of a bit set over places
    std::vector<std::int32_t> span_at_, alive_at_;
    std::vector<Alive> alive_;
    std::vector<std::uint64_t> ends_, starts_;  // [place][symbol][words]: where upper items from here end, and to here begin
    std::vector<std::int32_t> split_number_;    // [rule][place]: of the rule split, -1
    bool numbered_ = false;                    // whether `split_number_` has numbers
    std::vector<std::int32_t> here_;            // by symbol, while a span is worked on: its place in alive_, -1
    struct Above {
        std::int32_t top, chain, low;  // top: its place in alive_
    };
    std::vector<Above> above_;  // the chains above the lower items of a span
};

}  // namespace palmette

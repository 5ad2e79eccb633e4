#include "structures/anchored/graph.hpp"

#include <algorithm>
#include <bit>

#include "base/interrupt.hpp"

namespace palmette {

// visit(place) for every place where both halves of the rule meet; stops, and returns true, when it says so.
template <class Visit>
bool AnchoredGraph::meetings(const AnchoredGrammar::Binary& rule, std::int32_t start, std::int32_t end, Visit&& visit) const {
    const std::size_t S = ends_.size() / (words_ * (n + 1));
    const std::uint64_t* left = ends_.data() + (static_cast<std::size_t>(start) * S + static_cast<std::size_t>(rule.left)) * words_;
    const std::uint64_t* right = starts_.data() + (static_cast<std::size_t>(end) * S + static_cast<std::size_t>(rule.right)) * words_;
    for (std::size_t w = static_cast<std::size_t>(start) / 64; w <= static_cast<std::size_t>(end) / 64; ++w)
        for (std::uint64_t both = left[w] & right[w]; both; both &= both - 1)
            if (visit(static_cast<std::int32_t>(w * 64) + std::countr_zero(both))) return true;
    return false;
}

void AnchoredGraph::bottom_up(const AnchoredGrammar& grammar, std::span<const AnchoredItem> items) {
    const std::size_t count = n * (n + 1) / 2, S = grammar.n_symbols();
    alive_at_.assign(count + 1, 0);
    for (const AnchoredItem& item : items) ++alive_at_[index(item.start, item.end) + 1];
    for (std::size_t k = 0; k < count; ++k) alive_at_[k + 1] += alive_at_[k];
    alive_.resize(items.size());
    std::vector<std::int32_t> next(alive_at_.begin(), alive_at_.end() - 1);
    for (const AnchoredItem& item : items) alive_[static_cast<std::size_t>(next[index(item.start, item.end)]++)] = {item.symbol, 0, -1};
    here_.assign(S, -1);
    words_ = n / 64 + 1;
    ends_.assign((n + 1) * S * words_, 0);
    starts_.assign((n + 1) * S * words_, 0);
    for (std::int32_t width = 1; width <= static_cast<std::int32_t>(n); ++width)
        for (std::int32_t start = 0; start + width <= static_cast<std::int32_t>(n); ++start) {
            check_interrupt();
            const std::int32_t end = start + width;
            const std::size_t at = index(start, end);
            enter(at);
            for (std::int32_t k = alive_at_[at]; k < alive_at_[at + 1]; ++k) {
                Alive& a = alive_[static_cast<std::size_t>(k)];
                const auto symbol = static_cast<std::size_t>(a.symbol);
                const std::uint8_t both = fits(grammar, start, end, {&a.symbol, 1}) ? 3 : 1;
                if (grammar.kinds[symbol] == AnchoredGrammar::tag) {
                    a.state = width == 1 ? both : 0;
                    continue;
                }
                for (std::int32_t r = grammar.binary_at[symbol]; r < grammar.binary_at[symbol + 1] && !a.state; ++r)
                    if (meetings(grammar.binary[static_cast<std::size_t>(r)], start, end, [](std::int32_t) { return true; })) a.state = both;
            }
            for (std::int32_t k = alive_at_[at]; k < alive_at_[at + 1]; ++k) {
                if (!(alive_[static_cast<std::size_t>(k)].state & 1)) continue;
                const auto below = static_cast<std::size_t>(alive_[static_cast<std::size_t>(k)].symbol);
                for (std::int32_t c = grammar.chains_above_at[below]; c < grammar.chains_above_at[below + 1]; ++c) {
                    const auto chain = grammar.chain(static_cast<std::size_t>(grammar.chains_above[static_cast<std::size_t>(c)]));
                    const std::int32_t top = here_[static_cast<std::size_t>(chain.front())];
                    if (top >= 0 && fits(grammar, start, end, chain)) alive_[static_cast<std::size_t>(top)].state |= 2;
                }
            }
            leave(at);
            for (std::int32_t k = alive_at_[at]; k < alive_at_[at + 1]; ++k) {
                const Alive& a = alive_[static_cast<std::size_t>(k)];
                if (!(a.state & 2)) continue;
                const auto symbol = static_cast<std::size_t>(a.symbol);
                ends_[(static_cast<std::size_t>(start) * S + symbol) * words_ + static_cast<std::size_t>(end) / 64] |= std::uint64_t{1} << (end % 64);
                starts_[(static_cast<std::size_t>(end) * S + symbol) * words_ + static_cast<std::size_t>(start) / 64] |= std::uint64_t{1} << (start % 64);
            }
        }
}

void AnchoredGraph::top_down(const AnchoredGrammar& grammar) {
    spans.clear();
    ups.clear();
    lows.clear();
    unaries.clear();
    rules.clear();
    edges.clear();
    splits.clear();
    roots.clear();
    span_at_.assign(n * (n + 1) / 2, -1);
    const std::size_t places = n + 1;
    // Numbers of the last graph are still there if it was not finished: memory ran out, or Ctrl-C came.
    if (numbered_) std::fill(split_number_.begin(), split_number_.end(), -1);
    if (split_number_.size() < grammar.binary.size() * places) split_number_.resize(grammar.binary.size() * places, -1);
    numbered_ = true;
    const std::int32_t last = static_cast<std::int32_t>(n);
    const std::size_t whole = index(0, last);
    for (const std::int32_t symbol : grammar.roots)
        if (Alive* a = alive(whole, symbol); a && (a->state & 2)) {
            a->state |= 8;
            roots.push_back({symbol, -1, -1});
        }
    if (Alive* a = alive(whole, grammar.root); a && (a->state & 1)) {
        a->state |= 4;
        roots.push_back({grammar.root, -1, -1});
    }
    std::vector<std::int32_t> low_of;
    // Children are wanted by number of their place in `alive_` until their spans have come.
    for (std::int32_t width = last; width >= 1; --width)
        for (std::int32_t start = 0; start + width <= last; ++start) {
            check_interrupt();
            const std::int32_t end = start + width;
            const std::size_t at = index(start, end);
            Span span{start, end, static_cast<std::int32_t>(ups.size()), 0, static_cast<std::int32_t>(lows.size()), 0};
            const std::int32_t from = alive_at_[at], to = alive_at_[at + 1];
            bool any = false;
            for (std::int32_t k = from; k < to; ++k) any |= (alive_[static_cast<std::size_t>(k)].state & 12) != 0;
            if (!any) continue;
            enter(at);
            above_.clear();
            for (std::int32_t k = from; k < to; ++k) {
                Alive& below = alive_[static_cast<std::size_t>(k)];
                if (!(below.state & 1)) continue;
                if ((below.state & 8) && fits(grammar, start, end, {&below.symbol, 1})) below.state |= 4;
                const auto s = static_cast<std::size_t>(below.symbol);
                for (std::int32_t c = grammar.chains_above_at[s]; c < grammar.chains_above_at[s + 1]; ++c) {
                    const std::int32_t number = grammar.chains_above[static_cast<std::size_t>(c)];
                    const auto chain = grammar.chain(static_cast<std::size_t>(number));
                    const std::int32_t top = here_[static_cast<std::size_t>(chain.front())];
                    if (top < 0 || !(alive_[static_cast<std::size_t>(top)].state & 8) || !fits(grammar, start, end, chain)) continue;
                    below.state |= 4;
                    above_.push_back({top, number, k});
                }
            }
            leave(at);
            // By the symbol above; those below the same one stay in the order in which they came.
            std::stable_sort(above_.begin(), above_.end(), [](const Above& a, const Above& b) { return a.top < b.top; });
            low_of.assign(static_cast<std::size_t>(to - from), -1);
            for (std::int32_t k = from; k < to; ++k) {
                const Alive& a = alive_[static_cast<std::size_t>(k)];
                if (!(a.state & 4)) continue;
                low_of[static_cast<std::size_t>(k - from)] = static_cast<std::int32_t>(lows.size());
                Low low{a.symbol, static_cast<std::int32_t>(rules.size()), 0, static_cast<std::int32_t>(edges.size()), 0};
                const auto s = static_cast<std::size_t>(a.symbol);
                if (grammar.kinds[s] != AnchoredGrammar::tag)
                    for (std::int32_t r = grammar.binary_at[s]; r < grammar.binary_at[s + 1]; ++r) {
                        const AnchoredGrammar::Binary& rule = grammar.binary[static_cast<std::size_t>(r)];
                        const std::int32_t first = static_cast<std::int32_t>(edges.size());
                        meetings(rule, start, end, [&](std::int32_t k2) {
                            Alive *left = alive(index(start, k2), rule.left), *right = alive(index(k2, end), rule.right);
                            left->state |= 8;
                            right->state |= 8;
                            std::int32_t& number = split_number_[static_cast<std::size_t>(r) * places + static_cast<std::size_t>(k2)];
                            if (number < 0) {
                                number = static_cast<std::int32_t>(splits.size());
                                splits.push_back({r, k2});
                            }
                            edges.push_back({k2, static_cast<std::int32_t>(left - alive_.data()), static_cast<std::int32_t>(right - alive_.data()), number});
                            return false;
                        });
                        if (static_cast<std::int32_t>(edges.size()) > first) rules.push_back({r, first, static_cast<std::int32_t>(edges.size())});
                    }
                low.rule_end = static_cast<std::int32_t>(rules.size());
                low.edge_end = static_cast<std::int32_t>(edges.size());
                lows.push_back(low);
            }
            std::size_t next_above = 0;
            for (std::int32_t k = from; k < to; ++k) {
                Alive& a = alive_[static_cast<std::size_t>(k)];
                if (!(a.state & 8)) continue;
                a.up = static_cast<std::int32_t>(ups.size());
                Up up{a.symbol, (a.state & 1) && fits(grammar, start, end, {&a.symbol, 1}) ? low_of[static_cast<std::size_t>(k - from)] : -1, static_cast<std::int32_t>(unaries.size()), 0};
                for (; next_above < above_.size() && above_[next_above].top == k; ++next_above)
                    unaries.push_back({above_[next_above].chain, low_of[static_cast<std::size_t>(above_[next_above].low - from)]});
                up.unary_end = static_cast<std::int32_t>(unaries.size());
                ups.push_back(up);
            }
            if (at == whole)
                for (Root& root : roots) {
                    const Alive* a = alive(whole, root.symbol);
                    if (root.symbol == grammar.root) root.low = low_of[static_cast<std::size_t>(a - alive_.data()) - static_cast<std::size_t>(from)];
                    else root.up = a->up;
                }
            span.up_end = static_cast<std::int32_t>(ups.size());
            span.low_end = static_cast<std::int32_t>(lows.size());
            span_at_[at] = static_cast<std::int32_t>(spans.size());
            spans.push_back(span);
        }
    for (Edge& edge : edges) {
        edge.left = alive_[static_cast<std::size_t>(edge.left)].up;
        edge.right = alive_[static_cast<std::size_t>(edge.right)].up;
    }
    for (const RuleSplit& split : splits) split_number_[static_cast<std::size_t>(split.rule) * places + static_cast<std::size_t>(split.split)] = -1;
    numbered_ = false;
}

void AnchoredGraph::build(const AnchoredGrammar& grammar, std::size_t length, std::span<const AnchoredItem> items, std::span<const AnchoredConstraint> constraints) {
    n = length;
    constraints_ = constraints;
    if (!n) {
        *this = {};
        return;
    }
    bottom_up(grammar, items);
    top_down(grammar);
    constraints_ = {};
}

}  // namespace palmette

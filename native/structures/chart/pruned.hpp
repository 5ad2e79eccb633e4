// A chart of a fine grammar over the items that a coarse pass has left: inside for maxima and sums, and outside.
//
// Only alive coarse items have room, one value per fine symbol below them. A span is made from the coarse items that
// live on both sides of a split: most pairs of these make nothing, and a table of pairs tells what the others make.
#pragma once
#include <bit>
#include <vector>

#include "structures/chart/derivations.hpp"
#include "structures/chart/inside.hpp"
#include "structures/chart/refined.hpp"

namespace palmette {

template <class S>
class PrunedChart {
public:
    using T = typename S::T;

    // alive: the coarse items. scale: for sums, the scales of the n + 1 places between words (see structures/chart/sums.hpp), or
    // none. The inside value of the root, scaled.
    T run_inside(const RefinedGrammar& grammar, const Emissions& emissions, std::size_t n, const ChartItems& alive, std::span<const double> scale = {});
    // Sums only, after an inside pass whose root is neither zero nor infinite. Posteriors are products.
    void run_outside();

    // -inf, or 0, for items that are not there.
    T value(std::size_t start, std::size_t end, std::size_t symbol) const {
        const T* found = find(inside_, start, end, symbol);
        return found ? *found : S::kZero;
    }
    bool has_items(std::size_t start, std::size_t end) const { return alive_->open(start, end); }
    // Calls visit(start, end, symbol, posterior) for every fine item that has one.
    template <class Visit>
    void each_posterior(Visit&& visit) const {
        for (std::size_t end = 1; end <= n_; ++end)
            for (std::size_t start = 0; start < end; ++start)
                alive_->each(start, end, [&](std::size_t coarse) {
                    const std::size_t at = offset(start, end, coarse);
                    const auto members = grammar_->members(coarse);
                    for (std::size_t r = 0; r < members.size(); ++r) {
                        const T p = inside_[at + r] * outside_[at + r];
                        if (p > 0) visit(start, end, static_cast<std::size_t>(members[r]), static_cast<double>(p));
                    }
                });
    }

private:
    std::size_t offset(std::size_t start, std::size_t end, std::size_t coarse) const {
        const std::uint64_t* bits = alive_->row(start, end);
        std::size_t rank = static_cast<std::size_t>(std::popcount(bits[coarse / 64] & ((std::uint64_t{1} << coarse % 64) - 1)));
        for (std::size_t k = 0; k < coarse / 64; ++k) rank += static_cast<std::size_t>(std::popcount(bits[k]));
        return offsets_[base_[ChartItems::span(start, end)] + rank];
    }
    template <class Values>
    auto* find(Values& values, std::size_t start, std::size_t end, std::size_t symbol) const {
        const RefinedGrammar::Place place = grammar_->place(symbol);
        const auto coarse = static_cast<std::size_t>(place.coarse);
        if (!alive_->has(start, end, coarse)) return static_cast<decltype(values.data())>(nullptr);
        return values.data() + offset(start, end, coarse) + static_cast<std::size_t>(place.rank);
    }
    struct Live {
        std::int32_t coarse;
        std::uint32_t at;  // where its values begin
    };
    struct LiveSpan {
        std::uint32_t lefts = 0, n_lefts = 0, rights = 0, n_rights = 0;  // in live_
    };
    void lay_out();
    void close(std::size_t start, std::size_t end);
    void open(std::size_t start, std::size_t end);  // the outside of unary rules
    void list_live(std::size_t start, std::size_t end);
    // Calls visit(parent, left, right, begin, end) for every split of a span and all coarse rules whose items live
    // there: where the values of the three begin, and which fine rules are below the coarse one.
    template <class Visit>
    void each_rule(std::size_t start, std::size_t end, Visit&& visit);

    const RefinedGrammar* grammar_ = nullptr;
    const ChartItems* alive_ = nullptr;
    std::size_t n_ = 0;
    std::vector<std::uint32_t> base_;     // per span, where its items begin in offsets_
    std::vector<std::uint32_t> offsets_;  // per alive coarse item, where its values begin
    std::vector<Live> live_, rights_;
    std::vector<LiveSpan> live_spans_;
    std::vector<std::int32_t> slots_;     // of the span at hand: where the values of a coarse symbol begin, or -1
    std::vector<std::uint8_t> is_left_, is_right_;
    std::vector<T> inside_, outside_, scratch_;
};

extern template class PrunedChart<MaxOfLogs>;
extern template class PrunedChart<SumOfWeights<float>>;
extern template class PrunedChart<SumOfWeights<double>>;
extern template class Derivations<PrunedChart<MaxOfLogs>>;

}  // namespace palmette

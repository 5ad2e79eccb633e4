#include "structures/chart/pruned.hpp"

#include "base/flush_to_zero.hpp"
#include "base/interrupt.hpp"

namespace palmette {

namespace {

template <class S>
typename S::T rule_weight(const RefinedGrammar::Rule& rule) {
    if constexpr (S::kZero == 0)
        return static_cast<typename S::T>(rule.weight);
    else
        return rule.log_weight;
}

}  // namespace

template <class S>
void PrunedChart<S>::lay_out() {
    base_.resize(n_ * (n_ + 1) / 2);
    offsets_.clear();
    live_.clear();
    live_spans_.assign(base_.size(), {});
    slots_.assign(grammar_->coarse_symbols(), -1);
    is_left_.assign(grammar_->coarse_symbols(), 0);
    is_right_.assign(grammar_->coarse_symbols(), 0);
    for (std::size_t coarse = 0; coarse < slots_.size(); ++coarse)
        for (const RefinedGrammar::Group& group : grammar_->groups_of(coarse)) is_left_[static_cast<std::size_t>(group.left)] = is_right_[static_cast<std::size_t>(group.right)] = 1;
    std::size_t room = 0;
    for (std::size_t end = 1; end <= n_; ++end)
        for (std::size_t start = 0; start < end; ++start) {
            base_[ChartItems::span(start, end)] = static_cast<std::uint32_t>(offsets_.size());
            alive_->each(start, end, [&](std::size_t coarse) {
                offsets_.push_back(static_cast<std::uint32_t>(room));
                room += grammar_->size(coarse);
            });
        }
    if (room > std::numeric_limits<std::int32_t>::max()) throw std::bad_alloc();
    inside_.assign(room, S::kZero);
}

// The items of a finished span that have a value.
template <class S>
void PrunedChart<S>::list_live(std::size_t start, std::size_t end) {
    LiveSpan& span = live_spans_[ChartItems::span(start, end)];
    const std::size_t base = base_[ChartItems::span(start, end)];
    span.lefts = static_cast<std::uint32_t>(live_.size());
    rights_.clear();
    std::size_t item = base;
    alive_->each(start, end, [&](std::size_t coarse) {
        const std::uint32_t at = offsets_[item++];
        if (!is_left_[coarse] && !is_right_[coarse]) return;
        T best = S::kZero;
        for (std::size_t r = 0; r < grammar_->size(coarse); ++r) best = best < inside_[at + r] ? inside_[at + r] : best;
        if (best == S::kZero) return;
        if (is_left_[coarse]) live_.push_back({static_cast<std::int32_t>(coarse), at});
        if (is_right_[coarse]) rights_.push_back({static_cast<std::int32_t>(coarse), at});
    });
    span.n_lefts = static_cast<std::uint32_t>(live_.size()) - span.lefts;
    span.rights = static_cast<std::uint32_t>(live_.size());
    span.n_rights = static_cast<std::uint32_t>(rights_.size());
    live_.insert(live_.end(), rights_.begin(), rights_.end());
}

template <class S>
template <class Visit>
void PrunedChart<S>::each_rule(std::size_t start, std::size_t end, Visit&& visit) {
    std::size_t item = base_[ChartItems::span(start, end)];
    alive_->each(start, end, [&](std::size_t coarse) { slots_[coarse] = static_cast<std::int32_t>(offsets_[item++]); });
    for (std::size_t k = start + 1; k < end; ++k) {
        const LiveSpan &left = live_spans_[ChartItems::span(start, k)], &right = live_spans_[ChartItems::span(k, end)];
        if (!left.n_lefts || !right.n_rights) continue;
        for (std::uint32_t l = left.lefts; l < left.lefts + left.n_lefts; ++l)
            for (std::uint32_t r = right.rights; r < right.rights + right.n_rights; ++r)
                for (const RefinedGrammar::Made& made : grammar_->made_of(static_cast<std::size_t>(live_[l].coarse), static_cast<std::size_t>(live_[r].coarse))) {
                    const std::int32_t parent = slots_[static_cast<std::size_t>(made.parent)];
                    if (parent >= 0) visit(static_cast<std::size_t>(parent), static_cast<std::size_t>(live_[l].at), static_cast<std::size_t>(live_[r].at), made.begin, made.end);
                }
    }
    alive_->each(start, end, [&](std::size_t coarse) { slots_[coarse] = -1; });
}

template <class S>
typename S::T PrunedChart<S>::run_inside(const RefinedGrammar& grammar, const Emissions& emissions, std::size_t n, const ChartItems& alive,
                                         std::span<const double> scale) {
    const FlushToZero flush;
    grammar_ = &grammar;
    alive_ = &alive;
    n_ = n;
    lay_out();
    for (std::size_t k = 0; k < emissions.positions.size(); ++k) {
        const auto at = static_cast<std::size_t>(emissions.positions[k]);
        T* value = find(inside_, at, at + 1, static_cast<std::size_t>(emissions.symbols[k]));
        if (!value) continue;
        if constexpr (S::kZero == 0) {
            const double step = scale.empty() ? 0 : scale[at + 1] - scale[at];
            *value += static_cast<T>(std::exp(static_cast<double>(emissions.log_weights[k]) + step));
        } else {
            *value = S::plus(*value, emissions.log_weights[k]);
        }
    }
    const RefinedGrammar::Rule* rules = grammar.rules();
    T* const values = inside_.data();
    for (std::size_t end = 1; end <= n; ++end)
        for (std::size_t start = end; start-- > 0;) {
            if (!alive.open(start, end)) continue;
            check_interrupt();
            if (end - start > 1)
                each_rule(start, end, [&](std::size_t parents, std::size_t lefts, std::size_t rights, std::uint32_t begin, std::uint32_t last) {
                    for (std::uint32_t r = begin; r < last; ++r) {
                        const RefinedGrammar::Rule& rule = rules[r];
                        T& parent = values[parents + rule.parent];
                        parent = S::plus(parent, S::times(rule_weight<S>(rule), S::times(values[lefts + rule.left], values[rights + rule.right])));
                    }
                });
            close(start, end);
            list_live(start, end);
        }
    return value(0, n, static_cast<std::size_t>(grammar.fine().root()));
}

template <class S>
void PrunedChart<S>::close(std::size_t start, std::size_t end) {
    const ChartGrammar& fine = grammar_->fine();
    if (!fine.has_cycles()) {
        const RefinedGrammar::Unary* rules = grammar_->unary_rules();
        for (const RefinedGrammar::UnaryGroup& group : grammar_->unary_groups()) {
            const auto parent = static_cast<std::size_t>(group.parent), child = static_cast<std::size_t>(group.child);
            if (!alive_->has(start, end, parent) || !alive_->has(start, end, child)) continue;
            T* const parents = inside_.data() + offset(start, end, parent);
            const T* const children = inside_.data() + offset(start, end, child);
            for (std::uint32_t r = group.begin; r < group.end; ++r) {
                T weight;
                if constexpr (S::kZero == 0)
                    weight = static_cast<T>(rules[r].weight);
                else
                    weight = rules[r].log_weight;
                T& value = parents[rules[r].parent];
                value = S::plus(value, S::times(weight, children[rules[r].child]));
            }
        }
        return;
    }
    for (const UnaryBlock& block : fine.blocks()) {
        for (std::uint32_t r = block.begin; r < block.end; ++r) {
            const IndexedRule& rule = fine.block_rules()[r];
            T* parent = find(inside_, start, end, static_cast<std::size_t>(rule.right));
            if (!parent) continue;
            const T* child = find(inside_, start, end, static_cast<std::size_t>(rule.left));
            if (child) *parent = S::plus(*parent, S::times(S::unary(fine, r), *child));
        }
        if (!block.n_members) continue;
        const std::int32_t* members = fine.members().data() + block.members;
        const std::size_t m = block.n_members;
        scratch_.assign(m, S::kZero);
        for (std::size_t b = 0; b < m; ++b) {
            const T* below = find(inside_, start, end, static_cast<std::size_t>(members[b]));
            if (below)
                for (std::size_t a = 0; a < m; ++a) scratch_[a] = S::plus(scratch_[a], S::times(S::closure(fine, block.matrix + a * m + b), *below));
        }
        for (std::size_t a = 0; a < m; ++a)
            if (T* value = find(inside_, start, end, static_cast<std::size_t>(members[a]))) *value = scratch_[a];
    }
}

template <class S>
void PrunedChart<S>::run_outside() {
    if constexpr (S::kZero == 0) {
        const FlushToZero flush;
        outside_.assign(inside_.size(), T{0});
        const auto root = static_cast<std::size_t>(grammar_->fine().root());
        if (T* top = find(outside_, 0, n_, root)) *top = static_cast<T>(1 / static_cast<double>(value(0, n_, root)));
        const RefinedGrammar::Rule* rules = grammar_->rules();
        for (std::size_t end = n_; end > 0; --end)
            for (std::size_t start = 0; start < end; ++start) {
                if (!alive_->open(start, end)) continue;
                check_interrupt();
                open(start, end);
                if (end - start == 1) continue;
                const T* const in = inside_.data();
                T* const out = outside_.data();
                each_rule(start, end, [&](std::size_t parents, std::size_t lefts, std::size_t rights, std::uint32_t begin, std::uint32_t last) {
                    for (std::uint32_t r = begin; r < last; ++r) {
                        const RefinedGrammar::Rule& rule = rules[r];
                        const T share = rule_weight<S>(rule) * out[parents + rule.parent];
                        out[lefts + rule.left] += share * in[rights + rule.right];
                        out[rights + rule.right] += share * in[lefts + rule.left];
                    }
                });
            }
    }
}

template <class S>
void PrunedChart<S>::open(std::size_t start, std::size_t end) {
    if constexpr (S::kZero == 0) {
        const ChartGrammar& fine = grammar_->fine();
        for (std::size_t b = fine.blocks().size(); b-- > 0;) {
            const UnaryBlock& block = fine.blocks()[b];
            if (block.n_members) {
                const std::int32_t* members = fine.members().data() + block.members;
                const std::size_t m = block.n_members;
                scratch_.assign(m, T{0});
                for (std::size_t a = 0; a < m; ++a) {
                    const T* above = find(outside_, start, end, static_cast<std::size_t>(members[a]));
                    if (above && *above != 0)
                        for (std::size_t c = 0; c < m; ++c) scratch_[c] += *above * S::closure(fine, block.matrix + a * m + c);
                }
                for (std::size_t c = 0; c < m; ++c)
                    if (T* out = find(outside_, start, end, static_cast<std::size_t>(members[c]))) *out = scratch_[c];
            }
            for (std::uint32_t r = block.begin; r < block.end; ++r) {
                const IndexedRule& rule = fine.block_rules()[r];
                const T* above = find(outside_, start, end, static_cast<std::size_t>(rule.right));
                if (!above || *above == 0) continue;
                if (T* below = find(outside_, start, end, static_cast<std::size_t>(rule.left))) *below += S::unary(fine, r) * *above;
            }
        }
    }
}

template class PrunedChart<MaxOfLogs>;
template class PrunedChart<SumOfWeights<float>>;
template class PrunedChart<SumOfWeights<double>>;
template class Derivations<PrunedChart<MaxOfLogs>>;

}  // namespace palmette

#include "chart_pruned.hpp"

#include "flush_to_zero.hpp"

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
    words_ = n_ / 64 + 1;
    base_.assign(n_ * (n_ + 1) / 2, 0);
    offsets_.clear();
    ends_.assign(grammar_->coarse_symbols() * (n_ + 1) * words_, 0);
    starts_.assign(grammar_->coarse_symbols() * (n_ + 1) * words_, 0);
    std::size_t room = 0;
    for (std::size_t end = 1; end <= n_; ++end)
        for (std::size_t start = 0; start < end; ++start) {
            base_[ChartItems::span(start, end)] = static_cast<std::uint32_t>(offsets_.size());
            alive_->each(start, end, [&](std::size_t coarse) {
                offsets_.push_back(room);
                room += grammar_->size(coarse);
                ends_[(coarse * (n_ + 1) + start) * words_ + end / 64] |= std::uint64_t{1} << end % 64;
                starts_[(coarse * (n_ + 1) + end) * words_ + start / 64] |= std::uint64_t{1} << start % 64;
            });
        }
    inside_.assign(room, S::kZero);
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
    for (std::size_t end = 1; end <= n; ++end)
        for (std::size_t start = end; start-- > 0;) {
            std::size_t item = base_[ChartItems::span(start, end)];
            const std::size_t first = item;
            if (end - start > 1)
                alive.each(start, end, [&](std::size_t coarse) {
                    T* const parents = inside_.data() + offsets_[item++];
                    for (const RefinedGrammar::Group& group : grammar.groups_of(coarse))
                        each_split(start, end, group, [&](std::size_t k) {
                            const T* lefts = inside_.data() + offset(start, k, static_cast<std::size_t>(group.left));
                            const T* rights = inside_.data() + offset(k, end, static_cast<std::size_t>(group.right));
                            for (std::uint32_t r = group.begin; r < group.end; ++r) {
                                const RefinedGrammar::Rule& rule = rules[r];
                                T& parent = parents[rule.parent];
                                parent = S::plus(parent, S::times(rule_weight<S>(rule), S::times(lefts[rule.left], rights[rule.right])));
                            }
                        });
                });
            if (end - start == 1 || item > first) close(start, end);
        }
    return value(0, n, static_cast<std::size_t>(grammar.fine().root()));
}

template <class S>
void PrunedChart<S>::close(std::size_t start, std::size_t end) {
    const ChartGrammar& fine = grammar_->fine();
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
                open(start, end);
                if (end - start == 1) continue;
                std::size_t item = base_[ChartItems::span(start, end)];
                alive_->each(start, end, [&](std::size_t coarse) {
                    const std::size_t at = offsets_[item++];
                    const T* const above = outside_.data() + at;
                    T any = 0;
                    for (std::size_t r = 0; r < grammar_->size(coarse); ++r) any += above[r];
                    if (any == 0) return;
                    for (const RefinedGrammar::Group& group : grammar_->groups_of(coarse))
                        each_split(start, end, group, [&](std::size_t k) {
                            const std::size_t left = offset(start, k, static_cast<std::size_t>(group.left)), right = offset(k, end, static_cast<std::size_t>(group.right));
                            const T *lefts = inside_.data() + left, *rights = inside_.data() + right;
                            T *left_out = outside_.data() + left, *right_out = outside_.data() + right;
                            for (std::uint32_t r = group.begin; r < group.end; ++r) {
                                const RefinedGrammar::Rule& rule = rules[r];
                                const T share = rule_weight<S>(rule) * above[rule.parent];
                                left_out[rule.left] += share * rights[rule.right];
                                right_out[rule.right] += share * lefts[rule.left];
                            }
                        });
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

#include "structures/chart/refined.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <tuple>

namespace palmette {

RefinedGrammar::RefinedGrammar(const ChartGrammar& fine, std::int32_t coarse_symbols, std::span<const std::int32_t> coarse_of)
    : fine_(&fine), places_(coarse_of.size()) {
    if (coarse_of.size() != static_cast<std::size_t>(fine.symbols()) || coarse_symbols < 1)
        throw std::invalid_argument("every symbol of a grammar needs the coarse one that it projects to");
    sizes_.assign(static_cast<std::size_t>(coarse_symbols), 0);
    for (std::size_t s = 0; s < coarse_of.size(); ++s) {
        if (coarse_of[s] < 0 || coarse_of[s] >= coarse_symbols) throw std::invalid_argument("a symbol projects to a coarse one that is not there");
        places_[s] = {coarse_of[s], static_cast<std::int32_t>(sizes_[static_cast<std::size_t>(coarse_of[s])]++)};
    }
    for (std::uint32_t size : sizes_)
        if (size > 65535) throw std::invalid_argument("more than 65,535 symbols project to one coarse symbol");
    member_begin_.assign(sizes_.size() + 1, 0);
    std::partial_sum(sizes_.begin(), sizes_.end(), member_begin_.begin() + 1);
    members_.resize(coarse_of.size());
    for (std::size_t s = 0; s < coarse_of.size(); ++s)
        members_[member_begin_[static_cast<std::size_t>(places_[s].coarse)] + static_cast<std::uint32_t>(places_[s].rank)] = static_cast<std::int32_t>(s);

    const auto& binary = fine.binary();
    std::vector<std::uint32_t> order;
    for (std::uint32_t k = 0; k < binary.size(); ++k)
        if (std::isfinite(binary[k].log_weight)) order.push_back(k);
    const auto coarse = [&](std::int32_t symbol) { return coarse_of[static_cast<std::size_t>(symbol)]; };
    const auto key = [&](std::uint32_t k) { return std::tuple(coarse(binary[k].parent), coarse(binary[k].left), coarse(binary[k].right)); };
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) { return key(a) < key(b); });
    group_begin_.assign(sizes_.size() + 1, 0);
    for (std::size_t k = 0; k < order.size(); ++k) {
        const BinaryRule& rule = binary[order[k]];
        if (k == 0 || key(order[k]) != key(order[k - 1])) {
            groups_.push_back({coarse(rule.left), coarse(rule.right), static_cast<std::uint32_t>(k), 0});
            ++group_begin_[static_cast<std::size_t>(coarse(rule.parent)) + 1];
        }
        groups_.back().end = static_cast<std::uint32_t>(k + 1);
        const auto rank = [&](std::int32_t symbol) { return static_cast<std::uint16_t>(places_[static_cast<std::size_t>(symbol)].rank); };
        rules_.push_back({rank(rule.parent), rank(rule.left), rank(rule.right), 0, rule.log_weight, static_cast<float>(std::exp(static_cast<double>(rule.log_weight)))});
    }
    std::partial_sum(group_begin_.begin(), group_begin_.end(), group_begin_.begin());
    if (sizes_.size() > 4096) throw std::invalid_argument("a coarse grammar has at most 4,096 symbols");
    index_pairs();
    index_unary();
}

void RefinedGrammar::index_pairs() {
    const std::size_t m = sizes_.size();
    made_begin_.assign(m * m + 1, 0);
    for (const Group& group : groups_) ++made_begin_[static_cast<std::size_t>(group.left) * m + static_cast<std::size_t>(group.right) + 1];
    std::partial_sum(made_begin_.begin(), made_begin_.end(), made_begin_.begin());
    made_.resize(groups_.size());
    std::vector<std::uint32_t> next(made_begin_.begin(), made_begin_.end() - 1);
    for (std::size_t parent = 0; parent < m; ++parent)
        for (const Group& group : groups_of(parent))
            made_[next[static_cast<std::size_t>(group.left) * m + static_cast<std::size_t>(group.right)]++] = {static_cast<std::int32_t>(parent), group.begin, group.end};
}

void RefinedGrammar::index_unary() {
    if (fine_->has_cycles()) return;  // those close block by block
    std::vector<int> height(static_cast<std::size_t>(fine_->symbols()), 0);
    const auto& rules = fine_->block_rules();  // lower symbols first
    for (const IndexedRule& rule : rules) {
        int& above = height[static_cast<std::size_t>(rule.right)];
        above = std::max(above, height[static_cast<std::size_t>(rule.left)] + 1);
    }
    std::vector<std::uint32_t> order(rules.size());
    std::iota(order.begin(), order.end(), 0u);
    const auto key = [&](std::uint32_t r) {
        const auto parent = static_cast<std::size_t>(rules[r].right), child = static_cast<std::size_t>(rules[r].left);
        return std::tuple(height[parent], places_[parent].coarse, places_[child].coarse);
    };
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) { return key(a) < key(b); });
    for (std::uint32_t k = 0; k < order.size(); ++k) {
        const auto [unused, parent, child] = key(order[k]);
        if (k == 0 || key(order[k]) != key(order[k - 1])) unary_groups_.push_back({parent, child, k, k});
        unary_groups_.back().end = k + 1;
        const IndexedRule& rule = rules[order[k]];
        unary_rules_.push_back({places_[static_cast<std::size_t>(rule.right)].rank, places_[static_cast<std::size_t>(rule.left)].rank, rule.log_weight,
                                static_cast<float>(std::exp(static_cast<double>(rule.log_weight)))});
    }
}

}  // namespace palmette

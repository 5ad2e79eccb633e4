#include "chart_refined.hpp"

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
}

}  // namespace palmette

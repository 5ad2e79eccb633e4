#include "tools/constituency/latent/grammar.hpp"

#include <stdexcept>
#include <string>

namespace palmette {

void LatentRules::check() const {
    if (parent.size() != left.size() || parent.size() != right.size() || upper.size() != lower.size())
        throw std::invalid_argument("rules need a parent and children each; the arrays differ in length");
    for (const auto* symbols : {&parent, &left, &right, &upper, &lower})
        for (std::int32_t symbol : *symbols)
            if (symbol < 0 || symbol >= n_symbols)
                throw std::invalid_argument("a rule has symbol " + std::to_string(symbol) + " of " +
                                            std::to_string(n_symbols));
}

LatentLayout::LatentLayout(const LatentRules& rules, std::vector<std::int32_t> counts) : substates(std::move(counts)) {
    if (substates.size() != static_cast<std::size_t>(rules.n_symbols))
        throw std::invalid_argument("every symbol needs its number of substates");
    row.push_back(0);
    for (std::int32_t n : substates) {
        if (n < 1 || n > 1024) throw std::invalid_argument("a symbol has 1 to 1024 substates; got " + std::to_string(n));
        row.push_back(row.back() + padded(n));
    }
    binary.push_back(0);
    for (std::size_t r = 0; r < rules.n_binary(); ++r)
        binary.push_back(binary.back() + static_cast<std::size_t>(substates[rules.parent[r]]) * substates[rules.left[r]] *
                                             padded(substates[rules.right[r]]));
    unary.push_back(0);
    for (std::size_t r = 0; r < rules.n_unary(); ++r)
        unary.push_back(unary.back() +
                        static_cast<std::size_t>(substates[rules.upper[r]]) * padded(substates[rules.lower[r]]));
}

LatentGrammar::LatentGrammar(const LatentRules& rules, std::vector<std::int32_t> substates)
    : layout(rules, std::move(substates)),
      binary(layout.binary.back()),
      unary(layout.unary.back()),
      same(layout.width()),
      root(layout.width()) {}

LatentGrammar projected(const LatentRules& rules, const LatentGrammar& fine, const std::vector<std::int32_t>& group,
                        const std::vector<std::int32_t>& groups, const std::vector<float>& mass) {
    const LatentLayout& from = fine.layout;
    if (group.size() != from.width() || mass.size() != from.width())
        throw std::invalid_argument("a projection needs a group and a frequency of every substate");
    LatentGrammar coarse(rules, groups);
    const LatentLayout& to = coarse.layout;
    std::vector<float> share(from.width());  // P(x given its group)
    std::vector<float> total(to.width());
    for (int a = 0; a < rules.n_symbols; ++a)
        for (int x = 0; x < from.substates[a]; ++x) {
            const std::int32_t g = group[from.row[a] + x];
            if (g < 0 || g >= to.substates[a]) throw std::invalid_argument("a substate is in a group that is not there");
            total[to.row[a] + g] += mass[from.row[a] + x];
        }
    for (int a = 0; a < rules.n_symbols; ++a)
        for (int x = 0; x < from.substates[a]; ++x) {
            const std::size_t at = from.row[a] + x, place = to.row[a] + group[at];
            share[at] = total[place] > 0 ? mass[at] / total[place] : 0;
            coarse.same[place] += share[at] * fine.same[at];
            coarse.root[place] += fine.root[at];
        }
    const auto grouped = [&](int symbol, int x) { return group[from.row[symbol] + x]; };
    for (std::size_t rule = 0; rule < rules.n_binary(); ++rule) {
        const int a = rules.parent[rule], b = rules.left[rule], c = rules.right[rule];
        const int n_b = from.substates[b], n_c = from.substates[c];
        const float* w = fine.binary.data() + from.binary[rule];
        float* v = coarse.binary.data() + to.binary[rule];
        for (int x = 0; x < from.substates[a]; ++x)
            for (int y = 0; y < n_b; ++y, w += padded(n_c)) {
                float* line = v + (static_cast<std::size_t>(grouped(a, x)) * to.substates[b] + grouped(b, y)) *
                                      padded(to.substates[c]);
                for (int z = 0; z < n_c; ++z) line[grouped(c, z)] += share[from.row[a] + x] * w[z];
            }
    }
    for (std::size_t rule = 0; rule < rules.n_unary(); ++rule) {
        const int a = rules.upper[rule], c = rules.lower[rule];
        const float* w = fine.unary.data() + from.unary[rule];
        float* v = coarse.unary.data() + to.unary[rule];
        for (int x = 0; x < from.substates[a]; ++x, w += padded(from.substates[c]))
            for (int z = 0; z < from.substates[c]; ++z)
                v[grouped(a, x) * padded(to.substates[c]) + grouped(c, z)] += share[from.row[a] + x] * w[z];
    }
    return coarse;
}

}  // namespace palmette

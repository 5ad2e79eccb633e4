#include "structures/chart/counts.hpp"

#include <cmath>

namespace palmette {

namespace {

double emission_weight(const Emissions& emissions, const ChartSums<double>& sums, std::size_t k) {
    const auto at = static_cast<std::size_t>(emissions.positions[k]);
    return std::exp(static_cast<double>(emissions.log_weights[k]) + sums.scale(at + 1) - sums.scale(at));
}

}  // namespace

void add_expected_counts(const ChartGrammar& grammar, const Emissions& emissions, const ChartSums<double>& sums, std::span<double> binary,
                         std::span<double> unary, std::span<double> emitted) {
    const ChartRows<double>&in = sums.inside(), &out = sums.outside();
    const std::size_t n = in.n();
    for (std::size_t end = 1; end <= n; ++end) {
        const std::uint8_t* alive = out.alive(end);
        for (std::size_t parent = 0; parent < static_cast<std::size_t>(grammar.symbols()); ++parent) {
            if (!alive[parent]) continue;
            const double* above = out.row(end, parent);
            for (const IndexedRule& rule : grammar.with_parent(parent)) {
                const double* rights = in.row(end, static_cast<std::size_t>(rule.right));
                double sum = 0;
                for (std::size_t k = 1; k < end; ++k) {
                    if (rights[k] == 0) continue;
                    const double* lefts = in.row(k, static_cast<std::size_t>(rule.left));
                    double dot = 0;
                    for (std::size_t i = 0; i < k; ++i) dot += above[i] * lefts[i];
                    sum += dot * rights[k];
                }
                binary[static_cast<std::size_t>(rule.original)] += sum * std::exp(static_cast<double>(rule.log_weight));
            }
            for (std::int32_t u : grammar.unary_of(parent)) {
                const UnaryRule& rule = grammar.unary()[static_cast<std::size_t>(u)];
                const double* below = in.row(end, static_cast<std::size_t>(rule.child));
                double sum = 0;
                for (std::size_t i = 0; i < end; ++i) sum += above[i] * below[i];
                unary[static_cast<std::size_t>(u)] += sum * std::exp(static_cast<double>(rule.log_weight));
            }
        }
    }
    for (std::size_t k = 0; k < emissions.positions.size(); ++k) {
        const auto at = static_cast<std::size_t>(emissions.positions[k]), symbol = static_cast<std::size_t>(emissions.symbols[k]);
        if (in.at(at, at + 1, symbol) > 0) emitted[k] += out.at(at, at + 1, symbol) * emission_weight(emissions, sums, k);
    }
}

Derivation sampled_derivation(const ChartGrammar& grammar, const Emissions& emissions, const ChartSums<double>& sums, std::mt19937_64& random) {
    struct Item {
        std::size_t start, end, symbol;
    };
    const ChartRows<double>& in = sums.inside();
    std::uniform_real_distribution<double> uniform(0.0, 1.0);
    Derivation tree;
    std::vector<Item> todo{{0, in.n(), static_cast<std::size_t>(grammar.root())}};
    while (!todo.empty()) {
        const auto [i, j, symbol] = todo.back();
        todo.pop_back();
        double left = uniform(random) * in.at(i, j, symbol);
        std::int32_t rule = kEmitted;
        std::size_t split = 0, first = 0, second = 0;
        // The first way at which nothing is left; the very last way, should rounding leave something.
        const auto take = [&](double weight, std::int32_t code, std::size_t k, std::size_t a, std::size_t b) {
            if (!(weight > 0) || left < 0) return;
            left -= weight;
            rule = code;
            split = k;
            first = a;
            second = b;
        };
        if (j == i + 1)
            for (std::size_t k = 0; k < emissions.positions.size(); ++k)
                if (static_cast<std::size_t>(emissions.positions[k]) == i && static_cast<std::size_t>(emissions.symbols[k]) == symbol)
                    take(emission_weight(emissions, sums, k), kEmitted, 0, 0, 0);
        for (std::int32_t u : grammar.unary_of(symbol)) {
            const UnaryRule& each = grammar.unary()[static_cast<std::size_t>(u)];
            take(std::exp(static_cast<double>(each.log_weight)) * in.at(i, j, static_cast<std::size_t>(each.child)), unary_code(u), 0, static_cast<std::size_t>(each.child), 0);
        }
        for (const IndexedRule& each : grammar.with_parent(symbol)) {
            if (left < 0) break;
            const double weight = std::exp(static_cast<double>(each.log_weight));
            for (std::size_t k = i + 1; k < j; ++k)
                take(weight * in.at(i, k, static_cast<std::size_t>(each.left)) * in.at(k, j, static_cast<std::size_t>(each.right)), each.original, k,
                     static_cast<std::size_t>(each.left), static_cast<std::size_t>(each.right));
        }
        tree.push_back({static_cast<std::int32_t>(symbol), static_cast<std::int32_t>(i), static_cast<std::int32_t>(j), rule});
        if (rule == kEmitted) continue;
        if (rule >= 0) todo.push_back({split, j, second});
        todo.push_back({i, rule >= 0 ? split : j, first});
    }
    return tree;
}

}  // namespace palmette

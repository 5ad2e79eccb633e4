#include "structures/chart/best.hpp"

#include "base/interrupt.hpp"

namespace palmette {

float ChartBest::run(const ChartGrammar& grammar, const Emissions& emissions, std::size_t n, const ChartItems* allowed, const ChartClosure& closure) {
    pass_.begin(grammar, n, allowed, closure, rows_);
    std::size_t next = 0;
    for (std::size_t end = 1; end <= n; ++end) {
        check_interrupt();
        pass_.column(end, [&](auto put) {
            for (; next < emissions.positions.size() && static_cast<std::size_t>(emissions.positions[next]) < end; ++next)
                put(static_cast<std::size_t>(emissions.symbols[next]), emissions.log_weights[next]);
        });
        pass_.finish(end);
    }
    return rows_.at(0, n, static_cast<std::size_t>(grammar.root()));
}

double derivation_score(const ChartGrammar& grammar, const Emissions& emissions, const Derivation& tree) {
    double score = 0;
    for (const DerivationNode& node : tree) {
        if (node.rule >= 0) {
            score += grammar.binary()[static_cast<std::size_t>(node.rule)].log_weight;
        } else if (is_unary_code(node.rule)) {
            score += grammar.unary()[static_cast<std::size_t>(unary_number(node.rule))].log_weight;
        } else {
            float best = -std::numeric_limits<float>::infinity();
            const auto here = std::equal_range(emissions.positions.begin(), emissions.positions.end(), node.start);
            for (auto p = here.first; p != here.second; ++p) {
                const auto k = static_cast<std::size_t>(p - emissions.positions.begin());
                if (emissions.symbols[k] == node.symbol) best = std::max(best, emissions.log_weights[k]);
            }
            score += best;
        }
    }
    return score;
}

template class Derivations<ChartBest>;

}  // namespace palmette

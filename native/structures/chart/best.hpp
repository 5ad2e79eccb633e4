// The Viterbi chart of a sentence: the best log weight of every item (CKY; CSC 448, §10.1).
#pragma once
#include "structures/chart/derivations.hpp"
#include "structures/chart/inside.hpp"

namespace palmette {

class ChartBest {
public:
    // The log weight of the best tree; -inf if there is none.
    float run(const ChartGrammar& grammar, const Emissions& emissions, std::size_t n, const ChartItems* allowed = nullptr,
              const ChartClosure& closure = {});
    float value(std::size_t start, std::size_t end, std::size_t symbol) const { return rows_.at(start, end, symbol); }
    bool has_items(std::size_t, std::size_t) const { return true; }
    const ChartRows<float>& rows() const { return rows_; }

private:
    ChartRows<float> rows_;
    InsidePass<MaxOfLogs> pass_;
};

extern template class Derivations<ChartBest>;

}  // namespace palmette

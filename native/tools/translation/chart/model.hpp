// What a search by synchronous rules works with: the rules, the language model, the weights and the limits.
//
// The score of a derivation is w · Φ, in natural logarithms. Φ has these values, in this order:
//
//     lm, words, rules, glue, unknown, hierarchical, the columns of the table
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "tools/lm/query.hpp"
#include "tools/translation/rules/rule_table.hpp"
#include "tools/translation/search/model.hpp"

namespace palmette {

struct ChartLimits {
    std::uint32_t pop_limit = 100;    // candidates that a cell takes, best first (cube pruning); 0: all
    std::uint32_t span = 15;          // longest span of a rule, in words; glue has no limit
    std::uint32_t table_limit = 20;   // rules of a source side; 0: all
    std::uint32_t unary = 1;          // rules over one nonterminal alone that may follow each other
    bool growing = false;             // cube growing in place of cube pruning
    std::uint64_t most = 50'000'000;  // candidates of a sentence, before the search is refused
};

// Where the values of Φ are.
struct ChartLayout {
    static constexpr int lm = 0, words = 1, rules = 2, glue = 3, unknown = 4, hierarchical = 5, columns = 6;
    int n_columns = 0;

    int size() const { return columns + n_columns; }
};

struct ChartModel {
    RuleTableView table;
    const NgramQuery* lm = nullptr;          // may be absent
    std::span<const std::uint32_t> lm_ids;   // of the target words
    ChartLayout layout;
    std::vector<double> weights;
    ChartLimits limits;
    std::vector<std::uint16_t> copy_labels;  // left sides of copied words and given translations, at least one
};

}  // namespace palmette

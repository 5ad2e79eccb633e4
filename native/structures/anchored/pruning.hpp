// The first pass of a feature-rich parser: of many sentences, the items that a plain grammar of the same symbols finds
// likely, and that constraints allow.
#pragma once
#include <cstdint>
#include <vector>

#include "structures/chart/grammar.hpp"
#include "structures/anchored/graph.hpp"

namespace palmette {

struct EmissionTable {
    std::size_t n_sentences = 0;
    const std::int64_t* offsets = nullptr;  // sentence i has offsets[i + 1] - offsets[i] words
    const std::int64_t* rows = nullptr;     // and the emissions rows[i] …
    const std::int32_t* positions = nullptr;
    const std::int32_t* symbols = nullptr;
    const float* log_weights = nullptr;
    const std::int64_t* constraint_rows = nullptr;  // null: there are none
    const AnchoredConstraint* constraints = nullptr;
};

struct AnchoredItems {
    std::vector<std::int64_t> rows;
    std::vector<AnchoredItem> items;  // sorted
    std::vector<double> log_z;        // minus infinity where there is no tree; then there are no items
};

AnchoredItems prune_sentences(const ChartGrammar& chart, const AnchoredGrammar& grammar, const EmissionTable& table, double threshold, int n_jobs);

}  // namespace palmette

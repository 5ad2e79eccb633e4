// What a search by rules has kept as a hypergraph: an edge is a rule over the vertices of its nonterminals, in source order.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "inference/hypergraph.hpp"
#include "tools/translation/chart/decoder.hpp"

namespace palmette {

struct ChartGraph {
    Hypergraph graph;                         // part e is edge e; all edges into a node come before those that leave it
    std::vector<double> features;             // Φ of each edge
    std::vector<std::uint32_t> begin, end;    // source words of each edge
    std::vector<std::uint32_t> rule;          // of the table, or as ChartRule has it
    std::vector<std::uint32_t> label;         // the left side of each edge; of glue and the end: ChartRule::kGlue
    std::vector<std::int64_t> item_start{0};  // target side of edge e: items[item_start[e]] …
    std::vector<std::int32_t> items;          // a word, or −1 − t for tail t
    bool exact = true;

    std::vector<double> scores(std::span<const double> weights) const;
};

// The graph of the last search; best: only the best derivation, as cube pruning keeps it.
ChartGraph chart_graph_of(const ChartDecoder& decoder, bool best);

}  // namespace palmette

// Many sentences at once, over threads: the best translations, the k best, or the graphs.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "tools/translation/chart/graph.hpp"
#include "tools/translation/search/batch.hpp"

namespace palmette {

// Translations of several sentences in flat arrays. A phrase is a run of target words of one rule, with the source words that
// it is linked to. The rules of translation t are rule_start[t] …, in preorder, tails in source order.
struct ChartBatch : TranslationBatch {
    std::vector<std::int64_t> rule_start{0};
    std::vector<std::uint32_t> rule, rule_begin, rule_end, rule_label, rule_tails;
    std::vector<std::int64_t> item_start{0};
    std::vector<std::int32_t> items;  // target sides, as in ChartGraph

    void append(const ChartBatch& other);
};

ChartBatch translate_chart(const ChartModel& model, std::span<const SourceSentence> sentences, int n_jobs);
ChartBatch translate_chart_kbest(const ChartModel& model, std::span<const SourceSentence> sentences, const KBest& wanted, int n_jobs);
std::vector<ChartGraph> chart_graphs(const ChartModel& model, std::span<const SourceSentence> sentences, int n_jobs);

// The k best of one graph under other weights than those it was made with.
ChartBatch chart_kbest_of(const ChartGraph& graph, const RuleTableView& table, std::span<const double> weights, const KBest& wanted);

// One derivation of a graph, its edges in preorder. Throws std::invalid_argument if they derive something else.
ChartBatch chart_derivation(const ChartGraph& graph, const RuleTableView& table, std::span<const double> weights,
                            std::span<const std::int32_t> edges);

}  // namespace palmette

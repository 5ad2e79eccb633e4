#include "tools/translation/chart/batch.hpp"

#include <algorithm>
#include <memory>
#include <stdexcept>

#include "base/parallel.hpp"
#include "inference/derivations.hpp"
#include "tools/translation/chart/distinct.hpp"

namespace palmette {

namespace {

using u32 = std::uint32_t;

template <class T>
void extend_values(std::vector<T>& values, const std::vector<T>& more) {
    values.insert(values.end(), more.begin(), more.end());
}

void extend_offsets(std::vector<std::int64_t>& starts, const std::vector<std::int64_t>& more) {
    const std::int64_t base = starts.back();
    for (std::size_t k = 1; k < more.size(); ++k) starts.push_back(base + more[k]);
}

// One derivation of a graph, edges in preorder, read in the order of the target.
class DerivationReader {
public:
    DerivationReader(const ChartGraph& graph, const RuleTableView& table) : graph_(graph), table_(table) {}

    void read(std::span<const std::int32_t> edges, std::vector<u32>& words) {
        edges_ = edges;
        find_children();
        words.clear();
        each_item([&](std::size_t, std::size_t, std::int32_t item) { words.push_back(static_cast<u32>(item)); });
    }

    // Appends the runs of words as phrases.
    void add_phrases(ChartBatch& made) {
        std::size_t run_at = edges_.size(), run_item = 0, run_size = 0;
        const auto close = [&] {
            if (run_size) add_run(made, run_at, run_item, run_size);
            run_size = 0;
        };
        each_item([&](std::size_t at, std::size_t item, std::int32_t) {
            if (at != run_at || item != run_item + run_size) {
                close();
                run_at = at;
                run_item = item;
            }
            ++run_size;
        });
        close();
    }

private:
    // child_[child_start_[k] + t] is the place of tail t of the k-th edge.
    void find_children() {
        child_start_.assign(1, 0);
        for (const std::int32_t e : edges_) child_start_.push_back(child_start_.back() + graph_.graph.tails(e).size());
        child_.assign(child_start_.back(), 0);
        std::vector<std::pair<std::size_t, std::size_t>> open;  // edge, tails met
        for (std::size_t k = 0; k < edges_.size(); ++k) {
            while (!open.empty() && open.back().second == child_start_[open.back().first + 1] - child_start_[open.back().first]) open.pop_back();
            if (!open.empty()) child_[child_start_[open.back().first] + open.back().second++] = k;
            open.push_back({k, 0});
        }
    }

    // Calls take(place of the edge, place of the item, word) for the words from left to right.
    template <class Take>
    void each_item(Take take) const {
        std::vector<std::pair<std::size_t, std::size_t>> open{{0, 0}};
        while (!open.empty()) {
            auto& [at, item] = open.back();
            const std::int64_t first = graph_.item_start[edges_[at]], n = graph_.item_start[edges_[at] + 1] - first;
            if (static_cast<std::int64_t>(item) == n) {
                open.pop_back();
                continue;
            }
            const std::int32_t found = graph_.items[first + static_cast<std::int64_t>(item)];
            const std::size_t place = at, where = item++;
            if (found >= 0)
                take(place, where, found);
            else
                open.push_back({child_[child_start_[place] + static_cast<std::size_t>(-1 - found)], 0});
        }
    }

    void add_run(ChartBatch& made, std::size_t at, std::size_t item, std::size_t size) {
        const std::int32_t e = edges_[at];
        const u32 begin = graph_.begin[e], end = graph_.end[e], rule = graph_.rule[e];
        std::vector<std::pair<u32, u32>> links;  // source word, target word in the run
        u32 from = begin, to = end;
        if (rule < ChartRule::kEnd) {
            // The source words at the positions of the source side; kNone for nonterminals.
            places_.clear();
            std::size_t t = 0;
            const std::size_t n_tails = graph_.graph.tails(e).size();
            for (u32 place = begin; place < end;) {
                const std::int32_t tail = t < n_tails ? edges_[child_[child_start_[at] + t]] : -1;
                if (tail >= 0 && graph_.begin[tail] == place) {
                    places_.push_back(CubeSearch::kNone);
                    place = graph_.end[tail];
                    ++t;
                } else {
                    places_.push_back(place++);
                }
            }
            const std::size_t n_items = static_cast<std::size_t>(graph_.item_start[e + 1] - graph_.item_start[e]);
            for (const std::uint16_t link : table_.links_of(rule, places_.size(), n_items)) {
                const u32 source = places_[link >> 8], target = link & 255;
                if (source != CubeSearch::kNone && target >= item && target < item + size)
                    links.push_back({source, target - static_cast<u32>(item)});
            }
            if (n_tails) {
                // As narrow as the links, or else the words of the rule, allow.
                u32 low = end, high = begin;
                for (const auto& [source, target] : links) low = std::min(low, source), high = std::max(high, source + 1);
                if (low >= high)
                    for (const u32 place : places_)
                        if (place != CubeSearch::kNone) low = std::min(low, place), high = std::max(high, place + 1);
                if (low < high) from = low, to = high;
            }
        } else {
            for (u32 i = begin; i < std::min(end, begin + 256); ++i)
                for (u32 j = 0; j < std::min<u32>(static_cast<u32>(size), 256); ++j) links.push_back({i, j});
        }
        made.begin.push_back(from);
        made.end.push_back(to);
        made.pair.push_back(rule);
        made.n_words.push_back(static_cast<u32>(size));
        for (const auto& [source, target] : links) made.links.push_back(static_cast<std::uint16_t>((source - from) << 8 | target));
        made.link_start.push_back(static_cast<std::int64_t>(made.links.size()));
    }

    const ChartGraph& graph_;
    const RuleTableView& table_;
    std::span<const std::int32_t> edges_;
    std::vector<std::size_t> child_start_, child_;
    std::vector<u32> places_;
};

template <class Work>
void each_chart(const ChartModel& model, std::span<const SourceSentence> sentences, int n_jobs, Work work) {
    std::vector<std::unique_ptr<ChartDecoder>> decoders(static_cast<std::size_t>(std::max(1, n_jobs)));
    parallel(sentences.size(), n_jobs, [&](std::size_t s, std::size_t thread) {
        if (!decoders[thread]) decoders[thread] = std::make_unique<ChartDecoder>(model);
        decoders[thread]->run(sentences[s]);
        work(*decoders[thread], s);
    });
}

ChartBatch joined_charts(const std::vector<ChartBatch>& parts) {
    ChartBatch all;
    for (const ChartBatch& part : parts) all.append(part);
    return all;
}

}  // namespace

void ChartBatch::append(const ChartBatch& other) {
    TranslationBatch::append(other);
    extend_offsets(link_start, other.link_start);
    extend_values(links, other.links);
    extend_offsets(rule_start, other.rule_start);
    extend_values(rule, other.rule);
    extend_values(rule_begin, other.rule_begin);
    extend_values(rule_end, other.rule_end);
    extend_values(rule_label, other.rule_label);
    extend_values(rule_tails, other.rule_tails);
    extend_offsets(item_start, other.item_start);
    extend_values(items, other.items);
}

namespace {

// Appends a derivation that a reader has just read.
void add_derivation(ChartBatch& made, const ChartGraph& graph, DerivationReader& reader, std::span<const std::int32_t> edges,
                    std::span<const u32> words, double score, std::size_t n_features) {
    made.score.push_back(score);
    made.words.insert(made.words.end(), words.begin(), words.end());
    made.word_start.push_back(static_cast<std::int64_t>(made.words.size()));
    made.features.resize(made.features.size() + n_features, 0.0);
    double* row = &made.features[made.features.size() - n_features];
    for (const std::int32_t e : edges) {
        for (std::size_t f = 0; f < n_features; ++f) row[f] += graph.features[static_cast<std::size_t>(e) * n_features + f];
        made.rule.push_back(graph.rule[e]);
        made.rule_begin.push_back(graph.begin[e]);
        made.rule_end.push_back(graph.end[e]);
        made.rule_label.push_back(graph.label[e]);
        made.rule_tails.push_back(static_cast<u32>(graph.graph.tails(e).size()));
        made.items.insert(made.items.end(), graph.items.begin() + graph.item_start[e], graph.items.begin() + graph.item_start[e + 1]);
        made.item_start.push_back(static_cast<std::int64_t>(made.items.size()));
    }
    made.rule_start.push_back(static_cast<std::int64_t>(made.rule.size()));
    reader.add_phrases(made);
    made.phrase_start.push_back(static_cast<std::int64_t>(made.begin.size()));
}

}  // namespace

ChartBatch chart_derivation(const ChartGraph& graph, const RuleTableView& table, std::span<const double> weights,
                            std::span<const std::int32_t> edges) {
    // Whether these edges are a derivation: the next edge always derives the first tail that is still open.
    std::vector<std::int32_t> open{graph.graph.root};
    std::vector<std::int32_t> head(graph.begin.size());
    for (std::int32_t v = 0; v < graph.graph.n_nodes; ++v)
        for (std::int32_t e = graph.graph.edge_start[v]; e < graph.graph.edge_start[v + 1]; ++e) head[e] = v;
    double score = 0;
    for (const std::int32_t e : edges) {
        if (e < 0 || static_cast<std::size_t>(e) >= head.size() || open.empty() || open.back() != head[e])
            throw std::invalid_argument("these edges are not a derivation of the graph");
        open.pop_back();
        const auto tails = graph.graph.tails(e);
        for (std::size_t t = tails.size(); t-- > 0;) open.push_back(tails[t]);
        for (std::size_t f = 0; f < weights.size(); ++f) score += weights[f] * graph.features[static_cast<std::size_t>(e) * weights.size() + f];
    }
    if (!open.empty()) throw std::invalid_argument("these edges are not a derivation of the graph");
    ChartBatch made;
    made.prefix = {0};
    made.exact = {graph.exact};
    DerivationReader reader(graph, table);
    std::vector<u32> words;
    reader.read(edges, words);
    add_derivation(made, graph, reader, edges, words, score, weights.size());
    made.sentence_start.push_back(1);
    return made;
}

ChartBatch chart_kbest_of(const ChartGraph& graph, const RuleTableView& table, std::span<const double> weights, const KBest& wanted) {
    ChartBatch made;
    made.prefix = {0};
    made.exact = {graph.exact};
    if (graph.graph.root >= 0) {
        const std::vector<double> scores = graph.scores(weights);
        std::vector<u32> words;
        DerivationReader reader(graph, table);
        const Derivations found =
            wanted.distinct ? distinct_derivations(graph, scores, wanted.k) : kbest_derivations(graph.graph, scores, wanted.k);
        for (std::size_t d = 0; d < found.score.size(); ++d) {
            const auto edges = std::span<const std::int32_t>(found.edges).subspan(
                static_cast<std::size_t>(found.start[d]), static_cast<std::size_t>(found.start[d + 1] - found.start[d]));
            reader.read(edges, words);
            add_derivation(made, graph, reader, edges, words, found.score[d], weights.size());
        }
    }
    made.sentence_start.push_back(static_cast<std::int64_t>(made.score.size()));
    return made;
}

ChartBatch translate_chart(const ChartModel& model, std::span<const SourceSentence> sentences, int n_jobs) {
    std::vector<ChartBatch> parts(sentences.size());
    each_chart(model, sentences, n_jobs, [&](ChartDecoder& decoder, std::size_t s) {
        parts[s] = chart_kbest_of(chart_graph_of(decoder, !model.limits.growing), model.table, model.weights, {1, false, 1});
        parts[s].prefix = {decoder.longest_prefix()};
    });
    return joined_charts(parts);
}

ChartBatch translate_chart_kbest(const ChartModel& model, std::span<const SourceSentence> sentences, const KBest& wanted, int n_jobs) {
    std::vector<ChartBatch> parts(sentences.size());
    each_chart(model, sentences, n_jobs, [&](ChartDecoder& decoder, std::size_t s) {
        parts[s] = chart_kbest_of(chart_graph_of(decoder, false), model.table, model.weights, wanted);
        parts[s].prefix = {decoder.longest_prefix()};
    });
    return joined_charts(parts);
}

std::vector<ChartGraph> chart_graphs(const ChartModel& model, std::span<const SourceSentence> sentences, int n_jobs) {
    std::vector<ChartGraph> graphs(sentences.size());
    each_chart(model, sentences, n_jobs, [&](ChartDecoder& decoder, std::size_t s) { graphs[s] = chart_graph_of(decoder, false); });
    return graphs;
}

}  // namespace palmette

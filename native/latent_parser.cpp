#include "latent_parser.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace palmette {
namespace {

constexpr float kNever = -std::numeric_limits<float>::infinity();

float log_of(float p) { return p > 0 ? std::log(p) : kNever; }

}  // namespace

LatentParser::LatentParser(LatentRules rules, std::vector<std::uint8_t> made, std::vector<LatentMember> members)
    : rules_(std::move(rules)), made_(std::move(made)), members_(std::move(members)) {
    coarse_ = CoarseGrammar(rules_, members_.front().levels.front().grammar);
}

void LatentParser::weigh_words(const LatentMember& member, std::span<const std::int32_t> chains,
                               std::span<const std::int32_t> tags, int n, std::vector<float>& words) const {
    const LatentLayout& layout = member.grammar.layout;
    const std::size_t width = layout.width(), depth = member.lexicon.strength.size();
    words.assign(n * width, 0);
    for (int i = 0; i < n; ++i) {
        float* row = words.data() + i * width;
        member.lexicon.weigh(layout, chains.subspan(i * depth, depth), row);
        if (!tags.empty() && tags[i] >= 0) {
            bool any = false;
            for (std::size_t s = layout.row[tags[i]]; s < layout.row[tags[i] + 1]; ++s) any = any || row[s] > 0;
            for (std::int32_t tag : member.lexicon.tags)
                if (tag != tags[i]) std::fill(row + layout.row[tag], row + layout.row[tag + 1], 0.0f);
            if (!any) std::fill_n(row + layout.row[tags[i]], layout.substates[tags[i]], 1.0f);
        }
        float most = 0;
        for (std::size_t s = 0; s < width; ++s) most = std::max(most, row[s]);
        for (std::size_t s = 0; s < width; ++s) row[s] /= most;
    }
}

void LatentParser::project_words(const LatentMember& member, const LatentLevel& level, int n, std::span<const float> words,
                                 std::vector<float>& coarse) const {
    const LatentLayout &from = member.grammar.layout, &to = level.grammar.layout;
    coarse.assign(n * to.width(), 0);
    for (int i = 0; i < n; ++i)
        for (std::int32_t tag : member.lexicon.tags)
            for (int x = 0; x < from.substates[tag]; ++x) {
                const std::size_t at = from.row[tag] + x;
                coarse[i * to.width() + to.row[tag] + level.group[at]] += level.share[at] * words[i * from.width() + at];
            }
}

LatentParse LatentParser::parse(std::span<const std::int32_t> chains, std::span<const std::int32_t> tags,
                                const LatentSearch& search) const {
    LatentParse result;
    const LatentMember& first = members_.front();
    const int n = static_cast<int>(chains.size() / first.lexicon.strength.size());
    std::vector<float> words, coarse;
    weigh_words(first, chains, tags, n, words);
    project_words(first, first.levels.front(), n, words, coarse);
    std::vector<float> scalars(static_cast<std::size_t>(n) * rules_.n_symbols);
    for (int i = 0; i < n; ++i)
        for (int s = 0; s < rules_.n_symbols; ++s)
            scalars[i * rules_.n_symbols + s] = coarse[i * first.levels.front().grammar.layout.width() +
                                                       first.levels.front().grammar.layout.row[s]];
    LatentForest forest = coarse_.forest(rules_, scalars, n, search.thresholds.at(0));
    LatentSums sums;
    for (std::size_t l = 1; l < first.levels.size() && !forest.roots.empty(); ++l) {
        if (search.thresholds.at(l) <= 0) continue;
        project_words(first, first.levels[l], n, words, coarse);
        sums.run(rules_, first.levels[l].grammar, forest, coarse);
        forest = forest.pruned(sums.item, search.thresholds[l]);
    }
    result.n_items = forest.items.size();
    result.n_edges = forest.edges.size();
    if (forest.roots.empty()) return result;

    // What each edge, rise, and word is worth, over all grammars.
    std::vector<float> edges(forest.edges.size()), rises(forest.rises.size()), items(forest.items.size());
    for (const LatentMember& member : members_) {
        if (&member != &first) weigh_words(member, chains, tags, n, words);
        sums.run(rules_, member.grammar, forest, words);
        if (!std::isfinite(sums.log_z)) return result;
        result.log_z += sums.log_z;
        if (search.decoding == LatentDecoding::recall) {
            for (std::size_t v = 0; v < items.size(); ++v) items[v] += sums.item[v] / static_cast<float>(members_.size());
            for (std::size_t r = 0; r < rises.size(); ++r) rises[r] += sums.rise[r] / static_cast<float>(members_.size());
        } else {
            for (std::size_t e = 0; e < edges.size(); ++e) edges[e] += log_of(sums.edge[e]);
            for (std::size_t r = 0; r < rises.size(); ++r)
                if (forest.rises[r].rule >= 0 || search.same_power > 0)
                    rises[r] += (forest.rises[r].rule >= 0 ? 1 : search.same_power) * log_of(sums.rise[r]);
            for (std::size_t v = 0; v < items.size(); ++v)
                if (!forest.items[v].above && forest.items[v].end == forest.items[v].start + 1)
                    items[v] += search.word_power * log_of(sums.item[v]);
        }
    }
    // The best tree: of every item the best edge or rise.
    std::vector<float> best(forest.items.size(), kNever);
    std::vector<std::int32_t> choice(forest.items.size(), -1), rule_of(forest.items.size(), -1);
    const bool recall = search.decoding == LatentDecoding::recall;
    for (std::size_t v = 0; v < forest.items.size(); ++v) {
        const LatentForest::Item& at = forest.items[v];
        if (at.above) {
            for (std::int32_t r = at.first; r < at.last; ++r) {
                float value = best[forest.rises[r].item];
                if (!recall)
                    value += rises[r];
                else if (forest.rises[r].rule >= 0)
                    value += rises[r] - search.span_bonus;
                if (value > best[v]) best[v] = value, choice[v] = r;
            }
        } else if (at.end == at.start + 1) {
            best[v] = items[v];
        } else {
            for (std::int32_t b = at.first; b < at.last; ++b)
                for (std::int32_t e = forest.bundles[b].first; e < forest.bundles[b].last; ++e) {
                    const float value = best[forest.edges[e].left] + best[forest.edges[e].right] + (recall ? 0 : edges[e]);
                    if (value > best[v]) best[v] = value, choice[v] = e;
                }
            if (recall && !made_[at.symbol]) best[v] += items[v] - search.span_bonus;
        }
    }
    std::int32_t top = -1;
    for (std::int32_t root : forest.roots)
        if (top < 0 || best[root] > best[top]) top = root;
    if (best[top] == kNever) return result;
    result.found = true;
    result.score = best[top];
    std::vector<std::int32_t> todo{top};
    while (!todo.empty()) {
        const std::int32_t v = todo.back();
        todo.pop_back();
        const LatentForest::Item& at = forest.items[v];
        if (at.above) {
            const auto [rule, item] = forest.rises[choice[v]];
            if (rule >= 0) result.nodes.push_back({at.symbol, at.start, at.end, rule});
            todo.push_back(item);
        } else {
            result.nodes.push_back({at.symbol, at.start, at.end, -1});
            if (choice[v] >= 0) {
                todo.push_back(forest.edges[choice[v]].right);
                todo.push_back(forest.edges[choice[v]].left);
            }
        }
    }
    return result;
}

}  // namespace palmette

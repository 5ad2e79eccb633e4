#include "tools/translation/rules/rule_counts.hpp"

#include <algorithm>
#include <stdexcept>
#include <tuple>
#include <utility>

namespace palmette {

namespace {

constexpr std::size_t kRecordsKept = std::size_t{1} << 22;  // unmerged records that are worth no merging

bool same_rule(const RuleRecord& a, const RuleRecord& b) {
    return a.node[kRuleSource] == b.node[kRuleSource] && a.node[kRuleTarget] == b.node[kRuleTarget] && a.node[kRuleShape] == b.node[kRuleShape];
}

// Sums equal records, which are neighbours, from the first on.
void merge_neighbours(std::vector<RuleRecord>& records) {
    std::size_t kept = 0;
    for (std::size_t k = 0; k < records.size(); ++k) {
        if (kept && records[kept - 1].node == records[k].node) {
            RuleRecord& into = records[kept - 1];
            into.occurrences += records[k].occurrences;
            into.sentences += records[k].sentences;
            into.count += records[k].count;
        } else {
            records[kept++] = records[k];
        }
    }
    records.resize(kept);
}

}  // namespace

void RulePiece::add(const std::array<std::uint32_t, kRuleParts>& node, double count, float lex_source, float lex_target) {
    for (const int side : {kRuleSource, kRuleTarget}) {
        const std::size_t at = node[static_cast<std::size_t>(side)];
        auto& last = last_sentence_[static_cast<std::size_t>(side)];
        auto& sentences = side_sentences[static_cast<std::size_t>(side)];
        if (last.size() <= at) last.resize(at + at / 2 + 1), sentences.resize(at + at / 2 + 1);
        if (last[at] != sentence_) last[at] = sentence_, ++sentences[at];
    }
    records.push_back({node, 1, sentence_, lex_source, lex_target, count});
}

void RulePiece::finish() {
    std::stable_sort(records.begin(), records.end(), [](const RuleRecord& a, const RuleRecord& b) {
        return std::tie(a.node[kRuleSource], a.node[kRuleTarget], a.node[kRuleShape]) < std::tie(b.node[kRuleSource], b.node[kRuleTarget], b.node[kRuleShape]);
    });
    for (std::size_t begin = 0, end = 0; begin < records.size(); begin = end) {
        std::uint32_t last = 0;  // sentences are counted from 1, and rise
        while (end < records.size() && same_rule(records[begin], records[end])) {
            const std::uint32_t here = std::exchange(last, records[end].sentences);
            records[end].sentences = here != last;
            ++end;
        }
        std::stable_sort(records.begin() + static_cast<std::ptrdiff_t>(begin), records.begin() + static_cast<std::ptrdiff_t>(end),
                         [](const RuleRecord& a, const RuleRecord& b) { return a.node[kRuleVariant] < b.node[kRuleVariant]; });
    }
    merge_neighbours(records);
    for (auto& last : last_sentence_) std::vector<std::uint32_t>().swap(last);
}

void RuleSum::add(std::vector<RulePiece>&& pieces) {
    std::vector<std::array<std::vector<std::uint32_t>, kRuleParts>> moved(pieces.size());
    parallel(kRuleParts, n_jobs_, [&](std::size_t part, std::size_t) {
        for (std::size_t k = 0; k < pieces.size(); ++k) {
            PhraseTrie& from = pieces[k].tries[part];
            std::vector<std::uint32_t>& to = moved[k][part];
            to.resize(from.size());
            for (std::uint32_t v = 1; v < from.size(); ++v) to[v] = tries_[part].child(to[from.parent(v)], from.word(v));
            from = {};
            if (part > kRuleTarget) continue;
            auto& sentences = side_sentences_[part];
            sentences.resize(tries_[part].size());
            const auto& here = pieces[k].side_sentences[part];
            for (std::size_t v = 0; v < std::min(here.size(), to.size()); ++v) sentences[to[v]] += here[v];
        }
    });
    for (std::size_t k = 0; k < pieces.size(); ++k) {
        for (RuleRecord& record : pieces[k].records) {
            for (std::size_t part = 0; part < kRuleParts; ++part) record.node[part] = moved[k][part][record.node[part]];
            records_.push_back(record);
        }
        pieces[k] = {};
    }
    if (records_.size() > std::max(2 * merged_, kRecordsKept)) merge();
}

void RuleSum::merge() {
    // A counting sort by source node, and a sort inside each; equal records stay in the order of the text.
    std::vector<std::size_t> begin(tries_[kRuleSource].size() + 1);
    for (const RuleRecord& record : records_) ++begin[record.node[kRuleSource] + std::size_t{1}];
    for (std::size_t v = 1; v < begin.size(); ++v) begin[v] += begin[v - 1];
    {
        std::vector<RuleRecord> sorted(records_.size());
        std::vector<std::size_t> next(begin.begin(), begin.end() - 1);
        for (const RuleRecord& record : records_) sorted[next[record.node[kRuleSource]]++] = record;
        records_.swap(sorted);
    }
    constexpr std::size_t kNodes = 1 << 14;
    const std::size_t pieces = (begin.size() - 1 + kNodes - 1) / kNodes;
    parallel(pieces, n_jobs_, [&](std::size_t piece, std::size_t) {
        for (std::size_t v = piece * kNodes; v < std::min(begin.size() - 1, (piece + 1) * kNodes); ++v) {
            if (begin[v + 1] - begin[v] < 2) continue;
            std::stable_sort(records_.begin() + static_cast<std::ptrdiff_t>(begin[v]), records_.begin() + static_cast<std::ptrdiff_t>(begin[v + 1]),
                             [](const RuleRecord& a, const RuleRecord& b) { return a.node < b.node; });
        }
    });
    merge_neighbours(records_);
    merged_ = records_.size();
}

RuleCounts RuleSum::finish() && {
    merge();
    if (records_.size() >> 32) throw std::length_error("the text has more than four thousand million rules: allow shorter ones");
    RuleCounts found;
    std::size_t n = 0;
    for (std::size_t k = 0; k < records_.size(); ++k) n += k == 0 || !same_rule(records_[k - 1], records_[k]);
    for (auto* numbers : {&found.nodes.source_node, &found.nodes.target_node, &found.shape, &found.variant, &found.occurrences}) numbers->reserve(n);
    found.sentences.reserve(3 * n);
    found.count.reserve(n);
    found.lexical.reserve(2 * n);
    for (std::size_t first = 0, last = 0; first < records_.size(); first = last) {
        const RuleRecord* best = &records_[first];
        RuleRecord sum = records_[first];
        for (last = first + 1; last < records_.size() && same_rule(records_[first], records_[last]); ++last) {
            sum.occurrences += records_[last].occurrences;
            sum.sentences += records_[last].sentences;
            sum.count += records_[last].count;
            if (records_[last].occurrences > best->occurrences) best = &records_[last];
        }
        found.nodes.source_node.push_back(sum.node[kRuleSource]);
        found.nodes.target_node.push_back(sum.node[kRuleTarget]);
        found.shape.push_back(sum.node[kRuleShape]);
        found.variant.push_back(best->node[kRuleVariant]);
        found.occurrences.push_back(sum.occurrences);
        found.sentences.insert(found.sentences.end(), {side_sentences_[0][sum.node[kRuleSource]], side_sentences_[1][sum.node[kRuleTarget]], sum.sentences});
        found.count.push_back(sum.count);
        found.lexical.insert(found.lexical.end(), {best->lex_source, best->lex_target});
    }
    found.nodes.source = std::move(tries_[kRuleSource]);
    found.nodes.target = std::move(tries_[kRuleTarget]);
    found.shapes = std::move(tries_[kRuleShape]);
    found.variants = std::move(tries_[kRuleVariant]);
    return found;
}

}  // namespace palmette

#include "tools/constituency/lexicalized/batch.hpp"

#include <algorithm>

#include "base/parallel.hpp"

namespace palmette {
namespace {

SpanRules span_rules(const LabelSet& labels, int32_t n, std::span<const SpanRule> rules) {
    SpanRules made;
    if (rules.empty()) return made;
    const auto l = static_cast<size_t>(labels.size());
    made.closed.assign(cells_of(n), 0);
    made.whole.assign(cells_of(n), 0);
    made.forbidden.assign(cells_of(n) * l, 0);
    for (const SpanRule& rule : rules) {
        uint8_t* forbidden = &made.forbidden[cell_of(rule.start, rule.end) * l];
        for (size_t y = 0; y < l; ++y) {
            const bool named = rule.label < 0 || labels.plain[y] == rule.label;
            if (!labels.is_tag[y] && static_cast<int32_t>(y) != labels.root && named != rule.required) forbidden[y] = 1;
        }
        if (!rule.required) continue;
        made.whole[cell_of(rule.start, rule.end)] = 1;
        for (int32_t i = 0; i < n; ++i)
            for (int32_t j = i + 1; j <= n; ++j)
                if ((i < rule.start && rule.start < j && j < rule.end) || (rule.start < i && i < rule.end && rule.end < j)) made.closed[cell_of(i, j)] = 1;
    }
    return made;
}

}  // namespace

std::vector<LexicalAnswer> parse_all(const LexicalizedModel& model, const CoarseModel& coarse, const LexicalInput& input, const LexicalOptions& options, LexicalWish wish, size_t k, double offset,
                                     int n_jobs) {
    std::vector<LexicalAnswer> answers(input.size());
    parallel(input.size(), n_jobs, [&](size_t i, size_t) {
        const auto first = static_cast<size_t>(input.offsets[i]), n = static_cast<size_t>(input.offsets[i + 1]) - first;
        const auto own = std::equal_range(input.rules.begin(), input.rules.end(), SpanRule{static_cast<int32_t>(i), 0, 0, 0, false},
                                          [](const SpanRule& a, const SpanRule& b) { return a.sentence < b.sentence; });
        const SpanRules rules = span_rules(model.labels, static_cast<int32_t>(n), {own.first, own.second});
        const LexicalForest forest(model, coarse, input.types, input.tokens.subspan(first, n), input.tags.empty() ? input.tags : input.tags.subspan(first, n), rules, options);
        LexicalAnswer& answer = answers[i];
        answer.tightened = forest.tightened();
        answer.too_large = forest.too_large();
        if (!forest.parsed()) return;
        answer.parsed = true;
        answer.log_z = forest.log_z();
        switch (wish) {
            case LexicalWish::viterbi: answer.trees.push_back(forest.viterbi()); break;
            case LexicalWish::minimum_risk: answer.trees.push_back(forest.minimum_risk(offset)); break;
            case LexicalWish::kbest: answer.trees = forest.kbest(k); break;
            case LexicalWish::brackets: answer.brackets = forest.posteriors(); break;
        }
    });
    return answers;
}

}  // namespace palmette

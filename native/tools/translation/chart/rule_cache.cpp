#include "tools/translation/chart/rule_cache.hpp"

#include <algorithm>

#include "base/hashing.hpp"

namespace palmette {

namespace {

using u32 = std::uint32_t;
constexpr std::size_t kRulesTried = 5;  // times the limit: rules that the language model has scored before some are left out
constexpr std::size_t kMostRules = std::size_t{1} << 20;  // and parts, and words, before all are forgotten

}  // namespace

void RuleCache::begin(const ChartModel& model, const SourceSentence& sentence) {
    model_ = &model;
    sentence_ = &sentence;
    left_out_ = false;
    if (age_ && rules_.size() + parts_.size() + words_.size() < kMostRules) return;
    ++age_;
    rules_.clear();
    parts_.clear();
    words_.clear();
    lm_words_.clear();
    run_start_.assign(1, 0);
    run_estimates_.clear();
    entries_.clear();
    run_map_.clear();
    entry_map_.clear();
}

u32 RuleCache::run_of(std::span<const u32> words) {
    std::uint64_t key = words.size();
    for (const u32 word : words) key = combine(key, word);
    return run_map_.find_or_make(
        key, [&](u32 found) { return std::ranges::equal(this->words(found), words); },
        [&] {
            double sum = 0;
            NgramState state, next;
            for (const u32 word : words) {
                const u32 id = model_->lm ? lm_id(*model_, *sentence_, word) : 0;
                if (model_->lm) sum += lm_score(*model_->lm, state, id, next);
                state = next;
                lm_words_.push_back(id);
                words_.push_back(word);
            }
            run_start_.push_back(static_cast<u32>(words_.size()));
            run_estimates_.push_back(static_cast<float>(sum));
            return n_runs() - 1;
        });
}

// Cuts a target side into parts, and makes room for them.
ChartRule RuleCache::made(u32 rule, u32 left, std::span<const std::int32_t> items, u32 n_tails) {
    ChartRule one{};
    one.rule = rule;
    one.left = static_cast<std::uint16_t>(left);
    one.n_tails = static_cast<std::uint16_t>(n_tails);
    one.first_part = static_cast<u32>(parts_.size());
    buffer_.clear();
    const auto close = [&] {
        if (buffer_.empty()) return;
        parts_.push_back(static_cast<std::int32_t>(run_of(buffer_)));
        buffer_.clear();
    };
    for (const std::int32_t item : items) {
        if (item >= 0) {
            buffer_.push_back(static_cast<u32>(item));
            ++one.n_words;
        } else {
            close();
            parts_.push_back(item);
        }
    }
    close();
    one.n_parts = static_cast<std::uint16_t>(parts_.size() - one.first_part);
    return one;
}

void RuleCache::add_estimate(ChartRule& rule) const {
    double sum = 0;
    for (const std::int32_t part : parts(rule))
        if (part >= 0) sum += run_estimates_[part];
    rule.estimate = static_cast<float>(rule.score + model_->weights[ChartLayout::lm] * sum);
}

double RuleCache::score_of(u32 rule) const {
    const auto scores = model_->table.scores_of(rule);
    double sum = 0;
    for (std::size_t k = 0; k < scores.size(); ++k) sum += model_->weights[ChartLayout::columns + k] * scores[k];
    return sum;
}

void RuleCache::features(const ChartRule& rule, double* row) const {
    std::fill_n(row, model_->layout.size(), 0.0);
    if (rule.rule == ChartRule::kEnd) return;
    if (rule.rule == ChartRule::kGlue) {
        row[ChartLayout::glue] = 1;
        return;
    }
    row[ChartLayout::words] = -static_cast<double>(rule.n_words);
    row[ChartLayout::rules] = 1;
    if (rule.rule == ChartRule::kCopied) row[ChartLayout::unknown] = -1;
    if (rule.rule >= ChartRule::kEnd) return;
    if (rule.n_tails) row[ChartLayout::hierarchical] = 1;
    const auto scores = model_->table.scores_of(rule.rule);
    std::copy(scores.begin(), scores.end(), row + ChartLayout::columns);
}

RuleCache::Range RuleCache::of_node(u32 node, u32 n_tails) {
    const u32 number = entry_map_.find_or_make(
        node, [](u32) { return true; }, [&] { return static_cast<u32>(entries_.size()); });
    if (number == entries_.size()) {
        // Those with the best scores, ranked with the language model; as many as the limit says stay.
        const RuleTableView::Range all = model_->table.rules(node);
        const std::size_t limit = model_->limits.table_limit ? model_->limits.table_limit : all.size();
        scored_.clear();
        const double per_word = -model_->weights[ChartLayout::words];
        for (u32 rule = all.begin; rule < all.end; ++rule) {
            const auto items = model_->table.target(rule, n_tails);
            scored_.push_back({static_cast<float>(score_of(rule) + per_word * static_cast<double>(items.size() - n_tails)), rule});
        }
        const auto better = [](const auto& a, const auto& b) { return a.score > b.score || (a.score == b.score && a.rule < b.rule); };
        const std::size_t tried = std::min(scored_.size(), limit > all.size() / kRulesTried ? all.size() : kRulesTried * limit);
        std::partial_sort(scored_.begin(), scored_.begin() + static_cast<std::ptrdiff_t>(tried), scored_.end(), better);
        const u32 first = static_cast<u32>(rules_.size());
        const double fixed = model_->weights[ChartLayout::rules] + (n_tails ? model_->weights[ChartLayout::hierarchical] : 0.0);
        for (std::size_t k = 0; k < tried; ++k) {
            ChartRule one = made(scored_[k].rule, model_->table.left(scored_[k].rule), model_->table.target(scored_[k].rule, n_tails), n_tails);
            one.score = static_cast<float>(scored_[k].score + fixed);
            add_estimate(one);
            rules_.push_back(one);
        }
        std::sort(rules_.begin() + first, rules_.end(), [](const ChartRule& a, const ChartRule& b) {
            return a.estimate > b.estimate || (a.estimate == b.estimate && a.rule < b.rule);
        });
        if (rules_.size() > first + limit) rules_.resize(first + limit);
        entries_.push_back({{first, static_cast<u32>(rules_.size() - first)}, all.size() > limit});
    }
    left_out_ |= entries_[number].cut;
    return entries_[number].range;
}

RuleCache::Range RuleCache::of_node(u32 node, u32 n_tails, const TargetConstraint& constraint) {
    const RuleTableView::Range all = model_->table.rules(node);
    const std::size_t limit = model_->limits.table_limit && !constraint.is_forced() ? model_->limits.table_limit : all.size();
    const u32 first = static_cast<u32>(rules_.size());
    const double per_word = -model_->weights[ChartLayout::words];
    const double fixed = model_->weights[ChartLayout::rules] + (n_tails ? model_->weights[ChartLayout::hierarchical] : 0.0);
    for (u32 rule = all.begin; rule < all.end; ++rule) {
        const auto items = model_->table.target(rule, n_tails);
        bool allowed = true;
        for (std::size_t k = 0; k < items.size() && allowed; ++k) {
            if (items[k] < 0) continue;
            buffer_.clear();
            for (; k < items.size() && items[k] >= 0; ++k) buffer_.push_back(static_cast<u32>(items[k]));
            allowed = constraint.allows(buffer_);
        }
        if (!allowed) continue;
        ChartRule one = made(rule, model_->table.left(rule), items, n_tails);
        one.score = static_cast<float>(score_of(rule) + per_word * one.n_words + fixed);
        add_estimate(one);
        rules_.push_back(one);
    }
    std::sort(rules_.begin() + first, rules_.end(), [](const ChartRule& a, const ChartRule& b) {
        return a.estimate > b.estimate || (a.estimate == b.estimate && a.rule < b.rule);
    });
    if (rules_.size() > first + limit) {
        left_out_ = true;
        rules_.resize(first + limit);
    }
    return {first, static_cast<u32>(rules_.size() - first)};
}

RuleCache::Range RuleCache::of_words(std::span<const u32> words, u32 kind) {
    const u32 first = static_cast<u32>(rules_.size());
    const std::vector<std::int32_t> items(words.begin(), words.end());
    for (const std::uint16_t label : model_->copy_labels) {
        ChartRule one = made(kind, label, items, 0);
        one.score = static_cast<float>(-model_->weights[ChartLayout::words] * one.n_words + model_->weights[ChartLayout::rules] -
                                       (kind == ChartRule::kCopied ? model_->weights[ChartLayout::unknown] : 0.0));
        add_estimate(one);
        rules_.push_back(one);
    }
    return {first, static_cast<u32>(rules_.size() - first)};
}

u32 RuleCache::of_tails(u32 n_tails, u32 kind) {
    std::vector<std::int32_t> items;
    for (u32 t = 0; t < n_tails; ++t) items.push_back(-1 - static_cast<std::int32_t>(t));
    ChartRule one = made(kind, 0, items, n_tails);
    one.score = one.estimate = kind == ChartRule::kGlue ? static_cast<float>(model_->weights[ChartLayout::glue]) : 0.0f;
    rules_.push_back(one);
    return static_cast<u32>(rules_.size() - 1);
}

}  // namespace palmette

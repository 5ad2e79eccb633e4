#include "tools/translation/search/options.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace palmette {

namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;
constexpr double kNone = -std::numeric_limits<double>::infinity();
constexpr std::size_t kTried = 5;  // times the limit: translations that the language model has scored before some are left out
constexpr std::size_t kMostKept = std::size_t{1} << 20;  // options and target words, before all are forgotten

}  // namespace

void SentenceOptions::collect(const SearchModel& model, const SourceSentence& sentence, const TargetConstraint& constraint,
                              bool with_drops) {
    model_ = &model;
    sentence_ = &sentence;
    constraint_ = &constraint;
    n_ = sentence.size();
    options_.clear();
    spans_.clear();
    rankings_.clear();
    span_start_.assign(1, 0);
    if (!age_ || words_.size() + kept_.size() > kMostKept) forget();
    // Which words only a given translation may cover.
    std::vector<std::uint8_t> taken(n_, 0);
    for (const GivenPhrase& one : sentence.given)
        if (one.exclusive) std::fill(taken.begin() + one.begin, taken.begin() + one.end, 1);
    const auto is_exclusive = [&](u32 begin, u32 end) {
        return std::any_of(sentence.given.begin(), sentence.given.end(), [&](const GivenPhrase& one) {
            return one.exclusive && one.begin == begin && one.end == end;
        });
    };
    const u32 longest = model.limits.max_phrase ? model.limits.max_phrase : n_;
    for (u32 begin = 0; begin < n_; ++begin) {
        u32 node = 0;
        bool in_table = !taken[begin];
        u32 last = begin + 1;
        for (const GivenPhrase& one : sentence.given)
            if (one.begin == begin) last = std::max(last, one.end);
        for (u32 end = begin + 1; end <= n_; ++end) {
            const std::size_t first = options_.size();
            if (in_table) {
                const u32 word = sentence.words[end - 1];
                in_table = end - begin <= longest && word != kNoWord && !taken[end - 1];
                if (in_table) node = model.table.child(node, word);
                in_table = in_table && node != PhraseTableView::none;
            }
            if (!in_table && end > last) break;
            bool alone = in_table && constraint.is_free() && !(with_drops && end == begin + 1);
            for (const GivenPhrase& one : sentence.given) alone = alone && (one.begin != begin || one.end != end);
            if (in_table && constraint.is_free())
                add_entry(entry_of(node), begin, end, alone);
            else if (in_table)
                append_pairs(node, begin, end, options_);
            if (alone && options_.size() > first) continue;
            for (const GivenPhrase& one : sentence.given) {
                if (one.begin != begin || one.end != end || !constraint.allows(one.words)) continue;
                // A translation that competes must leave the words of an exclusive one alone.
                const bool overlaps = std::any_of(taken.begin() + begin, taken.begin() + end, [](std::uint8_t t) { return t != 0; });
                if (one.exclusive || !overlaps || is_exclusive(begin, end)) add_other(begin, end, one.words, PhraseOption::kGiven);
            }
            if (end == begin + 1 && !taken[begin]) {
                if (options_.size() == first) {
                    const u32 copy = sentence.copies[begin];
                    const std::span<const u32> words(&copy, copy == kNoWord ? 0 : 1);
                    if (constraint.allows(words))
                        add_other(begin, end, words, PhraseOption::kCopied);
                    else if (!constraint.is_forced())
                        add_other(begin, end, {}, PhraseOption::kCopied);
                }
                if (with_drops) add_other(begin, end, {}, PhraseOption::kCopied);
            }
            if (options_.size() > first) add_span(begin, end, first);
        }
        span_start_.push_back(static_cast<u32>(spans_.size()));
    }
    estimate_future();
}

// Keeps what the language model says of a target that follows nothing.
void SentenceOptions::score_inside(std::span<const u32> words) {
    const std::size_t first = lm_tails_.size();
    NgramState state, next;
    for (const u32 word : words) {
        lm_tails_.push_back(model_->lm ? static_cast<float>(lm_score(*model_, state, lm_id(*model_, *sentence_, word), next)) : 0.0f);
        state = next;
    }
    histories_.push_back(state);
    for (std::size_t k = lm_tails_.size(); k-- > first + 1;) lm_tails_[k - 1] += lm_tails_[k];
}

void SentenceOptions::add_target(std::span<const u32> words, PhraseOption& option, u64 key) {
    option.target = target_map_.find_or_make(
        key, [&](u32 found) { return std::ranges::equal(target(found), words); },
        [&] {
            words_.insert(words_.end(), words.begin(), words.end());
            target_start_.push_back(static_cast<u32>(words_.size()));
            score_inside(words);
            return static_cast<u32>(target_start_.size() - 2);
        });
    const double inside = words.empty() ? 0.0 : lm_tail(option.target, 0);
    option.estimate = option.score + static_cast<float>(model_->weights[FeatureLayout::lm] * inside);
}

void SentenceOptions::forget() {
    ++age_;
    words_.clear();
    lm_tails_.clear();
    histories_.clear();
    target_start_.assign(1, 0);
    target_map_.clear();
    forward_map_.clear();
    forwards_.assign(1, {0, 0, 0});
    entries_.clear();
    entry_map_.clear();
    kept_.clear();
    kept_rankings_.clear();
}

const SentenceOptions::Entry& SentenceOptions::entry_of(u32 node) {
    const u32 number = entry_map_.find_or_make(
        node, [](u32) { return true; }, [&] { return static_cast<u32>(entries_.size()); });
    if (number < entries_.size()) return entries_[number];
    Entry made{static_cast<u32>(kept_.size()), 0, static_cast<u32>(kept_rankings_.size()), {}};
    append_pairs(node, 0, 0, kept_);
    made.n = static_cast<u32>(kept_.size()) - made.first;
    for (int o = 0; o < 3 && made.n; ++o)
        made.best[o] = rank(std::span(kept_).subspan(made.first, made.n), 0, o, kept_rankings_);
    entries_.push_back(made);
    return entries_.back();
}

// The options of a source phrase at a place; `alone`: the span has no others, and their ranking is that of the entry.
void SentenceOptions::add_entry(const Entry& entry, u32 begin, u32 end, bool alone) {
    if (!entry.n) return;
    const u32 first = static_cast<u32>(options_.size());
    options_.insert(options_.end(), kept_.begin() + entry.first, kept_.begin() + entry.first + entry.n);
    for (u32 k = first; k < options_.size(); ++k) {
        options_[k].begin = begin;
        options_[k].end = end;
    }
    if (!alone) return;
    Span span{begin, end, {}, entry.n, {}};
    const int kinds = model_->layout.from >= 0 ? 3 : 1;
    for (int o = 0; o < 3; ++o) {
        span.ranked[o] = o < kinds ? static_cast<u32>(rankings_.size()) : span.ranked[0];
        span.best[o] = entry.best[o];
        if (o >= kinds) continue;
        for (u32 k = 0; k < entry.n; ++k) {
            rankings_.push_back(kept_rankings_[entry.ranked + o * entry.n + k]);
            rankings_.back().option += first;
        }
    }
    spans_.push_back(span);
}

void SentenceOptions::append_pairs(u32 node, u32 begin, u32 end, std::vector<PhraseOption>& options) {
    const PhraseTableView& table = model_->table;
    const FeatureLayout& layout = model_->layout;
    const double* w = model_->weights.data();
    const PhraseTableView::Range pairs = table.pairs(node);
    candidates_.clear();
    for (u32 pair = pairs.begin; pair < pairs.end; ++pair) {
        const auto words = table.target(pair);
        if (!constraint_->is_free() && !constraint_->allows(words)) continue;
        double score = w[FeatureLayout::phrases] - w[FeatureLayout::words] * static_cast<double>(words.size());
        const auto values = table.scores_of(pair);
        for (int k = 0; k < layout.n_columns; ++k) score += w[FeatureLayout::columns + k] * values[k];
        candidates_.push_back({static_cast<float>(score), pair});
    }
    const auto better = [](const Candidate& a, const Candidate& b) { return a.score != b.score ? a.score > b.score : a.pair < b.pair; };
    const std::size_t limit = model_->limits.table_limit, first = options.size();
    if (limit && candidates_.size() > kTried * limit) {
        std::nth_element(candidates_.begin(), candidates_.begin() + kTried * limit, candidates_.end(), better);
        candidates_.resize(kTried * limit);
    }
    for (const Candidate& one : candidates_) {
        PhraseOption option{begin, end, one.pair, 0};
        option.score = one.score;
        if (layout.n_reordering) {
            const auto values = table.reordering_of(one.pair);
            const double* own = w + layout.reordering();
            for (int o = 0; o < 3; ++o) {
                if (layout.from >= 0) option.from[o] = static_cast<float>(own[layout.from + o] * values[layout.from + o]);
                if (layout.to >= 0) option.to[o] = static_cast<float>(own[layout.to + o] * values[layout.to + o]);
            }
            if (layout.to >= 0) {
                // By the values themselves: hypotheses must agree in Φ, and not only where the weights are not zero.
                const std::array<float, 3> own_to{values[layout.to], values[layout.to + 1], values[layout.to + 2]};
                u64 key = 0;
                for (const float value : own_to) key = combine(key, std::bit_cast<u32>(value));
                option.forward = forward_map_.find_or_make(
                    key, [&](u32 found) { return forwards_[found] == own_to; },
                    [&] {
                        forwards_.push_back(own_to);
                        return static_cast<u32>(forwards_.size() - 1);
                    });
            }
        }
        add_target(table.target(one.pair), option, table.pair_target[one.pair]);
        options.push_back(option);
    }
    if (limit && options.size() > first + limit) {
        std::nth_element(options.begin() + first, options.begin() + first + limit, options.end(), [](const PhraseOption& a, const PhraseOption& b) {
            return a.estimate != b.estimate ? a.estimate > b.estimate : a.pair < b.pair;
        });
        options.resize(first + limit);
    }
}

void SentenceOptions::add_other(u32 begin, u32 end, std::span<const u32> words, u32 kind) {
    const double* w = model_->weights.data();
    PhraseOption option{begin, end, kind, 0};
    double score = w[FeatureLayout::phrases] - w[FeatureLayout::words] * static_cast<double>(words.size());
    if (kind == PhraseOption::kCopied) score -= w[FeatureLayout::unknown];
    option.score = static_cast<float>(score);
    u64 key = ~u64{0};
    for (const u32 word : words) key = combine(key, word);
    add_target(words, option, key | u64{1} << 63);
    options_.push_back(option);
}

float SentenceOptions::rank(std::span<const PhraseOption> options, u32 first, int orientation, std::vector<Ranked>& rankings) {
    const std::size_t at = rankings.size();
    for (u32 k = 0; k < options.size(); ++k) {
        const float from = options[k].from[orientation];
        rankings.push_back({first + k, options[k].target, options[k].score + from, options[k].estimate + from});
    }
    std::sort(rankings.begin() + at, rankings.end(), [](const Ranked& a, const Ranked& b) {
        return a.estimate != b.estimate ? a.estimate > b.estimate : a.option < b.option;
    });
    return rankings[at].estimate;
}

void SentenceOptions::add_span(u32 begin, u32 end, std::size_t first) {
    Span span{begin, end, {}, static_cast<u32>(options_.size() - first), {}};
    const int kinds = model_->layout.from >= 0 ? 3 : 1;
    for (int o = 0; o < 3; ++o) {
        span.ranked[o] = o < kinds ? static_cast<u32>(rankings_.size()) : span.ranked[0];
        span.best[o] = o < kinds ? rank(std::span(options_).subspan(first), static_cast<u32>(first), o, rankings_) : span.best[0];
    }
    spans_.push_back(span);
}

// The best estimate of a gap is that of its first phrase and of the rest of the gap:
//
//     F(i, j) = max over spans i … k of best(i, k) + F(k, j)
void SentenceOptions::estimate_future() {
    const SearchLimits& limits = model_->limits;
    window_ = limits.distortion_limit < 0 ? n_ : static_cast<u32>(std::min<std::int64_t>(limits.distortion_limit, n_));
    const auto best = [](const Span& span) { return *std::max_element(span.best, span.best + 3); };
    rest_.assign(n_ + 1, kNone);
    rest_[n_] = 0;
    inner_.assign(std::size_t{n_ + 1} * (window_ + 1), kNone);
    inner_[std::size_t{n_} * (window_ + 1)] = 0;
    for (u32 begin = n_; begin--;) {
        double* own = &inner_[std::size_t{begin} * (window_ + 1)];
        own[0] = 0;
        for (const Span& span : spans(begin)) {
            const double value = best(span);
            rest_[begin] = std::max(rest_[begin], value + rest_[span.end]);
            const double* behind = &inner_[std::size_t{span.end} * (window_ + 1)];
            const u32 length = span.end - begin;
            for (u32 k = length; k <= window_ && begin + k <= n_; ++k) own[k] = std::max(own[k], value + behind[k - length]);
        }
    }
}

}  // namespace palmette

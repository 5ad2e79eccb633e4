// The translation options of one sentence: for every span of source words the phrases that may translate it, best first,
// and for every gap an estimate of the best that is still to come.
#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "base/stamped_map.hpp"
#include "tools/translation/search/constraint.hpp"
#include "tools/translation/search/model.hpp"

namespace palmette {

struct PhraseOption {
    static constexpr std::uint32_t kCopied = 0xFFFFFFFEu, kGiven = 0xFFFFFFFDu;

    std::uint32_t begin, end;        // source words begin … end − 1
    std::uint32_t pair;              // of the table, kCopied or kGiven
    std::uint32_t target;            // by the list of targets
    std::uint32_t forward = 0;       // options with equal numbers have equal `to`
    float score = 0;                 // all that does not depend on other phrases, weighted
    float estimate = 0;              // with the language model inside the phrase
    std::array<float, 3> from{}, to{};  // weighted scores of orientations, to the phrase before and after
};

class SentenceOptions {
public:
    // Looks up every source phrase; the sentences of one object have the same model and the same numbers of words. `with_drops`: every word may also be left out, at the price of an unknown one.
    void collect(const SearchModel& model, const SourceSentence& sentence, const TargetConstraint& constraint, bool with_drops);

    struct Span {
        std::uint32_t begin, end;
        std::array<std::uint32_t, 3> ranked;  // where its ranking for each orientation begins
        std::uint32_t n;
        float best[3];                        // the highest estimate for each orientation
    };

    // The spans that begin at a word, shortest first.
    std::span<const Span> spans(std::uint32_t begin) const {
        return {spans_.data() + span_start_[begin], span_start_[begin + 1] - span_start_[begin]};
    }
    const PhraseOption& option(std::uint32_t number) const { return options_[number]; }
    // An option in the ranking of its span, with all that a search asks for side by side.
    struct Ranked {
        std::uint32_t option, target;
        float score, estimate;  // with that of the orientation to the phrase before
    };
    // The ranking of a span, best first, given its orientation to the phrase before.
    const Ranked* ranking(const Span& span, int orientation) const { return &rankings_[span.ranked[orientation]]; }
    std::span<const std::uint32_t> target(std::uint32_t number) const {
        return {words_.data() + target_start_[number], target_start_[number + 1] - target_start_[number]};
    }
    std::uint32_t n_targets() const { return static_cast<std::uint32_t>(target_start_.size() - 1); }
    // The language model inside a target, without what comes before it: the sum from a word on, and the last history.
    double lm_tail(std::uint32_t number, std::uint32_t word) const { return lm_tails_[target_start_[number] + word]; }
    const NgramState& last_history(std::uint32_t number) const { return histories_[number]; }
    // Targets keep their numbers from one sentence to the next, until this number changes.
    std::uint64_t age() const { return age_; }

    // The best estimate of all that translates a gap, begin … end − 1: the end of the sentence, or inside the window.
    double future(std::uint32_t begin, std::uint32_t end) const {
        return end == n_ ? rest_[begin] : inner_[std::size_t{begin} * (window_ + 1) + (end - begin)];
    }

private:
    // What a source phrase of the table means to all sentences: its options, without a place, and their rankings.
    struct Entry {
        std::uint32_t first, n;          // among the kept options
        std::uint32_t ranked;            // three rankings, one after another
        float best[3];
    };
    const Entry& entry_of(std::uint32_t node);
    void forget();
    void add_target(std::span<const std::uint32_t> words, PhraseOption& option, std::uint64_t key);
    void add_entry(const Entry& entry, std::uint32_t begin, std::uint32_t end, bool alone);
    void append_pairs(std::uint32_t node, std::uint32_t begin, std::uint32_t end, std::vector<PhraseOption>& options);
    void add_other(std::uint32_t begin, std::uint32_t end, std::span<const std::uint32_t> words, std::uint32_t kind);
    // Appends the ranking of some options, numbered from `first` on, and returns the best estimate.
    static float rank(std::span<const PhraseOption> options, std::uint32_t first, int orientation, std::vector<Ranked>& rankings);
    void add_span(std::uint32_t begin, std::uint32_t end, std::size_t first);
    void estimate_future();
    void score_inside(std::span<const std::uint32_t> words);

    const SearchModel* model_ = nullptr;
    const SourceSentence* sentence_ = nullptr;
    const TargetConstraint* constraint_ = nullptr;
    std::uint32_t n_ = 0, window_ = 0;
    // What this sentence has.
    std::vector<PhraseOption> options_;
    std::vector<Span> spans_;
    std::vector<std::uint32_t> span_start_;
    std::vector<Ranked> rankings_;
    std::vector<double> rest_, inner_;
    // Kept from one sentence to the next: target phrases and source phrases.
    std::vector<std::uint32_t> target_start_{0}, words_;
    std::vector<float> lm_tails_;
    std::vector<NgramState> histories_;
    std::vector<Entry> entries_;
    std::vector<PhraseOption> kept_;
    std::vector<Ranked> kept_rankings_;
    std::uint64_t age_ = 0;
    struct Candidate {
        float score;
        std::uint32_t pair;
    };
    std::vector<Candidate> candidates_;
    StampedMap target_map_, forward_map_, entry_map_;
    std::vector<std::array<float, 3>> forwards_;
};

}  // namespace palmette

// Rules as a search wants them: ranked by an estimate, with target sides cut into runs of words and nonterminals.
//
// The rules of a source side are ranked once, under the weights of the model, and kept from one sentence to the next.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "base/stamped_map.hpp"
#include "tools/translation/chart/model.hpp"
#include "tools/translation/search/constraint.hpp"

namespace palmette {

struct ChartRule {
    // Rules that the table does not have.
    static constexpr std::uint32_t kCopied = 0xFFFFFFFEu, kGiven = 0xFFFFFFFDu, kGlue = 0xFFFFFFFCu, kEnd = 0xFFFFFFFBu;

    std::uint32_t rule;                // of the table, or one of the above
    std::uint32_t first_part;
    std::uint16_t n_parts, n_words, n_tails, left;
    bool hierarchical = false;
    float score = 0;                   // without the language model, weighted
    float estimate = 0;                // with the language model inside each run of words
};

class RuleCache {
public:
    struct Range {
        std::uint32_t first = 0, n = 0;
    };

    // Begins a sentence. All sentences of one object have the same model and the same numbers of words.
    void begin(const ChartModel& model, const SourceSentence& sentence);

    // The rules of a node of the trie whose source side has some nonterminals and, unless `bare`, words: best first.
    Range of_node(std::uint32_t node, std::uint32_t n_tails);
    // The same rules, all of them, but those with words that the target text must not have.
    Range of_node(std::uint32_t node, std::uint32_t n_tails, const TargetConstraint& constraint);
    // Rules with these words on the target side, one for each label of copied words.
    Range of_words(std::span<const std::uint32_t> words, std::uint32_t kind);
    // A rule with n tails and no words, such as glue.
    std::uint32_t of_tails(std::uint32_t n_tails, std::uint32_t kind);

    const ChartRule& rule(std::uint32_t number) const { return rules_[number]; }
    // A run of words, or −1 − t for tail t.
    std::span<const std::int32_t> parts(const ChartRule& rule) const { return {parts_.data() + rule.first_part, rule.n_parts}; }
    std::span<const std::uint32_t> words(std::uint32_t run) const {
        return {words_.data() + run_start_[run], run_start_[run + 1] - run_start_[run]};
    }
    std::span<const std::uint32_t> lm_words(std::uint32_t run) const {
        return {lm_words_.data() + run_start_[run], run_start_[run + 1] - run_start_[run]};
    }
    std::uint32_t n_runs() const { return static_cast<std::uint32_t>(run_start_.size() - 1); }
    // Whether some rules were left out since the sentence began.
    bool left_out() const { return left_out_; }
    // Runs keep their numbers from one sentence to the next, until this number changes.
    std::uint64_t age() const { return age_; }

    // All of Φ but for the language model.
    void features(const ChartRule& rule, double* row) const;

private:
    struct Entry {
        Range range;
        bool cut;
    };
    struct Scored {
        float score;
        std::uint32_t rule;
    };
    ChartRule made(std::uint32_t rule, std::uint32_t kind_or_left, std::span<const std::int32_t> items, std::uint32_t n_tails);
    std::uint32_t run_of(std::span<const std::uint32_t> words);
    void add_estimate(ChartRule& rule) const;
    double score_of(std::uint32_t rule) const;

    const ChartModel* model_ = nullptr;
    const SourceSentence* sentence_ = nullptr;
    bool left_out_ = false;
    std::uint64_t age_ = 0;
    std::vector<ChartRule> rules_;
    std::vector<std::int32_t> parts_;
    std::vector<std::uint32_t> words_, lm_words_, run_start_{0}, buffer_;
    std::vector<float> run_estimates_;
    std::vector<Entry> entries_;
    std::vector<Scored> scored_;
    StampedMap run_map_, entry_map_;
};

}  // namespace palmette

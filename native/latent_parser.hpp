// Parsing with latent grammars: coarse to fine, then the tree by the rules' posteriors.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "latent_forest.hpp"
#include "latent_grammar.hpp"
#include "latent_lexicon.hpp"
#include "latent_sums.hpp"

namespace palmette {

// One annotated grammar with its coarser projections, all over the same rules.
struct LatentLevel {
    LatentGrammar grammar;
    std::vector<std::int32_t> group;  // of every substate of the finest grammar, by row
    std::vector<float> share;         // of every substate of the finest grammar in its group's words
};
struct LatentMember {
    LatentGrammar grammar;
    LatentLexicon lexicon;
    std::vector<LatentLevel> levels;  // the coarser ones, coarsest first; the first has one substate per symbol
};

enum class LatentDecoding : std::uint8_t { rule_product, recall, viterbi };

struct LatentSearch {
    LatentDecoding decoding = LatentDecoding::rule_product;
    std::vector<float> thresholds;  // of every level but the finest
    float same_power = 0;           // how much staying the same symbol counts in the product of posteriors
    float word_power = 1;           // how much tags count
    float span_bonus = 0;           // labelled recall: what a bracket must be worth
};

struct LatentParse {
    struct Node {
        std::int32_t symbol, start, end, rule;  // rule: unary one on top of the symbol `symbol`; -1 for none
    };
    std::vector<Node> nodes;  // parents first
    double score = 0, log_z = 0;
    bool found = false;
    std::size_t n_items = 0, n_edges = 0;
};

class LatentParser {
  public:
    LatentParser(LatentRules rules, std::vector<std::uint8_t> made, std::vector<LatentMember> members);

    // chains: [word][contexts] for every member alike. tags: a symbol for every word, or -1; or empty.
    LatentParse parse(std::span<const std::int32_t> chains, std::span<const std::int32_t> tags,
                      const LatentSearch& search) const;

  private:
    void weigh_words(const LatentMember& member, std::span<const std::int32_t> chains, std::span<const std::int32_t> tags,
                     int n, std::vector<float>& words) const;
    void project_words(const LatentMember& member, const LatentLevel& level, int n, std::span<const float> words,
                       std::vector<float>& coarse) const;

    LatentRules rules_;
    std::vector<std::uint8_t> made_;  // symbols that binarization made
    std::vector<LatentMember> members_;
    CoarseGrammar coarse_;
};

}  // namespace palmette

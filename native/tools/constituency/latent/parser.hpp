// Parsing with latent grammars: coarse to fine, then the tree by the posteriors of its rules.
//
// The coarsest grammar (one substate per symbol) leaves a forest, finer projections thin it out, and the full grammar
// runs along what is left. The posterior of a rule over a span and a split, summed over substates, is
//   q(A → B C, i, k, j) = Σ out(A_x) w(A_x → B_y C_z) in(B_y) in(C_z) / Z,
// and the tree with the largest product of them is the answer (Petrov and Klein 2007). The posteriors of several
// grammars over the same rules are multiplied (Petrov 2010). The other flavour takes the tree with the most expected brackets.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "tools/constituency/latent/forest.hpp"
#include "tools/constituency/latent/grammar.hpp"
#include "tools/constituency/latent/lexicon.hpp"
#include "tools/constituency/latent/sums.hpp"

namespace palmette {

// A projection of a grammar.
struct LatentLevel {
    LatentGrammar grammar;
    std::vector<std::int32_t> group;  // of every substate of the full grammar, by row
    std::vector<float> share;         // of every substate of the full grammar in its group's words
};

// A grammar with its coarser projections.
struct LatentMember {
    LatentGrammar grammar;
    LatentLexicon lexicon;
    std::vector<LatentLevel> levels;  // coarsest first, with one substate per symbol
};

// A member of these weights; groups: of the levels, [row] and the number of groups of every symbol.
LatentMember latent_member(const LatentRules& rules, LatentGrammar grammar, LatentLexicon lexicon,
                           const std::vector<float>& mass,
                           const std::vector<std::pair<std::vector<std::int32_t>, std::vector<std::int32_t>>>& groups);

struct LatentSearch {
    bool recall = false;            // the most expected brackets, in place of the product of posteriors
    std::vector<float> thresholds;  // of the levels; zero: the level is left out
    float bracket_cost = 0.5f;      // what a bracket must be worth at least
    bool by_brackets = false;       // of trees that differ in their tags alone only the best
};

// A sentence as a parser sees it: contexts of its words, the tags that are given (-1: none), what is barred.
struct LatentSentence {
    std::span<const std::int32_t> chains;
    std::span<const std::int32_t> tags;
    LatentBars bars;
    int n = 0;
};

// What the grammars make of a sentence.
struct LatentChart {
    LatentForest forest;
    std::vector<float> edges, rises, items;  // scores of the product
    std::vector<float> posteriors;           // of rises, the mean over the grammars
    std::vector<std::vector<float>> words;   // weights, by grammar
    double log_z = 0;                        // the mean over the grammars
    bool found = false;                      // is there a tree?
};

// Trees that share their nodes, best first.
struct LatentRanked {
    LatentTree nodes;
    std::vector<std::int32_t> roots;
    std::vector<double> values;  // of the decoding
    std::vector<double> scores;  // log P(tree, words), the mean over the grammars
};

class LatentParser {
  public:
    LatentParser(LatentRules rules, std::vector<std::uint8_t> made, std::vector<LatentMember> members);

    LatentChart analyse(const LatentSentence& sentence, const LatentSearch& search) const;
    // The best tree, or the best k by the product of posteriors.
    LatentRanked best(const LatentChart& chart, const LatentSearch& search, std::size_t k) const;
    // The best fragments of a sentence without a tree: nodes, and the end of each.
    std::vector<std::size_t> fragments(const LatentSentence& sentence, LatentTree& nodes, double& score) const;
    // log P(tree, words): the part of every node, then what each of the roots adds. The nodes must fit the rules.
    std::vector<double> amounts(const std::vector<std::vector<float>>& words, const LatentTree& nodes,
                                std::span<const std::int32_t> roots) const;
    std::vector<std::vector<float>> weighed(const LatentSentence& sentence) const;
    void check_tree(const LatentTree& nodes, int n) const;  // std::invalid_argument if it does not fit

    std::size_t depth() const { return members_.front().lexicon.strength.size(); }
    std::size_t contexts() const { return members_.front().lexicon.total.size(); }
    std::size_t levels() const { return members_.front().levels.size(); }
    bool is_tag(std::int32_t symbol) const { return symbol < rules_.n_symbols && tag_[symbol]; }
    const LatentRules& rules() const { return rules_; }

  private:
    std::vector<float> weigh_words(const LatentMember& member, const LatentSentence& sentence) const;
    std::vector<float> coarse_words(std::span<const float> words, int n) const;
    std::uint64_t brackets_key(const LatentTreeNode& node) const;
    void add_products_of(const LatentSums& sums, LatentChart& chart) const;

    LatentRules rules_;
    std::vector<std::uint8_t> made_, tag_;  // symbols that binarization made; symbols that are tags
    std::vector<LatentMember> members_;
    CoarseGrammar coarse_;
};

}  // namespace palmette

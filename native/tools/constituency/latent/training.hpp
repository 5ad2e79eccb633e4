// Split-merge training of latent grammars from trees (Petrov, Barrett, Thibaux and Klein 2006).
//
// The tree of a sentence is known, its substates are not: inside and outside along the tree,
//   in(A_x) = Σ w(A_x → B_y C_z) in(B_y) in(C_z),   out(B_y) = Σ out(A_x) w(A_x → B_y C_z) in(C_z),
// give the expected counts of annotated rules. Inside values of a node are divided by their largest, and outside
// values are multiplied by it and divided by the sentence's probability, so in · out is always the posterior of a
// substate. Sums run over the trees node by node, counts rule by rule: so nothing depends on the number of threads.
// Cost of a pass: Σ over nodes of the size of their rule's block.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "tools/constituency/latent/forest.hpp"
#include "tools/constituency/latent/grammar.hpp"
#include "tools/constituency/latent/lexicon.hpp"

namespace palmette {

// Trees one after the other, each node after its children, the root last.
struct LatentTrees {
    std::vector<std::int64_t> begin;  // tree -> first node; one past the last
    std::vector<std::uint8_t> kind;
    std::vector<std::int32_t> id;      // the binary or unary rule, or the form of a word
    std::vector<std::int32_t> symbol;
    std::vector<std::int32_t> left, right;  // nodes
};

// The different (tag, chain of contexts) of the words: `depth` contexts each.
struct LatentForms {
    std::vector<std::int32_t> tag;
    std::vector<std::int32_t> chain;
    std::vector<std::uint8_t> counted;  // per place in the chain: whether the form counts for this context
};

class LatentTrainer {
  public:
    // The lexicon comes with its contexts and entries; throws std::invalid_argument for arrays that do not fit.
    LatentTrainer(LatentRules rules, LatentTrees trees, LatentForms forms, LatentLexicon lexicon);

    // Counts of the trees with one substate per symbol.
    double expectation(int n_jobs);  // the log-probability of all trees; makes the counts
    // Weights from the counts; smoothing draws those of a symbol's substates towards their mean.
    void maximization(float rule_smoothing, float word_smoothing, int n_jobs);
    // Every substate becomes two, their weights up to `noise` apart.
    void split(float noise, std::uint64_t seed);
    // What the log-probability loses about if the substates 2i and 2i + 1 become one again, by row; makes no change.
    std::vector<double> merge_losses(int n_jobs);
    // Merges pairs: merged[row + i] for substates 2i and 2i + 1; the map from old substates to new ones, by old row.
    std::vector<std::int32_t> merge(std::span<const std::uint8_t> merged);

    // What `expectation` works with, of a trainer with the same rules and words: weights, and counts and frequencies of words.
    void restore(LatentGrammar grammar, std::vector<float> counts, std::vector<float> prior, float smoothing);
    // The counts of the last expectation, or of several trainers together, which `maximization` and `merge` work with.
    void take(LatentGrammar counts, std::vector<float> words, std::vector<float> prior, std::vector<float> mass);
    void take_mass(std::vector<float> mass);

    const LatentRules& rules() const { return rules_; }
    const LatentGrammar& expected() const { return counts_; }
    std::size_t n_words() const { return form_nodes_.size(); }
    const LatentGrammar& grammar() const { return grammar_; }
    const LatentLexicon& lexicon() const { return lexicon_; }
    const std::vector<float>& mass() const { return mass_; }

  private:
    void check() const;
    void lay_out();
    void weigh_forms(int n_jobs);
    double inside(std::int64_t tree);
    void outside(std::int64_t tree);
    void count_rules(int n_jobs);
    void count_words();
    void count_nodes(int n_jobs);

    LatentRules rules_;
    LatentTrees trees_;
    LatentForms forms_;
    LatentLexicon lexicon_;
    int depth_ = 0;
    std::vector<std::int32_t> form_entries_;                     // [form][place in the chain]
    std::vector<std::int64_t> occurrences_, binary_, unary_;     // nodes by rule; first of each rule
    std::vector<std::int64_t> form_nodes_, form_begin_;
    std::vector<std::int64_t> symbol_nodes_, symbol_begin_;
    std::vector<std::uint8_t> can_rise_;                         // symbols with unary rules above them
    LatentGrammar grammar_, counts_;
    std::vector<float> mass_;                                    // by row: posterior sums over the nodes
    std::vector<std::size_t> node_place_;
    std::vector<float> in_, out_, inverse_;                      // inverse_: one over what a node was divided by
    std::vector<float> form_weights_;                            // by form
    std::vector<std::size_t> form_place_;
};

}  // namespace palmette

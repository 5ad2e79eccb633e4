// A lexicalised generative model of trees: every decision of tools/constituency/lexicalized/events.hpp has a distribution that backs off.
#pragma once
#include <algorithm>
#include <cmath>

#include "tools/constituency/lexicalized/backoff.hpp"
#include "tools/constituency/lexicalized/events.hpp"

namespace palmette {

// Token types of some sentences: the number of the word in the model (-1 for one that it does not know) and what the
// word looks like, `n_features` numbers each.
struct TokenTypes {
    std::span<const int32_t> word, features;
    int32_t n_features = 0;
    const int32_t* features_of(int32_t type) const { return features.data() + static_cast<size_t>(type) * n_features; }
    // From token types to the numbers of their words.
    void number_words(Variables& v) const {
        for (const int k : {vW, vS, vOwn})
            if (v[k] >= 0) v[k] = word[v[k]];
    }
};

// The chains of the coarse models: head children, other children given the one before, and whatever that is.
std::array<BackoffChain, 3> coarse_chains();

inline constexpr float kLeastTag = 1e-9f;  // of P(tag | word)

class LexicalizedModel {
public:
    LabelSet labels;
    // Each the mean of a few chains, which see the variables in different orders.
    std::array<std::vector<Backoff>, kDecisions> decisions;
    Backoff looks, known;  // tags given what a word looks like; given the word
    std::vector<float> tag_probability, word_probability;
    // For the coarse passes: decisions without words, what was below what, and (side, label, last child, made).
    std::array<Backoff, 3> coarse;
    std::array<Backoff, 2> coarse_pairs;
    std::vector<std::array<int32_t, 2>> pairs;
    std::vector<std::array<int32_t, 4>> lasts;

    void train(const FlatTrees& trees, const TokenTypes& types, const std::array<std::vector<BackoffChain>, kDecisions>& chains, const BackoffChain& look_chain, int32_t n_words, int32_t rare);

    // P(tag | word) over all labels.
    void tags_of(const TokenTypes& types, int32_t type, float* p) const;
    // Distributions of decisions other than words, over labels and what follows them.
    int32_t n_outcomes(int decision) const { return decision == kHead ? labels.size() + 2 : labels.size() + 1; }
    void distribution(int decision, const Variables& v, float* p) const;
    double probability(int decision, const Variables& v, int32_t outcome) const;
    // P(word | variables) / P(word) of the decision kWord or kSemantic, given P(tag | word).
    double word_ratio(int decision, const Variables& v, int32_t word, double tag_given_word) const;

    double mean(int decision, const Variables& v, int32_t outcome, double base) const;

    // The log-probability of a step as TreeWalk gives it, whose words are token types; tags: room for a number per label.
    double log_probability(const TokenTypes& types, int decision, Variables v, int32_t outcome, std::vector<float>& tags) const {
        types.number_words(v);
        if (decision < kWord) return std::log(probability(decision, v, outcome));
        tags_of(types, outcome, tags.data());
        return std::log(word_ratio(decision, v, types.word[outcome], std::max(tags[v[vTY]], kLeastTag)));
    }

    // Calls visit(decision, variables, outcome, node, log-probability) for every step of one tree. A word's own
    // probability, which all trees of a sentence share, is left out. The outcome of a word is its token type.
    template <class Visit>
    void score(const FlatTrees& trees, const TokenTypes& types, size_t tree, Visit&& visit) const {
        std::vector<float> tags(labels.size());
        auto step = [&](int decision, Variables v, int32_t outcome, size_t node) {
            const double log_p = log_probability(types, decision, v, outcome, tags);
            types.number_words(v);
            visit(decision, v, outcome, node, log_p);
        };
        TreeWalk walk(labels, trees, tree, step);
    }

    // Every distribution in a fixed order, for files and for smoothing.
    std::vector<Backoff*> all();
};

}  // namespace palmette

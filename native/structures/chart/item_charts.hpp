// Charts by the scores of their items: binary trees over a sentence in which every item (A, i, j) and every rule
// A → B C has a score of its own, as networks give them.
//
//     score(tree) = Σ items[(i, j)][A] + Σ rules[A → B C] + root[A of the whole sentence]
//
// A sentence of n words has n (n + 1) / 2 spans, by their starts and then by their ends; items lie as [span][symbol].
// The sums go over pairs of children first, M(B, C) = Σ_k in(B, i, k) in(C, k, j), and then over rules: O(n³ symbols² +
// n² rules). Each span has a scale of its own, so that values are at most one; all is in doubles.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace palmette {

// The rules A → B C, grouped by their children.
class ItemGrammar {
public:
    struct Pair {
        std::size_t left, right, begin, end;  // the rules begin … end - 1
        bool contiguous;                      // their parents follow each other
    };

    // std::invalid_argument for a symbol that is not there.
    ItemGrammar(std::size_t symbols, std::span<const std::int32_t> parents, std::span<const std::int32_t> lefts,
                std::span<const std::int32_t> rights);

    std::size_t symbols() const { return symbols_; }
    std::size_t rules() const { return parents_.size(); }
    const std::vector<Pair>& pairs() const { return pairs_; }
    // How many pairs from p on have contiguous rules, as many and with the same parents.
    std::size_t alike(std::size_t p) const { return alike_[p]; }
    const std::vector<std::int32_t>& parents() const { return parents_; }
    const std::vector<std::int32_t>& originals() const { return originals_; }  // places among the rules as given

private:
    std::size_t symbols_;
    std::vector<Pair> pairs_;
    std::vector<std::size_t> alike_;
    std::vector<std::int32_t> parents_, originals_;
};

inline std::size_t spans_of(std::size_t n) { return n * (n + 1) / 2; }

struct ItemScores {
    const double *items, *rules, *root;
};
struct ItemParts {
    double *items, *rules, *root;
};

// log Z of every sentence, and where `out` has places Σ over sentences of weight · E[part]; no weights: all are one.
void item_sums(const ItemGrammar& grammar, const ItemScores& scores, std::span<const std::int64_t> lengths, int jobs,
               const double* weights, double* log_z, const ItemParts& out);

// Cov[v, part] for a value v that adds up over parts, laid out as the scores are. Zero where there is no tree.
void item_covariances(const ItemGrammar& grammar, const ItemScores& scores, const ItemScores& values,
                      std::span<const std::int64_t> lengths, int jobs, const ItemParts& out);

// The best trees: for a sentence of n words 2n − 1 items as places among all item scores, and n − 1 rules; one symbol
// at the root. Minus infinity where there is no tree.
struct ItemTrees {
    std::vector<double> scores;
    std::vector<std::int64_t> items;
    std::vector<std::int32_t> rules, roots;
};
ItemTrees best_item_trees(const ItemGrammar& grammar, const ItemScores& scores, std::span<const std::int64_t> lengths, int jobs);

}  // namespace palmette

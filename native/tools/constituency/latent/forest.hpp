// The packed forest that the coarsest grammar leaves of a sentence, and that finer grammars run along.
//
// Items are symbols over spans, in two layers (tools/constituency/latent/grammar.hpp): `below` comes from a word or from binary edges,
// `above` from the same item below or from a unary rule. Items are in the order of their spans' widths, below before
// above, so children come before parents.
#pragma once
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "tools/constituency/latent/grammar.hpp"

namespace palmette {

inline constexpr float kNoDerivation = -std::numeric_limits<float>::infinity();  // the log of no probability
inline constexpr std::int32_t kNoExponent = -(1 << 28);                           // of a span without values

// The place of a span among all, by their ends.
inline std::size_t span_of(int start, int end) { return static_cast<std::size_t>(end) * (end - 1) / 2 + start; }

enum class LatentNode : std::uint8_t { word, binary, unary, same };

struct LatentForest {
    struct Item {
        std::int32_t symbol;
        std::int32_t start, end;
        bool above;
        std::int32_t first, last;  // below: its bundles; above: its rises
    };
    struct Bundle {  // the edges of one rule below one item
        std::int32_t rule;
        std::int32_t first, last;
    };
    struct Edge {
        std::int32_t left, right;  // items above
    };
    struct Rise {
        std::int32_t rule;  // a unary rule, or -1 for the same symbol
        std::int32_t item;  // below
    };
    int n = 0;  // words
    std::vector<Item> items;
    std::vector<Bundle> bundles;
    std::vector<Edge> edges;
    std::vector<Rise> rises;
    std::vector<std::int32_t> roots;  // items above over the whole sentence

    // Without the items whose value is below the threshold, and without what needs them.
    LatentForest pruned(std::span<const float> posterior, float threshold) const;
};

// A node of a tree over a sentence; id: of the binary or unary rule, or the word's position. Children come before it.
struct LatentTreeNode {
    LatentNode kind;
    std::int32_t id, symbol, start, end, left, right;
};
using LatentTree = std::vector<LatentTreeNode>;

// What trees must not have: for every span, end (end - 1) / 2 + start, a row of `barred`, or -1 for none. A row has a
// byte for every symbol that stays the same, then one for every unary rule: whether they are barred over the span.
struct LatentBars {
    std::span<const std::int32_t> row;
    std::span<const std::uint8_t> barred;

    // The bars over a span, `width` bytes, or nothing.
    const std::uint8_t* over(std::size_t span, std::size_t width) const {
        return row.empty() || row[span] < 0 ? nullptr : barred.data() + row[span] * width;
    }
};

// The coarsest grammar: one weight for every rule, and rules by their children.
class CoarseGrammar {
  public:
    CoarseGrammar() = default;
    // The weights of a grammar with one substate per symbol.
    CoarseGrammar(const LatentRules& rules, const LatentGrammar& grammar);

    // Inside and outside over all spans, then the forest of the items whose posterior is at least the threshold.
    // words[i · n_symbols + tag]: the weight of word i. No roots in the forest if there is no tree.
    LatentForest forest(const LatentRules& rules, std::span<const float> words, int n, float threshold,
                        const LatentBars& bars) const;

    // The best sequence of trees over the words, few ones preferred: one after the other, each with its root last.
    // fragment[symbol]: whether it may be the root of one. Gives the ends of the trees among the nodes.
    std::vector<std::size_t> fragments(const LatentRules& rules, std::span<const float> words, int n,
                                       std::span<const std::uint8_t> fragment, LatentTree& nodes, double& score) const;

  private:
    struct Pair {  // children, and the parents that they make
        std::int32_t left, right, first, last;
    };
    struct Result {
        std::int32_t parent;
        float weight;
    };
    struct Made {  // a rule of a parent; right: its place among the right children
        std::int32_t left, right;
        float weight;
    };
    float stays(const std::uint8_t* bar, std::size_t symbol) const { return bar && bar[symbol] ? 0 : same_[symbol]; }
    float rises(const std::uint8_t* bar, std::size_t rule) const {
        return bar && bar[n_symbols_ + rule] ? 0 : unary_[rule];
    }
    LatentForest built(const LatentRules& rules, const LatentBars& bars, int n, std::span<const std::uint8_t> keep_below,
                       std::span<const std::uint8_t> keep_above) const;

    std::size_t n_symbols_ = 0;
    std::vector<Pair> pairs_;  // by left child
    std::vector<std::int32_t> pairs_of_;  // left child -> its first pair; one past the last
    std::vector<Result> results_;
    std::vector<std::vector<Made>> made_;  // by parent
    std::vector<std::int32_t> place_;      // symbol -> its place among the right children, or -1
    std::size_t n_right_ = 0, right_width_ = 0;
    std::vector<float> unary_, same_, root_;
    std::vector<std::vector<std::int32_t>> rules_of_;  // binary rules by parent
};

}  // namespace palmette

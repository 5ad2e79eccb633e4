// From the words of a sentence to its discontinuous trees: segments, forest, states, and the best of what is left.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "tools/constituency/lcfrs/decoding.hpp"
#include "tools/constituency/lcfrs/forest.hpp"
#include "tools/constituency/lcfrs/grammar.hpp"
#include "tools/constituency/lcfrs/passes.hpp"
#include "tools/constituency/lcfrs/split_pcfg.hpp"

namespace palmette {

enum class Decoding { kMostProbable, kMinimumRisk };

struct LcfrsSearch {
    double segment_threshold = 1e-5;  // segments of the split grammar expected less often are left out
    double item_threshold = 1e-5;     // items less probable in the plain grammar are left out before states are summed
    std::size_t max_edges = 2'000'000;
    Decoding decoding = Decoding::kMinimumRisk;
    int k = 1;
    bool exact = false;  // all segments are alive
    bool posteriors = false;
};

struct NodePosterior {
    std::int32_t symbol, start, end;
    double probability;
};

struct LcfrsParse {
    std::vector<FlatTree> trees;
    bool in_pieces = false;  // no tree covers the words: trees are the pieces, in order
    bool loosened = false;   // segments below the threshold were needed
    bool tightened = false;  // too many edges: segments above the threshold were left out
    double log_sum = 0;      // the log of the sum over the derivations that were looked at
    std::int64_t edges = 0;
    std::vector<NodePosterior> posteriors;  // of items without gaps
};

struct LcfrsSentence {
    int n = 0;
    std::span<const Emission> emissions;
    std::vector<LexicalStates> states;  // of each grammar
};

class LcfrsParser {
   public:
    // grammars: one or more ways to split the symbols into states. With several, a tree is worth the product of their
    // posteriors; the most probable tree is that of the first.
    LcfrsParser(LcfrsRules rules, std::vector<StateWeights> grammars);

    LcfrsParse parse(const LcfrsSentence& sentence, const LcfrsSearch& search) const;
    const LcfrsGrammar grammar;
    const SplitPcfg segments;
    const StateWeights plain;
    const std::vector<StateWeights> grammars;

   private:
    bool find_forest(const LcfrsSentence& sentence, const LcfrsSearch& search, LcfrsForest& forest,
                     LcfrsParse& result) const;
    AliveSegments everything(const LcfrsSentence& sentence) const;
    void find_pieces(const LcfrsSentence& sentence, const LcfrsForest& forest, LcfrsParse& result) const;
    template <class Real>
    bool decode(const LcfrsSentence& sentence, const LcfrsSearch& search, const LcfrsForest& forest, double scale,
                LcfrsParse& result) const;
};

}  // namespace palmette

// The hypotheses that lead to whole translations as a hypergraph: an edge is a phrase, or the end of the sentence, and a
// derivation is a path from the root, the goal, back to the empty hypothesis.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "inference/hypergraph.hpp"
#include "tools/translation/search/decoder.hpp"

namespace palmette {

struct SearchGraph {
    Hypergraph graph;                        // part e is edge e
    std::vector<double> features;            // Φ of each edge
    std::vector<std::uint32_t> begin, end;   // source words of each edge; equal at the end of the sentence
    std::vector<std::uint32_t> pair;         // as PhraseOption has it; Decoder::kNone at the end of the sentence
    std::vector<std::int64_t> word_start{0}; // target words of edge e: words[word_start[e]] …
    std::vector<std::uint32_t> words;
    std::vector<std::uint32_t> covered;      // source words of each node
    bool exact = true;

    std::vector<double> scores(std::span<const double> weights) const;
};

// The graph of the last search of a decoder that kept its edges.
SearchGraph graph_of(Decoder& decoder, std::uint32_t n_words, int n_features);

}  // namespace palmette

// Search graphs of sentences, from which line search chooses among all derivations. Macherey et al. 2008; Kumar et al. 2009.
//
// The envelope of a node is the upper envelope of the lines of its derivations: an edge adds the envelopes of its tails
// (the envelope of sums is a merge of their corners) and its own line, and a node takes the envelope of all its edges.
// That is an inside pass over the semiring of envelopes, (convex polygons, upper envelope, sum). A phrase-based
// graph of E edges costs O(E) envelopes, of at most one line for each edge of the graph.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "inference/hypergraph.hpp"
#include "tools/translation/tuning/envelope.hpp"
#include "tools/translation/tuning/line_source.hpp"
#include "tools/translation/tuning/ngram_matches.hpp"

namespace palmette {

// One sentence. Features are rows for the parts of the graph. The target side of part p is items[begin[p]] …
// items[begin[p + 1] - 1]: a word, or -1 - t for the words of tail t. If a part names no tail, the words of all tails
// come first.
struct TranslationGraph {
    const Hypergraph* graph = nullptr;
    const double* features = nullptr;
    std::span<const std::int64_t> begin;
    std::span<const std::int32_t> items;
};

class TranslationGraphs : public LineSource {
public:
    // Throws std::invalid_argument for a graph with a cycle, without a derivation, or with a tail that an edge lacks.
    TranslationGraphs(std::vector<TranslationGraph> graphs, const Grouped& references, std::size_t n_features);

    std::size_t n_features() const override { return n_features_; }
    std::size_t n_counts() const override { return kBleuCounts; }
    void trace(const double* w, const double* d, int coordinate, Memory& memory, ErrorSurface& surface) const override;
    void add_best(const double* w, double* sums) const override;

    // The envelope of sentence s along w + x d: where each translation begins to be best, and the words of all,
    // cut at `words`.
    struct Translations {
        std::vector<double> from;
        std::vector<std::int64_t> words{0};
        std::vector<std::uint32_t> ids;
    };
    Translations envelope(std::size_t s, const double* w, const double* d) const;
    std::size_t size() const { return graphs_.size(); }

private:
    std::vector<TranslationGraph> graphs_;
    std::vector<NgramReferences> references_;
    std::size_t n_features_;
};

}  // namespace palmette

// Searching the chart of one sentence after another, exactly or from coarse to fine.
//
// From coarse to fine: inside-outside with the coarse grammar, then the fine one over what is left. Where that has no
// tree the threshold goes down, and at last all of the chart is searched, if there is memory for it.
#pragma once
#include <vector>

#include "structures/chart/best.hpp"
#include "structures/chart/pruned.hpp"
#include "structures/chart/sums.hpp"

namespace palmette {

// What is searched, and how. Without a coarse grammar the search is exact.
struct SearchPlan {
    const ChartGrammar* grammar = nullptr;
    const ChartGrammar* coarse = nullptr;
    const RefinedGrammar* refined = nullptr;
    std::span<const std::uint8_t> parts, coarse_parts;  // for every symbol whether it is a part of a phrase
    double threshold = 1e-4;
    std::size_t memory = std::size_t{1} << 30;  // in bytes, for one chart; more than that is never asked for
};

enum class SearchOutcome : std::uint8_t {
    kExact,    // all of the chart
    kPruned,   // with the threshold that was asked for
    kRetried,  // with a lower one, since there was no tree with that
    kNoTree,
    kTooLong,  // there is not enough memory for all of the chart, and nothing smaller had a tree
};

struct LabelMaps {
    std::span<const std::int32_t> brackets;  // the label of every symbol as a bracket, or -1
    std::span<const std::int32_t> tags;      // its number as a tag, or -1
};

struct BracketPosteriors {
    std::vector<std::int32_t> starts, ends, labels;
    std::vector<double> probabilities;
    std::vector<std::int32_t> tags;  // the most probable tag of every word, or -1
};

class ChartSearch {
public:
    explicit ChartSearch(const SearchPlan& plan) : plan_(plan) {}

    // The k best trees, best first; allowed: over the symbols of the grammar, makes the search exact. closed: bits of
    // every word (structures/chart/closure.hpp), or none; used unless no tree is left then, or items are given.
    SearchOutcome best(const Emissions& emissions, std::size_t n, std::span<const std::uint8_t> closed, const ChartItems* allowed, std::size_t k,
                       std::vector<Derivation>& trees);
    // Brackets of at least the least probability, symbols of one label added up.
    SearchOutcome posteriors(const Emissions& emissions, std::size_t n, std::span<const std::uint8_t> closed, const ChartItems* allowed,
                             const LabelMaps& maps, double least, BracketPosteriors& found, double& log_z);

private:
    bool fits(std::size_t n, std::size_t charts, std::size_t value) const {
        return ChartRows<char>::bytes(n, plan_.grammar->rows()) <= plan_.memory / (charts * value);
    }
    Emissions coarse_emissions(const Emissions& emissions);
    // Calls run() with what is left in alive_ until it is true: with what is closed, then without, at ever lower
    // thresholds.
    template <class Run>
    SearchOutcome pruned(const Emissions& emissions, std::size_t n, std::span<const std::uint8_t> closed, Run&& run);
    bool pruned_posteriors(const Emissions& emissions, std::size_t n, const LabelMaps& maps, double least, BracketPosteriors& found, double& log_z);

    SearchPlan plan_;
    SentenceSums coarse_sums_, sums_;
    ChartItems alive_;
    ChartBest best_;
    PrunedChart<MaxOfLogs> pruned_best_;
    PrunedChart<SumOfWeights<float>> pruned_floats_;
    PrunedChart<SumOfWeights<double>> pruned_doubles_;
    std::vector<std::int32_t> coarse_positions_, coarse_symbols_;
    std::vector<float> coarse_weights_;
};

}  // namespace palmette

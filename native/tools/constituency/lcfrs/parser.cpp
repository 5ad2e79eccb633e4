#include "tools/constituency/lcfrs/parser.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

namespace palmette {
namespace {

constexpr double kLeastThreshold = 1e-5;  // of a search that is narrowed
constexpr double kPieceCost = 25;  // in nats: a fragment more must be worth this

}  // namespace

LcfrsParser::LcfrsParser(LcfrsRules rules, std::vector<StateWeights> given)
    : grammar(std::move(rules)),
      segments(grammar),
      plain(StateWeights::plain(grammar.rules)),
      grammars(std::move(given)) {
    if (grammars.empty()) throw std::invalid_argument("at least one grammar with states.");
    for (const StateWeights& states : grammars) states.check(grammar.rules);
}

AliveSegments LcfrsParser::everything(const LcfrsSentence& sentence) const {
    AliveSegments alive(sentence.n, segments.n_symbols());
    for (int end = 1; end <= sentence.n; ++end)
        for (int start = 0; start < end; ++start)
            for (int s = 0; s < segments.n_symbols(); ++s) alive.add(start, end, s);
    return alive;
}

bool LcfrsParser::find_forest(const LcfrsSentence& sentence, const LcfrsSearch& search, LcfrsForest& forest,
                              LcfrsParse& result) const {
    if (search.exact)
        return build_forest(grammar, segments, everything(sentence), sentence.n, sentence.emissions, search.max_edges,
                            forest);
    double threshold = search.segment_threshold, too_low = 0;
    bool built = false;
    for (int attempt = 0; attempt < 10; ++attempt) {
        const AliveSegments alive = segments.alive(sentence.n, sentence.emissions, threshold);
        if (alive.empty()) return false;
        LcfrsForest found;
        if (!build_forest(grammar, segments, alive, sentence.n, sentence.emissions, search.max_edges, found)) {
            too_low = threshold;
            threshold = std::max(threshold * 3, kLeastThreshold);
            result.tightened = true;
            if (built) return true;
            continue;
        }
        forest = std::move(found);
        built = true;
        if (forest.root >= 0) return true;
        if (threshold / 100 <= too_low) return true;
        threshold /= 100;
        result.loosened = true;
    }
    return built;
}

LcfrsParse LcfrsParser::parse(const LcfrsSentence& sentence, const LcfrsSearch& search) const {
    LcfrsParse result;
    LcfrsForest forest;
    if (!find_forest(sentence, search, forest, result) || forest.root < 0) {
        find_pieces(sentence, forest, result);
        return result;
    }
    result.edges = static_cast<std::int64_t>(forest.edges.size());
    // A pass with the plain grammar: what is improbable goes, and the sum gives the scale.
    std::vector<std::int64_t> first(sentence.emissions.size());
    std::vector<float> values(sentence.emissions.size());
    std::vector<double> largest(sentence.n, 0);
    double log_words = 0;
    for (const Emission& e : sentence.emissions) largest[e.position] = std::max(largest[e.position], e.weight);
    for (const double most : largest) log_words += std::log(most);
    for (std::size_t e = 0; e < first.size(); ++e) {
        first[e] = static_cast<std::int64_t>(e);
        values[e] = static_cast<float>(sentence.emissions[e].weight / largest[sentence.emissions[e].position]);
    }
    double scale = kScalePerWord;
    {
        StatePass<double> pass(grammar.rules, plain, forest, {first, values}, scale);
        double total = pass.run_inside();
        if (total > 1e-280 && total < 1e280) {
            pass.run_outside();
            std::vector<char> kept(forest.n_nodes());
            for (std::int32_t v = 0; v < forest.n_nodes(); ++v) kept[v] = pass.posterior(v) >= search.item_threshold;
            forest = restrict_forest(forest, kept);
            scale *= std::exp(-std::log(total) / sentence.n - log_words / sentence.n);
        }
    }
    if (forest.root < 0) throw std::logic_error("a forest without its root");  // the best tree always stays
    // Among several grammars, the first says what the others need not look at.
    if (grammars.size() > 1 && search.decoding == Decoding::kMinimumRisk) {
        StatePass<float> pass(grammar.rules, grammars[0], forest, sentence.states[0], static_cast<float>(scale));
        if (const double total = pass.run_inside(); total > 1e-30 && total < 1e30) {
            pass.run_outside();
            std::vector<char> kept(forest.n_nodes());
            for (std::int32_t v = 0; v < forest.n_nodes(); ++v) kept[v] = pass.posterior(v) >= search.item_threshold;
            if (LcfrsForest smaller = restrict_forest(forest, kept); smaller.root >= 0) forest = std::move(smaller);
        }
    }
    if (!decode<float>(sentence, search, forest, scale, result) &&
        !decode<double>(sentence, search, forest, scale, result))
        find_pieces(sentence, forest, result);
    return result;
}

template <class Real>
bool LcfrsParser::decode(const LcfrsSentence& sentence, const LcfrsSearch& search, const LcfrsForest& forest,
                         double scale, LcfrsParse& result) const {
    if (search.decoding == Decoding::kMostProbable && search.k == 1 && !search.posteriors) {
        result.trees.assign(1, best_with_states(grammars[0], forest, sentence.states[0]));
        return result.trees[0].score > -std::numeric_limits<double>::infinity();
    }
    const double largest = sizeof(Real) == 4 ? 1e30 : 1e290;
    ForestScores scores;
    scores.edges.assign(forest.edges.size(), 0);
    scores.words.assign(forest.n_nodes(), 0);
    std::vector<double> posterior(forest.n_nodes(), 0);
    for (std::size_t g = 0; g < grammars.size(); ++g) {
        StatePass<Real> pass(grammar.rules, grammars[g], forest, sentence.states[g], static_cast<Real>(scale));
        const double total = pass.run_inside();
        if (!(total > 1 / largest) || !(total < largest)) return false;
        pass.run_outside();
        if (g == 0) result.log_sum = std::log(total) - sentence.n * std::log(scale);
        for (std::size_t e = 0; e < forest.edges.size(); ++e) scores.edges[e] += std::log(pass.edge_posterior[e]);
        for (std::int32_t v = 0; v < forest.n_nodes(); ++v) {
            if (forest.lexical[v] >= 0) scores.words[v] += std::log(pass.lexical_posterior(v));
            if (search.posteriors) posterior[v] += pass.posterior(v) / static_cast<double>(grammars.size());
        }
    }
    if (search.decoding == Decoding::kMostProbable) scores = plain_scores(grammar.rules, forest, sentence.emissions);
    result.trees = best_trees(forest, scores, forest.root, search.k);
    if (search.posteriors)
        for (std::int32_t v = 0; v < forest.n_nodes(); ++v)
            if (!forest.has_gap(v))
                result.posteriors.push_back(
                    {forest.symbol[v], forest.span[v].first, forest.span[v].second, posterior[v]});
    return !result.trees.empty();
}

void LcfrsParser::find_pieces(const LcfrsSentence& sentence, const LcfrsForest& given, LcfrsParse& result) const {
    LcfrsForest forest = given;
    if (forest.n_nodes() == 0) {
        // Not even the segments make a tree: tags, and what is built of them without gaps, while it is not too much.
        AliveSegments alive(sentence.n, segments.n_symbols());
        for (int end = 1; end <= sentence.n; ++end)
            for (int start = std::max(0, end - 12); start < end; ++start)
                for (std::int32_t s = 0; s < grammar.n_symbols(); ++s)
                    if (grammar.rules.fan_out[s] == 1) alive.add(start, end, segments.segment(s, 0));
        if (!build_forest(grammar, segments, alive, sentence.n, sentence.emissions, 1'000'000, forest)) forest = {};
    }
    forest.root = -1;
    result.in_pieces = true;
    if (forest.first_edge.empty()) forest.first_edge.push_back(0);
    const ForestScores scores = plain_scores(grammar.rules, forest, sentence.emissions);
    for (const std::int32_t piece : best_pieces(forest, scores, sentence.n, kPieceCost)) {
        if (piece >= 0) {
            result.trees.push_back(best_trees(forest, scores, piece, 1).front());
        } else {
            FlatTree word;  // a word that no tag covers
            word.symbols = {-1};
            word.shape = {piece};
            word.parts = {-4 * kPieceCost};
            word.score = -4 * kPieceCost;
            result.trees.push_back(word);
        }
    }
}

}  // namespace palmette

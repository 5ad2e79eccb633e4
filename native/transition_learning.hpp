// Which learners are compiled for transition-based parsing; and parsing with a finished model.
#pragma once
#include "compiled_learners.hpp"
#include "transition_problem.hpp"

namespace palmette {

PALMETTE_LEARNERS(extern, TransitionProblem)

// A finished model: the tables of short integers belong to the caller.
struct TransitionTables {
    System system = System::arc_hybrid;
    const TransitionFeatures* features = nullptr;
    const MoveSet* moves = nullptr;
    ShortWeights weights{};
};

// The trees of all sentences; `known` are heads that must be kept (-1: any), or null. Returns the first sentence for which that
// could not be done, or the number of sentences.
std::size_t parse_all(const TransitionTables& model, const TokenViews& views, std::size_t width, const std::int32_t* known, int n_jobs,
                      std::int32_t* heads, std::int32_t* labels, double* scores);
// The k best trees of a beam for one sentence.
void parse_kbest(const TransitionTables& model, const TokenViews& views, std::size_t i, std::size_t width, std::size_t k, std::vector<ScoredTree>& trees);

// A step of the greedy parser, as an explanation wants it.
struct TracedStep {
    std::int32_t move, label, other;  // other: the next best legal move, -1 if there is none
    std::int32_t head, word;          // of the arc; -1 if there is none
    std::vector<std::int32_t> rows, sources;
    std::vector<std::int32_t> slots;  // the words in the slots of templates
    std::vector<float> scores;
};
void trace(const TransitionTables& model, const TokenViews& views, std::size_t i, std::vector<TracedStep>& steps);

}  // namespace palmette

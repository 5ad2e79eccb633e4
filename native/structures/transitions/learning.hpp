// Which learners are compiled for transition-based parsing; and parsing with a finished model.
#pragma once
#include "learning/learnable.hpp"
#include "structures/transitions/problem.hpp"

namespace palmette {

extern template class LearnableAs<TransitionProblem>;

// A finished model: the tables of short integers belong to the caller.
struct TransitionTables {
    System system = System::arc_hybrid;
    const TransitionFeatures* features = nullptr;
    const MoveSet* moves = nullptr;
    ShortWeights weights{};
};

// The trees of all sentences; `known` are heads that must be kept (-1: any), or null. Returns the first sentence for which that
// could not be done, or the number of sentences. `probabilities`, of a greedy parser, gets for each word how probable its arc was among all moves
// when it was made; or is null.
std::size_t parse_all(const TransitionTables& model, const TokenViews& views, std::size_t width, const std::int32_t* known, int n_jobs,
                      std::int32_t* heads, std::int32_t* labels, double* scores, float* probabilities);
// The k best trees of a beam for one sentence; `known` as above, its heads alone. losses: scored by what their moves lose against the best
// ones, so that the first is the tree of the greedy parser.
void parse_kbest(const TransitionTables& model, const TokenViews& views, std::size_t i, std::size_t width, std::size_t k, const std::int32_t* known,
                 bool losses, std::vector<ScoredTree>& trees);

// A step of a parse, as an explanation wants it.
struct TracedStep {
    std::int32_t move, top;  // the one made, and the best there, whatever is known
    std::vector<std::int32_t> rows, sources;  // of features, and the templates they came from
    std::vector<std::int32_t> words;          // in the slots of templates
};
// The steps to the best tree under `known`; or, where `kinds` is not null, those of these kinds, with the best groups and labels.
ScoredTree trace(const TransitionTables& model, const TokenViews& views, std::size_t i, std::size_t width, const std::int32_t* known,
                 const std::vector<int>* kinds, bool losses, std::vector<TracedStep>& steps);

// What a beam kept and dropped in a step, best first.
struct BeamCandidate {
    std::int32_t before;       // its place among the items of the step before
    std::int32_t move, label;  // the move made, -1 for an item that was done, and the label of its arc, -1 where it makes none
    double score;
    bool kept;
};
// The steps of a beam search, each with the items kept and as many of those dropped as the beam is wide.
std::vector<std::vector<BeamCandidate>> trace_beam(const TransitionTables& model, const TokenViews& views, std::size_t i, std::size_t width);

}  // namespace palmette

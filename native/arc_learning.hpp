// Which learners are compiled for trees, and what is done with trained ones.
#pragma once
#include "arc_problem.hpp"
#include "compiled_learners.hpp"
#include "head_choice.hpp"

namespace palmette {

// How a tree is chosen: the best one, or the one with the most expected right arcs, without or with their labels.
enum class TreeChoice { best, heads, labels };
void decode_trees(const ArcProblem& p, const float* w, TreeChoice choice, int n_jobs, std::int32_t* heads, std::int32_t* labels, double* scores);
// The probability of every candidate head, [candidates], and where `labels` is not null of every label of it.
void candidate_probabilities(const ArcProblem& p, const float* w, int n_jobs, float* arcs, float* labels, double* log_z);

PALMETTE_LEARNERS(extern, ArcProblem)
PALMETTE_LEARNERS(extern, HeadChoiceProblem)

}  // namespace palmette

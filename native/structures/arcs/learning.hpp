// Which learners are compiled for trees, and what is done with trained ones.
#pragma once
#include "learning/learnable.hpp"
#include "structures/arcs/head_choice.hpp"
#include "structures/arcs/problem.hpp"

namespace palmette {

// How a tree is chosen: the best one, or the one with the most expected right arcs, without or with their labels.
enum class TreeChoice { best, heads, labels };
void decode_trees(const ArcProblem& p, WeightTable w, TreeChoice choice, int n_jobs, std::int32_t* heads, std::int32_t* labels, double* scores);
// The probability of every candidate head, [candidates], and where `labels` is not null of every label of it.
void candidate_probabilities(const ArcProblem& p, WeightTable w, int n_jobs, float* arcs, float* labels, double* log_z);

// The k best trees of every sentence, or as many as there are: those of sentence i are rows[i] … rows[i + 1].
void kbest_trees(const ArcProblem& p, WeightTable w, std::size_t k, int n_jobs, std::vector<std::int64_t>& rows,
                 std::vector<std::int32_t>& heads, std::vector<std::int32_t>& labels, std::vector<double>& scores);
// The best trees with known heads: see ArcProblem::best_with.
void constrained_trees(const ArcProblem& p, WeightTable w, const std::int32_t* wanted, int n_jobs, std::int32_t* heads,
                       std::int32_t* labels, double* scores);

extern template class LearnableAs<ArcProblem>;
extern template class LearnableAs<HeadChoiceProblem>;

}  // namespace palmette

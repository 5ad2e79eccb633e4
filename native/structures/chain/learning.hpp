// Which learners are compiled for chains. Include this, not the learners, where code is not to be made again.
#pragma once
#include "learning/learnable.hpp"
#include "structures/chain/problem.hpp"

namespace palmette {

// The best labels of all tokens, and their sentences' scores if `scores` is not null.
void decode_chains(const ChainProblem& p, const float* w, int n_jobs, std::int32_t* labels, double* scores);
// The k best outputs of every sentence, or as many as there are: those of sentence i are rows[i] … rows[i + 1], and
// their labels follow each other in `labels`.
void kbest_chains(const ChainProblem& p, const float* w, std::size_t k, int n_jobs, std::vector<std::int64_t>& rows,
                  std::vector<std::int32_t>& labels, std::vector<double>& scores);
// The probability of every label of every token, [tokens][L], and log Z of every sentence.
void chain_probabilities(const ChainProblem& p, const float* w, int n_jobs, float* labels, double* log_z);

extern template class LearnableAs<ChainProblem>;

}  // namespace palmette

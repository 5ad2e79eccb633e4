// Which learners are compiled for chains. Include this, not the learners, where code is not to be made again.
#pragma once
#include "chain_problem.hpp"
#include "decoding.hpp"
#include "loglinear.hpp"

namespace palmette {

// The best labels of all tokens, and their sentences' scores if `scores` is not null.
void decode_chains(const ChainProblem& p, const float* w, int n_jobs, std::int32_t* labels, double* scores);
// The k best outputs of every sentence, or as many as there are: those of sentence i are rows[i] … rows[i + 1], and
// their labels follow each other in `labels`.
void kbest_chains(const ChainProblem& p, const float* w, std::size_t k, int n_jobs, std::vector<std::int64_t>& rows,
                  std::vector<std::int32_t>& labels, std::vector<double>& scores);
// The probability of every label of every token, [tokens][L], and log Z of every sentence.
void chain_probabilities(const ChainProblem& p, const float* w, int n_jobs, float* labels, double* log_z);

extern template double total_loss(const ChainProblem&, const float*, int);
extern template double batch_gradient(const ChainProblem&, const float*, Objective, int, float*);
extern template double sgd_epoch(const ChainProblem&, float*, double&, std::uint64_t&, std::span<const std::int64_t>, double, double, Objective);
extern template double sag_epoch(const ChainProblem&, float*, SagMemory&, std::span<const std::int64_t>, double, Objective);

}  // namespace palmette

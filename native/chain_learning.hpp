// Which learners are compiled for chains. Include this, not the learners, where code is not to be made again.
#pragma once
#include "chain_problem.hpp"
#include "decoding.hpp"
#include "exponentiated.hpp"
#include "frank_wolfe.hpp"
#include "hinge.hpp"
#include "loglinear.hpp"
#include "mira.hpp"
#include "perceptron.hpp"
#include "subgradient.hpp"
#include "working_set.hpp"

namespace palmette {

// The best labels of all tokens, and their sentences' scores if `scores` is not null.
void decode_chains(const ChainProblem& p, const float* w, int n_jobs, std::int32_t* labels, double* scores);
// The k best outputs of every sentence, or as many as there are: those of sentence i are rows[i] … rows[i + 1], and
// their labels follow each other in `labels`.
void kbest_chains(const ChainProblem& p, const float* w, std::size_t k, int n_jobs, std::vector<std::int64_t>& rows,
                  std::vector<std::int32_t>& labels, std::vector<double>& scores);
// The labels that most vectors of a voted perceptron choose.
void decode_chain_votes(const ChainProblem& p, const float* start, const PerceptronMemory& memory, std::size_t n_updates,
                        std::size_t most, int n_jobs, std::int32_t* labels);
// The probability of every label of every token, [tokens][L], and log Z of every sentence.
void chain_probabilities(const ChainProblem& p, const float* w, int n_jobs, float* labels, double* log_z);

extern template double total_loss(const ChainProblem&, const float*, int);
extern template double batch_gradient(const ChainProblem&, const float*, Objective, int, float*);
extern template double sgd_epoch(const ChainProblem&, float*, double&, std::uint64_t&, std::span<const std::int64_t>, double, double, Objective);
extern template double sag_epoch(const ChainProblem&, float*, SagMemory&, std::span<const std::int64_t>, double, Objective);
extern template PerceptronPass perceptron_epoch(const ChainProblem&, float*, PerceptronMemory&, std::span<const std::int64_t>);
extern template double smallest_margin(const ChainProblem&, const float*, int);
extern template MiraPass mira_epoch(const ChainProblem&, float*, MiraMemory&, std::span<const std::int64_t>, const MiraOptions&);
extern template Hinge total_hinge(const ChainProblem&, const float*, int, float*);
extern template double subgradient_epoch(const ChainProblem&, float*, SubgradientMemory&, std::span<const std::int64_t>, double, double);
extern template double frank_wolfe_epoch(const ChainProblem&, float*, FrankWolfeMemory&, std::span<const std::int64_t>, double, const float*);
extern template std::size_t working_set_epoch(const ChainProblem&, WorkingSet&, std::span<const std::int64_t>, double, const float*);
extern template void start_dual(const ChainProblem&, const float*, double, double, double, DualMemory&, float*);
extern template double exponentiated_epoch(const ChainProblem&, float*, DualMemory&, std::span<const std::int64_t>, double);

}  // namespace palmette

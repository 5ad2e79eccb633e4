// From expected counts to weights: counts of parameters in groups that sum to one. O(parameters).
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

namespace palmette {

// Shares of the groups' sums; a group without counts gets those of `otherwise`, or equal ones if that is empty.
void shares_of(std::span<const double> counts, std::span<const std::int32_t> groups, std::size_t n_groups,
               std::span<const double> otherwise, double* out);

// e^(ψ(c) − ψ(sum of the group)): for each parameter, with the Dirichlet distribution of the counts, e to the mean of its log.
void variational_weights(std::span<const double> counts, std::span<const std::int32_t> groups, std::size_t n_groups, double* out);

// Σ prior · log weight over the parameters with a prior.
double log_penalty(std::span<const double> prior, std::span<const double> weights);

}  // namespace palmette

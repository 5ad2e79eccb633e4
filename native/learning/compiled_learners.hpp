// Every learner for one kind of problem, compiled once: PALMETTE_LEARNERS(extern, P) in the problem's header says that the
// code exists, PALMETTE_LEARNERS(, P) in one .cpp makes it.
#pragma once
#include "learning/arow.hpp"
#include "learning/decoding.hpp"
#include "learning/exponentiated.hpp"
#include "learning/frank_wolfe.hpp"
#include "learning/hinge.hpp"
#include "learning/loglinear.hpp"
#include "learning/mira.hpp"
#include "learning/perceptron.hpp"
#include "learning/subgradient.hpp"
#include "learning/working_set.hpp"

#define PALMETTE_LEARNERS(linkage, P) \
    linkage template double total_loss(const P&, const float*, int); \
    linkage template double batch_gradient(const P&, const float*, Objective, int, float*); \
    linkage template double sgd_epoch(const P&, float*, double&, std::uint64_t&, std::span<const std::int64_t>, const SgdOptions&); \
    linkage template double sag_epoch(const P&, float*, SagMemory&, std::span<const std::int64_t>, double, Objective); \
    linkage template PerceptronPass perceptron_epoch(const P&, float*, PerceptronMemory&, std::span<const std::int64_t>); \
    linkage template double smallest_margin(const P&, const float*, int); \
    linkage template MiraPass mira_epoch(const P&, float*, MiraMemory&, std::span<const std::int64_t>, const MiraOptions&); \
    linkage template ArowPass arow_epoch(const P&, float*, ArowMemory&, std::span<const std::int64_t>, double); \
    linkage template Hinge total_hinge(const P&, const float*, int, float*); \
    linkage template double subgradient_epoch(const P&, float*, SubgradientMemory&, std::span<const std::int64_t>, double, double); \
    linkage template double frank_wolfe_epoch(const P&, float*, FrankWolfeMemory&, std::span<const std::int64_t>, double, const float*); \
    linkage template std::size_t working_set_epoch(const P&, WorkingSet&, std::span<const std::int64_t>, double, const float*); \
    linkage template void start_dual(const P&, const float*, double, double, double, DualMemory&, float*); \
    linkage template double exponentiated_epoch(const P&, float*, DualMemory&, std::span<const std::int64_t>, double);

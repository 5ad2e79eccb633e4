#include "arc_learning.hpp"

namespace palmette {

void decode_trees(const ArcProblem& p, const float* w, TreeChoice choice, int n_jobs, std::int32_t* heads, std::int32_t* labels, double* scores) {
    constexpr std::size_t kPieces = 64;
    const std::size_t pieces = std::min(kPieces, p.size());
    std::vector<ArcProblem::State> states(std::max(1, n_jobs));
    parallel(pieces, n_jobs, [&](std::size_t piece, std::size_t thread) {
        LabelledTree y;
        for (std::size_t i = p.size() * piece / pieces; i < p.size() * (piece + 1) / pieces; ++i) {
            ArcProblem::State& s = states[thread];
            p.score(s, i, w, 1.0f);
            scores[i] = choice == TreeChoice::best ? p.best(s, 0.0f, y) : p.minimum_risk(s, choice == TreeChoice::labels, y);
            std::copy(y.heads.begin(), y.heads.end(), heads + p.data().views.offsets[i]);
            std::copy(y.labels.begin(), y.labels.end(), labels + p.data().views.offsets[i]);
        }
    });
}

void candidate_probabilities(const ArcProblem& p, const float* w, int n_jobs, float* arcs, float* labels, double* log_z) {
    constexpr std::size_t kPieces = 64;
    const std::size_t pieces = std::min(kPieces, p.size());
    std::vector<ArcProblem::State> states(std::max(1, n_jobs));
    parallel(pieces, n_jobs, [&](std::size_t piece, std::size_t thread) {
        for (std::size_t i = p.size() * piece / pieces; i < p.size() * (piece + 1) / pieces; ++i) {
            const std::int64_t at = p.data().rows[p.data().views.offsets[i]];
            p.score(states[thread], i, w, 1.0f);
            log_z[i] = p.arc_marginals(states[thread], arcs + at, labels ? labels + static_cast<std::size_t>(at) * p.labels() : nullptr);
        }
    });
}

PALMETTE_LEARNERS(, ArcProblem)
PALMETTE_LEARNERS(, HeadChoiceProblem)

}  // namespace palmette

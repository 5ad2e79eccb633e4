#include "structures/arcs/learning.hpp"

namespace palmette {

namespace {

// run(state, sentence) for every sentence, with its scores set.
template <class Run>
void each_sentence(const ArcProblem& p, WeightTable w, int n_jobs, Run&& run) {
    constexpr std::size_t kPieces = 64;
    const std::size_t pieces = std::min(kPieces, p.size());
    std::vector<ArcProblem::State> states(static_cast<std::size_t>(std::max(1, n_jobs)));
    parallel(pieces, n_jobs, [&](std::size_t piece, std::size_t thread) {
        for (std::size_t i = p.size() * piece / pieces; i < p.size() * (piece + 1) / pieces; ++i) {
            p.score(states[thread], i, w, 1.0f);
            run(states[thread], i);
        }
    });
}

void put(const ArcProblem& p, std::size_t i, const LabelledTree& y, std::int32_t* heads, std::int32_t* labels) {
    std::copy(y.heads.begin(), y.heads.end(), heads + p.data().views.offsets[i]);
    std::copy(y.labels.begin(), y.labels.end(), labels + p.data().views.offsets[i]);
}

}  // namespace

void decode_trees(const ArcProblem& p, WeightTable w, TreeChoice choice, int n_jobs, std::int32_t* heads, std::int32_t* labels, double* scores) {
    each_sentence(p, w, n_jobs, [&](ArcProblem::State& s, std::size_t i) {
        LabelledTree y;
        scores[i] = choice == TreeChoice::best ? p.best(s, 0.0f, y) : p.minimum_risk(s, choice == TreeChoice::labels, y);
        put(p, i, y, heads, labels);
    });
}

void constrained_trees(const ArcProblem& p, WeightTable w, const std::int32_t* wanted, int n_jobs, std::int32_t* heads,
                       std::int32_t* labels, double* scores) {
    each_sentence(p, w, n_jobs, [&](ArcProblem::State& s, std::size_t i) {
        LabelledTree y;
        scores[i] = p.best_with(s, wanted + p.data().views.offsets[i], y);
        put(p, i, y, heads, labels);
    });
}

void kbest_trees(const ArcProblem& p, WeightTable w, std::size_t k, int n_jobs, std::vector<std::int64_t>& rows,
                 std::vector<std::int32_t>& heads, std::vector<std::int32_t>& labels, std::vector<double>& scores) {
    std::vector<std::vector<LabelledTree>> trees(p.size());
    std::vector<std::vector<double>> totals(p.size());
    each_sentence(p, w, n_jobs, [&](ArcProblem::State& s, std::size_t i) { p.kbest(s, k, 0.0f, trees[i], totals[i]); });
    rows.assign(1, 0);
    for (std::size_t i = 0; i < p.size(); ++i) {
        for (const LabelledTree& y : trees[i]) {
            heads.insert(heads.end(), y.heads.begin(), y.heads.end());
            labels.insert(labels.end(), y.labels.begin(), y.labels.end());
        }
        scores.insert(scores.end(), totals[i].begin(), totals[i].end());
        rows.push_back(static_cast<std::int64_t>(scores.size()));
    }
}

void candidate_probabilities(const ArcProblem& p, WeightTable w, int n_jobs, float* arcs, float* labels, double* log_z) {
    each_sentence(p, w, n_jobs, [&](ArcProblem::State& s, std::size_t i) {
        const std::int64_t at = p.data().rows[p.data().views.offsets[i]];
        log_z[i] = p.arc_marginals(s, arcs + at, labels ? labels + static_cast<std::size_t>(at) * p.labels() : nullptr);
    });
}

template class LearnableAs<ArcProblem>;
template class LearnableAs<HeadChoiceProblem>;

}  // namespace palmette

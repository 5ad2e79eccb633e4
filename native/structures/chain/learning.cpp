// The learners for chains: their loops, compiled here once.
#include "structures/chain/learning.hpp"

namespace palmette {

void decode_chains(const ChainProblem& p, const float* w, int n_jobs, std::int32_t* labels, double* scores) {
    decode_all(p, w, n_jobs, [&](std::size_t i, const ChainProblem::Output& y, double score) {
        std::copy(y.begin(), y.end(), labels + p.data().offsets[i]);
        if (scores) scores[i] = score;
    });
}

void kbest_chains(const ChainProblem& p, const float* w, std::size_t k, int n_jobs, std::vector<std::int64_t>& rows,
                  std::vector<std::int32_t>& labels, std::vector<double>& scores) {
    constexpr std::size_t kPieces = 64;
    const std::size_t pieces = std::min(kPieces, p.size());
    std::vector<ChainProblem::State> states(std::max(1, n_jobs));
    for (auto& state : states) p.prepare(state, w + p.shared_at(), 1.0f, false);
    std::vector<std::vector<ChainProblem::Output>> outputs(p.size());
    std::vector<std::vector<double>> totals(p.size());
    parallel(pieces, n_jobs, [&](std::size_t piece, std::size_t thread) {
        for (std::size_t i = p.size() * piece / pieces; i < p.size() * (piece + 1) / pieces; ++i) {
            p.score(states[thread], i, w, 1.0f);
            p.kbest(states[thread], k, 0.0f, outputs[i], totals[i]);
        }
    });
    rows.assign(1, 0);
    for (std::size_t i = 0; i < p.size(); ++i) {
        for (const auto& y : outputs[i]) labels.insert(labels.end(), y.begin(), y.end());
        scores.insert(scores.end(), totals[i].begin(), totals[i].end());
        rows.push_back(static_cast<std::int64_t>(scores.size()));
    }
}

void chain_probabilities(const ChainProblem& p, const float* w, int n_jobs, float* labels, double* log_z) {
    constexpr std::size_t kPieces = 64;
    const std::size_t L = p.labels(), S = p.stride();
    std::vector<ChainProblem::State> states(std::max(1, n_jobs));
    std::vector<std::vector<float>> parts(states.size());
    for (auto& state : states) p.prepare(state, w + p.shared_at(), 1.0f, true);
    parallel(std::min(kPieces, p.size()), n_jobs, [&](std::size_t piece, std::size_t thread) {
        const std::size_t pieces = std::min(kPieces, p.size());
        for (std::size_t i = p.size() * piece / pieces; i < p.size() * (piece + 1) / pieces; ++i) {
            parts[thread].resize(p.n_parts(i));
            p.score(states[thread], i, w, 1.0f);
            log_z[i] = p.marginals(states[thread], parts[thread].data());
            for (std::size_t t = 0; t < p.n_tokens(i); ++t)
                std::copy_n(parts[thread].data() + t * S, L, labels + (p.data().offsets[i] + t) * L);
        }
    });
}

template class LearnableAs<ChainProblem>;

}  // namespace palmette

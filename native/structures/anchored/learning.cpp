#include "structures/anchored/learning.hpp"

#include <limits>

#include "base/interrupt.hpp"

namespace palmette {
namespace {

// run(state, sentence) for every sentence, with its scores set.
template <class Run>
void each_sentence(const AnchoredProblem& p, const float* w, int n_jobs, Run&& run) {
    constexpr std::size_t kPieces = 64;
    const std::size_t pieces = std::min(kPieces, p.size());
    std::vector<AnchoredProblem::State> states(static_cast<std::size_t>(std::max(1, n_jobs)));
    parallel(pieces, n_jobs, [&](std::size_t piece, std::size_t thread) {
        for (std::size_t i = p.size() * piece / pieces; i < p.size() * (piece + 1) / pieces; ++i) {
            check_interrupt();
            p.score(states[thread], i, w, 1.0f);
            run(states[thread], i);
        }
    });
}

void put(const AnchoredTree& y, std::vector<std::int32_t>& to) {
    for (const AnchoredNode& node : y) to.insert(to.end(), {node.start, node.end, node.kind, node.split, node.id});
}

double log_z_of(const AnchoredProblem& p, AnchoredProblem::State& s, std::size_t i) {
    static thread_local std::vector<float> parts;
    if (!p.possible(i)) return kNoTree;
    parts.resize(AnchoredProblem::layout(p.prepared(i).graph).end);
    return p.marginals(s, parts.data());
}

}  // namespace

AnchoredTrees decode_anchored(const AnchoredProblem& p, const float* w, AnchoredChoice choice, double offset, bool sums, int n_jobs) {
    std::vector<AnchoredTree> trees(p.size());
    AnchoredTrees found;
    found.scores.assign(p.size(), kNoTree);
    found.log_z.assign(sums ? p.size() : 0, kNoTree);
    each_sentence(p, w, n_jobs, [&](AnchoredProblem::State& s, std::size_t i) {
        if (sums) found.log_z[i] = log_z_of(p, s, i);
        if (choice == AnchoredChoice::best) p.best(s, 0.0f, trees[i]);
        else if (choice == AnchoredChoice::brackets) p.minimum_risk(s, offset, trees[i]);
        else p.rule_product(s, trees[i]);
        if (trees[i].empty()) return;
        double score = 0;
        p.features(i, trees[i], [&](const AnchoredUse&, std::size_t at) { score += w[at]; });
        found.scores[i] = score;
    });
    found.rows.assign(1, 0);
    for (const AnchoredTree& tree : trees) {
        put(tree, found.nodes);
        found.rows.push_back(static_cast<std::int64_t>(found.nodes.size() / 5));
    }
    return found;
}

AnchoredLists kbest_anchored(const AnchoredProblem& p, const float* w, std::size_t k, bool sums, int n_jobs) {
    std::vector<std::vector<AnchoredTree>> trees(p.size());
    std::vector<std::vector<double>> scores(p.size());
    AnchoredLists found;
    found.log_z.assign(sums ? p.size() : 0, kNoTree);
    each_sentence(p, w, n_jobs, [&](AnchoredProblem::State& s, std::size_t i) {
        p.kbest(s, k, 0.0f, trees[i], scores[i]);
        if (sums) found.log_z[i] = log_z_of(p, s, i);
    });
    found.trees.assign(1, 0);
    found.rows.assign(1, 0);
    for (std::size_t i = 0; i < p.size(); ++i) {
        for (const AnchoredTree& tree : trees[i]) {
            put(tree, found.nodes);
            found.rows.push_back(static_cast<std::int64_t>(found.nodes.size() / 5));
        }
        found.scores.insert(found.scores.end(), scores[i].begin(), scores[i].end());
        found.trees.push_back(static_cast<std::int64_t>(found.scores.size()));
    }
    return found;
}

AnchoredBrackets bracket_probabilities(const AnchoredProblem& p, const float* w, int n_jobs) {
    struct One {
        std::int32_t start, end, symbol;
        float p;
    };
    std::vector<std::vector<One>> lists(p.size());
    each_sentence(p, w, n_jobs, [&](AnchoredProblem::State& s, std::size_t i) {
        if (!p.possible(i)) return;
        std::vector<One>& list = lists[i];
        p.brackets(s, [&](std::int32_t start, std::int32_t end, std::int32_t symbol, float probability) {
            for (std::size_t k = list.size(); k-- > 0 && list[k].start == start && list[k].end == end;)
                if (list[k].symbol == symbol) {
                    list[k].p += probability;
                    return;
                }
            list.push_back({start, end, symbol, probability});
        });
    });
    AnchoredBrackets found;
    found.rows.assign(1, 0);
    for (const auto& list : lists) {
        for (const One& one : list) {
            found.spans.insert(found.spans.end(), {one.start, one.end, one.symbol});
            found.probabilities.push_back(one.p);
        }
        found.rows.push_back(static_cast<std::int64_t>(found.probabilities.size()));
    }
    return found;
}

template class LearnableAs<AnchoredProblem>;

}  // namespace palmette

// Which learners are compiled for anchored rules, and what is done with trained ones.
#pragma once
#include "learning/learnable.hpp"
#include "structures/anchored/problem.hpp"

namespace palmette {

// Trees of all sentences, one after another: those of sentence i are nodes[rows[i]] …; none where no tree can be built, with a
// score of minus infinity.
struct AnchoredTrees {
    std::vector<std::int64_t> rows;
    std::vector<std::int32_t> nodes;  // five numbers each
    std::vector<double> scores, log_z;
};
// How trees are chosen: the best, those with the most expected right brackets, with the largest product of rules.
enum class AnchoredChoice { best, brackets, rules };
// offset: what a bracket must be worth. sums: log Z as well.
AnchoredTrees decode_anchored(const AnchoredProblem& p, const float* w, AnchoredChoice choice, double offset, bool sums, int n_jobs);

// The k best: sentence i has the trees trees[i] … trees[i + 1] - 1, and tree t the nodes rows[t] ….
struct AnchoredLists {
    std::vector<std::int64_t> trees, rows;
    std::vector<std::int32_t> nodes;
    std::vector<double> scores, log_z;
};
AnchoredLists kbest_anchored(const AnchoredProblem& p, const float* w, std::size_t k, bool sums, int n_jobs);

// The probabilities of phrases: sentence i has rows[i] … rows[i + 1] - 1; [start, end, symbol] each, none twice.
struct AnchoredBrackets {
    std::vector<std::int64_t> rows;
    std::vector<std::int32_t> spans;
    std::vector<float> probabilities;
};
AnchoredBrackets bracket_probabilities(const AnchoredProblem& p, const float* w, int n_jobs);

extern template class LearnableAs<AnchoredProblem>;

}  // namespace palmette

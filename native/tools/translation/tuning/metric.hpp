// Scores from sums of counts: what tuning maximises. Counts of sentences are added up, and a metric turns the sums into
// a score between 0 and 1, higher is better.
//
//   bleu    the ten counts of ngram_matches.hpp, with sacrebleu's ways of smoothing
//   errors  1 − counts[0] / counts[1]: the translation error rate (edits, words), or any other rate
//   chrf    (guessed, in the reference, right) n-grams of every order: F_β of the means, as in sacrebleu
#pragma once
#include <cstddef>

namespace palmette {

enum class MetricKind { bleu, errors, chrf };
enum class Smoothing { none, floor, add, exp };

struct Metric {
    MetricKind kind = MetricKind::bleu;
    Smoothing smoothing = Smoothing::exp;
    double value = 0;         // what floor and add take
    bool effective = false;   // BLEU of a single sentence: leave out orders that the sentence is too short for
    double beta = 2;          // of chrf
    std::size_t n_counts = 10;

    double operator()(const double* sums) const;
};

}  // namespace palmette

// From counts to a backoff model. All methods but Katz's are one formula (CSC 448, §5):
//
//     p(w | h) = kept(c(h w)) / (c(h) + μ) + γ(h) p(w | h'),     γ(h) = (what was not kept + μ) / (c(h) + μ)
//
// where `kept` takes a discount off a count, μ is the strength of a Dirichlet prior, and c are counts of occurrences
// or, below the highest order of Kneser-Ney, of different words in front. The words, all but <s>, are the children of
// the empty history, whose shorter one is the uniform distribution. Katz gives the rest to words not seen after h, with
// Good-Turing or absolute discounts:
//
//     p(w | h) = kept(c(h w)) / c(h) if c(h w) > 0,  α(h) p(w | h') otherwise
//
// O(n-grams); the same on any number of threads.
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "tools/lm/counts.hpp"
#include "tools/lm/model.hpp"

namespace palmette {

enum class Smoothing { maximum_likelihood, dirichlet, katz, katz_absolute, absolute, kneser_ney, modified_kneser_ney };

struct EstimationOptions {
    Smoothing smoothing = Smoothing::modified_kneser_ney;
    std::vector<std::uint32_t> thresholds;  // by order: n-grams that occur no more often are dropped; missing ones are the last
    double discount = 0;           // of absolute discounting (also Katz's) and Kneser-Ney; 0: estimated for each order
    double concentration = 0;      // μ of Dirichlet; 0: estimated for each order by leaving one out
    int n_jobs = 1;
};

// What is taken off the counts 1, 2, … of one order, and the strength of the prior.
struct LevelRule {
    static constexpr int kTable = 8;
    std::array<double, kTable> off{};  // of counts below kTable
    double off_more = 0;               // of all others
    double mu = 0;
    bool katz = false;

    double kept(std::uint32_t count) const { return count - (count < kTable ? off[count] : off_more); }
};

struct Estimate {
    BackoffModel model;
    std::vector<LevelRule> rules;
    std::vector<int> fallbacks;  // orders whose counts of counts gave no discounts
};

// Takes the trie apart, so that it is never there twice. The suffixes must be linked.
Estimate estimate(CountTrie&& trie, const EstimationOptions& options);

// The rule of one level from counts of counts: n[r] n-grams have count r, r < 9. Sets `fell_back` if they are odd.
LevelRule rule_from(Smoothing smoothing, const std::array<std::uint64_t, 10>& n, double discount, bool lowest,
                    bool& fell_back);

}  // namespace palmette

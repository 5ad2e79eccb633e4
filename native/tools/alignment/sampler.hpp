// Gibbs sampling of word alignments that know fertilities: the HMM with fertilities, Models 3 and 4. CSC 448, §14.5 and §14.6.
//
// A word of the target, j, chooses its source word i again (0: NULL) given what all other words of the corpus have chosen:
//
//     P(a_j = i | the rest) ∝ (c(e_i, f_j) + prior) / (c(e_i) + priors) · n(φ_i + 1 | e_i) / n(φ_i | e_i) · order(i, j | the rest)
//
// t and n are integrated out: c are counts of the other choices, and so is n(φ | e), beside a Dirichlet prior around the
// fertilities of all words. The weights of the order (tools/alignment/orders.hpp) are estimated again from the counts after every sweep. Priors
// may be the counts of another text, so a text can be aligned by what was learned from one before. What is kept of the sweeps
// is not the choices but their probabilities, averaged. O(l) for every target word and sweep, vectors of eight.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "tools/alignment/bitext.hpp"

namespace palmette {

inline constexpr std::size_t kFertilities = 11;  // 0 … 9, and ten or more
inline constexpr std::ptrdiff_t kReach = 50;     // displacements beyond it count as it
inline constexpr std::size_t kSteps = 2 * kReach + 1;

enum class OrderKind { jumps, diagonal, table, cepts };

struct SamplerSettings {
    OrderKind order = OrderKind::jumps;
    float null = 0.2f;        // probability of NULL
    float fertility = 20;     // how many observations the fertilities of all words are worth, for each word
    float smoothing = 0.5f;   // added to every count of a displacement
    float classes = 20;       // how many observations the displacements of all classes are worth, for each pair of classes
    float table = 1;          // how many observations the distances are worth, for each source position and shape
    std::uint64_t seed = 0;
    std::size_t kept = 20;    // sweeps whose probabilities are averaged, at most
};

// Counts from before. Those of sources are sums over all target words, also those that a source word never meets.
struct SamplerPriors {
    std::vector<float> pairs, sources;  // [pairs of the bitext], [1 + source words]
    std::vector<float> fertilities;     // [1 + source words][kFertilities], or empty
    std::vector<float> order;           // as many as order_size(), or empty
};

struct WordClasses {
    std::vector<std::int32_t> source, target;  // of words
    std::size_t n_source = 1, n_target = 1;
};

std::size_t order_size(OrderKind order, const WordClasses& classes, const Bitext& bitext);

class AlignmentSampler {
public:
    // `start`: for every target word its source word from 1 on, or 0. The bitext must outlive the sampler.
    static std::unique_ptr<AlignmentSampler> make(const Bitext& bitext, SamplerPriors priors, WordClasses classes,
                                                  SamplerSettings settings, std::vector<std::int32_t> start);
    virtual ~AlignmentSampler() = default;

    // One sweep over all words; returns Σ_j log P(f_j | the other words and choices). With `keep`, its probabilities count.
    virtual double sweep(bool keep) = 0;

    // Moves and swaps within sentences, each time the best one, until none helps; returns how many were made.
    virtual std::size_t climb() = 0;

    // P(a_j = i | the rest), i from 0 to l.
    virtual std::vector<float> conditional(std::size_t s, std::size_t j) = 0;

    virtual const std::vector<std::int32_t>& alignment() const = 0;

    // The mean of what was kept: [l][m] of every sentence, one behind the other.
    virtual std::vector<float> posteriors() const = 0;
    // The same in half the memory: 65535 is one.
    virtual std::vector<std::uint16_t> packed_posteriors() const = 0;

    // Counts without the priors: of pairs as expected in the kept sweeps, of fertilities and of the order in the last alignment.
    virtual std::vector<float> pair_counts() const = 0;
    virtual std::vector<float> fertility_counts() const = 0;
    virtual std::vector<float> order_counts() const = 0;
};

}  // namespace palmette

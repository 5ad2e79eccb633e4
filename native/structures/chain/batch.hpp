// Many sentences in flat arrays, as Python has them: rows of `labels` numbers without pads, sentence k at
// offsets[k] … offsets[k + 1]. Everything runs over sentences in parallel, and a result does not depend on how many
// threads there are, since each belongs to one sentence.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "structures/chain/chain.hpp"

namespace palmette {

template <class Real>
struct ChainBatch {
    std::size_t labels = 0;
    int order = 1;
    std::span<const std::int64_t> offsets;
    const Real* unary = nullptr;             // [tokens][labels]
    const std::uint8_t* allowed = nullptr;   // the same shape, or null: everything
    const Real* first = nullptr;             // [labels], added at the first position of every sentence, or null
    const Real* last = nullptr;              // the same at the last position
    const Real* begin = nullptr;             // for positions 1 … order - 1 in turn [labels^i][labels]
    const Real* table = nullptr;             // [labels^order][labels], or one for every token
    bool per_position = false;

    std::size_t sentences() const { return offsets.size() - 1; }
};

// Lays out one sentence after the other as the kernels want it; what it gave is good until the next one.
template <class Real>
class ChainReader {
public:
    explicit ChainReader(const ChainBatch<Real>& batch);
    ChainScores<Real> read(std::size_t sentence);

private:
    const ChainBatch<Real>& batch_;
    std::size_t stride_;
    std::vector<Real> unary_, begin_, table_;
};

// The best labels of every sentence, their scores, and how many states each search extended.
template <class Real>
void best_of(const ChainBatch<Real>& batch, int jobs, std::int32_t* y, double* score, std::int64_t* touched);

// log Z of every sentence; marginals of labels [tokens][labels] and of n-grams [tokens][labels^order][labels] where
// they are not null. Positions i < order have the n-grams in which all labels before the sentence are label 0. What
// belongs to sentences without any allowed sequence is zero.
template <class Real>
void sums_of(const ChainBatch<Real>& batch, int jobs, double* log_z, Real* marginals, Real* ngrams);

// The score of given labels, one number per sentence.
template <class Real>
void scores_of(const ChainBatch<Real>& batch, const std::int32_t* y, double* score);

#define PALMETTE_CHAIN_BATCH(linkage, Real)                                                                     \
    linkage template class ChainReader<Real>;                                                                   \
    linkage template void best_of<Real>(const ChainBatch<Real>&, int, std::int32_t*, double*, std::int64_t*);   \
    linkage template void sums_of<Real>(const ChainBatch<Real>&, int, double*, Real*, Real*);                   \
    linkage template void scores_of<Real>(const ChainBatch<Real>&, const std::int32_t*, double*);
PALMETTE_CHAIN_BATCH(extern, float)
PALMETTE_CHAIN_BATCH(extern, double)

}  // namespace palmette

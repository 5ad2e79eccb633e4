// What a batch of chains expects of its parts, and how these vary together: the first and the second derivatives of the
// sum of log Z, as gradients of networks need them. Parts that all sentences share (label n-grams) are added up over
// sentences, in pieces that do not depend on the number of threads.
#pragma once
#include "structures/chain/batch.hpp"

namespace palmette {

// Where results go, laid out as the scores of a batch are: unary [tokens][labels], begin and table.
template <class Real>
struct ChainParts {
    Real* unary = nullptr;
    Real* begin = nullptr;
    Real* table = nullptr;
};

// log Z of every sentence, and Σ over sentences of weight · E[part]; no weights: all are one. What belongs to
// sentences without any allowed sequence is zero.
template <class Real>
void expectations_of(const ChainBatch<Real>& batch, int jobs, const Real* weights, double* log_z, const ChainParts<Real>& out);

// Cov[v, part] for every part, where v adds up over parts: `values` is laid out as the scores are. Order 1 or more. The
// recurrences carry pairs, a sum of weights and the same sum with every weight times the value of its sequence so far
// (Eisner 2002; CSC 448, §4.6):
//     α_i(c, y) = e_i[y] Σ_p α_{i-1}(p, c) t[p, c][y]
//     α̂_i(c, y) = e_i[y] Σ_p (α̂_{i-1}(p, c) + v[p, c][y] α_{i-1}(p, c)) t[p, c][y] + v_i[y] α_i(c, y)
// std::domain_error where no sequence is allowed, or where scores are too far apart for doubles.
void covariances_of(const ChainBatch<double>& batch, int jobs, const ChainParts<const double>& values,
                    const ChainParts<double>& out);

extern template void expectations_of<float>(const ChainBatch<float>&, int, const float*, double*, const ChainParts<float>&);
extern template void expectations_of<double>(const ChainBatch<double>&, int, const double*, double*, const ChainParts<double>&);

}  // namespace palmette

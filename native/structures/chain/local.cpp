// Chains that are normalised position by position (MEMMs): P(y | x) = Π_t P(y_t | y_{t-order} … y_{t-1}, x).
//
// normalise     log P = score − log Σ_y e^score, for every context of every position; so Z = 1, and the passes
//               over chains give best outputs, marginals and k-best as they are
// LabelHistory  training: every token a choice of its own, the right labels before it among its attributes. The
//               weight of "the label before is y′" is where a chain has that of the bigram y′ y, so the
//               weights of the one problem are those of the other.
#include <cmath>
#include <stdexcept>

#include "structures/chain/problem.hpp"

namespace palmette {
namespace {

// row[y] += extra[y] − log Σ_y e^(row[y] + extra[y]); a row without any label stays as it is.
void log_normalise(float* row, const float* extra, std::size_t L) {
    float top = minus_infinity<float>;
    for (std::size_t y = 0; y < L; ++y) {
        if (extra) row[y] += extra[y];
        top = std::max(top, row[y]);
    }
    if (top == minus_infinity<float>) return;
    float sum = 0;
    for (std::size_t y = 0; y < L; ++y) sum += exp_negative(row[y] - top);
    const float log_sum = top + std::log(sum);
    for (std::size_t y = 0; y < L; ++y) row[y] -= log_sum;
}

}  // namespace

void ChainProblem::normalise(State& s) const {
    if (d_.states) return normalise_steps(s);
    for (std::size_t t = 0; t < s.scores.n; ++t) {
        float* unary = s.unary.data() + t * S_;
        if (t == 0 || d_.order == 0) {
            log_normalise(unary, nullptr, L_);
            continue;
        }
        float* table = const_cast<float*>(s.scores.transitions(t));  // set_view made it this example's own
        for (std::size_t c = 0; c < s.scores.contexts(t); ++c) log_normalise(table + c * S_, unary, L_);
        std::fill_n(unary, L_, 0.0f);
    }
}

LabelHistory::LabelHistory(const ChainData& d) {
    const std::size_t L = d.n_labels, pairs_at = d.n_attributes, ngrams_at = pairs_at + (d.pair_rows ? d.n_pair_attributes * L : 0);
    n_attributes = ngrams_at;
    if (d.states) n_attributes += d.states->n_rows;
    else for (int h = 1; h <= d.order; ++h) n_attributes += power(L, h);
    if (n_attributes >= (std::size_t{1} << 31)) throw std::invalid_argument("there are too many labels for the label history of this order");
    const std::int64_t tokens = d.offsets[d.n_sentences];
    labels.assign(d.labels, d.labels + tokens);
    if (d.allowed) allowed.assign(d.allowed, d.allowed + static_cast<std::size_t>(tokens) * L);
    rows.reserve(tokens + 1);
    rows.push_back(0);
    const bool valued = d.values || d.pair_values;
    const auto add = [&](std::size_t attribute, float value) {
        attributes.push_back(static_cast<std::int32_t>(attribute));
        if (valued) values.push_back(value);
    };
    for (std::size_t i = 0; i < d.n_sentences; ++i) {
        std::int32_t state = 0;  // after the labels so far, or -1 from the first that is not known
        for (std::int64_t t = d.offsets[i]; t < d.offsets[i + 1]; ++t) {
            const std::int64_t before = std::min<std::int64_t>(t - d.offsets[i], d.states ? 1 : d.order);
            bool known = !d.states || state >= 0;
            for (std::int64_t h = 1; h <= before; ++h) known &= d.labels[t - h] >= 0;
            if (known) {
                for (std::int64_t k = d.rows[t]; k < d.rows[t + 1]; ++k) add(d.attributes[k], d.values ? d.values[k] : 1.0f);
                if (before && d.pair_rows)
                    for (std::int64_t k = d.pair_rows[t]; k < d.pair_rows[t + 1]; ++k)
                        add(pairs_at + d.pair_attributes[k] * L + d.labels[t - 1], d.pair_values ? d.pair_values[k] : 1.0f);
                if (d.states) d.states->each_row(static_cast<std::size_t>(state), [&](std::size_t row) { add(ngrams_at + row, 1.0f); });
                std::size_t at = ngrams_at, context = 0, place = 1;
                for (std::int64_t h = 1; !d.states && h <= before; ++h) {
                    context += d.labels[t - h] * place;
                    place *= L;
                    add(at + context, 1.0f);
                    at += place;
                }
            } else {  // a label whose history is not known tells nothing
                labels[t] = -1;
                if (d.allowed) std::fill_n(allowed.begin() + t * L, L, std::uint8_t{1});
            }
            rows.push_back(static_cast<std::int64_t>(attributes.size()));
            if (d.states && state >= 0) {
                const std::int32_t step = d.labels[t] < 0 ? -1 : d.states->step(static_cast<std::size_t>(state), static_cast<std::size_t>(d.labels[t]));
                state = step < 0 ? -1 : d.states->to[step];
            }
        }
    }
}

}  // namespace palmette

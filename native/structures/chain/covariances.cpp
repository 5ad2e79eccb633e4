#include <stdexcept>
#include <string>

#include "structures/chain/expectations.hpp"
#include "base/sums/shared_sums.hpp"

namespace palmette {
namespace {

// Forward and backward over one sentence; what it works with stays from sentence to sentence.
class CovariancePass {
public:
    // values and out: unary [n][L]; tables without pads, that of position i ≥ order `table_step` after the one before.
    struct Tables {
        const double *unary, *begin, *table;
        double *unary_out, *begin_out, *table_out;
        std::size_t table_step;
    };

    // False where the sum of the weights is zero, or leaves the range of doubles.
    bool run(const ChainScores<double>& s, const ChainPotentials<double>& potentials, const Tables& at) {
        const std::size_t n = s.n, L = s.labels, S = s.stride, order = static_cast<std::size_t>(s.order);
        const std::size_t rest_of = power(L, s.order - 1), widest = n ? s.states(n - 1) : 0;
        const auto table_of = [&](std::size_t i, auto* begin, auto* table) {
            return i < order ? begin + begin_size(L, L, static_cast<int>(i)) : table + i * at.table_step;
        };
        if (n == 0) return true;
        emission_.assign(n * S, 0.0);
        alpha_.assign(n * widest, 0.0);
        alpha_value_.assign(n * widest, 0.0);
        scale_.assign(n, 0.0);
        for (std::size_t i = 0; i < n; ++i) {
            const double* u = s.unary + i * S;
            const double top = *std::max_element(u, u + L);
            if (top == minus_infinity<double>) return false;
            double *e = emission_.data() + i * S, *a = alpha_.data() + i * widest, *v = alpha_value_.data() + i * widest;
            for (std::size_t y = 0; y < L; ++y) e[y] = std::exp(u[y] - top);
            if (i == 0) {
                std::fill_n(a, L, 1.0);
            } else {
                const double *t = potentials.transitions(s, i), *tv = table_of(i, at.begin, at.table);
                const double *before = a - widest, *before_value = v - widest;
                for (std::size_t c = 0; c < s.contexts(i); ++c) {
                    const std::size_t from = state_of(c, L, S), to = (i < order ? c : c % rest_of) * S;
                    const double weight = before[from], value = before_value[from];
                    if (weight == 0) continue;
                    for (std::size_t y = 0; y < L; ++y) {
                        const double step = t[c * S + y];
                        a[to + y] += weight * step;
                        v[to + y] += (value + weight * tv[c * L + y]) * step;
                    }
                }
            }
            double sum = 0;
            for (std::size_t from = 0; from < s.states(i); from += S)
                for (std::size_t y = 0; y < L; ++y) {
                    a[from + y] *= e[y];
                    v[from + y] = v[from + y] * e[y] + at.unary[i * L + y] * a[from + y];
                    sum += a[from + y];
                }
            if (!(sum > 0) || std::isinf(sum)) return false;
            scale_[i] = 1 / sum;
            for (std::size_t j = 0; j < s.states(i); ++j) {
                a[j] *= scale_[i];
                v[j] *= scale_[i];
            }
        }
        double mean = 0;
        for (std::size_t j = 0; j < widest; ++j) mean += alpha_value_[(n - 1) * widest + j];
        beta_.assign(widest, 1.0);
        beta_value_.assign(widest, 0.0);
        for (std::size_t i = n; i-- > 0;) {
            const double *a = alpha_.data() + i * widest, *v = alpha_value_.data() + i * widest;
            double* out = at.unary_out + i * L;
            for (std::size_t from = 0; from < s.states(i); from += S)
                for (std::size_t y = 0; y < L; ++y)
                    out[y] += (v[from + y] - mean * a[from + y]) * beta_[from + y] + a[from + y] * beta_value_[from + y];
            if (i == 0) break;
            const double *e = emission_.data() + i * S, *before = a - widest, *before_value = v - widest;
            const double *t = potentials.transitions(s, i), *tv = table_of(i, at.begin, at.table);
            double* grams = table_of(i, at.begin_out, at.table_out);
            for (std::size_t from = 0; from < s.states(i); from += S)
                for (std::size_t y = 0; y < L; ++y) {
                    const double factor = e[y] * scale_[i], back = beta_[from + y];
                    beta_[from + y] = factor * back;
                    beta_value_[from + y] = factor * (beta_value_[from + y] + at.unary[i * L + y] * back);
                }
            next_.assign(widest, 0.0);
            next_value_.assign(widest, 0.0);
            for (std::size_t c = 0; c < s.contexts(i); ++c) {
                const std::size_t from = state_of(c, L, S), to = (i < order ? c : c % rest_of) * S;
                const double weight = before[from], value = before_value[from] - mean * before[from];
                if (weight == 0) continue;
                double sum = 0, sum_value = 0;
                for (std::size_t y = 0; y < L; ++y) {
                    const double back = t[c * S + y] * beta_[to + y];
                    const double back_value = t[c * S + y] * beta_value_[to + y] + tv[c * L + y] * back;
                    sum += back;
                    sum_value += back_value;
                    grams[c * L + y] += value * back + weight * back_value;
                }
                next_[from] = sum;
                next_value_[from] = sum_value;
            }
            std::swap(beta_, next_);
            std::swap(beta_value_, next_value_);
        }
        return true;
    }

private:
    std::vector<double> emission_, alpha_, alpha_value_, scale_, beta_, beta_value_, next_, next_value_;
};

}  // namespace

void covariances_of(const ChainBatch<double>& batch, int jobs, const ChainParts<const double>& values,
                    const ChainParts<double>& out) {
    const std::size_t L = batch.labels, block = power(L, batch.order) * L, begins = begin_size(L, L, batch.order);
    const std::size_t shared = begins + (batch.per_position ? 0 : block);
    std::vector<double> total(shared, 0.0);
    sum_over_pieces(batch.sentences(), shared, jobs, total.data(), [&](std::size_t from, std::size_t to, double* sum) {
        ChainReader<double> reader(batch);
        ChainPotentials<double> potentials;
        CovariancePass pass;
        for (std::size_t k = from; k < to; ++k) {
            const auto s = reader.read(k);
            const std::size_t first = static_cast<std::size_t>(batch.offsets[k]);
            if (k == from || s.table_step) potentials.set(s);
            const std::size_t step = batch.per_position ? block : 0, skipped = first * step;
            const CovariancePass::Tables tables{
                values.unary + first * L, values.begin, values.table + skipped, out.unary + first * L,
                sum, batch.per_position ? out.table + skipped : sum + begins, step};
            if (!pass.run(s, potentials, tables))
                throw std::domain_error("sentence " + std::to_string(k + 1) +
                                        ": no sequence of labels is allowed, or the scores are too far apart");
        }
    });
    std::copy_n(total.data(), begins, out.begin);
    if (!batch.per_position) std::copy_n(total.data() + begins, block, out.table);
}

}  // namespace palmette

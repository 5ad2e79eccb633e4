// Models 1 and 2: target words choose their source words one by one.
#include "tools/alignment/word_alignment.hpp"

#include <algorithm>
#include <cmath>

#include "tools/alignment/pieces.hpp"

namespace palmette {
namespace {

// w(i, j) = t · P(i | j, l, m) of one sentence in `p`, and the sum for each target word.
class Sentence {
public:
    explicit Sentence(const Independent& model) : model_(model) {}

    void fill(const Bitext& b, std::size_t s) {
        l = b.l(s), m = b.m(s);
        const std::uint32_t* links = b.links(s);
        p.resize((l + 1) * m);
        if (model_.position) {
            const float* position = model_.position + b.shape_at()[b.shape_of(s)];
            for (std::size_t k = 0; k < (l + 1) * m; ++k) p[k] = model_.t[links[k]] * position[k];
        } else if (model_.tension == 0) {
            const float each = l ? (1 - model_.p0) / static_cast<float>(l) : 0.0f;
            for (std::size_t j = 0; j < m; ++j) p[j] = model_.t[links[j]] * model_.p0;
            for (std::size_t k = m; k < (l + 1) * m; ++k) p[k] = model_.t[links[k]] * each;
        } else {
            set_diagonal();
            for (std::size_t j = 0; j < m; ++j) p[j] = model_.t[links[j]] * model_.p0;
            for (std::size_t i = 1; i <= l; ++i)
                for (std::size_t j = 0; j < m; ++j) {
                    const float near = std::min(up[i] * down_j[j], down[i] * up_j[j]);
                    p[i * m + j] = model_.t[links[i * m + j]] * near * norm[j];
                }
        }
        total.assign(m, 0.0f);
        for (std::size_t i = 0; i <= l; ++i)
            for (std::size_t j = 0; j < m; ++j) total[j] += p[i * m + j];
    }

    // Divides by the sums; returns log P(f | e).
    double normalise() {
        double loss = 0;
        for (float& sum : total) {
            loss += std::log(static_cast<double>(sum));
            sum = sum > 0 ? 1 / sum : 0.0f;
        }
        for (std::size_t i = 0; i <= l; ++i)
            for (std::size_t j = 0; j < m; ++j) p[i * m + j] *= total[j];
        return loss;
    }

    // After `normalise` of a model with a tension: what its best tension depends on.
    void add_distances(IndependentCounts& to) {
        for (std::size_t j = 0; j < m; ++j) first[j] = second[j] = 0;
        for (std::size_t i = 1; i <= l; ++i) {
            float sum = 0;
            for (std::size_t j = 0; j < m; ++j) {
                const float d = std::fabs(at[i] - at_j[j]), q = std::min(up[i] * down_j[j], down[i] * up_j[j]) * d;
                sum += p[i * m + j] * d;
                first[j] += q;
                second[j] += q * d;
            }
            to.distance += sum;
        }
        const float by = 1 / (1 - model_.p0);
        for (std::size_t j = 0; j < m; ++j) {
            const float some = 1 - p[j], mean = first[j] * norm[j] * by;
            to.mean += some * mean;
            to.variance += some * std::max(0.0f, second[j] * norm[j] * by - mean * mean);
        }
    }

    std::size_t l = 0, m = 0;
    std::vector<float> p, total;

private:
    // e^(−tension |i/l − j/m|) = min(e^(tension (i/l − j/m)), e^(tension (j/m − i/l))), and each of these is a product.
    void set_diagonal() {
        const auto resize = [](std::size_t n, auto&... which) { (which.resize(n), ...); };
        if (l != last_l_) {
            resize(l + 1, up, down, at);
            for (std::size_t i = 1; i <= l; ++i) {
                at[i] = static_cast<float>(i) / static_cast<float>(l);
                up[i] = std::exp(model_.tension * (at[i] - 0.5f));
                down[i] = 1 / up[i];
            }
        }
        if (m != last_m_) {
            resize(m, up_j, down_j, at_j, norm, first, second);
            for (std::size_t j = 0; j < m; ++j) {
                at_j[j] = static_cast<float>(j + 1) / static_cast<float>(m);
                up_j[j] = std::exp(model_.tension * (at_j[j] - 0.5f));
                down_j[j] = 1 / up_j[j];
            }
        }
        if (l == last_l_ && m == last_m_) return;
        last_l_ = l, last_m_ = m;
        std::fill(norm.begin(), norm.end(), 0.0f);
        for (std::size_t i = 1; i <= l; ++i)
            for (std::size_t j = 0; j < m; ++j) norm[j] += std::min(up[i] * down_j[j], down[i] * up_j[j]);
        for (float& sum : norm) sum = sum > 0 ? (1 - model_.p0) / sum : 0.0f;
    }

    const Independent& model_;
    std::size_t last_l_ = static_cast<std::size_t>(-1), last_m_ = static_cast<std::size_t>(-1);
    std::vector<float> up, down, at, up_j, down_j, at_j, norm, first, second;
};

// What a sentence counts beside its pairs.
void add_rest(const Bitext& b, std::size_t s, const Independent& model, Sentence& sentence, IndependentCounts& to) {
    for (std::size_t j = 0; j < sentence.m; ++j) to.null += sentence.p[j];
    to.all += static_cast<double>(sentence.m);
    if (!to.positions.empty()) {
        double* positions = to.positions.data() + b.shape_at()[b.shape_of(s)];
        for (std::size_t k = 0; k < sentence.p.size(); ++k) positions[k] += sentence.p[k];
    }
    if (!model.position && model.tension != 0) sentence.add_distances(to);
}

void add_counts(const IndependentCounts& from, IndependentCounts& to) {
    add_to(from.pairs, to.pairs);
    add_to(from.positions, to.positions);
    to.null += from.null;
    to.all += from.all;
    to.distance += from.distance;
    to.mean += from.mean;
    to.variance += from.variance;
}

}  // namespace

double expect(const Bitext& b, const Independent& model, int n_jobs, IndependentCounts& counts) {
    return in_pieces(
        b, n_jobs, counts,
        [&](std::size_t begin, std::size_t end, IndependentCounts& to) {
            Sentence sentence(model);
            double loss = 0;
            for (std::size_t s = begin; s < end; ++s) {
                sentence.fill(b, s);
                loss += sentence.normalise();
                const std::uint32_t* links = b.links(s);
                double* pairs = to.pairs.data();
                for (std::size_t k = 0; k < sentence.p.size(); ++k) pairs[links[k]] += sentence.p[k];
                add_rest(b, s, model, sentence, to);
            }
            return loss;
        },
        add_counts);
}

double expect_agreement(const Bitext& b, const Bitext& mirror, const Independent& forth, const Independent& back, int n_jobs,
                        IndependentCounts& counts, IndependentCounts& mirrored) {
    using Both = std::pair<IndependentCounts, IndependentCounts>;
    Both both{std::move(counts), std::move(mirrored)};
    const double found = in_pieces(
        b, n_jobs, both,
        [&](std::size_t begin, std::size_t end, Both& to) {
            Sentence one(forth), other(back);
            double loss = 0;
            for (std::size_t s = begin; s < end; ++s) {
                one.fill(b, s);
                other.fill(mirror, s);
                loss += one.normalise() + other.normalise();
                const std::size_t l = one.l, m = one.m;
                const std::uint32_t *links = b.links(s), *back_links = mirror.links(s);
                double *pairs = to.first.pairs.data(), *back_pairs = to.second.pairs.data();
                for (std::size_t j = 0; j < m; ++j) pairs[links[j]] += one.p[j];
                for (std::size_t i = 0; i < l; ++i) back_pairs[back_links[i]] += other.p[i];
                for (std::size_t i = 0; i < l; ++i)
                    for (std::size_t j = 0; j < m; ++j) {
                        const float p = one.p[(i + 1) * m + j] * other.p[(j + 1) * l + i];
                        if (p < kNothing) continue;
                        pairs[links[(i + 1) * m + j]] += p;
                        back_pairs[back_links[(j + 1) * l + i]] += p;
                    }
                add_rest(b, s, forth, one, to.first);
                add_rest(mirror, s, back, other, to.second);
            }
            return loss;
        },
        [](const Both& from, Both& to) {
            add_counts(from.first, to.first);
            add_counts(from.second, to.second);
        });
    counts = std::move(both.first);
    mirrored = std::move(both.second);
    return found;
}

void posteriors(const Bitext& b, const Independent& model, int n_jobs, std::span<const std::int64_t> at, float* out) {
    by_sentences(b, n_jobs, [&](std::size_t begin, std::size_t end) {
        Sentence sentence(model);
        for (std::size_t s = begin; s < end; ++s) {
            sentence.fill(b, s);
            sentence.normalise();
            std::copy(sentence.p.begin() + static_cast<std::ptrdiff_t>(sentence.m), sentence.p.end(), out + at[s]);
        }
    });
}

void best(const Bitext& b, const Independent& model, int n_jobs, std::span<const std::int64_t> at, std::int32_t* out) {
    by_sentences(b, n_jobs, [&](std::size_t begin, std::size_t end) {
        Sentence sentence(model);
        std::vector<float> most;
        for (std::size_t s = begin; s < end; ++s) {
            sentence.fill(b, s);
            const std::size_t l = sentence.l, m = sentence.m;
            most.assign(sentence.p.begin(), sentence.p.begin() + static_cast<std::ptrdiff_t>(m));
            std::int32_t* to = out + at[s];
            std::fill_n(to, m, 0);
            for (std::size_t i = 1; i <= l; ++i)
                for (std::size_t j = 0; j < m; ++j) {
                    const bool more = sentence.p[i * m + j] > most[j];
                    most[j] = more ? sentence.p[i * m + j] : most[j];
                    to[j] = more ? static_cast<std::int32_t>(i) : to[j];
                }
        }
    });
}

}  // namespace palmette

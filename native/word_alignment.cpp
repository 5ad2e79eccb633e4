// Models 1 and 2: target words choose their source words one by one.
#include "word_alignment.hpp"

#include <algorithm>
#include <cmath>

#include "alignment_pieces.hpp"

namespace palmette {
namespace {

// w(i, j) = t · position of one sentence in `p`, and the sum for each target word.
struct Sentence {
    std::vector<float> p, total;

    void fill(const Bitext& b, std::size_t s, const Independent& model) {
        const std::size_t n = b.l(s) + 1, m = b.m(s);
        const std::uint32_t* links = b.links(s);
        const float* position = model.position + b.shape_at()[b.shape_of(s)];
        p.resize(n * m);
        total.assign(m, 0.0f);
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = 0; j < m; ++j) {
                const float w = model.t[links[i * m + j]] * position[i * m + j];
                p[i * m + j] = w;
                total[j] += w;
            }
    }
};

}  // namespace

double expect(const Bitext& b, const Independent& model, int n_jobs, IndependentCounts& counts) {
    return in_pieces(
        b, n_jobs, counts,
        [&](std::size_t begin, std::size_t end, IndependentCounts& to) {
            Sentence sentence;
            double loss = 0;
            double* pairs = to.pairs.data();
            for (std::size_t s = begin; s < end; ++s) {
                sentence.fill(b, s, model);
                const std::size_t n = b.l(s) + 1, m = b.m(s);
                for (float& total : sentence.total) {
                    loss += std::log(static_cast<double>(total));
                    total = total > 0 ? 1 / total : 0.0f;
                }
                const std::uint32_t* links = b.links(s);
                double* positions = to.positions.empty() ? nullptr : to.positions.data() + b.shape_at()[b.shape_of(s)];
                for (std::size_t i = 0; i < n; ++i)
                    for (std::size_t j = 0; j < m; ++j) {
                        const float share = sentence.p[i * m + j] * sentence.total[j];
                        pairs[links[i * m + j]] += share;
                        if (positions) positions[i * m + j] += share;
                    }
            }
            return loss;
        },
        [](const IndependentCounts& from, IndependentCounts& to) {
            add_to(from.pairs, to.pairs);
            add_to(from.positions, to.positions);
        });
}

void posteriors(const Bitext& b, const Independent& model, int n_jobs, std::span<const std::int64_t> at, float* out) {
    by_sentences(b, n_jobs, [&](std::size_t begin, std::size_t end) {
        Sentence sentence;
        for (std::size_t s = begin; s < end; ++s) {
            sentence.fill(b, s, model);
            const std::size_t l = b.l(s), m = b.m(s);
            for (std::size_t i = 0; i < l; ++i)
                for (std::size_t j = 0; j < m; ++j)
                    out[at[s] + static_cast<std::int64_t>(i * m + j)] = sentence.total[j] > 0 ? sentence.p[(i + 1) * m + j] / sentence.total[j] : 0.0f;
        }
    });
}

void best(const Bitext& b, const Independent& model, int n_jobs, std::span<const std::int64_t> at, std::int32_t* out) {
    by_sentences(b, n_jobs, [&](std::size_t begin, std::size_t end) {
        Sentence sentence;
        for (std::size_t s = begin; s < end; ++s) {
            sentence.fill(b, s, model);
            const std::size_t n = b.l(s) + 1, m = b.m(s);
            for (std::size_t j = 0; j < m; ++j) {
                std::size_t found = 0;
                for (std::size_t i = 1; i < n; ++i)
                    if (sentence.p[i * m + j] > sentence.p[found * m + j]) found = i;
                out[at[s] + static_cast<std::int64_t>(j)] = static_cast<std::int32_t>(found);
            }
        }
    });
}

}  // namespace palmette

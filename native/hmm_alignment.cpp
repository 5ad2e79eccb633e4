// The HMM of word alignment: forward and backward over places of the source, each with its NULL behind it.
#include <algorithm>
#include <cmath>
#include <limits>

#include "alignment_pieces.hpp"
#include "word_alignment.hpp"

namespace palmette {
namespace {

// P(place i | place i′) for a source of l words, i′ from 0 (the start) to l, i from 1 to l; rows are padded with zeros.
struct Moves {
    std::size_t l = 0, width = 0;       // width: l rounded up to whole vectors
    std::vector<float> from, to;        // [l + 1][width] by i′; and turned, [l][width of l + 1] by i
    std::vector<float> end;             // [l + 1]

    std::size_t turned() const { return (l + 8) / 8 * 8; }

    void set(std::size_t words, const Jumps& model) {
        l = words;
        width = (l + 7) / 8 * 8;
        from.assign((l + 1) * width, 0.0f);
        to.assign(l * turned(), 0.0f);
        end.assign(l + 1, 1.0f);
        const auto reach = static_cast<std::ptrdiff_t>(model.jump.size() / 2);
        for (std::size_t p = 0; p <= l; ++p) {
            const auto weight = [&](std::size_t i) {
                if (p == 0) return model.first[std::min(i, model.first.size() - 1)];
                const auto d = static_cast<std::ptrdiff_t>(i) - static_cast<std::ptrdiff_t>(p);
                return model.jump[static_cast<std::size_t>(reach + std::clamp(d, -reach, reach))];
            };
            float sum = 0;
            for (std::size_t i = 1; i <= l; ++i) sum += weight(i);
            for (std::size_t i = 1; i <= l; ++i) {
                const float q = sum > 0 ? (1 - model.p0) * weight(i) / sum : 0.0f;
                from[p * width + i - 1] = q;
                to[(i - 1) * turned() + p] = q;
            }
            if (!model.last.empty()) end[p] = model.last[std::min(l - p, model.last.size() - 1)];
        }
    }
};

// All lengths that a bitext has.
std::vector<Moves> moves_of(const Bitext& b, const Jumps& model) {
    std::vector<Moves> moves;
    for (std::size_t s = 0; s < b.size(); ++s) {
        const std::size_t l = b.l(s);
        if (l >= moves.size()) moves.resize(l + 1);
        if (moves[l].from.empty()) moves[l].set(l, model);
    }
    return moves;
}

// to += by · of
inline void add(float* to, const float* of, float by, std::size_t n) {
#pragma omp simd
    for (std::size_t k = 0; k < n; ++k) to[k] += by * of[k];
}

class Lattice {
public:
    // Forward and backward; returns log P(f | e), or minus infinity if there is no way.
    double set(const Bitext& b, std::size_t s, const Moves& moves, const Jumps& model) {
        l = b.l(s), m = b.m(s), width = moves.width, tall = moves.turned();
        const std::uint32_t* links = b.links(s);
        t.assign(m * width, 0.0f);
        null.resize(m);
        for (std::size_t j = 0; j < m; ++j) null[j] = model.p0 * model.t[links[j]];
        for (std::size_t i = 0; i < l; ++i)
            for (std::size_t j = 0; j < m; ++j) t[j * width + i] = model.t[links[(i + 1) * m + j]];
        // place[j]: of being at a place after j target words; real[j]: with the j-th word aligned there.
        place.assign((m + 1) * tall, 0.0f);
        real.assign(m * width, 0.0f);
        place[0] = 1;
        double loss = 0;
        for (std::size_t j = 0; j < m; ++j) {
            const float* before = place.data() + j * tall;
            float *now = place.data() + (j + 1) * tall, *here = real.data() + j * width;
            for (std::size_t p = 0; p <= l; ++p)
                if (before[p] != 0) add(here, moves.from.data() + p * width, before[p], width);
            float sum = 0;
            for (std::size_t i = 0; i < l; ++i) {
                here[i] *= t[j * width + i];
                now[i + 1] = here[i] + before[i + 1] * null[j];
                sum += now[i + 1];
            }
            now[0] = before[0] * null[j];
            sum += now[0];
            if (!(sum > 0)) return -std::numeric_limits<double>::infinity();
            const float scale = 1 / sum;
            for (std::size_t p = 0; p <= l; ++p) now[p] *= scale;
            for (std::size_t i = 0; i < l; ++i) here[i] *= scale;
            loss += std::log(static_cast<double>(sum));
        }
        // after[j]: of what comes after j target words, times the reach of the whole.
        after.assign((m + 1) * tall, 0.0f);
        float* last = after.data() + m * tall;
        float whole = 0;
        for (std::size_t p = 0; p <= l; ++p) whole += place[m * tall + p] * moves.end[p];
        if (!(whole > 0)) return -std::numeric_limits<double>::infinity();
        for (std::size_t p = 0; p <= l; ++p) last[p] = moves.end[p] / whole;
        reach.assign(m * width, 0.0f);
        for (std::size_t j = m; j-- > 0;) {
            const float* next = after.data() + (j + 1) * tall;
            float *now = after.data() + j * tall, *to = reach.data() + j * width;
            for (std::size_t i = 0; i < l; ++i) to[i] = t[j * width + i] * next[i + 1];
            for (std::size_t p = 0; p <= l; ++p) now[p] = null[j] * next[p];
            for (std::size_t i = 0; i < l; ++i) add(now, moves.to.data() + i * tall, to[i], tall);
            float sum = 0;
            for (std::size_t p = 0; p <= l; ++p) sum += place[j * tall + p] * now[p];
            const float scale = sum > 0 ? 1 / sum : 0.0f;
            for (std::size_t p = 0; p <= l; ++p) now[p] *= scale;
            for (std::size_t i = 0; i < l; ++i) to[i] *= scale;
        }
        return loss + std::log(static_cast<double>(whole));
    }

    // P(a_j = i), i from 0 on for the first word.
    float posterior(std::size_t j, std::size_t i) const { return real[j * width + i] * after[(j + 1) * tall + i + 1]; }

    std::size_t l = 0, m = 0, width = 0, tall = 0;
    std::vector<float> t, null, place, real, after, reach, met;
};

}  // namespace

double expect(const Bitext& b, const Jumps& model, int n_jobs, JumpCounts& counts) {
    const std::vector<Moves> moves = moves_of(b, model);
    return in_pieces(
        b, n_jobs, counts,
        [&](std::size_t begin, std::size_t end, JumpCounts& to) {
            Lattice lattice;
            double loss = 0;
            const auto reach = static_cast<std::ptrdiff_t>(to.jump.size() / 2);
            for (std::size_t s = begin; s < end; ++s) {
                const std::size_t l = b.l(s), m = b.m(s);
                if (!m) continue;
                const Moves& move = moves[l];
                const double found = lattice.set(b, s, move, model);
                loss += found;
                if (!std::isfinite(found)) continue;
                const std::uint32_t* links = b.links(s);
                const std::size_t width = lattice.width, tall = lattice.tall;
                for (std::size_t j = 0; j < m; ++j) {
                    double mass = 0;
                    for (std::size_t i = 0; i < l; ++i) {
                        const float p = lattice.posterior(j, i);
                        to.pairs[links[(i + 1) * m + j]] += p;
                        mass += p;
                    }
                    const double rest = std::max(0.0, 1 - mass);
                    to.pairs[links[j]] += rest;
                    to.null += rest;
                    to.all += 1;
                }
                // Σ_j of the moves, as an outer product that meets the moves' probabilities once.
                lattice.met.assign((l + 1) * width, 0.0f);
                for (std::size_t j = 0; j < m; ++j)
                    for (std::size_t p = 0; p <= l; ++p)
                        if (const float before = lattice.place[j * tall + p]; before != 0)
                            add(lattice.met.data() + p * width, lattice.reach.data() + j * width, before, width);
                for (std::size_t p = 0; p <= l; ++p)
                    for (std::size_t i = 1; i <= l; ++i) {
                        const double share = lattice.met[p * width + i - 1] * move.from[p * width + i - 1];
                        if (p == 0) {
                            to.first[std::min(i, to.first.size() - 1)] += share;
                        } else {
                            const auto d = static_cast<std::ptrdiff_t>(i) - static_cast<std::ptrdiff_t>(p);
                            to.jump[static_cast<std::size_t>(reach + std::clamp(d, -reach, reach))] += share;
                        }
                    }
                if (!to.last.empty())
                    for (std::size_t p = 0; p <= l; ++p)
                        to.last[std::min(l - p, to.last.size() - 1)] += lattice.place[m * tall + p] * lattice.after[m * tall + p];
            }
            return loss;
        },
        [](const JumpCounts& from, JumpCounts& to) {
            add_to(from.pairs, to.pairs);
            add_to(from.jump, to.jump);
            add_to(from.first, to.first);
            add_to(from.last, to.last);
            to.null += from.null;
            to.all += from.all;
        });
}

void posteriors(const Bitext& b, const Jumps& model, int n_jobs, std::span<const std::int64_t> at, float* out) {
    const std::vector<Moves> moves = moves_of(b, model);
    by_sentences(b, n_jobs, [&](std::size_t begin, std::size_t end) {
        Lattice lattice;
        for (std::size_t s = begin; s < end; ++s) {
            const std::size_t l = b.l(s), m = b.m(s);
            float* to = out + at[s];
            if (!m || !std::isfinite(lattice.set(b, s, moves[l], model))) {
                std::fill_n(to, l * m, 0.0f);
                continue;
            }
            for (std::size_t i = 0; i < l; ++i)
                for (std::size_t j = 0; j < m; ++j) to[i * m + j] = lattice.posterior(j, i);
        }
    });
}

void best(const Bitext& b, const Jumps& model, int n_jobs, std::span<const std::int64_t> at, std::int32_t* out) {
    const std::vector<Moves> moves = moves_of(b, model);
    constexpr float kNone = -1;
    by_sentences(b, n_jobs, [&](std::size_t begin, std::size_t end) {
        std::vector<float> now, next;
        std::vector<std::int32_t> back;  // [m][l + 1]: where a place came from; −1: it stayed, with NULL
        for (std::size_t s = begin; s < end; ++s) {
            const std::size_t l = b.l(s), m = b.m(s);
            const Moves& move = moves[l];
            const std::uint32_t* links = b.links(s);
            now.assign(l + 1, kNone);
            now[0] = 1;
            back.assign(m * (l + 1), -1);
            for (std::size_t j = 0; j < m; ++j) {
                const float null = model.p0 * model.t[links[j]];
                next.resize(l + 1);
                float most = 0;
                for (std::size_t i = 0; i <= l; ++i) {
                    next[i] = now[i] < 0 ? kNone : now[i] * null;
                    if (i) {
                        const float t = model.t[links[i * m + j]];
                        for (std::size_t p = 0; p <= l; ++p) {
                            const float way = now[p] < 0 ? kNone : now[p] * move.from[p * move.width + i - 1] * t;
                            if (way > next[i]) {
                                next[i] = way;
                                back[j * (l + 1) + i] = static_cast<std::int32_t>(p);
                            }
                        }
                    }
                    most = std::max(most, next[i]);
                }
                if (most > 0)
                    for (float& x : next) x = x > 0 ? x / most : x;
                now.swap(next);
            }
            std::size_t place = 0;
            for (std::size_t p = 1; p <= l; ++p)
                if (now[p] * move.end[p] > now[place] * move.end[place]) place = p;
            for (std::size_t j = m; j-- > 0;) {
                const std::int32_t came = back[j * (l + 1) + place];
                out[at[s] + static_cast<std::int64_t>(j)] = came < 0 ? 0 : static_cast<std::int32_t>(place);
                if (came >= 0) place = static_cast<std::size_t>(came);
            }
        }
    });
}

}  // namespace palmette

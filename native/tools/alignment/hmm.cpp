// The HMM of word alignment: expected counts, posteriors, and the best alignment.
#include "tools/alignment/hmm_lattice.hpp"
#include "tools/alignment/pieces.hpp"

namespace palmette {

namespace {

void add_counts(const JumpCounts& from, JumpCounts& to) {
    add_to(from.pairs, to.pairs);
    add_to(from.jump, to.jump);
    add_to(from.first, to.first);
    add_to(from.last, to.last);
    to.null += from.null;
    to.all += from.all;
}

void add_null(const HmmLattice& lattice, const std::uint32_t* links, JumpCounts& to) {
    for (std::size_t j = 0; j < lattice.m; ++j) {
        const float rest = lattice.null_posterior(j);
        to.pairs[links[j]] += rest;
        to.null += rest;
    }
    to.all += static_cast<double>(lattice.m);
}

}  // namespace

double expect(const Bitext& b, const Jumps& model, int n_jobs, JumpCounts& counts) {
    const JumpTable table(model, b.longest());
    return in_pieces(
        b, n_jobs, counts,
        [&](std::size_t begin, std::size_t end, JumpCounts& to) {
            HmmLattice lattice(table);
            double loss = 0;
            for (std::size_t s = begin; s < end; ++s) {
                const std::size_t l = b.l(s), m = b.m(s);
                if (!m) continue;
                const double found = lattice.set(b, s);
                loss += found;
                if (!std::isfinite(found)) continue;
                const std::uint32_t* links = b.links(s);
                double* pairs = to.pairs.data();
                for (std::size_t i = 0; i < l; ++i)
                    for (std::size_t j = 0; j < m; ++j) pairs[links[(i + 1) * m + j]] += lattice.posterior(j, i);
                add_null(lattice, links, to);
                lattice.add_moves(to);
            }
            return loss;
        },
        add_counts);
}

double expect_agreement(const Bitext& b, const Bitext& mirror, const Jumps& forth, const Jumps& back, int n_jobs, JumpCounts& counts,
                        JumpCounts& mirrored) {
    using Both = std::pair<JumpCounts, JumpCounts>;
    Both both{std::move(counts), std::move(mirrored)};
    const JumpTable forth_table(forth, b.longest()), back_table(back, mirror.longest());
    const double found = in_pieces(
        b, n_jobs, both,
        [&](std::size_t begin, std::size_t end, Both& to) {
            HmmLattice one(forth_table), other(back_table);
            double loss = 0;
            for (std::size_t s = begin; s < end; ++s) {
                const std::size_t l = b.l(s), m = b.m(s);
                const double found_one = one.set(b, s), found_other = other.set(mirror, s);
                loss += found_one + found_other;
                if (!std::isfinite(found_one + found_other)) continue;
                const std::uint32_t *links = b.links(s), *back_links = mirror.links(s);
                for (std::size_t i = 0; i < l; ++i)
                    for (std::size_t j = 0; j < m; ++j) {
                        const float p = one.posterior(j, i) * other.posterior(i, j);
                        if (p < kNothing) continue;
                        to.first.pairs[links[(i + 1) * m + j]] += p;
                        to.second.pairs[back_links[(j + 1) * l + i]] += p;
                    }
                add_null(one, links, to.first);
                add_null(other, back_links, to.second);
                one.add_moves(to.first);
                other.add_moves(to.second);
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

void posteriors(const Bitext& b, const Jumps& model, int n_jobs, std::span<const std::int64_t> at, float* out) {
    const JumpTable table(model, b.longest());
    by_sentences(b, n_jobs, [&](std::size_t begin, std::size_t end) {
        HmmLattice lattice(table);
        for (std::size_t s = begin; s < end; ++s) {
            const std::size_t l = b.l(s), m = b.m(s);
            float* to = out + at[s];
            if (!m || !std::isfinite(lattice.set(b, s, false))) {
                std::fill_n(to, l * m, 0.0f);
                continue;
            }
            for (std::size_t i = 0; i < l; ++i)
                for (std::size_t j = 0; j < m; ++j) to[i * m + j] = lattice.posterior(j, i);
        }
    });
}

void best(const Bitext& b, const Jumps& model, int n_jobs, std::span<const std::int64_t> at, std::int32_t* out) {
    const JumpTable table(model, b.longest());
    by_sentences(b, n_jobs, [&](std::size_t begin, std::size_t end) {
        constexpr std::size_t kLanes = JumpTable::kLanes;
        std::vector<float> now, next, scaled, most, share, first, t;
        std::vector<std::int32_t> from, back;  // [m][width]: the place before, 0 for the start, −1: it stayed, with NULL
        for (std::size_t s = begin; s < end; ++s) {
            const std::size_t l = b.l(s), m = b.m(s), width = (l + kLanes - 1) / kLanes * kLanes;
            const std::uint32_t* links = b.links(s);
            const float start = table.share(l, 0), *ahead = table.ahead.data() + table.longest;
            share.assign(width, 0.0f);
            first.assign(width, 0.0f);
            for (std::size_t i = 0; i < l; ++i) {
                share[i] = table.share(l, i + 1);
                first[i] = start * table.first(i + 1);
            }
            t.assign(m * width, 0.0f);
            for (std::size_t i = 0; i < l; ++i)
                for (std::size_t j = 0; j < m; ++j) t[j * width + i] = model.t[links[(i + 1) * m + j]];
            now.assign(width, 0.0f);
            next.assign(width, 0.0f);
            scaled.assign(width, 0.0f);
            most.assign(width, 0.0f);
            from.assign(width, 0);
            back.assign(m * width, -1);
            float still = 1;
            for (std::size_t j = 0; j < m; ++j) {
                const float null = model.p0 * model.t[links[j]];
                float *__restrict to = next.data(), *__restrict top = most.data(), *__restrict by = scaled.data();
                const float *__restrict here = now.data(), *__restrict emission = t.data() + j * width;
                std::int32_t *__restrict came = from.data(), *__restrict path = back.data() + j * width;
                for (std::size_t i = 0; i < width; ++i) {
                    by[i] = here[i] * share[i];
                    top[i] = still * first[i];
                    came[i] = 0;
                }
                if (j)
                    for (std::size_t k = 0; k < width; k += kLanes) {
                        float best_way[kLanes];
                        std::int32_t best_from[kLanes] = {};
                        std::copy_n(top + k, kLanes, best_way);
                        const float* weight = ahead + k;
                        for (std::size_t p = 0; p < l; ++p, --weight) {
                            const float each = by[p];
                            const auto number = static_cast<std::int32_t>(p + 1);
#pragma omp simd
                            for (std::size_t q = 0; q < kLanes; ++q) {
                                const float way = each * weight[q];
                                best_from[q] = way > best_way[q] ? number : best_from[q];
                                best_way[q] = std::max(way, best_way[q]);
                            }
                        }
                        std::copy_n(best_way, kLanes, top + k);
                        std::copy_n(best_from, kLanes, came + k);
                    }
                still *= null;
                float all = still;
#pragma omp simd reduction(max : all)
                for (std::size_t i = 0; i < width; ++i) {
                    const float real = top[i] * emission[i], stay = here[i] * null;
                    path[i] = real > stay ? came[i] : -1;
                    to[i] = std::max(real, stay);
                    all = std::max(all, to[i]);
                }
                const float scale = all > 0 ? 1 / all : 0.0f;
                for (std::size_t i = 0; i < width; ++i) to[i] *= scale;
                still *= scale;
                now.swap(next);
            }
            std::size_t place = 0;
            float found = still * table.last(l, 0);
            for (std::size_t p = 1; p <= l; ++p)
                if (const float score = now[p - 1] * table.last(l, p); score > found) place = p, found = score;
            for (std::size_t j = m; j-- > 0;) {
                const std::int32_t came = place ? back[j * width + place - 1] : -1;
                out[at[s] + static_cast<std::int64_t>(j)] = came < 0 ? 0 : static_cast<std::int32_t>(place);
                if (came >= 0) place = static_cast<std::size_t>(came);
            }
        }
    });
}

}  // namespace palmette

#include "tools/constituency/lexicalized/first.hpp"

#include <algorithm>

namespace palmette {

FirstPass::FirstPass(const CoarseModel& c, int32_t n, std::span<const LexicalEmission> emissions, const SpanRules& rules, double threshold, double scale, Budget& budget)
    : c_(c), n_(n), m_(c.phrases.size()), l_(c.labels.size()), emissions_(emissions), scale_(scale), rules_(rules) {
    budget.take(cells_of(n) * (8 * m_ + l_) * sizeof(double));
    for (auto* a : {&left, &right, &hook_[0], &hook_[1], &out_left_, &out_right_, &out_hook_[0], &out_hook_[1]}) a->assign(cells_of(n) * m_, 0.0);
    complete.assign(cells_of(n) * l_, 0.0);
    inside();
    const double z = complete[cell_of(0, n) * l_ + c.labels.root];
    reached = z > 0.0;
    if (reached) outside(threshold * z);
}

void FirstPass::inside() {
    size_t e = 0;
    for (int32_t j = 1; j <= n_; ++j)
        for (int32_t i = j - 1; i >= 0; --i) {
            const size_t cell = cell_of(i, j);
            double *l = &left[cell * m_], *r = &right[cell * m_], *c = &complete[cell * l_];
            check_interrupt();
            if (!rules_.empty() && rules_.closed[cell]) continue;
            for (int32_t k = i + 1; k < j; ++k) {
                const size_t a = cell_of(i, k) * m_, b = cell_of(k, j) * m_;
                const double *ha = &hook_[0][a], *lb = &left[b], *ra = &right[a], *hb = &hook_[1][b];
                for (size_t x = 0; x < m_; ++x) l[x] += ha[x] * lb[x];
                for (size_t x = 0; x < m_; ++x) r[x] += ra[x] * hb[x];
            }
            if (j == i + 1)
                for (; e < emissions_.size() && emissions_[e].position == i; ++e) c[emissions_[e].tag] = emissions_[e].ratio * scale_;
            close(l, r, c, j == i + 1);
            if (!rules_.empty()) heed(cell, l, r, c);
            for (const int side : {0, 1}) {
                double* h = &hook_[side][cell * m_];
                const float* table = c_.side[side].data();
                for (size_t y = 0; y < l_; ++y) {
                    const double mass = c[y];
                    if (mass == 0.0) continue;
                    const float* p = table + y * m_;
                    for (size_t x = 0; x < m_; ++x) h[x] += mass * p[x];
                }
            }
        }
}

void FirstPass::heed(size_t cell, double*, double*, double* c) const {
    for (size_t y = 0; y < l_; ++y)
        if (rules_.forbidden[cell * l_ + y]) c[y] = 0.0;
}

// Chains of single children: what completes may be the head of something that grows, and complete it at once.
void FirstPass::close(double* l, double* r, double* c, bool word) {
    fresh_.assign(l_, 0.0);
    double most = 0.0;
    if (word)
        for (size_t y = 0; y < l_; ++y) most = std::max(most, fresh_[y] = c[y]);
    for (size_t x = 0; x < m_; ++x) {
        r[x] += l[x] * c_.stop[0][x];
        const double done = r[x] * c_.stop[1][x];
        c[c_.phrases[x]] += done;
        fresh_[c_.phrases[x]] += done;
        most = std::max(most, done);
    }
    const double enough = most * 1e-8;  // far below what any threshold keeps
    for (int level = 0; level < kUnaryLevels && most > enough; ++level) {
        grown_.assign(m_, 0.0);
        for (size_t y = 0; y < l_; ++y) {
            const double mass = fresh_[y];
            if (mass <= enough) continue;
            const float* p = &c_.head[y * m_];
            for (size_t x = 0; x < m_; ++x) grown_[x] += mass * p[x];
        }
        std::fill(fresh_.begin(), fresh_.end(), 0.0);
        most = 0.0;
        for (size_t x = 0; x < m_; ++x) {
            l[x] += grown_[x];
            const double stopped = grown_[x] * c_.stop[0][x], done = stopped * c_.stop[1][x];
            r[x] += stopped;
            c[c_.phrases[x]] += done;
            fresh_[c_.phrases[x]] = done;
            most = std::max(most, done);
        }
    }
}

void FirstPass::outside(double least) {
    std::vector<double> oc(l_), total(l_), ol(m_), orr(m_);
    for (int32_t j = n_; j >= 1; --j)
        for (int32_t i = 0; i < j; ++i) {
            const size_t cell = cell_of(i, j);
            double *l = &left[cell * m_], *r = &right[cell * m_], *c = &complete[cell * l_];
            check_interrupt();
            const double *oh0 = &out_hook_[0][cell * m_], *oh1 = &out_hook_[1][cell * m_];
            const double *out_l = &out_left_[cell * m_], *out_r = &out_right_[cell * m_];
            for (size_t y = 0; y < l_; ++y) {
                oc[y] = 0.0;
                if (c[y] == 0.0) continue;
                const float *p = &c_.side[0][y * m_], *q = &c_.side[1][y * m_];
                double sum = 0.0;
                for (size_t x = 0; x < m_; ++x) sum += oh0[x] * p[x] + oh1[x] * q[x];
                oc[y] = sum;
            }
            if (i == 0 && j == n_) oc[c_.labels.root] += 1.0;
            total = oc;
            for (int level = 0; level <= kUnaryLevels; ++level) {
                double grown = 0.0;
                for (size_t x = 0; x < m_; ++x) {
                    orr[x] = out_r[x] + c_.stop[1][x] * total[c_.phrases[x]];
                    ol[x] = out_l[x] + c_.stop[0][x] * orr[x];
                    grown += ol[x];
                }
                if (level == kUnaryLevels || grown == 0.0) break;
                bool changed = false;
                for (size_t y = 0; y < l_; ++y) {
                    if (c[y] == 0.0) continue;
                    const float* p = &c_.head[y * m_];
                    double sum = oc[y];
                    for (size_t x = 0; x < m_; ++x) sum += ol[x] * p[x];
                    changed |= sum > total[y] * 1.0001;
                    total[y] = sum;
                }
                if (!changed) break;
            }
            // Downwards, as long as the insides of the cells below are whole.
            for (int32_t k = i + 1; k < j; ++k) {
                const size_t a = cell_of(i, k) * m_, b = cell_of(k, j) * m_;
                double *oha = &out_hook_[0][a], *olb = &out_left_[b], *ora = &out_right_[a], *ohb = &out_hook_[1][b];
                const double *ha = &hook_[0][a], *lb = &left[b], *ra = &right[a], *hb = &hook_[1][b];
                for (size_t x = 0; x < m_; ++x) {
                    oha[x] += ol[x] * lb[x];
                    olb[x] += ol[x] * ha[x];
                }
                for (size_t x = 0; x < m_; ++x) {
                    ora[x] += orr[x] * hb[x];
                    ohb[x] += orr[x] * ra[x];
                }
            }
            for (size_t x = 0; x < m_; ++x) {
                l[x] = l[x] * ol[x] >= least;
                r[x] = r[x] * orr[x] >= least;
            }
            for (size_t y = 0; y < l_; ++y) c[y] = c[y] * total[y] >= least;
        }
}

}  // namespace palmette

#include "tools/constituency/lexicalized/pairs.hpp"

#include <algorithm>

namespace palmette {

PairPass::PairPass(const CoarseModel& c, const FirstPass& alive, int32_t n, std::span<const LexicalEmission> emissions, double threshold, double scale, Budget& budget)
    : c_(c), alive_(alive), n_(n), q_(c.pairs.size()), m_(c.phrases.size()), l_(c.labels.size()), emissions_(emissions), scale_(scale) {
    tags.assign(emissions.size(), 0.0);
    first_emission_.assign(n + 1, 0);
    for (const LexicalEmission& e : emissions) ++first_emission_[e.position + 1];
    for (int32_t i = 0; i < n; ++i) first_emission_[i + 1] += first_emission_[i];
    for (auto* a : {&oc_, &total_, &ol_, &or_}) a->assign(q_, 0.0);
    find_rows(budget);
    inside();
    double z = 0.0;
    if (const double* whole = complete(cell_of(0, n)))
        for (const int32_t q : c.pairs_of[c.labels.root]) z += whole[q];
    reached = z > 0.0;
    total = z;
    if (reached) outside(threshold * z);
}

// A pair may be over a span if its label is alive there, and its parent over the same words or more.
void PairPass::find_rows(Budget& budget) {
    const size_t cells = cells_of(n_);
    std::vector<uint8_t> above(cells * m_, 0);
    row_of_.assign(cells, -1);
    int64_t rows = 0;
    for (int32_t length = n_; length >= 1; --length)
        for (int32_t i = 0; i + length <= n_; ++i) {
            const int32_t j = i + length;
            const size_t cell = cell_of(i, j);
            uint8_t* own = &above[cell * m_];
            bool any = length == 1;
            for (size_t x = 0; x < m_; ++x) {
                const bool complete = alive_.complete[cell * l_ + c_.phrases[x]] > 0.0;
                own[x] = complete || (i > 0 && above[cell_of(i - 1, j) * m_ + x]) || (j < n_ && above[cell_of(i, j + 1) * m_ + x]);
                any |= complete || alive_.left[cell * m_ + x] > 0.0 || alive_.right[cell * m_ + x] > 0.0;
            }
            if (!any) continue;
            row_of_[cell] = rows++;
        }
    budget.take(static_cast<size_t>(rows) * q_ * (9 * sizeof(double) + 1));
    may_.assign(rows * q_, 0);
    for (size_t cell = 0; cell < cells; ++cell) {
        if (row_of_[cell] < 0) continue;
        uint8_t* may = &may_[row_of_[cell] * q_];
        for (size_t q = 0; q < q_; ++q) {
            const auto [label, parent] = c_.pairs[q];
            if (parent < static_cast<int32_t>(l_) && !above[cell * m_ + c_.phrase_of[parent]]) continue;
            const size_t x = c_.phrase_of[label];
            may[q] = (alive_.left[cell * m_ + x] > 0.0 ? kL : 0) | (alive_.right[cell * m_ + x] > 0.0 ? kR : 0) | (alive_.complete[cell * l_ + label] > 0.0 ? kC : 0);
        }
    }
    for (auto* a : {&left_, &right_, &complete_, &hook_[0], &hook_[1], &out_left_, &out_right_, &out_hook_[0], &out_hook_[1]}) a->assign(rows * q_, 0.0);
}

void PairPass::inside() {
    for (int32_t j = 1; j <= n_; ++j)
        for (int32_t i = j - 1; i >= 0; --i) {
            const size_t cell = cell_of(i, j);
            if (row_of_[cell] < 0) continue;
            check_interrupt();
            const auto row = static_cast<size_t>(row_of_[cell]);
            double *l = &left_[row * q_], *r = &right_[row * q_];
            for (int32_t k = i + 1; k < j; ++k) {
                const int64_t a = row_of_[cell_of(i, k)], b = row_of_[cell_of(k, j)];
                if (a < 0 || b < 0) continue;
                const double *ha = &hook_[0][a * q_], *lb = &left_[b * q_], *ra = &right_[a * q_], *hb = &hook_[1][b * q_];
                for (size_t q = 0; q < q_; ++q) l[q] += ha[q] * lb[q];
                for (size_t q = 0; q < q_; ++q) r[q] += ra[q] * hb[q];
            }
            const int32_t word = j == i + 1 ? i : -1;
            close(cell, row, word);
            hooks(row, word);
        }
}

void PairPass::close(size_t cell, size_t row, int32_t word) {
    double *l = &left_[row * q_], *r = &right_[row * q_], *c = &complete_[row * q_];
    const uint8_t* may = &may_[row * q_];
    fresh_.clear();
    for (size_t q = 0; q < q_; ++q) {
        if (!(may[q] & kL)) l[q] = 0.0;
        if (!(may[q] & kR)) {
            r[q] = 0.0;
            continue;
        }
        r[q] += l[q] * c_.pair_stop[0][q];
        if (r[q] > 0.0 && may[q] & kC) {
            c[q] = r[q] * c_.pair_stop[1][q];
            fresh_.push_back({c_.pairs[q].label, c_.pairs[q].parent, c[q]});
        }
    }
    if (word >= 0)
        for (int32_t e = first_emission_[word]; e < first_emission_[word + 1]; ++e)
            if (alive_.complete[cell * l_ + emissions_[e].tag] > 0.0) {
                tags[e] = emissions_[e].ratio * scale_;
                fresh_.push_back({emissions_[e].tag, -1, tags[e]});
            }
    for (int level = 0; level < kUnaryLevels && !fresh_.empty(); ++level) {
        next_.clear();
        const auto grow = [&](int32_t q, double mass) {
            if (!(may[q] & kL) || mass == 0.0) return;
            l[q] += mass;
            if (!(may[q] & kR)) return;
            mass *= c_.pair_stop[0][q];
            r[q] += mass;
            if (!(may[q] & kC)) return;
            mass *= c_.pair_stop[1][q];
            c[q] += mass;
            if (mass > 0.0) next_.push_back({c_.pairs[q].label, c_.pairs[q].parent, mass});
        };
        for (const Fresh& f : fresh_) {
            if (f.parent >= static_cast<int32_t>(l_)) continue;
            if (f.parent >= 0)
                for (const int32_t q : c_.pairs_of[f.parent]) grow(q, f.mass * c_.pair_head[q * l_ + f.label]);
            else
                for (size_t q = 0; q < q_; ++q) grow(static_cast<int32_t>(q), f.mass * c_.pair_head[q * l_ + f.label]);
        }
        // One entry per pair, or chains would multiply.
        std::sort(next_.begin(), next_.end(), [](const Fresh& a, const Fresh& b) { return a.label != b.label ? a.label < b.label : a.parent < b.parent; });
        fresh_.clear();
        for (const Fresh& f : next_) {
            if (!fresh_.empty() && fresh_.back().label == f.label && fresh_.back().parent == f.parent)
                fresh_.back().mass += f.mass;
            else
                fresh_.push_back(f);
        }
    }
}

void PairPass::hooks(size_t row, int32_t word) {
    const double* c = &complete_[row * q_];
    for (const int side : {0, 1}) {
        double* h = &hook_[side][row * q_];
        const float* table = c_.pair_side[side].data();
        for (size_t y = 0; y < q_; ++y) {
            if (c[y] == 0.0 || c_.below_nothing(static_cast<int32_t>(y))) continue;
            for (const int32_t q : c_.pairs_of[c_.pairs[y].parent]) h[q] += c[y] * table[q * l_ + c_.pairs[y].label];
        }
        if (word < 0) continue;
        for (int32_t e = first_emission_[word]; e < first_emission_[word + 1]; ++e)
            for (size_t q = 0; q < q_ && tags[e] > 0.0; ++q) h[q] += tags[e] * table[q * l_ + emissions_[e].tag];
    }
}

void PairPass::outside(double least) {
    for (int32_t j = n_; j >= 1; --j)
        for (int32_t i = 0; i < j; ++i) {
            const int64_t row = row_of_[cell_of(i, j)];
            if (row < 0) continue;
            check_interrupt();
            outside_cell(row, j == i + 1 ? i : -1, i == 0 && j == n_, least);
            for (int32_t k = i + 1; k < j; ++k) {
                const int64_t a = row_of_[cell_of(i, k)], b = row_of_[cell_of(k, j)];
                if (a < 0 || b < 0) continue;
                double *oha = &out_hook_[0][a * q_], *olb = &out_left_[b * q_], *ora = &out_right_[a * q_], *ohb = &out_hook_[1][b * q_];
                const double *lb = &left_[b * q_], *ha = &hook_[0][a * q_], *hb = &hook_[1][b * q_], *ra = &right_[a * q_];
                for (size_t q = 0; q < q_; ++q) {
                    oha[q] += ol_[q] * lb[q];
                    olb[q] += ol_[q] * ha[q];
                }
                for (size_t q = 0; q < q_; ++q) {
                    ora[q] += or_[q] * hb[q];
                    ohb[q] += or_[q] * ra[q];
                }
            }
            double *l = &left_[row * q_], *r = &right_[row * q_], *c = &complete_[row * q_];
            for (size_t q = 0; q < q_; ++q) {
                l[q] = l[q] * ol_[q] >= least ? ol_[q] : 0.0;
                r[q] = r[q] * or_[q] >= least ? or_[q] : 0.0;
                c[q] = c[q] * total_[q] >= least ? total_[q] : 0.0;
            }
        }
}

// Outside values of one cell whose larger neighbours are done, into ol_, or_ and total_.
void PairPass::outside_cell(size_t row, int32_t word, bool root, double least) {
    const double *l = &left_[row * q_], *r = &right_[row * q_], *c = &complete_[row * q_];
    const double *oh0 = &out_hook_[0][row * q_], *oh1 = &out_hook_[1][row * q_];
    std::fill(oc_.begin(), oc_.end(), 0.0);
    for (size_t y = 0; y < q_; ++y) {
        if (c[y] == 0.0) continue;
        if (c_.below_nothing(static_cast<int32_t>(y))) {
            oc_[y] = root ? 1.0 : 0.0;
            continue;
        }
        for (const int32_t q : c_.pairs_of[c_.pairs[y].parent]) {
            const size_t at = q * l_ + c_.pairs[y].label;
            oc_[y] += oh0[q] * c_.pair_side[0][at] + oh1[q] * c_.pair_side[1][at];
        }
    }
    total_ = oc_;
    for (int level = 0; level <= kUnaryLevels; ++level) {
        for (size_t q = 0; q < q_; ++q) {
            or_[q] = r[q] > 0.0 ? out_right_[row * q_ + q] + (c[q] > 0.0 ? c_.pair_stop[1][q] * total_[q] : 0.0) : 0.0;
            ol_[q] = l[q] > 0.0 ? out_left_[row * q_ + q] + c_.pair_stop[0][q] * or_[q] : 0.0;
        }
        bool changed = false;
        for (size_t y = 0; y < q_ && level < kUnaryLevels; ++y) {
            if (c[y] == 0.0 || c_.below_nothing(static_cast<int32_t>(y))) continue;
            double sum = oc_[y];
            for (const int32_t q : c_.pairs_of[c_.pairs[y].parent]) sum += ol_[q] * c_.pair_head[q * l_ + c_.pairs[y].label];
            changed |= sum > total_[y] * 1.0001;
            total_[y] = sum;
        }
        if (!changed) break;
    }
    if (word < 0) return;
    for (int32_t e = first_emission_[word]; e < first_emission_[word + 1]; ++e) {
        double sum = 0.0;
        for (size_t q = 0; q < q_; ++q) {
            const size_t at = q * l_ + emissions_[e].tag;
            sum += ol_[q] * c_.pair_head[at] + oh0[q] * c_.pair_side[0][at] + oh1[q] * c_.pair_side[1][at];
        }
        tags[e] = tags[e] * sum >= least;
    }
}

}  // namespace palmette

#include "structures/factored/problem.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>

#include "base/rows.hpp"

namespace palmette {
namespace {

constexpr float kNever = -std::numeric_limits<float>::infinity();
constexpr double kNone = -std::numeric_limits<double>::infinity();
constexpr double kLeast = -600;  // of a transition below the best: e^x stays above zero, so that a sequence remains where few are allowed

}  // namespace

FactoredProblem::FactoredProblem(const FactoredData& data)
    : d_(data), L_(data.label_rows.size() - 1), S_((data.n_parts + 7) / 8 * 8), C_(data.n_classes), shared_at_(data.n_attributes * S_) {}

void FactoredProblem::observed(std::uint8_t* mask) const {
    for (std::size_t i = 0; i < size(); ++i)
        for (std::int64_t t = d_.offsets[i]; t < d_.offsets[i + 1]; ++t)
            for (std::int32_t y = 0; y < static_cast<std::int32_t>(L_); ++y) {
                if (wrong(t, y)) continue;
                for (std::int64_t k = d_.rows[t]; k < d_.rows[t + 1]; ++k)
                    for (std::int64_t p = d_.label_rows[y]; p < d_.label_rows[y + 1]; ++p)
                        mask[static_cast<std::size_t>(d_.attributes[k]) * S_ + static_cast<std::size_t>(d_.label_parts[p])] = 1;
                const std::size_t to = static_cast<std::size_t>(d_.classes[y]);
                if (t == d_.offsets[i]) mask[shared_at_ + C_ * C_ + to] = 1;
                else
                    for (std::int32_t x = 0; x < static_cast<std::int32_t>(L_); ++x)
                        if (!wrong(t - 1, x)) mask[shared_at_ + static_cast<std::size_t>(d_.classes[x]) * C_ + to] = 1;
            }
}

void FactoredProblem::prepare(State& s, const float* shared, float scale, bool sums) const {
    s.shared.resize(n_shared());
    for (std::size_t k = 0; k < n_shared(); ++k) s.shared[k] = scale * shared[k];
    if (!sums) return;
    require_moderate(s.shared.data(), n_shared());
    s.top = n_shared() ? *std::max_element(s.shared.begin(), s.shared.end()) : 0.0f;
    s.transitions.resize(n_shared());
    for (std::size_t k = 0; k < n_shared(); ++k) s.transitions[k] = std::exp(std::max(static_cast<double>(s.shared[k]) - s.top, kLeast));
}

void FactoredProblem::part_scores(std::size_t i, const float* w, float* parts) const {
    const std::int64_t first = d_.offsets[i];
    const std::size_t n = n_tokens(i);
    for (std::size_t t = 0; t < n; ++t) {
        const std::int64_t k = d_.rows[first + static_cast<std::int64_t>(t)], end = d_.rows[first + static_cast<std::int64_t>(t) + 1];
        rows::sum(w, S_, d_.attributes + k, nullptr, end - k, d_.rows[first + static_cast<std::int64_t>(n)] - k, parts + t * S_);
    }
    std::copy_n(w + shared_at_, n_shared(), parts + n * S_);
}

void FactoredProblem::score(State& s, std::size_t i, const float* w, float scale) const {
    const std::int64_t first = d_.offsets[i];
    s.example = i;
    s.n = n_tokens(i);
    s.unary.resize(s.n * S_);
    for (std::size_t t = 0; t < s.n; ++t) {
        const std::int64_t token = first + static_cast<std::int64_t>(t), k = d_.rows[token];
        float* u = s.unary.data() + t * S_;
        rows::sum(w, S_, d_.attributes + k, nullptr, d_.rows[token + 1] - k, d_.rows[first + static_cast<std::int64_t>(s.n)] - k, u);
        if (scale != 1)
            for (std::size_t p = 0; p < S_; ++p) u[p] *= scale;
        if (d_.unary)
            for (std::size_t p = 0; p < S_; ++p) u[p] += d_.unary[static_cast<std::size_t>(token) * S_ + p];
    }
    set_labels(s);
}

void FactoredProblem::set_scores(State& s, std::size_t i, const float* parts) const {
    s.example = i;
    s.n = n_tokens(i);
    prepare(s, parts + s.n * S_, 1.0f, true);
    s.unary.assign(parts, parts + s.n * S_);
    set_labels(s);
}

// labels[t][y] = Σ_{p in y} unary[t][p], or never where y is not allowed.
void FactoredProblem::set_labels(State& s) const {
    s.labels.resize(s.n * L_);
    require_moderate(s.unary.data(), s.unary.size());
    for (std::size_t t = 0; t < s.n; ++t) {
        const float* u = s.unary.data() + t * S_;
        float* q = s.labels.data() + t * L_;
        const std::size_t token = static_cast<std::size_t>(d_.offsets[s.example]) + t;
        const auto total = [&](std::size_t y) {
            float sum = 0;
            for (std::int64_t p = d_.label_rows[y]; p < d_.label_rows[y + 1]; ++p) sum += u[d_.label_parts[p]];
            return sum;
        };
        if (!d_.allowed_rows || d_.allowed_rows[token] == d_.allowed_rows[token + 1]) {
            for (std::size_t y = 0; y < L_; ++y) q[y] = total(y);
            continue;
        }
        std::fill_n(q, L_, kNever);
        for (std::int64_t k = d_.allowed_rows[token]; k < d_.allowed_rows[token + 1]; ++k)
            q[d_.allowed[k]] = total(static_cast<std::size_t>(d_.allowed[k]));
    }
}

void FactoredProblem::restrict_to_gold(State& s) const {
    s.changed = s.labels;
    for (std::size_t t = 0; t < s.n; ++t)
        for (std::size_t y = 0; y < L_; ++y)
            if (wrong(d_.offsets[s.example] + static_cast<std::int64_t>(t), static_cast<std::int32_t>(y))) s.changed[t * L_ + y] = kNever;
}

void FactoredProblem::add_cost(State& s, float cost) const {
    s.changed = s.labels;
    for (std::size_t t = 0; t < s.n; ++t)
        for (std::size_t y = 0; y < L_; ++y)
            if (wrong(d_.offsets[s.example] + static_cast<std::int64_t>(t), static_cast<std::int32_t>(y))) s.changed[t * L_ + y] += cost;
}

// best[t][c] = max over labels y of class c of labels[t][y], then over the class before it.
double FactoredProblem::viterbi(State& s, const float* labels, Output& y) const {
    y.resize(s.n);
    if (!s.n) return 0;
    s.best.assign(s.n * C_, kNever);
    s.arg.assign(s.n * C_, -1);
    s.from.assign(s.n * C_, 0);
    s.row.resize(2 * C_);
    double *before = s.row.data(), *now = before + C_;
    for (std::size_t t = 0; t < s.n; ++t) {
        float* best = s.best.data() + t * C_;
        for (std::size_t k = 0; k < L_; ++k) {
            const std::size_t c = static_cast<std::size_t>(d_.classes[k]);
            if (labels[t * L_ + k] > best[c]) best[c] = labels[t * L_ + k], s.arg[t * C_ + c] = static_cast<std::int32_t>(k);
        }
        for (std::size_t c = 0; c < C_; ++c) {
            double high = kNone;
            if (best[c] == kNever) {
                now[c] = kNone;
                continue;
            }
            if (!t) high = s.shared[C_ * C_ + c];
            for (std::size_t b = 0; t && b < C_; ++b) {
                const double v = before[b] + s.shared[b * C_ + c];
                if (v > high) high = v, s.from[t * C_ + c] = static_cast<std::int32_t>(b);
            }
            now[c] = high + best[c];
        }
        std::swap(before, now);
    }
    std::size_t c = static_cast<std::size_t>(std::max_element(before, before + C_) - before);
    const double found = before[c];
    for (std::size_t t = s.n; t-- > 0;) {
        y[t] = s.arg[t * C_ + c];
        c = static_cast<std::size_t>(s.from[t * C_ + c]);
    }
    return found;
}

double FactoredProblem::best(State& s, float cost, Output& y) const {
    if (cost == 0) return viterbi(s, s.labels.data(), y);
    add_cost(s, cost);
    return viterbi(s, s.changed.data(), y);
}

// Only the k best labels of a class can be in the k best sequences, and only k ways to each class before it.
void FactoredProblem::kbest(State& s, std::size_t k, float cost, std::vector<Output>& ys, std::vector<double>& scores) const {
    struct Way {
        double score;
        std::int32_t label, rank;  // its place among the ways of the class before
        std::int32_t before;
    };
    const auto better = [](const Way& a, const Way& b) { return a.score > b.score; };
    add_cost(s, cost);
    ys.clear();
    scores.clear();
    if (!s.n) {
        ys.emplace_back();
        scores.push_back(0);
        return;
    }
    std::vector<std::vector<Way>> ways(s.n * C_);
    std::vector<Way> in, both;
    for (std::size_t t = 0; t < s.n; ++t) {
        std::vector<std::vector<Way>> own(C_);
        for (std::size_t y = 0; y < L_; ++y)
            if (const float v = s.changed[t * L_ + y]; v != kNever) own[static_cast<std::size_t>(d_.classes[y])].push_back({v, static_cast<std::int32_t>(y), 0, 0});
        for (std::size_t c = 0; c < C_; ++c) {
            if (own[c].empty()) continue;
            std::stable_sort(own[c].begin(), own[c].end(), better);
            own[c].resize(std::min(k, own[c].size()));
            in.clear();
            if (!t) in.push_back({s.shared[C_ * C_ + c], 0, 0, -1});
            for (std::size_t b = 0; t && b < C_; ++b)
                for (std::size_t r = 0; r < ways[(t - 1) * C_ + b].size(); ++r)
                    in.push_back({ways[(t - 1) * C_ + b][r].score + s.shared[b * C_ + c], 0, static_cast<std::int32_t>(r), static_cast<std::int32_t>(b)});
            std::stable_sort(in.begin(), in.end(), better);
            in.resize(std::min(k, in.size()));
            both.clear();
            for (std::size_t r = 0; r < in.size(); ++r)
                for (std::size_t j = 0; j < own[c].size() && (r + 1) * (j + 1) <= k; ++j)
                    both.push_back({in[r].score + own[c][j].score, own[c][j].label, in[r].rank, in[r].before});
            std::stable_sort(both.begin(), both.end(), better);
            both.resize(std::min(k, both.size()));
            ways[t * C_ + c] = both;
        }
    }
    in.clear();
    for (std::size_t c = 0; c < C_; ++c)
        for (std::size_t r = 0; r < ways[(s.n - 1) * C_ + c].size(); ++r)
            in.push_back({ways[(s.n - 1) * C_ + c][r].score, 0, static_cast<std::int32_t>(r), static_cast<std::int32_t>(c)});
    std::stable_sort(in.begin(), in.end(), better);
    in.resize(std::min(k, in.size()));
    for (const Way& last : in) {
        Output y(s.n);
        std::int32_t c = last.before, rank = last.rank;
        for (std::size_t t = s.n; t-- > 0;) {
            const Way& way = ways[t * C_ + static_cast<std::size_t>(c)][static_cast<std::size_t>(rank)];
            y[t] = way.label;
            c = way.before;
            rank = way.rank;
        }
        ys.push_back(std::move(y));
        scores.push_back(last.score);
    }
}

double FactoredProblem::score_of(const State& s, const Output& y) const {
    double sum = 0;
    for (std::size_t t = 0; t < s.n; ++t) sum += static_cast<double>(s.labels[t * L_ + static_cast<std::size_t>(y[t])]) + s.shared[transition(y, t)];
    return sum;
}

double FactoredProblem::gold(State& s, Output& y) const {
    restrict_to_gold(s);
    return viterbi(s, s.changed.data(), y);
}

double FactoredProblem::loss(std::size_t i, const Output& y) const {
    std::size_t mistakes = 0;
    for (std::size_t t = 0; t < y.size(); ++t) mistakes += wrong(d_.offsets[i] + static_cast<std::int64_t>(t), y[t]);
    return static_cast<double>(mistakes);
}

double FactoredProblem::part_costs(std::size_t, float*) const {
    throw std::domain_error("the loss of labels with parts is not a sum over their parts");
}

double FactoredProblem::risk(State&, float*) const { throw std::domain_error("labels with parts offer no expected loss"); }

// Forward and backward over the classes, normalised at every token; within a class, labels share what it has by their scores:
//     p(y at t) = p(class at t) · e^score(y) / Σ over the class
double FactoredProblem::sum(State& s, const float* labels, float* parts, float* label_values) const {
    const std::size_t n = s.n;
    if (parts) std::fill_n(parts, n * S_ + n_shared(), 0.0f);
    if (!n) return 0;
    s.inside.resize(n * L_);
    s.best.resize(n * C_);
    s.emissions.resize(n * C_);
    s.forward.resize(n * C_);
    s.backward.resize(n * C_);
    s.row.resize(C_);
    double log_z = 0;
    for (std::size_t t = 0; t < n; ++t) {
        const float* q = labels + t * L_;
        float *in = s.inside.data() + t * L_, *best = s.best.data() + t * C_;
        double *e = s.emissions.data() + t * C_, *f = s.forward.data() + t * C_;
        std::fill_n(best, C_, kNever);
        for (std::size_t y = 0; y < L_; ++y) best[d_.classes[y]] = std::max(best[d_.classes[y]], q[y]);
        const float top = *std::max_element(best, best + C_);
        std::fill_n(e, C_, 0.0);
        for (std::size_t y = 0; y < L_; ++y) {
            in[y] = q[y] == kNever ? 0.0f : std::exp(q[y] - best[d_.classes[y]]);
            e[d_.classes[y]] += in[y];
        }
        if (!t) std::copy_n(s.transitions.data() + C_ * C_, C_, f);
        else {
            std::fill_n(f, C_, 0.0);
            for (std::size_t b = 0; b < C_; ++b) {
                const double from = s.forward[(t - 1) * C_ + b];
                if (from == 0) continue;
                const double* row = s.transitions.data() + b * C_;
                for (std::size_t c = 0; c < C_; ++c) f[c] += from * row[c];
            }
        }
        double total = 0;
        for (std::size_t c = 0; c < C_; ++c) {
            e[c] = best[c] == kNever ? 0 : e[c] * std::exp(static_cast<double>(best[c]) - top);
            total += f[c] *= e[c];
        }
        if (!(total > 0) || !std::isfinite(total)) {
            if (top == kNever) throw std::domain_error("sentence " + std::to_string(s.example + 1) + ": no sequence that agrees with its labels is allowed");
            throw std::overflow_error("the scores of an example are too large, or not numbers");
        }
        for (std::size_t c = 0; c < C_; ++c) f[c] /= total;
        log_z += static_cast<double>(top) + s.top + std::log(total);
    }
    std::fill_n(s.backward.data() + (n - 1) * C_, C_, 1.0);
    for (std::size_t t = n - 1; t-- > 0;) {
        double *b = s.backward.data() + t * C_, total = 0;
        const double *e = s.emissions.data() + (t + 1) * C_, *next = s.backward.data() + (t + 1) * C_;
        for (std::size_t c = 0; c < C_; ++c) s.row[c] = e[c] * next[c];
        for (std::size_t a = 0; a < C_; ++a) {
            const double* row = s.transitions.data() + a * C_;
            double sum = 0;
            for (std::size_t c = 0; c < C_; ++c) sum += row[c] * s.row[c];
            b[a] = sum;
            total += sum;
        }
        for (std::size_t a = 0; a < C_; ++a) b[a] /= total;
    }
    float* shared = parts ? parts + n * S_ : nullptr;
    std::vector<double> likely(C_);
    for (std::size_t t = 0; t < n; ++t) {
        const double *f = s.forward.data() + t * C_, *b = s.backward.data() + t * C_, *e = s.emissions.data() + t * C_;
        double total = 0;
        for (std::size_t c = 0; c < C_; ++c) total += likely[c] = f[c] * b[c];
        for (std::size_t c = 0; c < C_; ++c) likely[c] /= total;
        if (parts && !t)
            for (std::size_t c = 0; c < C_; ++c) shared[C_ * C_ + c] += static_cast<float>(likely[c]);
        if (parts && t) {
            // p(a, c) = forward[t−1][a] · T[a][c] · emission[t][c] · backward[t][c], over the sum of all.
            const double* before = s.forward.data() + (t - 1) * C_;
            double z = 0;
            for (std::size_t c = 0; c < C_; ++c) s.row[c] = e[c] * b[c];
            for (std::size_t a = 0; a < C_; ++a) {
                if (before[a] == 0) continue;
                const double* row = s.transitions.data() + a * C_;
                double sum = 0;
                for (std::size_t c = 0; c < C_; ++c) sum += row[c] * s.row[c];
                z += before[a] * sum;
            }
            for (std::size_t a = 0; a < C_; ++a) {
                if (before[a] == 0) continue;
                const double *row = s.transitions.data() + a * C_, by = before[a] / z;
                for (std::size_t c = 0; c < C_; ++c) shared[a * C_ + c] += static_cast<float>(by * row[c] * s.row[c]);
            }
        }
        // What one unit of `inside` is worth in each class: p(class) / Σ of its labels.
        std::fill(s.row.begin(), s.row.end(), 0.0);
        const float* in = s.inside.data() + t * L_;
        for (std::size_t y = 0; y < L_; ++y) s.row[d_.classes[y]] += in[y];
        for (std::size_t c = 0; c < C_; ++c) s.row[c] = s.row[c] > 0 ? likely[c] / s.row[c] : 0;
        for (std::size_t y = 0; y < L_; ++y) {
            const float p = static_cast<float>(in[y] * s.row[d_.classes[y]]);
            if (label_values) label_values[t * L_ + y] = p;
            if (!parts || p == 0) continue;
            for (std::int64_t k = d_.label_rows[y]; k < d_.label_rows[y + 1]; ++k) parts[t * S_ + static_cast<std::size_t>(d_.label_parts[k])] += p;
        }
    }
    return log_z;
}

double FactoredProblem::gold_marginals(State& s, float* parts) const {
    const std::int32_t* known = d_.labels + d_.offsets[s.example];
    if (std::any_of(known, known + s.n, [](std::int32_t y) { return y < 0; })) {
        restrict_to_gold(s);
        return sum(s, s.changed.data(), parts, nullptr);
    }
    std::fill_n(parts, s.n * S_ + n_shared(), 0.0f);
    const Output y(known, known + s.n);
    for (std::size_t t = 0; t < s.n; ++t) {
        for (std::int64_t k = d_.label_rows[y[t]]; k < d_.label_rows[y[t] + 1]; ++k) parts[t * S_ + static_cast<std::size_t>(d_.label_parts[k])] = 1;
        parts[s.n * S_ + transition(y, t)] += 1;
    }
    const double found = score_of(s, y);
    if (found == kNone) throw std::domain_error("sentence " + std::to_string(s.example + 1) + ": no sequence that agrees with its labels is allowed");
    return found;
}

void FactoredProblem::pullback_own(std::size_t i, const float* parts, float step, float* g) const {
    const std::int64_t first = d_.offsets[i], last = d_.rows[d_.offsets[i + 1]];
    for (std::size_t t = 0; t < n_tokens(i); ++t) {
        const std::int64_t k = d_.rows[first + static_cast<std::int64_t>(t)], count = d_.rows[first + static_cast<std::int64_t>(t) + 1] - k;
        if (free_) rows::add_masked(g, free_, S_, d_.attributes + k, nullptr, count, parts + t * S_, step);
        else rows::add(g, S_, d_.attributes + k, nullptr, count, last - k, parts + t * S_, step);
    }
}

void FactoredProblem::pullback(std::size_t i, const float* parts, float step, float* g) const {
    pullback_own(i, parts, step, g);
    const float* shared = parts + n_tokens(i) * S_;
    for (std::size_t k = 0; k < n_shared(); ++k)
        if (!free_ || free_[shared_at_ + k]) g[shared_at_ + k] += step * shared[k];
}

void FactoredProblem::pullback_block(std::size_t begin, std::size_t end, const float* parts, int, float* g) const {
    for (std::size_t i = begin; i < end; ++i) {
        pullback_own(i, parts, 1.0f, g);
        parts += n_tokens(i) * S_;
    }
}

template class LearnableAs<FactoredProblem>;

}  // namespace palmette

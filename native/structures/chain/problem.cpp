#include "structures/chain/problem.hpp"

#include <stdexcept>
#include <string>

#include "base/parallel.hpp"
#include "base/rows.hpp"
#include "structures/chain/kbest.hpp"

namespace palmette {
namespace {

std::size_t ngram_weights(std::size_t L, std::size_t S, int order) {
    std::size_t size = 0;
    for (int h = 1; h <= order; ++h) size += power(L, h) * S;
    return size;
}

// out[c][y] = scale · Σ_{h ≤ m} T_h[last h labels of c][y] + mask[last label of c][y], for contexts c of m labels.
void compose(const float* ngrams, float scale, const float* mask, std::size_t L, std::size_t S, int m, float* out) {
    const std::size_t contexts = power(L, m);
    for (std::size_t c = 0; c < contexts; ++c) {
        float* row = out + c * S;
        if (mask) std::copy_n(mask + c % L * S, S, row);
        else std::fill_n(row, S, 0.0f);
        const float* table = ngrams;
        std::size_t size = L;
        for (int h = 1; h <= m; ++h, size *= L) {
            const float* from = table + c % size * S;
            for (std::size_t y = 0; y < S; ++y) row[y] += scale * from[y];
            table += size * S;
        }
    }
}

// The transpose of `compose`: marginals of contexts of m labels become those of shorter n-grams as well.
void project(const float* marginals, std::size_t L, std::size_t S, int m, float* ngrams) {
    const std::size_t contexts = power(L, m);
    for (std::size_t c = 0; c < contexts; ++c) {
        float* table = ngrams;
        std::size_t size = L;
        for (int h = 1; h <= m; ++h, size *= L) {
            float* to = table + c % size * S;
            for (std::size_t y = 0; y < S; ++y) to[y] += marginals[c * S + y];
            table += size * S;
        }
    }
}

}  // namespace

ChainProblem::ChainProblem(const ChainData& data) : d_(data), L_(data.n_labels), S_(padded(data.n_labels)) {
    pairs_at_ = d_.n_attributes * S_;
    shared_at_ = pairs_at_ + d_.n_pair_attributes * L_ * S_;
    n_shared_ = d_.states ? d_.states->n_rows * S_ : ngram_weights(L_, S_, d_.order);
}

void ChainProblem::prepare(State& s, const float* shared, float scale, bool sums) const {
    s.scores.labels = L_;
    s.scores.stride = S_;
    s.scores.order = d_.order;
    s.potentials_set = false;
    s.space.column_max_of = nullptr;
    if (d_.states) {
        compose_steps(s, shared, scale);
        if (sums && !own_tables()) {
            StateScores scores{d_.states, 0, S_, nullptr, s.steps.data(), 0};
            s.state_potentials.set(scores);
            s.potentials_set = true;
        }
        return;
    }
    if (d_.order) {
        s.begin.resize(begin_size(L_, S_, d_.order));
        for (int i = 1; i < d_.order; ++i) compose(shared, scale, d_.pair_mask, L_, S_, i, s.begin.data() + begin_size(L_, S_, i));
        s.table.resize(power(L_, d_.order) * S_);
        compose(shared, scale, d_.pair_mask, L_, S_, d_.order, s.table.data());
    }
    s.scores.begin = s.begin.data();
    s.scores.table = s.table.data();
    s.scores.table_step = 0;
    if (sums && !own_tables()) {
        s.potentials.set(s.scores);
        s.potentials_set = true;
    }
}

void ChainProblem::set_view(State& s, std::size_t i) const {
    s.example = i;
    s.scores.n = n_tokens(i);
    s.unary.resize(s.scores.n * S_);
    s.scores.unary = s.unary.data();
    if (own_tables() && d_.states) {
        s.own_steps.resize(s.scores.n * s.steps.size());
        for (std::size_t t = 0; t < s.scores.n; ++t) std::copy(s.steps.begin(), s.steps.end(), s.own_steps.begin() + t * s.steps.size());
        s.potentials_set = false;
    } else if (own_tables()) {
        // One table per position: begin with what all share. Positions before `order` have tables in pair_begin.
        const std::size_t block = s.table.size();
        s.pair_table.resize(s.scores.n * block + s.begin.size());
        for (std::size_t t = 0; t < s.scores.n; ++t) std::copy(s.table.begin(), s.table.end(), s.pair_table.begin() + t * block);
        std::copy(s.begin.begin(), s.begin.end(), s.pair_table.begin() + s.scores.n * block);
        s.scores.table = s.pair_table.data();
        s.scores.begin = s.pair_table.data() + s.scores.n * block;
        s.scores.table_step = static_cast<std::ptrdiff_t>(block);
        s.potentials_set = false;
    }
}

void ChainProblem::mask_ends(State& s) const {
    for (std::size_t t = 0; t < s.scores.n; ++t)
        for (std::size_t y = L_; y < S_; ++y) s.unary[t * S_ + y] = minus_infinity<float>;
    if (!s.scores.n) return;
    if (d_.start_mask)
        for (std::size_t y = 0; y < L_; ++y) s.unary[y] += d_.start_mask[y];
    if (d_.end_mask)
        for (std::size_t y = 0; y < L_; ++y) s.unary[(s.scores.n - 1) * S_ + y] += d_.end_mask[y];
}

void ChainProblem::add_pairs(State& s, std::size_t t, const float* bigrams) const {
    if (d_.states) return add_pairs_to_steps(s, t, bigrams);
    float* to = const_cast<float*>(s.scores.transitions(t));
    for (std::size_t c = 0; c < s.scores.contexts(t); ++c)
        for (std::size_t y = 0; y < L_; ++y) to[c * S_ + y] += bigrams[c % L_ * S_ + y];
}

void ChainProblem::score(State& s, std::size_t i, const float* w, float scale) const {
    set_view(s, i);
    const std::int64_t first = d_.offsets[i], end = d_.rows[d_.offsets[i + 1]];
    for (std::size_t t = 0; t < s.scores.n; ++t) {
        const std::int64_t k = d_.rows[first + t];
        rows::sum(w, S_, d_.attributes + k, d_.values ? d_.values + k : nullptr, d_.rows[first + t + 1] - k, end - k, s.unary.data() + t * S_);
    }
    if (scale != 1)
        for (float& u : s.unary) u *= scale;
    if (d_.unary)
        for (std::size_t k = 0; k < s.scores.n * S_; ++k) s.unary[k] += d_.unary[first * S_ + k];
    if (d_.pair_rows && own_tables()) {
        s.scratch.resize(L_ * S_);
        for (std::size_t t = 1; t < s.scores.n; ++t) {
            const std::int64_t k = d_.pair_rows[first + t];
            rows::sum(w + pairs_at_, L_ * S_, d_.pair_attributes + k, d_.pair_values ? d_.pair_values + k : nullptr,
                      d_.pair_rows[first + t + 1] - k, d_.pair_rows[first + t + 1] - k, s.scratch.data());
            if (scale != 1)
                for (float& v : s.scratch) v *= scale;
            add_pairs(s, t, s.scratch.data());
        }
    }
    mask_ends(s);
    if (d_.local) normalise(s);
}

void ChainProblem::set_scores(State& s, std::size_t i, const float* parts) const {
    const std::size_t n = n_tokens(i);
    prepare(s, parts + n * parts_per_token(), 1.0f, true);
    set_view(s, i);
    std::copy_n(parts, n * S_, s.unary.data());
    if (d_.pair_rows && own_tables())
        for (std::size_t t = 1; t < n; ++t) add_pairs(s, t, parts + n * S_ + t * L_ * S_);
    mask_ends(s);
    if (d_.local) normalise(s);
}

void ChainProblem::part_scores(std::size_t i, const float* w, float* parts) const {
    const std::int64_t first = d_.offsets[i];
    const std::size_t n = n_tokens(i);
    for (std::size_t t = 0; t < n; ++t) {
        const std::int64_t k = d_.rows[first + t];
        rows::sum(w, S_, d_.attributes + k, d_.values ? d_.values + k : nullptr, d_.rows[first + t + 1] - k, d_.rows[first + n] - k, parts + t * S_);
        if (!d_.pair_rows) continue;
        float* bigrams = parts + n * S_ + t * L_ * S_;
        const std::int64_t j = d_.pair_rows[first + t];
        if (t) rows::sum(w + pairs_at_, L_ * S_, d_.pair_attributes + j, d_.pair_values ? d_.pair_values + j : nullptr, d_.pair_rows[first + t + 1] - j, d_.pair_rows[first + t + 1] - j, bigrams);
        else std::fill_n(bigrams, L_ * S_, 0.0f);
    }
    std::copy_n(w + shared_at_, n_shared_, parts + n * parts_per_token());
}

bool ChainProblem::labelled(std::size_t i) const {
    for (std::int64_t t = d_.offsets[i]; t < d_.offsets[i + 1]; ++t)
        if (d_.labels[t] < 0) return false;
    return true;
}

// The scores with every label forbidden that does not agree with the example's own.
void ChainProblem::restrict_to_gold(State& s) const {
    s.restricted = s.unary;
    const std::int64_t first = d_.offsets[s.example];
    for (std::size_t t = 0; t < s.scores.n; ++t) {
        float* u = s.restricted.data() + t * S_;
        for (std::size_t y = 0; y < L_; ++y)
            if (wrong(first + t, y)) u[y] = minus_infinity<float>;
    }
}

void ChainProblem::observed(std::uint8_t* mask) const {
    std::vector<std::vector<std::size_t>> possible;  // labels of the last order + 1 tokens
    for (std::size_t i = 0; i < size(); ++i) {
        possible.clear();
        for (std::int64_t t = d_.offsets[i]; t < d_.offsets[i + 1]; ++t) {
            possible.emplace_back();
            for (std::size_t y = 0; y < L_; ++y)
                if (!wrong(t, y)) possible.back().push_back(y);
            for (const std::size_t y : possible.back())
                for (std::int64_t k = d_.rows[t]; k < d_.rows[t + 1]; ++k) mask[static_cast<std::size_t>(d_.attributes[k]) * S_ + y] = 1;
            // Contexts of one label more each time, as far as the order and the sentence go.
            std::vector<std::size_t> contexts{0};
            std::size_t at = shared_at_, place = 1;
            const std::size_t longest = std::min<std::size_t>(possible.size() - 1, d_.states ? !!d_.pair_rows : d_.order);
            for (std::size_t h = 1; h <= longest; ++h) {
                std::vector<std::size_t> longer;
                for (const std::size_t before : possible[possible.size() - 1 - h])
                    for (const std::size_t c : contexts) longer.push_back(c + before * place);
                contexts.swap(longer);
                place *= L_;
                for (const std::size_t c : contexts)
                    for (const std::size_t y : possible.back()) {
                        if (!d_.states) mask[at + c * S_ + y] = 1;
                        if (h == 1 && d_.pair_rows)
                            for (std::int64_t k = d_.pair_rows[t]; k < d_.pair_rows[t + 1]; ++k)
                                mask[pairs_at_ + (static_cast<std::size_t>(d_.pair_attributes[k]) * L_ + c) * S_ + y] = 1;
                    }
                at += place * S_;
            }
        }
        if (d_.states) observed_steps(d_.offsets[i], d_.offsets[i + 1], mask);
    }
}

double ChainProblem::best_with(State& s, const float* unary, Output& y) const {
    y.resize(s.scores.n);
    if (d_.states) return viterbi(state_scores(s, unary), s.state_space, y.data());
    ChainScores<float> scores = s.scores;
    scores.unary = unary;
    return viterbi(scores, s.space, y.data());
}

double ChainProblem::score_of(State& s, const std::int32_t* y) const {
    return d_.states ? chain_score(state_scores(s, s.unary.data()), y) : chain_score(s.scores, y);
}

double ChainProblem::best(State& s, float cost, Output& y) const {
    if (cost == 0) return best_with(s, s.unary.data(), y);
    s.restricted = s.unary;
    const std::int64_t first = d_.offsets[s.example];
    for (std::size_t t = 0; t < s.scores.n; ++t) {
        float* u = s.restricted.data() + t * S_;
        for (std::size_t j = 0; j < L_; ++j)
            if (wrong(first + t, j)) u[j] += cost;
    }
    return best_with(s, s.restricted.data(), y);
}

void ChainProblem::kbest(State& s, std::size_t k, float cost, std::vector<Output>& ys, std::vector<double>& totals) const {
    ChainScores<float> augmented = s.scores;
    if (cost != 0) {
        Output ignored;
        best(s, cost, ignored);  // leaves the scores with the loss in `restricted`
        augmented.unary = s.restricted.data();
    }
    KBestLabels found = d_.states ? kbest_labels(state_scores(s, augmented.unary), k) : kbest_labels(augmented, k);
    ys.clear();
    for (std::size_t r = 0; r < found.scores.size(); ++r)
        ys.emplace_back(found.labels.begin() + r * s.scores.n, found.labels.begin() + (r + 1) * s.scores.n);
    totals = std::move(found.scores);
}

double ChainProblem::gold(State& s, Output& y) const {
    const std::int64_t first = d_.offsets[s.example];
    if (labelled(s.example)) {
        y.assign(d_.labels + first, d_.labels + d_.offsets[s.example + 1]);
        return score_of(s, y.data());
    }
    restrict_to_gold(s);
    return best_with(s, s.restricted.data(), y);
}

double ChainProblem::loss(std::size_t i, const Output& y) const {
    const std::int64_t first = d_.offsets[i];
    std::size_t mistakes = 0;
    for (std::size_t t = 0; t < y.size(); ++t) mistakes += wrong(first + t, y[t]);
    return static_cast<double>(mistakes);
}

double ChainProblem::part_costs(std::size_t i, float* parts) const {
    const std::int64_t first = d_.offsets[i];
    std::fill_n(parts, n_parts(i), 0.0f);
    for (std::size_t t = 0; t < n_tokens(i); ++t)
        for (std::size_t y = 0; y < L_; ++y) parts[t * S_ + y] = wrong(first + static_cast<std::int64_t>(t), y) ? 1.0f : 0.0f;
    return 0;
}

// There is no gradient where nothing, or not the right output, has a probability.
static double possible(const ChainProblem::State& s, double log_z) {
    if (log_z == minus_infinity<double>)
        throw std::domain_error("sentence " + std::to_string(s.example + 1) + ": no sequence that agrees with its labels is allowed");
    return log_z;
}

double ChainProblem::sum(State& s, const ChainScores<float>& scores, float* parts) const {
    if (d_.states) return possible(s, state_sum(s, scores.unary, parts));
    if (!s.potentials_set) {
        s.potentials.set(scores);
        s.potentials_set = true;
    }
    const std::size_t n = scores.n;
    float* shared = parts + n * parts_per_token();
    std::fill(shared, shared + n_shared_, 0.0f);
    if (d_.order == 0) return possible(s, forward_backward<float>(scores, s.potentials, s.space, parts, nullptr, nullptr));
    if (d_.order == 1 && !scores.table_step) return possible(s, forward_backward<float>(scores, s.potentials, s.space, parts, nullptr, shared));
    const std::size_t block = s.table.size(), begins = s.begin.size();
    s.scratch.assign(begins + block * (scores.table_step ? n : 1), 0.0f);
    float* tables = s.scratch.data() + begins;
    const double log_z = possible(s, forward_backward<float>(scores, s.potentials, s.space, parts, s.scratch.data(), tables));
    spread(s, scores, parts);
    return log_z;
}

// From values of n-grams in `scratch`, as the passes leave them, to the bigrams of pair attributes and the shared parts.
void ChainProblem::spread(const State& s, const ChainScores<float>& scores, float* parts) const {
    const std::size_t n = scores.n, block = s.table.size(), order = static_cast<std::size_t>(d_.order);
    const float* tables = s.scratch.data() + s.begin.size();
    float *bigrams = parts + n * S_, *shared = parts + n * parts_per_token();
    if (d_.pair_rows) std::fill(bigrams, bigrams + n * L_ * S_, 0.0f);
    for (std::size_t t = 1; t < std::max(n, order + 1); ++t) {
        const bool first = t < order;
        const int m = first ? static_cast<int>(t) : d_.order;
        const float* from = first ? s.scratch.data() + begin_size(L_, S_, m) : tables + (scores.table_step ? t * block : 0);
        if (t < n && d_.pair_rows)
            for (std::size_t c = 0; c < power(L_, m); ++c)
                for (std::size_t y = 0; y < S_; ++y) bigrams[(t * L_ + c % L_) * S_ + y] += from[c * S_ + y];
        if (t < n) project(from, L_, S_, m, shared);
        if (!scores.table_step && t >= order) break;
    }
}

double ChainProblem::gold_marginals(State& s, float* parts) const {
    const std::size_t i = s.example, n = s.scores.n;
    if (!labelled(i)) {
        restrict_to_gold(s);
        ChainScores<float> restricted = s.scores;
        restricted.unary = s.restricted.data();
        return sum(s, restricted, parts);
    }
    std::fill_n(parts, n_parts(i), 0.0f);
    const std::int32_t* y = d_.labels + d_.offsets[i];
    for (std::size_t t = 0; t < n; ++t) {
        parts[t * S_ + y[t]] = 1;
        if (t && d_.pair_rows) parts[n * S_ + (t * L_ + y[t - 1]) * S_ + y[t]] = 1;
        float* at = parts + n * parts_per_token();
        std::size_t context = 0, place = 1;
        for (std::size_t h = 1; !d_.states && h <= std::min<std::size_t>(t, d_.order); ++h) {
            context += y[t - h] * place;
            place *= L_;
            at[context * S_ + y[t]] += 1;
            at += place * S_;
        }
    }
    if (d_.states) add_gold_steps(y, n, parts + n * parts_per_token());
    return possible(s, score_of(s, y));
}

static void require_global(const ChainData& d) {
    if (d.local) throw std::domain_error("a locally normalised chain is trained on its label history, by MEMM");
}

void ChainProblem::pullback(std::size_t i, const float* parts, float step, float* g) const {
    require_global(d_);
    const std::int64_t first = d_.offsets[i];
    const std::size_t n = n_tokens(i);
    if (free_) return pullback_free(i, parts, step, g);
    for (std::size_t t = 0; t < n; ++t) {
        const std::int64_t k = d_.rows[first + t];
        rows::add(g, S_, d_.attributes + k, d_.values ? d_.values + k : nullptr, d_.rows[first + t + 1] - k, d_.rows[first + n] - k, parts + t * S_, step);
        if (t && d_.pair_rows) {
            const std::int64_t j = d_.pair_rows[first + t];
            rows::add(g + pairs_at_, L_ * S_, d_.pair_attributes + j, d_.pair_values ? d_.pair_values + j : nullptr,
                      d_.pair_rows[first + t + 1] - j, d_.pair_rows[first + t + 1] - j, parts + n * S_ + t * L_ * S_, step);
        }
    }
    const float* shared = parts + n * parts_per_token();
    for (std::size_t k = 0; k < n_shared_; ++k) g[shared_at_ + k] += step * shared[k];
}

void ChainProblem::pullback_free(std::size_t i, const float* parts, float step, float* g) const {
    const std::int64_t first = d_.offsets[i];
    const std::size_t n = n_tokens(i);
    const auto add = [&](std::size_t at, const float* d, float by, std::size_t size) {
        for (std::size_t y = 0; y < size; ++y) g[at + y] += free_[at + y] ? by * d[y] : 0.0f;
    };
    for (std::size_t t = 0; t < n; ++t) {
        const std::int64_t k = d_.rows[first + t];
        rows::add_masked(g, free_, S_, d_.attributes + k, d_.values ? d_.values + k : nullptr, d_.rows[first + t + 1] - k, parts + t * S_, step);
        if (t && d_.pair_rows)
            for (std::int64_t k = d_.pair_rows[first + t]; k < d_.pair_rows[first + t + 1]; ++k)
                add(pairs_at_ + d_.pair_attributes[k] * L_ * S_, parts + n * S_ + t * L_ * S_,
                    step * (d_.pair_values ? d_.pair_values[k] : 1.0f), L_ * S_);
    }
    add(shared_at_, parts + n * parts_per_token(), step, n_shared_);
}

const ChainProblem::Turned& ChainProblem::turned(std::size_t begin, std::size_t end) const {
    std::lock_guard lock(*turning_);
    for (const auto& known : turned_)
        if (known->begin == begin && known->end == end) return *known;
    auto made = std::make_unique<Turned>();
    made->begin = begin;
    made->end = end;
    const std::int64_t first = d_.offsets[begin], last = d_.offsets[end];
    made->rows.assign(d_.n_attributes + 2, 0);
    for (std::int64_t k = d_.rows[first]; k < d_.rows[last]; ++k) ++made->rows[d_.attributes[k] + 2];
    for (std::size_t a = 2; a < made->rows.size(); ++a) made->rows[a] += made->rows[a - 1];
    made->tokens.resize(d_.rows[last] - d_.rows[first]);
    if (d_.values) made->values.resize(made->tokens.size());
    for (std::int64_t t = first; t < last; ++t)
        for (std::int64_t k = d_.rows[t]; k < d_.rows[t + 1]; ++k) {
            const std::int64_t at = made->rows[d_.attributes[k] + 1]++;
            made->tokens[at] = static_cast<std::int32_t>(t - first);
            if (d_.values) made->values[at] = d_.values[k];
        }
    made->rows.pop_back();
    turned_.push_back(std::move(made));
    return *turned_.back();
}

void ChainProblem::pullback_block(std::size_t begin, std::size_t end, const float* parts, int n_jobs, float* g) const {
    require_global(d_);
    if (d_.pair_rows) {
        // Parts of labels and of bigrams alternate by sentence, and bigrams are few: one example after another.
        std::vector<float> whole;
        for (std::size_t i = begin; i < end; ++i) {
            const std::size_t own = n_parts(i) - n_shared_;
            whole.assign(parts, parts + own);
            whole.resize(own + n_shared_, 0.0f);
            pullback(i, whole.data(), 1.0f, g);
            parts += own;
        }
        return;
    }
    const Turned& t = turned(begin, end);
    constexpr std::size_t kPieces = 64;
    parallel(kPieces, n_jobs, [&](std::size_t piece, std::size_t) {
        std::vector<float> sum(S_);
        const std::size_t from = d_.n_attributes * piece / kPieces, to = d_.n_attributes * (piece + 1) / kPieces;
        for (std::size_t a = from; a < to; ++a) {
            const std::int64_t k = t.rows[a], count = t.rows[a + 1] - k;
            if (!count) continue;
            rows::sum(parts, S_, t.tokens.data() + k, d_.values ? t.values.data() + k : nullptr, count, t.rows[to] - k, sum.data());
            for (std::size_t y = 0; y < S_; ++y) g[a * S_ + y] += !free_ || free_[a * S_ + y] ? sum[y] : 0.0f;
        }
    });
}

}  // namespace palmette

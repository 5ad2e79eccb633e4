#include "structures/arcs/head_choice.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <numeric>
#include <queue>

#include "base/parallel.hpp"
#include "base/vector_exp.hpp"

namespace palmette {
namespace {

constexpr float kNoHead = -std::numeric_limits<float>::infinity();
std::atomic<std::uint64_t> head_serials{1};

}  // namespace

HeadChoiceProblem::HeadChoiceProblem(const TokenViews& views, const std::int32_t* heads, unsigned bits)
    : views_(views), heads_(heads), bits_(bits), serial_(head_serials++) {}

const ArcFeatures& HeadChoiceProblem::features(std::size_t i) const {
    struct Prepared {
        std::uint64_t serial = 0;
        std::size_t example = 0;
        ArcFeatures features;
    };
    static thread_local Prepared p;
    if (p.serial == serial_ && p.example == i) return p.features;
    p.serial = 0;  // until it is whole
    p.features.set(views_, i);
    p.example = i;
    p.serial = serial_;
    return p.features;
}

void HeadChoiceProblem::observed(std::uint8_t* mask) const {
    std::vector<float> parts;
    State s;
    for (std::size_t i = 0; i < size(); ++i) {
        const std::size_t n = views_.length(i);
        parts.assign(n_parts(i), 0.0f);
        for (std::size_t m = 1; m <= n; ++m)
            if (head(i, m) >= 0) parts[(m - 1) * (n + 1) + static_cast<std::size_t>(head(i, m))] = 1;
        walk(i, parts.data(), [&](std::size_t, std::size_t at) { mask[at] = 1; });
    }
}

void HeadChoiceProblem::part_scores(std::size_t i, const float* w, float* parts) const {
    std::fill_n(parts, n_parts(i), 0.0f);
    walk(i, nullptr, [&](std::size_t part, std::size_t at) { parts[part] += w[at]; });
}

void HeadChoiceProblem::set_scores(State& s, std::size_t i, const float* parts) const {
    s.example = i;
    const std::size_t n = views_.length(i);
    s.scores.assign(parts, parts + n_parts(i));
    for (std::size_t m = 1; m <= n; ++m) s.scores[(m - 1) * (n + 1) + m] = kNoHead;
}

void HeadChoiceProblem::score(State& s, std::size_t i, const float* w, float scale) const {
    s.example = i;
    const ArcFeatures& f = features(i);
    const std::size_t n = views_.length(i);
    s.scores.resize(n * (n + 1));
    for (std::size_t m = 1; m <= n; ++m)
        for (std::size_t h = 0; h <= n; ++h) {
            float sum = 0;
            if (h != m) f.filter(h, m, [&](std::size_t, std::uint64_t key) { sum += w[key >> (64 - bits_)]; });
            s.scores[(m - 1) * (n + 1) + h] = h == m ? kNoHead : sum * scale;
        }
}

double HeadChoiceProblem::best(State& s, float cost, Output& y) const {
    const std::size_t n = views_.length(s.example);
    y.assign(n, 0);
    double total = 0;
    for (std::size_t m = 1; m <= n; ++m) {
        const float* row = s.scores.data() + (m - 1) * (n + 1);
        const std::int32_t gold = head(s.example, m);
        float high = kNoHead;
        for (std::size_t h = 0; h <= n; ++h) {
            const float v = row[h] + (gold >= 0 && static_cast<std::size_t>(gold) != h ? cost : 0.0f);
            if (v > high) high = v, y[m - 1] = static_cast<std::int32_t>(h);
        }
        total += high;
    }
    return total;
}

// Every word's heads are sorted, best first, and the words by what their second best head costs. Then each output but the
// best has one parent that is not worse: it follows from it by taking the next head of the last word without its best
// one, or the second of the word after that one, there or instead. So the outputs form a tree that is searched best first.
void HeadChoiceProblem::kbest(State& s, std::size_t k, float cost, std::vector<Output>& ys, std::vector<double>& scores) const {
    const std::size_t n = views_.length(s.example);
    std::vector<std::vector<std::pair<float, std::int32_t>>> heads(n);
    for (std::size_t m = 1; m <= n; ++m) {
        const float* row = s.scores.data() + (m - 1) * (n + 1);
        const std::int32_t gold = head(s.example, m);
        for (std::int32_t h = 0; h <= static_cast<std::int32_t>(n); ++h)
            if (row[h] != kNoHead) heads[m - 1].emplace_back(row[h] + (gold >= 0 && gold != h ? cost : 0.0f), h);
        if (heads[m - 1].empty()) heads[m - 1].emplace_back(kNoHead, 0);
        std::stable_sort(heads[m - 1].begin(), heads[m - 1].end(), [](const auto& a, const auto& b) { return a.first > b.first; });
    }
    std::vector<std::size_t> words;  // those with a choice
    for (std::size_t m = 0; m < n; ++m)
        if (heads[m].size() > 1) words.push_back(m);
    const auto gap = [&](std::size_t m) { return heads[m][0].first - heads[m][1].first; };
    std::stable_sort(words.begin(), words.end(), [&](std::size_t a, std::size_t b) { return gap(a) < gap(b); });

    struct Choice {
        double score;
        std::size_t last;                // of `words`, the last that has not its best head
        std::vector<std::int32_t> rank;  // of each word's head
    };
    const auto worse = [](const Choice& a, const Choice& b) { return a.score < b.score; };
    std::priority_queue<Choice, std::vector<Choice>, decltype(worse)> open(worse);
    const auto add = [&](std::size_t last, std::vector<std::int32_t> rank) {
        double total = 0;
        for (std::size_t m = 0; m < n; ++m) total += heads[m][static_cast<std::size_t>(rank[m])].first;
        open.push({total, last, std::move(rank)});
    };
    ys.clear();
    scores.clear();
    add(0, std::vector<std::int32_t>(n, 0));
    while (ys.size() < k && !open.empty()) {
        Choice c = open.top();
        open.pop();
        scores.push_back(c.score);
        Output& y = ys.emplace_back(n);
        for (std::size_t m = 0; m < n; ++m) y[m] = heads[m][static_cast<std::size_t>(c.rank[m])].second;
        if (words.empty()) break;
        const std::size_t word = words[c.last];
        const bool best = c.rank[word] == 0;  // only if all are
        if (static_cast<std::size_t>(c.rank[word]) + 1 < heads[word].size()) {
            ++c.rank[word];
            add(c.last, c.rank);
            --c.rank[word];
        }
        if (best || c.last + 1 == words.size()) continue;
        c.rank[words[c.last + 1]] = 1;
        add(c.last + 1, c.rank);
        if (c.rank[word] > 1) continue;
        c.rank[word] = 0;
        add(c.last + 1, std::move(c.rank));
    }
}

double HeadChoiceProblem::gold(State& s, Output& y) const {
    best(s, 0, y);
    for (std::size_t m = 1; m <= y.size(); ++m)
        if (head(s.example, m) >= 0) y[m - 1] = head(s.example, m);
    return 0;
}

double HeadChoiceProblem::loss(std::size_t i, const Output& y) const {
    double wrong = 0;
    for (std::size_t m = 1; m <= y.size(); ++m) wrong += head(i, m) >= 0 && head(i, m) != y[m - 1];
    return wrong;
}

double HeadChoiceProblem::marginals(State& s, float* parts) const {
    const std::size_t n = views_.length(s.example);
    double log_z = 0;
    for (std::size_t m = 1; m <= n; ++m) {
        const float* row = s.scores.data() + (m - 1) * (n + 1);
        float* to = parts + (m - 1) * (n + 1);
        const float high = *std::max_element(row, row + n + 1);
        exp_shifted(row, high, n + 1, to);
        float sum = 0;
        for (std::size_t h = 0; h <= n; ++h) sum += to[h];
        for (std::size_t h = 0; h <= n; ++h) to[h] /= sum;
        log_z += high + std::log(sum);
    }
    return log_z;
}

double HeadChoiceProblem::gold_marginals(State& s, float* parts) const {
    const std::size_t n = views_.length(s.example);
    std::vector<float> all(n_parts(s.example));
    double score = 0;
    bool some = false;
    for (std::size_t m = 1; m <= n; ++m) some |= head(s.example, m) < 0;
    if (some) marginals(s, all.data());
    std::fill_n(parts, n_parts(s.example), 0.0f);
    for (std::size_t m = 1; m <= n; ++m) {
        const std::int32_t gold = head(s.example, m);
        const std::size_t row = (m - 1) * (n + 1);
        if (gold >= 0) {
            parts[row + static_cast<std::size_t>(gold)] = 1;
            score += s.scores[row + static_cast<std::size_t>(gold)];
            continue;
        }
        std::copy_n(all.data() + row, n + 1, parts + row);
        const float high = *std::max_element(s.scores.data() + row, s.scores.data() + row + n + 1);
        double sum = 0;
        for (std::size_t h = 0; h <= n; ++h) sum += std::exp(static_cast<double>(s.scores[row + h] - high));
        score += high + std::log(sum);
    }
    return score;
}

double HeadChoiceProblem::part_costs(std::size_t i, float* parts) const {
    const std::size_t n = views_.length(i);
    for (std::size_t m = 1; m <= n; ++m) {
        const std::int32_t gold = head(i, m);
        for (std::size_t h = 0; h <= n; ++h) *parts++ = gold >= 0 && static_cast<std::size_t>(gold) != h ? 1.0f : 0.0f;
    }
    return 0;
}

// The choices are independent, so the covariance of a head with the loss is that within its word.
double HeadChoiceProblem::risk(State& s, float* parts) const {
    const std::size_t n = views_.length(s.example);
    marginals(s, parts);
    double risk = 0;
    for (std::size_t m = 1; m <= n; ++m) {
        float* p = parts + (m - 1) * (n + 1);
        const std::int32_t gold = head(s.example, m);
        const double here = gold < 0 ? 0 : 1 - p[gold];
        for (std::size_t h = 0; h <= n; ++h) {
            const double loss = gold >= 0 && static_cast<std::size_t>(gold) != h ? 1 : 0;
            p[h] *= static_cast<float>(loss - here);
        }
        risk += here;
    }
    return risk;
}

void HeadChoiceProblem::pullback(std::size_t i, const float* parts, float step, float* g) const {
    static thread_local std::vector<float> kept;
    constexpr float kNothing = 1e-4f;
    kept.resize(n_parts(i));
    for (std::size_t k = 0; k < kept.size(); ++k) kept[k] = std::abs(parts[k]) > kNothing ? step * parts[k] : 0.0f;
    walk(i, kept.data(), [&](std::size_t part, std::size_t at) {
        if (!free_ || free_[at]) g[at] += kept[part];
    });
}

void HeadChoiceProblem::pullback_block(std::size_t begin, std::size_t end, const float* parts, int, float* g) const {
    for (std::size_t i = begin; i < end; ++i) {
        pullback(i, parts, 1.0f, g);
        parts += n_parts(i);
    }
}

Candidates head_candidates(const HeadChoiceProblem& p, const float* w, double threshold, std::size_t most, const std::int32_t* heads,
                           int n_jobs) {
    const TokenViews& views = p.views();
    constexpr std::size_t kPieces = 64;
    const std::size_t pieces = std::min(kPieces, p.size());
    std::vector<Candidates> found(pieces);
    std::vector<HeadChoiceProblem::State> states(std::max(1, n_jobs));
    const float margin = static_cast<float>(std::log(threshold));
    parallel(pieces, n_jobs, [&](std::size_t piece, std::size_t thread) {
        Candidates& to = found[piece];
        std::vector<std::int32_t> best;
        for (std::size_t i = p.size() * piece / pieces; i < p.size() * (piece + 1) / pieces; ++i) {
            HeadChoiceProblem::State& s = states[thread];
            p.score(s, i, w, 1.0f);
            const std::size_t n = views.length(i);
            for (std::size_t m = 1; m <= n; ++m) {
                const float* row = s.scores.data() + (m - 1) * (n + 1);
                const float least = *std::max_element(row, row + n + 1) + margin;
                best.clear();
                for (std::size_t h = 0; h <= n; ++h)
                    if (h != m && row[h] >= least) best.push_back(static_cast<std::int32_t>(h));
                if (best.size() > most) {
                    std::nth_element(best.begin(), best.begin() + static_cast<std::ptrdiff_t>(most), best.end(),
                                     [&](std::int32_t a, std::int32_t b) { return row[a] != row[b] ? row[a] > row[b] : a < b; });
                    best.resize(most);
                }
                if (heads) {
                    const std::int32_t known = heads[views.offsets[i] + static_cast<std::int64_t>(m) - 1];
                    if (known >= 0 && std::find(best.begin(), best.end(), known) == best.end()) best.push_back(known);
                }
                std::sort(best.begin(), best.end());
                to.heads.insert(to.heads.end(), best.begin(), best.end());
                to.rows.push_back(static_cast<std::int64_t>(to.heads.size()));
            }
        }
    });
    Candidates all;
    for (const Candidates& piece : found) {
        const std::int64_t before = static_cast<std::int64_t>(all.heads.size());
        for (std::size_t k = 1; k < piece.rows.size(); ++k) all.rows.push_back(before + piece.rows[k]);
        all.heads.insert(all.heads.end(), piece.heads.begin(), piece.heads.end());
    }
    return all;
}

void head_probabilities(const HeadChoiceProblem& p, const float* w, const std::int32_t* heads, int n_jobs, float* probabilities) {
    const TokenViews& views = p.views();
    std::vector<HeadChoiceProblem::State> states(std::max(1, n_jobs));
    std::vector<std::vector<float>> parts(states.size());
    parallel(p.size(), n_jobs, [&](std::size_t i, std::size_t thread) {
        const std::size_t n = views.length(i);
        p.score(states[thread], i, w, 1.0f);
        parts[thread].resize(p.n_parts(i));
        p.marginals(states[thread], parts[thread].data());
        for (std::size_t m = 0; m < n; ++m) {
            const std::size_t at = static_cast<std::size_t>(views.offsets[i]) + m;
            probabilities[at] = std::min(1.0f, parts[thread][m * (n + 1) + static_cast<std::size_t>(heads[at])]);
        }
    });
}

}  // namespace palmette

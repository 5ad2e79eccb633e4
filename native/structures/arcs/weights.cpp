// Between weights and parts: the scores of parts, and their transpose.
#include <algorithm>
#include <cmath>
#include <limits>

#include "base/parallel.hpp"
#include "base/rows.hpp"
#include "learning/hashed_pullback.hpp"
#include "base/lanes.hpp"
#include "structures/arcs/problem.hpp"

namespace palmette {
namespace {

// Sums of weights that lie far apart. They are asked for when their places are known and added some hundreds later, when
// they have come: a table does not fit the caches, and waiting for one weight after another took most of the time.
class Fetcher {
public:
    Fetcher(WeightTable w, float scale) : w_(w), scale_(scale) { places_.resize(kRoom); }
    ~Fetcher() { finish(); }

    // *to = scale · Σ of the weights that of(visit) names.
    template <class Of, class Place>
    void sum(float* to, Of&& of, Place&& place) {
        if (n_ + kMost > kRoom) finish();
        of([&](std::size_t, std::uint64_t key) {
            const std::uint32_t at = static_cast<std::uint32_t>(place(key));
            w_.fetch(at);
            places_[n_] = at;
            n_ += n_ + 1 < kRoom;
        });
        sums_.push_back({to, static_cast<std::uint32_t>(n_)});
    }
    void finish() {
        std::size_t at = 0;
        for (const auto& [to, end] : sums_) {
            *to = w_.sum(places_.data() + at, end - at) * scale_;
            at = end;
        }
        sums_.clear();
        n_ = 0;
    }

private:
    static constexpr std::size_t kRoom = 2048, kMost = 1024;  // no part has more features than that
    struct Sum {
        float* to;
        std::uint32_t end;
    };
    WeightTable w_;
    float scale_;
    std::vector<std::uint32_t> places_;
    std::vector<Sum> sums_;
    std::size_t n_ = 0;
};

}  // namespace

void ArcProblem::score(State& s, std::size_t i, WeightTable w, float scale) const {
    s.example = i;
    const Prepared& p = prepared(i);
    const ArcGraph& g = p.graph;
    const ArcFeatures& f = p.features;
    const std::size_t A = g.arcs();
    s.allowed.clear();
    s.label.assign(A * S_, 0.0f);
    s.arc.assign(A, 0.0f);
    s.grand.assign(d_.grandparents ? g.row_at.back() : 0, 0.0f);
    s.sibling.assign(d_.siblings ? g.column_at.back() : 0, 0.0f);
    s.both.assign(d_.siblings && d_.grandparents ? g.parts() : 0, 0.0f);
    s.last.assign(A, 0.0f);
    s.none.assign(2 * (g.n + 1), 0.0f);
    const float* rows = w.floats() ? w.floats() + rows_at() : nullptr;  // bytes only where there is one label
    Fetcher fetcher(w, scale);
    const auto total = [&](float& to, auto&& of) { fetcher.sum(&to, of, [this](std::uint64_t key) { return place(key); }); };
    std::int32_t ids[256];
    for (std::size_t a = 0; a < A; ++a) {
        const auto h = static_cast<std::size_t>(g.head[a]), m = static_cast<std::size_t>(g.mod[a]);
        std::int64_t count = 0;
        if (L_ > 1)
            f.label(h, m, [&](std::size_t, std::uint64_t key) {
                ids[count] = static_cast<std::int32_t>(key >> (64 - d_.label_bits));
                __builtin_prefetch(rows + static_cast<std::size_t>(ids[count]) * S_);
                if (count < 255) ++count;
            });
        total(s.arc[a], [&](auto&& visit) { f.arc(h, m, visit); });
        if (L_ > 1) rows::sum(rows, S_, ids, nullptr, count, count, s.label.data() + a * S_);
        if (scale != 1)
            for (std::size_t l = 0; l < S_; ++l) s.label[a * S_ + l] *= scale;
        const std::size_t slots = g.slots(a), columns = g.columns(a);
        if (d_.grandparents && h)
            for (std::size_t k = 0; k < slots; ++k)
                total(s.grand[g.row_at[a] + k], [&](auto&& visit) { f.grand(static_cast<std::size_t>(g.grandparent(a, k)), h, m, visit); });
        if (!d_.siblings) continue;
        for (std::size_t j = 0; j < columns; ++j) {
            const auto sib = j ? static_cast<std::size_t>(g.mod[g.sibling(a, j)]) : 0;
            total(s.sibling[g.column_at[a] + j], [&](auto&& visit) { f.sibling(h, m, sib, visit); });
            if (d_.grandparents && h)
                for (std::size_t k = 0; k < slots; ++k)
                    total(s.both[g.part_at[a] + k * columns + j],
                          [&](auto&& visit) { f.grand_sibling(static_cast<std::size_t>(g.grandparent(a, k)), h, m, sib, visit); });
        }
        total(s.last[a], [&](auto&& visit) { f.last(h, m, h < m, visit); });
    }
    if (!d_.siblings) return;
    for (std::size_t h = 0; h <= g.n; ++h) {
        if (h) total(s.none[2 * h], [&](auto&& visit) { f.last(h, h, false, visit); });
        total(s.none[2 * h + 1], [&](auto&& visit) { f.last(h, h, true, visit); });
    }
}

void ArcProblem::part_scores(std::size_t i, const float* w, float* parts) const {
    std::fill_n(parts, n_parts(i), 0.0f);
    walk(prepared(i), [&](std::size_t part, std::size_t at, std::size_t count) {
        for (std::size_t k = 0; k < count; ++k) parts[part + k] += w[at + k];
    });
}

void ArcProblem::set_scores(State& s, std::size_t i, const float* parts) const {
    s.example = i;
    const ArcGraph& g = prepared(i).graph;
    const Layout at = layout(g);
    s.allowed.clear();
    s.label.assign(parts + at.label, parts + at.arc);
    s.arc.assign(parts + at.arc, parts + at.grand);
    s.grand.assign(parts + at.grand, parts + at.sibling);
    s.sibling.assign(parts + at.sibling, parts + at.both);
    s.both.assign(parts + at.both, parts + at.last);
    s.last.assign(g.arcs(), 0.0f);
    s.none.assign(2 * (g.n + 1), 0.0f);
    if (d_.siblings) {
        s.last.assign(parts + at.last, parts + at.none);
        s.none.assign(parts + at.none, parts + at.end);
    }
}

void ArcProblem::list_changes(std::size_t i, const float* parts, float step, WeightChanges& changes) const {
    changes.start(n_weights(), parts, n_parts(i), step);
    const float* kept = changes.kept().data();
    walk(
        prepared(i),
        [&](std::size_t part, std::size_t at, std::size_t count) {
            if (at < rows_at())
                changes.add(at, kept[part]);
            else
                changes.add_row(at, part, count);
        },
        kept);
}

void ArcProblem::pullback(std::size_t i, const float* parts, float step, float* to) const {
    static thread_local std::vector<float> kept;
    scaled_parts(parts, n_parts(i), step, kept);
    LateChanges changes(to);
    walk(
        prepared(i),
        [&](std::size_t part, std::size_t at, std::size_t count) {
            if (at < rows_at()) {
                if (!free_ || free_[at]) changes.add(at, kept[part]);
                return;
            }
            for (std::size_t k = 0; k < count; ++k)
                if (!free_ || free_[at + k]) to[at + k] += kept[part + k];
        },
        kept.data());
}

void ArcProblem::pullback_block(std::size_t begin, std::size_t end, const float* parts, int n_jobs, float* to) const {
    pullback_in_blocks(*this, begin, end, parts, n_jobs, to);
}

std::vector<float> arc_scores(const TokenViews& views, std::size_t i, WeightTable w, std::size_t n_labels, unsigned bits, unsigned label_bits) {
    ArcFeatures f;
    f.set(views, i);
    const std::size_t n = views.length(i), S = padded(n_labels);
    const float* rows = w.floats() ? w.floats() + (std::size_t{1} << bits) : nullptr;
    std::vector<float> scores((n + 1) * (n + 1), -std::numeric_limits<float>::infinity()), label(S);
    for (std::size_t m = 1; m <= n; ++m)
        for (std::size_t h = 0; h <= n; ++h) {
            if (h == m) continue;
            float sum = 0;
            f.arc(h, m, [&](std::size_t, std::uint64_t key) { sum += w[key >> (64 - bits)]; });
            std::fill(label.begin(), label.end(), 0.0f);
            if (n_labels > 1) f.label(h, m, [&](std::size_t, std::uint64_t key) {
                for (std::size_t l = 0; l < n_labels; ++l) label[l] += rows[(key >> (64 - label_bits)) * S + l];
            });
            scores[h * (n + 1) + m] = sum + *std::max_element(label.begin(), label.begin() + static_cast<std::ptrdiff_t>(n_labels));
        }
    return scores;
}

}  // namespace palmette

#include "structures/arborescence/dual_decomposition.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "structures/arborescence/spanning_tree.hpp"

namespace palmette {
namespace {

constexpr double kNone = -std::numeric_limits<double>::infinity();

// The best dependents of every head by itself.
class HeadChains {
public:
    HeadChains(const double* siblings, std::size_t n, bool single_root)
        : siblings_(siblings), width_(n + 1), single_(single_root), best_(width_), value_(width_), chosen_(width_) {}

    // weights: [m], of the arcs from h.
    void solve(std::size_t h, const double* weights) {
        std::vector<std::int32_t>& chosen = chosen_[h];
        chosen.clear();
        value_[h] = 0;
        best_[h] = 0;
        if (h == 0 && single_) {
            value_[h] = kNone;
            for (std::size_t m = 1; m < width_; ++m)
                if (const double value = weights[m] + sibling(0, m)[0]; value > value_[h]) {
                    value_[h] = value;
                    chosen.assign(1, static_cast<std::int32_t>(m));
                }
            return;
        }
        // best(m) = weight(m) + max over p between h and m of best(p) + sib(h, m, p), with best(h) = 0
        std::size_t last = h;
        for (std::size_t m = h + 1; m < width_; ++m) {
            best_[m] = weights[m] > kNone ? weights[m] + highest(sibling(h, m), h, m) : kNone;
            if (best_[m] > best_[last]) last = m;
        }
        value_[h] += best_[last];
        while (last != h) {
            chosen.push_back(static_cast<std::int32_t>(last));
            last = argmax(sibling(h, last), h, last);
        }
        last = h;
        for (std::size_t m = h; m-- > 1;) {
            best_[m] = weights[m] > kNone ? weights[m] + highest(sibling(h, m), m + 1, h + 1) : kNone;
            if (best_[m] > best_[last]) last = m;
        }
        value_[h] += best_[last];
        while (last != h) {
            chosen.push_back(static_cast<std::int32_t>(last));
            last = argmax(sibling(h, last), last + 1, h + 1);
        }
    }
    double value() const {
        double sum = 0;
        for (double one : value_) sum += one;
        return sum;
    }
    const std::vector<std::int32_t>& chosen(std::size_t h) const { return chosen_[h]; }

private:
    const double* sibling(std::size_t h, std::size_t m) const { return siblings_ + (h * width_ + m) * width_; }
    double highest(const double* row, std::size_t from, std::size_t to) const {
        const double* best = best_.data();
        double most = kNone;
#pragma omp simd reduction(max : most)
        for (std::size_t p = from; p < to; ++p) most = most < best[p] + row[p] ? best[p] + row[p] : most;
        return most;
    }
    std::size_t argmax(const double* row, std::size_t from, std::size_t to) const {
        std::size_t at = from;
        for (std::size_t p = from + 1; p < to; ++p)
            if (best_[p] + row[p] > best_[at] + row[at]) at = p;
        return at;
    }

    const double* siblings_;
    std::size_t width_;
    bool single_;
    std::vector<double> best_, value_;
    std::vector<std::vector<std::int32_t>> chosen_;
};

}  // namespace

double sibling_score(const double* scores, const double* siblings, std::size_t n, const std::int32_t* heads) {
    const std::size_t width = n + 1;
    std::vector<std::size_t> last(width);  // of each head on the side at work
    double sum = 0;
    const auto add = [&](std::size_t h, std::size_t m) {
        sum += scores[h * width + m] + siblings[(h * width + m) * width + last[h]];
        last[h] = m;
    };
    for (std::size_t h = 0; h < width; ++h) last[h] = h;
    for (std::size_t m = 1; m < width; ++m)
        if (const auto h = static_cast<std::size_t>(heads[m - 1]); h < m) add(h, m);
    for (std::size_t h = 0; h < width; ++h) last[h] = h;
    for (std::size_t m = n; m > 0; --m)
        if (const auto h = static_cast<std::size_t>(heads[m - 1]); h > m) add(h, m);
    return sum;
}

CertifiedTree dual_decomposition(const double* scores, const double* siblings, std::size_t n, bool single_root,
                                 std::size_t max_iter) {
    CertifiedTree found;
    found.score = kNone;
    if (n == 0) return {{}, 0.0, 0.0, true, 0};
    const std::size_t width = n + 1;
    std::vector<double> tree_scores(width * width), chain_scores(width * width);
    double scale = 0;
    for (std::size_t a = 0; a < width * width; ++a) {
        const bool counts = a % width != 0 && a % width != a / width;
        tree_scores[a] = chain_scores[a] = counts ? scores[a] / 2 : kNone;
        if (counts && std::isfinite(scores[a])) scale = std::max(scale, std::abs(scores[a]));
    }
    HeadChains chains(siblings, n, single_root);
    std::vector<std::int32_t> heads(n);
    std::vector<std::uint8_t> is_changed(width, 1), is_chosen(width);
    double least_bound = std::numeric_limits<double>::infinity(), share = 1.0;
    std::size_t waited = 0;
    for (std::size_t t = 1; t <= max_iter; ++t) {
        found.iterations = t;
        const double tree = best_spanning(tree_scores.data(), n, single_root, heads.data());
        if (tree == kNone) return found;
        for (std::size_t h = 0; h < width; ++h)
            if (is_changed[h]) chains.solve(h, chain_scores.data() + h * width);
        const double bound = tree + chains.value();
        if (bound == kNone) return found;  // no head of the root has a score
        if (bound < least_bound) {
            least_bound = bound;
            waited = 0;
        } else if (++waited == 10) {  // steps that no longer lead down are too long
            share /= 2;
            waited = 0;
        }
        const double score = sibling_score(scores, siblings, n, heads.data());
        if (score > found.score || found.heads.empty()) {
            if (score > kNone) found.heads = heads;
            found.score = score;
        }
        std::size_t apart = 0;
        for (std::size_t h = 0; h < width; ++h) {
            is_changed[h] = 0;
            std::fill(is_chosen.begin(), is_chosen.end(), 0);
            for (std::int32_t m : chains.chosen(h)) is_chosen[m] = 1;
            for (std::size_t m = 1; m < width; ++m)
                if ((heads[m - 1] == static_cast<std::int32_t>(h)) != (is_chosen[m] != 0)) {
                    ++apart;
                    is_changed[h] = 1;
                }
        }
        const double slack = 1e-9 * std::max({1.0, std::abs(least_bound), scale});
        if (apart == 0 || least_bound - found.score <= slack) {
            found.is_best = true;
            break;
        }
        // Polyak's step towards the best score known, which is where the bound would be without a gap.
        const double gap = found.score > kNone ? bound - found.score : std::max(scale, 1.0);
        const double step = share * gap / static_cast<double>(apart);
        for (std::size_t h = 0; h < width; ++h) {
            if (!is_changed[h]) continue;
            std::fill(is_chosen.begin(), is_chosen.end(), 0);
            for (std::int32_t m : chains.chosen(h)) is_chosen[m] = 1;
            for (std::size_t m = 1; m < width; ++m) {
                const int difference = (heads[m - 1] == static_cast<std::int32_t>(h)) - (is_chosen[m] != 0);
                tree_scores[h * width + m] -= step * difference;
                chain_scores[h * width + m] += step * difference;
            }
        }
    }
    found.bound = found.is_best ? found.score : least_bound;
    return found;
}

}  // namespace palmette

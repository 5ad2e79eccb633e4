#include "features/kernels/support_forest.hpp"

#include <algorithm>
#include <mutex>

#include "base/parallel.hpp"

namespace palmette {

namespace {

constexpr std::size_t kCandidates = 64;  // scored together, since neighbours in a list share most of their subtrees

double dot(const double* a, const double* b, std::size_t n) {
    double sums[8] = {};
    std::size_t i = 0;
    for (; i + 8 <= n; i += 8)
        for (std::size_t lane = 0; lane < 8; ++lane) sums[lane] += a[i + lane] * b[i + lane];
    for (; i < n; ++i) sums[0] += a[i] * b[i];
    return ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
}

}  // namespace

void SupportForest::add(const TreeSet& trees, std::size_t tree, double alpha) {
    const std::unique_lock lock(guard_);
    std::vector<std::uint32_t> below, found;
    const std::span<const std::uint32_t> bag = trees.bag(tree), counts = trees.counts(tree);
    const auto place = [&](std::uint32_t s) {
        return static_cast<std::size_t>(std::lower_bound(bag.begin(), bag.end(), s) - bag.begin());
    };
    for (std::size_t i = 0; i < bag.size(); ++i) {
        below.clear();
        for (std::uint32_t child : trees.children(trees.subtree(bag[i])))
            below.push_back(child == KeyMap::kNone ? child : found[place(child)]);
        const std::size_t before = trees_.n_subtrees();
        const std::uint32_t s = trees_.add_subtree(trees, bag[i], below);
        found.push_back(s);
        const std::uint32_t c = trees_.subtree(s).class_id;
        if (trees_.n_subtrees() > before) {
            index_.add(trees_, s, ranks_);
            if (alpha_.size() <= c) alpha_.resize(c + 1);
            alpha_[c].push_back(0.0);
        }
        alpha_[c][ranks_[s]] += alpha * counts[i];
    }
}

void SupportForest::score(const TreeSet& trees, int n_jobs, double* out) const {
    const std::shared_lock lock(guard_);
    const std::vector<std::uint32_t> classes = trees_.classes_of(trees);
    std::vector<MatchRoom> rooms(static_cast<std::size_t>(std::max(n_jobs, 1)));
    std::vector<std::vector<double>> values(rooms.size());
    parallel((trees.size() + kCandidates - 1) / kCandidates, n_jobs, [&](std::size_t piece, std::size_t thread) {
        const std::size_t begin = piece * kCandidates, end = std::min(trees.size(), begin + kCandidates);
        std::vector<std::uint32_t> found;
        for (std::size_t t = begin; t < end; ++t) found.insert(found.end(), trees.bag(t).begin(), trees.bag(t).end());
        std::sort(found.begin(), found.end());
        found.erase(std::unique(found.begin(), found.end()), found.end());
        std::vector<double>& value = values[thread];  // Σ_i α_i Σ_b Δ(a, b) of every subtree a
        value.resize(trees.n_subtrees());
        for (std::uint32_t s : found) value[s] = 0;
        TreeMatcher matcher(trees, index_, classes, decay_, rooms[thread]);
        matcher.match(found, [&](std::uint32_t s, std::uint32_t c, std::span<const double> delta) {
            value[s] = dot(alpha_[c].data(), delta.data(), delta.size());
        });
        for (std::size_t t = begin; t < end; ++t) {
            double sum = 0;
            for (std::size_t i = 0; i < trees.bag(t).size(); ++i) sum += trees.counts(t)[i] * value[trees.bag(t)[i]];
            out[t] = sum;
        }
    });
}

}  // namespace palmette

#include "features/kernels/trees.hpp"

#include <algorithm>
#include <memory>
#include <mutex>

#include "base/mirror.hpp"
#include "base/parallel.hpp"

namespace palmette {

namespace {

constexpr std::size_t kBlock = 512;          // trees that a row meets at once: their Δ stay in the cache
constexpr std::size_t kTreeRows = 32;        // rows of a piece of work
constexpr std::size_t kMostKept = 1 << 14;   // trees of which an index is kept
constexpr std::size_t kFewRows = 4;          // for which an index does not pay
constexpr std::size_t kLargestTable = 1 << 22;

}  // namespace

// A stretch of trees, indexed, and each of them as the places of its subtrees among all of the stretch.
struct TreeBlock {
    TreeBlock(const TreeSet& trees, std::size_t begin, std::size_t end) : first(begin), last(end), index(trees.kind()) {
        std::vector<std::uint32_t> found;
        for (std::size_t t = begin; t < end; ++t) found.insert(found.end(), trees.bag(t).begin(), trees.bag(t).end());
        std::sort(found.begin(), found.end());
        found.erase(std::unique(found.begin(), found.end()), found.end());
        std::vector<std::uint32_t> ranks(trees.n_subtrees());
        for (std::uint32_t s : found) index.add(trees, s, ranks);
        base.assign(trees.n_classes() + 1, 0);
        for (std::uint32_t c = 0; c < trees.n_classes(); ++c) base[c + 1] = base[c] + index.n_members(c);
        for (std::size_t t = begin; t < end; ++t) {
            for (std::size_t i = 0; i < trees.bag(t).size(); ++i) {
                const std::uint32_t s = trees.bag(t)[i];
                places.insert(places.end(), trees.counts(t)[i], base[trees.subtree(s).class_id] + ranks[s]);
            }
            ends.push_back(places.size());
        }
    }

    std::size_t first, last;
    SubtreeIndex index;
    std::vector<std::uint32_t> base, places;
    std::vector<std::size_t> ends;
};

// Blocks are made when trees have been columns of a few rows, and kept for the next.
struct TreeColumns {
    std::mutex guard;
    std::size_t rows = 0;
    std::vector<std::unique_ptr<const TreeBlock>> blocks;
};

TreeSet::TreeSet(Fragments kind, bool words) : kind_(kind), words_(words), columns_(std::make_shared<TreeColumns>()) {}

namespace {

double gather(const double* values, const std::uint32_t* places, std::size_t n) {
    double sums[4] = {0, 0, 0, 0};
    std::size_t i = 0;
    for (; i + 4 <= n; i += 4)
        for (std::size_t lane = 0; lane < 4; ++lane) sums[lane] += values[places[i + lane]];
    for (; i < n; ++i) sums[0] += values[places[i]];
    return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

// Row `tree` of the matrix, at the columns of a block from `from` on.
class RowWriter {
public:
    RowWriter(const TreeSet& rows, std::span<const std::uint32_t> classes, const TreeBlock& block, Decay decay,
              MatchRoom& room)
        : rows_(rows), block_(block), matcher_(rows, block.index, classes, decay, room), total_(block.base.back()) {}

    void operator()(std::size_t tree, std::size_t from, double* out) {
        std::fill(total_.begin(), total_.end(), 0.0);
        const std::span<const std::uint32_t> bag = rows_.bag(tree), counts = rows_.counts(tree);
        std::size_t i = 0;
        matcher_.match(bag, [&](std::uint32_t s, std::uint32_t c, std::span<const double> delta) {
            while (bag[i] != s) ++i;
            const double count = counts[i];
            double* total = total_.data() + block_.base[c];
            for (std::size_t r = 0; r < delta.size(); ++r) total[r] += count * delta[r];
        });
        for (std::size_t t = from; t < block_.last; ++t) {
            const std::size_t k = t - block_.first, begin = k ? block_.ends[k - 1] : 0;
            out[t] = gather(total_.data(), block_.places.data() + begin, block_.ends[k] - begin);
        }
    }

private:
    const TreeSet& rows_;
    const TreeBlock& block_;
    TreeMatcher matcher_;
    std::vector<double> total_;  // Σ over the nodes of the row's tree of Δ with each subtree of the block
};

std::vector<std::unique_ptr<const TreeBlock>> blocks_of(const TreeSet& trees, std::size_t begin, std::size_t end, int n_jobs) {
    std::vector<std::unique_ptr<const TreeBlock>> made((end - begin + kBlock - 1) / kBlock);
    parallel(made.size(), n_jobs, [&](std::size_t k, std::size_t) {
        const std::size_t first = begin + k * kBlock;
        made[k] = std::make_unique<const TreeBlock>(trees, first, std::min(end, first + kBlock));
    });
    return made;
}

void pair_by_pair(const TreeSet& a, const TreeSet& b, Decay decay, int n_jobs, double* out) {
    parallel((b.size() + kBlock - 1) / kBlock, n_jobs, [&](std::size_t piece, std::size_t) {
        TreePairs pair(a, b, decay);
        for (std::size_t i = 0; i < a.size(); ++i)
            for (std::size_t j = piece * kBlock; j < std::min(b.size(), (piece + 1) * kBlock); ++j)
                out[i * b.size() + j] = pair(i, j);
    });
}

}  // namespace

void tree_gram(const TreeSet& a, const TreeSet& b, Decay decay, int n_jobs, double* out) {
    const bool same = &a == &b;
    if (!a.size() || !b.size()) return;
    std::vector<std::unique_ptr<const TreeBlock>> own;
    const std::vector<std::unique_ptr<const TreeBlock>>* blocks = &own;
    if (!same && b.size() <= kMostKept) {
        TreeColumns& columns = b.columns();
        const std::lock_guard lock(columns.guard);
        columns.rows += a.size();
        if (columns.blocks.empty() && columns.rows > kFewRows) columns.blocks = blocks_of(b, 0, b.size(), n_jobs);
        blocks = &columns.blocks;
        if (blocks->empty()) return pair_by_pair(a, b, decay, n_jobs, out);
    }
    const std::vector<std::uint32_t> classes = b.classes_of(a);
    std::vector<MatchRoom> rooms(static_cast<std::size_t>(std::max(n_jobs, 1)));
    for (std::size_t done = 0; done < b.size();) {
        if (blocks == &own) own = blocks_of(b, done, std::min(b.size(), done + kMostKept), n_jobs);
        struct Piece {
            const TreeBlock* block;
            std::size_t first, last;
        };
        std::vector<Piece> pieces;
        for (const auto& block : *blocks) {
            const std::size_t rows = same ? block->last : a.size();
            for (std::size_t i = 0; i < rows; i += kTreeRows) pieces.push_back({block.get(), i, std::min(rows, i + kTreeRows)});
        }
        parallel(pieces.size(), n_jobs, [&](std::size_t p, std::size_t thread) {
            const auto [block, first, last] = pieces[p];
            RowWriter write(a, classes, *block, decay, rooms[thread]);
            for (std::size_t i = first; i < last; ++i)
                write(i, same ? std::max(i, block->first) : block->first, out + i * b.size());
        });
        done = blocks->back()->last;
    }
    if (same) mirror(out, a.size(), n_jobs);
}

void tree_diagonal(const TreeSet& trees, Decay decay, int n_jobs, double* out) {
    parallel((trees.size() + kTreeRows - 1) / kTreeRows, n_jobs, [&](std::size_t piece, std::size_t) {
        TreePairs pair(trees, trees, decay);
        for (std::size_t t = piece * kTreeRows; t < std::min(trees.size(), (piece + 1) * kTreeRows); ++t) out[t] = pair(t, t);
    });
}

double TreePairs::operator()(std::size_t tree_a, std::size_t tree_b) {
    bag_a_ = a_.bag(tree_a), bag_b_ = b_.bag(tree_b);
    const std::size_t n = bag_a_.size(), width = bag_b_.size();
    if (width && n > kLargestTable / width) return by_index(tree_a, tree_b);
    if (delta_.size() < n * width) delta_.resize(n * width);
    place_a_.resize(a_.n_subtrees());
    place_b_.resize(b_.n_subtrees());
    for (std::uint32_t i = 0; i < n; ++i) place_a_[bag_a_[i]] = i;
    for (std::uint32_t j = 0; j < width; ++j) place_b_[bag_b_[j]] = j;

    runs_.assign(n, {});
    const std::span<const std::uint32_t> order_a = a_.by_key(tree_a), order_b = b_.by_key(tree_b);
    const auto key_a = [&](std::size_t i) { return a_.key(a_.subtree(bag_a_[order_a[i]]).class_id); };
    const auto key_b = [&](std::size_t j) { return b_.key(b_.subtree(bag_b_[order_b[j]]).class_id); };
    for (std::uint32_t i = 0, j = 0; i < n && j < width;) {
        const std::uint64_t key = key_a(i), other = key_b(j);
        if (key < other) {
            ++i;
        } else if (other < key) {
            ++j;
        } else {
            const std::uint32_t begin = j;
            while (j < width && key_b(j) == key) ++j;
            for (; i < n && key_a(i) == key; ++i) runs_[order_a[i]] = {begin, j};
        }
    }
    // Numbers of subtrees grow from the children up, so a Δ is there when its parents ask for it.
    double sum = 0;
    const std::span<const std::uint32_t> counts_a = a_.counts(tree_a), counts_b = b_.counts(tree_b);
    for (std::uint32_t i = 0; i < n; ++i)
        for (std::uint32_t at = runs_[i].begin; at < runs_[i].end; ++at) {
            const std::uint32_t j = order_b[at];
            const double d = delta_[i * width + j] = delta(i, j, width);
            sum += d * counts_a[i] * counts_b[j];
        }
    return sum;
}

double TreePairs::delta(std::uint32_t i, std::uint32_t j, std::size_t width) {
    const TreeSet::Subtree &s = a_.subtree(bag_a_[i]), &t = b_.subtree(bag_b_[j]);
    const std::span<const std::uint32_t> below = a_.children(s), others = b_.children(t);
    const auto of_children = [&](std::size_t k, std::size_t l) {
        const std::uint32_t child = below[k], other = others[l];
        if (child == KeyMap::kNone || other == KeyMap::kNone) return 0.0;
        if (a_.key(a_.subtree(child).class_id) != b_.key(b_.subtree(other).class_id)) return 0.0;
        return delta_[place_a_[child] * width + place_b_[other]];
    };
    switch (a_.kind()) {
        case Fragments::complete:
            return std::pow(decay_.lambda, s.size);
        case Fragments::partial:
            return decay_.mu * (decay_.lambda * decay_.lambda +
                                common_subsequences(below.size(), others.size(), decay_.lambda, row_, of_children));
        default:
            double product = decay_.lambda;
            for (std::size_t k = 0; k < std::min(below.size(), others.size()); ++k) product *= 1 + of_children(k, k);
            return product;
    }
}

double TreePairs::by_index(std::size_t tree_a, std::size_t tree_b) const {
    const TreeBlock block(b_, tree_b, tree_b + 1);
    const std::vector<std::uint32_t> classes = b_.classes_of(a_);
    std::vector<double> row(tree_b + 1);
    MatchRoom room;
    RowWriter(a_, classes, block, decay_, room)(tree_a, tree_b, row.data());
    return row[tree_b];
}

}  // namespace palmette

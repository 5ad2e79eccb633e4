#include "features/kernels/tree_embedding.hpp"

#include <algorithm>
#include <cmath>

#include "base/parallel.hpp"

namespace palmette {

namespace {

// A vector of signs times a scale, made of the bits of hashes.
void write_signs(std::uint64_t key, double scale, std::size_t n, double* out) {
    const double signs[2] = {scale, -scale};
    for (std::size_t k = 0; k < n; k += 64) {
        std::uint64_t bits = mix_bits(combine(key, k + 1));
        for (std::size_t i = k; i < std::min(n, k + 64); ++i, bits >>= 1) out[i] = signs[bits & 1];
    }
}

class Embedding {
public:
    Embedding(const TreeSet& trees, double lambda, std::uint64_t seed, std::size_t n)
        : trees_(trees), lambda_(lambda), seed_(seed), n_(n), slot_(trees.n_subtrees()), uses_(trees.n_subtrees()) {}

    void operator()(std::size_t tree, double* out) {
        const std::span<const std::uint32_t> bag = trees_.bag(tree);
        std::fill_n(out, n_, 0.0);
        for (std::uint32_t s : bag) uses_[s] = 0;
        for (std::uint32_t s : bag)
            for (std::uint32_t child : children(s))
                if (child != KeyMap::kNone) ++uses_[child];
        for (std::size_t i = 0; i < bag.size(); ++i) {
            const std::uint32_t s = bag[i];
            slot_[s] = take_slot();
            write(s, pool_[slot_[s]].data());
            const double* vector = pool_[slot_[s]].data();
            const double count = trees_.counts(tree)[i] / std::sqrt(static_cast<double>(n_));
            for (std::size_t k = 0; k < n_; ++k) out[k] += count * vector[k];
            if (uses_[s] == 0) free_.push_back(slot_[s]);
            for (std::uint32_t child : children(s))
                if (child != KeyMap::kNone && --uses_[child] == 0) free_.push_back(slot_[child]);
        }
    }

private:
    std::span<const std::uint32_t> children(std::uint32_t s) const { return trees_.children(trees_.subtree(s)); }

    void write(std::uint32_t s, double* out) {
        const TreeSet::Subtree& subtree = trees_.subtree(s);
        const std::uint64_t key = combine(seed_, trees_.key(subtree.class_id));
        const double size = trees_.kind() == Fragments::complete ? subtree.size : 1;
        write_signs(key, std::pow(lambda_, 0.5 * size), n_, out);
        for (std::size_t j = 0; j < subtree.n_children; ++j) {
            const std::uint32_t child = children(s)[j];
            if (child == KeyMap::kNone) continue;
            const double* below = pool_[slot_[child]].data();
            const std::size_t shift = mix_bits(combine(~key, j)) % n_;
            for (std::size_t k = 0; k < n_ - shift; ++k) out[k] *= 1 + below[k + shift];
            for (std::size_t k = n_ - shift; k < n_; ++k) out[k] *= 1 + below[k + shift - n_];
        }
    }

    std::uint32_t take_slot() {
        if (free_.empty()) {
            pool_.emplace_back(n_);
            return static_cast<std::uint32_t>(pool_.size() - 1);
        }
        const std::uint32_t slot = free_.back();
        free_.pop_back();
        return slot;
    }

    const TreeSet& trees_;
    double lambda_;
    std::uint64_t seed_;
    std::size_t n_;
    std::vector<std::uint32_t> slot_, uses_, free_;
    std::vector<std::vector<double>> pool_;  // a vector stays until the last parent has seen it
};

}  // namespace

void embed_trees(const TreeSet& trees, double lambda, std::uint64_t seed, int n_jobs, std::size_t n, double* out) {
    constexpr std::size_t rows = 16;
    parallel((trees.size() + rows - 1) / rows, n_jobs, [&](std::size_t piece, std::size_t) {
        Embedding embed(trees, lambda, mix_bits(seed + kOdd), n);
        for (std::size_t t = piece * rows; t < std::min(trees.size(), (piece + 1) * rows); ++t) embed(t, out + t * n);
    });
}

}  // namespace palmette

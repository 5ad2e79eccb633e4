// Contraction of cycles on a dense matrix of arcs: the loop that the best spanning tree and the next best share.
//
// A path grows backwards from a word by best arcs. Where it closes a cycle, the cycle's members become one component:
//     in(C, u) = max_{v in C} in(v, u) − best(v)
// and the path goes on from there; where it meets the root or an older path, it is done. There are at most n − 1
// contractions, which read at most 2n rows of n numbers: O(n²), all in the order of memory.
//
// One root word, exactly: count a root arc as worse than any sum of other arcs, that is, let scores be pairs (minus
// the number of root arcs, score) in lexicographic order, for which the algorithm is as good as for numbers. The first
// half of the pairs needs no place: a component takes a root arc only if no other arc enters it, and such a component
// is never contracted again. The best tree has one root word if any tree has; else it has more, and that is seen.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace palmette {

class Contraction {
public:
    static constexpr double kNone = -std::numeric_limits<double>::infinity();

    template <class Real>
    void load(const Real* scores, std::size_t n) {
        width_ = n + 1;
        stride_ = (width_ + 7) / 8 * 8;
        in_.resize(width_ * stride_);
        target_.resize(width_ * stride_);
        // Tiles of eight rows, so that both matrices are read and written by whole lines.
        for (std::size_t m0 = 0; m0 < width_; m0 += 8)
            for (std::size_t h = 0; h < width_; ++h)
                for (std::size_t m = m0, end = std::min(m0 + 8, width_); m < end; ++m)
                    in_[m * stride_ + h] = scores[h * width_ + m];
        for (std::size_t m = 1; m < width_; ++m) {
            in_[m * stride_ + m] = kNone;
            std::fill(in_.begin() + m * stride_ + width_, in_.begin() + (m + 1) * stride_, kNone);
            std::fill_n(target_.begin() + m * stride_, stride_, static_cast<std::int32_t>(m));
        }
    }
    // Keeps only one arc into a word, or takes one away.
    void require(std::size_t h, std::size_t m) {
        const double kept = in_[m * stride_ + h];
        std::fill_n(in_.begin() + m * stride_, stride_, kNone);
        in_[m * stride_ + h] = kept;
    }
    void forbid(std::size_t h, std::size_t m) { in_[m * stride_ + h] = kNone; }

    // Calls prefer(node, source, value), which may name another source, and then visit(node, source, value) for every
    // arc chosen, single words first. False where a component has no arc into it, or a second one only a root arc.
    template <class Prefer, class Visit>
    bool run(bool single_root, const Prefer& prefer, const Visit& visit) {
        start();
        bool rooted = false;
        for (std::size_t first = 1; first < width_; ++first) {
            std::int32_t node = component_[first];
            if (state_[node] == kDone) continue;
            path_.clear();
            while (true) {
                state_[node] = kOnPath;
                path_.push_back(node);
                const double* in = row(node);
                std::size_t source = highest(in, single_root);
                source = prefer(node, source, in[source]);
                if (in[source] == kNone) return false;
                if (single_root && source == 0) {
                    if (rooted) return false;
                    rooted = true;
                }
                enter_source_[node] = static_cast<std::int32_t>(source);
                enter_target_[node] = target_[row_of_[node] * stride_ + source];
                value_[node] = in[source];
                visit(node, source, in[source]);
                const std::int32_t next = component_[source];
                if (state_[next] == kDone) break;
                node = state_[next] == kOnPath ? contract(next) : next;
            }
            for (std::int32_t on_path : path_) state_[on_path] = kDone;
        }
        return true;
    }

    // The tree: at every component the arc that was chosen for it, from the outermost in.
    void expand(std::int32_t* heads) {
        for (std::int32_t node = next_; node-- > 1;) {
            if (!is_open_[node]) continue;
            const std::int32_t m = enter_target_[node];
            heads[m - 1] = enter_source_[node];
            for (std::int32_t inner = m; inner != node; inner = parent_[inner]) is_open_[inner] = 0;
        }
    }

    const double* row(std::int32_t node) const { return in_.data() + row_of_[node] * stride_; }
    std::int32_t target(std::int32_t node, std::size_t source) const {
        return target_[row_of_[node] * stride_ + source];
    }
    std::size_t width() const { return width_; }
    std::size_t bytes() const { return in_.capacity() * 12; }
    // The words of a component: the first, and each one's next, 0 after the last.
    std::int32_t first_word(std::int32_t node) const { return first_[node]; }
    std::int32_t next_word(std::int32_t word) const { return after_[word]; }
    // What has been taken from the arcs into a word by all contractions around it.
    double taken(std::int32_t word) const { return taken_[word]; }

private:
    enum State : std::uint8_t { kNew, kOnPath, kDone };

    void start() {
        const std::size_t nodes = 2 * width_;
        component_.resize(width_);
        row_of_.resize(nodes);
        first_.resize(nodes);
        last_.resize(nodes);
        after_.assign(width_, 0);
        taken_.assign(width_, 0.0);
        parent_.assign(nodes, -1);
        enter_source_.resize(nodes);
        enter_target_.resize(nodes);
        value_.resize(nodes);
        state_.assign(nodes, kNew);
        is_open_.assign(nodes, 1);
        for (std::size_t v = 0; v < width_; ++v) {
            component_[v] = first_[v] = last_[v] = static_cast<std::int32_t>(v);
            row_of_[v] = v;
        }
        state_[0] = kDone;
        next_ = static_cast<std::int32_t>(width_);
    }

    std::size_t highest(const double* in, bool single_root) const {
        // Two passes, each of them vectorised: how high, then where.
        const double root = in[0];
        double most = single_root ? kNone : root;
#pragma omp simd reduction(max : most)
        for (std::size_t u = 1; u < width_; ++u) most = most < in[u] ? in[u] : most;
        if (most == kNone || (!single_root && root == most)) return 0;
        std::size_t u = 1;
        while (u < width_ && in[u] != most) ++u;
        return u < width_ ? u : 0;
    }

    // The part of the path from `first` on becomes one component, which takes over a row.
    std::int32_t contract(std::int32_t first) {
        const std::int32_t made = next_++;
        const std::size_t row = row_of_[first];
        double* const __restrict in = in_.data() + row * stride_;
        std::int32_t* const __restrict target = target_.data() + row * stride_;
        const double own = value_[first];
        for (std::size_t u = 0; u < stride_; ++u) in[u] -= own;
        first_[made] = first_[first];
        last_[made] = last_[first];
        adopt(first, made, own);
        while (path_.back() != first) {
            const std::int32_t member = path_.back();
            path_.pop_back();
            const double best = value_[member];
            const double* const __restrict from = in_.data() + row_of_[member] * stride_;
            const std::int32_t* const __restrict from_target = target_.data() + row_of_[member] * stride_;
            for (std::size_t u = 0; u < stride_; ++u) {
                const double value = from[u] - best;
                const bool better = value > in[u];
                in[u] = better ? value : in[u];
                target[u] = better ? from_target[u] : target[u];
            }
            after_[last_[made]] = first_[member];
            last_[made] = last_[member];
            adopt(member, made, best);
        }
        path_.pop_back();
        row_of_[made] = row;
        for (std::int32_t word = first_[made]; word; word = after_[word]) {
            component_[word] = made;
            in[word] = kNone;
        }
        return made;
    }
    void adopt(std::int32_t member, std::int32_t made, double value) {
        parent_[member] = made;
        state_[member] = kDone;
        for (std::int32_t word = first_[member];; word = after_[word]) {
            taken_[word] += value;
            if (word == last_[member]) break;
        }
    }

    std::size_t width_ = 0, stride_ = 0;
    std::vector<double> in_;            // [component's row][source]
    std::vector<std::int32_t> target_;  // the word of the component that the arc enters
    std::vector<std::int32_t> component_, first_, last_, after_, parent_, enter_source_, enter_target_, path_;
    std::vector<std::size_t> row_of_;
    std::vector<double> value_, taken_;
    std::vector<std::uint8_t> state_, is_open_;
    std::int32_t next_ = 0;
};

}  // namespace palmette

// The nearest examples of a query, and their votes: what all memories share.
//
// k counts distances, as TiMBL does (all examples at the k smallest distances vote), or examples (of those at the last distance the first in
// the memory). Found examples come in the order of distance, then of their place, so the same query always has the same neighbours.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace palmette {

struct Neighbour {
    double distance;
    std::uint32_t example;
    bool operator<(const Neighbour& other) const { return distance != other.distance ? distance < other.distance : example < other.example; }
};

// The distances met so far that may still be among the k smallest; `bound` is beyond which nothing counts.
class Nearest {
public:
    void start(std::size_t k, bool distances) {
        k_ = k;
        distances_ = distances;
        steps_.clear();
        found_.clear();
        bound_ = std::numeric_limits<double>::infinity();
    }
    double bound() const { return bound_; }

    // Examples that lie at one distance, at most `bound`.
    void add(double distance, std::span<const std::uint32_t> examples) {
        for (const std::uint32_t e : examples) found_.push_back({distance, e});
        const auto at = std::lower_bound(steps_.begin(), steps_.end(), distance, [](const Step& s, double d) { return s.distance < d; });
        if (at != steps_.end() && at->distance == distance) at->count += examples.size();
        else steps_.insert(at, {distance, examples.size()});
        // Steps beyond the k-th distance, or after those that have k examples, are of no use any more.
        if (distances_) {
            if (steps_.size() >= k_) {
                steps_.resize(k_);
                bound_ = steps_.back().distance;
            }
        } else {
            std::size_t sum = 0, s = 0;
            while (s < steps_.size() && sum < k_) sum += steps_[s++].count;
            if (sum >= k_) {
                steps_.resize(s);
                bound_ = steps_.back().distance;
            }
        }
        if (found_.size() > 4096 && found_.size() > 2 * kept_) tidy();
    }

    // In order; valid until the next start.
    std::span<const Neighbour> finish() {
        tidy();
        std::sort(found_.begin(), found_.end());
        if (!distances_ && found_.size() > k_) found_.resize(k_);
        return found_;
    }

private:
    struct Step {
        double distance;
        std::size_t count;
    };
    void tidy() {
        std::erase_if(found_, [&](const Neighbour& n) { return n.distance > bound_; });
        kept_ = found_.size();
    }

    std::size_t k_ = 1, kept_ = 0;
    bool distances_ = true;
    double bound_ = 0;
    std::vector<Step> steps_;
    std::vector<Neighbour> found_;
};

enum class Voting : std::uint8_t { majority, inverse_distance, inverse_linear, exponential };

// Adds the votes of neighbours, which come in order of distance, to those of their classes.
//     inverse distance 1 / (d + 1e-3);  inverse linear (d_k − d) / (d_k − d_1), 1 where all are equal (Dudani);  exponential e^(−decay · d)
inline void vote(std::span<const Neighbour> found, std::span<const std::int32_t> classes, Voting voting, double decay, double* votes) {
    if (found.empty()) return;
    const double first = found.front().distance, last = found.back().distance;
    for (const Neighbour& n : found) {
        double v = 1;
        if (voting == Voting::inverse_distance) v = 1 / (n.distance + 1e-3);
        else if (voting == Voting::inverse_linear) v = last > first ? (last - n.distance) / (last - first) : 1.0;
        else if (voting == Voting::exponential) v = std::exp(-decay * n.distance);
        votes[classes[n.example]] += v;
    }
}

}  // namespace palmette

#include "structures/arborescence/matrix_tree.hpp"

#include <random>

#include "structures/arborescence/elimination.hpp"
#include "structures/arborescence/head_gauge.hpp"

namespace palmette {
namespace {

constexpr double kNoLog = -std::numeric_limits<double>::infinity();

// Plain doubles are exact unless a lost weight could have counted: those below 1e-308. All trees together weigh at most
// the product of the words' sums of weights, so this holds where Z is not smaller than that by more than e^-500.
constexpr double kPlainLeastLog = -500.0;

double log_most(const std::vector<double>& weights, std::size_t width, bool single_root) {
    double sum = 0, root = 0;
    for (std::size_t m = 1; m < width; ++m) {
        double into = single_root ? 0.0 : weights[m];
        for (std::size_t h = 1; h < width; ++h) into += weights[h * width + m];
        root += weights[m];
        if (into > 0) sum += std::log(into);
    }
    return single_root ? sum + std::log(root) : sum;
}

template <class Weights, class Derivatives, class Real>
void fill_marginals(const Weights& weights, const Derivatives& derivatives, Real* out) {
    for (std::size_t a = 0; a < weights.size(); ++a) {
        double p;
        if constexpr (std::is_same_v<typename Weights::value_type, double>)
            p = weights[a] * derivatives[a];
        else
            p = scaled::to_double(scaled::times(weights[a], derivatives[a]));
        out[a] = static_cast<Real>(std::clamp(p, 0.0, 1.0));
    }
}

// Random walks from word to head, their loops erased, until every word hangs on the root.
class Walks {
public:
    // shifted: log-weights [width][width]
    Walks(const std::vector<double>& shifted, std::size_t width) : width_(width), sums_(width * width) {
        for (std::size_t m = 1; m < width; ++m) {
            double sum = 0;
            for (std::size_t h = 0; h < width; ++h) sums_[m * width + h] = sum += std::exp(shifted[h * width + m]);
        }
    }
    template <class Random>
    void sample(Random& random, std::int32_t* heads) const {
        std::vector<std::uint8_t> done(width_, 0);
        done[0] = 1;
        for (std::size_t m = 1; m < width_; ++m) {
            for (std::size_t v = m; !done[v]; v = static_cast<std::size_t>(heads[v - 1])) heads[v - 1] = step(v, random);
            for (std::size_t v = m; !done[v]; v = static_cast<std::size_t>(heads[v - 1])) done[v] = 1;
        }
    }

private:
    template <class Random>
    std::int32_t step(std::size_t v, Random& random) const {
        const double* row = sums_.data() + v * width_;
        const double at = static_cast<double>(random() >> 11) * 0x1p-53 * row[width_ - 1];
        return static_cast<std::int32_t>(
            std::min<std::ptrdiff_t>(std::upper_bound(row, row + width_, at) - row, static_cast<std::ptrdiff_t>(width_) - 1));
    }
    std::size_t width_;
    std::vector<double> sums_;
};

template <class Random>
std::size_t draw(const double* weights, std::size_t stride, std::size_t count, Random& random) {
    double sum = 0;
    for (std::size_t h = 0; h < count; ++h) sum += weights[h * stride];
    double left = static_cast<double>(random() >> 11) * 0x1p-53 * sum;
    std::size_t chosen = 0;
    for (std::size_t h = 0; h < count; ++h) {
        if (weights[h * stride] <= 0) continue;
        chosen = h;
        if ((left -= weights[h * stride]) < 0) break;
    }
    return chosen;
}

void keep_only(std::vector<double>& scores, std::size_t width, std::size_t head, std::size_t word) {
    for (std::size_t h = 0; h < width; ++h)
        if (h != head) scores[h * width + word] = kNoLog;
}

class Sampler {
public:
    Sampler(std::vector<double> scores, std::size_t n, bool single_root)
        : n_(n), width_(n + 1), single_(single_root), scores_(std::move(scores)), marginals_(width_ * width_) {
        log_z_ = spanning_sums(scores_.data(), n, single_, marginals_.data());
        walks_.resize(width_);
        is_tried_.resize(width_, 0);
    }
    bool possible() const { return log_z_ > kNoLog; }

    void sample(std::mt19937_64& random, std::int32_t* heads) {
        // One root word: drawn first. Given it, every tree that hangs on it has its probability.
        const std::size_t root = single_ ? 1 + draw(marginals_.data() + 1, 1, n_, random) : 0;
        if (const Walks* walks = walks_for(root))
            walks->sample(random, heads);
        else
            one_by_one(root, random, heads);
    }

private:
    // The walks for a root word (0: any), or null where they would be too long. The expected number of steps is
    // Σ_m in(m) ∂ log Z / ∂ w(root, m), by Wilson's theorem and Cramer's rule.
    const Walks* walks_for(std::size_t root) {
        if (is_tried_[root]) return walks_[root].empty() ? nullptr : &walks_[root][0];
        is_tried_[root] = 1;
        std::vector<double> scores = scores_;
        if (root) {
            for (std::size_t m = 1; m < width_; ++m) scores[m] = kNoLog;
            scores[root] = 0;
            keep_only(scores, width_, 0, root);
        }
        const HeadGauge gauge(scores.data(), n_, false);
        std::vector<double> weights = gauge.weights();
        const Elimination<SumProduct> plain(weights, n_, false);
        if (!(plain.log_z() > log_most(weights, width_, false) + kPlainLeastLog)) return nullptr;
        const std::vector<double> derivatives = plain.derivatives();
        double steps = 0;
        for (std::size_t m = 1; m < width_; ++m) {
            double into = 0;
            for (std::size_t h = 0; h < width_; ++h) into += weights[h * width_ + m];
            steps += into * derivatives[m];
        }
        const double n = static_cast<double>(n_);
        if (!(steps < 1e5 + n * n * n)) return nullptr;
        walks_[root].emplace_back(gauge.shifted, width_);
        return &walks_[root][0];
    }

    void one_by_one(std::size_t root, std::mt19937_64& random, std::int32_t* heads) const {
        std::vector<double> scores = scores_, marginals = marginals_;
        if (root) {
            keep_only(scores, width_, 0, root);
            spanning_sums(scores.data(), n_, single_, marginals.data());
        }
        for (std::size_t m = 1; m < width_; ++m) {
            const std::size_t head = draw(marginals.data() + m, width_, width_, random);
            heads[m - 1] = static_cast<std::int32_t>(head);
            keep_only(scores, width_, head, m);
            if (m < n_) spanning_sums(scores.data(), n_, single_, marginals.data());
        }
    }

    std::size_t n_, width_;
    bool single_;
    std::vector<double> scores_, marginals_;
    double log_z_;
    std::vector<std::vector<Walks>> walks_;
    std::vector<std::uint8_t> is_tried_;
};

}  // namespace

template <class Real>
double spanning_sums(const Real* scores, std::size_t n, bool single_root, Real* marginals) {
    if (marginals) std::fill(marginals, marginals + (n + 1) * (n + 1), Real{0});
    if (n == 0) return 0.0;
    const HeadGauge gauge(scores, n, single_root);
    if (!gauge.possible) return kNoLog;
    const std::vector<double> weights = gauge.weights();
    const Elimination<SumProduct> plain(weights, n, single_root);
    if (plain.log_z() > log_most(weights, n + 1, single_root) + kPlainLeastLog) {
        if (marginals) fill_marginals(weights, plain.derivatives(), marginals);
        return plain.log_z() + gauge.taken;
    }
    const std::vector<Scaled> wide = gauge.scaled_weights();
    const Elimination<ScaledSums> sums(wide, n, single_root);
    if (sums.log_z() == kNoLog) return kNoLog;
    if (marginals) fill_marginals(wide, sums.derivatives(), marginals);
    return sums.log_z() + gauge.taken;
}

std::vector<std::int32_t> sample_spanning(const double* scores, std::size_t n, bool single_root, std::size_t count,
                                          std::uint64_t seed) {
    if (n == 0) return {};
    Sampler sampler(std::vector<double>(scores, scores + (n + 1) * (n + 1)), n, single_root);
    if (!sampler.possible()) return {};
    std::mt19937_64 random(seed);
    std::vector<std::int32_t> heads(count * n);
    for (std::size_t c = 0; c < count; ++c) sampler.sample(random, heads.data() + c * n);
    return heads;
}

PALMETTE_MATRIX_TREE(, float)
PALMETTE_MATRIX_TREE(, double)

}  // namespace palmette

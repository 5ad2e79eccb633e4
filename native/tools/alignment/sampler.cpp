#include "tools/alignment/sampler.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "base/hashing.hpp"
#include "tools/alignment/orders.hpp"

namespace palmette {
namespace {

constexpr std::size_t kLast = kFertilities - 1;

template <class Order>
class Sampler final : public AlignmentSampler {
public:
    Sampler(const Bitext& bitext, SamplerPriors priors, WordClasses classes, SamplerSettings settings, std::vector<std::int32_t> start)
        : bitext_(bitext),
          priors_(std::move(priors)),
          classes_(std::move(classes)),
          settings_(settings),
          a_(std::move(start)),
          mass_(priors_.pairs),
          total_(priors_.sources),
          n_(priors_.sources.size() * kFertilities, 0.0f),
          order_(classes_, settings_, bitext),
          state_(mix_bits(settings.seed + kOdd)) {
        for (std::size_t s = 0; s < bitext_.size(); ++s) {
            open(s);
            for (std::size_t j = 0; j < here_.m; ++j) {
                const auto i = static_cast<std::size_t>(here_.a[j]);
                ++mass_[row(j)[i]];
                ++total_[word_[i]];
            }
            for (std::size_t i = 1; i <= here_.l; ++i) ++n_[word_[i] * kFertilities + level(i)];
        }
        kept_.resize(settings_.kept ? static_cast<std::size_t>(bitext_.links_at().back() - bitext_.links_at().front()) : 0);
        estimate();
    }

    double sweep(bool keep) override {
        keep = keep && n_kept_ < settings_.kept;
        double loss = 0, product = 1;  // one logarithm for many words
        for (std::size_t s = 0; s < bitext_.size(); ++s) {
            open(s);
            order_.begin(here_);
            for (std::size_t j = 0; j < here_.m; ++j) {
                leave(j);
                const auto [with, without] = weigh(j);
                product *= static_cast<double>(with) / without;
                if (product < 1e-200) loss += std::log(std::exchange(product, 1.0));
                if (keep) add_kept(s, j, with);
                enter(j, drawn(with));
            }
        }
        n_kept_ += keep;
        estimate();
        return loss + std::log(product);
    }

    std::size_t climb() override {
        constexpr int kRounds = 20;
        std::size_t moves = 0;
        for (std::size_t s = 0; s < bitext_.size(); ++s) {
            open(s);
            order_.begin(here_);
            for (int round = 0; round < kRounds; ++round) {
                const std::size_t made = move_all() + swap_all();
                moves += made;
                if (!made) break;
            }
        }
        estimate();
        return moves;
    }

    std::vector<float> conditional(std::size_t s, std::size_t j) override {
        open(s);
        order_.begin(here_);
        const auto was = static_cast<std::size_t>(here_.a[j]);
        leave(j);
        const float sum = weigh(j).first;
        enter(j, was);
        std::vector<float> out(w_.begin(), w_.begin() + static_cast<std::ptrdiff_t>(here_.l) + 1);
        for (float& p : out) p /= sum;
        return out;
    }

    const std::vector<std::int32_t>& alignment() const override { return a_; }

    std::vector<float> posteriors() const override {
        return kept_as<float>([](float p) { return p; });
    }
    std::vector<std::uint16_t> packed_posteriors() const override {
        return kept_as<std::uint16_t>([](float p) { return static_cast<std::uint16_t>(std::lround(65535.0f * p)); });
    }

    std::vector<float> pair_counts() const override {
        std::vector<float> out(priors_.pairs.size(), 0.0f);
        const float scale = n_kept_ ? 1 / (unit() * static_cast<float>(n_kept_)) : 0.0f;
        for (std::size_t s = 0; s < bitext_.size(); ++s) {
            const std::size_t l = bitext_.l(s), m = bitext_.m(s);
            const std::uint16_t* from = kept_.data() + kept_at(s);
            for (std::size_t i = 0; i <= l; ++i)
                for (std::size_t j = 0; j < m; ++j) out[bitext_.links(s)[i * m + j]] += scale * static_cast<float>(from[j * (l + 1) + i]);
        }
        return out;
    }

    std::vector<float> fertility_counts() const override { return n_; }
    std::vector<float> order_counts() const override { return order_counts_; }

private:
    // The mean of what was kept, [l][m] of every sentence, as another type. It gets its full size at once: a vector that grows takes
    // twice the memory.
    template <class T, class As>
    std::vector<T> kept_as(As&& as) const {
        std::size_t size = 0;
        for (std::size_t s = 0; s < bitext_.size(); ++s) size += bitext_.l(s) * bitext_.m(s);
        std::vector<T> out(size);
        T* to = out.data();
        const float scale = n_kept_ ? 1 / (unit() * static_cast<float>(n_kept_)) : 0.0f;
        for (std::size_t s = 0; s < bitext_.size(); ++s) {
            const std::size_t l = bitext_.l(s), m = bitext_.m(s);
            const std::uint16_t* from = kept_.data() + kept_at(s);
            for (std::size_t i = 1; i <= l; ++i)
                for (std::size_t j = 0; j < m; ++j) *to++ = as(std::min(1.0f, scale * static_cast<float>(from[j * (l + 1) + i])));
        }
        return out;
    }

    std::ptrdiff_t kept_at(std::size_t s) const { return bitext_.links_at()[s] - bitext_.links_at().front(); }

    // What a kept probability of one is stored as.
    float unit() const { return std::floor(65535.0f / static_cast<float>(std::max<std::size_t>(settings_.kept, 1))); }

    const std::uint32_t* row(std::size_t j) const { return links_.data() + j * (here_.l + 1); }
    std::size_t level(std::size_t i) const { return std::min(static_cast<std::size_t>(here_.fertility[i]), kLast); }

    void look_at(std::size_t s) {
        here_.l = bitext_.l(s);
        here_.m = bitext_.m(s);
        here_.a = a_.data() + bitext_.target_at(s);
        here_.source = bitext_.source(s);
        here_.target = bitext_.target(s);
        here_.shape_at = static_cast<std::size_t>(bitext_.shape_at()[bitext_.shape_of(s)]);
        here_.fertility.assign(here_.l + 1, 0);
        for (std::size_t j = 0; j < here_.m; ++j) ++here_.fertility[static_cast<std::size_t>(here_.a[j])];
    }

    // Sets the sentence at hand; its links turned to [m][l + 1], so that the choices of a word are side by side.
    void open(std::size_t s) {
        const std::size_t l = bitext_.l(s), m = bitext_.m(s);
        look_at(s);
        links_.resize((l + 1) * m);
        const std::uint32_t* links = bitext_.links(s);
        for (std::size_t i = 0; i <= l; ++i)
            for (std::size_t j = 0; j < m; ++j) {
                links_[j * (l + 1) + i] = links[i * m + j];
                __builtin_prefetch(mass_.data() + links[i * m + j]);  // all misses of the sentence at once
            }
        word_.resize(l + 1);
        word_[0] = 0;
        for (std::size_t i = 1; i <= l; ++i) word_[i] = static_cast<std::uint32_t>(here_.source[i - 1]) + 1;
        w_.resize(l + 1);
        own_.resize(l + 1);
        share_.resize(l + 1);
        for (std::size_t i = 0; i <= l; ++i) refresh(i);
    }

    // What place i brings along whatever the target word is: 1 / c(e), and n(φ + 1 | e) / n(φ | e).
    void refresh(std::size_t i) {
        share_[i] = 1 / total_[word_[i]];
        if (i == 0) {
            const float odds = settings_.null / (1 - settings_.null);
            own_[0] = Order::kBinomial ? odds * static_cast<float>(static_cast<std::ptrdiff_t>(here_.m) - here_.fertility[0]) / static_cast<float>(here_.fertility[0] + 1) : odds;
            return;
        }
        const float *n = n_.data() + word_[i] * kFertilities, *before = prior_n_.empty() ? nullptr : prior_n_.data() + word_[i] * kFertilities;
        const std::size_t now = level(i), more = std::min(now + 1, kLast);
        const float had = before ? before[now] : 0.0f, has = before ? before[more] : 0.0f;
        own_[i] = (n[more] + has + settings_.fertility * usual_[more]) / (std::max(0.0f, n[now] - 1) + had + settings_.fertility * usual_[now]);
    }

    void refresh_word(std::size_t place) {
        const std::uint32_t word = word_[place];
        for (std::size_t i = 0; i <= here_.l; ++i)
            if (word_[i] == word) refresh(i);
    }

    void change(std::size_t j, std::size_t i, std::int32_t by) {
        mass_[row(j)[i]] += static_cast<float>(by);
        total_[word_[i]] += static_cast<float>(by);
        float* n = n_.data() + word_[i] * kFertilities;
        if (i) --n[level(i)];
        here_.fertility[i] += by;
        if (i) ++n[level(i)];
        refresh_word(i);
    }

    void leave(std::size_t j) {
        const auto i = static_cast<std::size_t>(here_.a[j]);
        here_.a[j] = -1;
        change(j, i, -1);
    }

    void enter(std::size_t j, std::size_t i) {
        here_.a[j] = static_cast<std::int32_t>(i);
        change(j, i, 1);
    }

    // w[i] for all places, the word j being out; returns the sum, and what it would be if all words were certain.
    std::pair<float, float> weigh(std::size_t j) {
        const std::size_t n = here_.l + 1;
        float* w = w_.data();
        std::copy_n(own_.data(), n, w);
        order_.multiply(here_, j, w);
        const std::uint32_t* pairs = row(j);
        const float *mass = mass_.data(), *share = share_.data();
        float with = 0, without = 0;
#pragma omp simd reduction(+ : with, without)
        for (std::size_t i = 0; i < n; ++i) {
            without += w[i];
            w[i] *= mass[pairs[i]] * share[i];
            with += w[i];
        }
        if (with > 0 && std::isfinite(with)) return {with, without};
        // Numbers too small or too large for a float: all are alike.
        std::fill_n(w, n, 1.0f);
        return {static_cast<float>(n), static_cast<float>(n)};
    }

    std::size_t drawn(float sum) {
        state_ += kOdd;
        float left = static_cast<float>(mix_bits(state_) >> 40) * 0x1p-24f * sum;
        std::size_t i = 0;
        while (i < here_.l && (left -= w_[i]) >= 0) ++i;
        return i;
    }

    void add_kept(std::size_t s, std::size_t j, float sum) {
        const float scale = unit() / sum;
        std::uint16_t* to = kept_.data() + kept_at(s) + static_cast<std::ptrdiff_t>(j * (here_.l + 1));
        for (std::size_t i = 0; i <= here_.l; ++i) to[i] = static_cast<std::uint16_t>(to[i] + static_cast<std::uint16_t>(w_[i] * scale + 0.5f));
    }

    // Each word to its best place; returns how many moved.
    std::size_t move_all() {
        std::size_t moved = 0;
        for (std::size_t j = 0; j < here_.m; ++j) {
            const auto was = static_cast<std::size_t>(here_.a[j]);
            leave(j);
            weigh(j);
            const auto best = static_cast<std::size_t>(std::max_element(w_.begin(), w_.begin() + static_cast<std::ptrdiff_t>(here_.l) + 1) - w_.begin());
            const bool better = w_[best] > w_[was] * (1 + 1e-5f);
            enter(j, better ? best : was);
            moved += better;
        }
        return moved;
    }

    // w(to) / w(from) of the word j, which then is at `to`.
    double moved(std::size_t j, std::size_t to) {
        const auto from = static_cast<std::size_t>(here_.a[j]);
        leave(j);
        weigh(j);
        const double gain = static_cast<double>(w_[to]) / std::max(w_[from], 1e-38f);
        enter(j, to);
        return gain;
    }

    // Two words change places where that helps; each takes the best partner.
    std::size_t swap_all() {
        std::size_t swapped = 0;
        for (std::size_t j = 0; j < here_.m; ++j) {
            double most = 1 + 1e-5;
            std::size_t best = j;
            const auto a = static_cast<std::size_t>(here_.a[j]);
            for (std::size_t k = j + 1; k < here_.m; ++k) {
                const auto b = static_cast<std::size_t>(here_.a[k]);
                if (a == b) continue;
                double gain = moved(j, b);
                gain *= moved(k, a);
                moved(j, a);
                moved(k, b);
                if (gain > most) most = gain, best = k;
            }
            if (best == j) continue;
            const auto b = static_cast<std::size_t>(here_.a[best]);
            moved(j, b);
            moved(best, a);
            ++swapped;
        }
        return swapped;
    }

    // The order's weights, and the fertilities of all words together, from the alignment as it is.
    void estimate() {
        order_counts_.assign(Order::size(classes_, bitext_), 0.0f);
        for (std::size_t s = 0; s < bitext_.size(); ++s) {
            look_at(s);
            order_.count(here_, order_counts_.data());
        }
        std::vector<float> counts = order_counts_;
        for (std::size_t k = 0; k < priors_.order.size(); ++k) counts[k] += priors_.order[k];
        order_.estimate(counts);
        prior_n_ = priors_.fertilities;
        std::vector<float> all(kFertilities, 0.0f);
        for (std::size_t k = kFertilities; k < n_.size(); ++k) all[k % kFertilities] += n_[k] + (prior_n_.empty() ? 0.0f : prior_n_[k]);
        normalise(all, 0.5f, usual_);
    }

    const Bitext& bitext_;
    SamplerPriors priors_;
    WordClasses classes_;
    SamplerSettings settings_;
    std::vector<std::int32_t> a_;
    std::vector<float> mass_, total_;  // counts and priors: of pairs, of source words
    std::vector<float> n_, usual_ = std::vector<float>(kFertilities, 1.0f / kFertilities), order_counts_;
    std::span<const float> prior_n_;
    Order order_;
    std::uint64_t state_;
    std::vector<std::uint16_t> kept_;  // [m][l + 1] of every sentence
    std::size_t n_kept_ = 0;

    AlignedSentence here_;
    std::vector<std::uint32_t> links_;
    std::vector<std::uint32_t> word_;  // of places, NULL is 0
    std::vector<float> w_, own_, share_;
};

}  // namespace

// Calls made with the type of an order.
template <class Make>
static auto with_order(OrderKind order, Make&& make) {
    switch (order) {
        case OrderKind::jumps: return make.template operator()<JumpOrder>();
        case OrderKind::diagonal: return make.template operator()<DiagonalOrder>();
        case OrderKind::table: return make.template operator()<TableOrder>();
        default: return make.template operator()<CeptOrder>();
    }
}

std::size_t order_size(OrderKind order, const WordClasses& classes, const Bitext& bitext) {
    return with_order(order, [&]<class Order>() { return Order::size(classes, bitext); });
}

std::unique_ptr<AlignmentSampler> AlignmentSampler::make(const Bitext& bitext, SamplerPriors priors, WordClasses classes,
                                                         SamplerSettings settings, std::vector<std::int32_t> start) {
    return with_order(settings.order, [&]<class Order>() -> std::unique_ptr<AlignmentSampler> {
        return std::make_unique<Sampler<Order>>(bitext, std::move(priors), std::move(classes), settings, std::move(start));
    });
}

}  // namespace palmette

// How probable it is that words are where they are, for a sampler that moves one target word at a time.
//
// An order sees the sentence at hand without the word j and multiplies into w[i] the probability of the whole when j goes to
// source word i, up to a factor that is the same for all i; i = 0 is NULL. Its weights are histograms of displacements.
//
//     JumpOrder      S(i − i′) / Σ_k S(k − i′) from the place i′ of the last word that has one (the HMM)
//     DiagonalOrder  φ! D(j − i m / l) / Σ_k D(k − i m / l): Model 3, d(j | i, l, m) by the distance from the diagonal
//     TableOrder     φ! d(j | i, l, m): Model 3 with a table for every l and m, around the distances of DiagonalOrder
//     CeptOrder      Model 4: the first word of a cept (the words of one source word) is placed relative to the centre of the cept
//                    before, given classes of that cept's source word and of its own; each other word relative to the one before
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tools/alignment/sampler.hpp"

namespace palmette {

// A sentence in the making: a[j] is a place from 1 on, 0 for NULL, or −1 for the word that is out.
struct AlignedSentence {
    std::size_t l = 0, m = 0;
    std::int32_t* a = nullptr;
    const std::int32_t *source = nullptr, *target = nullptr;  // words
    std::vector<std::int32_t> fertility;                      // of places 0 … l
    std::size_t shape_at = 0;                                 // where [l + 1][m] of its shape begins
};

inline std::size_t step_of(std::ptrdiff_t d) { return static_cast<std::size_t>(std::clamp(d, -kReach, kReach) + kReach); }

// (counts + smoothing), summing to one.
inline void normalise(std::span<const float> counts, float smoothing, std::span<float> out) {
    double total = 0;
    for (const float c : counts) total += c + smoothing;
    for (std::size_t k = 0; k < counts.size(); ++k) out[k] = static_cast<float>((counts[k] + smoothing) / total);
}

class JumpOrder {
public:
    static constexpr std::size_t size(const WordClasses&, const Bitext&) { return kSteps + 2 * (kReach + 1); }  // jumps, first places, last places
    static constexpr bool kBinomial = false;

    JumpOrder(const WordClasses&, const SamplerSettings& settings, const Bitext& bitext)
        : smoothing_(settings.smoothing), longest_(std::max<std::size_t>(bitext.longest(), 1)) {
        forth_.resize(2 * longest_ + 3);
        back_.resize(2 * longest_ + 3);
        sums_.resize(2 * longest_ + 4);
        first_.resize(longest_ + 2);
        last_.resize(longest_ + 2);
    }

    static void count(const AlignedSentence& s, float* counts) {
        float *first = counts + kSteps, *last = first + kReach + 1;
        std::ptrdiff_t before = 0;
        const auto l = static_cast<std::ptrdiff_t>(s.l);
        for (std::size_t j = 0; j < s.m; ++j) {
            const std::ptrdiff_t i = s.a[j];
            if (i <= 0) continue;
            if (before) ++counts[step_of(i - before)];
            else ++first[std::min(i, kReach)];
            before = i;
        }
        if (before) ++last[std::min(l - before, kReach)];
    }

    void estimate(std::span<const float> counts) {
        std::vector<float> jump(kSteps), first(kReach + 1), last(kReach + 1);
        normalise(counts.first(kSteps), smoothing_, jump);
        normalise(counts.subspan(kSteps, kReach + 1), smoothing_, first);
        normalise(counts.subspan(kSteps + kReach + 1, kReach + 1), smoothing_, last);
        const auto n = static_cast<std::ptrdiff_t>(longest_) + 1;
        sums_[0] = 0;
        for (std::ptrdiff_t d = -n; d <= n; ++d) {
            const float weight = jump[step_of(d)];
            forth_[static_cast<std::size_t>(d + n)] = weight;
            back_[static_cast<std::size_t>(n - d)] = weight;
            sums_[static_cast<std::size_t>(d + n + 1)] = sums_[static_cast<std::size_t>(d + n)] + weight;
        }
        for (std::size_t i = 0; i < first_.size(); ++i) {
            const std::size_t k = std::min<std::size_t>(i, kReach);
            first_[i] = first[k];
            last_[i] = last[k];
        }
    }

    void begin(const AlignedSentence& s) {
        const std::size_t n = longest_ + 1;
        share_.resize(s.l + 1);
        end_.resize(s.l + 1);
        double sum = 0, ends = 0;
        for (std::size_t i = 1; i <= s.l; ++i) sum += first_[i];
        share_[0] = static_cast<float>(1 / std::max(sum, 1e-30));
        // Σ over places k of S(k − i), from the running sums.
        for (std::size_t i = 1; i <= s.l; ++i) share_[i] = static_cast<float>(1 / std::max(sums_[s.l - i + n + 1] - sums_[n + 1 - i], 1e-30));
        for (std::size_t i = 0; i <= s.l; ++i) ends += last_[s.l - i];
        for (std::size_t i = 0; i <= s.l; ++i) end_[i] = static_cast<float>(last_[s.l - i] * static_cast<double>(s.l + 1) / ends);
    }

    void multiply(const AlignedSentence& s, std::size_t j, float* w) {
        const std::size_t n = longest_ + 1;
        std::size_t before = 0, next = 0;
        for (std::size_t k = j; k-- > 0;)
            if (s.a[k] > 0) {
                before = static_cast<std::size_t>(s.a[k]);
                break;
            }
        for (std::size_t k = j + 1; k < s.m; ++k)
            if (s.a[k] > 0) {
                next = static_cast<std::size_t>(s.a[k]);
                break;
            }
        const float* from = before ? forth_.data() + n - before : first_.data();  // from[i] = S(i − before)
        const float own = share_[before];
        if (next) {
            const float *to = back_.data() + n - next, *share = share_.data();  // to[i] = S(next − i)
            w[0] *= own * from[next];
            for (std::size_t i = 1; i <= s.l; ++i) w[i] *= own * from[i] * to[i] * share[i];
        } else {
            w[0] *= end_[before];
            for (std::size_t i = 1; i <= s.l; ++i) w[i] *= own * from[i] * end_[i];
        }
    }

private:
    float smoothing_;
    std::size_t longest_;
    std::vector<float> forth_, back_, first_, last_, share_, end_;
    std::vector<double> sums_;
};

class DiagonalOrder {
public:
    static constexpr std::size_t size(const WordClasses&, const Bitext&) { return kSteps; }
    static constexpr bool kBinomial = true;

    DiagonalOrder(const WordClasses&, const SamplerSettings& settings, const Bitext&) : smoothing_(settings.smoothing), weight_(kSteps) {}

    static std::size_t step(const AlignedSentence& s, std::size_t i, std::size_t j) {
        const double there = static_cast<double>(i) * static_cast<double>(s.m) / static_cast<double>(s.l);
        return step_of(static_cast<std::ptrdiff_t>(std::lround(static_cast<double>(j + 1) - there)));
    }

    static void count(const AlignedSentence& s, float* counts) {
        for (std::size_t j = 0; j < s.m; ++j)
            if (s.a[j] > 0) ++counts[step(s, static_cast<std::size_t>(s.a[j]), j)];
    }

    void estimate(std::span<const float> counts) { normalise(counts, smoothing_, weight_); }

    void begin(const AlignedSentence& s) {
        d_.resize((s.l + 1) * s.m);
        for (std::size_t i = 1; i <= s.l; ++i) {
            double sum = 0;
            for (std::size_t j = 0; j < s.m; ++j) sum += weight_[step(s, i, j)];
            for (std::size_t j = 0; j < s.m; ++j) d_[j * (s.l + 1) + i] = static_cast<float>(weight_[step(s, i, j)] / sum);
        }
    }

    void multiply(const AlignedSentence& s, std::size_t j, float* w) {
        const float* d = d_.data() + j * (s.l + 1);
        for (std::size_t i = 1; i <= s.l; ++i) w[i] *= d[i] * static_cast<float>(s.fertility[i] + 1);
    }

protected:
    std::vector<float> d_;  // [m][l + 1] of the sentence at hand

private:
    float smoothing_;
    std::vector<float> weight_;
};

// Counts are those of the distances, then [l + 1][m] of every shape: d(j | i, l, m) = (c(i, j, l, m) + τ D) / (c(i, l, m) + τ).
class TableOrder : public DiagonalOrder {
public:
    static std::size_t size(const WordClasses&, const Bitext& bitext) { return kSteps + static_cast<std::size_t>(bitext.shape_at().back()); }

    TableOrder(const WordClasses& classes, const SamplerSettings& settings, const Bitext& bitext)
        : DiagonalOrder(classes, settings, bitext), strength_(settings.table) {}

    static void count(const AlignedSentence& s, float* counts) {
        DiagonalOrder::count(s, counts);
        float* table = counts + kSteps + s.shape_at;
        for (std::size_t j = 0; j < s.m; ++j)
            if (s.a[j] > 0) ++table[static_cast<std::size_t>(s.a[j]) * s.m + j];
    }

    void estimate(std::span<const float> counts) {
        DiagonalOrder::estimate(counts.first(kSteps));
        table_.assign(counts.begin() + kSteps, counts.end());
    }

    void begin(const AlignedSentence& s) {
        DiagonalOrder::begin(s);
        for (std::size_t i = 1; i <= s.l; ++i) {
            const float* counts = table_.data() + s.shape_at + i * s.m;
            float sum = strength_;
            for (std::size_t j = 0; j < s.m; ++j) sum += counts[j];
            for (std::size_t j = 0; j < s.m; ++j) {
                float& d = d_[j * (s.l + 1) + i];
                d = (counts[j] + strength_ * d) / sum;
            }
        }
    }

private:
    float strength_;
    std::vector<float> table_;
};

class CeptOrder {
public:
    // Heads for each pair of classes, then other words for each class.
    static std::size_t size(const WordClasses& c, const Bitext&) { return (c.n_source * c.n_target + c.n_target) * kSteps; }
    static constexpr bool kBinomial = true;

    CeptOrder(const WordClasses& classes, const SamplerSettings& settings, const Bitext& bitext)
        : smoothing_(settings.smoothing), strength_(settings.classes), classes_(classes), weight_(size(classes, bitext)) {}

    void count(const AlignedSentence& s, float* counts) {
        set(s);
        for (std::size_t j = 0; j < s.m; ++j) {
            if (s.a[j] <= 0) continue;
            const auto i = static_cast<std::size_t>(s.a[j]);
            const auto at = static_cast<std::ptrdiff_t>(j);
            if (head_[i] == at) {
                ++counts[head_at(left_class_[i], class_of(s, j)) + step_of(at - left_[i])];
            } else {
                std::size_t k = j - 1;
                while (s.a[k] != s.a[j]) --k;
                ++counts[other_at(class_of(s, j)) + step_of(at - static_cast<std::ptrdiff_t>(k))];
            }
        }
    }

    void estimate(std::span<const float> counts) {
        spread(counts.first(classes_.n_source * classes_.n_target * kSteps), std::span(weight_).first(classes_.n_source * classes_.n_target * kSteps));
        spread(counts.last(classes_.n_target * kSteps), std::span(weight_).last(classes_.n_target * kSteps));
    }

    void begin(const AlignedSentence&) {}

    void multiply(const AlignedSentence& s, std::size_t j, float* w) {
        set(s);
        const auto at = static_cast<std::ptrdiff_t>(j);
        const std::size_t own = class_of(s, j);
        for (std::size_t i = 1; i <= s.l; ++i) {
            const std::size_t next = right_[i];  // the next cept, or 0
            float p = 1;
            if (s.fertility[i] == 0) {
                p = head(left_class_[i], own, at - left_[i]);
                if (next) {
                    const std::size_t b = class_of(s, static_cast<std::size_t>(head_[next]));
                    p *= head(source_class(s, i), b, head_[next] - at) / head(left_class_[i], b, head_[next] - left_[i]);
                }
            } else {
                const std::ptrdiff_t first = head_[i];
                if (at < first) {
                    const std::size_t b = class_of(s, static_cast<std::size_t>(first));
                    p = head(left_class_[i], own, at - left_[i]) / head(left_class_[i], b, first - left_[i]) * other(b, first - at);
                } else {
                    std::size_t before = j, after = j + 1;
                    while (s.a[before] != static_cast<std::int32_t>(i)) --before;
                    while (after < s.m && s.a[after] != static_cast<std::int32_t>(i)) ++after;
                    p = other(own, at - static_cast<std::ptrdiff_t>(before));
                    if (after < s.m) {
                        const std::size_t b = class_of(s, after);
                        p *= other(b, static_cast<std::ptrdiff_t>(after) - at) / other(b, static_cast<std::ptrdiff_t>(after - before));
                    }
                }
                if (next) {
                    const std::ptrdiff_t was = centre(sum_[i], s.fertility[i]), is = centre(sum_[i] + at, s.fertility[i] + 1);
                    if (was != is) {
                        const std::size_t b = class_of(s, static_cast<std::size_t>(head_[next]));
                        p *= head(source_class(s, i), b, head_[next] - is) / head(source_class(s, i), b, head_[next] - was);
                    }
                }
            }
            w[i] *= p;
        }
    }

private:
    // Heads and sums of all cepts, and for each place the centre and class of the cept before and the number of the next one.
    void set(const AlignedSentence& s) {
        head_.assign(s.l + 1, -1);
        sum_.assign(s.l + 1, 0);
        left_.resize(s.l + 1);
        left_class_.resize(s.l + 1);
        right_.resize(s.l + 1);
        for (std::size_t j = s.m; j-- > 0;)
            if (s.a[j] > 0) {
                head_[static_cast<std::size_t>(s.a[j])] = static_cast<std::ptrdiff_t>(j);
                sum_[static_cast<std::size_t>(s.a[j])] += static_cast<std::ptrdiff_t>(j);
            }
        std::ptrdiff_t last = -1;
        std::size_t kind = 0;
        for (std::size_t i = 1; i <= s.l; ++i) {
            left_[i] = last;
            left_class_[i] = kind;
            if (head_[i] >= 0) {
                last = centre(sum_[i], s.fertility[i]);
                kind = source_class(s, i);
            }
        }
        std::size_t next = 0;
        for (std::size_t i = s.l; i >= 1; --i) {
            right_[i] = next;
            if (head_[i] >= 0) next = i;
        }
    }

    // Each row beside the sum of all rows.
    void spread(std::span<const float> counts, std::span<float> out) const {
        std::vector<float> all(kSteps, 0.0f), mean(kSteps);
        for (std::size_t k = 0; k < counts.size(); ++k) all[k % kSteps] += counts[k];
        normalise(all, smoothing_, mean);
        for (std::size_t row = 0; row < counts.size(); row += kSteps) {
            float sum = strength_;
            for (std::size_t k = 0; k < kSteps; ++k) sum += counts[row + k];
            for (std::size_t k = 0; k < kSteps; ++k) out[row + k] = (counts[row + k] + strength_ * mean[k]) / sum;
        }
    }

    static std::ptrdiff_t centre(std::ptrdiff_t sum, std::int32_t n) { return (sum + n - 1) / n; }
    std::size_t class_of(const AlignedSentence& s, std::size_t j) const { return static_cast<std::size_t>(classes_.target[static_cast<std::size_t>(s.target[j])]); }
    std::size_t source_class(const AlignedSentence& s, std::size_t i) const { return static_cast<std::size_t>(classes_.source[static_cast<std::size_t>(s.source[i - 1])]); }
    std::size_t head_at(std::size_t a, std::size_t b) const { return (a * classes_.n_target + b) * kSteps; }
    std::size_t other_at(std::size_t b) const { return (classes_.n_source * classes_.n_target + b) * kSteps; }
    float head(std::size_t a, std::size_t b, std::ptrdiff_t d) const { return weight_[head_at(a, b) + step_of(d)]; }
    float other(std::size_t b, std::ptrdiff_t d) const { return weight_[other_at(b) + step_of(d)]; }

    float smoothing_, strength_;
    const WordClasses& classes_;
    std::vector<float> weight_;
    std::vector<std::ptrdiff_t> head_, sum_, left_;
    std::vector<std::size_t> left_class_, right_;
};

}  // namespace palmette

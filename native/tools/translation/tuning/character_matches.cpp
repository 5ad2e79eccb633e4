#include "tools/translation/tuning/character_matches.hpp"

#include <algorithm>

#include "base/parallel.hpp"
#include "tools/translation/tuning/metric.hpp"

namespace palmette {

namespace {

// One reference: how often it has each of its n-grams.
class CharacterReference {
public:
    explicit CharacterReference(Words text) : length_(static_cast<int>(text.size())) {
        for (std::size_t i = 0; i < text.size(); ++i) {
            std::uint64_t node = 0;
            for (std::size_t n = 0; n < kChrfOrder && i + n < text.size(); ++n) {
                const auto next = static_cast<std::uint32_t>(counts_.size());
                node = children_.insert(node << 32 | text[i + n], next);
                if (node == next) counts_.push_back(0);
                ++counts_[node];
            }
        }
    }

    void count(Words text, NgramReferences::Scratch& scratch, float* counts) const {
        scratch.used.resize(std::max(scratch.used.size(), counts_.size()), 0);
        scratch.touched.clear();
        const int length = static_cast<int>(text.size());
        for (int n = 0; n < kChrfOrder; ++n) {
            const int own = std::max(0, length_ - n);
            counts[3 * n] = own ? static_cast<float>(std::max(0, length - n)) : 0;  // none where the reference has none
            counts[3 * n + 1] = static_cast<float>(own);
            counts[3 * n + 2] = 0;
        }
        for (std::size_t i = 0; i < text.size(); ++i) {
            std::uint64_t node = 0;
            for (std::size_t n = 0; n < kChrfOrder && i + n < text.size(); ++n) {
                const std::uint32_t next = children_.find(node << 32 | text[i + n]);
                if (next == KeyMap::kNone) break;
                node = next;
                if (scratch.used[node] == counts_[node]) continue;
                if (!scratch.used[node]++) scratch.touched.push_back(next);
                ++counts[3 * n + 2];
            }
        }
        for (const std::uint32_t node : scratch.touched) scratch.used[node] = 0;
    }

private:
    KeyMap children_;                       // (node, character) → node; node 0 is the root
    std::vector<std::uint32_t> counts_{0};  // of each n-gram
    int length_;
};

}  // namespace

std::vector<float> count_characters(const Grouped& translations, const Grouped& references, int n_jobs) {
    const Metric metric{MetricKind::chrf, Smoothing::none, 0.0, false, 2.0, kChrfCounts};
    const auto n = static_cast<std::size_t>(translations.texts.back());
    std::vector<float> counts(n * kChrfCounts);
    std::vector<NgramReferences::Scratch> scratches(static_cast<std::size_t>(std::max(1, n_jobs)));
    parallel(translations.size(), n_jobs, [&](std::size_t s, std::size_t thread) {
        std::vector<CharacterReference> right;
        for (auto r = references.texts[s]; r < references.texts[s + 1]; ++r) right.emplace_back(references.text(r));
        float found[kChrfCounts];
        for (auto t = translations.texts[s]; t < translations.texts[s + 1]; ++t) {
            double best = -1;
            for (const CharacterReference& one : right) {
                one.count(translations.text(t), scratches[thread], found);
                const std::vector<double> own(found, found + kChrfCounts);
                const double score = metric(own.data());
                if (score <= best) continue;
                best = score;
                std::copy(found, found + kChrfCounts, counts.begin() + t * kChrfCounts);
            }
        }
    });
    return counts;
}

}  // namespace palmette

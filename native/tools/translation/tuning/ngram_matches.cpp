#include "tools/translation/tuning/ngram_matches.hpp"

#include <algorithm>
#include <cstdlib>

#include "base/parallel.hpp"

namespace palmette {

void NgramReferences::add(Words reference) {
    std::vector<std::uint32_t> own(most_.size(), 0);
    for (std::size_t i = 0; i < reference.size(); ++i) {
        std::uint64_t node = 0;
        for (std::size_t n = 0; n < kBleuOrder && i + n < reference.size(); ++n) {
            const auto next = static_cast<std::uint32_t>(most_.size());
            node = children_.insert(node << 32 | reference[i + n], next);
            if (node == next) most_.push_back(0);
            if (own.size() < most_.size()) own.resize(most_.size(), 0);
            most_[node] = std::max(most_[node], ++own[node]);
        }
    }
    lengths_.push_back(static_cast<std::int32_t>(reference.size()));
}

void NgramReferences::count(Words words, Scratch& scratch, float* counts) const {
    scratch.used.resize(std::max(scratch.used.size(), most_.size()), 0);
    scratch.touched.clear();
    float* right = counts + 2;
    float* all = right + kBleuOrder;
    const auto length = static_cast<std::int32_t>(words.size());
    std::int32_t nearest = lengths_.empty() ? 0 : lengths_[0];
    for (const std::int32_t other : lengths_) {
        const std::int32_t a = std::abs(other - length), b = std::abs(nearest - length);
        if (a < b || (a == b && other < nearest)) nearest = other;
    }
    counts[0] = static_cast<float>(length);
    counts[1] = static_cast<float>(nearest);
    for (int n = 0; n < kBleuOrder; ++n) right[n] = 0, all[n] = static_cast<float>(std::max(0, length - n));
    for (std::size_t i = 0; i < words.size(); ++i) {
        std::uint64_t node = 0;
        for (std::size_t n = 0; n < kBleuOrder && i + n < words.size(); ++n) {
            // Without an n-gram, the references have no longer one that begins with it.
            const std::uint32_t next = children_.find(node << 32 | words[i + n]);
            if (next == KeyMap::kNone) break;
            node = next;
            if (scratch.used[node] == most_[node]) continue;
            if (!scratch.used[node]++) scratch.touched.push_back(next);
            ++right[n];
        }
    }
    for (const std::uint32_t node : scratch.touched) scratch.used[node] = 0;
}

std::vector<float> count_ngrams(const Grouped& translations, const Grouped& references, int n_jobs) {
    const auto n = static_cast<std::size_t>(translations.texts.back());
    std::vector<float> counts(n * kBleuCounts);
    std::vector<NgramReferences::Scratch> scratches(static_cast<std::size_t>(std::max(1, n_jobs)));
    parallel(translations.size(), n_jobs, [&](std::size_t s, std::size_t thread) {
        NgramReferences right;
        for (auto r = references.texts[s]; r < references.texts[s + 1]; ++r) right.add(references.text(r));
        for (auto t = translations.texts[s]; t < translations.texts[s + 1]; ++t)
            right.count(translations.text(t), scratches[thread], counts.data() + t * kBleuCounts);
    });
    return counts;
}

}  // namespace palmette

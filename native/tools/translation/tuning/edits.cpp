#include "tools/translation/tuning/edits.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <tuple>

#include "base/parallel.hpp"

namespace palmette {

namespace {

constexpr int kLongestRun = 10, kFarthest = 50, kMostTried = 1000, kBand = 25;
constexpr int kFar = std::numeric_limits<int>::max() / 2;

enum class Edit : std::uint8_t { none, keep, replace, drop, add };

// The edit distance of texts of one length to a reference, row after row in a band around the diagonal.
class Distances {
public:
    Distances(Words reference, std::size_t n)
        : reference_(reference), n_(n), width_(reference.size() + 1), cost_((n + 1) * width_, kFar), edit_((n + 1) * width_, Edit::none) {
        for (std::size_t j = 0; j < width_; ++j) cost_[j] = static_cast<int>(j), edit_[j] = Edit::add;
        ratio_ = n ? double(reference.size()) / double(n) : 1.0;
        band_ = kBand < ratio_ / 2 ? static_cast<std::int64_t>(std::ceil(ratio_ / 2 + kBand)) : kBand;
    }

    // Computes the rows behind the first `known` words, which are those of the text before.
    int compute(const std::vector<std::uint32_t>& words, std::size_t known) {
        const auto m = static_cast<std::int64_t>(reference_.size());
        for (std::size_t i = known + 1; i <= n_; ++i) {
            const auto middle = static_cast<std::int64_t>(std::floor(double(i) * ratio_));
            const std::int64_t first = std::max<std::int64_t>(0, middle - band_);
            const std::int64_t last = i == n_ ? m + 1 : std::min(m + 1, middle + band_);
            int* row = &cost_[i * width_];
            const int* above = row - width_;
            Edit* edits = &edit_[i * width_];
            std::fill(row, row + width_, kFar);
            std::fill(edits, edits + width_, Edit::none);
            for (std::int64_t j = first; j < last; ++j) {
                if (j == 0) {
                    row[0] = above[0] + 1;
                    edits[0] = Edit::drop;
                    continue;
                }
                // Among equals a word is kept or replaced rather than dropped, and dropped rather than added.
                const bool same = words[i - 1] == reference_[j - 1];
                int best = kFar;
                const auto take = [&](int cost, Edit edit) {
                    if (cost < best) best = cost, row[j] = cost, edits[j] = edit;
                };
                take(above[j - 1] + !same, same ? Edit::keep : Edit::replace);
                take(above[j] + 1, Edit::drop);
                take(row[j - 1] + 1, Edit::add);
            }
        }
        return cost_[n_ * width_ + width_ - 1];
    }

    Edit edit(std::size_t i, std::size_t j) const { return edit_[i * width_ + j]; }

private:
    Words reference_;
    std::size_t n_, width_;
    std::vector<int> cost_;
    std::vector<Edit> edit_;
    double ratio_;
    std::int64_t band_;
};

// Where the words of the reference come from in the text, and sums of the words before each place that are edited.
struct Traced {
    std::vector<int> place, text_errors, reference_errors;

    Traced(const Distances& distances, std::size_t n, std::size_t m) : place(m), text_errors(n + 1, 0), reference_errors(m + 1, 0) {
        std::vector<Edit> edits;
        for (std::size_t i = n, j = m; i > 0 || j > 0;) {
            const Edit edit = distances.edit(i, j);
            edits.push_back(edit);
            if (edit != Edit::add) --i;
            if (edit != Edit::drop) --j;
        }
        std::size_t i = 0, j = 0;
        for (std::size_t k = edits.size(); k-- > 0;) {
            const Edit edit = edits[k];
            if (edit != Edit::add) ++i, text_errors[i] = text_errors[i - 1] + (edit != Edit::keep);
            if (edit != Edit::drop) {
                place[j] = static_cast<int>(i) - 1;
                ++j;
                reference_errors[j] = reference_errors[j - 1] + (edit != Edit::keep);
            }
        }
    }
};

// The text with the run start … start + length − 1 moved before what is at `target` (after the removal, if inside of it).
void move_run(const std::vector<std::uint32_t>& words, std::size_t start, std::size_t length, std::size_t target,
              std::vector<std::uint32_t>& moved) {
    moved = words;
    const auto at = [&](std::size_t k) { return moved.begin() + static_cast<std::ptrdiff_t>(std::min(k, words.size())); };
    if (target < start) {
        std::rotate(at(target), at(start), at(start + length));
    } else if (target > start + length) {
        std::rotate(at(start), at(start + length), at(target));
    } else {
        std::rotate(at(start), at(start + length), at(length + target));
    }
}

}  // namespace

int translation_edits(Words given, Words reference) {
    const std::size_t n = given.size(), m = reference.size();
    if (!m) return static_cast<int>(n);
    std::vector<std::uint32_t> words(given.begin(), given.end()), moved, best_words;
    Distances distances(reference, n), trial(reference, n);
    int shifts = 0, tried = 0;
    for (;;) {
        const int before = distances.compute(words, 0);
        const Traced traced(distances, n, m);
        trial.compute(words, 0);
        std::size_t same = n;  // the words of `trial` that are those of `words`
        bool found = false;
        std::tuple<int, int, int, int> best;
        for (std::size_t i = 0; i < n && tried < kMostTried; ++i) {
            for (std::size_t j = 0; j < m && tried < kMostTried; ++j) {
                if (std::abs(static_cast<int>(j) - static_cast<int>(i)) > kFarthest) continue;
                for (std::size_t length = 1; length <= kLongestRun && i + length <= n && j + length <= m && tried < kMostTried; ++length) {
                    if (words[i + length - 1] != reference[j + length - 1]) break;
                    if (traced.text_errors[i + length] == traced.text_errors[i]) continue;
                    if (traced.reference_errors[j + length] == traced.reference_errors[j]) continue;
                    const int here = traced.place[j];
                    if (static_cast<int>(i) <= here && here < static_cast<int>(i + length)) continue;
                    int last = -1;
                    for (int offset = -1; offset < static_cast<int>(length); ++offset) {
                        const int at = static_cast<int>(j) + offset;
                        if (at >= static_cast<int>(m)) break;
                        const int target = at == -1 ? 0 : traced.place[static_cast<std::size_t>(at)] + 1;
                        if (target == last) continue;
                        last = target;
                        move_run(words, i, length, static_cast<std::size_t>(target), moved);
                        const std::size_t first = std::min(i, static_cast<std::size_t>(target));  // before it nothing moves
                        const int gain = before - trial.compute(moved, std::min(first, same));
                        same = std::min(first, same);
                        ++tried;
                        const std::tuple candidate{gain, static_cast<int>(length), -static_cast<int>(i), -target};
                        if (found && candidate <= best) continue;
                        found = true;
                        best = candidate;
                        best_words = moved;
                    }
                }
            }
        }
        if (tried >= kMostTried || !found || std::get<0>(best) <= 0) return shifts + before;
        ++shifts;
        words = best_words;
    }
}

std::vector<float> count_edits(const Grouped& translations, const Grouped& references, int n_jobs) {
    const auto n = static_cast<std::size_t>(translations.texts.back());
    std::vector<float> counts(n * kTerCounts);
    parallel(translations.size(), n_jobs, [&](std::size_t s, std::size_t) {
        const auto first = references.texts[s], last = references.texts[s + 1];
        double length = 0;
        for (auto r = first; r < last; ++r) length += double(references.text(r).size());
        for (auto t = translations.texts[s]; t < translations.texts[s + 1]; ++t) {
            int best = std::numeric_limits<int>::max();
            for (auto r = first; r < last; ++r) best = std::min(best, translation_edits(translations.text(t), references.text(r)));
            counts[static_cast<std::size_t>(t) * kTerCounts] = static_cast<float>(best);
            counts[static_cast<std::size_t>(t) * kTerCounts + 1] = static_cast<float>(length / double(last - first));
        }
    });
    return counts;
}

}  // namespace palmette

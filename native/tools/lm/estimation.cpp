#include "tools/lm/estimation.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>

#include "base/crew.hpp"
#include "base/word_table.hpp"

namespace palmette {

namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

constexpr std::size_t kLevelPieces = 32;
constexpr int kMostThreads = 8;  // each needs a byte for each n-gram; more would wait for memory
constexpr u32 kEndsAhead = 16;  // n-grams whose ends are fetched in advance: they lie anywhere

// Calls work(first, last, piece, thread) on ranges of 0 … n; the ranges do not depend on the number of threads.
template <class Work>
void in_ranges(u32 n, Crew& crew, Work&& work) {
    crew(kLevelPieces, [&](std::size_t piece, std::size_t thread) {
        work(static_cast<u32>(u64{n} * piece / kLevelPieces), static_cast<u32>(u64{n} * (piece + 1) / kLevelPieces), piece, thread);
    });
}

// For each n-gram below the highest order, the number of different words in front; for those that begin with <s>,
// which have nothing in front, the number of occurrences.
std::vector<Ids> adjusted_counts(const CountTrie& trie, Crew& crew) {
    std::vector<Ids> adjusted(trie.order());
    // Threads count by themselves, in a byte for each n-gram, and carry what is too much for it.
    std::vector<RawVector<std::uint8_t>> units(crew.size());
    u32 first = WordTable::begin, last = first + 1;  // the n-grams that begin with <s>
    for (int level = 0; level + 1 < trie.order(); ++level) {
        const CountLevel &here = trie.levels[level], &next = trie.levels[level + 1];
        const u32 n = trie.size(level);
        adjusted[level].resize(n);
        u32* counts = adjusted[level].data();
        for (auto& own : units) own.resize(n);
        in_ranges(n, crew, [&](u32 from, u32 to, auto...) {
            std::fill(counts + from, counts + to, 0);
            for (auto& own : units) std::fill(own.begin() + from, own.begin() + to, 0);
        });
        in_ranges(trie.size(level + 1), crew, [&](u32 from, u32 to, std::size_t, std::size_t thread) {
            std::uint8_t* own = units[thread].data();
            for (u32 i = from; i < to; ++i) {
                if (i + kEndsAhead < to) __builtin_prefetch(&own[next.suffixes[i + kEndsAhead]], 1);
                const u32 node = next.suffixes[i];
                if (!++own[node]) std::atomic_ref<u32>(counts[node]).fetch_add(256, std::memory_order_relaxed);
            }
        });
        in_ranges(n, crew, [&](u32 from, u32 to, auto...) {
            for (const auto& own : units)
                for (u32 i = from; i < to; ++i) counts[i] += own[i];
        });
        if (level) std::copy(here.counts.begin() + first, here.counts.begin() + last, counts + first);
        first = here.starts[first];
        last = here.starts[last];
    }
    return adjusted;
}

void log_probs(float* probs, u32 first, u32 last) {
    for (u32 i = first; i < last; ++i) probs[i] = std::min(0.0f, std::log10(probs[i]));
}
float log_backoff(float backoff) { return backoff == 1.0f ? 0.0f : std::log10(backoff); }

class Estimator {
public:
    Estimator(CountTrie&& trie, const EstimationOptions& options) : trie_(std::move(trie)), options_(options), crew_(std::min(options.n_jobs, kMostThreads)) {}

    Estimate run() {
        const bool kneser_ney = options_.smoothing == Smoothing::kneser_ney ||
                                options_.smoothing == Smoothing::modified_kneser_ney;
        const int order = trie_.order();
        std::vector<Ids> adjusted;
        if (kneser_ney) adjusted = adjusted_counts(trie_, crew_);
        made_.model.levels.resize(order);
        std::vector<std::vector<std::uint8_t>> keep(order);
        bool drops = false;
        for (int level = 0; level < order; ++level) {
            CountLevel& from = trie_.levels[level];
            NgramLevel& to = made_.model.levels[level];
            const Ids& counts = kneser_ney && level + 1 < order ? adjusted[level] : from.counts;
            const u32 threshold = level ? threshold_of(level) : 0;
            drops = drops || threshold;
            to.probs.resize(counts.size());
            if (level + 1 < order) to.backoffs.resize(counts.size());
            made_.rules.push_back(rule_of(level, counts));
            if (level) {
                in_ranges(trie_.size(level - 1), crew_, [&](u32 first, u32 last, auto...) {
                    for (u32 h = first; h < last; ++h) normalise(level, h, counts, threshold);
                    // Nothing else looks at backoffs, nor at the longest n-grams: their logarithms are taken while
                    // they are at hand.
                    float* backoffs = made_.model.levels[level - 1].backoffs.data();
                    for (u32 h = first; h < last; ++h) backoffs[h] = log_backoff(backoffs[h]);
                    const Ids& starts = trie_.levels[level - 1].starts;
                    if (level + 1 == order) log_probs(to.probs.data(), starts[first], starts[last]);
                });
            } else {
                lowest(counts);
            }
        }
        if (drops)
            for (int level = 0; level < order; ++level) {
                const u32 threshold = level ? threshold_of(level) : 0;
                for (const u32 count : trie_.levels[level].counts) keep[level].push_back(!level || count > threshold);
            }
        for (int level = 0; level < order; ++level) {
            CountLevel& from = trie_.levels[level];
            NgramLevel& to = made_.model.levels[level];
            to.words = std::move(from.words);
            to.starts = std::move(from.starts);
            to.suffixes = std::move(from.suffixes);
            from = {};
            if (level && level + 1 == order) break;
            in_ranges(static_cast<u32>(to.probs.size()), crew_, [&](u32 first, u32 last, auto...) {
                log_probs(to.probs.data(), first, last);
            });
        }
        if (drops) compact(made_.model, keep);
        return std::move(made_);
    }

private:
    u32 threshold_of(int level) const {
        const std::vector<u32>& given = options_.thresholds;
        return given.empty() ? 0 : given[std::min<std::size_t>(level, given.size() - 1)];
    }

    LevelRule rule_of(int level, const Ids& counts) {
        std::array<u64, 10> n{};
        std::vector<std::array<u64, 10>> found(kLevelPieces, n);
        in_ranges(static_cast<u32>(counts.size()), crew_, [&](u32 first, u32 last, std::size_t piece, std::size_t) {
            for (u32 i = first; i < last; ++i)
                if (counts[i] < 10 && (level || i != WordTable::begin)) ++found[piece][counts[i]];
        });
        for (const auto& piece : found)
            for (int r = 0; r < 10; ++r) n[r] += piece[r];
        bool fell_back = false;
        LevelRule rule = rule_from(options_.smoothing, n, options_.discount, level == 0, fell_back);
        if (fell_back) made_.fallbacks.push_back(level + 1);
        if (options_.smoothing == Smoothing::dirichlet)
            rule.mu = options_.concentration > 0 ? options_.concentration : best_concentration(level, counts);
        return rule;
    }

    // The empty history. All words but <s> are its children, seen or not.
    void lowest(const Ids& counts) {
        const LevelRule& rule = made_.rules[0];
        RawVector<float>& probs = made_.model.levels[0].probs;
        double total = 0, kept = 0;
        u64 unseen = 0;
        for (u32 w = 0; w < counts.size(); ++w) {
            if (w == WordTable::begin) continue;
            total += counts[w];
            kept += rule.kept(counts[w]);
            unseen += !counts[w];
        }
        const double sum = total + rule.mu, rest = (total - kept + rule.mu) / sum;
        const double share = rule.katz ? (unseen ? rest / double(unseen) : 0.0) : rest / double(counts.size() - 1);
        for (u32 w = 0; w < counts.size(); ++w) {
            double p = rule.kept(counts[w]) / sum;
            if (!rule.katz || !counts[w]) p += share;
            if (rule.katz && !unseen) p *= total / kept;
            probs[w] = static_cast<float>(p);
        }
        probs[WordTable::begin] = 1.0f;  // as lmplz has it: <s> is never predicted
    }

    // The children of one history.
    void normalise(int level, u32 h, const Ids& counts, u32 threshold) {
        const CountLevel& here = trie_.levels[level];
        const u32 first = trie_.levels[level - 1].starts[h], last = trie_.levels[level - 1].starts[h + 1];
        float& backoff = made_.model.levels[level - 1].backoffs[h];
        if (first == last) {
            backoff = 1.0f;
            return;
        }
        const LevelRule& rule = made_.rules[level];
        const RawVector<float>& shorter = made_.model.levels[level - 1].probs;
        float* probs = made_.model.levels[level].probs.data();
        double total = 0, kept = 0, below = 0;
        for (u32 i = first; i < last; ++i) {
            total += counts[i];
            if (threshold && here.counts[i] <= threshold) continue;
            kept += rule.kept(counts[i]);
            if (rule.katz) below += shorter[here.suffixes[i]];
        }
        if (rule.katz) {
            // Frequent words alone leave nothing for others: one occurrence more then is theirs.
            double sum = total;
            if (total - kept < 1e-9 * total) sum += 1;
            double scale = 1 / sum;
            const double rest = 1 - kept / sum;
            if (1 - below > 1e-6) {
                backoff = static_cast<float>(rest / (1 - below));
            } else {
                backoff = 0;
                scale = 1 / kept;
            }
            for (u32 i = first; i < last; ++i) probs[i] = static_cast<float>(rule.kept(counts[i]) * scale);
            return;
        }
        const double sum = total + rule.mu, gamma = (total - kept + rule.mu) / sum;
        backoff = static_cast<float>(gamma);
        const u32 end = static_cast<u32>(here.suffixes.size());
        for (u32 i = first; i < last; ++i) {
            if (i + kEndsAhead < end) __builtin_prefetch(&shorter[here.suffixes[i + kEndsAhead]]);
            probs[i] = static_cast<float>(rule.kept(counts[i]) / sum + gamma * shorter[here.suffixes[i]]);
        }
    }

    // The μ at which the occurrences, each predicted from all others, are likeliest: where the derivative of
    //   Σ c(hw) log (c(hw) − 1 + μ p(w|h')) − Σ c(h) log (c(h) − 1 + μ)
    // changes its sign.
    double best_concentration(int level, const Ids& counts) {
        double low = std::log(1e-3), high = std::log(1e7);
        for (int step = 0; step < 30; ++step) {
            const double middle = (low + high) / 2;
            (slope(level, counts, std::exp(middle)) > 0 ? low : high) = middle;
        }
        return std::exp((low + high) / 2);
    }

    double slope(int level, const Ids& counts, double mu) {
        std::vector<double> sums(kLevelPieces, 0.0);
        if (!level) {
            double sum = 0, total = 0;
            const double p = 1.0 / double(counts.size() - 1);
            for (u32 w = 0; w < counts.size(); ++w) {
                if (w == WordTable::begin || !counts[w]) continue;
                sum += counts[w] * p / (counts[w] - 1 + mu * p);
                total += counts[w];
            }
            return sum - total / (total - 1 + mu);
        }
        const CountLevel& here = trie_.levels[level];
        const RawVector<float>& shorter = made_.model.levels[level - 1].probs;
        in_ranges(trie_.size(level - 1), crew_, [&](u32 first, u32 last, std::size_t piece, std::size_t) {
            for (u32 h = first; h < last; ++h) {
                double total = 0;
                for (u32 i = trie_.levels[level - 1].starts[h]; i < trie_.levels[level - 1].starts[h + 1]; ++i) {
                    const double p = shorter[here.suffixes[i]];
                    sums[piece] += counts[i] * p / (counts[i] - 1 + mu * p);
                    total += counts[i];
                }
                if (total > 0) sums[piece] -= total / (total - 1 + mu);
            }
        });
        double sum = 0;
        for (const double piece : sums) sum += piece;
        return sum;
    }

    CountTrie trie_;
    const EstimationOptions& options_;
    Crew crew_;
    Estimate made_;
};

}  // namespace

Estimate estimate(CountTrie&& trie, const EstimationOptions& options) {
    return Estimator(std::move(trie), options).run();
}

}  // namespace palmette

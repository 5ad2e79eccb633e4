#include "tools/translation/significance.hpp"

#include <algorithm>
#include <cmath>

#include "base/parallel.hpp"
#include "tools/alignment/phrase_trie.hpp"

namespace palmette {

namespace {

double log_choose(double n, double k) { return std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1); }

// The sentences that each phrase occurs in: those of phrase k are sentences[begin[k]] … and rise.
struct Postings {
    std::vector<std::size_t> begin;
    std::vector<std::uint32_t> sentences;
    std::span<const std::uint32_t> of(std::size_t k) const { return std::span(sentences).subspan(begin[k], begin[k + 1] - begin[k]); }
};

// walk(words, n, use): calls use(phrase) for every phrase at the beginning of n words.
template <class Walk>
Postings postings(const Side& side, std::size_t n_phrases, Walk walk) {
    Postings found{std::vector<std::size_t>(n_phrases + 1), {}};
    std::vector<std::uint32_t> phrases;
    std::vector<std::size_t> next;
    for (const bool counting : {true, false}) {
        for (std::size_t s = 0; s + 1 < side.offsets.size(); ++s) {
            if (s % 1024 == 0) check_interrupt();
            phrases.clear();
            for (std::size_t k = 0; k < side.length(s); ++k)
                walk(side.sentence(s) + k, side.length(s) - k, [&](std::uint32_t phrase) { phrases.push_back(phrase); });
            std::sort(phrases.begin(), phrases.end());
            phrases.erase(std::unique(phrases.begin(), phrases.end()), phrases.end());
            for (const std::uint32_t phrase : phrases) {
                if (counting)
                    ++found.begin[phrase + std::size_t{1}];
                else
                    found.sentences[next[phrase]++] = static_cast<std::uint32_t>(s);
            }
        }
        if (!counting) break;
        for (std::size_t k = 0; k < n_phrases; ++k) found.begin[k + 1] += found.begin[k];
        next.assign(found.begin.begin(), found.begin.end() - 1);
        found.sentences.resize(found.begin.back());
    }
    return found;
}

std::uint32_t shared(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b) {
    if (a.size() > b.size()) std::swap(a, b);
    std::uint32_t n = 0;
    if (16 * a.size() < b.size()) {
        for (const std::uint32_t s : a) n += std::binary_search(b.begin(), b.end(), s);
        return n;
    }
    for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
        n += a[i] == b[j];
        const bool low = a[i] <= b[j], high = b[j] <= a[i];
        i += low, j += high;
    }
    return n;
}

}  // namespace

double surprise(std::uint32_t both, std::uint32_t source, std::uint32_t target, std::uint32_t n) {
    const double c = both, s = source, t = target, rest = static_cast<double>(n) - s - t;
    const double least = std::max(0.0, -rest);
    if (c <= least) return 0;  // it cannot be less
    const double first = log_choose(s, c) + log_choose(n - s, t - c) - log_choose(n, t);
    double sum = 1, term = 1;
    for (double k = c; k < std::min(s, t) && term > sum * 1e-17; ++k) {
        term *= (s - k) * (t - k) / ((k + 1) * (rest + k + 1));
        sum += term;
    }
    return std::max(0.0, -(first + std::log(sum)));
}

std::vector<std::uint32_t> sentence_counts(const PhraseTableView& table, const Side& source, const Side& target, int n_jobs) {
    PhraseTrie targets;
    std::vector<std::uint32_t> phrase_of{PhraseTrie::none};  // by node
    for (std::uint32_t t = 0; t < table.n_targets(); ++t) {
        const std::uint32_t node = targets.insert(table.target_words.subspan(table.target_begin[t], table.target_begin[t + 1] - table.target_begin[t]));
        phrase_of.resize(targets.size(), PhraseTrie::none);
        phrase_of[node] = t;
    }
    Postings of_source, of_target;
    parallel(2, n_jobs, [&](std::size_t side, std::size_t) {
        if (side == 0)
            of_source = postings(source, table.n_nodes(), [&](const std::int32_t* words, std::size_t n, auto use) {
                std::uint32_t node = 0;
                for (std::size_t k = 0; k < n && words[k] >= 0; ++k) {
                    node = table.child(node, static_cast<std::uint32_t>(words[k]));
                    if (node == PhraseTableView::none) return;
                    if (table.pair_begin[node] < table.pair_begin[node + 1]) use(node);
                }
            });
        else
            of_target = postings(target, table.n_targets(), [&](const std::int32_t* words, std::size_t n, auto use) {
                std::uint32_t node = 0;
                for (std::size_t k = 0; k < n && words[k] >= 0; ++k) {
                    node = targets.find(node, static_cast<std::uint32_t>(words[k]));
                    if (node == PhraseTrie::none) return;
                    if (phrase_of[node] != PhraseTrie::none) use(phrase_of[node]);
                }
            });
    });
    std::vector<std::uint32_t> counts(3 * table.n_pairs());
    constexpr std::size_t kNodes = 1024;
    parallel((table.n_nodes() + kNodes - 1) / kNodes, n_jobs, [&](std::size_t piece, std::size_t) {
        for (std::size_t v = piece * kNodes; v < std::min(table.n_nodes(), (piece + 1) * kNodes); ++v)
            for (std::size_t p = table.pair_begin[v]; p < table.pair_begin[v + 1]; ++p) {
                const auto s = of_source.of(v), t = of_target.of(table.pair_target[p]);
                counts[3 * p] = static_cast<std::uint32_t>(s.size());
                counts[3 * p + 1] = static_cast<std::uint32_t>(t.size());
                counts[3 * p + 2] = shared(s, t);
            }
    });
    return counts;
}

}  // namespace palmette

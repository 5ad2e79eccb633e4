#include "ngram_counts.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "ngram_sorting.hpp"
#include "parallel.hpp"
#include "word_table.hpp"

namespace palmette {

namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;
using Counters = std::array<u32, kMostWords>;  // a number for each level

constexpr std::size_t kPieces = 128;  // of the text, in order of first words
constexpr std::size_t kAhead = 20;    // places whose nodes are fetched in advance

// The places of a text in order of their words: those of word w are places[bounds[w]] … places[bounds[w + 1]].
struct ByFirstWord {
    Ids places, bounds;
};

ByFirstWord by_first_word(std::span<const u32> tokens, u32 n_words, int n_jobs) {
    const std::size_t n = tokens.size(), parts = std::clamp<std::size_t>(n_jobs, 1, 1 + n / 4096);
    std::vector<Ids> next(parts);  // how often each part has each word; then where the next place of it goes
    const auto in_parts = [&](auto&& work) {
        parallel(parts, n_jobs, [&](std::size_t part, std::size_t) {
            work(next[part], static_cast<u32>(n * part / parts), static_cast<u32>(n * (part + 1) / parts));
        });
    };
    in_parts([&](Ids& counts, u32 first, u32 last) {
        counts.assign(n_words, 0);
        for (u32 i = first; i < last; ++i) ++counts[tokens[i]];
    });
    ByFirstWord made{Ids(n), Ids(n_words + 1)};
    u32 sum = 0;
    for (u32 w = 0; w < n_words; ++w) {
        made.bounds[w] = sum;
        for (Ids& part : next) {
            const u32 count = part[w];
            part[w] = sum;
            sum += count;
        }
    }
    made.bounds[n_words] = sum;
    in_parts([&](Ids& at, u32 first, u32 last) {
        for (u32 i = first; i < last; ++i) made.places[at[tokens[i]]++] = i;
    });
    return made;
}

// Words in ranges with about the same number of places.
Ids cut(const Ids& bounds, std::size_t pieces) {
    Ids cuts{0};
    const u32 n = static_cast<u32>(bounds.size() - 1);
    for (std::size_t i = 1; i < pieces; ++i) {
        const u32 wanted = static_cast<u32>(u64{bounds.back()} * i / pieces);
        const auto found = std::lower_bound(bounds.begin() + cuts.back(), bounds.end() - 1, wanted);
        cuts.push_back(std::min(n, static_cast<u32>(found - bounds.begin())));
    }
    cuts.push_back(n);
    return cuts;
}

class Counter {
public:
    Counter(std::span<const u32> tokens, u32 n_words, int order, int n_jobs)
        : tokens_(tokens), n_words_(n_words), order_(order), n_jobs_(n_jobs), n_noted_(std::max(order - 2, 0)),
          stride_(n_noted_ ? std::bit_ceil(static_cast<unsigned>(n_noted_)) : 0) {}

    CountTrie run() {
        trie_.levels.resize(order_);
        sorted_ = by_first_word(tokens_, n_words_, n_jobs_);
        Ids& counts = trie_.levels[0].counts;
        counts.resize(n_words_);
        for (u32 w = 0; w < n_words_; ++w) counts[w] = sorted_.bounds[w + 1] - sorted_.bounds[w];
        if (order_ == 1) return std::move(trie_);

        cuts_ = cut(sorted_.bounds, kPieces);
        marks_.resize(tokens_.size());
        new_words_.resize(kPieces);
        sort();
        first_.resize(kPieces + 1);
        for (std::size_t piece = 0; piece < kPieces; ++piece)
            for (int level = 1; level < order_; ++level)
                first_[piece + 1][level] = first_[piece][level] + sizes_[piece][level];
        for (int level = 0; level < order_; ++level) {
            CountLevel& here = trie_.levels[level];
            const u32 n = level ? first_[kPieces][level] : n_words_;
            if (level) here.words.resize(n), here.counts.resize(n), here.suffixes.resize(n);
            if (level + 1 < order_) here.starts.resize(n + std::size_t{1}), here.starts[n] = first_[kPieces][level + 1];
        }
        ids_.resize(tokens_.size() * stride_);
        parallel(kPieces, n_jobs_, [&](std::size_t piece, std::size_t) { fill(piece); });
        parallel(kPieces, n_jobs_, [&](std::size_t piece, std::size_t) { link(piece); });
        return std::move(trie_);
    }

private:
    // Sorts the places of each word by the words that follow.
    void sort() {
        sizes_.resize(kPieces);
        std::vector<NgramSorter> sorters(std::max(n_jobs_, 1), NgramSorter(tokens_, n_words_, order_));
        parallel(kPieces, n_jobs_, [&](std::size_t piece, std::size_t thread) {
            NgramSorter& sorter = sorters[thread];
            sorter.new_words.clear();
            sorter.sizes = {};
            for (u32 w = cuts_[piece]; w < cuts_[piece + 1]; ++w) {
                const u32 first = sorted_.bounds[w], n = sorted_.bounds[w + 1] - first;
                if (n && w != WordTable::end) sorter.sort(sorted_.places.data() + first, n, marks_.data() + first);
            }
            new_words_[piece] = sorter.new_words;
            sizes_[piece] = sorter.sizes;
        });
    }

    // Numbers the nodes, and notes at every place of the text the nodes that begin there, but for the longest.
    void fill(std::size_t piece) {
        Counters next = first_[piece], begun{};
        const u32* word = new_words_[piece].data();
        std::array<CountLevel*, kMostWords> levels{};
        for (int level = 0; level < order_; ++level) levels[level] = &trie_.levels[level];
        for (u32 w = cuts_[piece]; w < cuts_[piece + 1]; ++w) {
            levels[0]->starts[w] = next[1];
            const u32 first = sorted_.bounds[w], last = sorted_.bounds[w + 1];
            if (w == WordTable::end) continue;
            int open = 1;  // nodes of levels 1 … open - 1 are not complete yet
            const auto close = [&](int from, u32 at) {
                for (int level = from; level < open; ++level) levels[level]->counts[next[level] - 1] = at - begun[level];
            };
            for (u32 i = first; i < last; ++i) {
                if (stride_ && i + kAhead < tokens_.size())
                    __builtin_prefetch(ids_.data() + sorted_.places[i + kAhead] * stride_, 1);
                const NgramSorter::Mark mark = marks_[i];
                if (mark.n_new) {
                    const int level = mark.same, top = level + mark.n_new;
                    close(level, i);
                    open = top;
                    for (int k = level; k < top; ++k) {
                        const u32 id = next[k]++;
                        levels[k]->words[id] = *word++;
                        if (k + 1 < order_) levels[k]->starts[id] = next[k + 1];
                        begun[k] = i;
                    }
                }
                u32* ids = ids_.data() + sorted_.places[i] * stride_;
                for (int k = 1; k <= n_noted_ && k < open; ++k) ids[k - 1] = next[k] - 1;
            }
            close(1, last);
        }
        new_words_[piece] = {};
    }

    // What a node is without its first word begins one place on.
    void link(std::size_t piece) {
        Counters next = first_[piece];
        const u32 first = sorted_.bounds[cuts_[piece]], last = sorted_.bounds[cuts_[piece + 1]];
        const u32 skip = sorted_.bounds[WordTable::end], skipped = sorted_.bounds[WordTable::end + 1];
        for (u32 i = first; i < last; ++i) {
            if (i >= skip && i < skipped) continue;
            if (stride_ && i + kAhead < last) __builtin_prefetch(ids_.data() + (sorted_.places[i + kAhead] + 1) * stride_);
            const NgramSorter::Mark mark = marks_[i];
            const u32* ids = ids_.data() + (sorted_.places[i] + 1) * stride_;
            for (int k = mark.same, top = mark.same + mark.n_new; k < top; ++k) {
                CountLevel& here = trie_.levels[k];
                const u32 id = next[k]++;
                here.suffixes[id] = k == 1 ? here.words[id] : ids[k - 2];
            }
        }
    }

    std::span<const u32> tokens_;
    u32 n_words_;
    int order_, n_jobs_;
    int n_noted_;         // levels whose nodes are noted at every place
    std::size_t stride_;  // of these notes, so that none lies across cache lines
    CountTrie trie_;
    ByFirstWord sorted_;
    Ids cuts_;                                   // where the words of each piece begin
    RawVector<NgramSorter::Mark> marks_;       // of each place, in order
    std::vector<Ids> new_words_;                 // of each piece: the last words of its nodes, place by place
    std::vector<Counters> sizes_, first_;        // nodes of each piece, and where they begin, by level
    Ids ids_;                                    // of the nodes of levels 1 … order - 2 that begin at each place
};

}  // namespace

CountTrie count_ngrams(std::span<const u32> tokens, u32 n_words, int order, int n_jobs) {
    return Counter(tokens, n_words, order, n_jobs).run();
}

}  // namespace palmette

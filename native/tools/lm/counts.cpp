#include "tools/lm/counts.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>

#include "base/crew.hpp"
#include "base/word_table.hpp"
#include "tools/lm/sorting.hpp"

namespace palmette {

namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;
using Counters = std::array<u32, kMostWords>;  // a number for each level

constexpr std::size_t kPieces = 128;  // of the text, in order of first words
constexpr u32 kAhead = 12;            // places whose ranks are fetched in advance

// The places of a text in order of their words: those of word w are places[bounds[w]] … places[bounds[w + 1]].
struct ByFirstWord {
    Ids places, bounds;
};

ByFirstWord by_first_word(std::span<const u32> tokens, u32 n_words, Crew& crew) {
    const std::size_t n = tokens.size(), parts = std::min(crew.size(), 1 + n / std::max(n_words, 4096u));
    std::vector<Ids> next(parts);  // how often each part has each word; then where the next place of it goes
    const auto in_parts = [&](auto&& work) {
        crew(parts, [&](std::size_t part, std::size_t) {
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
        : tokens_(tokens), n_words_(n_words), order_(order), crew_(n_jobs), n_noted_(std::max(order - 2, 0)) {}

    CountTrie run() {
        trie_.levels.resize(order_);
        sorted_ = by_first_word(tokens_, n_words_, crew_);
        Ids& counts = trie_.levels[0].counts;
        counts.resize(n_words_);
        for (u32 w = 0; w < n_words_; ++w) counts[w] = sorted_.bounds[w + 1] - sorted_.bounds[w];
        if (order_ == 1) return std::move(trie_);

        cuts_ = cut(sorted_.bounds, kPieces);
        marks_.resize(tokens_.size());
        ranks_.resize(tokens_.size() + 1);
        ranks_.back() = 0;
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
        blocks_.resize((tokens_.size() / 64 + 1) * n_noted_);
        crew_(kPieces, [&](std::size_t piece, std::size_t) { fill(piece); });
        crew_(kPieces, [&](std::size_t piece, std::size_t) { link(piece); });
        return std::move(trie_);
    }

private:
    // Sorts the places of each word by the words that follow.
    void sort() {
        sizes_.resize(kPieces);
        std::vector<NgramSorter> sorters(crew_.size(), NgramSorter(tokens_, n_words_, order_));
        crew_(kPieces, [&](std::size_t piece, std::size_t thread) {
            NgramSorter& sorter = sorters[thread];
            sorter.new_words.clear();
            sorter.sizes = {};
            for (u32 w = cuts_[piece]; w < cuts_[piece + 1]; ++w) {
                const u32 first = sorted_.bounds[w], n = sorted_.bounds[w + 1] - first;
                u32* places = sorted_.places.data() + first;
                if (w == WordTable::end)
                    std::fill_n(marks_.begin() + first, n, NgramSorter::Mark{});
                else if (n)
                    sorter.sort(places, n, marks_.data() + first);
                for (u32 i = 0; i < n; ++i) ranks_[places[i]] = first + i;
            }
            new_words_[piece] = sorter.new_words;
            sizes_[piece] = sorter.sizes;
        });
    }

    // Numbers the nodes.
    void fill(std::size_t piece) {
        Counters next = first_[piece], begun{};
        std::array<u64, kMostWords> bits{};
        const u32* word = new_words_[piece].data();
        std::array<CountLevel*, kMostWords> levels{};
        for (int level = 0; level < order_; ++level) levels[level] = &trie_.levels[level];
        for (u32 w = cuts_[piece]; w < cuts_[piece + 1]; ++w) {
            levels[0]->starts[w] = next[1];
            const u32 first = sorted_.bounds[w], last = sorted_.bounds[w + 1];
            int open = 1;  // nodes of levels 1 … open - 1 are not complete yet
            const auto close = [&](int from, u32 at) {
                for (int level = from; level < open; ++level) levels[level]->counts[next[level] - 1] = at - begun[level];
            };
            for (u32 i = first; i < last; ++i) {
                if (i % 64 == 0) begin_block(i, next, bits);
                const NgramSorter::Mark mark = marks_[i];
                if (!mark.n_new) continue;
                const int level = mark.same, top = level + mark.n_new;
                close(level, i);
                open = top;
                for (int k = level; k < top; ++k) {
                    const u32 id = next[k]++;
                    levels[k]->words[id] = *word++;
                    if (k + 1 < order_) levels[k]->starts[id] = next[k + 1];
                    begun[k] = i;
                    bits[k] |= u64{1} << i % 64;
                }
            }
            close(1, last);
        }
        end_block(sorted_.bounds[cuts_[piece + 1]], bits);
        new_words_[piece] = {};
    }

    // Two pieces may share a block: each adds its own bits.
    void end_block(u32 end, std::array<u64, kMostWords>& bits) {
        for (int k = 1; k <= n_noted_; ++k) {
            if (!bits[k]) continue;
            Block& block = blocks_[(end - 1) / 64 * n_noted_ + k - 1];
            std::atomic_ref(block.bits).fetch_or(bits[k], std::memory_order_relaxed);
        }
        bits = {};
    }
    void begin_block(u32 i, const Counters& next, std::array<u64, kMostWords>& bits) {
        if (i) end_block(i, bits);
        for (int k = 1; k <= n_noted_; ++k) blocks_[i / 64 * n_noted_ + k - 1].before = next[k];
    }

    // What a node is without its first word begins one place on.
    void link(std::size_t piece) {
        Counters next = first_[piece];
        const u32 first = sorted_.bounds[cuts_[piece]], last = sorted_.bounds[cuts_[piece + 1]];
        const u32* places = sorted_.places.data();
        for (u32 i = first; i < last; ++i) {
            if (i + 2 * kAhead < last) __builtin_prefetch(&ranks_[places[i + 2 * kAhead] + 1]);
            if (i + kAhead < last) __builtin_prefetch(blocks_.data() + ranks_[places[i + kAhead] + 1] / 64 * n_noted_);
            const NgramSorter::Mark mark = marks_[i];
            if (!mark.n_new) continue;
            const u32 rank = ranks_[places[i] + 1];
            const Block* blocks = blocks_.data() + rank / 64 * n_noted_;
            const u64 upto = ~u64{0} >> (63 - rank % 64);
            for (int k = mark.same, top = mark.same + mark.n_new; k < top; ++k) {
                CountLevel& here = trie_.levels[k];
                const u32 id = next[k]++;
                if (k == 1) {
                    here.suffixes[id] = here.words[id];
                } else {
                    const Block& block = blocks[k - 2];
                    here.suffixes[id] = block.before + static_cast<u32>(std::popcount(block.bits & upto)) - 1;
                }
            }
        }
    }

    // Of 64 places in order, at which a node of a level appears first, and how many nodes came before.
    struct Block {
        u64 bits = 0;
        u32 before = 0;
    };

    std::span<const u32> tokens_;
    u32 n_words_;
    int order_;
    Crew crew_;
    int n_noted_;  // levels whose nodes are the ends of longer n-grams
    CountTrie trie_;
    ByFirstWord sorted_;
    Ids cuts_;                              // where the words of each piece begin
    RawVector<NgramSorter::Mark> marks_;    // of each place, in order
    Ids ranks_;                             // where in this order a place of the text is; 0 after the last
    std::vector<Ids> new_words_;            // of each piece: the last words of its nodes, place by place
    std::vector<Counters> sizes_, first_;   // nodes of each piece, and where they begin, by level
    std::vector<Block> blocks_;             // of levels 1 … n_noted_
};

}  // namespace

CountTrie count_ngrams(std::span<const u32> tokens, u32 n_words, int order, int n_jobs) {
    return Counter(tokens, n_words, order, n_jobs).run();
}

}  // namespace palmette

#include "ngram_counts.hpp"

#include <algorithm>
#include <atomic>

#include "parallel.hpp"
#include "word_table.hpp"

namespace palmette {

namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

constexpr std::size_t kRadix = 256;  // groups at least as large are sorted by digits
constexpr std::size_t kAhead = 24;  // places whose next words are fetched in advance

// A word of the text, and the node of the n-gram that begins there, of the level refined last. What a refinement
// looks at, the next word and the id one place on, lies together.
struct Place {
    u32 token, id;
};

// Groups of equal n-grams: group g is places[bounds[g]] … places[bounds[g + 1]].
struct Groups {
    Ids places, bounds;
};

// Sorts (word, place) pairs by word; `spare` has room for as many.
void sort_pairs(u64* first, std::size_t n, u64* spare, int word_bits) {
    if (n < kRadix) {
        std::sort(first, first + n);
        return;
    }
    // Places come in order, so that sorting by words, stably, is enough.
    constexpr int bits = 9;
    constexpr u32 mask = (1 << bits) - 1;
    u64 *from = first, *to = spare;
    for (int shift = 32; shift < 32 + word_bits; shift += bits) {
        u32 count[1 << bits] = {};
        for (std::size_t i = 0; i < n; ++i) ++count[from[i] >> shift & mask];
        u32 sum = 0;
        for (u32& c : count) {
            const u32 here = c;
            c = sum;
            sum += here;
        }
        for (std::size_t i = 0; i < n; ++i) to[count[from[i] >> shift & mask]++] = from[i];
        std::swap(from, to);
    }
    if (from != first) std::copy(from, from + n, first);
}

Groups by_first_word(std::span<const u32> tokens, u32 n_words, int n_jobs) {
    Groups groups{Ids(tokens.size()), Ids(n_words + 1, 0)};
    // Words from low to high numbers in ranges of about the same number of places; each thread scatters its own.
    for (const u32 word : tokens) ++groups.bounds[word + 1];
    for (u32 w = 0; w < n_words; ++w) groups.bounds[w + 1] += groups.bounds[w];
    Ids next(groups.bounds.begin(), groups.bounds.end() - 1);
    const std::size_t pieces = std::max(n_jobs, 1);
    parallel(pieces, n_jobs, [&](std::size_t piece, std::size_t) {
        const u32 low = tokens.size() * piece / pieces, high = tokens.size() * (piece + 1) / pieces;
        const auto word_at = [&](u32 place) {
            return static_cast<u32>(std::lower_bound(groups.bounds.begin(), groups.bounds.end() - 1, place) -
                                    groups.bounds.begin());
        };
        const u32 first = piece ? word_at(low) : 0, last = piece + 1 < pieces ? word_at(high) : n_words;
        for (u32 i = 0; i < tokens.size(); ++i)
            if (tokens[i] >= first && tokens[i] < last) groups.places[next[tokens[i]]++] = i;
    });
    return groups;
}

// What one thread makes of a range of groups.
struct Refined {
    Ids words, counts, suffixes, places;
};

// Splits each group of (depth)-grams by the next word. `starts` becomes the number of children of each.
void refine(const std::vector<Place>& text, const Groups& groups, u32 first, u32 last, u32 depth, int word_bits,
            const Ids* own_words, Ids& starts, Refined& out) {
    std::vector<u64> pairs, spare;
    const u32* places = groups.places.data();
    const u32 end = groups.bounds[last];
    for (Ids* ids : {&out.words, &out.counts, &out.suffixes, &out.places}) ids->reserve(end - groups.bounds[first]);
    const auto child = [&](u32 word, u32 count, u32 place) {
        out.words.push_back(word);
        out.counts.push_back(count);
        out.suffixes.push_back(depth == 1 ? word : text[place + 1].id);
    };
    u32 fetched = groups.bounds[first];
    const auto fetch = [&](u32 to) {
        for (; fetched < std::min(to, end); ++fetched) {
            __builtin_prefetch(&text[places[fetched] + 1]);
            __builtin_prefetch(&text[places[fetched] + depth]);
        }
    };
    for (u32 g = first; g < last; ++g) {
        const u32 begin = groups.bounds[g], n = groups.bounds[g + 1] - begin;
        const std::size_t before = out.words.size();
        fetch(begin + kAhead);
        if ((own_words ? (*own_words)[g] : g) == WordTable::end || !n) {
            starts[g] = 0;
            fetched = std::max(fetched, begin + n);
            continue;
        }
        if (n == 1) {
            child(text[places[begin] + depth].token, 1, places[begin]);
            out.places.push_back(places[begin]);
            starts[g] = 1;
            continue;
        }
        if (pairs.size() < n) pairs.resize(n);
        if (n >= kRadix && spare.size() < n) spare.resize(n);
        for (u32 i = 0; i < n; ++i) {
            const u32 place = places[begin + i];
            fetch(begin + i + kAhead);
            pairs[i] = u64{text[place + depth].token} << 32 | place;
        }
        sort_pairs(pairs.data(), n, spare.data(), word_bits);
        for (u32 i = 0; i < n;) {
            const u32 word = pairs[i] >> 32;
            u32 j = i;
            for (; j < n && pairs[j] >> 32 == word; ++j) out.places.push_back(static_cast<u32>(pairs[j]));
            child(word, j - i, static_cast<u32>(pairs[i]));
            i = j;
        }
        starts[g] = static_cast<u32>(out.words.size() - before);
    }
}

// Ranges of groups with about the same number of places.
Ids cut(const Ids& bounds, std::size_t pieces) {
    Ids cuts{0};
    const u32 n = static_cast<u32>(bounds.size() - 1);
    for (std::size_t i = 1; i < pieces; ++i) {
        const u32 wanted = static_cast<u32>(u64{bounds.back()} * i / pieces);
        cuts.push_back(std::max(cuts.back(), static_cast<u32>(std::lower_bound(bounds.begin(), bounds.end(), wanted) -
                                                              bounds.begin())));
        cuts.back() = std::min(cuts.back(), n);
    }
    cuts.push_back(n);
    return cuts;
}

}  // namespace

CountTrie count_ngrams(std::span<const u32> tokens, u32 n_words, int order, int n_jobs) {
    CountTrie trie;
    trie.levels.resize(order);
    int word_bits = 1;
    while (word_bits < 32 && n_words >> word_bits) ++word_bits;
    Groups groups = by_first_word(tokens, n_words, n_jobs);
    trie.levels[0].counts.resize(n_words);
    for (u32 w = 0; w < n_words; ++w) trie.levels[0].counts[w] = groups.bounds[w + 1] - groups.bounds[w];

    std::vector<Place> text(tokens.size());
    for (std::size_t i = 0; i < tokens.size(); ++i) text[i] = {tokens[i], 0};
    for (int level = 0; level + 1 < order; ++level) {
        const std::size_t pieces = n_jobs > 1 ? 4 * n_jobs : 1;
        const Ids cuts = cut(groups.bounds, pieces);
        std::vector<Refined> made(pieces);
        CountLevel &here = trie.levels[level], &next = trie.levels[level + 1];
        here.starts.assign(groups.bounds.size(), 0);
        parallel(pieces, n_jobs, [&](std::size_t i, std::size_t) {
            refine(text, groups, cuts[i], cuts[i + 1], level + 1, word_bits, level ? &here.words : nullptr,
                   here.starts, made[i]);
        });
        u32 sum = 0;
        for (u32& start : here.starts) {
            const u32 n = start;
            start = sum;
            sum += n;
        }
        std::vector<std::size_t> node(pieces + 1, 0), place(pieces + 1, 0);
        for (std::size_t i = 0; i < pieces; ++i) {
            node[i + 1] = node[i] + made[i].words.size();
            place[i + 1] = place[i] + made[i].places.size();
        }
        next.words.resize(sum);
        next.counts.resize(sum);
        next.suffixes.resize(sum);
        groups.bounds.resize(sum + 1);
        groups.places.resize(place.back());
        const bool last = level + 2 == order;
        parallel(pieces, n_jobs, [&](std::size_t i, std::size_t) {
            const Refined& piece = made[i];
            std::copy(piece.words.begin(), piece.words.end(), next.words.begin() + node[i]);
            std::copy(piece.counts.begin(), piece.counts.end(), next.counts.begin() + node[i]);
            std::copy(piece.suffixes.begin(), piece.suffixes.end(), next.suffixes.begin() + node[i]);
            if (!last) {
                std::copy(piece.places.begin(), piece.places.end(), groups.places.begin() + place[i]);
                u32 bound = static_cast<u32>(place[i]), k = 0;
                for (std::size_t j = 0; j < piece.counts.size(); ++j) {
                    const u32 id = static_cast<u32>(node[i] + j);
                    groups.bounds[id] = bound;
                    bound += piece.counts[j];
                    for (u32 n = piece.counts[j]; n; --n, ++k) {
                        if (k + kAhead < piece.places.size()) __builtin_prefetch(&text[piece.places[k + kAhead]], 1);
                        text[piece.places[k]].id = id;
                    }
                }
            }
            made[i] = {};
        });
        if (!last) groups.bounds[sum] = static_cast<u32>(groups.places.size());
    }
    return trie;
}

void link_suffixes(CountTrie& trie, int n_jobs) {
    for (int level = 1; level < trie.order(); ++level) {
        CountLevel& here = trie.levels[level];
        const CountLevel &above = trie.levels[level - 1];
        here.suffixes.resize(here.words.size());
        if (level == 1) {
            here.suffixes = here.words;
            continue;
        }
        const u32 n = trie.size(level - 1);
        const std::size_t pieces = n_jobs > 1 ? 8 * n_jobs : 1;
        parallel(pieces, n_jobs, [&](std::size_t piece, std::size_t) {
            for (u32 node = u64{n} * piece / pieces, last = u64{n} * (piece + 1) / pieces; node < last; ++node) {
                const u32 shorter = above.suffixes[node];
                const CountLevel& lower = trie.levels[level - 2];
                auto from = above.words.begin() + lower.starts[shorter];
                const auto to = above.words.begin() + lower.starts[shorter + 1];
                for (u32 child = above.starts[node]; child < above.starts[node + 1]; ++child) {
                    from = std::lower_bound(from, to, here.words[child]);
                    here.suffixes[child] = static_cast<u32>(from - above.words.begin());
                }
            }
        });
    }
}

CountTrie merge_counts(const CountTrie& a, const CountTrie& b) {
    const int order = a.order();
    CountTrie sum;
    sum.levels.resize(order);
    const u32 n_words = std::max(a.size(0), b.size(0));
    constexpr u32 none = 0xFFFFFFFFu;
    // For each node of the sum where it comes from in a and in b.
    Ids in_a(n_words, none), in_b(n_words, none);
    sum.levels[0].counts.assign(n_words, 0);
    for (u32 w = 0; w < n_words; ++w) {
        if (w < a.size(0)) sum.levels[0].counts[in_a[w] = w] += a.levels[0].counts[w];
        if (w < b.size(0)) sum.levels[0].counts[in_b[w] = w] += b.levels[0].counts[w];
    }
    for (int level = 0; level + 1 < order; ++level) {
        CountLevel &here = sum.levels[level], &next = sum.levels[level + 1];
        Ids next_a, next_b;
        for (std::size_t node = 0; node < in_a.size(); ++node) {
            here.starts.push_back(static_cast<u32>(next.words.size()));
            u32 i = 0, i_end = 0, j = 0, j_end = 0;
            if (in_a[node] != none) i = a.levels[level].starts[in_a[node]], i_end = a.levels[level].starts[in_a[node] + 1];
            if (in_b[node] != none) j = b.levels[level].starts[in_b[node]], j_end = b.levels[level].starts[in_b[node] + 1];
            while (i < i_end || j < j_end) {
                const u32 from_a = i < i_end ? a.levels[level + 1].words[i] : none;
                const u32 from_b = j < j_end ? b.levels[level + 1].words[j] : none;
                const u32 word = std::min(from_a, from_b);
                u32 count = 0;
                next_a.push_back(from_a == word ? i : none);
                next_b.push_back(from_b == word ? j : none);
                if (from_a == word) count += a.levels[level + 1].counts[i++];
                if (from_b == word) count += b.levels[level + 1].counts[j++];
                next.words.push_back(word);
                next.counts.push_back(count);
            }
        }
        here.starts.push_back(static_cast<u32>(next.words.size()));
        in_a.swap(next_a);
        in_b.swap(next_b);
    }
    return sum;
}

}  // namespace palmette

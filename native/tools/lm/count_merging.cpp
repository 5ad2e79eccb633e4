#include <algorithm>

#include "base/parallel.hpp"
#include "tools/lm/counts.hpp"

namespace palmette {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

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

#include "ngram_query.hpp"

#include <algorithm>
#include <cmath>

#include "ngram_text.hpp"
#include "parallel.hpp"

namespace palmette {

namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

constexpr u32 kAhead = 6;        // words between fetching lines and reading them
constexpr u32 kRing = 8;         // keys are kept for as many words; a power of two above kAhead
constexpr std::size_t kBatch = 256;  // sentences of a piece

// What was found of the n-grams that end at a word.
struct Found {
    int length = 0;
    float prob = 0;
    std::array<float, kMaxOrder> backoffs;  // backoffs[k - 1] of the last k words
};

float sum_backoffs(const Found& before, int length, int history) {
    float sum = 0;
    for (int k = length; k <= std::min(before.length, history); ++k) sum += before.backoffs[k - 1];
    return sum;
}

// Words of several sentences one after another. `history` of a word is the number of words before it that count.
struct Words {
    std::vector<u32> ids;
    std::vector<std::uint8_t> history;
    std::vector<std::uint8_t> counts;  // whether the word is to be scored: all but <s> are
};

void read_words(const WordTable& table, std::string_view text, int order, bool begins, bool ends, Words& out) {
    int history = 0;
    const auto add = [&](u32 id, bool counts) {
        out.ids.push_back(id);
        out.history.push_back(static_cast<std::uint8_t>(history));
        out.counts.push_back(counts);
        if (history < order - 1) ++history;
    };
    if (begins) add(WordTable::begin, false);
    const char *at = text.data(), *const end = at + text.size();
    for (;;) {
        while (at < end && is_blank(*at)) ++at;
        if (at == end) break;
        const char* first = at;
        while (at < end && !is_blank(*at)) ++at;
        add(table.find({first, static_cast<std::size_t>(at - first)}), true);
    }
    if (ends) add(WordTable::end, true);
}

// Calls take(index, score) for every word, from the table.
template <class Take>
void walk_table(const TableView& table, std::span<const float> unigrams, int order, const Words& words, Take&& take) {
    std::array<std::array<u64, kMaxOrder>, kRing> keys;
    const u32 n = static_cast<u32>(words.ids.size());
    Found before, now;
    const auto fetch = [&](u32 i) {
        auto &own = keys[i % kRing], &last = keys[(i - 1) % kRing];
        const u32 word = words.ids[i];
        own[0] = table.start(word);
        for (int k = 1; k <= words.history[i]; ++k) {
            own[k] = TableView::extend(last[k - 1], word);
            table.prefetch(own[k]);
        }
        __builtin_prefetch(&unigrams[2 * word]);
    };
    for (u32 i = 0; i < std::min(n, kAhead); ++i) fetch(i);
    for (u32 i = 0; i < n; ++i) {
        if (i + kAhead < n) fetch(i + kAhead);
        const u32 word = words.ids[i];
        const int history = words.history[i];
        now.prob = unigrams[2 * word];
        now.backoffs[0] = unigrams[2 * word + 1];
        now.length = 1;
        const auto& own = keys[i % kRing];
        while (now.length <= history && table.find(own[now.length], now.prob, now.backoffs[now.length])) ++now.length;
        if (words.counts[i])
            take(i, WordScore{now.prob + sum_backoffs(before, now.length, history),
                              static_cast<std::uint8_t>(now.length), word == WordTable::unknown});
        before = now;
        if (before.length == order) --before.length;  // the longest n-grams are no histories
    }
}

// The same from the trie: the n-grams that end at a word are children of those that end at the word before.
template <class Take>
void walk_trie(const TrieView& trie, const Words& words, Take&& take) {
    const int order = trie.order();
    std::array<u64, kMaxOrder> nodes{}, last{};
    Found before, now;
    for (std::size_t i = 0; i < words.ids.size(); ++i) {
        const u32 word = words.ids[i];
        const int history = words.history[i];
        now.prob = trie.prob(0, word);
        now.backoffs[0] = order > 1 ? trie.backoff(0, word) : 0;
        nodes[0] = word;
        now.length = 1;
        const int reach = std::min(history, before.length);
        for (int k = 1; k <= reach; ++k) trie.prefetch_children(k - 1, last[k - 1]);
        while (now.length <= reach) {
            const int k = now.length;
            if ((nodes[k] = trie.child(k - 1, last[k - 1], word)) == TrieView::none) break;
            if (k + 1 < order) now.backoffs[k] = trie.backoff(k, nodes[k]);
            ++now.length;
        }
        if (now.length > 1) now.prob = trie.prob(now.length - 1, nodes[now.length - 1]);
        if (words.counts[i])
            take(i, WordScore{now.prob + sum_backoffs(before, now.length, history),
                              static_cast<std::uint8_t>(now.length), word == WordTable::unknown});
        before = now;
        if (before.length == order) --before.length;
        last = nodes;
    }
}

}  // namespace

void NgramQuery::score(std::span<const std::string_view> sentences, bool begins, bool ends, int n_jobs,
                       std::span<double> totals, std::vector<WordScore>* each, std::vector<std::int64_t>* bounds) const {
    const std::size_t pieces = (sentences.size() + kBatch - 1) / kBatch;
    std::vector<std::vector<WordScore>> made(each ? pieces : 0);
    std::vector<std::int64_t> lengths(each ? sentences.size() : 0);
    parallel(pieces, n_jobs, [&](std::size_t piece, std::size_t) {
        static thread_local Words words;
        words.ids.clear();
        words.history.clear();
        words.counts.clear();
        const std::size_t first = piece * kBatch, last = std::min(first + kBatch, sentences.size());
        std::array<u32, kBatch> stop;
        for (std::size_t s = first; s < last; ++s) {
            read_words(words_, sentences[s], order(), begins, ends, words);
            stop[s - first] = static_cast<u32>(words.ids.size());
        }
        std::size_t s = first;
        double sum = 0;
        if (each) made[piece].reserve(words.ids.size());
        const auto finish = [&] {
            if (!totals.empty()) totals[s] = sum;
            sum = 0;
            ++s;
        };
        const auto take = [&](std::size_t i, const WordScore& score) {
            while (i >= stop[s - first]) finish();
            sum += score.log_prob;
            if (each) {
                made[piece].push_back(score);
                ++lengths[s];
            }
        };
        if (table_)
            walk_table(table_, unigrams_, order(), words, take);
        else
            walk_trie(trie_, words, take);
        while (s < last) finish();
    });
    if (!each) return;
    bounds->assign(1, 0);
    for (const std::int64_t n : lengths) bounds->push_back(bounds->back() + n);
    each->reserve(bounds->back());
    for (const auto& piece : made) each->insert(each->end(), piece.begin(), piece.end());
}

NgramState NgramQuery::begin() const {
    NgramState state, next;
    score(state, WordTable::begin, next);
    return next;
}

WordScore NgramQuery::score(const NgramState& state, u32 word, NgramState& next) const {
    const int order = trie_.order();
    // The words in the order of the text.
    std::array<u32, kMaxOrder> path;
    std::array<float, kMaxOrder> backoffs;
    float prob = unigrams_[2 * word], backoff = unigrams_[2 * word + 1];
    int length = 1;
    backoffs[0] = backoff;
    std::array<u64, kMaxOrder> keys;
    if (table_) {
        // Keys begin with the first word of an n-gram: one key for each length.
        for (int k = 1; k <= state.length; ++k) {
            u64 key = table_.start(state.words[k - 1]);
            for (int j = k - 1; j--;) key = TableView::extend(key, state.words[j]);
            keys[k] = TableView::extend(key, word);
            table_.prefetch(keys[k]);
        }
        while (length <= state.length && table_.find(keys[length], prob, backoff)) backoffs[length++] = backoff;
    } else {
        for (int k = 1; k <= state.length; ++k) {
            u64 node = state.words[k - 1];
            for (int j = k - 1; j-- && node != TrieView::none;) node = trie_.child(k - 2 - j, node, state.words[j]);
            if (node != TrieView::none) node = trie_.child(k - 1, node, word);
            if (node == TrieView::none) break;
            prob = trie_.prob(k, node);
            if (k + 1 < order) {
                backoffs[k] = trie_.backoff(k, node);
                const auto [first, last] = trie_.children(k, node);
                if (backoffs[k] == 0 && first == last) backoffs[k] = -0.0f;
            }
            length = k + 1;
        }
    }
    for (int k = length; k <= state.length; ++k) prob += state.backoffs[k - 1];
    path[0] = word;
    for (int k = 0; k < state.length; ++k) path[k + 1] = state.words[k];
    NgramState made;
    int kept = std::min(length, order - 1);
    // A history that begins no n-gram and costs nothing says no more than a shorter one.
    while (kept && backoffs[kept - 1] == 0 && std::signbit(backoffs[kept - 1])) --kept;
    made.length = static_cast<std::uint8_t>(kept);
    for (int k = 0; k < kept; ++k) {
        made.words[k] = path[k];
        made.backoffs[k] = backoffs[k];
    }
    next = made;
    return {prob, static_cast<std::uint8_t>(length), word == WordTable::unknown};
}

std::vector<float> NgramQuery::distribution(const NgramState& state) const {
    const std::size_t n = words_.size();
    std::vector<float> probs(n);
    for (std::size_t w = 0; w < n; ++w) probs[w] = std::pow(10.0f, unigrams_[2 * w]);
    probs[WordTable::begin] = 0;
    for (int k = 1; k <= state.length; ++k) {
        // From the shortest history on: what it does not know is backed off, what it knows is its own.
        const float factor = std::pow(10.0f, state.backoffs[k - 1]);
        for (float& p : probs) p *= factor;
        u64 node = state.words[k - 1];
        for (int j = k - 1; j-- && node != TrieView::none;) node = trie_.child(k - 2 - j, node, state.words[j]);
        if (node == TrieView::none) break;
        const auto [first, last] = trie_.children(k - 1, node);
        for (u64 c = first; c < last; ++c) {
            const u32 word = trie_.word(k, c);
            if (word < n) probs[word] = std::pow(10.0f, trie_.prob(k, c));
        }
    }
    return probs;
}

}  // namespace palmette

#include "tools/lm/query.hpp"

#include <algorithm>
#include <cmath>

#include "base/parallel.hpp"
#include "tools/lm/text.hpp"

namespace palmette {

namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

constexpr std::size_t kLinesAhead = 12;      // lookups between fetching a line and reading it
constexpr std::size_t kWordsAhead = 8;  // words between fetching a slot of the vocabulary and reading it
constexpr std::size_t kBatch = 64;      // sentences of a piece
constexpr std::size_t kLanes = 16;      // sentences that go side by side through a trie

// Words of several sentences one after another. `history` of a word is the number of words before it that count.
struct Words {
    std::vector<u32> ids;
    std::vector<std::uint8_t> history;
    std::vector<u32> stops;            // where each sentence ends

    // Words whose slots in the vocabulary are on their way.
    struct Pending {
        std::string_view word;
        u64 hash;
        std::size_t place;
    };
    std::array<Pending, kWordsAhead> pending;
    std::size_t read = 0, resolved = 0;

    void clear() {
        ids.clear();
        history.clear();
        stops.clear();
        read = resolved = 0;
    }

    void resolve(const WordTable& table) {
        const Pending& one = pending[resolved++ % kWordsAhead];
        ids[one.place] = table.find(one.word, one.hash);
    }

    void add(const WordTable& table, std::string_view text, int order, bool begins, bool ends) {
        int before = 0;
        const auto put = [&](u32 id) {
            ids.push_back(id);
            history.push_back(static_cast<std::uint8_t>(before));
            if (before < order - 1) ++before;
        };
        if (begins) put(WordTable::begin);
        const char *at = text.data(), *const end = at + text.size();
        for (;;) {
            while (at < end && is_blank(*at)) ++at;
            if (at == end) break;
            const char* first = at;
            while (at < end && !is_blank(*at)) ++at;
            const std::string_view word(first, at - first);
            const u64 hash = hash_string(word);
            table.prefetch(hash);
            if (read - resolved == kWordsAhead) resolve(table);
            pending[read++ % kWordsAhead] = {word, hash, ids.size()};
            put(WordTable::unknown);
        }
        if (ends) put(WordTable::end);
        stops.push_back(static_cast<u32>(ids.size()));
    }

    void finish(const WordTable& table) {
        while (resolved < read) resolve(table);
    }
};

// Bytes that begin a word; sums of bytes without a branch, so that the compiler takes many at once.
std::int64_t count_words(std::string_view text) {
    const char* at = text.data();
    std::int64_t n = !text.empty() && !is_blank(at[0]);
    for (std::size_t i = 1; i < text.size();) {
        std::uint8_t few = 0;
        for (const std::size_t to = std::min(text.size(), i + 128); i < to; ++i) few += blank_byte(at[i - 1]) & ~blank_byte(at[i]);
        n += few;
    }
    return n;
}

// What is found of the n-grams that end at each word.
struct Found {
    std::vector<std::uint8_t> length, most;      // of the longest n-gram: at least, at most
    std::vector<float> prob;                     // of that one
    std::vector<float> backoffs;                 // of all: order numbers for each word
    std::vector<std::uint16_t> known;            // which backoffs have been read, a bit for each length
};

class TableWalk {
public:
    struct Lookup {
        u32 word;
        std::uint8_t length;
    };

    // What a walk needs room for; kept from one walk to the next.
    struct Room {
        std::vector<u64> keys;
        std::vector<Lookup> queue, next;
        Found found;
        bool hopeful = false;  // whether most n-grams of the last walk were as long as can be
    };

    TableWalk(const TableView& table, std::span<const float> unigrams, int order, const Words& words, Room& room)
        : table_(table), unigrams_(unigrams), order_(order), words_(words), n_(words.ids.size()), keys_(room.keys),
          queue_(room.queue), next_(room.next), found_(room.found), hopeful_(room.hopeful) {
        queue_.clear();
        found_.length.assign(n_, 1);
        found_.most.resize(n_);
        found_.prob.resize(n_);
        found_.backoffs.resize(n_ * order);
        found_.known.assign(n_, 0);
        keys_.resize(n_ * order);
        for (std::size_t i = 0; i < n_; ++i) {
            const u32 word = words.ids[i];
            u64* own = &keys_[i * order];
            own[0] = table.start(word);
            const int history = words.history[i];
            for (int k = 1; k <= history; ++k) own[k] = TableView::extend(own[k - 1 - order], word);
            found_.most[i] = static_cast<std::uint8_t>(history + 1);
            const int first = hopeful_ ? history + 1 : (history + 3) / 2;
            if (history) queue_.push_back({static_cast<u32>(i), static_cast<std::uint8_t>(first)});
        }
    }

    void run() {
        // How long the longest n-gram is: the middle first; where that is there, the longest possible, which comes
        // first in a text that the model knows well.
        while (!queue_.empty()) {
            next_.clear();
            each([&](const Lookup& lookup) {
                std::uint8_t &least = found_.length[lookup.word], &most = found_.most[lookup.word];
                float prob, backoff;
                if (table_.find(key(lookup), prob, backoff)) {
                    least = lookup.length;
                    found_.prob[lookup.word] = prob;
                    note(lookup, backoff);
                } else {
                    most = lookup.length - 1;
                }
                if (least == most) return;
                const bool found = least == lookup.length;
                next_.push_back({lookup.word, found ? most : static_cast<std::uint8_t>((least + most + 1) / 2)});
            });
            queue_.swap(next_);
        }
        // The backoffs that were not met on the way.
        std::size_t whole = 0;
        for (std::size_t i = 0; i < n_; ++i) {
            if (found_.length[i] == 1) found_.prob[i] = unigrams_[2 * words_.ids[i]];
            whole += found_.length[i] == words_.history[i] + 1;
            if (!words_.history[i]) continue;
            const int last = std::min({int{found_.length[i - 1]}, int{words_.history[i]}, order_ - 1});
            int k = found_.length[i];
            if (k == 1) found_.backoffs[(i - 1) * order_] = unigrams_[2 * words_.ids[i - 1] + 1], ++k;
            for (; k <= last; ++k)
                if (!(found_.known[i - 1] >> (k - 1) & 1)) queue_.push_back({static_cast<u32>(i - 1), static_cast<std::uint8_t>(k)});
        }
        hopeful_ = 3 * whole > 2 * n_;
        each([&](const Lookup& lookup) {
            float prob, backoff = 0;
            table_.find(key(lookup), prob, backoff);
            note(lookup, backoff);
        });
    }

private:
    u64 key(const Lookup& lookup) const { return keys_[lookup.word * order_ + lookup.length - 1]; }
    void note(const Lookup& lookup, float backoff) {
        found_.backoffs[lookup.word * order_ + lookup.length - 1] = backoff;
        found_.known[lookup.word] |= 1 << (lookup.length - 1);
    }

    template <class Work>
    void each(Work&& work) {
        const std::size_t n = queue_.size();
        for (std::size_t j = 0; j < std::min(n, kLinesAhead); ++j) table_.prefetch(key(queue_[j]));
        for (std::size_t j = 0; j < n; ++j) {
            if (j + kLinesAhead < n) table_.prefetch(key(queue_[j + kLinesAhead]));
            work(queue_[j]);
        }
    }

    const TableView& table_;
    const std::span<const float> unigrams_;
    const int order_;
    const Words& words_;
    const std::size_t n_;
    std::vector<u64>& keys_;
    std::vector<Lookup>&queue_, &next_;
    Found& found_;
    bool& hopeful_;
};

// A search for a word among the children of a node.
struct Search {
    u64 low, high, end;
    u32 place;  // of the word
    std::uint8_t level;
};

Found walk_trie(const TrieView& trie, const Words& words) {
    const int order = trie.order();
    const std::size_t n = words.ids.size();
    Found found{std::vector<std::uint8_t>(n, 1), {}, std::vector<float>(n), std::vector<float>(n * order), {}};
    std::vector<u64> nodes(n * order);
    std::vector<Search> searches;
    struct Lane {
        u32 at, stop;
    };
    std::vector<Lane> lanes;
    std::size_t next = 0;
    const auto refill = [&] {
        while (lanes.size() < kLanes && next < words.stops.size()) {
            const Lane lane{next ? words.stops[next - 1] : 0, words.stops[next]};
            if (lane.at < lane.stop) lanes.push_back(lane);
            ++next;
        }
    };
    for (refill(); !lanes.empty(); refill()) {
        for (const Lane& lane : lanes)
            for (int k = 1; k <= std::min<int>(words.history[lane.at], lane.at ? found.length[lane.at - 1] : 0); ++k)
                trie.prefetch_children(k - 1, nodes[(lane.at - 1) * order + k - 1]);
        searches.clear();
        for (const Lane& lane : lanes) {
            const u32 word = words.ids[lane.at];
            nodes[lane.at * order] = word;
            found.prob[lane.at] = trie.prob(0, word);
            found.backoffs[lane.at * order] = trie.backoff(0, word);
            const int history = words.history[lane.at];
            const int reach = history ? std::min({history, int{found.length[lane.at - 1]}, order - 1}) : 0;
            for (int k = 1; k <= reach; ++k) {
                nodes[lane.at * order + k] = TrieView::none;
                const auto [low, high] = trie.children(k - 1, nodes[(lane.at - 1) * order + k - 1]);
                if (low == high) continue;
                trie.prefetch(k, (low + high) / 2);
                searches.push_back({low, high, high, lane.at, static_cast<std::uint8_t>(k)});
            }
        }
        // One step of each search in turn.
        for (std::size_t left = searches.size(); left;) {
            for (std::size_t j = 0; j < left;) {
                Search& one = searches[j];
                const u32 word = words.ids[one.place];
                const u64 middle = (one.low + one.high) / 2;
                const u32 there = trie.word(one.level, middle);
                if (there == word) {
                    nodes[one.place * order + one.level] = middle;
                    one = searches[--left];
                    continue;
                }
                if (there < word)
                    one.low = middle + 1;
                else
                    one.high = middle;
                if (one.low >= one.high) {
                    one = searches[--left];
                    continue;
                }
                trie.prefetch(one.level, (one.low + one.high) / 2);
                ++j;
            }
        }
        for (std::size_t j = lanes.size(); j--;) {
            Lane& lane = lanes[j];
            const int history = words.history[lane.at];
            const int reach = history ? std::min({history, int{found.length[lane.at - 1]}, order - 1}) : 0;
            int length = 1;
            for (; length <= reach && nodes[lane.at * order + length] != TrieView::none; ++length)
                if (length + 1 < order)
                    found.backoffs[lane.at * order + length] = trie.backoff(length, nodes[lane.at * order + length]);
            if (length > 1) found.prob[lane.at] = trie.prob(length - 1, nodes[lane.at * order + length - 1]);
            found.length[lane.at] = static_cast<std::uint8_t>(length);
            if (++lane.at == lane.stop) {
                lanes[j] = lanes.back();
                lanes.pop_back();
            }
        }
    }
    return found;
}

WordScore score_of(const Found& found, const Words& words, int order, std::size_t i) {
    float sum = found.prob[i];
    const int history = words.history[i];
    if (history) {
        const int last = std::min({int{found.length[i - 1]}, history, order - 1});
        for (int k = found.length[i]; k <= last; ++k) sum += found.backoffs[(i - 1) * order + k - 1];
    }
    return {sum, found.length[i], words.ids[i] == WordTable::unknown};
}

}  // namespace

template <class Take>
void NgramQuery::each_word(std::span<const std::string_view> sentences, bool begins, bool ends, int n_jobs,
                           Take&& take) const {
    const std::size_t pieces = (sentences.size() + kBatch - 1) / kBatch;
    parallel(pieces, n_jobs, [&](std::size_t piece, std::size_t) {
        static thread_local Words kept_words;
        static thread_local TableWalk::Room kept_room;
        Words& words = kept_words;
        TableWalk::Room& room = kept_room;
        words.clear();
        const std::size_t first = piece * kBatch, last = std::min(first + kBatch, sentences.size());
        for (std::size_t s = first; s < last; ++s) words.add(words_, sentences[s], order(), begins, ends);
        words.finish(words_);
        if (table_)
            TableWalk(table_, unigrams_, order(), words, room).run();
        else
            room.found = walk_trie(trie_, words);
        std::size_t i = 0;
        for (std::size_t s = first; s < last; ++s) {
            if (begins) ++i;  // <s> does not count as a word
            for (std::size_t k = 0; i < words.stops[s - first]; ++i, ++k) take(s, k, score_of(room.found, words, order(), i));
        }
    });
}

void NgramQuery::score(std::span<const std::string_view> sentences, bool begins, bool ends, int n_jobs,
                       std::span<double> totals) const {
    std::fill(totals.begin(), totals.end(), 0.0);
    each_word(sentences, begins, ends, n_jobs,
              [&](std::size_t s, std::size_t, const WordScore& score) { totals[s] += score.log_prob; });
}

WordScores NgramQuery::score_words(std::span<const std::string_view> sentences, bool begins, bool ends, int n_jobs) const {
    // Words are counted first, so that every score is written where it stays.
    WordScores all;
    all.bounds.resize(sentences.size() + 1);
    for (std::size_t s = 0; s < sentences.size(); ++s)
        all.bounds[s + 1] = all.bounds[s] + count_words(sentences[s]) + ends;
    const std::size_t n = all.bounds.back();
    all.log_probs.resize(n);
    all.lengths.resize(n);
    all.unknown.resize(n);
    each_word(sentences, begins, ends, n_jobs, [&](std::size_t s, std::size_t k, const WordScore& score) {
        const std::size_t at = all.bounds[s] + k;
        all.log_probs[at] = score.log_prob;
        all.lengths[at] = score.length;
        all.unknown[at] = score.unknown;
    });
    return all;
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

// The k best projective trees. Every tree has one derivation in the chart, so the k best derivations are the k best
// trees. An item's next best derivation is only looked for when one above asks for it: after the chart of maxima,
// time and memory go with the items that the k best trees use, O(n) candidates each.
#include <algorithm>
#include <unordered_map>

#include "structures/arborescence/eisner.hpp"
#include "structures/arborescence/eisner_chart.hpp"

namespace palmette {
namespace {

using W = MaxPlus<double>;

class LazyTrees {
public:
    LazyTrees(const double* scores, std::size_t n, bool single_root) : scores_(scores), n_(n), single_(single_root) {
        chart_.fill(n, [&](std::size_t h, std::size_t m) { return arc(h, m); });
        root_.fill(chart_, single_, [&](std::size_t m) { return scores_[m + 1]; });
    }

    ScoredTrees best(std::size_t k) {
        ScoredTrees trees;
        const Key top = single_ ? key(kTop, 0, 0) : key(kClosed, n_, 0);
        for (std::size_t rank = 0; rank < k && has(top, rank); ++rank) {
            const std::size_t at = trees.heads.size();
            trees.heads.resize(at + n_);
            read(top, rank, trees.heads.data() + at);
            double score = 0;
            for (std::size_t m = 0; m < n_; ++m)
                score += scores_[static_cast<std::size_t>(trees.heads[at + m]) * (n_ + 1) + m + 1];
            trees.scores.push_back(score);
        }
        return trees;
    }

private:
    enum Kind : std::uint8_t { kOpen, kRight, kLeft, kTop, kClosed, kRooted };
    using Key = std::uint64_t;
    static Key key(Kind kind, std::size_t i, std::size_t k) { return (Key{kind} << 60) | (Key{i} << 30) | Key{k}; }

    // A way to make an item from two others, and which of their derivations it takes.
    struct Candidate {
        double score;
        std::uint32_t split, first, second;
        bool operator<(const Candidate& other) const {
            return score != other.score ? score < other.score : split > other.split;
        }
    };
    struct Item {
        std::vector<Candidate> heap, found;
        bool has_successors = true;  // whether the neighbours of the last one found are on the heap
    };
    struct Pair {
        Key first, second;
        double arc;            // the score of the arc that the step draws
        std::size_t head, word;
    };
    static constexpr std::size_t kNoArc = static_cast<std::size_t>(-1);

    double arc(std::size_t h, std::size_t m) const { return scores_[(h + 1) * (n_ + 1) + m + 1]; }

    // The two items that make `item` with a split, as the recurrences of the chart say. Heads count from the root.
    Pair tails(Key item, std::size_t j) const {
        const Kind kind = static_cast<Kind>(item >> 60);
        const std::size_t i = (item >> 30) & 0x3fffffff, k = item & 0x3fffffff;
        switch (kind) {
            case kOpen: return {key(kRight, i, j), key(kLeft, j + 1, k), 0, kNoArc, 0};
            case kRight: return {key(kOpen, i, j), key(kRight, j, k), arc(i, j), i + 1, j};
            case kLeft: return {key(kLeft, i, j), key(kOpen, j, k), arc(k, j), k + 1, j};
            case kTop: return {key(kLeft, 0, j), key(kRight, j, n_ - 1), scores_[j + 1], 0, j};
            case kClosed: return {key(kRooted, j, 0), key(kRight, j, i - 1), scores_[j + 1], 0, j};
            default: return {key(kClosed, j, 0), key(kLeft, j, i), 0, kNoArc, 0};
        }
    }
    std::pair<std::size_t, std::size_t> splits(Key item) const {
        const std::size_t i = (item >> 30) & 0x3fffffff, k = item & 0x3fffffff;
        switch (static_cast<Kind>(item >> 60)) {
            case kRight: return {i + 1, k + 1};
            case kTop: return {0, n_};
            case kClosed: return {0, i};
            case kRooted: return {0, i + 1};
            default: return {i, k};
        }
    }
    // Items without parts: one word alone, no words.
    static bool is_empty(Key item) {
        const std::size_t i = (item >> 30) & 0x3fffffff, k = item & 0x3fffffff;
        const Kind kind = static_cast<Kind>(item >> 60);
        return kind == kClosed ? i == 0 : (kind == kRight || kind == kLeft) && i == k;
    }
    double best_of(Key item) const {
        const std::size_t i = (item >> 30) & 0x3fffffff, k = item & 0x3fffffff;
        switch (static_cast<Kind>(item >> 60)) {
            case kOpen: return chart_.open(i, k);
            case kRight: return chart_.right(i, k);
            case kLeft: return chart_.left(i, k);
            case kTop: return root_.total;
            case kClosed: return root_.closed[i];
            default: return root_.before[i];
        }
    }

    double score(Key item, std::size_t rank) {
        return is_empty(item) ? 0.0 : rank == 0 ? best_of(item) : items_.at(item).found[rank].score;
    }

    // Whether an item has a derivation of this rank; finds it if so. Ranks are asked for in ascending order.
    bool has(Key item, std::size_t rank) {
        if (is_empty(item)) return rank == 0;
        auto [at, is_new] = items_.try_emplace(item);
        Item& state = at->second;  // references into the map stay good while it grows
        if (is_new) {
            const auto [first, last] = splits(item);
            for (std::size_t j = first; j < last; ++j) {
                const Pair pair = tails(item, j);
                const double score = best_of_pair(pair);
                if (score > W::kZero) state.heap.push_back({score, static_cast<std::uint32_t>(j), 0, 0});
            }
            std::make_heap(state.heap.begin(), state.heap.end());
        }
        while (state.found.size() <= rank) {
            if (!state.has_successors) {
                const Candidate last = state.found.back();
                push(state, item, last.split, last.first + 1, last.second);
                // Each pair of ranks is reached on one way only: first along the second item, then along the first.
                if (last.first == 0) push(state, item, last.split, 0, last.second + 1);
                state.has_successors = true;
            }
            if (state.heap.empty()) return false;
            std::pop_heap(state.heap.begin(), state.heap.end());
            state.found.push_back(state.heap.back());
            state.heap.pop_back();
            state.has_successors = false;
        }
        return true;
    }
    double best_of_pair(const Pair& pair) const {
        return (is_empty(pair.first) ? 0.0 : best_of(pair.first)) + (is_empty(pair.second) ? 0.0 : best_of(pair.second)) +
               pair.arc;
    }
    void push(Item& state, Key item, std::uint32_t split, std::uint32_t first, std::uint32_t second) {
        const Pair pair = tails(item, split);
        if (!has(pair.first, first) || !has(pair.second, second)) return;
        const double value = score(pair.first, first) + score(pair.second, second) + pair.arc;
        state.heap.push_back({value, split, first, second});
        std::push_heap(state.heap.begin(), state.heap.end());
    }

    void read(Key top, std::size_t top_rank, std::int32_t* heads) {
        std::vector<std::pair<Key, std::size_t>> agenda{{top, top_rank}};
        while (!agenda.empty()) {
            const auto [item, rank] = agenda.back();
            agenda.pop_back();
            if (is_empty(item) || !has(item, rank)) continue;
            const Candidate chosen = items_.at(item).found[rank];
            const Pair pair = tails(item, chosen.split);
            if (pair.head != kNoArc) heads[pair.word] = static_cast<std::int32_t>(pair.head);
            agenda.emplace_back(pair.first, chosen.first);
            agenda.emplace_back(pair.second, chosen.second);
        }
    }

    const double* scores_;
    std::size_t n_;
    bool single_;
    EisnerChart<W> chart_;
    RootChart<W> root_;
    std::unordered_map<Key, Item> items_;
};

}  // namespace

ScoredTrees kbest_projective(const double* scores, std::size_t n, bool single_root, std::size_t k) {
    if (n == 0 || k == 0) return {k == 0 ? std::vector<double>{} : std::vector<double>{0.0}, {}};
    return LazyTrees(scores, n, single_root).best(k);
}

}  // namespace palmette

// Greedy and beam search for trees: multi-stack decoding with the top K of each step (CSC 448, §7.3.1).
//
// The score of a sequence is the sum of the scores of its moves; the label of an arc is chosen where the arc is made and does not
// count. A beam of 1 is the greedy parser. Costs O(K · steps) looks at a configuration, each O(templates).
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "structures/transitions/oracle.hpp"
#include "structures/transitions/scoring.hpp"

namespace palmette {

inline constexpr std::int64_t kMostSwaps = 10, kFreeSwaps = 100;  // of a sentence of n words: 10 n + 100

// The width of the beam for a sentence of n words: as asked, and less for a very long one, because every step copies configurations of
// n words. A beam of 8 is narrowed from 5,000 words on.
inline std::size_t beam_width(std::size_t width, std::size_t n) {
    constexpr std::size_t kMost = 200'000'000;  // width · n²
    return std::max<std::size_t>(1, std::min(width, kMost / std::max<std::size_t>(1, n * n)));
}

struct ScoredTree {
    std::vector<std::int32_t> heads, labels;  // of words 1 … n
    double score = 0;
};

// Moves that keep every known arc of `known` within reach; all, where nothing does. A word swaps ten times on average and no more:
// real trees need far fewer, and without a bound a long sentence takes n² steps.
template <class S>
KindSet keeping(const Configuration& c, const GoldTree* known, KindSet legal) {
    if constexpr (S::swaps) {
        if (c.swaps >= kMostSwaps * c.n + kFreeSwaps) legal &= static_cast<KindSet>(~bit(kThird));
    }
    if constexpr (S::has_costs) {
        if (known) {
            std::array<std::int32_t, kKinds> costs;
            transition_costs<S>(c, *known, legal, costs);
            KindSet kept = 0;
            for (std::size_t k = 0; k < kKinds; ++k)
                if (legal & 1u << k && !costs[k]) kept |= static_cast<KindSet>(1u << k);
            if (kept) return kept;
        }
    }
    return legal;
}

inline void read_tree(const Configuration& c, ScoredTree& tree) {
    tree.heads.resize(c.n);
    tree.labels.resize(c.n);
    for (std::int32_t w = 1; w <= c.n; ++w) {
        tree.heads[w - 1] = c.words[w].head;
        tree.labels[w - 1] = c.words[w].label;
    }
}

// visit(configuration, look, move, label) comes before each transition.
template <class S, class W, class Visit>
double greedy_walk(const TransitionFeatures& f, const MoveSet& set, const W& w, const SentenceViews& s, std::size_t n, const GoldTree* known,
                   Configuration& c, Look& look, Visit&& visit) {
    double score = 0;
    look.size(set);
    c.start(n, S::root_last);
    while (!S::finished(c)) {
        const KindSet legal = keeping<S>(c, known, S::legal(c));
        look_at_moves(f, w, s, c, look);
        close_moves<S>(set, c, legal, look.moves.data());
        const std::size_t move = best_move(set, look.moves.data(), legal);
        score += look.moves[move];
        const Kind kind = set.kind(move);
        visit(c, look, legal, move);
        const std::int32_t label = kind >= kLeft ? label_of(f, set, w, s, c, move, S::arc(c, kind), look) : kNone;
        S::apply(c, kind, label);
    }
    return score;
}

// What a beam holds. Items of one step lie together; the way to each is a chain of `Made`.
struct Beam {
    struct Made {
        std::int32_t before;
        std::uint16_t move;
        std::int32_t label;
    };
    struct Item {
        Configuration c;
        double score = 0, cost = 0;  // cost: wrong arcs so far
        std::int32_t made = -1;
        bool gold = false, done = false;
    };
    struct Candidate {
        double score;
        std::int32_t item;
        std::int32_t move;  // -1: done
    };
    std::vector<Item> items, next;
    std::size_t size = 0;
    std::vector<Made> made;
    std::vector<Candidate> candidates;
    Look look;
    // Scores are what the moves lose against the best one at each step: the greedy way has 0, all others less. The best one of
    // those that keep what is known, or of all.
    bool losses = false, against_all = false;

    // The moves and labels that led to an item, or to `at`, oldest first.
    void way(std::int32_t at, std::vector<Made>& out) const {
        out.clear();
        for (; at >= 0; at = made[at].before) out.push_back(made[at]);
        std::reverse(out.begin(), out.end());
    }
};

template <class S>
void start_beam(Beam& beam, const MoveSet& set, std::size_t width, std::size_t n) {
    if (beam.items.size() < width) beam.items.resize(width), beam.next.resize(width);
    beam.look.size(set);
    beam.made.clear();
    beam.size = 1;
    Beam::Item& first = beam.items[0];
    first.c.start(n, S::root_last);
    first.score = first.cost = 0;
    first.made = -1;
    first.gold = true;
    first.done = S::finished(first.c);
}

// One step: all moves of all items, of which the best `width` stay. legal_of(configuration) says what may be done, wrong(item,
// move) how much a move adds to an item's cost, and chosen(item, move, label) is told the label, may change it, and says whether
// the way is still the right one. Returns false when all items are done.
template <class S, class W, class Legal, class Wrong, class Chosen>
bool step_beam(Beam& beam, const TransitionFeatures& f, const MoveSet& set, const W& w, const SentenceViews& s, std::size_t width, float cost,
               Legal&& legal_of, Wrong&& wrong, Chosen&& chosen) {
    beam.candidates.clear();
    bool any = false;
    for (std::size_t i = 0; i < beam.size; ++i) {
        Beam::Item& item = beam.items[i];
        const std::int32_t number = static_cast<std::int32_t>(i);
        if (item.done) {
            beam.candidates.push_back({item.score + cost * item.cost, number, -1});
            continue;
        }
        any = true;
        const KindSet legal = legal_of(item.c), all = S::legal(item.c);
        look_at_moves(f, w, s, item.c, beam.look);
        float* moves = beam.look.moves.data();
        close_moves<S>(set, item.c, all, moves);
        const float top = beam.losses ? moves[best_move(set, moves, beam.against_all ? all : legal)] : 0.0f;
        for (std::size_t m = 0; m < set.n_moves(); ++m) {
            if (!(legal & bit(set.kind(m))) || moves[m] == -std::numeric_limits<float>::infinity()) continue;
            const double more = cost != 0 ? item.cost + wrong(item, m) : 0;
            beam.candidates.push_back({item.score + (moves[m] - top) + cost * more, number, static_cast<std::int32_t>(m)});
        }
    }
    if (!any) return false;
    // The order of equal scores is that of items and moves: nothing depends on chance.
    const auto before = [](const Beam::Candidate& a, const Beam::Candidate& b) {
        return a.score != b.score ? a.score > b.score : a.item != b.item ? a.item < b.item : a.move < b.move;
    };
    const std::size_t kept = std::min(width, beam.candidates.size());
    std::partial_sort(beam.candidates.begin(), beam.candidates.begin() + static_cast<std::ptrdiff_t>(kept), beam.candidates.end(), before);
    for (std::size_t k = 0; k < kept; ++k) {
        const Beam::Candidate& candidate = beam.candidates[k];
        const Beam::Item& from = beam.items[candidate.item];
        Beam::Item& to = beam.next[k];
        to = from;
        if (candidate.move < 0) continue;
        const std::size_t move = static_cast<std::size_t>(candidate.move);
        const Kind kind = set.kind(move);
        to.cost += cost != 0 ? wrong(from, move) : 0;
        to.score = candidate.score - cost * to.cost;
        std::int32_t label = kNone;
        if (kind >= kLeft) label = label_of(f, set, w, s, to.c, move, S::arc(to.c, kind), beam.look);
        to.gold = chosen(from, move, label);
        beam.made.push_back({from.made, static_cast<std::uint16_t>(move), label});
        to.made = static_cast<std::int32_t>(beam.made.size() - 1);
        S::apply(to.c, kind, label);
        to.done = S::finished(to.c);
    }
    beam.size = kept;
    std::swap(beam.items, beam.next);
    return true;
}

// The best trees that a beam finds, best first; `beam.size` of them.
template <class S, class W>
void beam_search(Beam& beam, const TransitionFeatures& f, const MoveSet& set, const W& w, const SentenceViews& s, std::size_t n, std::size_t width, const GoldTree* known) {
    width = beam_width(width, n);
    start_beam<S>(beam, set, width, n);
    const auto legal = [&](const Configuration& c) { return keeping<S>(c, known, S::legal(c)); };
    while (step_beam<S>(beam, f, set, w, s, width, 0.0f, legal, [](const Beam::Item&, std::size_t) { return 0; },
                        [](const Beam::Item&, std::size_t, std::int32_t&) { return false; })) {
    }
}

}  // namespace palmette

// Moves and labels as classes, and their scores as sums of rows of weights.
//
// A move is a kind of transition together with a group of labels, and the label is chosen within its group by a second set of
// features: so rows of moves are short, whatever the number of labels. One group makes moves bare kinds; one group for each label
// makes them whole transitions. Move 0 is shift, 1 the third kind, then left arcs by group, then right arcs.
#pragma once
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <vector>

#include "base/rows.hpp"
#include "structures/transitions/features.hpp"

namespace palmette {

struct MoveSet {
    std::size_t n_labels = 0, n_groups = 0;
    std::size_t move_stride = 0, label_stride = 0;
    std::vector<std::int32_t> group_of;              // of a label
    std::vector<std::vector<std::int32_t>> members;  // of a group
    // What fits an arc between words [0] and one from the root [1]: the members of every group, and the groups without any. Where
    // no rule is given, every label fits.
    std::array<std::vector<std::vector<std::int32_t>>, 2> fitting;
    std::array<std::vector<std::size_t>, 2> closed;

    // at_root: 1 for the labels that arcs from the root have, and no others; null: no rule. There must be labels of both kinds.
    MoveSet(const std::int32_t* groups, std::size_t labels, const std::uint8_t* at_root = nullptr) : n_labels(labels), group_of(groups, groups + labels) {
        if (!labels) throw std::invalid_argument("there must be labels");
        for (const std::int32_t g : group_of) {
            if (g < 0 || static_cast<std::size_t>(g) >= labels) throw std::invalid_argument("a group of labels is out of range");
            n_groups = std::max(n_groups, static_cast<std::size_t>(g) + 1);
        }
        members.resize(n_groups);
        for (std::size_t y = 0; y < labels; ++y) members[group_of[y]].push_back(static_cast<std::int32_t>(y));
        for (const auto& group : members)
            if (group.empty()) throw std::invalid_argument("a group has no labels");
        fitting = {members, members};
        for (std::size_t root = 0; at_root && root < 2; ++root) {
            for (auto& group : fitting[root]) std::erase_if(group, [&](std::int32_t y) { return (at_root[y] != 0) != (root == 1); });
            for (std::size_t g = 0; g < n_groups; ++g)
                if (fitting[root][g].empty()) closed[root].push_back(g);
            if (closed[root].size() == n_groups) throw std::invalid_argument("no label fits some arcs");
        }
        move_stride = padded(n_moves());
        label_stride = padded(labels);
    }
    std::size_t n_moves() const { return 2 + 2 * n_groups; }
    static Kind kind_of(std::size_t move, std::size_t groups) {
        return move < 2 ? static_cast<Kind>(move) : move < 2 + groups ? kLeft : kRight;
    }
    Kind kind(std::size_t move) const { return kind_of(move, n_groups); }
    std::int32_t group(std::size_t move) const { return move < 2 ? kNone : static_cast<std::int32_t>((move - 2) % n_groups); }
    std::size_t first(Kind kind) const { return kind == kRight ? 2 + n_groups : static_cast<std::size_t>(kind); }
    std::size_t count(Kind kind) const { return kind >= kLeft ? n_groups : 1; }
    std::size_t move(Kind kind, std::int32_t label) const { return kind >= kLeft ? first(kind) + group_of[label] : first(kind); }
};

// Sums of rows, by tables of floats as learners have them, or of short integers as models have them.
struct FloatWeights {
    const float* moves;
    const float* labels;
    float scale;
    std::size_t move_stride, label_stride;

    void fetch_move(std::int32_t row) const { __builtin_prefetch(moves + static_cast<std::size_t>(row) * move_stride); }
    void fetch_label(std::int32_t row) const { __builtin_prefetch(labels + static_cast<std::size_t>(row) * label_stride); }
    void score_moves(const TransitionFeatures::Room& room, float* out) const { sum(moves, move_stride, room, out); }
    void score_labels(const TransitionFeatures::Room& room, float* out) const { sum(labels, label_stride, room, out); }

private:
    void sum(const float* table, std::size_t S, const TransitionFeatures::Room& room, float* out) const {
        const auto n = static_cast<std::int64_t>(room.n);
        rows::sum(table, S, room.rows, nullptr, n, n, out);
        if (scale != 1.0f)
            for (std::size_t y = 0; y < S; ++y) out[y] *= scale;
    }
};

struct ShortWeights {
    const std::int16_t* moves;
    const std::int16_t* labels;
    float move_unit, label_unit;
    std::size_t move_stride, label_stride;

    void fetch_move(std::int32_t row) const { __builtin_prefetch(moves + static_cast<std::size_t>(row) * move_stride); }
    void fetch_label(std::int32_t row) const {
        const std::int16_t* at = labels + static_cast<std::size_t>(row) * label_stride;
        __builtin_prefetch(at);
        __builtin_prefetch(at + label_stride - 1);
    }
    void score_moves(const TransitionFeatures::Room& room, float* out) const { sum(moves, move_stride, room, move_unit, out); }
    void score_labels(const TransitionFeatures::Room& room, float* out) const { sum(labels, label_stride, room, label_unit, out); }

private:
    template <std::size_t S>
    static void sum_fixed(const std::int16_t* table, const TransitionFeatures::Room& room, float unit, float* out) {
        std::int32_t total[S] = {};
        for (std::size_t k = 0; k < room.n; ++k) {
            const std::int16_t* row = table + static_cast<std::size_t>(room.rows[k]) * S;
            for (std::size_t y = 0; y < S; ++y) total[y] += row[y];
        }
        for (std::size_t y = 0; y < S; ++y) out[y] = static_cast<float>(total[y]) * unit;
    }
    static void sum(const std::int16_t* table, std::size_t S, const TransitionFeatures::Room& room, float unit, float* out) {
        switch (S) {
            case 8: return sum_fixed<8>(table, room, unit, out);
            case 16: return sum_fixed<16>(table, room, unit, out);
            case 24: return sum_fixed<24>(table, room, unit, out);
            case 32: return sum_fixed<32>(table, room, unit, out);
            case 40: return sum_fixed<40>(table, room, unit, out);
            case 48: return sum_fixed<48>(table, room, unit, out);
            case 56: return sum_fixed<56>(table, room, unit, out);
            case 64: return sum_fixed<64>(table, room, unit, out);
            default: break;
        }
        std::vector<std::int32_t> total(S, 0);
        for (std::size_t k = 0; k < room.n; ++k) {
            const std::int16_t* row = table + static_cast<std::size_t>(room.rows[k]) * S;
            for (std::size_t y = 0; y < S; ++y) total[y] += row[y];
        }
        for (std::size_t y = 0; y < S; ++y) out[y] = static_cast<float>(total[y]) * unit;
    }
};

// What one thread needs to look at a configuration.
struct Look {
    TransitionFeatures::Room room;
    std::vector<float> moves, labels;

    void size(const MoveSet& set) {
        moves.resize(set.move_stride);
        labels.resize(set.label_stride);
    }
};

template <class W>
void look_at_moves(const TransitionFeatures& f, const W& w, const SentenceViews& s, const Configuration& c, Look& look) {
    f.moves(s, c, look.room, [&](std::int32_t row) { w.fetch_move(row); });
    w.score_moves(look.room, look.moves.data());
}

template <class W>
void look_at_labels(const TransitionFeatures& f, const W& w, const SentenceViews& s, const Configuration& c, Arc arc, Look& look) {
    f.labels(s, c, arc, look.room, [&](std::int32_t row) { w.fetch_label(row); });
    w.score_labels(look.room, look.labels.data());
}

// Moves whose labels do not fit their arcs score minus infinity.
template <class S>
void close_moves(const MoveSet& set, const Configuration& c, KindSet kinds, float* scores) {
    for (const Kind kind : {kLeft, kRight}) {
        if (!(kinds & bit(kind))) continue;
        for (const std::size_t g : set.closed[S::arc(c, kind).head == 0]) scores[set.first(kind) + g] = -std::numeric_limits<float>::infinity();
    }
}

// The first of the best moves of the kinds given (at least one kind); always of these kinds, whatever the scores are.
inline std::size_t best_move(const MoveSet& set, const float* scores, KindSet kinds) {
    std::size_t best = set.first(static_cast<Kind>(kinds ? std::countr_zero(static_cast<unsigned>(kinds)) : 0));
    float top = scores[best];
    for (std::size_t k = 0; k < kKinds; ++k) {
        if (!(kinds & 1u << k)) continue;
        const Kind kind = static_cast<Kind>(k);
        for (std::size_t m = set.first(kind), end = m + set.count(kind); m < end; ++m)
            if (scores[m] > top) top = scores[m], best = m;
    }
    return best;
}

inline std::int32_t best_label(const std::vector<std::int32_t>& group, const float* scores) {
    std::int32_t best = group.front();
    for (const std::int32_t y : group)
        if (scores[y] > scores[best]) best = y;
    return best;
}

// The label that a move would give its arc; looks at features only where there is a choice.
template <class W>
std::int32_t label_of(const TransitionFeatures& f, const MoveSet& set, const W& w, const SentenceViews& s, const Configuration& c, std::size_t move, Arc arc, Look& look) {
    const auto& group = set.fitting[arc.head == 0][set.group(move)];
    if (group.size() == 1) return group.front();
    look_at_labels(f, w, s, c, arc, look);
    return best_label(group, look.labels.data());
}

}  // namespace palmette

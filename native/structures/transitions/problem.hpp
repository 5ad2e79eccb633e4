// Transition-based parsing as a learning problem: weights of moves and labels in hashed rows.
//
//     w[row · M + move]                 move table, 2^bits rows of M moves (padded to a multiple of 8)
//     w[moves + row · Y + label]        label table
//
// What an example's parts and outputs are depends on how it is looked at:
//   follow    no oracle: the best output is what the parser makes of the sentence, and its loss the words with a wrong head or label
//   imitate   parts are the moves and labels at the steps of the static oracle's sequence, each normalised by itself: a local classifier
//   explore   the same along the parser's own way (with probability `exploration` a wrong move is followed); at each step
//             what loses no arc is right (the dynamic oracle)
//   beam      beam search; where all right prefixes fell out it stops (early update: Collins and Roark 2004, CSC 448, algorithm
//             11), or goes back to where the right prefix lay most behind (max-violation: Huang et al. 2012)
// An output that `best` makes knows by what it differs from the right one, so `gold` is always the output without differences.
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "learning/problem.hpp"
#include "structures/transitions/search.hpp"

namespace palmette {

enum class Training : std::uint8_t { follow, imitate, explore, beam };

struct TransitionData {
    TokenViews views;
    const std::int32_t* heads = nullptr;   // [tokens]; null only to follow
    const std::int32_t* labels = nullptr;
    System system = System::arc_hybrid;
    Training training = Training::follow;
    std::size_t width = 1;                 // of the beam
    bool max_violation = false;
};

// What differs: rows of one table, the class that is right and the one that was chosen (-1: none).
struct Change {
    std::size_t first, count;
    std::int32_t right, chosen;
    bool of_labels;
    bool operator==(const Change&) const = default;
};

struct TransitionOutput {
    ScoredTree tree;  // empty where an output is not a whole tree
    std::vector<Change> changes;
    std::vector<std::int32_t> rows;
    double loss = 0;

    bool operator==(const TransitionOutput& other) const { return changes == other.changes && rows == other.rows; }
    void clear() {
        tree.heads.clear();
        tree.labels.clear();
        changes.clear();
        rows.clear();
        loss = 0;
    }
    void change(const TransitionFeatures::Room& room, std::size_t right, std::size_t chosen, bool of_labels) {
        changes.push_back({rows.size(), room.n, static_cast<std::int32_t>(right), static_cast<std::int32_t>(chosen), of_labels});
        rows.insert(rows.end(), room.rows, room.rows + room.n);
    }
};

class TransitionProblem {
public:
    using Output = TransitionOutput;

    // One step as seen by the sums: which moves are legal and which right; the label that is right, if the right move makes one.
    struct Step {
        KindSet legal, right;
        std::int32_t groups[kKinds];  // of right arcs; -1: any
        std::int32_t label, group;
    };
    struct State {
        std::size_t example = 0;
        const float* w = nullptr;
        float scale = 1;
        bool sums = false;
        Configuration c;
        Look look;
        Beam beam;
        GoldTree gold;
        std::vector<Step> steps;
        std::vector<float> parts;
        std::vector<Beam::Made> way;
    };

    // The features must outlive the problem.
    TransitionProblem(const TransitionData& data, const TransitionFeatures& features, const MoveSet& moves);

    std::size_t size() const { return d_.views.n_sentences; }
    std::size_t n_weights() const { return labels_at_ + f_.label_rows() * set_.label_stride; }
    std::size_t n_shared() const { return 0; }
    Offers offers() const;
    std::size_t n_parts(std::size_t i) const { return n_steps(i) * step_parts(); }
    float weight(std::size_t) const { return 1.0f; }
    std::size_t labels_at() const { return labels_at_; }
    const MoveSet& moves() const { return set_; }
    const TransitionFeatures& features() const { return f_; }
    const TransitionData& data() const { return d_; }
    std::size_t n_tokens(std::size_t i) const { return d_.views.length(i); }
    std::size_t n_steps(std::size_t i) const { return path_rows_[i + 1] - path_rows_[i]; }

    // From now on: how often a wrong move is followed, and the number that with the sentence decides when.
    void explore(double probability, std::uint64_t round) {
        exploration_ = probability;
        round_ = round;
    }

    template <class Visit>
    void rows(std::size_t i, Visit&& visit) const {
        replay(i, [&](std::size_t, bool of_labels, const TransitionFeatures::Room& room) {
            for (std::size_t k = 0; k < room.n; ++k) visit(index(of_labels, room.rows[k], 0), of_labels ? set_.label_stride : set_.move_stride);
        });
    }
    void prepare(State& s, const float*, float, bool sums) const { s.sums = sums; }
    void score(State& s, std::size_t i, const float* w, float scale) const;
    void set_scores(State& s, std::size_t i, const float* parts) const;
    void part_scores(std::size_t i, const float* w, float* parts) const;
    void observed(std::uint8_t* mask) const;
    void keep_to(const std::uint8_t* free) { free_ = free; }

    double best(State& s, float cost, Output& y) const;
    void kbest(State& s, std::size_t k, float cost, std::vector<Output>& ys, std::vector<double>& scores) const;
    void gold(State&, Output& y) const { y.clear(); }
    double loss(std::size_t, const Output& y) const { return y.loss; }
    double part_costs(std::size_t i, float* parts) const;
    template <class Visit>
    void difference(std::size_t, const Output& first, const Output& second, Visit&& visit) const {
        changes(second, 1.0f, visit);
        changes(first, -1.0f, visit);
    }
    double marginals(State& s, float* parts) const { return sums(s, parts, false); }
    double gold_marginals(State& s, float* parts) const { return sums(s, parts, true); }
    double risk(State&, float*) const;
    void pullback(std::size_t i, const float* parts, float step, float* g) const;
    void pullback_block(std::size_t begin, std::size_t end, const float* parts, int n_jobs, float* g) const;

private:
    std::size_t step_parts() const { return set_.move_stride + set_.label_stride; }
    std::size_t index(bool of_labels, std::int32_t row, std::size_t y) const {
        return of_labels ? labels_at_ + static_cast<std::size_t>(row) * set_.label_stride + y : static_cast<std::size_t>(row) * set_.move_stride + y;
    }
    template <class Visit>
    void changes(const Output& y, float value, Visit&& visit) const {
        for (const Change& c : y.changes)
            for (std::size_t k = c.first; k < c.first + c.count; ++k) {
                if (c.right >= 0) take(index(c.of_labels, y.rows[k], c.right), value, visit);
                if (c.chosen >= 0) take(index(c.of_labels, y.rows[k], c.chosen), -value, visit);
            }
    }
    template <class Visit>
    void take(std::size_t k, float value, Visit&& visit) const {
        if (!free_ || free_[k]) visit(k, value);
    }
    // visit(step, of_labels, room) for the features of every step along the way that was last gone.
    template <class Visit>
    void replay(std::size_t i, Visit&& visit) const;
    FloatWeights weights(const State& s) const { return {s.w, s.w + labels_at_, s.scale, set_.move_stride, set_.label_stride}; }
    SentenceViews sentence(std::size_t i) const { return {&d_.views, d_.views.offsets[i]}; }
    void read_gold(std::size_t i, GoldTree& gold) const;
    void require_steps(const char* what) const;
    template <class S>
    double walk(State& s, float cost, Output* y) const;
    template <class S>
    double search(State& s, float cost, std::size_t k, std::vector<Output>& ys, std::vector<double>& scores) const;
    template <class S>
    void prefixes(State& s, const std::vector<Beam::Made>& guess, std::size_t steps, Output& y) const;
    double sums(State& s, float* parts, bool right) const;
    void finish(State& s, const ScoredTree& tree, Output& y) const;

    // A step of a way: kind, label + 1, and the kind whose label was looked at (0: none).
    static std::uint32_t packed_step(Kind kind, std::int32_t label, std::uint32_t labelled) {
        return static_cast<std::uint32_t>(kind) | labelled << 2 | static_cast<std::uint32_t>(label + 1) << 4;
    }

    TransitionData d_;
    const TransitionFeatures& f_;
    const MoveSet& set_;
    const std::uint8_t* free_ = nullptr;
    std::size_t labels_at_;
    double exploration_ = 1;
    std::uint64_t round_ = 0;
    std::vector<std::size_t> path_rows_;
    // The oracle's ways, or the last ones gone. Each is of one example; atomic, as two callers may share a problem.
    mutable std::unique_ptr<std::atomic<std::uint32_t>[]> paths_;
};

template <class Visit>
void TransitionProblem::replay(std::size_t i, Visit&& visit) const {
    const SentenceViews views = sentence(i);
    with_system(d_.system, [&](auto policy) {
        using S = decltype(policy);
        Configuration c;
        TransitionFeatures::Room room;
        c.start(n_tokens(i), S::root_last);
        for (std::size_t t = 0; t < n_steps(i); ++t) {
            const std::uint32_t step = paths_[path_rows_[i] + t].load(std::memory_order_relaxed);
            const Kind kind = static_cast<Kind>(step & 3), labelled = static_cast<Kind>(step >> 2 & 3);
            const KindSet legal = S::legal(c);
            if (!(legal & bit(kind))) return;  // only where two callers explored at once
            f_.moves(views, c, room, [](std::int32_t) {});
            visit(t, false, room);
            if (labelled && (legal & bit(labelled))) {
                f_.labels(views, c, S::arc(c, labelled), room, [](std::int32_t) {});
                visit(t, true, room);
            }
            S::apply(c, kind, static_cast<std::int32_t>(step >> 4) - 1);
        }
    });
}

static_assert(LearningProblem<TransitionProblem>);

}  // namespace palmette

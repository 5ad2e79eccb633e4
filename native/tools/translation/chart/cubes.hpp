// Cube pruning and cube growing over cells of a chart (CSC 448, §17.2; Huang & Chiang 2007).
//
// A cell holds what translates a span. A cube is a list of rules and a list of vertices for each of their nonterminals; its
// positions, a rule and a vertex of each list, are candidates of the cell. They wait in one heap, by an estimate until the language
// model has scored them, and the best are taken first, up to the pop limit. Candidates that no future can tell apart are
// one vertex: same label, states of the language model at both ends, and effect on what is known of the text.
//
// Cube pruning finishes a cell before others ask for it. Cube growing takes a candidate only when another cell asks for one
// more vertex, down from the goal. Without a limit both are exact.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/stamped_map.hpp"
#include "tools/translation/chart/model.hpp"
#include "tools/translation/chart/rule_cache.hpp"
#include "tools/translation/chart/states.hpp"
#include "tools/translation/chart/transforms.hpp"

namespace palmette {

struct ChartVertex {
    double score;             // of its best edge, with the language model as far as it is certain or estimated
    TextState state;
    std::uint32_t transform, edge, cell;
    std::uint16_t label;
};

struct ChartEdge {
    std::uint32_t head, rule, first_tail;  // rule: as RuleCache numbers them
    float lm;                              // what became certain, natural logarithm
};

class CubeSearch {
public:
    static constexpr std::uint32_t kNone = 0xFFFFFFFFu;

    struct Span {
        std::uint32_t begin, end;
    };
    // A list of vertices with the same label, best first.
    struct Entry {
        std::uint16_t label;
        std::uint32_t list;
    };

    // Begins a sentence; the last three belong to it, too.
    void begin(const ChartModel& model, RuleCache& rules, TextStates& states, TextTransforms& transforms, std::uint32_t n_words);

    // label: of the node of a source tree whose words it translates.
    std::uint32_t add_cell(std::uint32_t begin, std::uint32_t end, std::uint32_t label = kNone);
    void add_cube(std::uint32_t cell, RuleCache::Range rules, std::span<const std::uint32_t> lists);
    bool has_cubes(std::uint32_t cell) const { return !cells_[cell].cubes.empty(); }
    // No more cubes come to this cell: its vertices can be asked for.
    void finish(std::uint32_t cell);
    // What a finished cell has, in the order of labels; with cube growing, a list may turn out to be empty.
    std::span<const Entry> entries(std::uint32_t cell) const {
        return {entries_.data() + cells_[cell].first_entry, cells_[cell].n_entries};
    }
    // Takes all candidates of the goal that the limit allows, and returns the first vertex of its list, or kNone.
    std::uint32_t exhaust(std::uint32_t list) {
        const std::uint32_t found = tail(list, 0);
        for (std::uint32_t k = 1; tail(list, k) != kNone; ++k) {
        }
        return found;
    }
    // The cell whose vertices a list has.
    std::uint32_t cell_of_list(std::uint32_t list) const { return lists_[list].cell; }
    std::uint32_t n_cells() const { return static_cast<std::uint32_t>(n_cells_); }
    // The beginning of the sentence as a list of one vertex.
    std::uint32_t begin_list();

    const std::vector<ChartVertex>& vertices() const { return vertices_; }
    const std::vector<ChartEdge>& edges() const { return edges_; }
    const std::uint32_t* tails(const ChartEdge& edge) const { return tails_.data() + edge.first_tail; }
    Span span(std::uint32_t cell) const { return {cells_[cell].begin, cells_[cell].end}; }
    std::uint32_t label(std::uint32_t cell) const { return cells_[cell].label; }
    // Whether every candidate was taken.
    bool is_complete() const { return complete_; }

private:
    struct Cube {
        RuleCache::Range rules;
        std::uint32_t first_list, n_lists;
    };
    struct Candidate {
        double score;
        std::uint32_t cube, position;  // position: of a rule and vertices, in the pool
        TextState state;
        std::uint32_t transform;
        float lm;
        bool is_scored;
    };
    struct Waiting {
        float score;
        std::uint32_t candidate;
        bool operator<(const Waiting& other) const {
            return score < other.score || (score == other.score && candidate > other.candidate);
        }
    };
    struct Frontier {
        std::vector<Waiting> heap;
        std::vector<Candidate> candidates;
        std::vector<std::uint32_t> positions;
        StampedMap vertices;
        std::uint32_t n_taken = 0, n_scored = 0;
        bool begun = false;
        void clear();
    };
    struct Cell {
        std::uint32_t begin, end, label;
        std::vector<Cube> cubes;
        std::uint32_t first_entry = 0, n_entries = 0, frontier = kNone;
    };
    struct List {
        std::uint32_t cell;
        std::vector<std::uint32_t> items;
    };

    std::uint32_t add_list(std::uint32_t cell);
    std::uint32_t tail(std::uint32_t list, std::uint32_t k);
    void start(Frontier& frontier, const Cell& cell);
    // Takes one more candidate of a cell, and returns its vertex if it is new; kNone: `more` says whether there was one.
    std::uint32_t take(Frontier& frontier, std::uint32_t cell, bool& more);
    void push_next(Frontier& frontier, const Cell& cell, std::uint32_t candidate);
    bool score(Frontier& frontier, const Cell& cell, std::uint32_t candidate);
    std::uint32_t accept(Frontier& frontier, std::uint32_t cell, const Candidate& candidate);
    bool grow(std::uint32_t cell);
    std::uint32_t list_of(std::uint32_t cell, std::uint16_t label) const;
    // What tells vertices of a cell apart: over trees, a cell has one node, whatever the rule.
    std::uint16_t label_of(std::uint32_t rule) const { return model_->table.trees ? 0 : rules_->rule(rule).left; }

    const ChartModel* model_ = nullptr;
    RuleCache* rules_ = nullptr;
    TextStates* states_ = nullptr;
    TextTransforms* transforms_ = nullptr;
    bool complete_ = true;
    std::uint64_t n_candidates_ = 0, most_ = 0;
    std::vector<ChartVertex> vertices_;
    std::vector<ChartEdge> edges_;
    std::vector<std::uint32_t> tails_, cube_lists_, made_;
    std::vector<Entry> entries_;
    std::vector<Cell> cells_;
    std::vector<List> lists_;
    std::size_t n_cells_ = 0, n_lists_ = 0, n_frontiers_ = 0;
    Frontier own_;
    std::vector<std::unique_ptr<Frontier>> frontiers_;
};

}  // namespace palmette

// Search by phrases, left to right over the target text (CSC 448, §15.3 to 15.5, algorithms 13 to 16).
//
// A hypothesis is a set of translated source words, the place of the last phrase and the history of the target text. It is
// extended by every phrase for words that are still free. Hypotheses that no future can tell apart are recombined. Stacks
// hold those of as many translated words, pruned by score plus an estimate of what is still to come. Without limits all of
// this is exact; with jumps of 0 words it is the monotone dynamic program of algorithm 13.
//
// Hypotheses with the same coverage and last place form a group, and a group and a span form a cube: its cells, a
// hypothesis and an option each, are candidates of one later stack. Cube pruning (Huang & Chiang 2007) takes the best
// cells of all cubes first, by an estimate until the language model has scored them, up to the pop limit.
#pragma once
#include <bit>
#include <cstdint>
#include <vector>

#include "base/stamped_map.hpp"
#include "tools/translation/search/blocks.hpp"
#include "tools/translation/search/coverage.hpp"
#include "tools/translation/search/options.hpp"
#include "tools/translation/search/target_states.hpp"

namespace palmette {

class Decoder {
public:
    static constexpr std::uint32_t kNone = 0xFFFFFFFFu;

    struct Hypothesis {
        double score;
        std::uint32_t parent, option, state, group;
    };
    struct Edge {
        std::uint32_t head, parent, option;
    };
    struct Final {
        std::uint32_t hypothesis;
        double score;
    };

    explicit Decoder(const SearchModel& model) : model_(model) {}

    // Searches one sentence; `keep_edges` keeps recombined hypotheses for the graph.
    void run(const SourceSentence& sentence, bool keep_edges);

    // What the last search found: hypothesis 0 is the empty one, and parents come before children.
    const std::vector<Hypothesis>& hypotheses() const { return hypotheses_; }
    const std::vector<Edge>& edges() const { return edges_; }
    const std::vector<Final>& finals() const { return finals_; }  // whole translations, best first
    const SentenceOptions& options() const { return options_; }
    std::uint32_t covered(std::uint32_t hypothesis) const { return groups_[hypotheses_[hypothesis].group].covered; }
    bool is_exact() const { return exact_; }          // whether nothing was pruned
    std::uint32_t longest_prefix() const { return prefix_; }  // of a text that is given

    // The values of Φ that an option adds to a hypothesis, or the end of the sentence (kNone).
    void features(std::uint32_t parent, std::uint32_t option, double* values);

private:
    struct Group {
        std::uint32_t coverage, covered, last_end;
        std::uint32_t last_begin;  // kNone where no swap is possible
        std::uint32_t blocks;
        double future;
        std::uint32_t first[3];    // where its hypotheses begin, ranked for each orientation of the next phrase
        std::uint32_t n = 0;
    };
    struct Cube {
        std::uint32_t group, target;      // target: the group of its cells, kNone until one is taken
        const SentenceOptions::Span* span;
        Orientation from, to;
        double jump, future;              // what the jump costs, and the estimate of what is left after it
    };
    struct Cell {
        double score, own;                       // with and without the future; own: once the language model has scored it
        std::uint32_t cube, hypothesis, option;  // ranks of the latter two
        std::uint32_t state;                     // kNone: the language model has not scored it
    };
    // A score and the number of a cell as one number, so that a heap compares them without branches: the highest score
    // first, and among equals the first cell.
    using Waiting = unsigned __int128;
    static Waiting waiting(double score, std::uint32_t cell) {
        const std::uint64_t bits = std::bit_cast<std::uint64_t>(score);
        return Waiting{bits >> 63 ? ~bits : bits | std::uint64_t{1} << 63} << 64 | ~cell;
    }
    // A hypothesis in the ranking of its group for an orientation of the next phrase, with what a search asks for.
    struct Ranked {
        double score;
        std::uint32_t hypothesis, state;
    };

    void search();
    void count(std::uint64_t more);
    void fill_all(std::vector<Cube>& cubes);
    void fill_best_first(std::vector<Cube>& cubes);
    void prune_and_rank(std::uint32_t first);
    void expand(std::uint32_t group);
    void finish();
    void add(Cube& cube, std::uint32_t parent, std::uint32_t option, double score, std::uint32_t state);
    std::uint32_t group_after(const Cube& cube);
    Orientation to_orientation(const Group& group, std::uint32_t begin, std::uint32_t end) const;
    Orientation from_orientation(const Group& group, std::uint32_t begin, std::uint32_t end) const;
    double to_score(const Hypothesis& one, Orientation to) const {
        return one.option == kNone ? 0.0 : options_.option(one.option).to[to];
    }

    const SearchModel& model_;
    const SourceSentence* sentence_ = nullptr;
    bool keep_edges_ = false, exact_ = true;
    std::uint32_t prefix_ = 0;
    std::uint64_t n_candidates_ = 0;
    TargetConstraint constraint_;
    SentenceOptions options_;
    TargetStates states_;
    Coverages coverages_;
    BlockStacks blocks_;
    std::vector<Hypothesis> hypotheses_;
    std::vector<Group> groups_;
    std::vector<Edge> edges_;
    std::vector<Final> finals_;
    std::vector<Ranked> order_;                // hypotheses of groups
    std::vector<std::vector<Cube>> waiting_;   // by the number of covered words
    std::vector<Cell> cells_;
    std::vector<Waiting> heap_;
    std::vector<std::uint32_t> kept_, filled_, walls_before_;
    struct Gap {
        std::uint32_t begin, end;
        double future;
    };
    std::vector<Gap> gaps_;
    std::uint32_t first_group_ = 0;            // of the stack that is filled
    StampedMap hypothesis_map_, group_map_;
};

}  // namespace palmette

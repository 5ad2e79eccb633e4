#include "tools/translation/chart/cubes.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "base/hashing.hpp"
#include "base/interrupt.hpp"

namespace palmette {

namespace {

using u32 = std::uint32_t;
constexpr u32 kUsualLength = 100;  // words that the limit on candidates is meant for
constexpr u32 kMostScored = 100;  // candidates that are scored for each one that a pop limit allows

}  // namespace

void CubeSearch::Frontier::clear() {
    heap.clear();
    candidates.clear();
    positions.clear();
    vertices.clear();
    n_taken = n_scored = 0;
    begun = false;
}

void CubeSearch::begin(const ChartModel& model, RuleCache& rules, TextStates& states, TextTransforms& transforms, u32 n_words) {
    model_ = &model;
    rules_ = &rules;
    states_ = &states;
    transforms_ = &transforms;
    complete_ = true;
    n_candidates_ = 0;
    // A pop limit bounds the work for each word, so longer sentences may have more; without one, growth is without bound.
    most_ = model.limits.most * (model.limits.pop_limit ? std::max(1u, n_words / kUsualLength) : 1u);
    vertices_.clear();
    edges_.clear();
    tails_.clear();
    cube_lists_.clear();
    entries_.clear();
    n_cells_ = n_lists_ = n_frontiers_ = 0;
}

u32 CubeSearch::add_cell(u32 begin, u32 end, u32 label) {
    if (n_cells_ == cells_.size()) cells_.emplace_back();
    Cell& made = cells_[n_cells_];
    made.begin = begin;
    made.end = end;
    made.label = label;
    made.cubes.clear();
    made.first_entry = made.n_entries = 0;
    made.frontier = kNone;
    return static_cast<u32>(n_cells_++);
}

u32 CubeSearch::add_list(u32 cell) {
    if (n_lists_ == lists_.size()) lists_.emplace_back();
    lists_[n_lists_].cell = cell;
    lists_[n_lists_].items.clear();
    return static_cast<u32>(n_lists_++);
}

void CubeSearch::add_cube(u32 cell, RuleCache::Range rules, std::span<const u32> lists) {
    if (!rules.n) return;
    cells_[cell].cubes.push_back({rules, static_cast<u32>(cube_lists_.size()), static_cast<u32>(lists.size())});
    cube_lists_.insert(cube_lists_.end(), lists.begin(), lists.end());
    n_candidates_ += 1;
}

u32 CubeSearch::begin_list() {
    const u32 cell = add_cell(0, 0), list = add_list(cell);
    vertices_.push_back({0.0, states_->begin(), transforms_->begin(), kNone, cell, 0});
    lists_[list].items.push_back(static_cast<u32>(vertices_.size() - 1));
    return list;
}

void CubeSearch::finish(u32 number) {
    check_interrupt();
    Cell& cell = cells_[number];
    cell.first_entry = static_cast<u32>(entries_.size());
    if (cell.cubes.empty()) return;
    if (model_->limits.growing) {
        // Which labels there may be; the vertices come when they are asked for.
        made_.clear();
        for (const Cube& cube : cell.cubes)
            for (u32 r = 0; r < cube.rules.n; ++r) made_.push_back(label_of(cube.rules.first + r));
        std::sort(made_.begin(), made_.end());
        made_.erase(std::unique(made_.begin(), made_.end()), made_.end());
        for (const u32 label : made_) entries_.push_back({static_cast<std::uint16_t>(label), add_list(number)});
        cell.n_entries = static_cast<u32>(made_.size());
        if (n_frontiers_ == frontiers_.size()) frontiers_.push_back(std::make_unique<Frontier>());
        cell.frontier = static_cast<u32>(n_frontiers_++);
        frontiers_[cell.frontier]->clear();
        return;
    }
    made_.clear();
    own_.clear();
    start(own_, cell);
    const u32 limit = model_->limits.pop_limit;
    for (bool more = true; more && (!limit || own_.n_taken < limit);) {
        const u32 vertex = take(own_, number, more);
        if (vertex != kNone) made_.push_back(vertex);
    }
    complete_ = complete_ && own_.heap.empty();
    std::sort(made_.begin(), made_.end(), [&](u32 a, u32 b) {
        const ChartVertex &x = vertices_[a], &y = vertices_[b];
        return x.label != y.label ? x.label < y.label : x.score != y.score ? x.score > y.score : a < b;
    });
    for (std::size_t k = 0; k < made_.size(); ++k) {
        const std::uint16_t label = vertices_[made_[k]].label;
        if (k == 0 || label != entries_.back().label) entries_.push_back({label, add_list(number)});
        lists_[entries_.back().list].items.push_back(made_[k]);
    }
    cell.n_entries = static_cast<u32>(entries_.size()) - cell.first_entry;
    cell.cubes.clear();
}

u32 CubeSearch::list_of(u32 cell, std::uint16_t label) const {
    for (const Entry& entry : entries(cell))
        if (entry.label == label) return entry.list;
    return kNone;
}

u32 CubeSearch::tail(u32 list, u32 k) {
    while (lists_[list].items.size() <= k)
        if (!model_->limits.growing || !grow(lists_[list].cell)) return kNone;
    return lists_[list].items[k];
}

bool CubeSearch::grow(u32 number) {
    const Cell& cell = cells_[number];
    if (cell.frontier == kNone) return false;
    Frontier& frontier = *frontiers_[cell.frontier];
    if (!frontier.begun) {
        frontier.begun = true;
        start(frontier, cell);
    }
    const u32 limit = model_->limits.pop_limit;
    for (bool more = true; more;) {
        if (limit && frontier.n_taken >= limit) {
            complete_ = complete_ && frontier.heap.empty();
            return false;
        }
        const u32 vertex = take(frontier, number, more);
        if (vertex == kNone) continue;
        lists_[list_of(number, vertices_[vertex].label)].items.push_back(vertex);
        return true;
    }
    return false;
}

void CubeSearch::start(Frontier& frontier, const Cell& cell) {
    for (u32 c = 0; c < cell.cubes.size(); ++c) {
        const Cube cube = cell.cubes[c];
        double score = rules_->rule(cube.rules.first).estimate;
        bool is_full = true;
        for (u32 t = 0; t < cube.n_lists && is_full; ++t) {
            const u32 vertex = tail(cube_lists_[cube.first_list + t], 0);
            is_full = vertex != kNone;
            if (is_full) score += vertices_[vertex].score;
        }
        if (!is_full) continue;
        const u32 number = static_cast<u32>(frontier.candidates.size());
        frontier.candidates.push_back({score, c, static_cast<u32>(frontier.positions.size()), {}, 0, 0, false});
        frontier.positions.resize(frontier.positions.size() + 1 + cube.n_lists, 0);
        frontier.heap.push_back({static_cast<float>(score), number});
    }
    std::make_heap(frontier.heap.begin(), frontier.heap.end());
}

u32 CubeSearch::take(Frontier& frontier, u32 number, bool& more) {
    auto& heap = frontier.heap;
    while (!heap.empty()) {
        const u32 top = heap.front().candidate;
        std::pop_heap(heap.begin(), heap.end());
        heap.pop_back();
        if (!frontier.candidates[top].is_scored) {
            push_next(frontier, cells_[number], top);
            if (!score(frontier, cells_[number], top)) continue;
            const float found = static_cast<float>(frontier.candidates[top].score);
            // Rules of many nonterminals have many positions with better estimates than any that is scored: not all are looked at.
            const bool may_wait = !model_->limits.pop_limit || ++frontier.n_scored < kMostScored * model_->limits.pop_limit;
            if (may_wait && !heap.empty() && heap.front().score > found) {
                heap.push_back({found, top});
                std::push_heap(heap.begin(), heap.end());
                continue;
            }
        }
        ++frontier.n_taken;
        return accept(frontier, number, frontier.candidates[top]);
    }
    more = false;
    return kNone;
}

// The neighbours of a position. Each position has one that it comes from, the one before it in its last dimension that is
// not 0; estimates only fall, so the best estimate of all is always in the heap.
void CubeSearch::push_next(Frontier& frontier, const Cell& cell, u32 number) {
    const Candidate from = frontier.candidates[number];
    const Cube cube = cell.cubes[from.cube];
    const u32 n = 1 + cube.n_lists;
    u32 d = n - 1;
    while (d > 0 && frontier.positions[from.position + d] == 0) --d;
    for (; d < n; ++d) {
        const u32 at = frontier.positions[from.position + d];
        double score = from.score;
        if (d == 0) {
            if (at + 1 >= cube.rules.n) continue;
            score += double{rules_->rule(cube.rules.first + at + 1).estimate} - rules_->rule(cube.rules.first + at).estimate;
        } else {
            const u32 list = cube_lists_[cube.first_list + d - 1];
            const u32 next = tail(list, at + 1);
            if (next == kNone) continue;
            score += vertices_[next].score - vertices_[lists_[list].items[at]].score;
        }
        if (++n_candidates_ > most_)
            throw std::invalid_argument("more than " + std::to_string(most_) +
                                        " candidates for one sentence: set pop_limit, span or table_limit lower");
        const u32 position = static_cast<u32>(frontier.positions.size());
        frontier.positions.resize(position + n);
        for (u32 k = 0; k < n; ++k) frontier.positions[position + k] = frontier.positions[from.position + k];
        ++frontier.positions[position + d];
        frontier.heap.push_back({static_cast<float>(score), static_cast<u32>(frontier.candidates.size())});
        std::push_heap(frontier.heap.begin(), frontier.heap.end());
        frontier.candidates.push_back({score, from.cube, position, {}, 0, 0, false});
    }
}

bool CubeSearch::score(Frontier& frontier, const Cell& cell, u32 number) {
    Candidate& own = frontier.candidates[number];
    const Cube& cube = cell.cubes[own.cube];
    const u32* position = &frontier.positions[own.position];
    const ChartRule& rule = rules_->rule(cube.rules.first + position[0]);
    const auto vertex = [&](u32 t) -> const ChartVertex& {
        return vertices_[lists_[cube_lists_[cube.first_list + t]].items[position[1 + t]]];
    };
    own.is_scored = true;
    double lm = 0, score = rule.score;
    if (rule.rule == ChartRule::kEnd) {
        if (!transforms_->may_end(vertex(0).transform)) return false;
        lm = states_->finish(vertex(0).state);
        own.state = {};
        own.transform = 0;
        score += vertex(0).score;
    } else {
        TextState state = TextStates::kEmpty;
        u32 transform = 0;
        const bool is_free = transforms_->is_free();
        for (const std::int32_t part : rules_->parts(rule)) {
            TextStates::Step step;
            if (part >= 0) {
                const u32 run = static_cast<u32>(part);
                step = states_->append(state, run, rules_->lm_words(run));
                if (!is_free) {
                    const u32 other = transforms_->of_words(run, rules_->words(run));
                    transform = other == TextTransforms::kBlocked ? other : transforms_->joined(transform, other);
                }
            } else {
                const ChartVertex& tail = vertex(static_cast<u32>(-1 - part));
                step = states_->join(state, tail.state);
                score += tail.score;
                if (!is_free) transform = transforms_->joined(transform, tail.transform);
            }
            if (transform == TextTransforms::kBlocked) return false;
            state = step.state;
            lm += step.lm;
        }
        own.state = state;
        own.transform = transform;
    }
    own.lm = static_cast<float>(lm);
    own.score = score + model_->weights[ChartLayout::lm] * lm;
    return true;
}

u32 CubeSearch::accept(Frontier& frontier, u32 number, const Candidate& own) {
    const Cube& cube = cells_[number].cubes[own.cube];
    const u32* position = &frontier.positions[own.position];
    const u32 rule = cube.rules.first + position[0];
    const std::uint16_t label = label_of(rule);
    std::uint64_t key = combine(std::uint64_t{own.state.left} << 32 | own.state.right, std::uint64_t{own.transform} << 32 | label);
    const u32 edge = static_cast<u32>(edges_.size());
    bool is_new = false;
    const u32 head = frontier.vertices.find_or_make(
        key,
        [&](u32 found) {
            const ChartVertex& other = vertices_[found];
            return other.state == own.state && other.transform == own.transform && other.label == label;
        },
        [&] {
            is_new = true;
            vertices_.push_back({own.score, own.state, own.transform, edge, number, label});
            return static_cast<u32>(vertices_.size() - 1);
        });
    // A vertex that others have seen keeps its place, and its score with it.
    if (!is_new && !model_->limits.growing && own.score > vertices_[head].score) {
        vertices_[head].score = own.score;
        vertices_[head].edge = edge;
    }
    edges_.push_back({head, rule, static_cast<u32>(tails_.size()), own.lm});
    for (u32 t = 0; t < cube.n_lists; ++t) tails_.push_back(lists_[cube_lists_[cube.first_list + t]].items[position[1 + t]]);
    return is_new ? head : kNone;
}

}  // namespace palmette

#include "tools/translation/search/decoder.hpp"

#include <algorithm>
#include <stdexcept>

#include "base/interrupt.hpp"

namespace palmette {

namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

u32 distance(u32 a, u32 b) { return a < b ? b - a : a - b; }

}  // namespace

void Decoder::run(const SourceSentence& sentence, bool keep_edges) {
    sentence_ = &sentence;
    keep_edges_ = keep_edges;
    constraint_ = sentence.forced               ? TargetConstraint::only(sentence.target)
                  : !sentence.forbidden.empty() ? TargetConstraint::without(sentence.forbidden)
                                                : TargetConstraint();
    walls_before_.assign(1, 0);
    for (const std::uint8_t wall : sentence.walls) walls_before_.push_back(walls_before_.back() + wall);
    options_.collect(model_, sentence, constraint_, false);
    search();
    if (finals_.empty() && !sentence.forbidden.empty() && !sentence.forced) {
        // What is forbidden can leave no way on; then words may be left out.
        options_.collect(model_, sentence, constraint_, true);
        search();
    }
}

void Decoder::search() {
    const u32 n = sentence_->size();
    exact_ = true;
    prefix_ = 0;
    n_candidates_ = 0;
    states_.reset(model_, *sentence_, options_, constraint_);
    coverages_.reset(n);
    blocks_.reset();
    hypotheses_.clear();
    groups_.clear();
    edges_.clear();
    finals_.clear();
    order_.clear();
    hypothesis_map_.clear();
    group_map_.clear();
    waiting_.resize(std::max<std::size_t>(waiting_.size(), n + 1));
    for (auto& cubes : waiting_) cubes.clear();

    hypotheses_.push_back({0, kNone, kNone, TargetStates::kStart, 0});
    groups_.push_back({Coverages::kEmpty, 0, 0, kNone, BlockStacks::kBottom, options_.future(0, n), {0, 0, 0}, 1});
    order_.push_back({0, 0, TargetStates::kStart});
    if (n) expand(0);
    for (u32 covered = 1; covered <= n; ++covered) {
        check_interrupt();
        const u32 first = static_cast<u32>(hypotheses_.size());
        first_group_ = static_cast<u32>(groups_.size());
        if (model_.limits.pop_limit)
            fill_best_first(waiting_[covered]);
        else
            fill_all(waiting_[covered]);
        waiting_[covered].clear();
        prune_and_rank(first);
        if (covered == n) break;
        for (u32 group = first_group_, last = static_cast<u32>(groups_.size()); group < last; ++group)
            if (groups_[group].n) expand(group);
    }
    finish();
}

void Decoder::count(u64 more) {
    n_candidates_ += more;
    if (n_candidates_ > model_.limits.most)
        throw std::length_error("a search without limits has too many candidates here: set stack, pop_limit or distortion_limit");
}

// Every cell of every cube: algorithm 16, with recombination.
void Decoder::fill_all(std::vector<Cube>& cubes) {
    const double w_lm = model_.weights[FeatureLayout::lm];
    for (const Cube& cube : cubes) count(u64{groups_[cube.group].n} * cube.span->n);
    for (Cube& cube : cubes) {
        const Group group = groups_[cube.group];
        check_interrupt();
        const SentenceOptions::Ranked* options = options_.ranking(*cube.span, cube.from);
        for (u32 i = 0; i < group.n; ++i) {
            const Ranked before = order_[group.first[cube.to] + i];
            for (u32 j = 0; j < cube.span->n; ++j) {
                const TargetStates::Step step = states_.advance(before.state, options[j].target);
                if (step.next == TargetStates::kBlocked) continue;
                add(cube, before.hypothesis, options[j].option, before.score + cube.jump + options[j].score + w_lm * step.lm, step.next);
            }
        }
    }
}

// The best cells of all cubes, as many as the pop limit: a cell waits under its estimate, and when its turn has come under
// its score. Behind (i, j) comes (i, j + 1), and behind (i, 0) also (i + 1, 0), so that no cell comes twice.
void Decoder::fill_best_first(std::vector<Cube>& cubes) {
    const double w_lm = model_.weights[FeatureLayout::lm];
    cells_.clear();
    heap_.clear();
    const auto estimate = [&](u32 c, u32 i, u32 j) {
        const Cube& cube = cubes[c];
        const double score = order_[groups_[cube.group].first[cube.to] + i].score + options_.ranking(*cube.span, cube.from)[j].estimate +
                             cube.jump + cube.future;
        cells_.push_back({score, 0, c, i, j, kNone});
        return waiting(score, static_cast<u32>(cells_.size() - 1));
    };
    const auto push = [&](const Waiting& one) {
        heap_.push_back(one);
        std::push_heap(heap_.begin(), heap_.end());
    };
    for (u32 c = 0; c < cubes.size(); ++c) heap_.push_back(estimate(c, 0, 0));
    std::make_heap(heap_.begin(), heap_.end());
    double best = -std::numeric_limits<double>::infinity();
    u32 pops = 0;
    while (!heap_.empty()) {
        const u32 top = ~static_cast<u32>(heap_.front());
        Cell cell = cells_[top];
        if (pops == model_.limits.pop_limit || cell.score < best - model_.limits.threshold) {
            exact_ = false;
            break;
        }
        std::pop_heap(heap_.begin(), heap_.end());
        heap_.pop_back();
        Cube& cube = cubes[cell.cube];
        const Group& group = groups_[cube.group];
        const Ranked& before = order_[group.first[cube.to] + cell.hypothesis];
        const SentenceOptions::Ranked& option = options_.ranking(*cube.span, cube.from)[cell.option];
        if (cell.state == kNone) {
            count(1);
            if (cell.option + 1 < cube.span->n) push(estimate(cell.cube, cell.hypothesis, cell.option + 1));
            if (cell.option == 0 && cell.hypothesis + 1 < group.n) push(estimate(cell.cube, cell.hypothesis + 1, 0));
            const TargetStates::Step step = states_.advance(before.state, option.target);
            if (step.next == TargetStates::kBlocked) continue;
            cell.own = before.score + cube.jump + option.score + w_lm * step.lm;
            cell.state = step.next;
            cell.score = cell.own + cube.future;
            if (const Waiting own = waiting(cell.score, top); !heap_.empty() && heap_.front() > own) {
                cells_[top] = cell;
                push(own);
                continue;
            }
        }
        add(cube, before.hypothesis, option.option, cell.own, cell.state);
        best = std::max(best, cell.score);
        ++pops;
    }
}

void Decoder::add(Cube& cube, u32 parent, u32 option, double score, u32 state) {
    if (cube.target == kNone) cube.target = group_after(cube);
    const u32 group = cube.target, forward = options_.option(option).forward;
    const u32 next = static_cast<u32>(hypotheses_.size());
    const u32 found = hypothesis_map_.find_or_make(
        combine(u64{group} << 32 | state, forward),
        [&](u32 other) {
            const Hypothesis& one = hypotheses_[other];
            return one.group == group && one.state == state && options_.option(one.option).forward == forward;
        },
        [&] { return next; });
    if (found == next) {
        hypotheses_.push_back({score, parent, option, state, group});
        if (sentence_->forced) prefix_ = std::max(prefix_, states_.constraint_state(state));
    } else if (Hypothesis& one = hypotheses_[found]; score > one.score) {
        one.score = score;
        one.parent = parent;
        one.option = option;
    }
    if (keep_edges_) edges_.push_back({found, parent, option});
}

u32 Decoder::group_after(const Cube& cube) {
    const Group before = groups_[cube.group];
    const u32 begin = cube.span->begin, end = cube.span->end;
    const u32 coverage = coverages_.with(before.coverage, begin, end);
    // Where the word before the phrase is translated already, or there is none, no phrase can swap with it.
    const bool may_swap = model_.layout.n_reordering && begin && !coverages_.covers(coverage, begin - 1);
    const u32 last_begin = may_swap ? begin : kNone;
    const u32 blocks = model_.limits.hierarchical && model_.layout.from >= 0 ? blocks_.shift(before.blocks, begin, end) : 0;
    const u32 next = static_cast<u32>(groups_.size());
    const u32 found = group_map_.find_or_make(
        combine(combine(u64{coverage} << 32 | end, last_begin), blocks),
        [&](u32 other) {
            const Group& one = groups_[other];
            return one.coverage == coverage && one.last_end == end && one.last_begin == last_begin && one.blocks == blocks;
        },
        [&] { return next; });
    if (found == next)
        groups_.push_back({coverage, before.covered + end - begin, end, last_begin, blocks, cube.future, {0, 0, 0}, 0});
    return found;
}

// Keeps the best hypotheses of the stack that begins at `first`, and ranks them inside their groups.
void Decoder::prune_and_rank(u32 first) {
    const auto value = [&](u32 h) { return hypotheses_[h].score + groups_[hypotheses_[h].group].future; };
    const auto better = [&](u32 a, u32 b) {
        const double x = value(a), y = value(b);
        return x != y ? x > y : a < b;
    };
    kept_.clear();
    double best = -std::numeric_limits<double>::infinity();
    for (u32 h = first; h < hypotheses_.size(); ++h) best = std::max(best, value(h));
    for (u32 h = first; h < hypotheses_.size(); ++h) {
        if (value(h) < best - model_.limits.threshold)
            exact_ = false;
        else
            kept_.push_back(h);
    }
    if (model_.limits.stack && kept_.size() > model_.limits.stack) {
        std::nth_element(kept_.begin(), kept_.begin() + model_.limits.stack, kept_.end(), better);
        kept_.resize(model_.limits.stack);
        exact_ = false;
    }
    for (const u32 h : kept_) ++groups_[hypotheses_[h].group].n;
    const int kinds = model_.layout.to >= 0 ? 3 : 1;
    u32 at = static_cast<u32>(order_.size());
    for (u32 g = first_group_; g < groups_.size(); ++g) {
        groups_[g].first[0] = at;
        at += groups_[g].n;
    }
    const u32 total = static_cast<u32>(kept_.size());
    order_.resize(order_.size() + std::size_t{total} * kinds);
    std::vector<u32>& filled = filled_;
    filled.assign(groups_.size() - first_group_, 0);
    for (const u32 h : kept_) {
        const u32 g = hypotheses_[h].group;
        order_[groups_[g].first[0] + filled[g - first_group_]++] = {hypotheses_[h].score, h, hypotheses_[h].state};
    }
    for (u32 g = first_group_; g < groups_.size(); ++g) {
        Group& group = groups_[g];
        for (int o = 0; o < 3; ++o) {
            group.first[o] = group.first[0] + (o < kinds ? o * total : 0);
            if (o >= kinds || !group.n) continue;
            const auto begin = order_.begin() + group.first[o];
            if (o) std::copy(order_.begin() + group.first[0], order_.begin() + group.first[0] + group.n, begin);
        }
        for (int o = 0; o < kinds; ++o) {
            const auto begin = order_.begin() + group.first[o];
            if (kinds > 1)
                for (u32 i = 0; i < group.n; ++i) begin[i].score += to_score(hypotheses_[begin[i].hypothesis], Orientation(o));
            if (group.n > 1)
                std::sort(begin, begin + group.n, [](const Ranked& a, const Ranked& b) {
                    return a.score != b.score ? a.score > b.score : a.hypothesis < b.hypothesis;
                });
        }
    }
}

// The cubes of a group: every span of free words that jumps not too far, and from where the first gap is in reach, so that
// no hypothesis runs into a dead end.
void Decoder::expand(u32 number) {
    const Group group = groups_[number];
    const u32 n = sentence_->size(), gap = coverages_.first_gap(group.coverage);
    const std::int64_t limit = model_.limits.distortion_limit;
    gaps_.clear();
    for (u32 at = gap; at < n;) {
        const u32 end = coverages_.next_covered(group.coverage, at);
        gaps_.push_back({at, end, options_.future(at, end)});
        for (at = end; at < n && coverages_.covers(group.coverage, at);) ++at;
    }
    for (const Gap& own : gaps_) {
        double others = 0;
        for (const Gap& other : gaps_)
            if (other.begin != own.begin) others += other.future;
        for (u32 begin = own.begin; begin < own.end; ++begin) {
            const u32 jump = distance(begin, group.last_end);
            if (limit >= 0 && jump > limit) {
                if (begin > group.last_end) return;
                continue;
            }
            for (const SentenceOptions::Span& span : options_.spans(begin)) {
                if (span.end > own.end) break;
                if (begin != gap) {
                    if (limit >= 0 && span.end - gap > limit) break;
                    // A wall may not lie between the first gap and the last word of the phrase.
                    if (walls_before_.size() > n && walls_before_[span.end - 1] != walls_before_[gap]) break;
                }
                Cube cube{number, kNone, &span, kMonotone, kMonotone, 0, 0};
                if (model_.layout.n_reordering) {
                    cube.from = from_orientation(group, begin, span.end);
                    cube.to = to_orientation(group, begin, span.end);
                }
                cube.jump = -model_.weights[FeatureLayout::distortion] * jump;
                cube.future = others + options_.future(own.begin, begin) + options_.future(span.end, own.end);
                waiting_[group.covered + span.end - begin].push_back(cube);
            }
        }
    }
}

Orientation Decoder::from_orientation(const Group& group, u32 begin, u32 end) const {
    if (model_.limits.hierarchical) return blocks_.orientation(group.blocks, begin, end);
    return orientation_of(group.last_begin, group.last_end, begin, end);
}

// What follows a phrase is not known yet. For blocks, what lies between it and the next phrase counts as part of the block
// that is to come if it is still free, as in Moses.
Orientation Decoder::to_orientation(const Group& group, u32 begin, u32 end) const {
    if (model_.limits.hierarchical) {
        if (begin > group.last_end && !coverages_.covers(group.coverage, group.last_end)) return kMonotone;
        if (group.last_begin != kNone && end < group.last_begin) return kSwap;
    }
    return orientation_of(group.last_begin, group.last_end, begin, end);
}

void Decoder::finish() {
    const u32 n = sentence_->size();
    for (u32 g = n ? first_group_ : 0; g < groups_.size(); ++g) {
        if (groups_[g].covered != n) continue;
        for (u32 i = 0; i < groups_[g].n; ++i) {
            const u32 h = order_[groups_[g].first[0] + i].hypothesis;
            const TargetStates::Step step = states_.finish(hypotheses_[h].state);
            if (step.next == TargetStates::kBlocked) continue;
            finals_.push_back({h, hypotheses_[h].score + model_.weights[FeatureLayout::lm] * step.lm -
                                      model_.weights[FeatureLayout::distortion] * distance(groups_[g].last_end, n)});
        }
    }
    std::sort(finals_.begin(), finals_.end(), [](const Final& a, const Final& b) {
        return a.score != b.score ? a.score > b.score : a.hypothesis < b.hypothesis;
    });
}

void Decoder::features(u32 parent, u32 option, double* values) {
    const FeatureLayout& layout = model_.layout;
    std::fill(values, values + layout.size(), 0.0);
    const Hypothesis& before = hypotheses_[parent];
    const Group& group = groups_[before.group];
    if (option == kNone) {
        values[FeatureLayout::lm] = states_.finish(before.state).lm;
        values[FeatureLayout::distortion] = -double(distance(group.last_end, sentence_->size()));
        return;
    }
    const PhraseOption& one = options_.option(option);
    values[FeatureLayout::lm] = states_.advance(before.state, one.target).lm;
    values[FeatureLayout::distortion] = -double(distance(one.begin, group.last_end));
    values[FeatureLayout::words] = -double(options_.target(one.target).size());
    values[FeatureLayout::phrases] = 1;
    if (one.pair == PhraseOption::kCopied) values[FeatureLayout::unknown] = -1;
    const auto is_pair = [](u32 pair) { return pair < PhraseOption::kGiven; };
    if (is_pair(one.pair)) {
        const auto scores = model_.table.scores_of(one.pair);
        std::copy(scores.begin(), scores.end(), values + FeatureLayout::columns);
    }
    if (!layout.n_reordering) return;
    if (layout.from >= 0 && is_pair(one.pair)) {
        const int column = layout.from + from_orientation(group, one.begin, one.end);
        values[layout.reordering() + column] += model_.table.reordering_of(one.pair)[column];
    }
    if (layout.to >= 0 && before.option != kNone && is_pair(options_.option(before.option).pair)) {
        const int column = layout.to + to_orientation(group, one.begin, one.end);
        values[layout.reordering() + column] += model_.table.reordering_of(options_.option(before.option).pair)[column];
    }
}

}  // namespace palmette

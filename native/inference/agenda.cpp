// Searches by score: best first (Dijkstra/Knuth, A*), and stacks with histogram and beam. CSC 448, §7, §11.
#include "inference/engine.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "inference/expressions.hpp"

namespace palmette::deduction {

// The rule of an edge that computes its score by a function, or none.
const Rule* Engine::combining_rule(int32_t e) const {
    if (!combines_ || edge_label_[e] < first_rule_part_) return nullptr;
    const Rule& rule = program_.rules[edge_label_[e] - first_rule_part_];
    return rule.combination.empty() ? nullptr : &rule;
}

double Engine::edge_score(int32_t e) {
    double score = scores_[edge_label_[e]];
    const Rule* rule = combining_rule(e);
    if (rule) {
        const int32_t first = tail_start_[e];
        score += rule->combination.value([&](int32_t i) { return best_[edge_tails_[first + i]]; },
                                         search_.function, stack_);
    } else {
        for (int32_t i = tail_start_[e]; i < tail_start_[e + 1]; ++i) score += best_[edge_tails_[i]];
    }
    if (search_.superior && combines_) check_superior(e, score, rule);
    return score;
}

// Knuth's condition, without which an item may become better after it left the agenda.
void Engine::check_superior(int32_t e, double score, const Rule* rule) const {
    for (int32_t i = tail_start_[e]; i < tail_start_[e + 1]; ++i) {
        const int32_t v = edge_tails_[i];
        if (node_predicate_[v] < 0 || !program_.predicates[node_predicate_[v]].is_derived) continue;
        if (score <= best_[v] + 1e-9 * std::max(1.0, std::abs(best_[v]))) continue;
        const std::string where = rule ? "the rule at " + rule->where : "a rule that multiplies";
        throw std::invalid_argument("best-first search needs rules that give at most what each of their items has, but " +
                                    where + " gives " + short_number(std::exp(score)) + " from an item with " +
                                    short_number(std::exp(best_[v])) +
                                    "; search exhaustively, or use AStar with a heuristic");
    }
}

// A derivation that ends in edge e was found, or has become better.
void Engine::offer(int32_t e) {
    const int32_t v = edge_head_[e];
    const double score = edge_score(e);
    if (!(score > best_[v])) return;
    best_[v] = score;
    int32_t height = 0;
    for (int64_t i = tail_start_[e]; i < tail_start_[e + 1]; ++i)
        height = std::max(height, height_[edge_tails_[i]] + 1);
    height_[v] = height;
    // Higher than there are nodes, a derivation has an item within itself, and the outer one was better.
    if (height > static_cast<int64_t>(node_predicate_.size()))
        throw std::invalid_argument("there is no best derivation: going round a cycle of items adds to the score");
    int32_t p = node_predicate_[v];
    if (p < 0 || !program_.predicates[p].is_derived) return;  // leaves wait for nobody
    if (search_.order == Order::best_first) {
        agenda_.push({score + heuristic(v), score, v});
    } else {
        int32_t bucket = bucket_of(v);
        if (bucket < open_bucket_)
            throw std::invalid_argument("an item was derived for bucket " + std::to_string(bucket) +
                                        " when bucket " + std::to_string(open_bucket_) +
                                        " had begun: a rule must not lead to an earlier bucket");
        stacks_[bucket].push({score, score, v});
    }
}

double Engine::heuristic(int32_t v) {
    auto arguments = arguments_of(v);
    double h = 0.0;
    if (search_.heuristic) {
        h = search_.heuristic(node_predicate_[v], arguments);
    } else if (!search_.heuristic_of_bucket.empty() && program_.predicates[node_predicate_[v]].has_bucket) {
        int32_t bucket = bucket_of(v);
        if (bucket < 0 || static_cast<size_t>(bucket) >= search_.heuristic_of_bucket.size())
            throw std::invalid_argument("there is an item in bucket " + std::to_string(bucket) +
                                        ", but the heuristic has " +
                                        std::to_string(search_.heuristic_of_bucket.size()) + " entries");
        h = search_.heuristic_of_bucket[bucket];
    }
    if (search_.heuristic_weight == 0) return 0.0;  // whatever h is, infinity included
    if (std::isnan(h)) throw std::invalid_argument("the heuristic is not a number");
    return search_.heuristic_weight * h;
}

// Items of predicates without a bucket come last.
int32_t Engine::bucket_of(int32_t v) const {
    const Predicate& predicate = program_.predicates[node_predicate_[v]];
    if (!predicate.has_bucket) return std::numeric_limits<int32_t>::max();
    int32_t bucket = evaluate(predicate.bucket, arguments_of(v).data(), predicate.bucket_where);
    if (bucket >= kSymbol) fail(predicate.bucket_where, "a bucket must be an integer, not a symbol");
    return bucket;
}

// Pops a new item, or passes a better score of an old one on to what was built with it.
void Engine::expand(int32_t v) {
    if (!std::exchange(popped_[v], 1)) return pop(v);
    work(1);
    for (int32_t use = first_use_[v]; use >= 0; use = next_use_[use]) offer(use_edge_[use]);
}

void Engine::run_best_first() {
    while (!agenda_.empty()) {
        Entry entry = agenda_.top();
        agenda_.pop();
        if (is_stale(entry)) continue;
        expand(entry.node);
        if (node_predicate_[entry.node] == program_.goal) return;
    }
}

// Algorithms 6 and 7: the stacks in order, each down to its best `top` items or `width` below its best.
void Engine::run_stacks() {
    while (!stacks_.empty()) {
        open_bucket_ = stacks_.begin()->first;
        auto& stack = stacks_.begin()->second;
        const double floor = stack.top().score - search_.width;
        int64_t taken = 0;
        while (!stack.empty()) {
            Entry entry = stack.top();
            stack.pop();
            if (is_stale(entry)) continue;
            if (entry.score < floor) break;
            if (!popped_[entry.node] && search_.top > 0 && taken++ == search_.top) break;
            expand(entry.node);
        }
        stacks_.erase(open_bucket_);
    }
}

}  // namespace palmette::deduction

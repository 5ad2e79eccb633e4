#include "inference/deduction.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "inference/engine.hpp"

namespace palmette::deduction {

Engine::Engine(const Program& program, std::span<const double> scores, const Search& search)
    : program_(program), scores_(scores), search_(search), relations_(program.predicates.size()) {
    for (size_t p = 0; p < relations_.size(); ++p) {
        const Predicate& predicate = program.predicates[p];
        relations_[p].items = TupleSet(predicate.arity);
        relations_[p].facts = TupleTable(predicate.arity);
        if (predicate.is_derived) continue;
        for (int32_t f = 0; f < predicate.n_facts; ++f) {
            relations_[p].facts.push(fact(predicate, f));
            relations_[p].all_facts.push_back(f);
        }
    }
    Planner planner(program, relations_);
    for (size_t r = 0; r < program.rules.size(); ++r) make_plans(planner, static_cast<int32_t>(r));
    for (const Rule& rule : program.rules) {
        size_t width = rule.head_arguments.size() + rule.body.size();
        for (const Atom& atom : rule.body) width -= atom.is_condition;
        instances_.push_back(may_repeat(rule) ? std::make_unique<TupleSet>(width) : nullptr);
    }
    first_rule_part_ = program.n_parts - static_cast<int32_t>(program.rules.size());
    for (const Rule& rule : program.rules) combines_ |= !rule.combination.empty();
    items_of_.assign(program.rules.size(), 0);
    edges_of_.assign(program.rules.size(), 0);
    for (auto& relation : relations_)
        for (auto& index : relation.indexes)
            for (int32_t f : relation.all_facts) index->insert(f);
}

Instance Engine::run() {
    start();
    switch (search_.order) {
        case Order::exhaustive: run_exhaustive(); break;
        case Order::best_first: run_best_first(); break;
        case Order::stacks: run_stacks(); break;
    }
    return harvest();
}

void Engine::make_plans(Planner& planner, int32_t r) {
    const Rule& rule = program_.rules[r];
    bool any = false;
    for (int32_t a = 0; a < static_cast<int32_t>(rule.body.size()); ++a) {
        int32_t p = rule.body[a].predicate;
        if (!program_.predicates[p].is_derived) continue;
        any = true;
        relations_[p].plans.push_back(static_cast<int32_t>(plans_.size()));
        plans_.push_back(planner.make_plan(r, a));
    }
    if (!any) first_plans_.push_back(planner.make_plan(r, -1));
}

void Engine::check_limits() {
    next_poll_ = work_ + (1 << 20);
    if (search_.poll) search_.poll();
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - began_;
    if (spent.count() > search_.seconds_limit)
        exceeded("the search takes more than " + short_number(search_.seconds_limit) + " seconds", edges_of_,
                 "edges", "max_seconds (--max-seconds)");
    if (static_cast<double>(bytes()) > search_.byte_limit)
        exceeded("the search takes more than " + short_number(search_.byte_limit / 1e6) + " MB", edges_of_,
                 "edges", "max_memory (--max-memory)");
}

// What the tables take, without what the allocator adds.
size_t Engine::bytes() const {
    auto of = [](const auto&... vectors) { return ((vectors.capacity() * sizeof(vectors[0])) + ... + 0); };
    size_t sum = of(node_predicate_, node_row_, items_, leaf_, edge_head_, edge_label_, edge_tails_, tail_start_,
                    best_, height_, popped_, first_use_, next_use_, use_edge_);
    sum += agenda_.size() * sizeof(Entry);
    for (const auto& [bucket, stack] : stacks_) sum += stack.size() * sizeof(Entry);
    for (const auto& instances : instances_) sum += instances ? instances->bytes() : 0;
    for (const Relation& relation : relations_) {
        sum += relation.items.bytes() + of(relation.node, relation.popped);
        for (const auto& index : relation.indexes) sum += index->bytes();
    }
    return sum;
}

// A limit was reached: names the rule that made the most.
void Engine::exceeded(const std::string& what, const std::vector<int64_t>& made, const char* things,
                           const char* parameter) const {
    const auto most = std::max_element(made.begin(), made.end());
    std::string message = what;
    if (most != made.end() && *most > 0)
        message += ", and the rule at " + program_.rules[most - made.begin()].where + " made the most (" +
                   std::to_string(*most) + " " + things + "): it may derive new items without end";
    throw std::length_error(message + "; if the search is meant to be this large, raise " + parameter);
}

void Engine::run_exhaustive() {
    for (size_t i = 0; i < items_.size(); ++i) pop(items_[i]);
}

Instance Engine::harvest() {
    Instance result;
    result.items_made = static_cast<int64_t>(items_.size());
    result.items_popped = n_popped_;
    result.edges_built = static_cast<int64_t>(edge_head_.size());

    Hypergraph all;
    all.n_nodes = static_cast<int32_t>(node_predicate_.size());
    all.n_parts = program_.n_parts;
    const Relation& goal = relations_[program_.goal];
    all.root = goal.node.empty() ? -1 : goal.node[0];
    group_by_head<int32_t>(all, edge_head_, tail_start_, edge_tails_, edge_label_);
    for (auto* done : {&edge_head_, &tail_start_, &edge_tails_, &edge_label_}) std::vector<int32_t>().swap(*done);

    std::vector<int32_t> useful;
    if (all.root >= 0) useful = finished_from(all, all.root);
    result.graph = all.renumbered(useful);
    result.argument_start.assign(1, 0);
    for (int32_t v : useful) {
        result.predicate.push_back(node_predicate_[v]);
        if (node_predicate_[v] >= 0) {
            auto arguments = arguments_of(v);
            result.arguments.insert(result.arguments.end(), arguments.begin(), arguments.end());
        }
        result.argument_start.push_back(static_cast<int32_t>(result.arguments.size()));
    }
    return result;
}

Instance instantiate(const Program& program, std::span<const double> scores, const Search& search) {
    program.check();
    if (scores.size() != static_cast<size_t>(program.n_parts))
        throw std::invalid_argument("there must be one score per part");
    return Engine(program, scores, search).run();
}

}  // namespace palmette::deduction

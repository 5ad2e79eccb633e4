// Rules completed with facts and with items that left the agenda before, and the graph of what they derive.
#include "inference/engine.hpp"

#include <algorithm>
#include <utility>

#include "inference/expressions.hpp"
#include "inference/semiring.hpp"

namespace palmette::deduction {

// Binds or checks the arguments of a row that the index did not take care of. No integer of 2^30 or more is bound:
// it would pass for a symbol.
bool Engine::match(const Step& step, std::span<const int32_t> row, int32_t* variables) {
    for (size_t i = 0; i < step.rest.size(); ++i) {
        auto [column, slot] = step.rest[i];
        if (step.binds[i]) {
            const int32_t value = row[column] - slot.offset;
            if (slot.offset != 0 && (row[column] >= kSymbol || value >= kSymbol || value <= -kSymbol)) return false;
            variables[slot.variable] = value;
        } else {
            int32_t value;
            if (!value_of(slot, variables, value) || value != row[column]) return false;
        }
    }
    return true;
}

// Completes the rule from step s on; matched[a] is the row put in the place of body atom a.
void Engine::complete(const Plan& plan, size_t s, int32_t trigger_row, int32_t* variables, int32_t* matched) {
    const Rule& rule = program_.rules[plan.rule];
    if (s == plan.steps.size()) return build_edge(rule, variables, matched);
    const Step& step = plan.steps[s];
    if (step.kind == Step::Kind::test) {
        if (holds(step.comparison, variables, rule.where)) complete(plan, s + 1, trigger_row, variables, matched);
        return;
    }
    if (step.kind == Step::Kind::assign) {
        variables[step.variable] = evaluate(step.expression, variables, rule.where);
        return complete(plan, s + 1, trigger_row, variables, matched);
    }
    const int32_t p = rule.body[step.atom].predicate;
    const Relation& relation = relations_[p];
    const bool derived = program_.predicates[p].is_derived;
    const std::vector<int32_t>* rows = derived ? &relation.popped : &relation.all_facts;
    if (step.index >= 0) {
        int32_t key[kMaxArity];
        for (size_t i = 0; i < step.key.size(); ++i)
            if (!value_of(step.key[i], variables, key[i])) return;
        const TupleIndex& index = *relation.indexes[step.index];
        int32_t bucket = index.find({key, step.key.size()});
        if (bucket < 0) return;
        rows = &index.rows(bucket);
    }
    work(rows->size());
    // Before the trigger only items that left the agenda earlier may be used, so that no instance is found twice.
    const int32_t excluded =
        derived && step.atom < plan.trigger && p == rule.body[plan.trigger].predicate ? trigger_row : -1;
    const TupleTable& table = derived ? relation.items.table() : relation.facts;
    // Items join the tables while the rule is being completed, but not the rows that are gone through here.
    for (size_t i = 0, n = rows->size(); i < n; ++i) {
        int32_t row = (*rows)[i];
        if (row == excluded || !match(step, table.row(row), variables)) continue;
        matched[step.atom] = row;
        complete(plan, s + 1, trigger_row, variables, matched);
    }
}

void Engine::build_edge(const Rule& rule, const int32_t* variables, const int32_t* matched) {
    int32_t head[kMaxArity];
    for (size_t i = 0; i < rule.head_arguments.size(); ++i)
        head[i] = evaluate(rule.head_arguments[i], variables, rule.where);
    if (!is_new_instance(rule, {head, rule.head_arguments.size()}, matched)) return;
    int32_t label = rule.part;
    for (size_t a = 0; a < rule.body.size(); ++a) {
        if (rule.body[a].is_condition) continue;
        const int32_t p = rule.body[a].predicate;
        if (program_.predicates[p].is_derived) {
            edge_tails_.push_back(relations_[p].node[matched[a]]);
        } else {
            int32_t part = program_.predicates[p].first_part + matched[a];
            if (static_cast<int32_t>(a) == rule.label_atom) label = part;
            else edge_tails_.push_back(leaf_of(part, p, matched[a]));
        }
    }
    if (rule.label_atom >= 0 && rule.own_weight) edge_tails_.push_back(leaf_of(rule.part, -1, 0));
    const size_t r = &rule - program_.rules.data(), before = items_.size();
    const int32_t v = item(rule.head, {head, rule.head_arguments.size()});
    items_of_[r] += static_cast<int64_t>(items_.size() - before);
    ++edges_of_[r];
    if (static_cast<int64_t>(items_.size()) > search_.item_limit)
        exceeded("the search has more than " + std::to_string(search_.item_limit) + " items", items_of_,
                 "items", "max_items (--max-items)");
    add_edge(v, label);
}

// A condition may hold in many ways, but the instance of the rule is the same.
bool Engine::is_new_instance(const Rule& rule, std::span<const int32_t> head, const int32_t* matched) {
    auto& instances = instances_[&rule - program_.rules.data()];
    if (!instances) return true;
    key_.assign(head.begin(), head.end());
    for (size_t a = 0; a < rule.body.size(); ++a)
        if (!rule.body[a].is_condition) key_.push_back(matched[a]);
    bool is_new;
    instances->row_of(key_, is_new);
    return is_new;
}

// Whether a condition can hold in more than one way for the same head and premises.
bool Engine::may_repeat(const Rule& rule) const {
    std::vector<uint8_t> known(rule.n_variables, 0);
    for (const Atom& atom : rule.body)
        for (Slot slot : atom.arguments)
            if (!atom.is_condition && slot.variable >= 0) known[slot.variable] = 1;
    for (const Expression& argument : rule.head_arguments)
        if (argument.terms.size() == 1) known[argument.terms[0].second] = 1;
    for (const Atom& atom : rule.body) {
        if (!atom.is_condition) continue;
        for (Slot slot : atom.arguments)
            if (!is_known(slot, known)) return true;
        if (has_repeated_facts(atom.predicate)) return true;
    }
    return false;
}

bool Engine::has_repeated_facts(int32_t p) const {
    const Relation& relation = relations_[p];
    if (program_.predicates[p].is_derived) return false;
    TupleSet distinct(program_.predicates[p].arity);
    for (int32_t f : relation.all_facts) {
        bool is_new;
        distinct.row_of(relation.facts.row(f), is_new);
        if (!is_new) return true;
    }
    return false;
}

// The node of an item, made if it is new.
int32_t Engine::item(int32_t p, std::span<const int32_t> arguments) {
    bool is_new;
    Relation& relation = relations_[p];
    int32_t row = relation.items.row_of(arguments, is_new);
    if (is_new) {
        int32_t v = new_node(p, row);
        relation.node.push_back(v);
        items_.push_back(v);
    }
    return relation.node[row];
}

// The node of a fact, or of the weight of a rule, that is among the tails; it has one edge of its own.
int32_t Engine::leaf_of(int32_t part, int32_t p, int32_t row) {
    if (leaf_.empty()) leaf_.assign(program_.n_parts, -1);
    if (leaf_[part] < 0) {
        leaf_[part] = new_node(p, row);
        // Its edge goes in front of the one that is being built: the tails collected so far wait aside.
        std::vector<int32_t> waiting(edge_tails_.begin() + tail_start_.back(), edge_tails_.end());
        edge_tails_.resize(tail_start_.back());
        add_edge(leaf_[part], part);
        edge_tails_.insert(edge_tails_.end(), waiting.begin(), waiting.end());
    }
    return leaf_[part];
}

int32_t Engine::new_node(int32_t p, int32_t row) {
    node_predicate_.push_back(p);
    node_row_.push_back(row);
    if (searches()) {
        best_.push_back(kLogZero);
        popped_.push_back(0);
        height_.push_back(0);
        first_use_.push_back(-1);
    }
    return static_cast<int32_t>(node_predicate_.size()) - 1;
}

// Ends the edge whose tails have been collected.
void Engine::add_edge(int32_t head, int32_t label) {
    const auto e = static_cast<int32_t>(edge_head_.size());
    if (edge_tails_.size() >= static_cast<size_t>(std::numeric_limits<int32_t>::max()) ||
        static_cast<int64_t>(edge_head_.size()) >= search_.edge_limit)
        exceeded("the search has more than " + std::to_string(search_.edge_limit) + " edges", edges_of_,
                 "edges", "max_edges (--max-edges)");
    work(1);
    edge_head_.push_back(head);
    edge_label_.push_back(label);
    tail_start_.push_back(static_cast<int32_t>(edge_tails_.size()));
    if (!searches()) return;
    for (int32_t i = tail_start_[e]; i < tail_start_[e + 1]; ++i) {
        use_edge_.push_back(e);
        next_use_.push_back(std::exchange(first_use_[edge_tails_[i]], i));
    }
    offer(e);
}

void Engine::start() {
    for (size_t p = 0; p < relations_.size(); ++p) {
        const Predicate& predicate = program_.predicates[p];
        if (!predicate.is_derived) continue;
        for (int32_t f = 0; f < predicate.n_facts; ++f)
            add_edge(item(static_cast<int32_t>(p), fact(predicate, f)), predicate.first_part + f);
    }
    for (const Plan& plan : first_plans_) start_plan(plan, -1);
}

void Engine::start_plan(const Plan& plan, int32_t row) {
    const Rule& rule = program_.rules[plan.rule];
    variables_.assign(rule.n_variables + 1, 0);
    matched_.assign(rule.body.size() + 1, 0);
    if (plan.trigger >= 0) {
        const auto& table = relations_[rule.body[plan.trigger].predicate].items.table();
        if (!match(plan.match, table.row(row), variables_.data())) return;
        matched_[plan.trigger] = row;
    }
    complete(plan, 0, row, variables_.data(), matched_.data());
}

// An item leaves the agenda: it joins the indexes, and the rules that it may be in are completed.
void Engine::pop(int32_t v) {
    ++n_popped_;
    Relation& relation = relations_[node_predicate_[v]];
    int32_t row = node_row_[v];
    relation.popped.push_back(row);
    for (auto& index : relation.indexes) index->insert(row);
    for (int32_t plan : relation.plans) start_plan(plans_[plan], row);
}

}  // namespace palmette::deduction

#include "inference/deduction.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <queue>
#include <sstream>
#include <stdexcept>
#include <string>

#include "inference/plan.hpp"
#include "inference/semiring.hpp"

namespace palmette::deduction {
namespace {

[[noreturn]] void fail(const std::string& where, const std::string& message) {
    throw std::invalid_argument(where + ": " + message);
}

int32_t evaluate(const Expression& expression, const int32_t* variables, const std::string& where) {
    if (expression.terms.empty()) return expression.constant;
    if (expression.terms.size() == 1 && expression.terms[0].first == 1 && expression.constant == 0)
        return variables[expression.terms[0].second];
    int64_t sum = expression.constant;
    for (auto [factor, variable] : expression.terms) {
        if (variables[variable] >= kSymbol) fail(where, "arithmetic on a symbol, where an integer is needed");
        sum += int64_t{factor} * variables[variable];
    }
    if (sum >= kSymbol || sum <= -kSymbol) fail(where, "an integer of 2^30 or more");
    return static_cast<int32_t>(sum);
}

bool holds(const Comparison& comparison, const int32_t* variables, const std::string& where) {
    int32_t left = evaluate(comparison.left, variables, where), right = evaluate(comparison.right, variables, where);
    switch (comparison.op) {
        case Operator::equal: return left == right;
        case Operator::different: return left != right;
        case Operator::less:
        case Operator::at_most:
            if (left >= kSymbol || right >= kSymbol) fail(where, "symbols have no order; compare them with == or !=");
            return comparison.op == Operator::less ? left < right : left <= right;
    }
    return false;
}

class Engine {
public:
    Engine(const Program& program, std::span<const double> scores, const Search& search)
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

    Instance run() {
        start();
        switch (search_.order) {
            case Order::exhaustive: run_exhaustive(); break;
            case Order::best_first: run_best_first(); break;
            case Order::stacks: run_stacks(); break;
        }
        return harvest();
    }

private:
    static std::span<const int32_t> fact(const Predicate& predicate, int32_t f) {
        return {predicate.facts.data() + static_cast<size_t>(f) * predicate.arity,
                static_cast<size_t>(predicate.arity)};
    }

    void make_plans(Planner& planner, int32_t r) {
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

    // ---- completing rules ----

    // The value of a slot whose variable is known; false where it would be arithmetic on a symbol.
    static bool value_of(Slot slot, const int32_t* variables, int32_t& value) {
        if (slot.variable < 0) return value = slot.offset, true;
        value = variables[slot.variable];
        if (slot.offset == 0) return true;
        value += slot.offset;
        return variables[slot.variable] < kSymbol && value < kSymbol;
    }

    // Binds or checks the arguments of a row that the index did not take care of. No integer of 2^30 or more is bound:
    // it would pass for a symbol.
    static bool match(const Step& step, std::span<const int32_t> row, int32_t* variables) {
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
    void complete(const Plan& plan, size_t s, int32_t trigger_row, int32_t* variables, int32_t* matched) {
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
        // Before the trigger only items that left the agenda earlier may stand, so that no instance is found twice.
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

    // So much more was looked at; now and then somebody asks whether to go on.
    void work(size_t rows) {
        if ((work_ += static_cast<int64_t>(rows) + 1) < next_poll_) return;
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
    size_t bytes() const {
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

    static std::string short_number(double x) {
        std::ostringstream text;
        text << x;
        return text.str();
    }

    // A limit was reached: names the rule that made most of what there is.
    [[noreturn]] void exceeded(const std::string& what, const std::vector<int64_t>& made, const char* things,
                               const char* parameter) const {
        const auto most = std::max_element(made.begin(), made.end());
        std::string message = what;
        if (most != made.end() && *most > 0)
            message += ", and the rule at " + program_.rules[most - made.begin()].where + " made the most (" +
                       std::to_string(*most) + " " + things + "): it may derive new items without end";
        throw std::length_error(message + "; if the search is meant to be this large, raise " + parameter);
    }

    void build_edge(const Rule& rule, const int32_t* variables, const int32_t* matched) {
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
    bool is_new_instance(const Rule& rule, std::span<const int32_t> head, const int32_t* matched) {
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
    bool may_repeat(const Rule& rule) const {
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

    bool has_repeated_facts(int32_t p) const {
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
    int32_t item(int32_t p, std::span<const int32_t> arguments) {
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

    // The node of a fact, or of the weight of a rule, that stands among the tails; it has one edge of its own.
    int32_t leaf_of(int32_t part, int32_t p, int32_t row) {
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

    int32_t new_node(int32_t p, int32_t row) {
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
    void add_edge(int32_t head, int32_t label) {
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

    // ---- agendas ----

    bool searches() const { return search_.order != Order::exhaustive; }

    void start() {
        for (size_t p = 0; p < relations_.size(); ++p) {
            const Predicate& predicate = program_.predicates[p];
            if (!predicate.is_derived) continue;
            for (int32_t f = 0; f < predicate.n_facts; ++f)
                add_edge(item(static_cast<int32_t>(p), fact(predicate, f)), predicate.first_part + f);
        }
        for (const Plan& plan : first_plans_) start_plan(plan, -1);
    }

    void start_plan(const Plan& plan, int32_t row) {
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

    // An item leaves the agenda: it joins the indexes, and the rules that it may stand in are completed.
    void pop(int32_t v) {
        ++n_popped_;
        Relation& relation = relations_[node_predicate_[v]];
        int32_t row = node_row_[v];
        relation.popped.push_back(row);
        for (auto& index : relation.indexes) index->insert(row);
        for (int32_t plan : relation.plans) start_plan(plans_[plan], row);
    }

    void run_exhaustive() {
        for (size_t i = 0; i < items_.size(); ++i) pop(items_[i]);
    }

    // The rule of an edge that computes its score by a function, or none.
    const Rule* combining_rule(int32_t e) const {
        if (!combines_ || edge_label_[e] < first_rule_part_) return nullptr;
        const Rule& rule = program_.rules[edge_label_[e] - first_rule_part_];
        return rule.combination.empty() ? nullptr : &rule;
    }

    double edge_score(int32_t e) {
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
    void check_superior(int32_t e, double score, const Rule* rule) const {
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

    struct Entry {
        double priority;
        double score;
        int32_t node;
        // The highest priority on top; among equals the item that was made first.
        friend bool operator<(const Entry& a, const Entry& b) {
            return a.priority != b.priority ? a.priority < b.priority : a.node > b.node;
        }
    };

    // A derivation that ends in edge e was found, or has become better.
    void offer(int32_t e) {
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

    double heuristic(int32_t v) {
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
    int32_t bucket_of(int32_t v) const {
        const Predicate& predicate = program_.predicates[node_predicate_[v]];
        if (!predicate.has_bucket) return std::numeric_limits<int32_t>::max();
        int32_t bucket = evaluate(predicate.bucket, arguments_of(v).data(), predicate.bucket_where);
        if (bucket >= kSymbol) fail(predicate.bucket_where, "a bucket must be an integer, not a symbol");
        return bucket;
    }

    std::span<const int32_t> arguments_of(int32_t v) const {
        const Predicate& predicate = program_.predicates[node_predicate_[v]];
        const Relation& relation = relations_[node_predicate_[v]];
        return (predicate.is_derived ? relation.items.table() : relation.facts).row(node_row_[v]);
    }

    // Pops a new item, or passes a better score of an old one on to what was built with it.
    void expand(int32_t v) {
        if (!std::exchange(popped_[v], 1)) return pop(v);
        work(1);
        for (int32_t use = first_use_[v]; use >= 0; use = next_use_[use]) offer(use_edge_[use]);
    }

    // Algorithm 5 of the notes: an entry whose score has been improved since is passed over.
    bool is_stale(const Entry& entry) const { return entry.score < best_[entry.node]; }

    void run_best_first() {
        while (!agenda_.empty()) {
            Entry entry = agenda_.top();
            agenda_.pop();
            if (is_stale(entry)) continue;
            expand(entry.node);
            if (node_predicate_[entry.node] == program_.goal) return;
        }
    }

    // Algorithms 6 and 7: the stacks in order, each down to its best `top` items or `width` below its best.
    void run_stacks() {
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

    // ---- what is useful for the goal ----

    Instance harvest() {
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

    const Program& program_;
    std::span<const double> scores_;
    const Search& search_;
    std::vector<Relation> relations_;
    std::vector<Plan> plans_, first_plans_;
    std::vector<int32_t> variables_, matched_, key_;
    std::vector<std::unique_ptr<TupleSet>> instances_;  // by rule, where may_repeat
    int64_t work_ = 0, next_poll_ = 1 << 20;
    const std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
    std::vector<int64_t> items_of_, edges_of_;  // made by each rule

    // Nodes: items, and leaves for facts and rule weights that stand among tails.
    std::vector<int32_t> node_predicate_, node_row_, items_, leaf_;
    std::vector<int32_t> edge_head_, edge_label_, edge_tails_, tail_start_{0};
    int64_t n_popped_ = 0;
    int32_t first_rule_part_ = 0;  // parts of rules follow those of facts, in the order of the rules
    bool combines_ = false;        // whether any rule has a combination
    std::vector<double> stack_;

    // Searching by score.
    std::vector<double> best_;
    std::vector<int32_t> height_;  // of the derivation that best_ belongs to
    std::vector<uint8_t> popped_;
    std::vector<int32_t> first_use_, next_use_, use_edge_;  // the edges in which a node is a tail, as linked lists
    std::priority_queue<Entry> agenda_;
    std::map<int32_t, std::priority_queue<Entry>> stacks_;
    int32_t open_bucket_ = std::numeric_limits<int32_t>::min();
};

}  // namespace

void Program::check() const {
    auto require = [](bool condition, const char* message) {
        if (!condition) throw std::invalid_argument(message);
    };
    auto n = static_cast<int32_t>(predicates.size());
    auto check_expression = [&](const Expression& expression, int32_t n_variables) {
        for (auto [factor, variable] : expression.terms)
            require(variable >= 0 && variable < n_variables, "an expression uses a variable that is not there");
    };
    for (const Predicate& p : predicates) {
        require(p.arity >= 0 && static_cast<size_t>(p.arity) <= kMaxArity, "an atom has at most 64 arguments");
        require(p.n_facts >= 0 && p.facts.size() == static_cast<size_t>(p.n_facts) * p.arity, "facts must be whole rows");
        require(p.n_facts == 0 || (p.first_part >= 0 && p.first_part <= n_parts - p.n_facts), "facts must have parts");
        if (p.has_bucket) check_expression(p.bucket, p.arity);
    }
    for (const Rule& rule : rules) {
        auto width = [&](int32_t p) {
            require(p >= 0 && p < n, "a rule uses a predicate that is not there");
            return static_cast<size_t>(predicates[p].arity);
        };
        require(rule.part >= 0 && rule.part < n_parts, "a rule must have a part");
        require(rule.n_variables >= 0 && width(rule.head) == rule.head_arguments.size(), "a head must fit its predicate");
        require(predicates[rule.head].is_derived, "a head must be derived");
        for (const auto& expression : rule.head_arguments) check_expression(expression, rule.n_variables);
        for (const auto& comparison : rule.comparisons) {
            check_expression(comparison.left, rule.n_variables);
            check_expression(comparison.right, rule.n_variables);
        }
        for (const Atom& atom : rule.body) {
            require(width(atom.predicate) == atom.arguments.size(), "an atom must fit its predicate");
            for (Slot slot : atom.arguments)
                require(slot.variable < rule.n_variables, "an atom uses a variable that is not there");
        }
        require(rule.label_atom < static_cast<int32_t>(rule.body.size()), "a label must be an atom of the body");
        require(rule.label_atom < 0 || !predicates[rule.body[rule.label_atom].predicate].is_derived,
                "a label must be a fact");
        const auto n_premises = std::count_if(rule.body.begin(), rule.body.end(),
                                              [](const Atom& atom) { return !atom.is_condition; });
        require(rule.combination.empty() ||
                    (rule.label_atom < 0 && rule.combination.n_premises() <= n_premises &&
                     rule.part == n_parts - static_cast<int32_t>(rules.size()) + (&rule - rules.data())),
                "a combination must fit its rule");
    }
    require(goal >= 0 && goal < n && predicates[goal].arity == 0 && predicates[goal].is_derived,
            "the goal must be a derived predicate without arguments");
}

Instance instantiate(const Program& program, std::span<const double> scores, const Search& search) {
    program.check();
    if (scores.size() != static_cast<size_t>(program.n_parts))
        throw std::invalid_argument("there must be one score per part");
    return Engine(program, scores, search).run();
}

}  // namespace palmette::deduction

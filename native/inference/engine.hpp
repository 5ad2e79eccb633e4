// The search of a deduction: tables of items, rules completed by joins, agendas. Used by instantiate alone.
#pragma once
#include <chrono>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <queue>
#include <span>
#include <sstream>
#include <string>
#include <vector>

#include "inference/deduction.hpp"
#include "inference/plan.hpp"

namespace palmette::deduction {

class Engine {
public:
    Engine(const Program& program, std::span<const double> scores, const Search& search);

    Instance run();

private:
    static std::span<const int32_t> fact(const Predicate& predicate, int32_t f) {
        return {predicate.facts.data() + static_cast<size_t>(f) * predicate.arity,
                static_cast<size_t>(predicate.arity)};
    }
    void make_plans(Planner& planner, int32_t r);

    // Completing rules (joining.cpp).

    // The value of a slot whose variable is known; false where it would be arithmetic on a symbol.
    static bool value_of(Slot slot, const int32_t* variables, int32_t& value) {
        if (slot.variable < 0) return value = slot.offset, true;
        value = variables[slot.variable];
        if (slot.offset == 0) return true;
        value += slot.offset;
        return variables[slot.variable] < kSymbol && value < kSymbol;
    }
    static bool match(const Step& step, std::span<const int32_t> row, int32_t* variables);
    void complete(const Plan& plan, size_t s, int32_t trigger_row, int32_t* variables, int32_t* matched);
    void build_edge(const Rule& rule, const int32_t* variables, const int32_t* matched);
    bool is_new_instance(const Rule& rule, std::span<const int32_t> head, const int32_t* matched);
    bool may_repeat(const Rule& rule) const;
    bool has_repeated_facts(int32_t p) const;
    int32_t item(int32_t p, std::span<const int32_t> arguments);
    int32_t leaf_of(int32_t part, int32_t p, int32_t row);
    int32_t new_node(int32_t p, int32_t row);
    void add_edge(int32_t head, int32_t label);
    void start();
    void start_plan(const Plan& plan, int32_t row);
    void pop(int32_t v);

    // Limits (deduction.cpp).

    // Counts work; now and then somebody is asked whether to go on.
    void work(size_t rows) {
        if ((work_ += static_cast<int64_t>(rows) + 1) >= next_poll_) check_limits();
    }
    void check_limits();
    size_t bytes() const;
    [[noreturn]] void exceeded(const std::string& what, const std::vector<int64_t>& made, const char* things,
                               const char* parameter) const;

    static std::string short_number(double x) {
        std::ostringstream text;
        text << x;
        return text.str();
    }

    // Searching by score (agenda.cpp).

    struct Entry {
        double priority;
        double score;
        int32_t node;
        // The highest priority on top; among equals the item that was made first.
        friend bool operator<(const Entry& a, const Entry& b) {
            return a.priority != b.priority ? a.priority < b.priority : a.node > b.node;
        }
    };

    bool searches() const { return search_.order != Order::exhaustive; }
    // Algorithm 5 of the notes: an entry whose score has been improved since is passed over.
    bool is_stale(const Entry& entry) const { return entry.score < best_[entry.node]; }
    const Rule* combining_rule(int32_t e) const;
    double edge_score(int32_t e);
    void check_superior(int32_t e, double score, const Rule* rule) const;
    void offer(int32_t e);
    double heuristic(int32_t v);
    int32_t bucket_of(int32_t v) const;
    void expand(int32_t v);
    void run_best_first();
    void run_stacks();

    std::span<const int32_t> arguments_of(int32_t v) const {
        const Predicate& predicate = program_.predicates[node_predicate_[v]];
        const Relation& relation = relations_[node_predicate_[v]];
        return (predicate.is_derived ? relation.items.table() : relation.facts).row(node_row_[v]);
    }

    void run_exhaustive();
    Instance harvest();

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

    // Nodes: items, and leaves for facts and rule weights that are among tails.
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

}  // namespace palmette::deduction

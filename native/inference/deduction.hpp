// Weighted deduction: rules over items, instantiated bottom-up on facts into a hypergraph. CSC 448, §11.
//
// A rule's body is a join of atoms. When an item leaves the agenda, every rule in which it may occur is completed
// with facts and with items that left before it (semi-naive: each instance of a rule is found exactly once). The
// atoms still to be matched are looked up by hash on their bound arguments.
#pragma once
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "inference/combination.hpp"
#include "inference/hypergraph.hpp"

namespace palmette::deduction {

// Integers stand for themselves, symbols for kSymbol + id, in one 32-bit value.
inline constexpr int32_t kSymbol = 1 << 30;
inline constexpr size_t kMaxArity = 64;

// An argument of a body atom: variable + offset, or a constant where variable is -1.
struct Slot {
    int32_t variable, offset;
};

struct Atom {
    int32_t predicate;
    bool is_condition;  // must hold, but has no share in the derivation
    std::vector<Slot> arguments;
};

// constant + Σ factor · variable
struct Expression {
    int32_t constant;
    std::vector<std::pair<int32_t, int32_t>> terms;  // (factor, variable)
};

enum class Operator : int32_t { equal, different, less, at_most };

struct Comparison {
    Operator op;
    Expression left, right;
};

// head <- body where comparisons hold. The part of its edges is that of its fact `label_atom`, whose weight it
// carries; the rule's own part where label_atom is -1. With own_weight as well as a label, the rule's part becomes a
// tail. A rule with a combination has no label: all its premises are tails, in the order of the body.
struct Rule {
    std::string where;  // for messages
    int32_t n_variables;
    int32_t part;
    int32_t label_atom;
    bool own_weight;
    int32_t head;
    std::vector<Expression> head_arguments;
    std::vector<Atom> body;
    std::vector<Comparison> comparisons;
    Combination combination;  // empty: scores are added
};

struct Predicate {
    int32_t arity;
    bool is_derived;                  // is the head of a rule
    std::vector<int32_t> facts;       // rows of `arity` values
    int32_t n_facts;                  // given apart, since rows of arity 0 are empty
    int32_t first_part;               // the part of the first fact; those of the others follow
    bool has_bucket;
    Expression bucket;                // over the arguments as variables 0 .. arity-1
    std::string bucket_where;         // for messages
};

struct Program {
    std::vector<Predicate> predicates;
    std::vector<Rule> rules;
    int32_t n_parts = 0;
    int32_t goal = -1;  // a derived predicate of arity 0

    // Throws std::invalid_argument where an index is out of range or the widths do not fit.
    void check() const;
};

enum class Order : int32_t {
    exhaustive,  // everything that can be derived
    best_first,  // by score + heuristic, until the goal is reached: Dijkstra/Knuth, A*, weighted A*
    stacks,      // bucket by bucket, the best `top` items or those within `width` of the best (§7.3)
};

struct Search {
    Order order = Order::exhaustive;
    double heuristic_weight = 1.0;
    std::vector<double> heuristic_of_bucket;                              // by bucket number, or
    std::function<double(int32_t, std::span<const int32_t>)> heuristic;   // of a predicate and its arguments
    int64_t top = 0;                                                      // 0: no limit
    double width = 0.0;                                                   // infinity: no limit
    bool superior = false;       // best_first: no rule may give more than one of its items has (Knuth 1977)
    UserFunction function;       // of combinations
    int64_t item_limit = 0, edge_limit = 0;
    double seconds_limit = 0.0;  // infinity: no limit
    double byte_limit = 0.0;     // of the tables of the search; infinity: no limit
    std::function<void()> poll;  // called now and then; may throw to stop the search
};

// The hypergraph of what is reachable from the facts and useful for the goal, and what its nodes stand for.
struct Instance {
    Hypergraph graph;
    std::vector<int32_t> predicate;       // per node; -1 for the weight of a rule
    std::vector<int32_t> argument_start;  // per node and one more
    std::vector<int32_t> arguments;
    int64_t items_made = 0, items_popped = 0, edges_built = 0;
};

// `scores` has one number per part; only best_first and stacks look at them.
Instance instantiate(const Program& program, std::span<const double> scores, const Search& search);

}  // namespace palmette::deduction

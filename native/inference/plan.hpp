// How the body of a rule is joined: which atom is looked up when, by which index. Made once per rule and trigger.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "base/tuples.hpp"
#include "inference/deduction.hpp"

namespace palmette::deduction {

// One step of completing a rule: look an atom up, test a comparison, or compute a variable from an equation.
struct Step {
    enum class Kind { lookup, test, assign } kind;
    int32_t atom = -1;
    int32_t index = -1;                            // which index of the predicate; -1 goes through all rows
    std::vector<Slot> key;                         // the bound arguments, in the order of the index's columns
    std::vector<std::pair<int32_t, Slot>> rest;    // (column, slot) of the others: bound by their first occurrence
    std::vector<uint8_t> binds;                    // whether rest[i] binds its variable or checks it
    Comparison comparison{};
    int32_t variable = -1;
    Expression expression{};
};

// How rule r is completed when an item is put in the place of body atom `trigger` (-1: all atoms are facts).
struct Plan {
    int32_t rule, trigger;
    Step match;  // binds the variables of the trigger
    std::vector<Step> steps;
};

// The rows of a predicate.
struct Relation {
    TupleSet items;                     // of a derived predicate
    std::vector<int32_t> node;          // of each item, by row
    std::vector<int32_t> popped;        // rows that have left the agenda, in that order
    TupleTable facts{0};                // of a predicate that is only given
    std::vector<std::unique_ptr<TupleIndex>> indexes;
    std::vector<int32_t> all_facts;     // 0 .. n-1
    std::vector<int32_t> plans;         // those that this predicate triggers
};

// Whether the value of a slot is known when these variables are.
inline bool is_known(Slot slot, const std::vector<uint8_t>& bound) {
    return slot.variable < 0 || bound[slot.variable];
}

class Planner {
public:
    // Plans add the indexes that they need to the relations, whose facts must be there.
    Planner(const Program& program, std::vector<Relation>& relations) : program_(program), relations_(relations) {}

    Plan make_plan(int32_t rule, int32_t trigger);

private:
    void add_comparisons(const Rule& rule, Plan& plan, std::vector<uint8_t>& bound, std::vector<uint8_t>& tested);
    double expected_rows(const Atom& atom, const std::vector<uint8_t>& bound);
    Step make_lookup(const Rule& rule, int32_t atom, std::vector<uint8_t>& bound, bool indexed);
    int32_t index_on(int32_t predicate, const std::vector<int32_t>& columns);

    const Program& program_;
    std::vector<Relation>& relations_;
    std::map<std::pair<int32_t, std::vector<int32_t>>, double> n_keys_;  // of facts, by predicate and columns
};

}  // namespace palmette::deduction

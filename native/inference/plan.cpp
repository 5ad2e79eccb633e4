#include "inference/plan.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace palmette::deduction {
namespace {

std::vector<int32_t> known_columns(const Atom& atom, const std::vector<uint8_t>& bound) {
    std::vector<int32_t> columns;
    for (size_t i = 0; i < atom.arguments.size(); ++i)
        if (is_known(atom.arguments[i], bound)) columns.push_back(static_cast<int32_t>(i));
    return columns;
}

}  // namespace

// Greedy: comparisons as soon as they can be told, then the atom whose look-up promises the fewest rows.
Plan Planner::make_plan(int32_t r, int32_t trigger) {
    const Rule& rule = program_.rules[r];
    Plan plan{r, trigger, {}, {}};
    std::vector<uint8_t> bound(rule.n_variables, 0), done(rule.body.size(), 0), tested(rule.comparisons.size(), 0);
    if (trigger >= 0) {
        plan.match = make_lookup(rule, trigger, bound, false);
        done[trigger] = 1;
    }
    for (;;) {
        add_comparisons(rule, plan, bound, tested);
        int32_t next = -1;
        double fewest = std::numeric_limits<double>::infinity();
        for (int32_t a = 0; a < static_cast<int32_t>(rule.body.size()); ++a) {
            if (done[a]) continue;
            double rows = expected_rows(rule.body[a], bound);
            if (rows < fewest) fewest = rows, next = a;
        }
        if (next < 0) break;
        plan.steps.push_back(make_lookup(rule, next, bound, true));
        done[next] = 1;
    }
    return plan;
}

void Planner::add_comparisons(const Rule& rule, Plan& plan, std::vector<uint8_t>& bound,
                              std::vector<uint8_t>& tested) {
    auto is_bound = [&](const Expression& expression) {
        return std::all_of(expression.terms.begin(), expression.terms.end(),
                           [&](auto term) { return bound[term.second] != 0; });
    };
    auto is_open_variable = [&](const Expression& expression) {
        return expression.terms.size() == 1 && expression.terms[0].first == 1 && expression.constant == 0 &&
               !bound[expression.terms[0].second];
    };
    for (bool again = true; again;) {
        again = false;
        for (size_t c = 0; c < rule.comparisons.size(); ++c) {
            if (tested[c]) continue;
            const Comparison& comparison = rule.comparisons[c];
            bool left = is_bound(comparison.left), right = is_bound(comparison.right);
            Step step{};
            if (left && right) {
                step.kind = Step::Kind::test;
                step.comparison = comparison;
            } else if (comparison.op == Operator::equal && right && is_open_variable(comparison.left)) {
                step.kind = Step::Kind::assign;
                step.variable = comparison.left.terms[0].second;
                step.expression = comparison.right;
            } else if (comparison.op == Operator::equal && left && is_open_variable(comparison.right)) {
                step.kind = Step::Kind::assign;
                step.variable = comparison.right.terms[0].second;
                step.expression = comparison.left;
            } else {
                continue;
            }
            if (step.kind == Step::Kind::assign) bound[step.variable] = 1, again = true;
            tested[c] = 1;
            plan.steps.push_back(std::move(step));
        }
    }
}

// Facts are counted; of items nothing is known yet, so they count as many and every bound argument as a tenth.
double Planner::expected_rows(const Atom& atom, const std::vector<uint8_t>& bound) {
    std::vector<int32_t> columns = known_columns(atom, bound);
    const Relation& relation = relations_[atom.predicate];
    if (program_.predicates[atom.predicate].is_derived) return 1e6 * std::pow(0.1, columns.size());
    auto n = static_cast<double>(relation.all_facts.size());
    if (columns.empty() || n == 0) return n;
    auto [cached, is_new] = n_keys_.try_emplace({atom.predicate, columns}, 0.0);
    if (is_new) {
        TupleIndex index(relation.facts, columns);
        for (int32_t f : relation.all_facts) index.insert(f);
        cached->second = static_cast<double>(index.n_keys());
    }
    return n / cached->second;
}

Step Planner::make_lookup(const Rule& rule, int32_t a, std::vector<uint8_t>& bound, bool indexed) {
    const Atom& atom = rule.body[a];
    Step step{};
    step.kind = Step::Kind::lookup;
    step.atom = a;
    std::vector<int32_t> columns = indexed ? known_columns(atom, bound) : std::vector<int32_t>{};
    if (!columns.empty()) {
        step.index = index_on(atom.predicate, columns);
        for (int32_t c : columns) step.key.push_back(atom.arguments[c]);
    }
    for (size_t i = 0; i < atom.arguments.size(); ++i) {
        if (std::binary_search(columns.begin(), columns.end(), static_cast<int32_t>(i))) continue;
        Slot slot = atom.arguments[i];
        step.rest.push_back({static_cast<int32_t>(i), slot});
        step.binds.push_back(!is_known(slot, bound));
        if (slot.variable >= 0) bound[slot.variable] = 1;
    }
    return step;
}

int32_t Planner::index_on(int32_t p, const std::vector<int32_t>& columns) {
    Relation& relation = relations_[p];
    for (size_t i = 0; i < relation.indexes.size(); ++i)
        if (relation.indexes[i]->columns() == columns) return static_cast<int32_t>(i);
    const TupleTable& table = program_.predicates[p].is_derived ? relation.items.table() : relation.facts;
    relation.indexes.push_back(std::make_unique<TupleIndex>(table, columns));
    return static_cast<int32_t>(relation.indexes.size()) - 1;
}

}  // namespace palmette::deduction

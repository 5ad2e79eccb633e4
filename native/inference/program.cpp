// Whether a program is whole: every index in range, every width as it must be.
#include <algorithm>
#include <stdexcept>

#include "inference/deduction.hpp"

namespace palmette::deduction {

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

}  // namespace palmette::deduction

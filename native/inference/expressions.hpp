// The values of expressions and comparisons where the variables of a rule are known.
#pragma once
#include <cstdint>
#include <stdexcept>
#include <string>

#include "inference/deduction.hpp"

namespace palmette::deduction {

[[noreturn]] inline void fail(const std::string& where, const std::string& message) {
    throw std::invalid_argument(where + ": " + message);
}

inline int32_t evaluate(const Expression& expression, const int32_t* variables, const std::string& where) {
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

inline bool holds(const Comparison& comparison, const int32_t* variables, const std::string& where) {
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

}  // namespace palmette::deduction

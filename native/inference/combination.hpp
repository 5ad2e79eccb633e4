// F_R: how a rule computes the score of its head from the scores of its premises, where it does not just add them.
// CSC 448, §11. An expression such as min(a, 0.5 * b) is kept in postfix order and evaluated on a stack.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <span>
#include <stdexcept>
#include <vector>

namespace palmette::deduction {

// Scores are logs of weights. `number` is the constant, the exponent of `power` or the number of a user's function.
struct Operation {
    enum class Kind : int32_t {
        premise,      // pushes premise `index`
        number,       // pushes a constant
        product,      // the others replace the last `index` values by one
        least,
        greatest,
        mean,         // of weights
        mean_score,   // of logs of weights
        power,        // the product to the power of `number`
        function,
    } kind;
    int32_t index;
    double number;
};

using UserFunction = std::function<double(int32_t, std::span<const double>)>;

class Combination {
public:
    Combination() = default;
    explicit Combination(std::vector<Operation> operations) : operations_(std::move(operations)) { check(); }

    bool empty() const { return operations_.empty(); }
    int32_t n_premises() const { return n_premises_; }

    // premise_score(i) is the score of premise i; `stack` is scratch space.
    template <class PremiseScore>
    double value(PremiseScore premise_score, const UserFunction& user, std::vector<double>& stack) const {
        stack.clear();
        for (const Operation& operation : operations_) {
            if (operation.kind == Operation::Kind::premise) {
                stack.push_back(premise_score(operation.index));
            } else if (operation.kind == Operation::Kind::number) {
                stack.push_back(operation.number);
            } else {
                std::span<const double> last(stack.end() - operation.index, stack.end());
                const double result = applied(operation, last, user);
                stack.resize(stack.size() - operation.index);
                stack.push_back(result);
            }
        }
        return stack.back();
    }

private:
    static double applied(const Operation& operation, std::span<const double> x, const UserFunction& user) {
        using Kind = Operation::Kind;
        double sum = 0.0;
        switch (operation.kind) {
            case Kind::least: return *std::min_element(x.begin(), x.end());
            case Kind::greatest: return *std::max_element(x.begin(), x.end());
            case Kind::mean: {
                const double most = *std::max_element(x.begin(), x.end());
                if (std::isinf(most)) return most;
                for (double score : x) sum += std::exp(score - most);
                return most + std::log(sum / static_cast<double>(x.size()));
            }
            case Kind::function: return user(static_cast<int32_t>(operation.number), x);
            default: break;
        }
        for (double score : x) sum += score;
        if (operation.kind == Kind::mean_score) return sum / static_cast<double>(x.size());
        return operation.kind == Kind::power ? operation.number * sum : sum;
    }

    void check() {
        if (operations_.empty()) return;
        int64_t depth = 0;
        for (const Operation& operation : operations_) {
            const bool pushes = operation.kind <= Operation::Kind::number;
            if (operation.kind < Operation::Kind::premise || operation.kind > Operation::Kind::function ||
                operation.index < (pushes ? 0 : 1) || (!pushes && operation.index > depth))
                throw std::invalid_argument("a combination does not fit its stack");
            if (operation.kind == Operation::Kind::premise) n_premises_ = std::max(n_premises_, operation.index + 1);
            depth += pushes ? 1 : 1 - operation.index;
        }
        if (depth != 1) throw std::invalid_argument("a combination must leave one value");
    }

    std::vector<Operation> operations_;
    int32_t n_premises_ = 0;
};

}  // namespace palmette::deduction

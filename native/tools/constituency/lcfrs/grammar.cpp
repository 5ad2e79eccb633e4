#include "tools/constituency/lcfrs/grammar.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <stdexcept>
#include <string>

#include "base/hashing.hpp"

namespace palmette {

std::vector<int> yield_digits(YieldCode code) {
    std::vector<int> digits;
    for (; code > 3; code >>= 2) digits.push_back(static_cast<int>(code & 3));
    std::reverse(digits.begin(), digits.end());
    return digits;
}

LcfrsGrammar::LcfrsGrammar(LcfrsRules given) : rules(std::move(given)) {
    const std::size_t n = rules.fan_out.size(), n_binary = rules.parent.size(), n_unary = rules.unary_parent.size();
    if (n == 0 || n > 1u << 20) throw std::invalid_argument("a grammar has between one and a million symbols.");
    for (const int f : rules.fan_out) {
        if (f < 1 || f > kMaxFanOut)
            throw std::invalid_argument("a fan-out is between 1 and 10; got " + std::to_string(f) + ".");
        max_fan_out_ = std::max(max_fan_out_, f);
    }
    const auto symbol = [n](std::int32_t s) {
        if (s < 0 || static_cast<std::size_t>(s) >= n)
            throw std::invalid_argument("a rule has a symbol that the grammar has not.");
    };
    symbol(rules.root);
    if (rules.fan_out[rules.root] != 1) throw std::invalid_argument("the root has more than one segment.");
    if (rules.left.size() != n_binary || rules.right.size() != n_binary || rules.yield.size() != n_binary ||
        rules.weight.size() != n_binary || rules.unary_child.size() != n_unary || rules.unary_weight.size() != n_unary)
        throw std::invalid_argument("the arrays of rules differ in length.");
    for (const auto* weights : {&rules.weight, &rules.unary_weight})
        for (const double w : *weights)
            if (!(w >= 0) || w > 1e300) throw std::invalid_argument("a weight is negative or not finite.");
    for (std::size_t r = 0; r < n_binary; ++r) {
        symbol(rules.parent[r]), symbol(rules.left[r]), symbol(rules.right[r]);
        check_binary(r);
        yields_.emplace(rules.yield[r], static_cast<int>(yields_.size()));
    }
    for (std::size_t r = 0; r < n_unary; ++r) {
        symbol(rules.unary_parent[r]), symbol(rules.unary_child[r]);
        if (rules.fan_out[rules.unary_parent[r]] != rules.fan_out[rules.unary_child[r]])
            throw std::invalid_argument("a unary rule changes the fan-out.");
    }
    order_unaries();

    std::vector<std::uint64_t> keys(n_binary);
    for (std::size_t r = 0; r < n_binary; ++r)
        keys[r] = key(rules.left[r], rules.right[r], yield_number(rules.yield[r]));
    by_children_.resize(n_binary);
    std::iota(by_children_.begin(), by_children_.end(), 0);
    std::stable_sort(by_children_.begin(), by_children_.end(), [&](int a, int b) { return keys[a] < keys[b]; });
    std::size_t size = 16;
    while (size < 3 * n_binary) size *= 2;
    slots_.assign(size, Slot{0, 0, 0});
    for (std::size_t first = 0, last; first < n_binary; first = last) {
        const std::uint64_t here = keys[by_children_[first]];
        for (last = first; last < n_binary && keys[by_children_[last]] == here;) ++last;
        std::size_t slot = mix_bits(here) & (size - 1);
        while (slots_[slot].last) slot = (slot + 1) & (size - 1);
        slots_[slot] = {here, static_cast<std::int32_t>(first), static_cast<std::int32_t>(last)};
    }
}

void LcfrsGrammar::check_binary(std::size_t rule) const {
    const YieldCode code = rules.yield[rule];
    const std::vector<int> digits = yield_digits(code);
    std::array<int, 3> times{};
    int before = 2;
    bool good = code >> 2 * digits.size() == 3 && digits.size() >= 2 && digits.size() <= kMaxYield && digits[0] == 0;
    for (const int digit : digits) {
        good = good && digit < 3 && digit != before;  // neither a segment beside its like nor an empty segment
        if (digit < 3) ++times[digit];
        before = digit;
    }
    if (!good || before == 2 || times[0] != rules.fan_out[rules.left[rule]] ||
        times[1] != rules.fan_out[rules.right[rule]] || times[2] + 1 != rules.fan_out[rules.parent[rule]])
        throw std::invalid_argument("a rule's yield function does not fit the fan-outs of its symbols.");
}

// Ranks by Kahn's algorithm: a symbol comes after all that it derives in one step.
void LcfrsGrammar::order_unaries() {
    const std::size_t n = rules.fan_out.size(), n_unary = rules.unary_parent.size();
    child_first_.assign(n + 1, 0);
    std::vector<int> waiting(n, 0);
    for (std::size_t r = 0; r < n_unary; ++r) {
        ++child_first_[rules.unary_child[r] + 1];
        ++waiting[rules.unary_parent[r]];
    }
    std::partial_sum(child_first_.begin(), child_first_.end(), child_first_.begin());
    by_child_.resize(n_unary);
    std::vector<std::int32_t> place(child_first_.begin(), child_first_.end() - 1);
    for (std::size_t r = 0; r < n_unary; ++r) by_child_[place[rules.unary_child[r]]++] = static_cast<std::int32_t>(r);
    rank_.assign(n, 0);
    std::vector<std::int32_t> ready;
    for (std::size_t s = 0; s < n; ++s)
        if (!waiting[s]) ready.push_back(static_cast<std::int32_t>(s));
    for (std::size_t i = 0; i < ready.size(); ++i) {
        rank_[ready[i]] = static_cast<int>(i);
        for (const std::int32_t r : over(ready[i]))
            if (!--waiting[rules.unary_parent[r]]) ready.push_back(rules.unary_parent[r]);
    }
    if (ready.size() < n) throw std::invalid_argument("unary rules run in a circle.");
}

int LcfrsGrammar::yield_number(YieldCode code) const {
    const auto found = yields_.find(code);
    return found == yields_.end() ? -1 : found->second;
}

std::span<const std::int32_t> LcfrsGrammar::over(std::int32_t left, std::int32_t right, int yield) const {
    const std::uint64_t wanted = key(left, right, yield);
    for (std::size_t slot = mix_bits(wanted) & (slots_.size() - 1); slots_[slot].last;
         slot = (slot + 1) & (slots_.size() - 1))
        if (slots_[slot].key == wanted)
            return {by_children_.data() + slots_[slot].first, by_children_.data() + slots_[slot].last};
    return {};
}

std::span<const std::int32_t> LcfrsGrammar::over(std::int32_t child) const {
    return {by_child_.data() + child_first_[child], by_child_.data() + child_first_[child + 1]};
}

}  // namespace palmette

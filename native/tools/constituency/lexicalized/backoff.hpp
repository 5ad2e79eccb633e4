// A conditional distribution that backs off along a chain of contexts, each of which knows more than the one before:
//
//     p_k(o | c_1 … c_k) = (max(n(c, o) - D_k, 0) + (A_k + D_k d(c)) p_{k-1}(o | c_1 … c_{k-1})) / (n(c) + A_k)
//
// n counts, d(c) is the number of different outcomes of a context, D_k the discount and A_k the strength of level k
// (interpolation in the form of Pitman and Yor; with D = 0 Dirichlet's, with A = 0 absolute discounting). p_0 is the
// caller's. Contexts are 64-bit keys; a context that never occurred leaves the distribution below it as it is.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "base/hashing.hpp"

namespace palmette {

// The variables that each level adds to the context, as numbers of the array that callers pass.
using BackoffChain = std::vector<std::vector<uint8_t>>;

// Level by level, rows of counts: row r has the context `key[r]` and the outcomes start[r] .. start[r + 1] - 1, ascending.
struct BackoffLevel {
    std::vector<uint64_t> key;
    std::vector<int64_t> start{0};
    std::vector<int32_t> outcome;
    std::vector<float> count;
    float discount = 0.5f, strength = 1.0f;
};

class Backoff {
public:
    Backoff() = default;
    // From levels that are complete; makes the index. std::invalid_argument where rows are out of order.
    Backoff(BackoffChain chain, std::vector<BackoffLevel> levels);

    // p holds the distribution of level 0 over outcomes 0 .. n - 1, and is turned into that of the whole chain.
    void distribution(const int32_t* variables, float* p, int32_t n) const;
    // The probability of one outcome, given that of level 0.
    double probability(const int32_t* variables, int32_t outcome, double base) const;

    const BackoffChain& chain() const { return chain_; }
    const std::vector<BackoffLevel>& levels() const { return levels_; }
    void set_smoothing(size_t level, float discount, float strength);

private:
    struct Row {
        float total, rest;  // n + A, and (A + D d) / (n + A)
    };
    int64_t find(size_t level, uint64_t key) const;

    BackoffChain chain_;
    std::vector<BackoffLevel> levels_;
    std::vector<std::vector<Row>> rows_;
    std::vector<std::vector<int32_t>> slots_;  // open addressing; -1 is empty
};

// Counts events into levels: `add` one by one, `finish` at the end.
class BackoffCounter {
public:
    explicit BackoffCounter(BackoffChain chain) : chain_(std::move(chain)), events_(chain_.size()) {}
    void add(const int32_t* variables, int32_t outcome, float count = 1.0f);
    Backoff finish();

private:
    struct Event {
        uint64_t key;
        int32_t outcome;
        float count;
    };
    BackoffChain chain_;
    std::vector<std::vector<Event>> events_;
};

inline uint64_t backoff_key(uint64_t key, const std::vector<uint8_t>& added, const int32_t* variables) {
    for (const uint8_t v : added) key = combine(key, static_cast<uint32_t>(variables[v]) + 0x10001u);
    return key;
}

}  // namespace palmette

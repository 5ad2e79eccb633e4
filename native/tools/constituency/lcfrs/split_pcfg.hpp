// The context-free grammar of the segments of an LCFRS, and which segments it leaves alive in a sentence.
//
// A symbol of fan-out 2 becomes two symbols, A*0 and A*1, which know nothing about each other: the segments that a rule
// gives its parent are rules of their own, with the probability of all rules that have them. What is improbable as a
// segment is improbable in the LCFRS, so its inside and outside values, O(n³ · rules), say what to leave out there.
#pragma once
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "tools/constituency/lcfrs/grammar.hpp"

namespace palmette {

inline constexpr double kScalePerWord = 30;  // so that products of probabilities stay in range until the sum is known

struct Emission {
    std::int32_t position, symbol;
    double weight;  // the probability of the word, or anything in proportion to it
};

// Sets of (start, end, symbol).
class AliveSegments {
   public:
    AliveSegments() = default;
    AliveSegments(int n, int n_symbols) : words_((n_symbols + 63) / 64), bits_(std::size_t(n) * (n + 1) / 2 * words_) {}
    bool empty() const { return bits_.empty(); }
    static std::size_t span(int start, int end) { return std::size_t(end) * (end - 1) / 2 + start; }
    void add(int start, int end, int symbol) {
        bits_[span(start, end) * words_ + symbol / 64] |= std::uint64_t{1} << symbol % 64;
    }
    bool has(int start, int end, int symbol) const {
        return bits_[span(start, end) * words_ + symbol / 64] >> symbol % 64 & 1;
    }

   private:
    std::size_t words_ = 0;
    std::vector<std::uint64_t> bits_;
};

class SplitPcfg {
   public:
    explicit SplitPcfg(const LcfrsGrammar& grammar);

    int n_symbols() const { return n_symbols_; }
    int segment(std::int32_t symbol, int i) const { return first_[symbol] + i; }
    // Segments of a sentence of n words that are expected at least `threshold` times; empty if it has no tree.
    // Each position's emissions are divided by their maximum first.
    AliveSegments alive(int n, std::span<const Emission> emissions, double threshold) const;

   private:
    struct Rule {
        std::int32_t right, parent;
        double weight;
    };
    struct Link {
        std::int32_t parent;
        double weight;
    };
    void close_unaries(const std::vector<std::vector<Link>>& steps);

    int n_symbols_ = 0;
    std::int32_t root_ = 0;
    std::vector<std::int32_t> first_, rule_first_, link_first_;
    std::vector<Rule> rules_;  // by left child
    std::vector<Link> links_;  // by child: what derives it in one or more unary steps, and with which weight in all
};

}  // namespace palmette

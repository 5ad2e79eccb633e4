// Memory-based learning over columns of symbols (Daelemans and van den Bosch 2005): the distance of two examples is a sum over columns,
//
//     d(x, y) = Σ_f w_f δ_f(x_f, y_f)
//     δ  overlap     [x_f ≠ y_f]
//        value difference (Stanfill and Waltz; Cost and Salzberg)  Σ_c |P(c | x_f) − P(c | y_f)|
//        numeric     |x_f − y_f| / range_f
//
// Examples are kept in a trie over the columns, the weightiest first, with equal ones merged. A query walks it: branches whose distance so far,
// with the least that the other columns can add, is beyond the k-th distance are left out, so the search is exact. The branches of a node are
// in the order of a key, by which the distance is bounded from below: the number itself, or P of the commonest class, since
// Σ_c |P(c | v) − P(c | w)| ≥ 2 |P(c | v) − P(c | w)| for each c. So a search begins at the query's own place among them, and goes outwards both
// ways until the bound alone is too much; only what the bound lets through is compared class by class.
//
// Terms are rounded to multiples of 2⁻³², so that sums are exact and equal distances are equal, whatever the order of the columns.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "learning/neighbours.hpp"

namespace palmette {

enum class Metric : std::uint8_t { overlap, value_difference, numeric };

// One column: its metric and weight, and of every value P(c | value) by class, [values][classes], or the number it stands for.
struct SymbolicColumn {
    Metric metric;
    double weight;
    std::size_t n_values;
    std::vector<double> table;   // value difference: [values][classes]; numeric: [values], scaled
    std::vector<double> unseen;  // value difference: P(c) of a value that was never seen
};

// A query: values by column, −1 where one was never seen; of numeric columns the scaled number.
struct SymbolicQuery {
    const std::int32_t* values;
    const double* numbers;
};

class SymbolicMemory {
public:
    // values: [n][columns], each below the n_values of its column.
    SymbolicMemory(std::vector<SymbolicColumn> columns, std::size_t n_classes, std::span<const std::int32_t> values, std::span<const std::int32_t> classes);

    std::size_t size() const { return classes_.size(); }
    std::size_t n_columns() const { return columns_.size(); }
    std::size_t n_classes() const { return n_classes_; }
    std::size_t n_values(std::size_t column) const { return columns_[column].n_values; }
    std::size_t n_distinct() const { return leaves_.empty() ? 0 : leaves_.size() - 1; }
    std::span<const std::int32_t> classes() const { return classes_; }

    // A node on the way: the branches from `down` to `up` are done. parent: the level of the frame before.
    struct Frame {
        std::uint32_t begin, end, down, up;
        double sum;
        std::size_t parent;
    };
    // What a query has on a level, beside its column.
    struct Side {
        double key, factor;  // a distance is at least factor · |key − that of the branch|
        double weight, rest; // rest: the least that the levels below add
        const double* mine;  // P(c | value)
        const double* table;
        std::int32_t own;
        Metric metric;
    };
    struct Room {
        std::vector<Side> sides;
        std::vector<Frame> frames;
        Nearest nearest;
    };
    std::span<const Neighbour> search(const SymbolicQuery& query, std::size_t k, bool distances, Room& room) const;

    // Votes [queries][classes].
    void votes(std::span<const std::int32_t> values, std::span<const double> numbers, std::size_t n_queries, std::size_t k, bool distances, Voting voting, double decay,
               int n_jobs, double* out) const;

private:
    struct Level {
        std::vector<std::int32_t> values;   // of every node
        std::vector<double> keys;           // by which the branches of a node are ordered
        std::vector<std::uint32_t> begin;   // of its branches on the next level; of the last level: of its examples. One more than nodes
    };
    double key_of(std::size_t column, std::size_t value) const;
    static double gap(const Side& side, double key);
    double distance(const Side& side, std::int32_t value) const;
    Side side(std::size_t level, std::int32_t own, double number) const;
    void open(std::size_t level, std::uint32_t begin, std::uint32_t end, double sum, std::size_t parent, Room& room) const;

    std::vector<SymbolicColumn> columns_;
    std::vector<std::size_t> order_;  // column of every level
    std::vector<double> from_unseen_; // of every level: the least distance of a value that was never seen
    std::size_t n_classes_, common_ = 0;  // the commonest class
    std::vector<std::int32_t> classes_;
    std::vector<Level> levels_;
    std::vector<std::uint32_t> examples_;  // sorted by leaf, then by place
    std::vector<std::uint32_t> leaves_;
};

}  // namespace palmette

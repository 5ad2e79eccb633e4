#include "learning/symbolic_memory.hpp"

#include <numeric>

#include "base/parallel.hpp"

namespace palmette {
namespace {

constexpr double kRound = 3.0 * (1 << 19);  // 1.5 · 2^20: adding and taking it off rounds to multiples of 2^-32
constexpr double kFarthest = 65536.0;
constexpr double kUnbounded = std::numeric_limits<double>::infinity(), kRounding = 1e-8;  // of rounding, in a bound
constexpr std::size_t kBatch = 32;
constexpr std::uint32_t kMany = 16;  // branches, from which on their order is made use of

// Not -ffast-math: the two additions stay.
double rounded(double x) { return x + kRound - kRound; }

}  // namespace

SymbolicMemory::SymbolicMemory(std::vector<SymbolicColumn> columns, std::size_t n_classes, std::span<const std::int32_t> values, std::span<const std::int32_t> classes)
    : columns_(std::move(columns)), order_(columns_.size()), n_classes_(n_classes), classes_(classes.begin(), classes.end()), examples_(classes.size()) {
    const std::size_t n = classes_.size(), f = columns_.size();
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    std::stable_sort(order_.begin(), order_.end(), [&](std::size_t a, std::size_t b) { return columns_[a].weight > columns_[b].weight; });
    std::vector<std::size_t> counts(n_classes_, 0);
    for (const std::int32_t c : classes_) ++counts[static_cast<std::size_t>(c)];
    common_ = static_cast<std::size_t>(std::max_element(counts.begin(), counts.end()) - counts.begin());
    // Values by rank: in the order of their keys.
    std::vector<std::vector<std::int32_t>> ranks(f);
    for (std::size_t c = 0; c < f; ++c) {
        std::vector<std::int32_t> by_key(columns_[c].n_values);
        std::iota(by_key.begin(), by_key.end(), 0);
        std::stable_sort(by_key.begin(), by_key.end(), [&](std::int32_t a, std::int32_t b) { return key_of(c, static_cast<std::size_t>(a)) < key_of(c, static_cast<std::size_t>(b)); });
        ranks[c].resize(by_key.size());
        for (std::size_t r = 0; r < by_key.size(); ++r) ranks[c][static_cast<std::size_t>(by_key[r])] = static_cast<std::int32_t>(r);
    }
    std::iota(examples_.begin(), examples_.end(), 0u);
    const auto rank = [&](std::uint32_t e, std::size_t level) { return ranks[order_[level]][static_cast<std::size_t>(values[e * f + order_[level]])]; };
    const auto value = [&](std::uint32_t e, std::size_t level) { return values[e * f + order_[level]]; };
    std::stable_sort(examples_.begin(), examples_.end(), [&](std::uint32_t a, std::uint32_t b) {
        for (std::size_t l = 0; l < f; ++l)
            if (rank(a, l) != rank(b, l)) return rank(a, l) < rank(b, l);
        return false;
    });
    levels_.resize(f);
    for (std::size_t e = 0; e < n; ++e) {
        std::size_t l = 0;  // the first level at which it leaves the path of the one before
        if (e)
            while (l < f && value(examples_[e], l) == value(examples_[e - 1], l)) ++l;
        if (e && l == f) continue;
        for (; l < f; ++l) {
            levels_[l].values.push_back(value(examples_[e], l));
            levels_[l].keys.push_back(key_of(order_[l], static_cast<std::size_t>(value(examples_[e], l))));
            levels_[l].begin.push_back(static_cast<std::uint32_t>(l + 1 < f ? levels_[l + 1].values.size() : e));
        }
    }
    for (std::size_t l = 0; l < f; ++l) levels_[l].begin.push_back(static_cast<std::uint32_t>(l + 1 < f ? levels_[l + 1].values.size() : n));
    if (f) leaves_ = levels_.back().begin;
    for (std::size_t l = 0; l < f; ++l) {
        const Side unseen = side(l, -1, 0.0);
        double least = kFarthest;
        if (columns_[order_[l]].metric != Metric::numeric)
            for (std::size_t v = 0; v < columns_[order_[l]].n_values; ++v) least = std::min(least, distance(unseen, static_cast<std::int32_t>(v)));
        from_unseen_.push_back(least);
    }
}

double SymbolicMemory::key_of(std::size_t column, std::size_t value) const {
    const SymbolicColumn& c = columns_[column];
    if (c.metric == Metric::overlap) return static_cast<double>(value);
    return c.metric == Metric::numeric ? c.table[value] : c.table[value * n_classes_ + common_];
}

// The least distance of a branch with that key, but for rounding.
inline double SymbolicMemory::gap(const Side& side, double key) {
    if (side.metric == Metric::overlap) return key == side.key ? 0.0 : side.weight;
    return std::min(side.factor * std::abs(key - side.key), kFarthest);
}

void SymbolicMemory::open(std::size_t level, std::uint32_t begin, std::uint32_t end, double sum, std::size_t parent, Room& room) const {
    std::uint32_t from = begin;
    if (end - begin >= kMany) {
        const std::vector<double>& keys = levels_[level].keys;
        from = static_cast<std::uint32_t>(std::lower_bound(keys.begin() + begin, keys.begin() + end, room.sides[level].key) - keys.begin());
    }
    room.frames[level] = {begin, end, from, from, sum, parent};
}

inline double SymbolicMemory::distance(const Side& side, std::int32_t value) const {
    double d = 0;
    if (side.metric == Metric::overlap) {
        d = value == side.own ? 0.0 : 1.0;
    } else if (side.metric == Metric::numeric) {
        d = std::abs(side.key - side.table[static_cast<std::size_t>(value)]);
    } else {
        const double* its = side.table + static_cast<std::size_t>(value) * n_classes_;
        for (std::size_t k = 0; k < n_classes_; ++k) d += std::abs(side.mine[k] - its[k]);
    }
    return rounded(std::min(side.weight * d, kFarthest));
}

SymbolicMemory::Side SymbolicMemory::side(std::size_t level, std::int32_t own, double number) const {
    const SymbolicColumn& c = columns_[order_[level]];
    Side made{number, c.weight, c.weight, 0.0, c.unseen.data(), c.table.data(), own, c.metric};
    if (c.metric == Metric::value_difference) {
        if (own >= 0) made.mine = c.table.data() + static_cast<std::size_t>(own) * n_classes_;
        made.key = made.mine[common_];
        made.factor = 2 * c.weight;
    } else if (c.metric == Metric::overlap) {
        made.key = own;
    }
    return made;
}

std::span<const Neighbour> SymbolicMemory::search(const SymbolicQuery& query, std::size_t k, bool distances, Room& room) const {
    room.nearest.start(k, distances);
    const std::size_t f = columns_.size();
    if (classes_.empty() || !f) return room.nearest.finish();
    room.sides.resize(f);
    double rest = 0;
    for (std::size_t l = f; l-- > 0;) {
        room.sides[l] = side(l, query.values[order_[l]], query.numbers[order_[l]]);
        room.sides[l].rest = rest;
        if (room.sides[l].metric != Metric::numeric && room.sides[l].own < 0) rest += from_unseen_[l];
    }
    room.frames.resize(f);
    open(0, 0, static_cast<std::uint32_t>(levels_[0].values.size()), 0.0, 0, room);
    for (std::size_t l = 0;;) {
        Frame& frame = room.frames[l];
        const Level& level = levels_[l];
        const Side& side = room.sides[l];
        const double left = room.nearest.bound() + kRounding - frame.sum - side.rest;  // how far a branch may be
        std::uint32_t node = frame.end;  // none
        if (frame.end - frame.begin < kMany) {
            // Few branches: in turn, but for those that the bound excludes.
            while (frame.up < frame.end && gap(side, level.keys[frame.up]) > left) ++frame.up;
            if (frame.up < frame.end) node = frame.up++;
        } else {
            const double below = frame.down > frame.begin ? gap(side, level.keys[frame.down - 1]) : kUnbounded;
            const double above = frame.up < frame.end ? gap(side, level.keys[frame.up]) : kUnbounded;
            const double least = std::min(below, above);
            if (least < kUnbounded && least <= left) node = above <= below ? frame.up++ : --frame.down;
        }
        if (node == frame.end) {
            if (l == 0) break;
            l = frame.parent;
            continue;
        }
        double sum = frame.sum + distance(side, level.values[node]);
        bool near = sum + side.rest <= room.nearest.bound();
        std::uint32_t begin = level.begin[node], end = level.begin[node + 1];
        std::size_t at = l;
        // Where there is one branch only, as below most nodes, no frame is needed.
        while (near && at + 1 < f && end - begin == 1) {
            const Side& next = room.sides[++at];
            near = sum + gap(next, levels_[at].keys[begin]) + next.rest <= room.nearest.bound() + kRounding;
            if (!near) break;
            sum += distance(next, levels_[at].values[begin]);
            near = sum + next.rest <= room.nearest.bound();
            end = levels_[at].begin[begin + 1];
            begin = levels_[at].begin[begin];
        }
        if (!near) continue;
        if (at + 1 == f) {
            room.nearest.add(sum, {examples_.data() + begin, examples_.data() + end});
        } else {
            // The branches lie between two keys.
            const Side& next = room.sides[at + 1];
            const double first = levels_[at + 1].keys[begin], last = levels_[at + 1].keys[end - 1];
            const double least = next.key < first ? gap(next, first) : next.key > last ? gap(next, last) : 0.0;
            if (sum + least + next.rest > room.nearest.bound() + kRounding) continue;
            open(at + 1, begin, end, sum, l, room);
            l = at + 1;
        }
    }
    return room.nearest.finish();
}

void SymbolicMemory::votes(std::span<const std::int32_t> values, std::span<const double> numbers, std::size_t n_queries, std::size_t k, bool distances, Voting voting,
                           double decay, int n_jobs, double* out) const {
    const std::size_t f = columns_.size();
    std::vector<Room> rooms(static_cast<std::size_t>(std::max(n_jobs, 1)));
    parallel((n_queries + kBatch - 1) / kBatch, n_jobs, [&](std::size_t piece, std::size_t thread) {
        for (std::size_t q = piece * kBatch; q < std::min(n_queries, (piece + 1) * kBatch); ++q) {
            std::fill_n(out + q * n_classes_, n_classes_, 0.0);
            const auto found = search({values.data() + q * f, numbers.data() + q * f}, k, distances, rooms[thread]);
            vote(found, classes_, voting, decay, out + q * n_classes_);
        }
    });
}

}  // namespace palmette

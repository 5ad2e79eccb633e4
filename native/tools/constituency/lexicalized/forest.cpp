#include "tools/constituency/lexicalized/forest.hpp"

#include <algorithm>

namespace palmette {
namespace {

// The second model over what is alive, edge by edge.
class SecondPass {
public:
    SecondPass(const CoarseModel& c, const PairPass& alive, int32_t n, std::span<const LexicalEmission> emissions, const SpanRules& rules, const CoarseOptions& options, Budget& budget, Forest& f)
        : c_(c), alive_(alive), n_(n), l_(c.labels.size()), q_(c.pairs.size()), f_(f), rules_(rules), budget_(budget), scale_(options.scale), least_(options.drop * alive.total), cells_(cells_of(n)) {
        for (int32_t j = 1; j <= n; ++j)
            for (int32_t i = j - 1; i >= 0; --i) fill(i, j, emissions);
    }

    bool prune(double threshold) {
        for (const int32_t root : cells_[cell_of(0, n_)].complete)
            if (f_.items[root].label == c_.labels.root) f_.roots.push_back(root);
        double z = 0.0;
        for (const int32_t root : f_.roots) {
            z += f_.items[root].in;
            f_.items[root].out = 1.0;
        }
        if (!(z > 0.0)) return false;
        for (size_t e = f_.edges.size(); e-- > 0;) {
            const HeadedEdge& edge = f_.edges[e];
            const double o = f_.items[edge.head].out * edge.weight;
            if (o == 0.0) continue;
            if (edge.b < 0) {
                f_.items[edge.a].out += o;
            } else {
                f_.items[edge.a].out += o * f_.items[edge.b].in;
                f_.items[edge.b].out += o * f_.items[edge.a].in;
            }
        }
        std::vector<int32_t> number(f_.items.size(), -1);
        size_t kept = 0;
        for (size_t v = 0; v < f_.items.size(); ++v)
            if (f_.items[v].in * f_.items[v].out >= threshold * z) {
                number[v] = static_cast<int32_t>(kept);
                f_.items[kept++] = f_.items[v];
            }
        f_.items.resize(kept);
        size_t edges = 0;
        for (HeadedEdge edge : f_.edges) {
            edge.head = number[edge.head];
            edge.a = number[edge.a];
            if (edge.b >= 0) {
                edge.b = number[edge.b];
                if (edge.b < 0) continue;
            }
            if (edge.head >= 0 && edge.a >= 0) f_.edges[edges++] = edge;
        }
        f_.edges.resize(edges);
        std::vector<int32_t> roots;
        for (const int32_t root : f_.roots)
            if (number[root] >= 0) roots.push_back(number[root]);
        f_.roots = roots;
        f_.log_z = std::log(z) - n_ * std::log(scale_);
        return !roots.empty();
    }

private:
    struct Cell {
        std::vector<int32_t> complete, left, right;
    };

    void fill(int32_t i, int32_t j, std::span<const LexicalEmission> emissions) {
        Cell& cell = cells_[cell_of(i, j)];
        const double *left = alive_.left(cell_of(i, j)), *right = alive_.right(cell_of(i, j)), *complete = alive_.complete(cell_of(i, j));
        if (!left) return;
        check_interrupt();
        for (int32_t k = i + 1; k < j; ++k) {
            const auto& children = cells_[cell_of(i, k)].complete;
            if (children.empty()) continue;
            for (const int32_t b : cells_[cell_of(k, j)].left) {
                const ForestItem grown = f_.items[b];
                if (left[grown.pair] == 0.0 || stays(grown)) continue;
                for (const int32_t a : children) extend(cell.left, i, j, grown, a, a, b, 0);
            }
        }
        drop(cell.left, 0, left);
        const size_t lefts = cell.left.size();
        for (int32_t k = i + 1; k < j; ++k) {
            const auto& children = cells_[cell_of(k, j)].complete;
            if (children.empty()) continue;
            for (const int32_t a : cells_[cell_of(i, k)].right) {
                const ForestItem grown = f_.items[a];
                if (right[grown.pair] == 0.0 || stays(grown)) continue;
                for (const int32_t b : children) extend(cell.right, i, j, grown, b, a, b, 1);
            }
        }
        size_t first = 0;
        if (j == i + 1)
            for (const LexicalEmission& e : emissions)
                if (e.position == i && alive_.tags[&e - emissions.data()] > 0.0) {
                    cell.complete.push_back(static_cast<int32_t>(f_.items.size()));
                    f_.items.push_back({i, j, e.tag, -1, -1, kComplete, 0, 0, -1, -1, -1, e.ratio * scale_, 0.0});
                }
        size_t first_left = 0, first_right = 0;
        for (int8_t level = 0;; ++level) {
            for (size_t q = first_left; q < cell.left.size(); ++q) stop_left(cell, i, j, cell.left[q], level, first_right, right);
            first_left = std::max(lefts, cell.left.size());
            drop(cell.right, first_right, right);
            const size_t rights = cell.right.size();
            const size_t completes = cell.complete.size();
            for (size_t q = first_right; q < rights; ++q) stop_right(cell, i, j, cell.right[q], level, completes, complete);
            first_right = rights;
            drop(cell.complete, completes, complete);
            if (level == kUnaryLevels - 1 || first == cell.complete.size()) break;
            const size_t last = cell.complete.size(), begin = cell.left.size();
            for (size_t q = first; q < last; ++q) start(cell, i, j, cell.complete[q], static_cast<int8_t>(level + 1), begin, left);
            first = last;
            first_left = begin;
            drop(cell.left, begin, left);
        }
    }

    // Over words that must be a constituent, what has grown to cover them may only stop, and a tag is not enough.
    bool stays(const ForestItem& item) const {
        if (rules_.empty() || !rules_.whole[cell_of(item.start, item.end)]) return false;
        return item.kind == kComplete ? item.parent < 0 : item.level < (item.end == item.start + 1 ? 2 : 1);
    }

    // The item of a list from number `first` on, or a new one. Items of one row form a chain.
    int32_t item(std::vector<int32_t>& list, size_t first, const ForestItem& wanted, std::vector<int32_t>& chains, int32_t place) {
        if (chains.size() <= static_cast<size_t>(place)) chains.resize(place + 1, -1);
        const int32_t oldest = first < list.size() ? list[first] : static_cast<int32_t>(f_.items.size());
        for (int32_t q = chains[place]; q >= oldest && q < static_cast<int32_t>(f_.items.size()); q = chain_[q])
            if (f_.items[q].head_child == wanted.head_child) return q;
        const auto made = static_cast<int32_t>(f_.items.size());
        budget_.take_one<ForestItem>();
        list.push_back(made);
        f_.items.push_back(wanted);
        chain_.resize(made + 1, -1);
        chain_[made] = chains[place];
        chains[place] = made;
        return made;
    }

    // Takes items out of a list that the pass before finds improbable with their insides of this one.
    void drop(std::vector<int32_t>& list, size_t first, const double* outside) {
        const auto begin = list.begin() + static_cast<std::ptrdiff_t>(std::min(first, list.size()));
        list.erase(std::remove_if(begin, list.end(), [&](int32_t id) { return f_.items[id].in * outside[f_.items[id].pair] < least_; }), list.end());
    }

    void add(int32_t head, int32_t a, int32_t b, float weight) {
        budget_.take_one<HeadedEdge>();
        f_.edges.push_back({head, a, b, weight});
        f_.items[head].in += weight * f_.items[a].in * (b < 0 ? 1.0 : f_.items[b].in);
    }

    void extend(std::vector<int32_t>& list, int32_t i, int32_t j, const ForestItem& grown, int32_t child_id, int32_t a, int32_t b, int side) {
        const ForestItem& child = f_.items[child_id];
        if ((child.parent >= 0 && child.parent != grown.label) || stays(child)) return;
        const float p = c_.child(grown.row, child.label);
        if (p <= 0.0f) return;
        const int32_t next = c_.row(grown.pair, child.label, 1, side);
        if (next < 0) return;
        add(item(list, 0, {i, j, grown.label, grown.parent, child.label, side ? kGrowsRight : kGrowsLeft, 1, 0, grown.head_child, grown.pair, next, 0.0, 0.0}, by_row_, next), a, b, p);
    }

    void stop_left(Cell& cell, int32_t i, int32_t j, int32_t id, int8_t level, size_t first, const double* alive) {
        const ForestItem grown = f_.items[id];
        if (alive[grown.pair] == 0.0) return;
        const float p = c_.child(grown.row, c_.labels.stop());
        const int32_t next = c_.row(grown.pair, grown.head_child, 0, 1);
        if (p <= 0.0f || next < 0) return;
        add(item(cell.right, first, {i, j, grown.label, grown.parent, grown.head_child, kGrowsRight, 0, level, grown.head_child, grown.pair, next, 0.0, 0.0}, by_row_, next), id, -1, p);
    }

    void stop_right(Cell& cell, int32_t i, int32_t j, int32_t id, int8_t level, size_t first, const double* alive) {
        const ForestItem grown = f_.items[id];
        if (alive[grown.pair] == 0.0) return;
        const float p = c_.child(grown.row, c_.labels.stop());
        if (p <= 0.0f) return;
        add(item(cell.complete, first, {i, j, grown.label, grown.parent, -1, kComplete, 0, level, -1, grown.pair, -1, 0.0, 0.0}, by_pair_, grown.pair), id, -1, p);
    }

    void start(Cell& cell, int32_t i, int32_t j, int32_t id, int8_t level, size_t first, const double* alive) {
        const ForestItem child = f_.items[id];
        const auto grow = [&](int32_t q) {
            if (alive[q] == 0.0) return;
            const float p = c_.pair_head[q * l_ + child.label];
            const int32_t next = c_.row(q, child.label, 0, 0);
            if (p <= 0.0f || next < 0) return;
            const auto [x, parent] = c_.pairs[q];
            add(item(cell.left, first, {i, j, x, parent, child.label, kGrowsLeft, 0, level, child.label, q, next, 0.0, 0.0}, by_row_, next), id, -1, p);
        };
        if (child.parent >= static_cast<int32_t>(l_)) return;
        if (child.parent >= 0)
            for (const int32_t q : c_.pairs_of[child.parent]) grow(q);
        else
            for (size_t q = 0; q < q_; ++q) grow(static_cast<int32_t>(q));
    }

    const CoarseModel& c_;
    const PairPass& alive_;
    const int32_t n_;
    const size_t l_, q_;
    Forest& f_;
    const SpanRules& rules_;
    Budget& budget_;
    const double scale_, least_;
    std::vector<Cell> cells_;
    std::vector<int32_t> by_row_, by_pair_, chain_;
};

}  // namespace

bool coarse_forest(const CoarseModel& model, int32_t n, std::span<const LexicalEmission> emissions, const SpanRules& rules, const CoarseOptions& options, size_t memory, Forest& made) {
    Budget budget(memory);
    const FirstPass first(model, n, emissions, rules, options.first, options.scale, budget);
    if (!first.reached) return false;
    const PairPass pairs(model, first, n, emissions, options.pairs, options.scale, budget);
    if (!pairs.reached) return false;
    SecondPass second(model, pairs, n, emissions, rules, options, budget, made);
    return second.prune(options.second);
}

}  // namespace palmette

#include "structures/chart/grammar.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>

namespace palmette {

namespace {

constexpr float kNever = -std::numeric_limits<float>::infinity();
constexpr float kHighest = 80;  // its exponential is a float
constexpr std::size_t kMostMembers = 4096;

float flushed(float log_weight) {
    return static_cast<float>(std::exp(static_cast<double>(log_weight)));
}

void check_weight(float weight, const char* kind, std::size_t place) {
    if (weight <= kHighest) return;
    throw std::invalid_argument("the log weight of " + std::string(kind) + " rule " + std::to_string(place) + " is " +
                                (std::isnan(weight) ? "not a number" : std::to_string(weight)) + "; it must be at most 80, or -inf for never");
}

void check_symbol(std::int32_t symbol, std::int32_t n, const char* kind, std::size_t place) {
    if (symbol >= 0 && symbol < n) return;
    throw std::invalid_argument(std::string(kind) + " rule " + std::to_string(place) + " has the symbol " +
                                std::to_string(symbol) + ", but there are " + std::to_string(n));
}

// The strongly connected components of parent → child, each after those that it leads to (Tarjan, without recursion).
class Components {
public:
    Components(std::size_t n, const std::vector<std::vector<std::int32_t>>& children) : children_(children), low_(n, -1), index_(n, -1), on_(n) {
        for (std::size_t s = 0; s < n; ++s)
            if (index_[s] < 0) visit(static_cast<std::int32_t>(s));
    }
    std::vector<std::vector<std::int32_t>> found;

private:
    void visit(std::int32_t first) {
        std::vector<std::pair<std::int32_t, std::size_t>> path;
        const auto enter = [&](std::int32_t s) {
            index_[s] = low_[s] = next_++;
            stack_.push_back(s);
            on_[s] = true;
            path.emplace_back(s, 0);
        };
        enter(first);
        while (!path.empty()) {
            const std::int32_t s = path.back().first;
            if (path.back().second < children_[s].size()) {
                const std::int32_t child = children_[s][path.back().second++];
                if (index_[child] < 0)
                    enter(child);
                else if (on_[child])
                    low_[s] = std::min(low_[s], index_[child]);
                continue;
            }
            path.pop_back();
            if (!path.empty()) low_[path.back().first] = std::min(low_[path.back().first], low_[s]);
            if (low_[s] != index_[s]) continue;
            auto& component = found.emplace_back();
            for (std::int32_t member = -1; member != s;) {
                member = stack_.back();
                stack_.pop_back();
                on_[member] = false;
                component.push_back(member);
            }
        }
    }

    const std::vector<std::vector<std::int32_t>>& children_;
    std::vector<std::int32_t> low_, index_, stack_;
    std::vector<bool> on_;
    std::int32_t next_ = 0;
};

}  // namespace

ChartGrammar::ChartGrammar(std::int32_t symbols, std::int32_t root, std::vector<BinaryRule> binary, std::vector<UnaryRule> unary)
    : symbols_(symbols), root_(root), binary_(std::move(binary)), unary_(std::move(unary)) {
    if (symbols < 1) throw std::invalid_argument("a grammar needs at least one symbol");
    if (root < 0 || root >= symbols)
        throw std::invalid_argument("the root is symbol " + std::to_string(root) + ", but there are " + std::to_string(symbols));
    for (std::size_t k = 0; k < binary_.size(); ++k) {
        for (std::int32_t symbol : {binary_[k].parent, binary_[k].left, binary_[k].right}) check_symbol(symbol, symbols, "binary", k);
        check_weight(binary_[k].log_weight, "binary", k);
    }
    for (std::size_t k = 0; k < unary_.size(); ++k) {
        for (std::int32_t symbol : {unary_[k].parent, unary_[k].child}) check_symbol(symbol, symbols, "unary", k);
        check_weight(unary_[k].log_weight, "unary", k);
    }
    index_binary();
    index_unary();
}

void ChartGrammar::index_binary() {
    std::vector<std::int32_t> order;
    for (std::size_t k = 0; k < binary_.size(); ++k)
        if (binary_[k].log_weight != kNever) order.push_back(static_cast<std::int32_t>(k));
    const auto sort_by = [&](auto key) {
        std::stable_sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) { return key(binary_[a]) < key(binary_[b]); });
    };
    const auto add_up = [](std::vector<std::uint32_t>& begin) {
        for (std::size_t s = 1; s < begin.size(); ++s) begin[s] += begin[s - 1];
    };
    std::vector<bool> is_left(static_cast<std::size_t>(symbols_));
    sort_by([](const BinaryRule& r) { return std::tuple(r.right, r.parent, r.left); });
    right_begin_.assign(static_cast<std::size_t>(symbols_) + 1, 0);
    factor_begin_.assign(1, 0);
    for (std::size_t k = 0, next; k < order.size(); k = next) {
        const BinaryRule& rule = binary_[order[k]];
        for (next = k + 1; next < order.size() && binary_[order[next]].right == rule.right && binary_[order[next]].parent == rule.parent;) ++next;
        ++right_begin_[rule.right + 1];
        is_left[rule.left] = true;
        if (next == k + 1) {
            by_right_.push_back({rule.left, rule.parent, rule.log_weight, flushed(rule.log_weight)});
            right_weights_.push_back(std::exp(static_cast<double>(rule.log_weight)));
            continue;
        }
        const auto factor = static_cast<std::int32_t>(rows());
        ++n_factors_;
        by_right_.push_back({factor, rule.parent, 0, 1});
        right_weights_.push_back(1);
        for (std::size_t r = k; r < next; ++r) {
            const BinaryRule& each = binary_[order[r]];
            factor_rules_.push_back({factor, each.left, each.log_weight, std::exp(static_cast<double>(each.log_weight))});
            is_left[each.left] = true;
        }
        factor_begin_.push_back(static_cast<std::uint32_t>(factor_rules_.size()));
    }
    add_up(right_begin_);
    index_rows_by_parent();
    factors_by_left_ = factor_rules_;
    std::stable_sort(factors_by_left_.begin(), factors_by_left_.end(), [](const FactorRule& a, const FactorRule& b) { return a.left < b.left; });
    left_begin_.assign(static_cast<std::size_t>(symbols_) + 1, 0);
    for (const FactorRule& rule : factors_by_left_) ++left_begin_[rule.left + 1];
    add_up(left_begin_);
    sort_by([](const BinaryRule& r) { return std::tuple(r.parent, r.left, r.right); });
    parent_begin_.assign(static_cast<std::size_t>(symbols_) + 1, 0);
    for (std::int32_t k : order) {
        by_parent_.push_back({binary_[k].left, binary_[k].right, binary_[k].log_weight, k});
        ++parent_begin_[binary_[k].parent + 1];
    }
    add_up(parent_begin_);
    for (std::int32_t s = 0; s < symbols_; ++s) {
        if (right_begin_[s] < right_begin_[s + 1]) rights_.push_back(s);
        if (is_left[s]) lefts_.push_back(s);
    }
}

void ChartGrammar::index_rows_by_parent() {
    row_parent_begin_.assign(static_cast<std::size_t>(symbols_) + 1, 0);
    for (const RowRule& rule : by_right_) ++row_parent_begin_[rule.parent + 1];
    for (std::size_t s = 1; s < row_parent_begin_.size(); ++s) row_parent_begin_[s] += row_parent_begin_[s - 1];
    std::vector<std::uint32_t> next(row_parent_begin_.begin(), row_parent_begin_.end() - 1);
    by_row_parent_.resize(by_right_.size());
    row_parent_weights_.resize(by_right_.size());
    for (std::int32_t right = 0; right < symbols_; ++right)
        for (const RowRule& rule : with_right(static_cast<std::size_t>(right))) {
            const std::uint32_t place = next[rule.parent]++;
            by_row_parent_[place] = {rule.left, right, rule.log_weight, rule.weight};
            row_parent_weights_[place] = weight(rule);
        }
}

void ChartGrammar::index_unary() {
    const std::size_t n = static_cast<std::size_t>(symbols_);
    std::vector<std::vector<std::int32_t>> rules(n), children(n);
    std::vector<bool> loops(n);
    unary_begin_.assign(n + 1, 0);
    cycle_of_.assign(n, -1);
    for (std::size_t k = 0; k < unary_.size(); ++k) {
        if (unary_[k].log_weight == kNever) continue;
        rules[unary_[k].parent].push_back(static_cast<std::int32_t>(k));
        children[unary_[k].parent].push_back(unary_[k].child);
        if (unary_[k].parent == unary_[k].child) loops[unary_[k].parent] = true;
    }
    for (std::size_t s = 0; s < n; ++s) {
        unary_of_.insert(unary_of_.end(), rules[s].begin(), rules[s].end());
        unary_begin_[s + 1] = static_cast<std::uint32_t>(unary_of_.size());
    }
    const Components components(n, children);
    std::vector<std::int32_t> component_of(n);
    for (std::size_t c = 0; c < components.found.size(); ++c)
        for (std::int32_t member : components.found[c]) component_of[member] = static_cast<std::int32_t>(c);
    for (std::size_t c = 0; c < components.found.size(); ++c) {
        const auto& component = components.found[c];
        UnaryBlock block{static_cast<std::uint32_t>(block_rules_.size()), 0, 0, 0, 0};
        for (std::int32_t member : component)
            for (std::int32_t k : rules[member])
                if (component_of[unary_[k].child] != static_cast<std::int32_t>(c)) {
                    block_rules_.push_back({unary_[k].child, member, unary_[k].log_weight, k});
                    block_weights_.push_back(std::exp(static_cast<double>(unary_[k].log_weight)));
                }
        block.end = static_cast<std::uint32_t>(block_rules_.size());
        if (component.size() > 1 || loops[component[0]]) {
            close(component, block);
            for (std::int32_t member : component) cycle_of_[member] = static_cast<std::int32_t>(blocks_.size());
        }
        if (block.end > block.begin || block.n_members) blocks_.push_back(block);
    }
}

// Best and summed weights of all chains within a component, the empty one included (Floyd, Warshall, Kleene).
void ChartGrammar::close(const std::vector<std::int32_t>& component, UnaryBlock& block) {
    const std::size_t m = component.size();
    if (m > kMostMembers)
        throw std::invalid_argument("a cycle of unary rules runs through " + std::to_string(m) + " symbols; at most " + std::to_string(kMostMembers) + " can be closed");
    block.members = static_cast<std::uint32_t>(members_.size());
    block.n_members = static_cast<std::uint32_t>(m);
    block.matrix = static_cast<std::uint32_t>(best_closure_.size());
    members_.insert(members_.end(), component.begin(), component.end());
    std::vector<std::int32_t> place(static_cast<std::size_t>(symbols_), -1);
    for (std::size_t a = 0; a < m; ++a) place[component[a]] = static_cast<std::int32_t>(a);
    std::vector<float> best(m * m, kNever);
    std::vector<std::int32_t> step(m * m, -1);
    std::vector<double> sum(m * m, 0.0);
    for (std::size_t a = 0; a < m; ++a)
        for (std::int32_t k : unary_of(static_cast<std::size_t>(component[a]))) {
            const std::int32_t b = place[unary_[k].child];
            if (b < 0) continue;
            const std::size_t cell = a * m + static_cast<std::size_t>(b);
            if (unary_[k].log_weight > best[cell]) {
                best[cell] = unary_[k].log_weight;
                step[cell] = unary_[k].child;
            }
            sum[cell] += std::exp(static_cast<double>(unary_[k].log_weight));
        }
    for (std::size_t a = 0; a < m; ++a) {
        if (best[a * m + a] > 0) throw std::invalid_argument("symbol " + std::to_string(component[a]) + " rewrites as itself with a weight above one, so there is no best tree");
        best[a * m + a] = 0;
        step[a * m + a] = -1;
    }
    for (std::size_t k = 0; k < m; ++k)
        for (std::size_t a = 0; a < m; ++a)
            for (std::size_t b = 0; b < m; ++b)
                if (a != k && b != k && best[a * m + k] + best[k * m + b] > best[a * m + b]) {
                    if (a == b)
                        throw std::invalid_argument("unary rules lead from symbol " + std::to_string(component[a]) +
                                                    " back to it with a weight above one, so there is no best tree");
                    best[a * m + b] = best[a * m + k] + best[k * m + b];
                    step[a * m + b] = step[a * m + k];
                }
    for (std::size_t k = 0; k < m && sums_exist_; ++k) {
        const double turn = sum[k * m + k];
        if (!(turn < 1)) {
            sums_exist_ = false;
            break;
        }
        const double star = 1 / (1 - turn);
        const std::vector<double> column = [&] {
            std::vector<double> values(m);
            for (std::size_t a = 0; a < m; ++a) values[a] = sum[a * m + k];
            return values;
        }();
        const std::vector<double> line(sum.begin() + static_cast<std::ptrdiff_t>(k * m), sum.begin() + static_cast<std::ptrdiff_t>((k + 1) * m));
        for (std::size_t a = 0; a < m; ++a)
            for (std::size_t b = 0; b < m; ++b) sum[a * m + b] += column[a] * star * line[b];
    }
    for (std::size_t a = 0; a < m; ++a) sum[a * m + a] += 1;
    best_closure_.insert(best_closure_.end(), best.begin(), best.end());
    best_step_.insert(best_step_.end(), step.begin(), step.end());
    sum_closure_.insert(sum_closure_.end(), sum.begin(), sum.end());
}

}  // namespace palmette

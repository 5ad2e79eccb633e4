#include "structures/chain/search.hpp"

#include <queue>

#include "structures/chain/steps.hpp"

namespace palmette {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

// The labels that lead to a state of the last position; from[i][state] is the state before.
template <class Steps>
std::vector<std::int32_t> traced(const Steps& steps, const std::vector<std::vector<std::int32_t>>& from, std::size_t state) {
    std::vector<std::int32_t> y(steps.n());
    for (std::size_t i = y.size(); i-- > 0;) {
        y[i] = static_cast<std::int32_t>(steps.label(state));
        state = static_cast<std::size_t>(from[i][state]);
    }
    return y;
}

struct Entry {
    double estimate, cost;
    std::int64_t position;
    std::int32_t state;
    bool operator<(const Entry& other) const {  // comes out of the queue later
        if (estimate != other.estimate) return estimate > other.estimate;
        return position != other.position ? position < other.position : state > other.state;
    }
};

// h(i), the estimated cost of the steps after position i; empty if no step leads to some position.
std::vector<double> estimates(const std::vector<double>& best, double K, const Heuristic& heuristic) {
    std::vector<double> ahead(best.size(), 0);
    for (std::size_t i = best.size(); i-- > 0;) {
        if (best[i] == minus_infinity<double>) return {};
        if (i) ahead[i - 1] = ahead[i] + (heuristic.constant ? heuristic.factor : heuristic.factor * (K - best[i]));
    }
    return ahead;
}

template <class Steps, class Scores>
ChainSearch best_first(const Steps& steps, const Scores& s, const Heuristic& heuristic) {
    ChainSearch result;
    result.exact = heuristic.factor == 0 || (!heuristic.constant && heuristic.factor <= 1);
    const std::size_t n = s.n;
    if (n == 0) {
        result.found = chain_score(s, nullptr) == 0;
        return result;
    }
    const auto best = steps.best_steps();
    const double K = std::max(0.0, *std::max_element(best.begin(), best.end()));
    const auto ahead = estimates(best, K, heuristic);
    if (ahead.empty()) return result;
    std::vector<std::vector<double>> cost(n);
    std::vector<std::vector<std::int32_t>> from(n);
    std::vector<std::vector<char>> done(n);
    std::priority_queue<Entry> queue;
    const auto offer = [&](std::size_t i, std::size_t state, double c, std::size_t before) {
        if (done[i][state] || !(c < cost[i][state])) return;
        cost[i][state] = c;
        from[i][state] = static_cast<std::int32_t>(before);
        queue.push({c + ahead[i], c, static_cast<std::int64_t>(i), static_cast<std::int32_t>(state)});
    };
    const auto open = [&](std::size_t i) {
        if (!cost[i].empty()) return;
        cost[i].assign(steps.states(i), kNever);
        from[i].assign(steps.states(i), 0);
        done[i].assign(steps.states(i), 0);
    };
    open(0);
    steps.each_first([&](std::size_t state, double score) { offer(0, state, K - score, 0); });
    while (!queue.empty()) {
        const Entry at = queue.top();
        queue.pop();
        const std::size_t i = static_cast<std::size_t>(at.position), state = static_cast<std::size_t>(at.state);
        if (done[i][state]) continue;
        done[i][state] = 1;
        ++result.touched;
        if (i + 1 == n) {
            result.found = true;
            result.labels = traced(steps, from, state);
            result.score = chain_score(s, result.labels.data());
            return result;
        }
        open(i + 1);
        steps.each_after(i + 1, state, [&](std::size_t next, double score) { offer(i + 1, next, at.cost + (K - score), state); });
    }
    return result;
}

template <class Steps, class Scores>
ChainSearch multi_stack(const Steps& steps, const Scores& s, std::size_t top, double width) {
    ChainSearch result;
    const std::size_t n = s.n;
    if (n == 0) {
        result.found = chain_score(s, nullptr) == 0;
        return result;
    }
    std::vector<std::vector<std::int32_t>> from(n);
    std::vector<double> stack(steps.states(0), minus_infinity<double>), next;
    steps.each_first([&](std::size_t state, double score) { stack[state] = score; });
    from[0].assign(stack.size(), 0);
    std::vector<std::size_t> kept;
    const auto better = [&](std::size_t a, std::size_t b) { return stack[a] != stack[b] ? stack[a] > stack[b] : a < b; };
    for (std::size_t i = 0; i < n; ++i) {
        kept.clear();
        for (std::size_t state = 0; state < stack.size(); ++state)
            if (stack[state] > minus_infinity<double>) kept.push_back(state);
        if (kept.empty()) return result;
        if (i + 1 == n) {
            const std::size_t last = *std::min_element(kept.begin(), kept.end(), better);
            ++result.touched;
            result.found = true;
            result.labels = traced(steps, from, last);
            result.score = chain_score(s, result.labels.data());
            return result;
        }
        const std::size_t all = kept.size();
        const std::size_t most = std::min(top, all);
        std::partial_sort(kept.begin(), kept.begin() + static_cast<std::ptrdiff_t>(most), kept.end(), better);
        kept.resize(most);
        const double least = stack[kept[0]] - width;
        while (stack[kept.back()] < least) kept.pop_back();
        result.exact = result.exact && kept.size() == all;
        result.touched += static_cast<std::int64_t>(kept.size());
        next.assign(steps.states(i + 1), minus_infinity<double>);
        from[i + 1].assign(next.size(), 0);
        for (const std::size_t state : kept)
            steps.each_after(i + 1, state, [&](std::size_t to, double step) {
                const double score = stack[state] + step;
                if (score > next[to]) {
                    next[to] = score;
                    from[i + 1][to] = static_cast<std::int32_t>(state);
                }
            });
        std::swap(stack, next);
    }
    return result;
}

}  // namespace

ChainSearch best_first_search(const ChainScores<double>& s, const Heuristic& h) { return best_first(ContextSteps<double>(s), s, h); }
ChainSearch best_first_search(const StateScores& s, const Heuristic& h) { return best_first(StateSteps(s), s, h); }
ChainSearch multi_stack_search(const ChainScores<double>& s, std::size_t top, double width) {
    return multi_stack(ContextSteps<double>(s), s, top, width);
}
ChainSearch multi_stack_search(const StateScores& s, std::size_t top, double width) { return multi_stack(StateSteps(s), s, top, width); }

}  // namespace palmette

#include "structures/chain/search.hpp"

#include <queue>

namespace palmette {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

// States of position i are contexts in base L of min(i + 1, order) labels.
std::size_t states_of(const ChainScores<double>& s, std::size_t i) {
    return power(s.labels, static_cast<int>(std::min<std::size_t>(i + 1, s.order)));
}

std::size_t next_state(const ChainScores<double>& s, std::size_t i, std::size_t from, std::size_t y) {
    const std::size_t kept = i < static_cast<std::size_t>(s.order) ? from : from % power(s.labels, s.order - 1);
    return kept * s.labels + y;
}

// The labels that lead to a state of the last position; from[i][state] is the state before.
std::vector<std::int32_t> traced(const ChainScores<double>& s, const std::vector<std::vector<std::int32_t>>& from,
                                 std::size_t state) {
    std::vector<std::int32_t> y(s.n);
    for (std::size_t i = s.n; i-- > 0;) {
        y[i] = static_cast<std::int32_t>(state % s.labels);
        state = static_cast<std::size_t>(from[i][state]);
    }
    return y;
}

// The highest score of a step to every position.
std::vector<double> best_steps(const ChainScores<double>& s) {
    std::vector<double> best(s.n, minus_infinity<double>), column(s.labels);
    const double* known = nullptr;  // the table whose columns' maxima are at hand
    for (std::size_t i = 0; i < s.n; ++i) {
        const double* t = i ? s.transitions(i) : nullptr;
        if (!t) {
            column.assign(s.labels, 0);
        } else if (t != known) {
            column.assign(s.labels, minus_infinity<double>);
            for (std::size_t c = 0; c < s.contexts(i); ++c)
                for (std::size_t y = 0; y < s.labels; ++y) column[y] = std::max(column[y], t[c * s.stride + y]);
        }
        known = t;
        for (std::size_t y = 0; y < s.labels; ++y) best[i] = std::max(best[i], column[y] + s.unary[i * s.stride + y]);
    }
    return best;
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

}  // namespace

ChainSearch best_first_search(const ChainScores<double>& s, double weight) {
    ChainSearch result;
    result.exact = weight <= 1;
    if (s.n == 0) {
        result.found = true;
        return result;
    }
    const auto best = best_steps(s);
    const double K = std::max(0.0, *std::max_element(best.begin(), best.end()));
    std::vector<double> ahead(s.n, 0);  // h(i)
    for (std::size_t i = s.n; i-- > 0;) {
        if (best[i] == minus_infinity<double>) return result;
        if (i) ahead[i - 1] = ahead[i] + (K - best[i]);
    }
    std::vector<std::vector<double>> cost(s.n);
    std::vector<std::vector<std::int32_t>> from(s.n);
    std::vector<std::vector<char>> done(s.n);
    std::priority_queue<Entry> queue;
    const auto offer = [&](std::size_t i, std::size_t state, double c, std::size_t before) {
        if (!(c < cost[i][state])) return;
        cost[i][state] = c;
        from[i][state] = static_cast<std::int32_t>(before);
        queue.push({c + weight * ahead[i], c, static_cast<std::int64_t>(i), static_cast<std::int32_t>(state)});
    };
    const auto open = [&](std::size_t i) {
        if (!cost[i].empty()) return;
        cost[i].assign(states_of(s, i), kNever);
        from[i].assign(states_of(s, i), 0);
        done[i].assign(states_of(s, i), 0);
    };
    open(0);
    for (std::size_t y = 0; y < s.labels; ++y) offer(0, y, K - s.unary[y], 0);
    while (!queue.empty()) {
        const Entry at = queue.top();
        queue.pop();
        const std::size_t i = static_cast<std::size_t>(at.position), state = static_cast<std::size_t>(at.state);
        if (done[i][state]) continue;
        done[i][state] = 1;
        ++result.touched;
        if (i + 1 == s.n) {
            result.found = true;
            result.labels = traced(s, from, state);
            result.score = chain_score(s, result.labels.data());
            return result;
        }
        open(i + 1);
        const double* t = s.transitions(i + 1) + state * s.stride;
        const double* u = s.unary + (i + 1) * s.stride;
        for (std::size_t y = 0; y < s.labels; ++y) {
            const std::size_t next = next_state(s, i + 1, state, y);
            if (!done[i + 1][next]) offer(i + 1, next, at.cost + (K - (t[y] + u[y])), state);
        }
    }
    return result;
}

ChainSearch multi_stack_search(const ChainScores<double>& s, std::size_t top, double width) {
    ChainSearch result;
    if (s.n == 0) {
        result.found = true;
        return result;
    }
    std::vector<std::vector<std::int32_t>> from(s.n);
    std::vector<double> stack(s.unary, s.unary + s.labels), next;
    from[0].assign(s.labels, 0);
    std::vector<std::size_t> kept;
    const auto better = [&](std::size_t a, std::size_t b) { return stack[a] != stack[b] ? stack[a] > stack[b] : a < b; };
    for (std::size_t i = 0; i < s.n; ++i) {
        kept.clear();
        for (std::size_t state = 0; state < stack.size(); ++state)
            if (stack[state] > minus_infinity<double>) kept.push_back(state);
        if (kept.empty()) return result;
        if (i + 1 == s.n) {
            const std::size_t last = *std::min_element(kept.begin(), kept.end(), better);
            ++result.touched;
            result.found = true;
            result.labels = traced(s, from, last);
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
        next.assign(states_of(s, i + 1), minus_infinity<double>);
        from[i + 1].assign(next.size(), 0);
        const double* u = s.unary + (i + 1) * s.stride;
        for (const std::size_t state : kept) {
            const double* t = s.transitions(i + 1) + state * s.stride;
            for (std::size_t y = 0; y < s.labels; ++y) {
                const double score = stack[state] + t[y] + u[y];
                const std::size_t to = next_state(s, i + 1, state, y);
                if (score > next[to]) {
                    next[to] = score;
                    from[i + 1][to] = static_cast<std::int32_t>(state);
                }
            }
        }
        std::swap(stack, next);
    }
    return result;
}

}  // namespace palmette

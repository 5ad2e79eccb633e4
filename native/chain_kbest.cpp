// The k best label sequences: Viterbi with a list of k in every state (algorithm 1 of Huang and Chiang 2005).
// Cost O(n · L^(order+1) · k log k).
#include <algorithm>

#include "chain_problem.hpp"

namespace palmette {

void chain_kbest(const ChainScores<float>& s, std::size_t k, std::vector<std::vector<std::int32_t>>& ys, std::vector<double>& totals) {
    struct Item {
        double score;
        std::uint32_t state, rank;  // of the predecessor
    };
    ys.clear();
    totals.clear();
    if (s.n == 0) {
        ys.emplace_back();
        totals.push_back(0);
        return;
    }
    const std::size_t L = s.labels, S = s.stride;
    const auto better = [](const Item& a, const Item& b) { return a.score > b.score; };
    const auto keep = [&](std::vector<Item>& items) {
        std::stable_sort(items.begin(), items.end(), better);
        if (items.size() > k) items.resize(k);
    };
    // lists[i][context] for contexts of the last min(i + 1, max(order, 1)) labels
    const std::size_t held = std::max(s.order, 1);
    std::vector<std::vector<std::vector<Item>>> lists(s.n);
    for (std::size_t i = 0; i < s.n; ++i) {
        const std::size_t states = power(L, static_cast<int>(std::min<std::size_t>(i + 1, held)));
        lists[i].resize(states);
        const float* u = s.unary + i * S;
        if (i == 0) {
            for (std::size_t y = 0; y < L; ++y)
                if (u[y] != minus_infinity<float>) lists[0][y].push_back({u[y], 0, 0});
            continue;
        }
        const std::size_t contexts = lists[i - 1].size();
        const bool grows = i < held;
        for (std::size_t c = 0; c < contexts; ++c)
            for (std::size_t y = 0; y < L; ++y) {
                const double step = u[y] + (s.order ? static_cast<double>(s.transitions(i)[c * S + y]) : 0.0);
                if (step == minus_infinity<double>) continue;
                std::vector<Item>& to = lists[i][grows ? c * L + y : (c * L + y) % states];
                const std::vector<Item>& from = lists[i - 1][c];
                for (std::size_t r = 0; r < from.size(); ++r)
                    to.push_back({from[r].score + step, static_cast<std::uint32_t>(c), static_cast<std::uint32_t>(r)});
            }
        for (auto& items : lists[i]) keep(items);
    }
    std::vector<Item> last;
    for (std::size_t state = 0; state < lists[s.n - 1].size(); ++state)
        for (std::size_t r = 0; r < lists[s.n - 1][state].size(); ++r)
            last.push_back({lists[s.n - 1][state][r].score, static_cast<std::uint32_t>(state), static_cast<std::uint32_t>(r)});
    keep(last);
    for (const Item& end : last) {
        std::vector<std::int32_t> y(s.n);
        std::uint32_t state = end.state, rank = end.rank;
        for (std::size_t i = s.n; i-- > 0;) {
            y[i] = static_cast<std::int32_t>(state % L);
            const Item item = lists[i][state][rank];
            state = item.state;
            rank = item.rank;
        }
        ys.push_back(std::move(y));
        totals.push_back(end.score);
    }
}

}  // namespace palmette

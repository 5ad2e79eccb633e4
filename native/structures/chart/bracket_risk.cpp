#include "structures/chart/bracket_risk.hpp"

#include <algorithm>
#include <utility>

namespace palmette {

std::vector<std::int32_t> best_bracketing(std::size_t n, std::span<const std::int32_t> starts, std::span<const std::int32_t> ends,
                                          std::span<const double> values) {
    const std::size_t width = n + 1;
    // from_left[i][j] and from_right[j][i] hold the same, so that both halves of a split are read along a row.
    std::vector<double> gain(width * width, 0.0), from_left(width * width, 0.0), from_right(width * width, 0.0);
    for (std::size_t b = 0; b < values.size(); ++b)
        if (values[b] > 0) gain[static_cast<std::size_t>(starts[b]) * width + static_cast<std::size_t>(ends[b])] += values[b];
    std::vector<std::int32_t> split(width * width, -1);
    for (std::size_t j = 1; j <= n; ++j)
        for (std::size_t i = j; i-- > 0;) {
            double best = 0;
            std::int32_t where = -1;
            for (std::size_t k = i + 1; k < j; ++k) {
                const double value = from_left[i * width + k] + from_right[j * width + k];
                if (value > best || where < 0) {
                    best = value;
                    where = static_cast<std::int32_t>(k);
                }
            }
            split[i * width + j] = where;
            from_left[i * width + j] = from_right[j * width + i] = best + gain[i * width + j];
        }
    std::vector<bool> in_tree(width * width);
    std::vector<std::pair<std::size_t, std::size_t>> todo;
    if (n > 0) todo.emplace_back(0, n);
    while (!todo.empty()) {
        const auto [i, j] = todo.back();
        todo.pop_back();
        in_tree[i * width + j] = true;
        if (split[i * width + j] < 0) continue;
        const auto k = static_cast<std::size_t>(split[i * width + j]);
        todo.emplace_back(i, k);
        todo.emplace_back(k, j);
    }
    std::vector<std::int32_t> chosen;
    for (std::size_t b = 0; b < values.size(); ++b)
        if (values[b] > 0 && in_tree[static_cast<std::size_t>(starts[b]) * width + static_cast<std::size_t>(ends[b])]) chosen.push_back(static_cast<std::int32_t>(b));
    std::stable_sort(chosen.begin(), chosen.end(), [&](std::int32_t a, std::int32_t b) {
        return std::pair(starts[a], -ends[a]) < std::pair(starts[b], -ends[b]);
    });
    return chosen;
}

}  // namespace palmette

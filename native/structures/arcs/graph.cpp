#include "structures/arcs/graph.hpp"

namespace palmette {

void ArcGraph::index() {
    const std::size_t A = arcs();
    for (std::size_t h = 0; h <= n; ++h) out_at[h + 1] += out_at[h];
    out.resize(A);
    place.resize(A);
    inner.resize(A);
    std::vector<std::int32_t> next(out_at.begin(), out_at.end() - 1), left(n + 1, 0);
    for (std::size_t a = 0; a < A; ++a) {  // by modifier, so every list is sorted
        place[a] = next[head[a]]++;
        out[place[a]] = static_cast<std::int32_t>(a);
        left[head[a]] += mod[a] < head[a];
    }
    part_at.assign(1, 0);
    row_at.assign(1, 0);
    column_at.assign(1, 0);
    for (std::size_t a = 0; a < A; ++a) {
        const std::int32_t h = head[a], first_right = out_at[h] + left[h];
        inner[a] = mod[a] > h ? place[a] - first_right : first_right - 1 - place[a];
        if (h == 0 && single_root) inner[a] = 0;
        part_at.push_back(part_at.back() + slots(a) * columns(a));
        row_at.push_back(row_at.back() + slots(a));
        column_at.push_back(column_at.back() + columns(a));
    }
}

}  // namespace palmette

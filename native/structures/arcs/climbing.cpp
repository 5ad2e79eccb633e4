// Trees whose arcs cross, with parts that are larger than arcs: a search from the best projective tree.
#include <limits>

#include "structures/arcs/problem.hpp"

namespace palmette {
// McDonald and Pereira (2006): while some word has a better head, give it to the word that gains most.
void ArcProblem::climb(State& s, const Prepared& p, std::vector<std::int32_t>& heads, double& score) const {
    const ArcGraph& g = p.graph;
    const std::size_t n = g.n;
    std::vector<std::size_t> entering(n + 1, 0);  // the arc that enters a word
    for (std::size_t m = 1; m <= n; ++m) entering[m] = static_cast<std::size_t>(g.find(heads[m - 1], static_cast<std::int32_t>(m)));
    // The parts of the modifiers of h on one side, and their end.
    const auto chain = [&](std::size_t h, bool right) {
        const std::size_t slot = h && d_.grandparents ? g.slot(entering[h]) : 0;
        double total = 0;
        std::size_t column = 0, last = g.arcs();
        const std::int32_t begin = g.out_at[h], end = g.out_at[h + 1];
        const auto take = [&](std::int32_t at) {
            const std::size_t a = static_cast<std::size_t>(g.out[at]);
            ++column;  // how far the last one taken lies inwards
            if (heads[g.mod[a] - 1] != static_cast<std::int32_t>(h)) return;
            const std::size_t j = last == g.arcs() || g.inner[a] == 0 ? 0 : column;
            total += s.parts[g.part_at[a] + slot * g.columns(a) + j];
            last = a;
            column = 0;
        };
        if (right) {
            for (std::int32_t k = begin; k < end; ++k)
                if (g.mod[g.out[k]] > static_cast<std::int32_t>(h)) take(k);
        } else {
            for (std::int32_t k = end; k-- > begin;)
                if (g.mod[g.out[k]] < static_cast<std::int32_t>(h)) take(k);
        }
        return total + (last == g.arcs() ? s.none[2 * h + right] : s.last[last]);
    };
    const auto around = [&](std::size_t m, std::size_t h1, std::size_t h2) {
        double total = chain(h1, m > h1);
        if (h1 != h2 || (m > h1) != (m > h2)) total += chain(h2, m > h2);
        if (d_.grandparents) {
            if (!(m == h1) && !(m == h2)) total += chain(m, false) + chain(m, true);
        }
        return total;
    };
    const auto below = [&](std::size_t m, std::size_t h) {  // is h in the subtree of m?
        for (std::size_t t = h; t; t = static_cast<std::size_t>(heads[t - 1]))
            if (t == m) return true;
        return false;
    };
    for (std::size_t round = 0; round < 2 * n + 10; ++round) {
        double gain = 1e-4;
        std::size_t best_word = 0, best_arc = 0;
        for (std::size_t m = 1; m <= n; ++m) {
            if (d_.single_root && heads[m - 1] == 0) continue;  // another word would have to take its place
            const std::size_t old = entering[m];
            for (std::int32_t b = g.in[m]; b < g.in[m + 1]; ++b) {
                const std::size_t a = static_cast<std::size_t>(b);
                if (a == old || s.choice[a] == kNoArc) continue;
                const std::size_t h1 = static_cast<std::size_t>(g.head[old]), h2 = static_cast<std::size_t>(g.head[a]);
                if ((h2 == 0 && d_.single_root) || below(m, h2)) continue;
                const double before = around(m, h1, h2);
                heads[m - 1] = static_cast<std::int32_t>(h2);
                entering[m] = a;
                const double change = around(m, h1, h2) - before;
                heads[m - 1] = static_cast<std::int32_t>(h1);
                entering[m] = old;
                if (change > gain) gain = change, best_word = m, best_arc = a;
            }
        }
        if (!best_word) break;
        heads[best_word - 1] = g.head[best_arc];
        entering[best_word] = best_arc;
        score += gain;
    }
}

}  // namespace palmette

#include "structures/arborescence/spanning_tree.hpp"

#include "structures/arborescence/contraction.hpp"

namespace palmette {

template <class Real>
double best_spanning(const Real* scores, std::size_t n, bool single_root, std::int32_t* heads) {
    if (n == 0) return 0.0;
    constexpr std::size_t kKeptBytes = std::size_t{4} << 20;
    thread_local Contraction contraction;  // kept for the next sentence if of a usual size
    contraction.load(scores, n);
    const bool found = contraction.run(
        single_root, [](std::int32_t, std::size_t source, double) { return source; },
        [](std::int32_t, std::size_t, double) {});
    double total = Contraction::kNone;
    if (found) {
        contraction.expand(heads);
        total = 0.0;
        for (std::size_t m = 1; m <= n; ++m) total += scores[static_cast<std::size_t>(heads[m - 1]) * (n + 1) + m];
    }
    if (contraction.bytes() > kKeptBytes) contraction = {};
    return total;
}

PALMETTE_SPANNING_TREE(, float)
PALMETTE_SPANNING_TREE(, double)

}  // namespace palmette

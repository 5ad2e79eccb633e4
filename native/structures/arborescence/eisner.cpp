#include "structures/arborescence/eisner.hpp"

#include "structures/arborescence/eisner_chart.hpp"

namespace palmette {
namespace {

constexpr std::size_t kKeptBytes = std::size_t{4} << 20;

// The highest term, the first among equals.
struct Highest {
    template <class Term>
    std::size_t operator()(std::size_t first, std::size_t last, const Term& term) const {
        std::size_t best = first;
        auto highest = term(first);
        for (std::size_t j = first + 1; j < last; ++j)
            if (const auto value = term(j); value > highest) {
                highest = value;
                best = j;
            }
        return best;
    }
};

}  // namespace

template <class Real>
double best_projective(const Real* scores, std::size_t n, bool single_root, std::int32_t* heads) {
    if (n == 0) return 0.0;
    using W = MaxPlus<Real>;
    // A chart of a usual sentence is kept for the next one: fresh memory would cost as much as filling it.
    thread_local EisnerChart<W> chart;
    thread_local RootChart<W> root;
    const std::size_t width = n + 1;
    const auto arc = [&](std::size_t h, std::size_t m) { return scores[(h + 1) * width + m + 1]; };
    chart.fill(n, arc);
    root.fill(chart, single_root, [&](std::size_t m) { return scores[m + 1]; });
    double total = -std::numeric_limits<double>::infinity();
    if (root.total > W::kZero) {
        read_projective(chart, root, single_root, arc, Highest{}, heads);
        total = 0.0;
        for (std::size_t m = 0; m < n; ++m) total += scores[static_cast<std::size_t>(heads[m]) * width + m + 1];
    }
    if (chart.bytes() > kKeptBytes) chart = {};
    return total;
}

template double best_projective<float>(const float*, std::size_t, bool, std::int32_t*);
template double best_projective<double>(const double*, std::size_t, bool, std::int32_t*);

}  // namespace palmette

#include "structures/anchored/pruning.hpp"

#include <cmath>

#include "base/interrupt.hpp"
#include "base/parallel.hpp"
#include "structures/chart/items.hpp"
#include "structures/chart/sums.hpp"

namespace palmette {
namespace {

// Without spans that cross a required bracket, and at constrained spans without symbols that could not be there.
ChartItems allowed_items(const AnchoredGrammar& grammar, std::size_t n, std::span<const AnchoredConstraint> constraints) {
    const std::size_t S = grammar.n_symbols();
    ChartItems allowed(n, S, true);
    for (const AnchoredConstraint& c : constraints) {
        const auto start = static_cast<std::size_t>(c.start), end = static_cast<std::size_t>(c.end);
        std::vector<std::uint8_t> good(S, 0);
        for (std::size_t s = 0; s < S; ++s) {
            const std::int32_t symbol = static_cast<std::int32_t>(s);
            good[s] = c.holds(grammar, {&symbol, 1});
        }
        for (std::size_t k = 0; c.required && k < grammar.n_chains(); ++k)
            if (c.holds(grammar, grammar.chain(k)))
                for (const std::int32_t symbol : grammar.chain(k)) good[static_cast<std::size_t>(symbol)] = 1;
        good[static_cast<std::size_t>(grammar.root)] = 1;
        for (std::size_t s = 0; s < S; ++s)
            if (!good[s]) allowed.remove(start, end, s);
        if (!c.required) continue;
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = i + 1; j <= n; ++j)
                if ((i < start && j > start && j < end) || (i > start && i < end && j > end)) allowed.close(i, j);
    }
    return allowed;
}

}  // namespace

AnchoredItems prune_sentences(const ChartGrammar& chart, const AnchoredGrammar& grammar, const EmissionTable& t, double threshold, int n_jobs) {
    constexpr std::size_t kPieces = 64;
    const std::size_t count = t.n_sentences, pieces = std::min(kPieces, count);
    std::vector<std::vector<AnchoredItem>> lists(count);
    AnchoredItems found;
    found.log_z.assign(count, 0.0);
    std::vector<SentenceSums> sums(static_cast<std::size_t>(std::max(1, n_jobs)));
    parallel(pieces, n_jobs, [&](std::size_t piece, std::size_t thread) {
        ChartItems kept;
        for (std::size_t i = count * piece / pieces; i < count * (piece + 1) / pieces; ++i) {
            const auto n = static_cast<std::size_t>(t.offsets[i + 1] - t.offsets[i]), size = static_cast<std::size_t>(t.rows[i + 1] - t.rows[i]);
            if (!n) continue;
            check_interrupt();
            const Emissions emissions{{t.positions + t.rows[i], size}, {t.symbols + t.rows[i], size}, {t.log_weights + t.rows[i], size}};
            std::span<const AnchoredConstraint> constraints;
            if (t.constraint_rows) constraints = {t.constraints + t.constraint_rows[i], static_cast<std::size_t>(t.constraint_rows[i + 1] - t.constraint_rows[i])};
            if (constraints.empty()) {
                found.log_z[i] = prune(chart, emissions, n, threshold, kept, sums[thread]);
            } else {
                const ChartItems allowed = allowed_items(grammar, n, constraints);
                found.log_z[i] = prune(chart, emissions, n, threshold, kept, sums[thread], &allowed);
            }
            if (!std::isfinite(found.log_z[i])) continue;
            for (std::size_t start = 0; start < n; ++start)
                for (std::size_t end = start + 1; end <= n; ++end)
                    kept.each(start, end, [&](std::size_t symbol) {
                        lists[i].push_back({static_cast<std::int32_t>(start), static_cast<std::int32_t>(end), static_cast<std::int32_t>(symbol)});
                    });
        }
    });
    found.rows.assign(1, 0);
    for (const auto& list : lists) {
        found.items.insert(found.items.end(), list.begin(), list.end());
        found.rows.push_back(static_cast<std::int64_t>(found.items.size()));
    }
    return found;
}

}  // namespace palmette

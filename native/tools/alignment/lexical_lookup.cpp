#include "tools/alignment/lexical_lookup.hpp"

#include <algorithm>
#include <vector>

#include "base/parallel.hpp"

namespace palmette {

void look_up(const Bitext& b, std::span<const std::int64_t> first_of, std::span<const std::int32_t> target_of,
             std::span<const float> weights, std::span<const float> unseen, int n_jobs, float* out) {
    constexpr std::size_t kRows = 2048;
    const std::vector<std::int64_t>& first = b.first_of();
    const std::vector<std::int32_t>& targets = b.target_of();
    const std::size_t rows = first.size() - 1, known = first_of.size() - 1;
    parallel((rows + kRows - 1) / kRows, n_jobs, [&](std::size_t piece, std::size_t) {
        // A target word's weight in the row at hand; −1, which is not a weight, if it is not there.
        std::vector<float> weight_of(b.n_target(), -1.0f);
        for (std::size_t e = piece * kRows; e < std::min(rows, (piece + 1) * kRows); ++e) {
            if (first[e] == first[e + 1]) continue;
            const std::int64_t begin = e < known ? first_of[e] : 0, end = e < known ? first_of[e + 1] : 0;
            const float otherwise = unseen[std::min(e, known)];
            const auto put = [&](auto&& value) {
                for (std::int64_t k = begin; k < end; ++k) {
                    const auto f = static_cast<std::size_t>(target_of[static_cast<std::size_t>(k)]);
                    if (f < weight_of.size()) weight_of[f] = value(static_cast<std::size_t>(k));
                }
            };
            put([&](std::size_t k) { return weights[k]; });
            for (std::int64_t k = first[e]; k < first[e + 1]; ++k) {
                const float weight = weight_of[static_cast<std::size_t>(targets[static_cast<std::size_t>(k)])];
                out[k] = weight < 0 ? otherwise : weight;
            }
            put([](std::size_t) { return -1.0f; });
        }
    });
}

}  // namespace palmette

#include "bitext.hpp"

#include <limits>
#include <map>
#include <stdexcept>
#include <utility>

namespace palmette {

Bitext::Bitext(Side source, Side target, std::size_t n_source, std::size_t n_target) {
    const std::size_t n = source.offsets.size() - 1;
    links_at_.assign(n + 1, 0);
    shape_of_.resize(n);
    std::map<std::pair<std::size_t, std::size_t>, std::int32_t> shapes;
    shape_at_.push_back(0);
    for (std::size_t s = 0; s < n; ++s) {
        const std::size_t l = source.length(s), m = target.length(s), size = (l + 1) * m;
        l_.push_back(static_cast<std::int32_t>(l));
        m_.push_back(static_cast<std::int32_t>(m));
        links_at_[s + 1] = links_at_[s] + static_cast<std::int64_t>(size);
        const auto [found, fresh] = shapes.try_emplace({l, m}, static_cast<std::int32_t>(shapes.size()));
        shape_of_[s] = found->second;
        if (fresh) {
            shape_lengths_.push_back(static_cast<std::int32_t>(l));
            shape_lengths_.push_back(static_cast<std::int32_t>(m));
            shape_at_.push_back(shape_at_.back() + static_cast<std::int64_t>(size));
        }
    }
    links_.resize(static_cast<std::size_t>(links_at_.back()));

    // Where each source word stands, NULL first: sentence and place.
    std::vector<std::int64_t> begin(n_source + 2, 0);
    begin[1] = static_cast<std::int64_t>(n);
    for (const std::int32_t e : source.words) ++begin[static_cast<std::size_t>(e) + 2];
    for (std::size_t e = 1; e < begin.size(); ++e) begin[e] += begin[e - 1];
    std::vector<std::pair<std::int32_t, std::int32_t>> stands(static_cast<std::size_t>(begin.back()));
    std::vector<std::int64_t> next(begin.begin(), begin.end() - 1);
    for (std::size_t s = 0; s < n; ++s) {
        stands[static_cast<std::size_t>(next[0]++)] = {static_cast<std::int32_t>(s), 0};
        for (std::size_t i = 0; i < source.length(s); ++i) {
            const std::size_t e = static_cast<std::size_t>(source.sentence(s)[i]) + 1;
            stands[static_cast<std::size_t>(next[e]++)] = {static_cast<std::int32_t>(s), static_cast<std::int32_t>(i + 1)};
        }
    }

    // A target word's mark is the number of its pair with the source word at hand, or one from before it.
    std::vector<std::int64_t> mark(n_target, -1);
    first_of_.assign(1, 0);
    for (std::size_t e = 0; e <= n_source; ++e) {
        const auto first = static_cast<std::int64_t>(target_of_.size());
        for (std::int64_t k = begin[e]; k < begin[e + 1]; ++k) {
            const auto [s, i] = stands[static_cast<std::size_t>(k)];
            const std::size_t at = static_cast<std::size_t>(s), m = target.length(at);
            std::uint32_t* row = links_.data() + links_at_[at] + static_cast<std::size_t>(i) * m;
            for (std::size_t j = 0; j < m; ++j) {
                const std::int32_t f = target.sentence(at)[j];
                std::int64_t& number = mark[static_cast<std::size_t>(f)];
                if (number < first) {
                    number = static_cast<std::int64_t>(target_of_.size());
                    target_of_.push_back(f);
                }
                row[j] = static_cast<std::uint32_t>(number);
            }
        }
        if (target_of_.size() >= std::numeric_limits<std::uint32_t>::max()) throw std::length_error("there are more pairs of words than can be counted");
        first_of_.push_back(static_cast<std::int64_t>(target_of_.size()));
    }
}

}  // namespace palmette

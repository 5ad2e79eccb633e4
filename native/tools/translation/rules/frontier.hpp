// The frontier nodes of one tree over an aligned sentence pair; see ghkm.hpp.
#pragma once
#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "tools/translation/rules/ghkm.hpp"

namespace palmette {

struct Extent {
    std::int32_t low = std::numeric_limits<std::int32_t>::max(), high = -1;  // first and last word; none: high < low
    bool empty() const { return high < low; }
    void add(std::int32_t k) { low = std::min(low, k), high = std::max(high, k); }
    void add(const Extent& other) { low = std::min(low, other.low), high = std::max(high, other.high); }
};

class Frontier {
public:
    // words: of the tree's sentence; string_words: of the other. links: of the pair, tree word first.
    void reset(const TreeNodes& trees, std::size_t s, std::int32_t words, std::int32_t string_words, const std::vector<std::pair<std::int32_t, std::int32_t>>& links) {
        const auto n = static_cast<std::size_t>(trees.at[s + 1] - trees.at[s]);
        first_ = static_cast<std::size_t>(trees.at[s]);
        of_word_.assign(static_cast<std::size_t>(words), {});
        of_string_.assign(static_cast<std::size_t>(string_words), {});
        for (const auto& [j, i] : links) {
            of_word_[static_cast<std::size_t>(j)].add(i);
            of_string_[static_cast<std::size_t>(i)].add(j);
        }
        extent_.assign(n, {});
        inside_.assign(n, false);
        for (std::size_t v = 0; v < n; ++v) {
            const std::int32_t begin = trees.begin[first_ + v], end = trees.end[first_ + v];
            Extent& own = extent_[v];
            for (std::int32_t j = begin; j < end; ++j) own.add(of_word_[static_cast<std::size_t>(j)]);
            Extent back;
            for (std::int32_t i = own.low; i <= own.high; ++i) back.add(of_string_[static_cast<std::size_t>(i)]);
            inside_[v] = !own.empty() && back.low >= begin && back.high < end;
        }
        if (n && inside_[0]) extent_[0] = {0, string_words - 1};
    }

    bool has(std::size_t v) const { return inside_[v]; }
    const Extent& extent(std::size_t v) const { return extent_[v]; }

private:
    std::size_t first_ = 0;
    std::vector<Extent> of_word_, of_string_, extent_;
    std::vector<bool> inside_;
};

}  // namespace palmette

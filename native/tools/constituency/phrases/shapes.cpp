#include "tools/constituency/phrases/shapes.hpp"

#include <algorithm>
#include <unordered_map>

namespace palmette {

PhraseShapes shapes_of(std::span<const PhraseForest> forests) {
    PhraseShapes shapes;
    std::unordered_multimap<std::uint64_t, std::int32_t> known;
    std::vector<std::int32_t> own;
    for (const PhraseForest& forest : forests)
        for (std::size_t v = 0; v < forest.size(); ++v) {
            const auto below = forest.children(v);
            if (below.empty()) {
                shapes.of_node.push_back(-1);
                continue;
            }
            own.assign(1, forest.label(v));
            for (const std::int32_t child : below) own.push_back(forest.label(static_cast<std::size_t>(child)));
            std::uint64_t hash = own.size();
            for (const std::int32_t label : own) hash = combine(hash, static_cast<std::uint64_t>(static_cast<std::uint32_t>(label)));
            std::int32_t found = -1;
            for (auto [at, end] = known.equal_range(hash); at != end && found < 0; ++at) {
                const auto s = static_cast<std::size_t>(at->second);
                if (std::equal(own.begin(), own.end(), shapes.labels.begin() + shapes.rows[s], shapes.labels.begin() + shapes.rows[s + 1])) found = at->second;
            }
            if (found < 0) {
                found = static_cast<std::int32_t>(shapes.rows.size()) - 1;
                known.emplace(hash, found);
                shapes.labels.insert(shapes.labels.end(), own.begin(), own.end());
                shapes.rows.push_back(static_cast<std::int64_t>(shapes.labels.size()));
            }
            shapes.of_node.push_back(found);
        }
    return shapes;
}

}  // namespace palmette

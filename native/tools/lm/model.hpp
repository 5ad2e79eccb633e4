// A backoff model as plain arrays: what estimation makes, and what is pruned, mixed and written.
//
//     p(w | h) = probs[h w]                     if the n-gram h w is in the model
//              = backoffs[h] · p(w | h')        otherwise; h' is h without its first word, and a history that is
//                                               not in the model has backoff 1
//
// The levels are those of CountTrie. Values are base-10 logarithms.
#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

#include "tools/lm/counts.hpp"

namespace palmette {

struct NgramLevel {
    Ids words, starts, suffixes;
    RawVector<float> probs, backoffs;  // the last level has no backoffs
};

struct BackoffModel {
    std::vector<NgramLevel> levels;

    int order() const { return static_cast<int>(levels.size()); }
    std::uint32_t size(int level) const { return static_cast<std::uint32_t>(levels[level].probs.size()); }
    // The child of a node by its word, or `none`. O(log children).
    std::uint32_t child(int level, std::uint32_t node, std::uint32_t word) const;
    static constexpr std::uint32_t none = 0xFFFFFFFFu;
};

// Drops the nodes whose keep[level][node] is 0; what is kept must be closed under prefixes and suffixes.
void compact(BackoffModel& model, const std::vector<std::vector<std::uint8_t>>& keep);

// The suffixes of all nodes, by descending in step; false if one is not in the model.
bool link_suffixes(BackoffModel& model);

}  // namespace palmette

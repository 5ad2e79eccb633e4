// How much a feature says about the class (Quinlan 1986):
//
//     gain = H(class) − H(class | value)        gain ratio = gain / H(value)
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace palmette {

struct InformationGain {
    double gain = 0, split = 0;  // split: H(value)
    double ratio() const { return split > 0 ? gain / split : 0.0; }
};

// The gain for pairs (value, class), which it sorts: O(n log n), in bits.
inline InformationGain information_gain(std::vector<std::pair<std::uint32_t, std::uint32_t>>& pairs) {
    InformationGain found;
    const double n = static_cast<double>(pairs.size());
    if (pairs.empty()) return found;
    std::vector<std::size_t> counts;
    for (const auto& [value, y] : pairs) {
        if (y >= counts.size()) counts.resize(y + 1, 0);
        ++counts[y];
    }
    double all = 0, given = 0;
    for (const std::size_t c : counts)
        if (c) all -= static_cast<double>(c) / n * std::log2(static_cast<double>(c) / n);
    std::sort(pairs.begin(), pairs.end());
    for (std::size_t begin = 0, end; begin < pairs.size(); begin = end) {
        double inside = 0;
        end = begin;
        while (end < pairs.size() && pairs[end].first == pairs[begin].first) {
            const std::size_t from = end;
            while (end < pairs.size() && pairs[end] == pairs[from]) ++end;
            const double c = static_cast<double>(end - from);
            inside -= c * std::log2(c);
        }
        const double size = static_cast<double>(end - begin);
        given += (inside + size * std::log2(size)) / n;
        found.split -= size / n * std::log2(size / n);
    }
    found.gain = std::max(0.0, all - given);
    return found;
}

}  // namespace palmette

#include "tools/alignment/orientation.hpp"

#include <algorithm>

namespace palmette {

void Orientations::reset(OrientationKind kind, const SentenceBlocks& blocks, std::int32_t l, std::int32_t m, std::int32_t longest,
                         std::span<const std::int32_t> link_source, std::span<const std::int32_t> link_target) {
    const std::int64_t cells = (std::int64_t{l} + 1) * (std::int64_t{m} + 1);
    kind_ = kind != OrientationKind::none && cells > kMostCells ? OrientationKind::word : kind;
    l_ = l, m_ = m;
    link_source_ = link_source, link_target_ = link_target;
    if (kind_ != OrientationKind::phrase && kind_ != OrientationKind::hierarchical) return;
    corners_.assign(static_cast<std::size_t>(cells), 0);
    const std::int32_t limit = kind_ == OrientationKind::phrase ? longest : std::max(l, m);
    blocks.each_source_phrase(limit, [&](std::int32_t i0, std::int32_t i1, std::int32_t lowest, std::int32_t low, std::int32_t high, std::int32_t highest) {
        for (std::int32_t j0 = lowest; j0 <= low; ++j0) corners(i0, j0) |= begin_begin, corners(i1, j0) |= end_begin;
        for (std::int32_t j1 = high; j1 <= highest; ++j1) corners(i0, j1) |= begin_end, corners(i1, j1) |= end_end;
    });
}

bool Orientations::linked(std::int32_t i, std::int32_t j) const {
    const auto first = std::lower_bound(link_source_.begin(), link_source_.end(), i);
    for (auto at = first; at != link_source_.end() && *at == i; ++at)
        if (link_target_[static_cast<std::size_t>(at - link_source_.begin())] == j) return true;
    return false;
}

Orientation Orientations::before(std::int32_t i0, std::int32_t i1, std::int32_t j0) const {
    const bool first = i0 == 0 && j0 == 0;
    if (kind_ == OrientationKind::word) {
        const bool left = first || linked(i0 - 1, j0 - 1), right = linked(i1, j0 - 1);
        return chosen(left && !right, right && !left);
    }
    return chosen(first || has(i0, j0, end_end), has(i1, j0, begin_end));
}

Orientation Orientations::after(std::int32_t i0, std::int32_t i1, std::int32_t j1) const {
    const bool last = i1 == l_ && j1 == m_;
    if (kind_ == OrientationKind::word) {
        const bool right = last || linked(i1, j1), left = linked(i0 - 1, j1);
        return chosen(right && !left, left && !right);
    }
    return chosen(last || has(i1, j1, begin_begin), has(i0, j1, end_begin));
}

}  // namespace palmette

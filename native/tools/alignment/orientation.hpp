// How a block lies to its neighbours in the target sentence: behind the one before it (monotone), before it (swap), or apart
// (discontinuous); and the same for the one after it. CSC 448, §15.6; Galley and Manning 2008.
//
//   word          the neighbour is a link at the corner of the block: to the left monotone, to the right swap; both is neither
//   phrase        the neighbour is a block of at most k words a side that touches the corner
//   hierarchical  the neighbour is a block of any size that touches the corner
//
// The sentence begins and ends with a neighbour in the corner. A table of (l + 1) × (m + 1) corners has for each point the
// blocks that have a corner there.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "tools/alignment/phrase_blocks.hpp"

namespace palmette {

enum class OrientationKind : std::uint8_t { none, word, phrase, hierarchical };
enum class Orientation : std::uint8_t { monotone, swap, discontinuous };

class Orientations {
public:
    // The corners of a sentence pair. Links must be in the order of their source words.
    void reset(OrientationKind kind, const SentenceBlocks& blocks, std::int32_t l, std::int32_t m, std::int32_t longest,
               std::span<const std::int32_t> link_source, std::span<const std::int32_t> link_target);

    Orientation before(std::int32_t i0, std::int32_t i1, std::int32_t j0) const;  // the block that ends at target word j0
    Orientation after(std::int32_t i0, std::int32_t i1, std::int32_t j1) const;   // the block that begins at target word j1

private:
    // Corners of a block: its source side ends or begins there, its target side ends or begins there.
    enum Corner : std::uint8_t { end_end = 1, begin_end = 2, begin_begin = 4, end_begin = 8 };
    static constexpr std::int64_t kMostCells = std::int64_t{1} << 24;  // longer sentences: by links, in bounded memory

    std::uint8_t& corners(std::int32_t i, std::int32_t j) { return corners_[static_cast<std::size_t>(i) * static_cast<std::size_t>(m_ + 1) + static_cast<std::size_t>(j)]; }
    bool has(std::int32_t i, std::int32_t j, Corner corner) const {
        return corners_[static_cast<std::size_t>(i) * static_cast<std::size_t>(m_ + 1) + static_cast<std::size_t>(j)] & corner;
    }
    bool linked(std::int32_t i, std::int32_t j) const;
    static Orientation chosen(bool monotone, bool swap) {
        return monotone ? Orientation::monotone : swap ? Orientation::swap : Orientation::discontinuous;
    }

    OrientationKind kind_ = OrientationKind::none;
    std::int32_t l_ = 0, m_ = 0;
    std::vector<std::uint8_t> corners_;
    std::span<const std::int32_t> link_source_, link_target_;
};

}  // namespace palmette

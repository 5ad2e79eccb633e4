// How a phrase lies to the one before it, and the stacks of blocks by which hierarchical orientation is known.
//
// Galley & Manning (2008): phrases that follow each other in both languages, in either order, form a block, and blocks
// form blocks. A shift-reduce stack of source ranges holds the blocks so far; the next phrase is monotone if it begins
// where the top ends, and a swap if it ends where the top begins. Stacks are kept once each and named by a number.
#pragma once
#include <cstdint>
#include <vector>

#include "base/stamped_map.hpp"

namespace palmette {

enum Orientation : std::uint8_t { kMonotone = 0, kSwap = 1, kDiscontinuous = 2 };

inline Orientation orientation_of(std::uint32_t last_begin, std::uint32_t last_end, std::uint32_t begin, std::uint32_t end) {
    return begin == last_end ? kMonotone : end == last_begin ? kSwap : kDiscontinuous;
}

class BlockStacks {
public:
    static constexpr std::uint32_t kBottom = 0;  // an empty block before the first word

    void reset() {
        blocks_.assign(1, {0, 0, kNothing});
        slots_.clear();
    }

    Orientation orientation(std::uint32_t stack, std::uint32_t begin, std::uint32_t end) const {
        const Block& top = blocks_[stack];
        return begin == top.end ? kMonotone : end == top.begin ? kSwap : kDiscontinuous;
    }

    // The stack after a phrase was shifted and all that touches was reduced.
    std::uint32_t shift(std::uint32_t stack, std::uint32_t begin, std::uint32_t end) {
        for (;;) {
            const Block& top = blocks_[stack];
            if (top.end == begin) {
                begin = top.begin;
            } else if (top.begin == end) {
                end = top.end;
            } else {
                break;
            }
            if (top.below == kNothing) return intern(kNothing, begin, end);
            stack = top.below;
        }
        return intern(stack, begin, end);
    }

private:
    static constexpr std::uint32_t kNothing = 0xFFFFFFFFu;
    struct Block {
        std::uint32_t begin, end, below;
    };

    std::uint32_t intern(std::uint32_t below, std::uint32_t begin, std::uint32_t end) {
        return slots_.find_or_make(
            combine(combine(below, begin), end),
            [&](std::uint32_t other) {
                const Block& block = blocks_[other];
                return block.begin == begin && block.end == end && block.below == below;
            },
            [&] {
                blocks_.push_back({begin, end, below});
                return static_cast<std::uint32_t>(blocks_.size() - 1);
            });
    }

    std::vector<Block> blocks_;
    StampedMap slots_;
};

}  // namespace palmette

// From 64-bit keys to 32-bit numbers, for work that begins over and over: to clear the map costs nothing. Open
// addressing, no deletion, half of the slots stay empty.
#pragma once
#include <cstdint>
#include <vector>

#include "base/hashing.hpp"

namespace palmette {

class StampedMap {
public:
    StampedMap() : slots_(256) {}

    std::size_t size() const { return n_; }

    void clear() {
        n_ = 0;
        // A map that one large piece of work has blown up would miss the cache for all the small ones after it.
        if (slots_.size() > kMostKept) slots_ = std::vector<Slot>(256), stamp_ = 0;
        if (++stamp_ == 0) {
            for (Slot& slot : slots_) slot.stamp = 0;
            stamp_ = 1;
        }
    }

    // The value of the first entry with this key for which same(value) holds; where there is none, the result of make().
    template <class Same, class Make>
    std::uint32_t find_or_make(std::uint64_t key, Same same, Make make) {
        if (2 * (n_ + 1) > slots_.size()) grow();
        for (std::size_t at = mix_bits(key) & (slots_.size() - 1);; at = (at + 1) & (slots_.size() - 1)) {
            Slot& slot = slots_[at];
            if (slot.stamp != stamp_) {
                ++n_;
                const std::uint32_t value = make();
                slot = {key, value, stamp_};
                return value;
            }
            if (slot.key == key && same(slot.value)) return slot.value;
        }
    }

private:
    static constexpr std::size_t kMostKept = std::size_t{1} << 20;
    struct Slot {
        std::uint64_t key = 0;
        std::uint32_t value = 0, stamp = 0;
    };

    void grow() {
        std::vector<Slot> old(2 * slots_.size());
        old.swap(slots_);
        for (const Slot& slot : old) {
            if (slot.stamp != stamp_) continue;
            std::size_t at = mix_bits(slot.key) & (slots_.size() - 1);
            while (slots_[at].stamp == stamp_) at = (at + 1) & (slots_.size() - 1);
            slots_[at] = slot;
        }
    }

    std::vector<Slot> slots_;
    std::uint32_t stamp_ = 1;
    std::size_t n_ = 0;
};

}  // namespace palmette

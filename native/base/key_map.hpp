// From 64-bit keys to 32-bit numbers: open addressing, no deletion. Half of the slots stay empty.
#pragma once
#include <cstdint>
#include <vector>

#include "base/hashing.hpp"

namespace palmette {

class KeyMap {
public:
    static constexpr std::uint32_t kNone = 0xFFFFFFFFu;

    explicit KeyMap(std::size_t expected = 0) { resize(expected); }

    std::size_t size() const { return n_; }

    std::uint32_t find(std::uint64_t key) const {
        for (std::size_t at = mix_bits(key) & mask_;; at = (at + 1) & mask_) {
            if (slots_[at].value == kNone) return kNone;
            if (slots_[at].key == key) return slots_[at].value;
        }
    }

    // The number of the key; `value` if it had none before.
    std::uint32_t insert(std::uint64_t key, std::uint32_t value) {
        if (2 * (n_ + 1) > slots_.size()) resize(2 * n_ + 2);
        for (std::size_t at = mix_bits(key) & mask_;; at = (at + 1) & mask_) {
            if (slots_[at].value == kNone) {
                slots_[at] = {key, value};
                ++n_;
                return value;
            }
            if (slots_[at].key == key) return slots_[at].value;
        }
    }

private:
    struct Slot {
        std::uint64_t key = 0;
        std::uint32_t value = kNone;
    };

    void resize(std::size_t expected) {
        std::size_t wanted = 16;
        while (wanted < 2 * expected + 2) wanted *= 2;
        std::vector<Slot> old(wanted);
        old.swap(slots_);
        mask_ = wanted - 1;
        for (const Slot& slot : old) {
            if (slot.value == kNone) continue;
            std::size_t at = mix_bits(slot.key) & mask_;
            while (slots_[at].value != kNone) at = (at + 1) & mask_;
            slots_[at] = slot;
        }
    }

    std::vector<Slot> slots_;
    std::size_t mask_ = 0, n_ = 0;
};

}  // namespace palmette

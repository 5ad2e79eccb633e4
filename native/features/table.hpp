// Keys of 64 bits and their ids: the n-th new key gets id n. Open addressing, at most half full; a lookup touches
// one cache line, which `prefetch` can fetch beforehand.
#pragma once
#include <bit>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

namespace palmette {

class FeatureTable {
public:
    FeatureTable() : slots_(1024) {}

    // The table of keys that were saved in the order of their ids; invalid_argument if one comes twice.
    explicit FeatureTable(std::span<const std::uint64_t> keys);

    std::int32_t size() const { return static_cast<std::int32_t>(keys_.size()); }
    const std::vector<std::uint64_t>& keys() const { return keys_; }

    // Makes room for n keys, so that adding them moves none.
    void reserve(std::size_t n) {
        const std::size_t slots = std::bit_ceil(2 * n + 2);
        if (slots > slots_.size()) rebuild(slots);
        keys_.reserve(n);
    }

    void prefetch(std::uint64_t key) const { __builtin_prefetch(&slots_[key & mask()]); }

    // The id of a key; -1 if it has none.
    std::int32_t find(std::uint64_t key) const {
        for (std::size_t at = key & mask(); slots_[at].id >= 0; at = (at + 1) & mask())
            if (slots_[at].key == key) return slots_[at].id;
        return -1;
    }

    // The id of a key, which it gets if it has none.
    std::int32_t add(std::uint64_t key) {
        std::size_t at = key & mask();
        for (; slots_[at].id >= 0; at = (at + 1) & mask())
            if (slots_[at].key == key) return slots_[at].id;
        const std::int32_t id = size();
        if (id == kLimit) throw std::length_error("there are more than 2 billion attributes: use feature hashing");
        keys_.push_back(key);
        slots_[at] = {key, id};
        if (2 * keys_.size() > slots_.size()) rebuild(2 * slots_.size());
        return id;
    }

    // Keeps the keys whose new id is not negative; those must count up from 0.
    void renumber(std::span<const std::int32_t> new_ids);

private:
    static constexpr std::int32_t kLimit = 0x7FFFFFFF;
    struct Slot {
        std::uint64_t key = 0;
        std::int32_t id = -1;
    };

    std::size_t mask() const { return slots_.size() - 1; }
    void rebuild(std::size_t n_slots);

    std::vector<std::uint64_t> keys_;
    std::vector<Slot> slots_;
};

}  // namespace palmette

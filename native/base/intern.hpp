// Interning: every distinct string gets the next id, in order of first appearance.
// The strings are views into the text that is being read; nothing is copied. A lookup is O(length).
#pragma once
#include <array>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

namespace palmette {

class Interner {
public:
    struct Entry {
        std::int32_t id;
        bool is_new;
    };

    Interner() : slots_(256) { single_.fill(-1); }

    std::int32_t size() const { return static_cast<std::int32_t>(strings_.size()); }
    const std::vector<std::string_view>& strings() const { return strings_; }

    Entry intern(std::string_view text) {
        // Most fields of a treebank are one character long: `_`, or a punctuation mark.
        if (text.size() == 1) {
            std::int32_t& id = single_[static_cast<unsigned char>(text[0])];
            if (id >= 0) return {id, false};
            id = add(text);
            return {id, true};
        }
        const std::uint32_t hash = hash_of(text);
        for (std::size_t at = hash & mask(); slots_[at].id >= 0; at = (at + 1) & mask())
            if (slots_[at].hash == hash && strings_[slots_[at].id] == text) return {slots_[at].id, false};
        if (2 * (n_slotted_ + 1) > slots_.size()) grow();
        place({hash, size()});
        ++n_slotted_;
        return {add(text), true};
    }

    // Forgets every string from id `size` on. Latest first: with linear probing the slot that was filled last
    // is never in the way of a slot filled before it, so clearing it breaks no chain.
    void truncate(std::int32_t size) {
        while (this->size() > size) {
            const std::string_view text = strings_.back();
            const std::int32_t id = this->size() - 1;
            if (text.size() == 1) {
                single_[static_cast<unsigned char>(text[0])] = -1;
            } else {
                std::size_t at = hash_of(text) & mask();
                while (slots_[at].id != id) at = (at + 1) & mask();
                slots_[at] = {};
                --n_slotted_;
            }
            strings_.pop_back();
        }
    }

private:
    struct Slot {
        std::uint32_t hash = 0;
        std::int32_t id = -1;
    };

    template <class Word>
    static std::uint64_t load(const char* bytes) {
        Word word;
        std::memcpy(&word, bytes, sizeof word);
        return word;
    }

    static std::uint64_t mix(std::uint64_t hash, std::uint64_t word) {
        hash = (hash ^ word) * 0x9E3779B97F4A7C15u;
        return hash ^ (hash >> 29);
    }

    // Eight bytes at a time; the last words overlap, so that no byte is read twice in a loop of its own.
    static std::uint32_t hash_of(std::string_view text) {
        const char* p = text.data();
        const std::size_t n = text.size();
        std::uint64_t hash = n;
        if (n >= 8) {
            for (std::size_t i = 0; i + 8 < n; i += 8) hash = mix(hash, load<std::uint64_t>(p + i));
            hash = mix(hash, load<std::uint64_t>(p + n - 8));
        } else if (n >= 4) {
            hash = mix(hash, load<std::uint32_t>(p) << 32 | load<std::uint32_t>(p + n - 4));
        } else if (n >= 2) {
            hash = mix(hash, load<std::uint16_t>(p) << 16 | load<std::uint16_t>(p + n - 2));
        }
        return static_cast<std::uint32_t>(hash >> 32);
    }

    std::size_t mask() const { return slots_.size() - 1; }

    std::int32_t add(std::string_view text) {
        strings_.push_back(text);
        return size() - 1;
    }

    void place(Slot slot) {
        std::size_t at = slot.hash & mask();
        while (slots_[at].id >= 0) at = (at + 1) & mask();
        slots_[at] = slot;
    }

    // Slots are placed again in the order of their ids, which `truncate` relies on.
    void grow() {
        std::vector<Slot> old(slots_.size() * 2);
        old.swap(slots_);
        std::vector<std::uint32_t> hashes(strings_.size());
        for (const Slot& slot : old)
            if (slot.id >= 0) hashes[slot.id] = slot.hash;
        for (std::size_t id = 0; id < strings_.size(); ++id)
            if (strings_[id].size() != 1) place({hashes[id], static_cast<std::int32_t>(id)});
    }

    std::vector<std::string_view> strings_;
    std::vector<Slot> slots_;
    std::size_t n_slotted_ = 0;
    std::array<std::int32_t, 256> single_;
};

}  // namespace palmette

#include "features/table.hpp"

#include <algorithm>
#include <bit>

namespace palmette {

FeatureTable::FeatureTable(std::span<const std::uint64_t> keys) : slots_(1024) {
    if (keys.size() > static_cast<std::size_t>(kLimit)) throw std::length_error("too many keys");
    keys_.reserve(keys.size());
    slots_.assign(std::bit_ceil(std::max<std::size_t>(2 * keys.size() + 2, 1024)), {});
    for (const std::uint64_t key : keys) add(key);
    if (keys_.size() != keys.size()) throw std::invalid_argument("a key appears twice");
}

void FeatureTable::renumber(std::span<const std::int32_t> new_ids) {
    std::size_t kept = 0;
    for (std::size_t id = 0; id < keys_.size(); ++id)
        if (new_ids[id] >= 0) keys_[kept++] = keys_[id];
    keys_.resize(kept);
    keys_.shrink_to_fit();
    rebuild(std::bit_ceil(std::max<std::size_t>(2 * kept + 2, 1024)));
}

void FeatureTable::rebuild(std::size_t n_slots) {
    slots_.assign(n_slots, {});
    for (std::size_t id = 0; id < keys_.size(); ++id) {
        std::size_t at = keys_[id] & mask();
        while (slots_[at].id >= 0) at = (at + 1) & mask();
        slots_[at] = {keys_[id], static_cast<std::int32_t>(id)};
    }
}

}  // namespace palmette

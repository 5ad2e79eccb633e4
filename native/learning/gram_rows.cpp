#include "learning/gram_rows.hpp"

#include <algorithm>
#include <utility>

namespace palmette {

GramRows::GramRows(std::size_t n, std::function<void(std::size_t, double*)> make, std::size_t most_bytes)
    : n_(n), make_(std::move(make)), most_(std::clamp<std::size_t>(most_bytes / std::max<std::size_t>(1, n * sizeof(double)), 2, std::max<std::size_t>(2, n))), slot_of_(n, kNone) {
    slots_.reserve(most_);
}

const double* GramRows::kept(std::size_t i) {
    std::uint32_t slot = slot_of_[i];
    if (slot != kNone) {
        if (slot != newest_) {
            unlink(slot);
            make_newest(slot);
        }
        return slots_[slot].row.data();
    }
    if (slots_.size() < most_) {
        slot = static_cast<std::uint32_t>(slots_.size());
        slots_.emplace_back().row.resize(n_);
    } else {
        slot = oldest_;
        unlink(slot);
        if (slots_[slot].item != kNone) slot_of_[slots_[slot].item] = kNone;
        slots_[slot].item = kNone;
    }
    make_newest(slot);
    make_(i, slots_[slot].row.data());  // if it throws, the slot is nobody's
    ++made_;
    slots_[slot].item = static_cast<std::uint32_t>(i);
    slot_of_[i] = slot;
    return slots_[slot].row.data();
}

void GramRows::unlink(std::uint32_t slot) {
    Slot& s = slots_[slot];
    (s.older == kNone ? oldest_ : slots_[s.older].newer) = s.newer;
    (s.newer == kNone ? newest_ : slots_[s.newer].older) = s.older;
    s.older = s.newer = kNone;
}

void GramRows::make_newest(std::uint32_t slot) {
    slots_[slot].older = newest_;
    (newest_ == kNone ? oldest_ : slots_[newest_].newer) = slot;
    newest_ = slot;
}

}  // namespace palmette

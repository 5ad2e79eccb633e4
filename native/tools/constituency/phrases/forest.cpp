#include "tools/constituency/phrases/forest.hpp"

#include <algorithm>

namespace palmette {

void PhraseForest::take(std::int32_t label, std::int32_t start, std::int32_t end) {
    if (start < 0 || start >= end) throw std::invalid_argument("a bracket is empty");
    below_.clear();
    std::int32_t reached = start;
    while (!open_.empty() && starts_[static_cast<std::size_t>(open_.back().node)] < end) {
        const Open child = open_.back();
        if (starts_[static_cast<std::size_t>(child.node)] != reached || child.end > end)
            throw std::invalid_argument("the brackets of a tree cross, or leave words out");
        below_.push_back(child.node);
        reached = child.end;
        open_.pop_back();
    }
    if (below_.empty() ? end != start + 1 : reached != end) throw std::invalid_argument("the brackets of a tree leave words out");
    open_.push_back({numbered(label, start, below_), end});
}

void PhraseForest::finish(std::int32_t n) {
    if (open_.size() != 1 || starts_[static_cast<std::size_t>(open_.back().node)] != 0 || open_.back().end != n)
        throw std::invalid_argument("the brackets of a tree do not cover the sentence once");
    roots_.push_back(open_.back().node);
    open_.clear();
}

std::int32_t PhraseForest::numbered(std::int32_t label, std::int32_t start, std::span<const std::int32_t> children) {
    std::uint64_t hash = combine(static_cast<std::uint64_t>(static_cast<std::uint32_t>(label)), static_cast<std::uint64_t>(start));
    for (const std::int32_t child : children) hash = combine(hash, static_cast<std::uint64_t>(child));
    hash = mix_bits(hash);
    if (2 * size() >= slots_.size()) grow();
    std::size_t at = hash & (slots_.size() - 1);
    for (; slots_[at] >= 0; at = (at + 1) & (slots_.size() - 1)) {
        const auto v = static_cast<std::size_t>(slots_[at]);
        if (hashes_[v] != hash || labels_[v] != label || starts_[v] != start) continue;
        if (const auto own = this->children(v); std::equal(own.begin(), own.end(), children.begin(), children.end())) return slots_[at];
    }
    slots_[at] = static_cast<std::int32_t>(size());
    hashes_.push_back(hash);
    labels_.push_back(label);
    starts_.push_back(start);
    kids_.insert(kids_.end(), children.begin(), children.end());
    begin_.push_back(static_cast<std::int64_t>(kids_.size()));
    return slots_[at];
}

void PhraseForest::grow() {
    slots_.assign(std::max<std::size_t>(256, 2 * slots_.size()), -1);
    for (std::size_t v = 0; v < size(); ++v) {
        std::size_t at = hashes_[v] & (slots_.size() - 1);
        while (slots_[at] >= 0) at = (at + 1) & (slots_.size() - 1);
        slots_[at] = static_cast<std::int32_t>(v);
    }
}

}  // namespace palmette

#include "features/kernels/subtree_index.hpp"

namespace palmette {

void SubtreeIndex::add(const TreeSet& set, std::uint32_t subtree, std::vector<std::uint32_t>& ranks) {
    const TreeSet::Subtree& s = set.subtree(subtree);
    const std::span<const std::uint32_t> below = set.children(s);
    if (s.class_id >= classes_.size()) classes_.resize(set.n_classes());
    Class& own = classes_[s.class_id];
    if (!below.empty() && own.first_slot == KeyMap::kNone) {
        own.first_slot = n_slots_;
        n_slots_ += partial_ ? 1 : static_cast<std::uint32_t>(below.size());
    }
    const std::uint32_t rank = own.n++;
    if (ranks.size() < set.n_subtrees()) ranks.resize(set.n_subtrees());
    ranks[subtree] = rank;
    if (partial_) {
        own.first_kid.push_back(static_cast<std::uint32_t>(kids_.size()));
        own.n_kids.push_back(static_cast<std::uint32_t>(below.size()));
    }
    for (std::size_t j = 0; j < below.size(); ++j) {
        if (below[j] == KeyMap::kNone) continue;
        const Place child{set.subtree(below[j]).class_id, ranks[below[j]]};
        if (partial_) kids_.push_back(child);
        const std::uint32_t edge =
            edges_.insert(slot(s.class_id, j) << 32 | child.class_id, static_cast<std::uint32_t>(links_.size()));
        if (edge == links_.size()) links_.emplace_back();
        links_[edge].push_back({rank, child.rank});
    }
}

}  // namespace palmette

#include "tools/translation/search/constraint.hpp"

#include <algorithm>

namespace palmette {

TargetConstraint TargetConstraint::only(std::vector<std::uint32_t> text) {
    TargetConstraint made;
    made.forced_ = true;
    made.text_ = std::move(text);
    return made;
}

TargetConstraint TargetConstraint::without(const std::vector<std::vector<std::uint32_t>>& phrases) {
    TargetConstraint made;
    made.fail_ = {0};
    made.blocked_ = {0};
    std::vector<std::uint32_t> parent{0}, word{0};  // nodes are made parents first
    for (const auto& phrase : phrases) {
        std::uint32_t state = 0;
        for (const std::uint32_t next : phrase) {
            const auto [found, is_new] = made.goto_.try_emplace(key(state, next), static_cast<std::uint32_t>(made.fail_.size()));
            if (is_new) {
                made.fail_.push_back(0);
                made.blocked_.push_back(0);
                parent.push_back(state);
                word.push_back(next);
            }
            state = found->second;
        }
        if (state) made.blocked_[state] = 1;
    }
    // Breadth first, so that the failure links of all shorter phrases are there.
    std::vector<std::uint32_t> depth(parent.size(), 0), order;
    for (std::uint32_t v = 1; v < parent.size(); ++v) {
        depth[v] = depth[parent[v]] + 1;
        order.push_back(v);
    }
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) { return depth[a] < depth[b]; });
    for (const std::uint32_t v : order) {
        if (depth[v] > 1) {
            for (std::uint32_t state = parent[v]; state;) {
                state = made.fail_[state];
                const auto found = made.goto_.find(key(state, word[v]));
                if (found != made.goto_.end()) {
                    made.fail_[v] = found->second;
                    break;
                }
            }
        }
        made.blocked_[v] |= made.blocked_[made.fail_[v]];
    }
    return made;
}

bool TargetConstraint::allows(std::span<const std::uint32_t> words) const {
    if (is_free()) return true;
    if (forced_) return std::search(text_.begin(), text_.end(), words.begin(), words.end()) != text_.end() || words.empty();
    std::uint32_t state = 0;
    for (const std::uint32_t word : words)
        if ((state = step(state, word)) == kBlocked) return false;
    return true;
}

}  // namespace palmette

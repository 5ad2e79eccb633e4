#include "tools/constituency/latent/kbest.hpp"

#include <algorithm>
#include <limits>

namespace palmette {
namespace {
}

LatentKBest::LatentKBest(const LatentForest& forest, std::span<const float> edges, std::span<const float> rises,
                         std::span<const float> items)
    : forest_(forest), edges_(edges), rises_(rises), items_(items), best_(forest.items.size(), kNoDerivation),
      ranked_(forest.items.size() + 1) {
    // best(A) = max over edges of  score + best(B) + best(C): what an edge can reach with the best children.
    for (std::size_t v = 0; v < forest.items.size(); ++v) {
        const LatentForest::Item& at = forest.items[v];
        if (at.above) {
            for (std::int32_t r = at.first; r < at.last; ++r)
                best_[v] = std::max(best_[v], rises[r] + best_[forest.rises[r].item]);
        } else if (at.end == at.start + 1) {
            best_[v] = 0;
        } else {
            for (std::int32_t b = at.first; b < at.last; ++b)
                for (std::int32_t e = forest.bundles[b].first; e < forest.bundles[b].last; ++e)
                    best_[v] = std::max(best_[v], edges[e] + best_[forest.edges[e].left] + best_[forest.edges[e].right]);
        }
        if (!at.above) best_[v] += items[v];
    }
}

void LatentKBest::start(std::int32_t item) {
    Ranked& ranked = ranked_[item];
    ranked.started = true;
    if (item == static_cast<std::int32_t>(forest_.items.size())) {
        for (std::int32_t root : forest_.roots)
            if (best_[root] > kNoDerivation) ranked.next.push_back({best_[root], root, -1, 0, 0});
        std::make_heap(ranked.next.begin(), ranked.next.end());
        return;
    }
    const LatentForest::Item& at = forest_.items[item];
    if (at.above) {
        for (std::int32_t r = at.first; r < at.last; ++r)
            if (const float value = rises_[r] + best_[forest_.rises[r].item]; value > kNoDerivation)
                ranked.next.push_back({value, r, -1, 0, 0});
    } else if (at.end == at.start + 1) {
        if (items_[item] > kNoDerivation) ranked.next.push_back({items_[item], -1, -1, 0, 0});
    } else {
        for (std::int32_t b = at.first; b < at.last; ++b)
            for (std::int32_t e = forest_.bundles[b].first; e < forest_.bundles[b].last; ++e) {
                const auto [left, right] = forest_.edges[e];
                if (const float value = items_[item] + edges_[e] + best_[left] + best_[right]; value > kNoDerivation)
                    ranked.next.push_back({value, e, forest_.bundles[b].rule, 0, 0});
            }
    }
    std::make_heap(ranked.next.begin(), ranked.next.end());
}

void LatentKBest::push(std::int32_t item, const Found& found) {
    std::vector<Found>& next = ranked_[item].next;
    next.push_back(found);
    std::push_heap(next.begin(), next.end());
}

// What comes after a derivation: the next best child in one place.
void LatentKBest::follow(std::int32_t item, const Found& found) {
    if (item == static_cast<std::int32_t>(forest_.items.size())) {
        if (reach(found.way, found.first + 1))
            push(item, {ranked_[found.way].found[found.first + 1].value, found.way, -1, found.first + 1, 0});
        return;
    }
    const LatentForest::Item& at = forest_.items[item];
    if (at.above) {
        const std::int32_t below = forest_.rises[found.way].item;
        if (reach(below, found.first + 1))
            push(item, {rises_[found.way] + ranked_[below].found[found.first + 1].value, found.way, -1, found.first + 1, 0});
    } else if (at.end > at.start + 1) {
        const auto [left, right] = forest_.edges[found.way];
        const auto pair = [&](std::int32_t l, std::int32_t r) {
            push(item, {items_[item] + edges_[found.way] + ranked_[left].found[l].value + ranked_[right].found[r].value,
                       found.way, found.rule, l, r});
        };
        // Each pair of ranks once: the right one rises only where the left one is the first.
        if (reach(left, found.first + 1)) pair(found.first + 1, found.second);
        if (found.first == 0 && reach(right, found.second + 1)) pair(0, found.second + 1);
    }
}

bool LatentKBest::reach(std::int32_t item, std::size_t rank) {
    if (!ranked_[item].started) start(item);
    while (ranked_[item].found.size() <= rank) {
        if (!ranked_[item].found.empty()) {
            const Found before = ranked_[item].found.back();
            follow(item, before);
        }
        if (ranked_[item].next.empty()) return false;
        std::vector<Found>& next = ranked_[item].next;
        std::pop_heap(next.begin(), next.end());
        const Found found = next.back();
        next.pop_back();
        // The values of its children must be there to be added up later.
        if (item == static_cast<std::int32_t>(forest_.items.size())) {
            if (!reach(found.way, found.first)) return false;
        } else if (forest_.items[item].above) {
            if (!reach(forest_.rises[found.way].item, found.first)) return false;
        } else if (found.way >= 0) {
            if (!reach(forest_.edges[found.way].left, found.first)) return false;
            if (!reach(forest_.edges[found.way].right, found.second)) return false;
        }
        ranked_[item].found.push_back(found);
    }
    return true;
}

std::int32_t LatentKBest::write(std::int32_t item, std::size_t rank, LatentTree& nodes) {
    std::vector<std::int32_t>& written = ranked_[item].written;
    if (written.size() <= rank) written.resize(rank + 1, -1);
    if (written[rank] >= 0) return written[rank];
    const LatentForest::Item& at = forest_.items[item];
    const Found& found = ranked_[item].found[rank];
    LatentTreeNode node{LatentNode::word, at.start, at.symbol, at.start, at.end, -1, -1};
    if (at.above) {
        const auto [rule, below] = forest_.rises[found.way];
        node.left = write(below, found.first, nodes);
        node.kind = rule < 0 ? LatentNode::same : LatentNode::unary;
        node.id = rule;
    } else if (found.way >= 0) {
        node.kind = LatentNode::binary;
        node.id = found.rule;
        node.left = write(forest_.edges[found.way].left, found.first, nodes);
        node.right = write(forest_.edges[found.way].right, found.second, nodes);
    }
    nodes.push_back(node);
    return written[rank] = static_cast<std::int32_t>(nodes.size()) - 1;
}

std::int32_t LatentKBest::tree(std::size_t rank, LatentTree& nodes, float& value) {
    const std::int32_t root = static_cast<std::int32_t>(forest_.items.size());
    if (!reach(root, rank)) return -1;
    const Found& found = ranked_[root].found[rank];
    value = found.value;
    return write(found.way, found.first, nodes);
}

}  // namespace palmette

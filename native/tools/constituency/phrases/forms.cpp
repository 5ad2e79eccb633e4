#include "tools/constituency/phrases/forms.hpp"

#include <algorithm>
#include <limits>
#include <tuple>

namespace palmette {
namespace {

struct Labelled {
    std::int32_t label, start, end, depth;  // depth: of brackets over the same words, the one with the lower depth is above
};

void take_backwards(PhraseForest& forest, std::int32_t n, std::span<const Labelled> preorder) {
    for (std::size_t k = preorder.size(); k-- > 0;) forest.take(preorder[k].label, preorder[k].start, preorder[k].end);
    forest.finish(n);
}

}  // namespace

void add_brackets(PhraseForest& forest, std::int32_t n, std::span<const std::int32_t> brackets) {
    for (std::size_t k = brackets.size() / 3; k-- > 0;) forest.take(brackets[3 * k], brackets[3 * k + 1], brackets[3 * k + 2]);
    forest.finish(n);
}

void add_derivation(PhraseForest& forest, std::int32_t n, std::span<const std::int32_t> symbols, std::span<const std::int32_t> rules,
                    std::span<const std::int32_t> labels) {
    static thread_local std::vector<std::pair<std::int32_t, std::int32_t>> open;  // spans of finished nodes, the leftmost last
    open.clear();
    std::int32_t position = n;
    for (std::size_t k = symbols.size(); k-- > 0;) {
        if (rules[k] == -1) {
            --position;
            open.emplace_back(position, position + 1);
        } else {
            if (open.size() < (rules[k] >= 0 ? 2u : 1u)) throw std::invalid_argument("a derivation lacks children");
            if (rules[k] >= 0) {
                const std::int32_t start = open.back().first;
                open.pop_back();
                open.back().first = start;
            }
        }
        if (const std::int32_t label = labels[static_cast<std::size_t>(symbols[k])]; label >= 0) forest.take(label, open.back().first, open.back().second);
    }
    if (open.size() != 1) throw std::invalid_argument("a derivation is not one tree");
    forest.finish(n);
}

void add_anchored(PhraseForest& forest, std::int32_t n, const AnchoredGrammar& grammar, std::span<const AnchoredNode> nodes) {
    constexpr std::int32_t kLowest = std::numeric_limits<std::int32_t>::max();
    static thread_local std::vector<Labelled> found;
    found.clear();
    const auto add = [&](std::int32_t symbol, const AnchoredNode& node, std::int32_t depth) {
        const auto at = static_cast<std::size_t>(symbol);
        if (grammar.kinds[at] != AnchoredGrammar::made) found.push_back({grammar.coarse[at], node.start, node.end, depth});
    };
    found.push_back({grammar.coarse[static_cast<std::size_t>(grammar.root)], 0, n, -1});
    for (const AnchoredNode& node : nodes) {
        if (node.kind == AnchoredNode::tag) add(node.id, node, kLowest);
        if (node.kind == AnchoredNode::rule) add(grammar.binary[static_cast<std::size_t>(node.id)].parent, node, kLowest);
        if (node.kind != AnchoredNode::chain) continue;
        const auto symbols = grammar.chain(static_cast<std::size_t>(node.id));
        for (std::size_t k = 0; k + 1 < symbols.size(); ++k) add(symbols[k], node, static_cast<std::int32_t>(k));
    }
    std::sort(found.begin(), found.end(), [](const Labelled& a, const Labelled& b) { return std::tuple(a.start, -a.end, a.depth) < std::tuple(b.start, -b.end, b.depth); });
    take_backwards(forest, n, found);
}

void add_latent(PhraseForest& forest, std::int32_t n, std::span<const LatentTreeNode> nodes, std::span<const std::int32_t> roots, const LatentLabels& labels) {
    static thread_local std::vector<Labelled> found;
    static thread_local std::vector<std::int32_t> todo;
    found.clear();
    todo.assign(roots.rbegin(), roots.rend());
    while (!todo.empty()) {
        const LatentTreeNode& node = nodes[static_cast<std::size_t>(todo.back())];
        todo.pop_back();
        const std::int32_t label = node.kind == LatentNode::same ? -1 : labels.symbols[static_cast<std::size_t>(node.symbol)];
        if (label >= 0) found.push_back({label, node.start, node.end, 0});
        if (node.kind == LatentNode::unary)
            for (auto k = labels.rows[static_cast<std::size_t>(node.id)]; k < labels.rows[static_cast<std::size_t>(node.id) + 1]; ++k)
                found.push_back({labels.between[static_cast<std::size_t>(k)], node.start, node.end, 0});
        if (node.right >= 0) todo.push_back(node.right);
        if (node.left >= 0) todo.push_back(node.left);
    }
    if (found.empty() || found.front().label != labels.top || found.front().end != n) found.insert(found.begin(), {labels.top, 0, n, 0});
    take_backwards(forest, n, found);
}

}  // namespace palmette

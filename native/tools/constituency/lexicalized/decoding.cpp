// Trees and brackets of a forest of states: the best, the k best, and those of minimum risk.
#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "inference/derivations.hpp"
#include "structures/chart/bracket_risk.hpp"
#include "tools/constituency/lexicalized/parser.hpp"

namespace palmette {

std::vector<TreeNode> LexicalForest::tree_of(const std::vector<int32_t>& edge_of) const {
    std::vector<TreeNode> tree;
    std::vector<int32_t> todo{root_};
    while (!todo.empty()) {
        const LexicalState& s = states_[todo.back()];
        const int32_t e = edge_of[todo.back()];
        todo.pop_back();
        if (s.item >= 0 && forest_.items[s.item].kind == kComplete) {
            const ForestItem& item = forest_.items[s.item];
            tree.push_back({model_.labels.plain[item.label], item.start, item.end});
        }
        if (e < 0) continue;
        if (edges_[e].b >= 0) todo.push_back(edges_[e].b);
        todo.push_back(edges_[e].a);
    }
    return tree;
}

std::vector<TreeNode> LexicalForest::viterbi() const {
    std::vector<double> best(states_.size(), 0.0);
    std::vector<int32_t> by(states_.size(), -1);
    for (size_t s = 0; s < states_.size(); ++s)
        if (is_word(states_[s])) best[s] = 1.0;
    for (size_t e = 0; e < edges_.size(); ++e) {
        const LexicalEdge& edge = edges_[e];
        const double score = edge.weight * best[edge.a] * (edge.b < 0 ? 1.0 : best[edge.b]);
        if (score > best[edge.head]) {
            best[edge.head] = score;
            by[edge.head] = static_cast<int32_t>(e);
        }
    }
    return tree_of(by);
}

std::vector<std::vector<TreeNode>> LexicalForest::kbest(size_t k) const {
    // Words need an edge without tails; it comes before all others.
    std::vector<int32_t> heads, tails, labels;
    std::vector<int64_t> start{0};
    std::vector<double> weights;
    for (size_t s = 0; s < states_.size(); ++s)
        if (is_word(states_[s])) {
            heads.push_back(static_cast<int32_t>(s));
            start.push_back(0);
        }
    const auto words = static_cast<int32_t>(heads.size());
    weights.assign(words, 0.0);
    for (const LexicalEdge& edge : edges_) {
        heads.push_back(edge.head);
        tails.push_back(edge.a);
        if (edge.b >= 0) tails.push_back(edge.b);
        start.push_back(static_cast<int64_t>(tails.size()));
        weights.push_back(std::log(edge.weight));
    }
    for (size_t e = 0; e < heads.size(); ++e) labels.push_back(static_cast<int32_t>(e));
    const Hypergraph g = make_hypergraph(static_cast<int32_t>(states_.size()), static_cast<int32_t>(heads.size()), root_, heads, start, tails, labels);
    // Derivations that differ only in heads and refined labels are one tree.
    std::vector<std::vector<TreeNode>> trees;
    for (size_t asked = 2 * k + 8;; asked *= 4) {
        trees.clear();
        std::set<std::vector<TreeNode>> seen;
        const Derivations d = kbest_derivations(g, weights, static_cast<int64_t>(asked));
        std::vector<int32_t> by(states_.size(), -1);
        for (size_t i = 0; i < d.score.size() && trees.size() < k; ++i) {
            for (int64_t q = d.start[i]; q < d.start[i + 1]; ++q) {
                const int32_t e = g.label[d.edges[q]];
                if (e >= words) by[heads[e]] = e - words;
            }
            auto tree = tree_of(by);
            if (seen.insert(tree).second) trees.push_back(std::move(tree));
        }
        if (trees.size() == k || d.score.size() < asked || asked > 64 * k + 1024) return trees;
    }
}

std::vector<LexicalBracket> LexicalForest::posteriors() const {
    std::vector<double> out(states_.size(), 0.0);
    out[root_] = 1.0;
    for (size_t e = edges_.size(); e-- > 0;) {
        const LexicalEdge& edge = edges_[e];
        const double o = out[edge.head] * edge.weight;
        if (o == 0.0) continue;
        if (edge.b < 0) {
            out[edge.a] += o;
        } else {
            out[edge.a] += o * states_[edge.b].in;
            out[edge.b] += o * states_[edge.a].in;
        }
    }
    std::vector<LexicalBracket> found;
    const double z = states_[root_].in;
    for (size_t s = 0; s < states_.size(); ++s) {
        if (states_[s].item < 0 || forest_.items[states_[s].item].kind != kComplete) continue;
        const ForestItem& item = forest_.items[states_[s].item];
        found.push_back({model_.labels.plain[item.label], item.start, item.end, states_[s].in * out[s] / z});
    }
    std::stable_sort(found.begin(), found.end(), [](const LexicalBracket& a, const LexicalBracket& b) {
        return std::array{a.start, a.end, a.label} < std::array{b.start, b.end, b.label};
    });
    size_t kept = 0;
    for (size_t i = 0; i < found.size(); ++i) {
        if (kept > 0 && found[kept - 1].label == found[i].label && found[kept - 1].start == found[i].start && found[kept - 1].end == found[i].end)
            found[kept - 1].probability += found[i].probability;
        else
            found[kept++] = found[i];
    }
    found.resize(kept);
    return found;
}

std::vector<TreeNode> LexicalForest::minimum_risk(double offset) const {
    const LabelSet& labels = model_.labels;
    std::vector<LexicalBracket> worth, tags(n_, {-1, 0, 0, -1.0});
    for (const LexicalBracket& b : posteriors()) {
        if (labels.is_tag[b.label]) {
            if (b.probability > tags[b.start].probability) tags[b.start] = b;
        } else if (b.label != labels.root && b.probability > offset) {
            worth.push_back(b);
        }
    }
    std::vector<int32_t> starts, ends;
    std::vector<double> values;
    for (const LexicalBracket& b : worth) {
        starts.push_back(b.start);
        ends.push_back(b.end);
        values.push_back(b.probability - offset);
    }
    std::vector<TreeNode> tree{{labels.root, 0, n_}};
    for (const int32_t b : best_bracketing(n_, starts, ends, values)) tree.push_back({worth[b].label, worth[b].start, worth[b].end});
    for (const LexicalBracket& b : tags) tree.push_back({b.label, b.start, b.end});
    const auto height = [&](const TreeNode& node) { return node.label == labels.root ? 1e30f : labels.is_tag[node.label] ? -1e30f : labels.height[node.label]; };
    std::stable_sort(tree.begin(), tree.end(), [&](const TreeNode& a, const TreeNode& b) {
        return a.start != b.start ? a.start < b.start : a.end != b.end ? a.end > b.end : height(a) > height(b);
    });
    return tree;
}

}  // namespace palmette

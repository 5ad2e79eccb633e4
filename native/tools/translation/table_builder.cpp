#include "tools/translation/table_builder.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>

namespace palmette {

namespace {

// Breadth-first numbers of the nodes that lead to a used one, with siblings in the order of their words.
struct Numbered {
    std::vector<std::uint32_t> number, order;  // of every node (kNone: not used), and back
};

Numbered breadth_first(const PhraseTrie& trie, std::span<const std::uint32_t> rank, std::vector<bool>& used) {
    const std::size_t n = trie.size();
    std::vector<std::uint8_t> depth(n);
    std::vector<std::size_t> at(257);
    used[0] = true;
    for (std::size_t v = n; v-- > 1;)
        if (used[v]) used[trie.parent(static_cast<std::uint32_t>(v))] = true;
    for (std::size_t v = 0; v < n; ++v) {
        if (!used[v]) continue;
        const int above = v ? depth[trie.parent(static_cast<std::uint32_t>(v))] : -1;
        if (above == 255) throw std::invalid_argument("a phrase has more than 255 words");
        depth[v] = static_cast<std::uint8_t>(above + 1);
        ++at[depth[v] + std::size_t{1}];
    }
    std::partial_sum(at.begin(), at.end(), at.begin());
    Numbered found{std::vector<std::uint32_t>(n, PhraseTrie::none), std::vector<std::uint32_t>(at.back())};
    for (std::size_t v = 0; v < n; ++v)
        if (used[v]) found.order[at[depth[v]]++] = static_cast<std::uint32_t>(v);
    std::vector<std::pair<std::uint64_t, std::uint32_t>> level;
    for (std::size_t begin = 0; begin < found.order.size();) {
        std::size_t end = begin;
        level.clear();
        for (; end < found.order.size() && depth[found.order[end]] == depth[found.order[begin]]; ++end) {
            const std::uint32_t v = found.order[end];
            const std::uint64_t above = v ? found.number[trie.parent(v)] : 0;
            level.emplace_back(above << 32 | (v ? rank[trie.word(v)] : 0), v);
        }
        std::sort(level.begin(), level.end());
        for (std::size_t k = begin; k < end; ++k) {
            found.order[k] = level[k - begin].second;
            found.number[found.order[k]] = static_cast<std::uint32_t>(k);
        }
        begin = end;
    }
    return found;
}

// Numbers that rise as the words of phrases do, so that comparing two phrases is comparing two numbers: preorder.
std::vector<std::uint32_t> preorder(const PhraseTrie& trie, const Numbered& numbered, std::span<const std::uint32_t> child_begin) {
    std::vector<std::uint32_t> place(trie.size()), open{0};
    for (std::uint32_t next = 0; !open.empty(); ++next) {
        const std::uint32_t v = open.back();
        open.pop_back();
        place[numbered.order[v]] = next;
        for (std::uint32_t k = child_begin[v + 1]; k > child_begin[v]; --k) open.push_back(k - 1);
    }
    return place;
}

std::vector<std::uint32_t> children(const PhraseTrie& trie, const Numbered& numbered) {
    const std::size_t n = numbered.order.size();
    std::vector<std::uint32_t> begin(n + 1);
    for (std::size_t k = 1; k < n; ++k) ++begin[numbered.number[trie.parent(numbered.order[k])] + std::size_t{1}];
    begin[0] = 1;
    std::partial_sum(begin.begin(), begin.end(), begin.begin());
    return begin;
}

std::string named(std::size_t row, bool rules) { return (rules ? "rule " : "phrase pair ") + std::to_string(row + 1); }

Numbered numbered_by(const PhraseTrie& trie, std::span<const std::uint32_t> rank, std::span<const std::uint32_t> nodes, const char* side, bool rules) {
    std::vector<bool> used(trie.size());
    for (std::size_t row = 0; row < nodes.size(); ++row) {
        if (nodes[row] == 0) throw std::invalid_argument(named(row, rules) + " has no words on its " + side + " side");
        used[nodes[row]] = true;
    }
    return breadth_first(trie, rank, used);
}

}  // namespace

TableShape build_table(const PairNodes& pairs, std::span<const std::uint32_t> source_rank, std::span<const std::uint32_t> target_rank,
                       std::span<const float> score, std::span<const std::uint16_t> left) {
    const std::size_t n = pairs.source_node.size();
    const bool rules = !left.empty();
    TableShape shape;
    const Numbered source = numbered_by(pairs.source, source_rank, pairs.source_node, "source", rules);
    const std::size_t nodes = source.order.size();
    shape.child_begin = children(pairs.source, source);
    shape.child_word.reserve(nodes);
    for (const std::uint32_t v : source.order) shape.child_word.push_back(v ? source_rank[pairs.source.word(v)] : 0);

    shape.pair_begin.assign(nodes + 1, 0);
    for (const std::uint32_t node : pairs.source_node) ++shape.pair_begin[source.number[node] + std::size_t{1}];
    std::partial_sum(shape.pair_begin.begin(), shape.pair_begin.end(), shape.pair_begin.begin());
    shape.rows.resize(n);
    {
        std::vector<std::uint32_t> at(shape.pair_begin.begin(), shape.pair_begin.end() - 1);
        for (std::size_t row = 0; row < n; ++row) shape.rows[at[source.number[pairs.source_node[row]]]++] = static_cast<std::uint32_t>(row);
    }
    std::vector<std::uint32_t> place;
    {
        const Numbered target = numbered_by(pairs.target, target_rank, pairs.target_node, "target", rules);
        place = preorder(pairs.target, target, children(pairs.target, target));
    }
    for (std::size_t v = 0; v < nodes; ++v) {
        const auto first = shape.rows.begin() + shape.pair_begin[v], last = shape.rows.begin() + shape.pair_begin[v + 1];
        std::sort(first, last, [&](std::uint32_t a, std::uint32_t b) {
            if (score[a] != score[b]) return score[a] > score[b];
            const std::uint32_t at_a = place[pairs.target_node[a]], at_b = place[pairs.target_node[b]];
            if (at_a != at_b) return at_a < at_b;
            return rules && left[a] != left[b] ? left[a] < left[b] : a < b;
        });
    }

    // Target phrases, numbered by their first pair.
    std::vector<std::uint32_t> number(pairs.target.size(), PhraseTrie::none), words;
    std::vector<std::pair<std::uint64_t, std::uint32_t>> here;  // target node << 16 | left, and the row
    shape.pair_target.resize(n);
    shape.target_begin.push_back(0);
    for (std::uint32_t v = 0; v < nodes; ++v) {
        here.clear();
        for (std::size_t p = shape.pair_begin[v]; p < shape.pair_begin[v + 1]; ++p) {
            const std::uint32_t row = shape.rows[p];
            here.emplace_back(std::uint64_t{pairs.target_node[row]} << 16 | (rules ? left[row] : 0), row);
        }
        std::sort(here.begin(), here.end());
        for (std::size_t k = 1; k < here.size(); ++k)
            if (here[k - 1].first == here[k].first) throw std::invalid_argument(named(here[k].second, rules) + " occurs twice");
        for (std::size_t p = shape.pair_begin[v]; p < shape.pair_begin[v + 1]; ++p) {
            const std::uint32_t node = pairs.target_node[shape.rows[p]];
            if (number[node] == PhraseTrie::none) {
                number[node] = static_cast<std::uint32_t>(shape.target_begin.size() - 1);
                pairs.target.spell(node, words);
                for (const std::uint32_t word : words) shape.target_words.push_back(target_rank[word]);
                shape.target_begin.push_back(static_cast<std::uint32_t>(shape.target_words.size()));
            }
            shape.pair_target[p] = number[node];
        }
    }
    return shape;
}

TableShape select_pairs(const TableSpans& table, std::span<const std::uint8_t> kept) {
    const std::size_t nodes = table.child_word.size();
    std::vector<std::uint32_t> below(nodes);  // kept pairs at a node and under it; children have higher numbers
    for (std::size_t v = nodes; v-- > 0;) {
        for (std::uint32_t p = table.pair_begin[v]; p < table.pair_begin[v + 1]; ++p) below[v] += kept[p] != 0;
        for (std::uint32_t k = table.child_begin[v]; k < table.child_begin[v + 1]; ++k) below[v] += below[k] != 0;
    }
    below[0] = 1;
    TableShape shape;
    std::vector<std::uint32_t> number(table.target_begin.size() - 1, PhraseTrie::none);
    shape.child_begin.push_back(1);
    shape.pair_begin.push_back(0);
    shape.target_begin.push_back(0);
    for (std::uint32_t v = 0; v < nodes; ++v) {
        if (!below[v]) continue;
        shape.child_word.push_back(table.child_word[v]);
        std::uint32_t children = 0;
        for (std::uint32_t k = table.child_begin[v]; k < table.child_begin[v + 1]; ++k) children += below[k] != 0;
        shape.child_begin.push_back(shape.child_begin.back() + children);
        for (std::uint32_t p = table.pair_begin[v]; p < table.pair_begin[v + 1]; ++p) {
            if (!kept[p]) continue;
            const std::size_t old = table.pair_target[p];
            const auto words = table.target_words.subspan(table.target_begin[old], table.target_begin[old + 1] - table.target_begin[old]);
            std::uint32_t& target = number[old];
            if (target == PhraseTrie::none) {
                target = static_cast<std::uint32_t>(shape.target_begin.size() - 1);
                shape.target_words.insert(shape.target_words.end(), words.begin(), words.end());
                shape.target_begin.push_back(static_cast<std::uint32_t>(shape.target_words.size()));
            }
            shape.pair_target.push_back(target);
            shape.rows.push_back(p);
        }
        shape.pair_begin.push_back(static_cast<std::uint32_t>(shape.rows.size()));
    }
    return shape;
}

}  // namespace palmette

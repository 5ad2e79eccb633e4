#include "formats/flat_trees.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace palmette::trees {

int32_t Symbols::operator()(std::string_view text) {
    const auto [id, is_new] = interner_.intern(text);
    if (is_new && first_invalid_utf8(text) != text.npos) {
        interner_.truncate(id);
        return invalid;
    }
    return id;
}

void FlatTrees::cut(size_t entries) {
    symbol.resize(entries);
    number.resize(entries);
    if (!note.empty()) note.resize(entries);
}

int32_t Draft::add(int32_t symbol_, int32_t parent_, int32_t position_, int32_t note_) {
    symbol.push_back(symbol_);
    parent.push_back(parent_);
    position.push_back(position_);
    note.push_back(note_);
    return int32_t(symbol.size()) - 1;
}

void Draft::clear() {
    symbol.clear();
    parent.clear();
    position.clear();
    note.clear();
}

int32_t append(const Draft& draft, FlatTrees& flat) {
    const int32_t n = int32_t(draft.symbol.size());

    // Children by parent; the root is the only child of entry n.
    std::vector<int32_t> begin(n + 2, 0), children(n), fill;
    for (int32_t i = 0; i < n; ++i) ++begin[(draft.parent[i] < 0 ? n : draft.parent[i]) + 1];
    std::partial_sum(begin.begin(), begin.end(), begin.begin());
    fill = begin;
    for (int32_t i = 0; i < n; ++i) children[fill[draft.parent[i] < 0 ? n : draft.parent[i]]++] = i;

    // From the root down, then back up: first[v] = min over children c of first[c].
    std::vector<int32_t> order(children.begin() + begin[n], children.begin() + begin[n + 1]);
    std::vector<bool> reached(n, false);
    for (size_t k = 0; k < order.size(); ++k) {
        reached[order[k]] = true;
        order.insert(order.end(), children.begin() + begin[order[k]], children.begin() + begin[order[k] + 1]);
    }
    for (int32_t i = 0; i < n; ++i)
        if (!reached[i]) return i;
    std::vector<int32_t> first(n + 1, std::numeric_limits<int32_t>::max());
    for (size_t k = order.size(); k-- > 0;) {
        const int32_t i = order[k], up = draft.parent[i] < 0 ? n : draft.parent[i];
        if (draft.position[i] != Draft::inner) first[i] = draft.position[i];
        first[up] = std::min(first[up], first[i]);
    }
    for (int32_t v = 0; v < n; ++v)
        std::stable_sort(children.begin() + begin[v], children.begin() + begin[v + 1],
                         [&](int32_t a, int32_t b) { return first[a] < first[b]; });

    // Node before its children from right to left, read backwards, is postfix order.
    std::vector<int32_t> backwards, stack(children.begin() + begin[n], children.begin() + begin[n + 1]);
    while (!stack.empty()) {
        const int32_t i = stack.back();
        stack.pop_back();
        backwards.push_back(i);
        stack.insert(stack.end(), children.begin() + begin[i], children.begin() + begin[i + 1]);
    }
    for (size_t k = backwards.size(); k-- > 0;) {
        const int32_t i = backwards[k];
        flat.symbol.push_back(draft.symbol[i]);
        flat.number.push_back(draft.position[i] != Draft::inner ? draft.position[i] : begin[i] - begin[i + 1]);
        flat.note.push_back(draft.note[i]);
    }
    flat.ends.push_back(int64_t(flat.symbol.size()));
    return -1;
}

}  // namespace palmette::trees

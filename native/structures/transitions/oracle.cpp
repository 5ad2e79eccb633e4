#include "structures/transitions/oracle.hpp"

#include <algorithm>

namespace palmette {
namespace {

constexpr std::size_t kMostSteps = std::size_t{1} << 28;

// Words in the order in which a walk through the tree meets them, each between its children on the left and on the right.
void projective_order(GoldTree& gold) {
    const std::int32_t n = gold.n();
    gold.order.assign(n + 1, 0);
    std::vector<std::pair<std::int32_t, std::int32_t>> path{{0, gold.rows[0]}};  // word, its next child
    std::int32_t place = 0;
    std::vector<std::uint8_t> placed(n + 1, 0);
    while (!path.empty()) {
        auto& [word, next] = path.back();
        const std::int32_t end = gold.rows[word + 1];
        if (!placed[word] && (next == end || gold.children[next] > word)) {
            placed[word] = 1;
            gold.order[word] = place++;
        }
        if (next == end) path.pop_back();
        else path.emplace_back(gold.children[next], gold.rows[gold.children[next]]), ++path[path.size() - 2].second;
    }
}

// The maximal projective components (Nivre, Kuhlmann and Hall 2009): what arc-standard can join without swaps. A word that waits
// for another component waits with it.
void projective_components(GoldTree& gold) {
    const std::int32_t n = gold.n();
    gold.component.resize(n + 1);
    for (std::int32_t w = 0; w <= n; ++w) gold.component[w] = w;
    std::vector<std::int32_t> left(n + 1);
    for (std::int32_t w = 0; w <= n; ++w) left[w] = static_cast<std::int32_t>(gold.below(w).size());
    std::vector<std::int32_t> stack;
    for (std::int32_t w = 0; w <= n; ++w) {
        stack.push_back(w);
        while (stack.size() > 1) {
            const std::int32_t top = stack.back(), under = stack[stack.size() - 2];
            std::int32_t head, word;
            if (gold.heads[under] == top && !left[under]) head = top, word = under;
            else if (gold.heads[top] == under && !left[top]) head = under, word = top;
            else break;
            --left[head];
            gold.component[word] = head;
            stack.pop_back();
            stack.back() = head;
        }
    }
    // The component of a word is that of its head, if it was joined to it.
    for (std::int32_t w = 0; w <= n; ++w) {
        std::int32_t root = w;
        while (gold.component[root] != root) root = gold.component[root];
        for (std::int32_t at = w; gold.component[at] != root;) {
            const std::int32_t above = gold.component[at];
            gold.component[at] = root;
            at = above;
        }
    }
}

template <class S>
Kind right_kind(const Configuration& c, const GoldTree& gold, const std::vector<std::int32_t>& missing, KindSet legal) {
    const std::int32_t top = c.top(0), next = c.next(0);
    if constexpr (!S::root_last) {
        const std::int32_t under = c.top(1);
        if (legal & bit(kLeft) && gold.heads[under] == top && !missing[under]) return kLeft;
        if (legal & bit(kRight) && gold.heads[top] == under && !missing[top]) return kRight;
        if constexpr (S::swaps)
            if (legal & bit(kThird) && gold.order[under] > gold.order[top] && (next <= 0 || gold.component[next] != gold.component[top])) return kThird;
        return kShift;
    } else if constexpr (std::is_same_v<S, ArcHybrid>) {
        if (legal & bit(kLeft) && gold.heads[top] == next && !missing[top]) return kLeft;
        if (legal & bit(kRight) && gold.heads[top] == c.top(1) && !missing[top]) return kRight;
        return kShift;
    } else {
        if (legal & bit(kLeft) && gold.heads[top] == next) return kLeft;
        if (legal & bit(kRight) && gold.heads[next] == top) return kRight;
        // Reduce where the word is done and something below has to do with n0; or at the end.
        if (legal & bit(kThird) && !missing[top]) {
            if (next <= 0) return kThird;
            for (std::size_t k = 1; k < c.stack.size(); ++k) {
                const std::int32_t under = c.top(k);
                if (gold.heads[under] == next || gold.heads[next] == under) return kThird;
                if (c.words[under].head < 0) break;
            }
        }
        return kShift;
    }
}

}  // namespace

void GoldTree::set(std::span<const std::int32_t> word_heads, std::span<const std::int32_t> word_labels) {
    const std::size_t n = word_heads.size();
    heads.assign(1, kNone);
    heads.insert(heads.end(), word_heads.begin(), word_heads.end());
    labels.assign(1, kNone);
    labels.insert(labels.end(), word_labels.begin(), word_labels.end());
    labels.resize(n + 1, kNone);
    rows.assign(n + 2, 0);
    for (std::size_t w = 1; w <= n; ++w)
        if (heads[w] >= 0) ++rows[heads[w] + 1];
    for (std::size_t w = 0; w <= n; ++w) rows[w + 1] += rows[w];
    children.resize(rows[n + 1]);
    std::vector<std::int32_t> at(rows.begin(), rows.end() - 1);
    for (std::size_t w = 1; w <= n; ++w)
        if (heads[w] >= 0) children[at[heads[w]]++] = static_cast<std::int32_t>(w);
    order.clear();
    component.clear();
}

bool oracle(System system, GoldTree& gold, std::vector<Kind>& kinds) {
    kinds.clear();
    return with_system(system, [&](auto policy) {
        using S = decltype(policy);
        Configuration c;
        c.start(static_cast<std::size_t>(gold.n()), S::root_last);
        std::vector<std::int32_t> missing(gold.heads.size(), 0);  // children that have no head yet
        for (std::size_t w = 0; w < missing.size(); ++w) missing[w] = static_cast<std::int32_t>(gold.below(static_cast<std::int32_t>(w)).size());
        if constexpr (S::swaps) {
            projective_order(gold);
            projective_components(gold);
        }
        while (!S::finished(c)) {
            const KindSet legal = S::legal(c);
            const Kind kind = right_kind<S>(c, gold, missing, legal);
            if (!(legal & bit(kind)) || kinds.size() >= kMostSteps) return false;
            std::int32_t label = kNone;
            if (kind == kLeft || kind == kRight) {
                const Arc made = S::arc(c, kind);
                label = gold.labels[made.word];
                if (gold.heads[made.word] != made.head) return false;
                --missing[made.head];
            }
            S::apply(c, kind, label);
            kinds.push_back(kind);
        }
        for (std::int32_t w = 1; w <= gold.n(); ++w)
            if (c.words[w].head != gold.heads[w]) return false;
        return true;
    });
}

bool is_tree(std::span<const std::int32_t> heads) {
    const auto n = static_cast<std::int32_t>(heads.size());
    std::vector<std::int32_t> seen(heads.size() + 1, 0);  // on the way from which word
    std::int32_t roots = 0;
    for (std::int32_t w = 1; w <= n; ++w) {
        roots += heads[w - 1] == 0;
        for (std::int32_t up = w; up > 0 && !seen[up]; up = heads[up - 1]) {
            seen[up] = w;
            const std::int32_t above = heads[up - 1];
            if (above < 0 || above > n || (above > 0 && seen[above] == w)) return false;
        }
    }
    return roots == 1 || n == 0;
}

bool is_projective(std::span<const std::int32_t> heads) {
    std::vector<std::int32_t> copy(heads.begin(), heads.end());
    projectivise(copy);
    return std::equal(copy.begin(), copy.end(), heads.begin());
}

void projectivise(std::span<std::int32_t> heads) {
    const std::int32_t n = static_cast<std::int32_t>(heads.size());
    const auto head = [&](std::int32_t w) { return heads[w - 1]; };
    // An arc is projective if its head is above all words between its ends.
    const auto crossed = [&](std::int32_t w) {
        const std::int32_t h = head(w);
        if (h == 0) return false;
        for (std::int32_t k = std::min(h, w) + 1; k < std::max(h, w); ++k) {
            std::int32_t up = k;
            for (std::int32_t steps = 0; up > 0 && up != h && steps <= n; ++steps) up = head(up);
            if (up != h) return true;
        }
        return false;
    };
    for (;;) {
        std::int32_t smallest = 0;
        for (std::int32_t w = 1; w <= n; ++w)
            if (head(w) > 0 && std::abs(head(w) - w) > 1 && (!smallest || std::abs(head(w) - w) < std::abs(head(smallest) - smallest)) && crossed(w)) smallest = w;
        if (!smallest) return;
        heads[smallest - 1] = head(head(smallest));
    }
}

}  // namespace palmette

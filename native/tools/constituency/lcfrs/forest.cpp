#include "tools/constituency/lcfrs/forest.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>
#include <unordered_map>

#include "base/hashing.hpp"
#include "base/interrupt.hpp"

namespace palmette {
namespace {

constexpr std::size_t kMostSteps = 2'000'000'000;  // some ten seconds
constexpr std::size_t kSteps = 5000;  // pairs of cells that may be looked at, for each edge that a forest may have

// A set of up to 64 · W words.
template <int W>
struct WordSet {
    std::array<std::uint64_t, W> bits{};
    bool operator==(const WordSet&) const = default;
    bool meets(const WordSet& other) const {
        std::uint64_t both = 0;
        for (int w = 0; w < W; ++w) both |= bits[w] & other.bits[w];
        return both;
    }
    WordSet operator|(const WordSet& other) const {
        WordSet all;
        for (int w = 0; w < W; ++w) all.bits[w] = bits[w] | other.bits[w];
        return all;
    }
    void add(int i) { bits[i / 64] |= std::uint64_t{1} << i % 64; }
    bool has(int i) const { return i < 64 * W && bits[i / 64] >> i % 64 & 1; }
    int size() const {
        int n = 0;
        for (int w = 0; w < W; ++w) n += std::popcount(bits[w]);
        return n;
    }
    // A run begins where a bit has no neighbour below.
    int runs() const {
        int n = 0;
        std::uint64_t carry = 0;
        for (int w = 0; w < W; ++w) {
            n += std::popcount(bits[w] & ~(bits[w] << 1 | carry));
            carry = bits[w] >> 63;
        }
        return n;
    }
    // The first position from `from` on that is in the set (value = 1) or not in it (value = 0); 64 · W if none.
    int next(int from, bool value) const {
        for (int w = from / 64; w < W; ++w) {
            std::uint64_t word = value ? bits[w] : ~bits[w];
            if (w == from / 64) word &= ~std::uint64_t{0} << from % 64;
            if (word) return 64 * w + std::countr_zero(word);
        }
        return 64 * W;
    }
};

template <int W>
struct SetHash {
    std::size_t operator()(const WordSet<W>& set) const {
        std::uint64_t h = 0;
        for (const std::uint64_t word : set.bits) h = combine(h, word);
        return mix_bits(h);
    }
};

struct Segments {
    int n = 0;
    std::array<std::int16_t, kMaxFanOut> start, end;
};

template <int W>
class Builder {
   public:
    Builder(const LcfrsGrammar& grammar, const SplitPcfg& segments, const AliveSegments& alive, int n,
            std::size_t max_edges)
        : grammar_(grammar), segments_(segments), alive_(alive), n_(n), max_edges_(max_edges), by_size_(n + 1) {
        // Whether any symbol of a fan-out is alive with its i-th segment at a span.
        const std::size_t spans = std::size_t(n) * (n + 1) / 2;
        for (int f = 1; f <= grammar.max_fan_out(); ++f)
            for (int i = 0; i < f; ++i) {
                auto& here = some_[f - 1][i];
                here.assign(spans, 0);
                for (std::int32_t s = 0; s < grammar.n_symbols(); ++s)
                    if (grammar.rules.fan_out[s] == f)
                        for (int end = 1; end <= n; ++end)
                            for (int start = 0; start < end; ++start)
                                if (alive.has(start, end, segments.segment(s, i)))
                                    here[AliveSegments::span(start, end)] = 1;
            }
    }

    bool run(std::span<const Emission> emissions) {
        for (std::size_t e = 0; e < emissions.size(); ++e) {
            if (!(emissions[e].weight > 0)) continue;
            WordSet<W> word;
            word.add(emissions[e].position);
            Segments one;
            one.n = 1, one.start[0] = static_cast<std::int16_t>(emissions[e].position), one.end[0] = one.start[0] + 1;
            if (!is_alive(one, emissions[e].symbol)) continue;
            lexical_[node(cell(word, 1), emissions[e].symbol)] = static_cast<std::int32_t>(e);
        }
        for (int size = 1; size <= n_; ++size)
            for (const std::int32_t c : by_size_[size]) {  // later cells are larger, so this list is complete
                close(c, size);
                const WordSet<W> set = cells_[c].set;
                const int first = set.next(0, true);
                check_interrupt();
                for (std::size_t d = 0; d < done_.size() && edges_.size() <= max_edges_; ++d) {
                    const WordSet<W> other = done_[d].set;
                    if (set.meets(other)) continue;
                    const WordSet<W> all = set | other;
                    if (all.runs() > grammar_.max_fan_out()) continue;
                    if (first < done_[d].first)
                        combine_cells(c, done_[d].cell, set, all, size + done_[d].size);
                    else
                        combine_cells(done_[d].cell, c, other, all, size + done_[d].size);
                }
                done_.push_back({set, first, size, c});
                if (edges_.size() > max_edges_ || (steps_ += done_.size()) > std::min(kSteps * max_edges_, kMostSteps)) return false;
            }
        return true;
    }

    LcfrsForest forest() const;

   private:
    struct Cell {
        WordSet<W> set;
        Segments segments;
        std::vector<std::pair<std::int32_t, std::int32_t>> nodes;  // symbol and node
    };
    struct Done {
        WordSet<W> set;
        int first, size;
        std::int32_t cell;
    };
    struct Edge {
        std::int32_t parent;
        ForestEdge edge;
    };

    bool is_alive(const Segments& s, std::int32_t symbol) const {
        for (int i = 0; i < s.n; ++i)
            if (!alive_.has(s.start[i], s.end[i], segments_.segment(symbol, i))) return false;
        return true;
    }

    static Segments segments_of(const WordSet<W>& set) {
        Segments s;
        for (int at = set.next(0, true); at < 64 * W; ++s.n) {
            s.start[s.n] = static_cast<std::int16_t>(at);
            at = set.next(at, false);
            s.end[s.n] = static_cast<std::int16_t>(at);
            at = at < 64 * W ? set.next(at, true) : at;
        }
        return s;
    }

    std::int32_t cell(const WordSet<W>& set, int size) {
        const auto [found, is_new] = numbers_.try_emplace(set, static_cast<std::int32_t>(cells_.size()));
        if (is_new) {
            cells_.push_back({set, segments_of(set), {}});
            by_size_[size].push_back(found->second);
        }
        return found->second;
    }

    std::int32_t node(std::int32_t c, std::int32_t symbol) {
        for (const auto& [s, id] : cells_[c].nodes)
            if (s == symbol) return id;
        const auto id = static_cast<std::int32_t>(node_symbol_.size());
        node_symbol_.push_back(symbol);
        node_cell_.push_back(c);
        lexical_.push_back(-1);
        cells_[c].nodes.emplace_back(symbol, id);
        return id;
    }

    void close(std::int32_t c, int) {
        for (std::size_t i = 0; i < cells_[c].nodes.size(); ++i) {
            const auto [symbol, child] = cells_[c].nodes[i];
            for (const std::int32_t r : grammar_.over(symbol)) {
                const std::int32_t parent = grammar_.rules.unary_parent[r];
                if (is_alive(cells_[c].segments, parent)) edges_.push_back({node(c, parent), {r, child, -1}});
            }
        }
    }

    // The yield function of two sets follows from who has the words of each run, from left to right.
    YieldCode yield(const Segments& all, const WordSet<W>& left) const {
        YieldCode code = 3;
        for (int i = 0; i < all.n; ++i) {
            if (i) code = code << 2 | 2;
            bool mine = left.has(all.start[i]);
            for (int at = all.start[i]; at < all.end[i]; mine = !mine) {
                code = code << 2 | !mine;
                at = left.next(at, !mine);
            }
        }
        return code;
    }

    void combine_cells(std::int32_t left, std::int32_t right, const WordSet<W>& left_set, const WordSet<W>& all,
                       int size) {
        const Segments s = segments_of(all);
        for (int i = 0; i < s.n; ++i)
            if (!some_[s.n - 1][i][AliveSegments::span(s.start[i], s.end[i])]) return;
        const int number = grammar_.yield_number(yield(s, left_set));
        if (number < 0) return;
        std::int32_t target = -1;
        for (std::size_t i = 0; i < cells_[left].nodes.size(); ++i)
            for (std::size_t j = 0; j < cells_[right].nodes.size(); ++j) {
                const auto [a, left_node] = cells_[left].nodes[i];
                const auto [b, right_node] = cells_[right].nodes[j];
                for (const std::int32_t r : grammar_.over(a, b, number)) {
                    const std::int32_t parent = grammar_.rules.parent[r];
                    if (!is_alive(s, parent)) continue;
                    if (target < 0) target = cell(all, size);
                    edges_.push_back({node(target, parent), {r, left_node, right_node}});
                }
            }
    }

    const LcfrsGrammar& grammar_;
    const SplitPcfg& segments_;
    const AliveSegments& alive_;
    const int n_;
    const std::size_t max_edges_;
    std::size_t steps_ = 0;  // pairs of cells that were looked at
    std::array<std::array<std::vector<char>, kMaxFanOut>, kMaxFanOut> some_;
    std::vector<Cell> cells_;
    std::unordered_map<WordSet<W>, std::int32_t, SetHash<W>> numbers_;
    std::vector<std::vector<std::int32_t>> by_size_;
    std::vector<Done> done_;
    std::vector<std::int32_t> node_symbol_, node_cell_, lexical_;
    std::vector<Edge> edges_;
};

template <int W>
LcfrsForest Builder<W>::forest() const {
    const std::size_t n = node_symbol_.size();
    std::vector<std::int32_t> order(n), place(n), sizes(n);
    std::iota(order.begin(), order.end(), 0);
    for (std::size_t i = 0; i < n; ++i) sizes[i] = cells_[node_cell_[i]].set.size();
    std::stable_sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
        return sizes[a] != sizes[b] ? sizes[a] < sizes[b]
                                    : grammar_.rank(node_symbol_[a]) < grammar_.rank(node_symbol_[b]);
    });
    for (std::size_t i = 0; i < n; ++i) place[order[i]] = static_cast<std::int32_t>(i);
    LcfrsForest made;
    made.first_edge.assign(n + 1, 0);
    for (const std::int32_t node : order) {
        const Segments& s = cells_[node_cell_[node]].segments;
        made.symbol.push_back(node_symbol_[node]);
        made.lexical.push_back(lexical_[node]);
        made.span.emplace_back(s.start[0], s.end[s.n - 1]);
        made.n_words.push_back(static_cast<std::int16_t>(sizes[node]));
        if (sizes[node] == n_ && node_symbol_[node] == grammar_.rules.root) made.root = place[node];
    }
    for (const Edge& e : edges_) ++made.first_edge[place[e.parent] + 1];
    std::partial_sum(made.first_edge.begin(), made.first_edge.end(), made.first_edge.begin());
    made.edges.resize(edges_.size());
    std::vector<std::int32_t> next(made.first_edge.begin(), made.first_edge.end() - 1);
    for (const Edge& e : edges_)
        made.edges[next[place[e.parent]]++] = {e.edge.rule, place[e.edge.left],
                                               e.edge.right < 0 ? -1 : place[e.edge.right]};
    return made.root < 0 ? made : restrict_forest(made, std::vector<char>(n, 1));
}

template <int W>
bool build(const LcfrsGrammar& grammar, const SplitPcfg& segments, const AliveSegments& alive, int n,
           std::span<const Emission> emissions, std::size_t max_edges, LcfrsForest& forest) {
    Builder<W> builder(grammar, segments, alive, n, max_edges);
    if (!builder.run(emissions)) return false;
    forest = builder.forest();
    return true;
}

}  // namespace

bool build_forest(const LcfrsGrammar& grammar, const SplitPcfg& segments, const AliveSegments& alive, int n,
                  std::span<const Emission> emissions, std::size_t max_edges, LcfrsForest& forest) {
    if (n <= 64) return build<1>(grammar, segments, alive, n, emissions, max_edges, forest);
    if (n <= 128) return build<2>(grammar, segments, alive, n, emissions, max_edges, forest);
    return build<4>(grammar, segments, alive, n, emissions, max_edges, forest);
}

LcfrsForest restrict_forest(const LcfrsForest& forest, const std::vector<char>& kept) {
    const std::int32_t n = forest.n_nodes();
    // From below: what still has a derivation; then from the root: what still leads there.
    std::vector<char> derived(n, 0), wanted(n, 0);
    const auto usable = [&](const ForestEdge& e) { return derived[e.left] && (e.right < 0 || derived[e.right]); };
    for (std::int32_t v = 0; v < n; ++v) {
        if (!kept[v]) continue;
        derived[v] = forest.lexical[v] >= 0;
        for (int e = forest.first_edge[v]; e < forest.first_edge[v + 1] && !derived[v]; ++e)
            derived[v] = usable(forest.edges[e]);
    }
    if (forest.root >= 0 && derived[forest.root]) wanted[forest.root] = 1;
    for (std::int32_t v = n - 1; v >= 0; --v)
        if (wanted[v])
            for (int e = forest.first_edge[v]; e < forest.first_edge[v + 1]; ++e)
                if (const ForestEdge& edge = forest.edges[e]; usable(edge)) {
                    wanted[edge.left] = 1;
                    if (edge.right >= 0) wanted[edge.right] = 1;
                }
    LcfrsForest made;
    std::vector<std::int32_t> place(n, -1);
    made.first_edge.push_back(0);
    for (std::int32_t v = 0; v < n; ++v) {
        if (!wanted[v]) continue;
        place[v] = made.n_nodes();
        made.symbol.push_back(forest.symbol[v]);
        made.lexical.push_back(forest.lexical[v]);
        made.span.push_back(forest.span[v]);
        made.n_words.push_back(forest.n_words[v]);
        for (int e = forest.first_edge[v]; e < forest.first_edge[v + 1]; ++e)
            if (const ForestEdge& edge = forest.edges[e]; usable(edge))
                made.edges.push_back({edge.rule, place[edge.left], edge.right < 0 ? -1 : place[edge.right]});
        made.first_edge.push_back(static_cast<std::int32_t>(made.edges.size()));
    }
    if (forest.root >= 0) made.root = place[forest.root];
    return made;
}

}  // namespace palmette

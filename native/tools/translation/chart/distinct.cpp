#include "tools/translation/chart/distinct.hpp"

#include <algorithm>
#include <unordered_set>
#include <vector>

#include "base/hashing.hpp"
#include "base/interrupt.hpp"

namespace palmette {

namespace {

using u64 = std::uint64_t;

// A hash of a text, from which that of two texts one behind the other follows: polynomials modulo 2^61 − 1.
struct TextHash {
    static constexpr u64 kPrime = (u64{1} << 61) - 1, kBase = 0x9E3779B97F4A7C1u;
    u64 value = 0, power = 1;  // power: kBase to the number of words

    static u64 times(u64 a, u64 b) {
        const unsigned __int128 product = static_cast<unsigned __int128>(a) * b;
        const u64 sum = static_cast<u64>(product & kPrime) + static_cast<u64>(product >> 61);
        return sum >= kPrime ? sum - kPrime : sum;
    }
    void append(const TextHash& other) {
        value = (times(value, other.power) + other.value) % kPrime;
        power = times(power, other.power);
    }
    static TextHash of(std::int32_t word) { return {mix_bits(static_cast<u64>(word) + 1) % kPrime, kBase % kPrime}; }
};

struct Ranked {
    double score;
    std::int32_t edge;
    std::size_t ranks;  // of the tails, in the pool
    TextHash text;
};

struct Place {
    double score;
    std::int32_t edge;
    std::size_t ranks;
    bool operator<(const Place& other) const {
        return score != other.score ? score < other.score : edge != other.edge ? edge > other.edge : ranks > other.ranks;
    }
};

class DistinctSearch {
public:
    DistinctSearch(const ChartGraph& graph, std::span<const double> scores)
        : graph_(graph), g_(graph.graph), scores_(scores), best_(viterbi(g_, scores)), nodes_(static_cast<std::size_t>(g_.n_nodes)) {}

    // Whether node v has a derivation of this rank; finds it if so.
    bool find(std::int32_t v, std::size_t rank) {
        Node& node = nodes_[static_cast<std::size_t>(v)];
        if (!node.is_open) open(v);
        while (node.found.size() <= rank && !node.waiting.empty()) {
            std::pop_heap(node.waiting.begin(), node.waiting.end());
            const Place place = node.waiting.back();
            node.waiting.pop_back();
            // Its text: the tails have been found when it was put there.
            TextHash text;
            const auto tails = g_.tails(place.edge);
            for (auto k = graph_.item_start[place.edge]; k < graph_.item_start[place.edge + 1]; ++k) {
                const std::int32_t item = graph_.items[static_cast<std::size_t>(k)];
                if (item >= 0) {
                    text.append(TextHash::of(item));
                } else {
                    const std::size_t t = static_cast<std::size_t>(-1 - item);
                    text.append(nodes_[static_cast<std::size_t>(tails[t])].found[ranks_[place.ranks + t]].text);
                }
            }
            push_next(node, place);
            if (node.seen.insert(text.value).second) node.found.push_back({place.score, place.edge, place.ranks, text});
        }
        return node.found.size() > rank;
    }

    void append(std::int32_t root, std::size_t rank, Derivations& made) const {
        std::vector<std::pair<std::int32_t, std::size_t>> waiting{{root, rank}};
        made.score.push_back(nodes_[static_cast<std::size_t>(root)].found[rank].score);
        while (!waiting.empty()) {
            const auto [v, r] = waiting.back();
            waiting.pop_back();
            const Ranked& one = nodes_[static_cast<std::size_t>(v)].found[r];
            made.edges.push_back(one.edge);
            const auto tails = g_.tails(one.edge);
            for (std::size_t t = tails.size(); t-- > 0;) waiting.push_back({tails[t], ranks_[one.ranks + t]});
        }
        made.start.push_back(static_cast<std::int64_t>(made.edges.size()));
    }

private:
    struct Node {
        bool is_open = false;
        std::vector<Place> waiting;
        std::vector<Ranked> found;
        std::unordered_set<u64> seen;
    };

    void open(std::int32_t v) {
        check_interrupt();
        nodes_[static_cast<std::size_t>(v)].is_open = true;
        std::vector<Place> places;
        for (std::int32_t e = g_.edge_start[v]; e < g_.edge_start[v + 1]; ++e) {
            double score = scores_[static_cast<std::size_t>(g_.label[e])];
            bool there = true;
            for (const std::int32_t tail : g_.tails(e)) {
                there = there && find(tail, 0);
                score += best_.score[static_cast<std::size_t>(tail)];
            }
            if (!there) continue;
            places.push_back({score, e, ranks_.size()});
            ranks_.resize(ranks_.size() + g_.tails(e).size(), 0);
        }
        std::make_heap(places.begin(), places.end());
        nodes_[static_cast<std::size_t>(v)].waiting = std::move(places);
    }

    // Each place comes from one other: the one before it in its last rank that is not 0.
    void push_next(Node& node, const Place& place) {
        const auto tails = g_.tails(place.edge);
        const std::size_t n = tails.size();
        std::size_t first = n;
        while (first > 0 && ranks_[place.ranks + first - 1] == 0) --first;
        for (std::size_t t = first ? first - 1 : 0; t < n; ++t) {
            const std::size_t rank = ranks_[place.ranks + t];
            if (!find(tails[t], rank + 1)) continue;
            const auto& found = nodes_[static_cast<std::size_t>(tails[t])].found;
            const std::size_t at = ranks_.size();
            for (std::size_t k = 0; k < n; ++k) ranks_.push_back(ranks_[place.ranks + k]);
            ++ranks_[at + t];
            node.waiting.push_back({place.score + found[rank + 1].score - found[rank].score, place.edge, at});
            std::push_heap(node.waiting.begin(), node.waiting.end());
        }
    }

    const ChartGraph& graph_;
    const Hypergraph& g_;
    std::span<const double> scores_;
    Viterbi best_;
    std::vector<Node> nodes_;
    std::vector<std::size_t> ranks_;
};

}  // namespace

Derivations distinct_derivations(const ChartGraph& graph, std::span<const double> scores, std::int64_t k) {
    Derivations made;
    if (graph.graph.root < 0) return made;
    DistinctSearch search(graph, scores);
    for (std::int64_t rank = 0; rank < k && search.find(graph.graph.root, static_cast<std::size_t>(rank)); ++rank)
        search.append(graph.graph.root, static_cast<std::size_t>(rank), made);
    return made;
}

}  // namespace palmette

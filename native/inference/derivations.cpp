#include "inference/derivations.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <random>

#include "inference/inside.hpp"

namespace palmette {
namespace {

// A node that shares subderivations can have derivations that are larger than any memory.
constexpr size_t kEdgeLimit = size_t{1} << 27;

constexpr size_t kPoolLimit = std::numeric_limits<int32_t>::max();

void add_edge(Derivations& d, int32_t e) {
    if (d.edges.size() >= kEdgeLimit) throw std::length_error("the derivations have more than 2^27 edges together");
    d.edges.push_back(e);
}

void end_derivation(Derivations& d, double score) {
    d.score.push_back(score);
    d.start.push_back(static_cast<int64_t>(d.edges.size()));
}

// Lazy enumeration of the derivations of every node in the order of their scores.
class LazyKBest {
public:
    LazyKBest(const Hypergraph& g, std::span<const double> weight)
        : g_(g), weight_(weight), viterbi_(viterbi(g, weight)), lists_(g.n_nodes) {}

    // Whether node v has a derivation of rank k (from 0); makes all up to it. Iterative, so that depth costs no stack.
    bool ensure(int32_t v, int32_t k) {
        requests_.assign(1, {v, k});
        bool found = true;
        while (!requests_.empty()) {
            auto [node, rank] = requests_.back();
            int32_t wanted_node, wanted_rank;
            switch (advance(node, rank, wanted_node, wanted_rank)) {
                case Step::done: found = true; requests_.pop_back(); break;
                case Step::exhausted: found = false; requests_.pop_back(); break;
                case Step::waits: requests_.push_back({wanted_node, wanted_rank});
            }
        }
        return found;
    }

    double score(int32_t v, int32_t rank) const {
        return rank == 0 ? viterbi_.score[v] : lists_[v]->found[rank].score;
    }

    void append_derivation(Derivations& d, int32_t v, int32_t rank) const {
        std::vector<std::pair<int32_t, int32_t>> stack{{v, rank}};
        while (!stack.empty()) {
            auto [node, r] = stack.back();
            stack.pop_back();
            // Rank 0 needs no list: it is the Viterbi derivation.
            int32_t e = r == 0 ? viterbi_.edge[node] : lists_[node]->found[r].edge;
            const int32_t* ranks = r == 0 ? nullptr : lists_[node]->ranks_of(lists_[node]->found[r]);
            add_edge(d, e);
            auto t = g_.tails(e);
            for (size_t i = t.size(); i-- > 0;) stack.push_back({t[i], ranks ? ranks[i] : 0});
        }
    }

private:
    enum class Step { done, exhausted, waits };

    struct Candidate {
        double score;
        int32_t edge;
        int32_t ranks;  // where the ranks of its tails are in the list's pool; -1 if all are 0
        // For a heap with the highest score on top and the first edge among equals.
        friend bool operator<(const Candidate& a, const Candidate& b) {
            return a.score != b.score ? a.score < b.score : a.edge > b.edge;
        }
    };

    struct List {
        std::vector<Candidate> found, heap;
        std::vector<int32_t> pool;
        int32_t next_tail = 0;  // the next tail of the last found candidate whose successor is to be made
        const int32_t* ranks_of(const Candidate& c) const { return c.ranks < 0 ? nullptr : pool.data() + c.ranks; }
    };

    // Opens the list of a node: its Viterbi derivation is found, every other edge is a candidate.
    List& open(int32_t v) {
        if (lists_[v]) return *lists_[v];
        lists_[v] = std::make_unique<List>();
        List& list = *lists_[v];
        if (viterbi_.edge[v] < 0) return list;
        for (int32_t e = g_.edge_start[v]; e < g_.edge_start[v + 1]; ++e) {
            if (e == viterbi_.edge[v]) continue;
            double score = edge_inside(g_, e, weight_, viterbi_.score, Max{});
            if (score > kLogZero) list.heap.push_back({score, e, -1});
        }
        std::make_heap(list.heap.begin(), list.heap.end());
        list.found.push_back({viterbi_.score[v], viterbi_.edge[v], -1});
        return list;
    }

    Step advance(int32_t v, int32_t k, int32_t& wanted_node, int32_t& wanted_rank) {
        List& list = open(v);
        while (static_cast<int32_t>(list.found.size()) <= k) {
            if (list.found.empty()) return Step::exhausted;
            if (!push_successors(list, wanted_node, wanted_rank)) return Step::waits;
            if (list.heap.empty()) return Step::exhausted;
            std::pop_heap(list.heap.begin(), list.heap.end());
            list.found.push_back(list.heap.back());
            list.heap.pop_back();
            list.next_tail = 0;
        }
        return Step::done;
    }

    // The successors of the last found candidate raise one rank by one. Raising only at or after the last rank that
    // is not 0 makes every vector of ranks from exactly one other, which scores no less. False if a tail's
    // derivation is not there yet.
    bool push_successors(List& list, int32_t& wanted_node, int32_t& wanted_rank) {
        Candidate last = list.found.back();
        auto t = g_.tails(last.edge);
        auto n = static_cast<int32_t>(t.size());
        if (list.next_tail == 0 && last.ranks >= 0)
            for (int32_t i = 0; i < n; ++i)
                if (list.pool[last.ranks + i] > 0) list.next_tail = i;
        for (; list.next_tail < n; ++list.next_tail) {
            int32_t i = list.next_tail;
            int32_t rank = (last.ranks < 0 ? 0 : list.pool[last.ranks + i]) + 1;
            List& below = open(t[i]);
            if (static_cast<int32_t>(below.found.size()) <= rank && !is_exhausted(below)) {
                wanted_node = t[i];
                wanted_rank = rank;
                return false;
            }
            if (static_cast<int32_t>(below.found.size()) <= rank) continue;
            if (list.pool.size() > kPoolLimit - t.size())
                throw std::length_error("the k-best lists of a node have more than 2^31 - 1 ranks together");
            Candidate next{weight_[g_.label[last.edge]], last.edge, static_cast<int32_t>(list.pool.size())};
            for (int32_t j = 0; j < n; ++j)
                list.pool.push_back((last.ranks < 0 ? 0 : list.pool[last.ranks + j]) + (j == i));
            for (int32_t j = 0; j < n; ++j) next.score += score(t[j], list.pool[next.ranks + j]);
            list.heap.push_back(next);
            std::push_heap(list.heap.begin(), list.heap.end());
        }
        return true;
    }

    // No candidate is left and the last found one has no successor to come.
    bool is_exhausted(const List& list) const {
        return list.found.empty() ||
               (list.heap.empty() && list.next_tail >= static_cast<int32_t>(g_.tails(list.found.back().edge).size()));
    }

    const Hypergraph& g_;
    std::span<const double> weight_;
    Viterbi viterbi_;
    std::vector<std::unique_ptr<List>> lists_;
    std::vector<std::pair<int32_t, int32_t>> requests_;
};

}  // namespace

Viterbi viterbi(const Hypergraph& g, std::span<const double> weight) {
    Viterbi result{std::vector<double>(g.n_nodes, kLogZero), std::vector<int32_t>(g.n_nodes, -1)};
    g.for_each_component([&](std::span<const int32_t> nodes, bool cyclic) {
        if (cyclic) {
            auto edges = best_of_component(g, nodes, weight, result.score);
            for (size_t i = 0; i < nodes.size(); ++i) result.edge[nodes[i]] = edges[i];
            return;
        }
        int32_t v = nodes[0], best_edge = -1;
        double best = kLogZero;
        for (int32_t e = g.edge_start[v]; e < g.edge_start[v + 1]; ++e) {
            double score = edge_inside(g, e, weight, result.score, Max{});
            if (score > best) best = score, best_edge = e;
        }
        result.score[v] = best;
        result.edge[v] = best_edge;
    });
    return result;
}

Derivations best_derivation(const Hypergraph& g, std::span<const double> weight) {
    Derivations d;
    if (g.root < 0) return d;
    Viterbi best = viterbi(g, weight);
    if (best.edge[g.root] < 0) return d;
    std::vector<int32_t> stack{g.root};
    while (!stack.empty()) {
        int32_t e = best.edge[stack.back()];
        stack.pop_back();
        add_edge(d, e);
        auto t = g.tails(e);
        stack.insert(stack.end(), t.rbegin(), t.rend());
    }
    end_derivation(d, best.score[g.root]);
    return d;
}

Derivations kbest_derivations(const Hypergraph& g, std::span<const double> weight, int64_t k) {
    g.require_acyclic("k-best");
    Derivations d;
    if (g.root < 0) return d;
    LazyKBest lazy(g, weight);
    for (int32_t rank = 0; rank < k && lazy.ensure(g.root, rank); ++rank) {
        lazy.append_derivation(d, g.root, rank);
        end_derivation(d, lazy.score(g.root, rank));
    }
    return d;
}

Derivations sample_derivations(const Hypergraph& g, std::span<const Scaled> weight, const std::vector<Scaled>& in,
                               int64_t n, uint64_t seed) {
    Log s;
    if (g.root < 0 || s.is_zero(in[g.root])) throw std::invalid_argument("there is no derivation to sample from");
    Derivations d;
    std::mt19937_64 random(seed);
    std::vector<int32_t> stack;
    for (int64_t i = 0; i < n; ++i) {
        double score = 0.0;
        stack.assign(1, g.root);
        while (!stack.empty()) {
            int32_t v = stack.back();
            stack.pop_back();
            // The edges of v in their order until their share of in(v) passes a uniform number of [0, 1).
            double left = static_cast<double>(random() >> 11) * 0x1p-53;
            int32_t chosen = -1;
            double probability = 1.0;
            for (int32_t e = g.edge_start[v]; e < g.edge_start[v + 1]; ++e) {
                double share = scaled::ratio(edge_inside(g, e, weight, in, s), in[v]);
                if (share == 0.0) continue;
                chosen = e;  // also the last possible one, where rounding leaves a rest
                probability = share;
                left -= share;
                if (left < 0.0) break;
            }
            score += std::log(probability);
            add_edge(d, chosen);
            auto t = g.tails(chosen);
            stack.insert(stack.end(), t.rbegin(), t.rend());
        }
        end_derivation(d, score);
    }
    return d;
}

}  // namespace palmette

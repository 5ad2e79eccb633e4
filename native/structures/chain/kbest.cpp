#include "structures/chain/kbest.hpp"

#include <unordered_map>

#include "structures/chain/steps.hpp"

namespace palmette {
namespace {

constexpr std::size_t kNone = static_cast<std::size_t>(-1);

// The last step of a way to a state: through the `rank`-th best way to the state `from` of the position before.
struct Way {
    double score;
    std::size_t from;
    std::size_t rank;
    bool operator<(const Way& other) const {  // is worse, for heaps
        if (score != other.score) return score < other.score;
        return from != other.from ? from > other.from : rank > other.rank;
    }
};

struct Node {
    std::vector<Way> found;  // the best ways so far, best first
    std::vector<Way> heap;   // the next way through each predecessor
};

// Every position has states, and position n has one more, the end.
template <class Steps>
class Lattice {
public:
    explicit Lattice(const Steps& steps) : steps_(steps), n_(steps.n()), nodes_(n_ + 1), delta_(n_) {
        for (std::size_t i = 0; i < n_; ++i) {
            delta_[i].assign(steps.states(i), minus_infinity<double>);
            for (std::size_t state = 0; state < delta_[i].size(); ++state)
                each_step(i, state, [&](std::size_t, double score) {
                    delta_[i][state] = std::max(delta_[i][state], score);
                });
        }
    }

    // Makes sure that the `rank`-th way to a state is found, all before it being so; false if there is none. The
    // next way of a state needs at most one more way of one predecessor, and so on: a stack in place of recursion.
    bool find(std::size_t i, std::size_t state, std::size_t rank) {
        struct Call {
            std::size_t i, state, rank;
            bool asked;
        };
        std::vector<Call> stack{{i, state, rank, false}};
        bool good = false;
        while (!stack.empty()) {
            auto& [ci, cstate, crank, asked] = stack.back();
            Node& node = node_of(ci, cstate);
            if (node.found.size() <= crank && crank > 0 && ci > 0) {
                const Way last = node.found[crank - 1];
                if (!asked) {
                    asked = true;
                    stack.push_back({ci - 1, last.from, last.rank + 1, false});
                    continue;
                }
                if (good) {
                    const double before = way(ci - 1, last.from, last.rank + 1).score;
                    push(node, {before + step_score(ci, last.from, cstate), last.from, last.rank + 1});
                }
            }
            if (node.found.size() <= crank && !node.heap.empty()) pop(node);
            good = node.found.size() > crank;
            stack.pop_back();
        }
        return good;
    }

    const Way& way(std::size_t i, std::size_t state, std::size_t rank) { return nodes_[i].at(state).found[rank]; }

private:
    // What the step from a state of position i - 1 to one of position i adds.
    double step_score(std::size_t i, std::size_t from, std::size_t state) const {
        return i == n_ ? steps_.end_score(from) : steps_.score(i, from, state);
    }
    // visit(state before, score of the best way through it) for every step into a state.
    template <class Visit>
    void each_step(std::size_t i, std::size_t state, const Visit& visit) const {
        if (i == 0) return visit(kNone, step_score(0, kNone, state));
        const auto step = [&](std::size_t from) { visit(from, delta_[i - 1][from] + step_score(i, from, state)); };
        if (i == n_)
            for (std::size_t from = 0; from < delta_[i - 1].size(); ++from) step(from);
        else
            steps_.each_before(i, state, step);
    }
    Node& node_of(std::size_t i, std::size_t state) {
        auto [at, is_new] = nodes_[i].try_emplace(state);
        if (is_new) {
            each_step(i, state, [&](std::size_t from, double score) {
                if (score > minus_infinity<double>) at->second.heap.push_back({score, from, 0});
            });
            std::make_heap(at->second.heap.begin(), at->second.heap.end());
            if (!at->second.heap.empty()) pop(at->second);
        }
        return at->second;
    }
    static void push(Node& node, Way way) {
        node.heap.push_back(way);
        std::push_heap(node.heap.begin(), node.heap.end());
    }
    static void pop(Node& node) {
        std::pop_heap(node.heap.begin(), node.heap.end());
        node.found.push_back(node.heap.back());
        node.heap.pop_back();
    }

    const Steps& steps_;
    const std::size_t n_;
    std::vector<std::unordered_map<std::size_t, Node>> nodes_;
    std::vector<std::vector<double>> delta_;
};

template <class Steps, class Scores>
KBestLabels kbest_of(const Steps& steps, const Scores& s, std::size_t k) {
    KBestLabels result;
    if (s.n == 0) {
        if (k && chain_score(s, nullptr) == 0) result.scores.push_back(0);
        return result;
    }
    Lattice<Steps> lattice(steps);
    for (std::size_t rank = 0; rank < k && lattice.find(s.n, 0, rank); ++rank) {
        const std::size_t at = result.labels.size();
        result.labels.resize(at + s.n);
        std::size_t state = 0, way = rank;
        for (std::size_t i = s.n; i > 0; --i) {
            lattice.find(i, state, way);
            const Way step = lattice.way(i, state, way);
            state = step.from;
            way = step.rank;
            result.labels[at + i - 1] = static_cast<std::int32_t>(steps.label(state));
        }
        // Summed afresh: differences of large sums have lost digits.
        result.scores.push_back(chain_score(s, result.labels.data() + at));
    }
    return result;
}

}  // namespace

template <class Real>
KBestLabels kbest_labels(const ChainScores<Real>& s, std::size_t k) {
    return kbest_of(ContextSteps<Real>(s), s, k);
}

KBestLabels kbest_labels(const StateScores& s, std::size_t k) { return kbest_of(StateSteps(s), s, k); }

template KBestLabels kbest_labels(const ChainScores<float>&, std::size_t);
template KBestLabels kbest_labels(const ChainScores<double>&, std::size_t);

}  // namespace palmette

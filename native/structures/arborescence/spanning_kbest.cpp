// The k best spanning trees. A space of trees is given by arcs that all of them have and arcs that none has. Its best
// tree A is known; the arc e of A that is cheapest to lose parts the rest of the space in two: trees without e, whose
// best one is searched again, and trees with e, whose best one is A still. One contraction finds the cheapest arc: the
// arc b chosen for a component costs its difference to the best other arc into that component from a word that is
// not below it in A. Camerini, Fratta & Maffioli 1980; two contractions for each tree, O(n²).
//
// Rounding cannot lose a tree or give one twice, since the parting is by arcs; it may only let two trees whose scores
// are equal within rounding change places. Arcs of A win all ties, within a tolerance, so that A is found as it is.
#include <algorithm>
#include <cmath>
#include <memory>
#include <queue>

#include "structures/arborescence/contraction.hpp"
#include "structures/arborescence/spanning_tree.hpp"

namespace palmette {
namespace {

using Heads = std::vector<std::int32_t>;
struct ArcOf {
    std::int32_t head = -1, word = -1;
};

struct Space {
    std::shared_ptr<const Heads> best;
    double score;
    std::vector<ArcOf> required, forbidden;
    ArcOf cheapest;
    double next;  // the score of the best tree without the cheapest arc
    std::size_t age;
    bool operator<(const Space& other) const { return next != other.next ? next < other.next : age > other.age; }
};

class SpanningTrees {
public:
    SpanningTrees(const double* scores, std::size_t n, bool single_root)
        : scores_(scores), n_(n), width_(n + 1), single_(single_root) {
        double most = 0;
        for (std::size_t a = 0; a < width_ * width_; ++a)
            if (std::isfinite(scores[a])) most = std::max(most, std::abs(scores[a]));
        tolerance_ = most * 1e-12;
    }

    ScoredTrees best(std::size_t k) {
        ScoredTrees trees;
        if (std::shared_ptr<const Heads> first = solve({}, {})) {
            keep(trees, *first);
            push(first, {}, {});
        }
        while (trees.scores.size() < k && !spaces_.empty()) {
            Space space = spaces_.top();
            spaces_.pop();
            std::vector<ArcOf> with = space.required, without = space.forbidden;
            with.push_back(space.cheapest);
            without.push_back(space.cheapest);
            if (std::shared_ptr<const Heads> next = solve(space.required, without)) {
                keep(trees, *next);
                push(next, space.required, std::move(without));
            }
            push(space.best, std::move(with), std::move(space.forbidden));
        }
        return sorted(trees);
    }

private:
    double score(const Heads& heads) const {
        double sum = 0;
        for (std::size_t m = 1; m <= n_; ++m) sum += scores_[static_cast<std::size_t>(heads[m - 1]) * width_ + m];
        return sum;
    }
    void keep(ScoredTrees& trees, const Heads& heads) const {
        trees.scores.push_back(score(heads));
        trees.heads.insert(trees.heads.end(), heads.begin(), heads.end());
    }
    ScoredTrees sorted(const ScoredTrees& trees) const {
        std::vector<std::size_t> order(trees.scores.size());
        for (std::size_t t = 0; t < order.size(); ++t) order[t] = t;
        std::stable_sort(order.begin(), order.end(),
                         [&](std::size_t a, std::size_t b) { return trees.scores[a] > trees.scores[b]; });
        ScoredTrees out;
        for (std::size_t t : order) {
            out.scores.push_back(trees.scores[t]);
            out.heads.insert(out.heads.end(), trees.heads.begin() + t * n_, trees.heads.begin() + (t + 1) * n_);
        }
        return out;
    }

    void constrain(const std::vector<ArcOf>& required, const std::vector<ArcOf>& forbidden) {
        contraction_.load(scores_, n_);
        is_required_.assign(width_, 0);
        for (auto [h, m] : required) {
            contraction_.require(h, m);
            is_required_[m] = 1;
        }
        for (auto [h, m] : forbidden) contraction_.forbid(h, m);
    }

    std::shared_ptr<const Heads> solve(const std::vector<ArcOf>& required, const std::vector<ArcOf>& forbidden) {
        constrain(required, forbidden);
        const bool found = contraction_.run(
            single_, [](std::int32_t, std::size_t source, double) { return source; },
            [](std::int32_t, std::size_t, double) {});
        if (!found) return nullptr;
        auto heads = std::make_shared<Heads>(n_);
        contraction_.expand(heads->data());
        return heads;
    }

    // Finds the arc of `best` that is cheapest to lose; a space without another tree is dropped.
    void push(std::shared_ptr<const Heads> best, std::vector<ArcOf> required, std::vector<ArcOf> forbidden) {
        constrain(required, forbidden);
        number(*best);
        is_forbidden_.assign(width_ * width_, 0);
        for (auto [h, m] : forbidden) is_forbidden_[h * width_ + m] = 1;
        ArcOf cheapest;
        double least = std::numeric_limits<double>::infinity();
        ArcOf own;  // the arc of `best` that was chosen for the component, if it was
        const auto prefer = [&](std::int32_t node, std::size_t source, double value) {
            own = {};
            const ArcOf entering = entering_arc(*best, node);
            if (entering.word < 0) return source;
            // A root arc is worse than any other, whatever its score.
            if (single_ && source != 0 && entering.head == 0) return source;
            if (reduced(entering) < value - tolerance_) return source;
            own = entering;
            return static_cast<std::size_t>(entering.head);
        };
        const auto visit = [&](std::int32_t node, std::size_t, double) {
            if (own.word < 0 || is_required_[own.word]) return;
            const double cost = reduced(own) - best_other(node, own);
            if (cost < least) {
                least = cost;
                cheapest = own;
            }
        };
        if (!contraction_.run(single_, prefer, visit) || cheapest.word < 0) return;
        const double own_score = score(*best);
        spaces_.push({std::move(best), own_score, std::move(required), std::move(forbidden), cheapest,
                      own_score - std::max(least, 0.0), age_++});
    }

    double reduced(ArcOf arc) const { return scores_[arc.head * width_ + arc.word] - contraction_.taken(arc.word); }

    // The one arc of a tree that enters a component, if there is only one.
    ArcOf entering_arc(const Heads& heads, std::int32_t node) {
        mark_.resize(width_, 0);
        ++marked_;
        for (std::int32_t m = contraction_.first_word(node); m; m = contraction_.next_word(m)) mark_[m] = marked_;
        ArcOf found;
        for (std::int32_t m = contraction_.first_word(node); m; m = contraction_.next_word(m)) {
            const std::int32_t h = heads[m - 1];
            if (mark_[h] == marked_) continue;
            if (found.word >= 0) return {};
            found = {h, m};
        }
        return found;
    }

    double best_other(std::int32_t node, ArcOf own) const {
        double most = Contraction::kNone;
        const double* in = contraction_.row(node);
        // From another word; with one root word only root arcs can stand for a root arc, and none for another arc.
        for (std::size_t u = single_ ? 1 : 0; u < width_; ++u)
            if (static_cast<std::int32_t>(u) != own.head && !is_below(static_cast<std::int32_t>(u), own.word))
                most = std::max(most, in[u]);
        // From the same word to another one of the component.
        for (std::int32_t m = contraction_.first_word(node); m; m = contraction_.next_word(m))
            if (m != own.word && m != own.head && !is_required_[m] && !is_forbidden_[own.head * width_ + m])
                most = std::max(most, reduced({own.head, m}));
        return most;
    }

    // Preorder numbers of the words of a tree, and the last number below each.
    void number(const Heads& heads) {
        std::vector<std::int32_t> first(width_, 0), next(width_, 0);
        for (std::int32_t m = static_cast<std::int32_t>(n_); m > 0; --m) {
            next[m] = first[heads[m - 1]];
            first[heads[m - 1]] = m;
        }
        entry_.assign(width_, 0);
        exit_.assign(width_, 0);
        std::int32_t count = 0;
        std::vector<std::int32_t> order, agenda{0};
        while (!agenda.empty()) {
            const std::int32_t v = agenda.back();
            agenda.pop_back();
            entry_[v] = exit_[v] = count++;
            order.push_back(v);
            for (std::int32_t m = first[v]; m; m = next[m]) agenda.push_back(m);
        }
        for (std::size_t at = order.size(); at-- > 1;) {
            const std::int32_t v = order[at], h = heads[v - 1];
            exit_[h] = std::max(exit_[h], exit_[v]);
        }
    }
    bool is_below(std::int32_t v, std::int32_t ancestor) const {
        return entry_[ancestor] <= entry_[v] && entry_[v] <= exit_[ancestor];
    }

    const double* scores_;
    std::size_t n_, width_;
    bool single_;
    double tolerance_;
    Contraction contraction_;
    std::priority_queue<Space> spaces_;
    std::size_t age_ = 0;
    std::vector<std::uint8_t> is_required_, is_forbidden_;
    std::vector<std::int32_t> entry_, exit_;
    std::vector<std::size_t> mark_;
    std::size_t marked_ = 0;
};

}  // namespace

ScoredTrees kbest_spanning(const double* scores, std::size_t n, bool single_root, std::size_t k) {
    if (k == 0) return {};
    if (n == 0) return {{0.0}, {}};
    return SpanningTrees(scores, n, single_root).best(k);
}

}  // namespace palmette

// The contract between learners and everything else: what a learner may ask of GEN, Φ and the examples.
//
//     weights w ──score──▶ scores of parts ──best, marginals, …──▶ values of parts      (decode, infer)
//     weights w ◀──pullback── differences of parts                                      (learn)
//
// An example's parts are an array of floats: first those that only this example has (labels at positions),
// then `n_shared()` parts that every example has, one for each of the last weights (label n-grams).
// Learners know nothing else, so a learner works for every structure and is written once.
#pragma once
#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <stdexcept>
#include <vector>

namespace palmette {

// A few entries of a long vector; sorted by index and without repetition once `gather` was called.
struct SparseVector {
    struct Entry {
        std::size_t index;
        float value;
    };
    std::vector<Entry> entries;

    void clear() { entries.clear(); }
    void add(std::size_t index, float value) { entries.push_back({index, value}); }
    void gather() {
        std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.index < b.index; });
        std::size_t kept = 0;
        for (std::size_t j = 0; j < entries.size();) {
            Entry sum = entries[j];
            for (++j; j < entries.size() && entries[j].index == sum.index; ++j) sum.value += entries[j].value;
            if (sum.value != 0) entries[kept++] = sum;
        }
        entries.resize(kept);
    }
    template <class Real>
    double dot(const Real* w) const {
        double sum = 0;
        for (const Entry& e : entries) sum += static_cast<double>(e.value) * w[e.index];
        return sum;
    }
    double dot(const SparseVector& other) const {
        double sum = 0;
        for (std::size_t i = 0, j = 0; i < entries.size() && j < other.entries.size();) {
            if (entries[i].index < other.entries[j].index) ++i;
            else if (entries[i].index > other.entries[j].index) ++j;
            else sum += static_cast<double>(entries[i++].value) * other.entries[j++].value;
        }
        return sum;
    }
};

// Throws unless every score is minus infinity (never) or of a size that sums of scores can have: a search that follows
// comparisons of other numbers may end nowhere. Learners tell the user which option made weights so large.
template <class Real>
void require_moderate(const Real* scores, std::size_t n) {
    constexpr Real kMost = Real(1e30), kNever = -std::numeric_limits<Real>::infinity();
    bool good = true;
    for (std::size_t k = 0; k < n; ++k) good &= std::abs(scores[k]) < kMost || scores[k] == kNever;
    if (!good) throw std::overflow_error("the scores of an example are too large, or not numbers");
}

// The names of what a problem has for learners; palmette/learning/capabilities.py says what they mean.
using Offers = std::vector<const char*>;
inline Offers offers_of_search() { return {"best", "kbest", "weights", "votes"}; }
inline Offers offers_of_sums() { return {"best", "kbest", "weights", "votes", "marginals", "risk", "parts", "costs"}; }

// The examples begin … end − 1 of a problem, such as those of one shard.
struct ExampleRange {
    std::size_t begin, end;
};

// In order of cost. `State` is the room for one example at a time; one per thread.
template <class P>
concept LearningProblem = requires(const P& p, P& m, typename P::State& state, typename P::Output& y,
                           std::vector<typename P::Output>& ys, std::vector<double>& scores, std::size_t i,
                           const float* w, float* parts, float* g, std::uint8_t* mask, void (*visit)(std::size_t, float),
                           void (*rows)(std::size_t, std::size_t)) {
    { p.size() } -> std::convertible_to<std::size_t>;       // examples
    { p.n_weights() } -> std::convertible_to<std::size_t>;
    { p.offers() } -> std::convertible_to<Offers>;
    { p.n_shared() } -> std::convertible_to<std::size_t>;   // parts that all examples share: the last weights
    { p.n_parts(i) } -> std::convertible_to<std::size_t>;   // those of one example, the shared ones included
    { p.weight(i) } -> std::convertible_to<float>;          // of the example
    // What the scores of example i read: visit(begin, size) for each stretch of weights but the shared ones.
    p.rows(i, rows);
    // Scores. `prepare` takes the shared parts' scores, scale · weights (for marginals if `sums`), and comes
    // before the others; `score` computes the rest as scale · w·Φ; `set_scores` takes all from an array of
    // parts.
    p.prepare(state, w, 1.0f, true);
    p.score(state, i, w, 1.0f);
    p.set_scores(state, i, w);
    p.part_scores(i, w, parts);  // fills `parts` with w·Φ of each: what `set_scores` takes, and the transpose of `pullback`
    p.observed(mask);  // sets mask[k] to 1 for every weight that some output that agrees with the labels reads
    m.keep_to(mask);   // from now on `pullback` adds nothing to weights whose mask is zero; null: to all again
    // Outputs (compared with ==), their loss, and visit(index, value) for the entries of Φ(x, gold) − Φ(x, guess).
    { y == y } -> std::convertible_to<bool>;
    { p.best(state, 1.0f, y) } -> std::convertible_to<double>;  // argmax of score + cost · loss
    p.kbest(state, 5, 1.0f, ys, scores);
    p.gold(state, y);                                           // the best output that agrees with the labels
    { p.loss(i, y) } -> std::convertible_to<double>;
    { p.part_costs(i, parts) } -> std::convertible_to<double>;  // the loss is what it returns, and the costs of an output's parts
    p.difference(i, y, y, visit);
    // Sums: log Z over all outputs, or those that agree with the labels; `parts` gets the marginals, or the
    // covariance of each part with the loss, and `risk` returns the expected loss.
    { p.marginals(state, parts) } -> std::convertible_to<double>;
    { p.gold_marginals(state, parts) } -> std::convertible_to<double>;
    { p.risk(state, parts) } -> std::convertible_to<double>;
    p.pullback(i, parts, 1.0f, g);                              // g += step · Φᵀ parts
    p.pullback_block(i, i, parts, 1, g);  // of examples begin … end, their own parts one after another
};

// What `difference` and `rows` visit, as lists. These are the only places where a learner makes a problem's walk over its
// features: it is compiled once for each problem, and not into every loop of every learner.
using Entries = std::vector<SparseVector::Entry>;
template <LearningProblem P>
[[gnu::noinline]] void list_difference(const P& p, std::size_t i, const typename P::Output& gold, const typename P::Output& guess, Entries& entries) {
    entries.clear();
    p.difference(i, gold, guess, [&](std::size_t k, float value) { entries.push_back({k, value}); });
}

struct Stretch {
    std::size_t begin, size;
};
// All that example i reads, the shared weights last.
template <LearningProblem P>
[[gnu::noinline]] void list_rows(const P& p, std::size_t i, std::vector<Stretch>& rows) {
    rows.clear();
    p.rows(i, [&](std::size_t begin, std::size_t size) { rows.push_back({begin, size}); });
    if (p.n_shared()) rows.push_back({p.n_weights() - p.n_shared(), p.n_shared()});
}

}  // namespace palmette

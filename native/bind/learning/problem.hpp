// Learning problems in Python: what all of them share, and the checks of what comes in.
#pragma once
#include "bind/bind.hpp"
#include "learning/learnable.hpp"

using Weights = nb::ndarray<float, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// The base of all: the learners' loops are methods of it, bound once. See problem.cpp.
struct BoundProblem {
    nb::list kept;   // the arrays that the problem looks at
    nb::object free;  // what `keep_to` looks at
    std::unique_ptr<palmette::Learnable> learnable;
};

// A problem of one kind. What else it can do is bound with its own class.
template <class P>
struct Bound : BoundProblem {
    P& problem;

    Bound(nb::list arrays, P&& p) : Bound(std::move(arrays), std::make_unique<palmette::LearnableAs<P>>(std::move(p))) {}

private:
    Bound(nb::list arrays, std::unique_ptr<palmette::LearnableAs<P>> own)
        : BoundProblem{std::move(arrays), nb::none(), nullptr}, problem(own->problem) {
        learnable = std::move(own);
    }
};

template <class W>
auto* checked(const BoundProblem& bound, const W& w) {
    require(w.size() == bound.learnable->n_weights(), "the weights have the wrong length for this problem");
    return w.data();
}

inline std::span<const int64_t> checked_order(const BoundProblem& bound, const Array<int64_t>& order) {
    for (size_t k = 0; k < order.size(); ++k)
        require(order.data()[k] >= 0 && static_cast<size_t>(order.data()[k]) < bound.learnable->size(), "the order names an example that is not there");
    return span_of(order);
}

// The examples begin … end − 1; no end: to the last one.
inline palmette::ExampleRange checked_range(const BoundProblem& bound, size_t begin, std::optional<size_t> end) {
    const size_t n = bound.learnable->size(), stop = end.value_or(n);
    require(begin <= stop && stop <= n, "the range names examples that are not there");
    return {begin, stop};
}

// Is every index below n? The entries are sorted.
inline bool fits(const std::vector<palmette::SparseVector>& vectors, size_t n) {
    for (const auto& v : vectors)
        if (!v.entries.empty() && v.entries.back().index >= n) return false;
    return true;
}

inline bool fits(const palmette::Average& average, size_t n) { return !average.kept() || average.late.size() == n; }

// The mean of the weights met, or the weights themselves where none is kept.
template <class Memory>
auto mean_of(const Memory& memory, const Array<float>& w) {
    require(fits(memory.average, w.size()), "this memory is of another problem");
    palmette::ZeroedVector<float> mean(w.size());
    memory.average.mean(span_of(w), mean.data());
    return numpy_of(std::move(mean));
}

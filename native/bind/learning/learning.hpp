// What the bindings of learners share: weights that come in to be changed, and the checks of what comes in.
#pragma once
#include <stdexcept>

#include "bind/bind.hpp"

using Weights = nb::ndarray<float, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

inline void require(bool holds, const char* what) {
    if (!holds) throw std::invalid_argument(what);
}

template <class B, class W>
auto* checked(const B& bound, const W& w) {
    require(w.size() == bound.problem.n_weights(), "the weights have the wrong length for this problem");
    return w.data();
}

template <class B>
std::span<const int64_t> checked_order(const B& bound, const Array<int64_t>& order) {
    for (size_t k = 0; k < order.size(); ++k)
        require(order.data()[k] >= 0 && static_cast<size_t>(order.data()[k]) < bound.problem.size(), "the order names an example that is not there");
    return span_of(order);
}

#include "tools/constituency/lcfrs/passes.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "base/interrupt.hpp"

namespace palmette {

void StateWeights::check(const LcfrsRules& rules) const {
    if (states.size() != rules.fan_out.size()) throw std::invalid_argument("states: one number for each symbol.");
    for (const auto s : states)
        if (s < 1 || s > 1024) throw std::invalid_argument("a symbol has between 1 and 1024 states.");
    if (states[rules.root] != 1) throw std::invalid_argument("the root has one state.");
    const auto blocks = [](const std::vector<std::int64_t>& first, std::size_t n, std::size_t size, auto&& length) {
        if (first.size() != n + 1 || first[0] != 0 || first[n] != static_cast<std::int64_t>(size))
            throw std::invalid_argument("the blocks of weights do not fit the rules.");
        for (std::size_t r = 0; r < n; ++r)
            if (first[r + 1] - first[r] != length(r))
                throw std::invalid_argument("a block of weights does not fit its rule.");
    };
    blocks(binary_first, rules.parent.size(), binary.size(), [&](std::size_t r) {
        return std::int64_t(states[rules.parent[r]]) * states[rules.left[r]] * states[rules.right[r]];
    });
    blocks(unary_first, rules.unary_parent.size(), unary.size(),
           [&](std::size_t r) { return std::int64_t(states[rules.unary_parent[r]]) * states[rules.unary_child[r]]; });
    for (const auto* weights : {&binary, &unary})
        for (const float w : *weights)
            if (!(w >= 0) || w > 1e30f) throw std::invalid_argument("a weight is negative or not finite.");
}

StateWeights StateWeights::plain(const LcfrsRules& rules) {
    StateWeights made;
    made.states.assign(rules.fan_out.size(), 1);
    for (std::size_t r = 0; r <= rules.parent.size(); ++r) made.binary_first.push_back(static_cast<std::int64_t>(r));
    for (std::size_t r = 0; r <= rules.unary_parent.size(); ++r)
        made.unary_first.push_back(static_cast<std::int64_t>(r));
    made.binary.assign(rules.weight.begin(), rules.weight.end());
    made.unary.assign(rules.unary_weight.begin(), rules.unary_weight.end());
    return made;
}

template <class Real>
StatePass<Real>::StatePass(const LcfrsRules& rules, const StateWeights& weights, const LcfrsForest& forest,
                           LexicalStates words, Real scale)
    : rules_(rules), weights_(weights), forest_(forest), words_(words), scale_(scale) {
    first_.reserve(forest.n_nodes() + 1);
    std::size_t n = 0, most = 1;
    for (const std::int32_t s : forest.symbol) {
        first_.push_back(n);
        n += weights.states[s];
        most = std::max<std::size_t>(most, weights.states[s]);
    }
    first_.push_back(n);
    inside_.assign(n, 0);
    pairs_.resize(most * most);
    sums_.resize(most * most);
}

template <class Real>
Real StatePass<Real>::run_inside() {
    for (std::int32_t v = 0; v < forest_.n_nodes(); ++v) {
        check_interrupt();
        Real* value = &inside_[first_[v]];
        const int n = weights_.states[forest_.symbol[v]];
        if (forest_.lexical[v] >= 0) {
            const float* word = &words_.values[words_.first[forest_.lexical[v]]];
            for (int x = 0; x < n; ++x) value[x] = word[x] * scale_;
        }
        for (int e = forest_.first_edge[v]; e < forest_.first_edge[v + 1]; ++e) {
            const ForestEdge& edge = forest_.edges[e];
            const Real* left = &inside_[first_[edge.left]];
            const int n_left = weights_.states[forest_.symbol[edge.left]];
            const Real* factor = left;
            int size = n_left;
            const float* block;
            if (edge.right >= 0) {
                const Real* right = &inside_[first_[edge.right]];
                const int n_right = weights_.states[forest_.symbol[edge.right]];
                for (int y = 0; y < n_left; ++y)
                    for (int z = 0; z < n_right; ++z) pairs_[y * n_right + z] = left[y] * right[z];
                factor = pairs_.data();
                size = n_left * n_right;
                block = &weights_.binary[weights_.binary_first[edge.rule]];
            } else {
                block = &weights_.unary[weights_.unary_first[edge.rule]];
            }
            for (int x = 0; x < n; ++x) {
                const float* row = block + std::size_t(x) * size;
                Real sum = 0;
#pragma omp simd reduction(+ : sum)
                for (int i = 0; i < size; ++i) sum += row[i] * factor[i];
                value[x] += sum;
            }
        }
    }
    return forest_.root >= 0 ? inside_[first_[forest_.root]] : 0;
}

template <class Real>
void StatePass<Real>::run_outside() {
    outside_.assign(inside_.size(), 0);
    edge_posterior.assign(forest_.edges.size(), 0);
    outside_[first_[forest_.root]] = 1 / inside_[first_[forest_.root]];
    for (std::int32_t v = forest_.n_nodes() - 1; v >= 0; --v) {
        check_interrupt();
        const Real* out = &outside_[first_[v]];
        const int n = weights_.states[forest_.symbol[v]];
        for (int e = forest_.first_edge[v]; e < forest_.first_edge[v + 1]; ++e) {
            const ForestEdge& edge = forest_.edges[e];
            const Real* left = &inside_[first_[edge.left]];
            Real* left_out = &outside_[first_[edge.left]];
            const int n_left = weights_.states[forest_.symbol[edge.left]];
            const int n_right = edge.right >= 0 ? weights_.states[forest_.symbol[edge.right]] : 1;
            const int size = n_left * n_right;
            const float* block = edge.right >= 0 ? &weights_.binary[weights_.binary_first[edge.rule]]
                                                 : &weights_.unary[weights_.unary_first[edge.rule]];
            Real* sums = sums_.data();  // over the parent's states
            std::fill(sums, sums + size, Real(0));
            for (int x = 0; x < n; ++x) {
                const Real o = out[x];
                if (o == 0) continue;
                const float* row = block + std::size_t(x) * size;
#pragma omp simd
                for (int i = 0; i < size; ++i) sums[i] += o * row[i];
            }
            Real total = 0;
            if (edge.right < 0) {
                for (int y = 0; y < n_left; ++y) left_out[y] += sums[y], total += sums[y] * left[y];
            } else {
                const Real* right = &inside_[first_[edge.right]];
                Real* right_out = &outside_[first_[edge.right]];
                for (int y = 0; y < n_left; ++y) {
                    const Real* row = sums + y * n_right;
                    Real sum = 0;
#pragma omp simd reduction(+ : sum)
                    for (int z = 0; z < n_right; ++z) sum += row[z] * right[z];
                    left_out[y] += sum;
                    total += sum * left[y];
                    const Real l = left[y];
#pragma omp simd
                    for (int z = 0; z < n_right; ++z) right_out[z] += row[z] * l;
                }
            }
            edge_posterior[e] = total;
        }
    }
}

template <class Real>
void StatePass<Real>::count(std::span<double> binary, std::span<double> unary, std::span<double> lexical) const {
    for (std::int32_t v = 0; v < forest_.n_nodes(); ++v) {
        const Real* out = &outside_[first_[v]];
        const int n = weights_.states[forest_.symbol[v]];
        if (forest_.lexical[v] >= 0) {
            const std::int64_t at = words_.first[forest_.lexical[v]];
            for (int x = 0; x < n; ++x) lexical[at + x] += double(out[x]) * words_.values[at + x] * scale_;
        }
        for (int e = forest_.first_edge[v]; e < forest_.first_edge[v + 1]; ++e) {
            const ForestEdge& edge = forest_.edges[e];
            const Real* left = &inside_[first_[edge.left]];
            const int n_left = weights_.states[forest_.symbol[edge.left]];
            const int n_right = edge.right >= 0 ? weights_.states[forest_.symbol[edge.right]] : 1;
            const Real* factor = left;
            if (edge.right >= 0) {
                const Real* right = &inside_[first_[edge.right]];
                for (int y = 0; y < n_left; ++y)
                    for (int z = 0; z < n_right; ++z) pairs_[y * n_right + z] = left[y] * right[z];
                factor = pairs_.data();
            }
            const int size = n_left * n_right;
            const std::int64_t at =
                edge.right >= 0 ? weights_.binary_first[edge.rule] : weights_.unary_first[edge.rule];
            const float* block = edge.right >= 0 ? &weights_.binary[at] : &weights_.unary[at];
            double* sum = edge.right >= 0 ? &binary[at] : &unary[at];
            for (int x = 0; x < n; ++x) {
                const Real o = out[x];
                if (o == 0) continue;
                const std::size_t row = std::size_t(x) * size;
#pragma omp simd
                for (int i = 0; i < size; ++i) sum[row + i] += o * block[row + i] * factor[i];
            }
        }
    }
}

template <class Real>
double StatePass<Real>::posterior(std::int32_t v) const {
    double sum = 0;
    for (std::size_t i = first_[v]; i < first_[v + 1]; ++i) sum += double(inside_[i]) * outside_[i];
    return sum;
}

template <class Real>
double StatePass<Real>::lexical_posterior(std::int32_t v) const {
    double sum = 0;
    const std::int64_t at = words_.first[forest_.lexical[v]];
    for (std::size_t i = first_[v]; i < first_[v + 1]; ++i)
        sum += double(outside_[i]) * words_.values[at + (i - first_[v])] * scale_;
    return sum;
}

template class StatePass<float>;
template class StatePass<double>;

}  // namespace palmette

#include "passes.hpp"

#include "inside.hpp"

namespace palmette {
namespace {

std::vector<Scaled> scaled_of_logs(std::span<const double> scores) {
    std::vector<Scaled> weight;
    weight.reserve(scores.size());
    for (double x : scores) weight.push_back(scaled::from_log(x));
    return weight;
}

std::vector<Expectation::Value> expectation_weights(std::span<const double> scores, std::span<const double> values) {
    std::vector<Expectation::Value> weight;
    weight.reserve(scores.size());
    for (size_t k = 0; k < scores.size(); ++k)
        weight.push_back(Expectation::make(scaled::from_log(scores[k]), values[k]));
    return weight;
}

template <class S>
std::vector<typename S::Value> values_of(const Hypergraph& g, std::span<const typename S::Value> weight,
                                         bool with_outside, const S& s = {}) {
    auto in = inside<S>(g, weight, s);
    return with_outside ? outside<S>(g, weight, in, s) : in;
}

}  // namespace

LogPass::LogPass(const Hypergraph& g, std::span<const double> scores, bool with_outside)
    : weight(scaled_of_logs(scores)), in(inside<Log>(g, weight, Log{})) {
    if (g.root >= 0) total = in[g.root];
    if (with_outside) out = outside<Log>(g, weight, in, Log{});
}

std::vector<double> log_values(const Hypergraph& g, std::span<const double> scores, bool outside) {
    LogPass pass(g, scores, outside);
    std::vector<double> logs;
    logs.reserve(g.n_nodes);
    for (Scaled x : outside ? pass.out : pass.in) logs.push_back(scaled::to_log(x));
    return logs;
}

std::vector<double> max_values(const Hypergraph& g, std::span<const double> scores, bool outside) {
    return values_of<Max>(g, scores, outside);
}

std::vector<double> real_values(const Hypergraph& g, std::span<const double> weights, bool outside) {
    return values_of<Real>(g, weights, outside);
}

std::vector<uint8_t> boolean_values(const Hypergraph& g, std::span<const uint8_t> values, bool outside) {
    return values_of<Boolean>(g, values, outside);
}

std::vector<uint64_t> count_values(const Hypergraph& g, std::span<const uint64_t> counts, bool outside) {
    return values_of<Counting>(g, counts, outside);
}

std::vector<BigNat> big_count_values(const Hypergraph& g, std::span<const uint64_t> counts, bool outside) {
    std::vector<BigNat> weight(counts.begin(), counts.end());
    return values_of<BigCounting>(g, weight, outside);
}

std::vector<std::vector<double>> kbest_values(const Hypergraph& g, std::span<const double> scores, size_t k,
                                              bool outside) {
    std::vector<std::vector<double>> weight;
    for (double x : scores) weight.push_back(x == kLogZero ? std::vector<double>{} : std::vector<double>{x});
    return values_of<KBest>(g, weight, outside, KBest{k});
}

Expectations expectation_values(const Hypergraph& g, std::span<const double> scores, std::span<const double> values,
                                bool outside) {
    Expectations result;
    for (const auto& x : values_of<Expectation>(g, expectation_weights(scores, values), outside)) {
        result.logs.push_back(scaled::to_log({x.m, x.e}));
        result.means.push_back(x.m == 0.0 ? 0.0 : x.r / x.m);
    }
    return result;
}

Marginals marginals(const Hypergraph& g, std::span<const double> scores) {
    LogPass pass(g, scores, true);
    Marginals result{scaled::to_log(pass.total), std::vector<double>(g.n_parts), std::vector<double>(g.n_nodes)};
    auto totals = part_totals<Log>(g, pass.weight, pass.in, pass.out, Log{});
    for (int32_t k = 0; k < g.n_parts; ++k) result.parts[k] = scaled::ratio(totals[k], pass.total);
    for (int32_t v = 0; v < g.n_nodes; ++v)
        result.nodes[v] = scaled::ratio(scaled::times(pass.in[v], pass.out[v]), pass.total);
    return result;
}

std::vector<double> edge_marginals(const Hypergraph& g, std::span<const double> scores) {
    LogPass pass(g, scores, true);
    std::vector<double> edges(g.n_edges(), 0.0);
    for_each_edge_total<Log>(g, pass.weight, pass.in, pass.out, Log{},
                             [&](int32_t e, Scaled total) { edges[e] = scaled::ratio(scaled::normal(total), pass.total); });
    return edges;
}

std::vector<double> max_marginals(const Hypergraph& g, std::span<const double> scores) {
    Max s;
    auto in = inside<Max>(g, scores, s);
    auto out = outside<Max>(g, scores, in, s);
    std::vector<double> edges(g.n_edges(), kLogZero);
    for_each_edge_total<Max>(g, scores, in, out, s, [&](int32_t e, double total) { edges[e] = total; });
    return edges;
}

std::pair<double, std::vector<double>> covariance(const Hypergraph& g, std::span<const double> scores,
                                                  std::span<const double> values) {
    g.require_acyclic("the covariance");
    std::vector<double> result(g.n_parts, 0.0);
    Expectation s;
    auto weight = expectation_weights(scores, values);
    auto in = inside<Expectation>(g, weight, s);
    if (g.root < 0 || s.is_zero(in[g.root])) return {0.0, std::move(result)};
    auto out = outside<Expectation>(g, weight, in, s);
    const auto z = in[g.root];
    const double mean = z.r / z.m;
    auto totals = part_totals<Expectation>(g, weight, in, out, s);
    for (int32_t k = 0; k < g.n_parts; ++k) {
        const auto& t = totals[k];
        // E[v n_k] - E[v] E[n_k], with both ratios taken at the same scale.
        if (!s.is_zero(t)) result[k] = scaled::shifted(t.r / z.m - mean * (t.m / z.m), t.e - z.e);
    }
    return {mean, std::move(result)};
}

}  // namespace palmette

#include "inference/passes.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "inference/inside.hpp"

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

// Sums in plain doubles. They will do where every value is zero or within 2^±255, since no product of four such values
// leaves the range of a double; that holds for sentences of some thirty words, and takes two thirds of the time.
struct PlainPass {
    std::vector<double> weight, in, out;
    double total = 0.0;
};

bool is_plain(std::span<const double> values) {
    return std::all_of(values.begin(), values.end(),
                       [](double x) { return x == 0.0 || (x >= 0x1p-255 && x <= 0x1p255); });
}

// Nothing where a value, an edge of many tails or a cycle asks for more.
std::optional<PlainPass> plain_pass(const Hypergraph& g, std::span<const double> scores, bool with_outside) {
    if (!g.is_acyclic() || g.most_tails > 2) return {};
    PlainPass pass;
    pass.weight.reserve(scores.size());
    for (double x : scores) pass.weight.push_back(std::exp(x));
    for (size_t k = 0; k < scores.size(); ++k)
        if (pass.weight[k] == 0.0 && scores[k] != kLogZero) return {};
    if (!is_plain(pass.weight)) return {};
    pass.in = inside<Real>(g, pass.weight, Real{});
    if (!is_plain(pass.in)) return {};
    if (g.root >= 0) pass.total = pass.in[g.root];
    if (!with_outside) return pass;
    pass.out = outside<Real>(g, pass.weight, pass.in, Real{});
    if (!is_plain(pass.out)) return {};
    return pass;
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
    std::vector<double> logs;
    logs.reserve(g.n_nodes);
    if (auto plain = plain_pass(g, scores, outside)) {
        for (double x : outside ? plain->out : plain->in) logs.push_back(std::log(x));
    } else {
        LogPass pass(g, scores, outside);
        for (Scaled x : outside ? pass.out : pass.in) logs.push_back(scaled::to_log(x));
    }
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

namespace {

double share(double part, double whole) { return part == 0.0 ? 0.0 : part / whole; }
double share(Scaled part, Scaled whole) { return scaled::ratio(scaled::normal(part), whole); }

template <class S, class Pass>
Marginals marginals_of(const Hypergraph& g, const Pass& pass, double log_z, const S& s) {
    Marginals result{log_z, std::vector<double>(g.n_parts), std::vector<double>(g.n_nodes)};
    auto totals = part_totals<S>(g, pass.weight, pass.in, pass.out, s);
    for (int32_t k = 0; k < g.n_parts; ++k) result.parts[k] = share(totals[k], pass.total);
    for (int32_t v = 0; v < g.n_nodes; ++v) result.nodes[v] = share(s.times(pass.in[v], pass.out[v]), pass.total);
    return result;
}

template <class S, class Pass>
std::vector<double> edge_marginals_of(const Hypergraph& g, const Pass& pass, const S& s) {
    std::vector<double> edges(g.n_edges(), 0.0);
    for_each_edge_total<S>(g, pass.weight, pass.in, pass.out, s, [&](int32_t e, const typename S::Value& total) {
        edges[e] = share(total, pass.total);
    });
    return edges;
}

}  // namespace

Marginals marginals(const Hypergraph& g, std::span<const double> scores) {
    if (auto plain = plain_pass(g, scores, true)) return marginals_of(g, *plain, std::log(plain->total), Real{});
    LogPass pass(g, scores, true);
    return marginals_of(g, pass, scaled::to_log(pass.total), Log{});
}

std::vector<double> edge_marginals(const Hypergraph& g, std::span<const double> scores) {
    if (auto plain = plain_pass(g, scores, true)) return edge_marginals_of(g, *plain, Real{});
    return edge_marginals_of(g, LogPass(g, scores, true), Log{});
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

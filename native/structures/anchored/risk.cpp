// Trees of minimum risk: parts get their probabilities for scores, and the best tree is looked for.
#include <cmath>
#include <limits>

#include "structures/anchored/problem.hpp"

namespace palmette {
namespace {

// How much an expected right node that binarization made counts beside an expected right bracket.
constexpr float kInner = 0.3f;

}  // namespace

double AnchoredProblem::rule_product(State& s, Output& y) const {
    const AnchoredGraph& g = prepared(s.example).graph;
    const Layout at = layout(g);
    y.clear();
    if (g.roots.empty()) return kNoTree;
    static thread_local std::vector<float> parts;
    parts.resize(at.end);
    marginals(s, parts.data());
    // The least that a float can be is still better than nothing: no rule of the graph is impossible.
    const auto log_of = [&](std::size_t part) { return std::log(std::max(parts[part], std::numeric_limits<float>::min())); };
    s.scores.assign(at.end, 0.0f);
    for (std::size_t a = 0; a < g.lows.size(); ++a)
        if (g.lows[a].edge_begin == g.lows[a].edge_end) s.scores[a] = log_of(a);
    for (std::size_t part = at.unary; part < at.rule; ++part) s.scores[part] = log_of(part);
    for (std::size_t part = at.edge; part < at.root; ++part) s.scores[part] = log_of(part);
    for (std::size_t k = 0; k < g.roots.size(); ++k)
        if (g.roots[k].up >= 0) s.scores[at.root + k] = log_of(at.root + k);
    costs(s, g, 0);
    const double score = viterbi(s, g);
    follow(s, g, y);
    return score;
}

double AnchoredProblem::minimum_risk(State& s, double offset, Output& y) const {
    const AnchoredGraph& g = prepared(s.example).graph;
    const AnchoredGrammar& grammar = *d_.grammar;
    const Layout at = layout(g);
    y.clear();
    if (g.roots.empty()) return kNoTree;
    static thread_local std::vector<float> parts;
    parts.resize(at.end);
    marginals(s, parts.data());
    // A bracket's probability is that of the lower item and of all chains with its label.
    struct Found {
        std::int32_t label;
        float p;
    };
    std::vector<Found> found;
    s.scores.assign(at.end, 0.0f);
    costs(s, g, 0);
    for (const AnchoredGraph::Span& span : g.spans) {
        found.clear();
        const auto with_chains = [&](auto&& visit) {
            for (std::int32_t u = span.up_begin; u < span.up_end; ++u)
                for (auto c = static_cast<std::size_t>(g.ups[static_cast<std::size_t>(u)].unary_begin); c < static_cast<std::size_t>(g.ups[static_cast<std::size_t>(u)].unary_end); ++c) {
                    const auto symbols = grammar.chain(static_cast<std::size_t>(g.unaries[c].chain));
                    for (const std::int32_t symbol : symbols.first(symbols.size() - 1)) visit(symbol, at.unary + c);
                }
        };
        const auto add = [&](std::int32_t symbol, float p) {
            if (grammar.kinds[static_cast<std::size_t>(symbol)] != AnchoredGrammar::phrase) return;
            const std::int32_t label = grammar.coarse[static_cast<std::size_t>(symbol)];
            for (Found& f : found)
                if (f.label == label) {
                    f.p += p;
                    return;
                }
            found.push_back({label, p});
        };
        const auto gain = [&](std::int32_t symbol) {
            if (grammar.kinds[static_cast<std::size_t>(symbol)] != AnchoredGrammar::phrase) return 0.0f;
            for (const Found& f : found)
                if (f.label == grammar.coarse[static_cast<std::size_t>(symbol)]) return f.p - static_cast<float>(offset);
            return 0.0f;
        };
        for (std::int32_t a = span.low_begin; a < span.low_end; ++a) add(g.lows[static_cast<std::size_t>(a)].symbol, parts[static_cast<std::size_t>(a)]);
        with_chains([&](std::int32_t symbol, std::size_t part) { add(symbol, parts[part]); });
        for (std::int32_t a = span.low_begin; a < span.low_end; ++a) {
            const std::int32_t symbol = g.lows[static_cast<std::size_t>(a)].symbol;
            const std::uint8_t kind = grammar.kinds[static_cast<std::size_t>(symbol)];
            const float p = parts[static_cast<std::size_t>(a)];
            s.scores[static_cast<std::size_t>(a)] = kind == AnchoredGrammar::phrase ? gain(symbol) : kind == AnchoredGrammar::tag ? p : kInner * p;
        }
        with_chains([&](std::int32_t symbol, std::size_t part) { s.scores[part] += gain(symbol); });
    }
    const double score = viterbi(s, g);
    follow(s, g, y);
    return score;
}

}  // namespace palmette

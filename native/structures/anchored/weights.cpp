// Between weights and parts: the scores of parts, and their transpose.
#include <cmath>
#include <utility>

#include "base/parallel.hpp"
#include "learning/hashed_pullback.hpp"
#include "structures/anchored/problem.hpp"

namespace palmette {
template <class Visit>
void AnchoredProblem::walk(const Prepared& p, Visit&& visit, const float* only) const {
    const AnchoredGraph& g = p.graph;
    const AnchoredFeatures& f = p.features;
    const AnchoredGrammar& grammar = *d_.grammar;
    const Layout at = layout(g);
    const auto wanted = [&](std::size_t part) { return !only || only[part] != 0; };
    const auto to = [&visit](std::size_t part) { return [&visit, part](std::size_t, std::size_t place, bool) { visit(part, place); }; };
    Keys<std::size(kTagTemplates)> tags;
    Keys<std::size(kLabelTemplatesOfSpans)> labels;
    Keys<std::size(kRuleTemplatesOfSpans)> rules;
    Keys<std::size(kSplitTemplates)> split;
    // Rules above the same halves of the same span see the same.
    static thread_local std::vector<Keys<std::size(kEdgeTemplates)>> anchors;
    static thread_local std::vector<const AnchoredGraph::Span*> anchored;
    anchors.resize(g.n + 1);
    anchored.assign(g.n + 1, nullptr);
    for (const AnchoredGraph::Span& span : g.spans) {
        const bool word = span.end == span.start + 1;
        if (word) f.keys(kTagTemplates, AnchoredFamily::tag, span.start, span.end, span.start, tags);
        f.keys(kLabelTemplatesOfSpans, AnchoredFamily::label, span.start, span.end, span.start, labels);
        f.keys(kRuleTemplatesOfSpans, AnchoredFamily::rule, span.start, span.end, span.start, rules);
        for (std::int32_t a = span.low_begin; a < span.low_end; ++a) {
            const AnchoredGraph::Low& low = g.lows[static_cast<std::size_t>(a)];
            const auto symbol = static_cast<std::size_t>(low.symbol), part = static_cast<std::size_t>(a);
            if (wanted(part)) {
                if (word) join(tags, grammar.symbol_key[symbol], grammar.coarse_symbol_key[symbol], to(part));
                else join(labels, grammar.symbol_key[symbol], grammar.coarse_symbol_key[symbol], to(part));
            }
            for (std::int32_t q = low.rule_begin; q < low.rule_end; ++q) {
                const AnchoredGraph::RuleSpan& above = g.rules[static_cast<std::size_t>(q)];
                const auto rule = static_cast<std::size_t>(above.rule);
                if (wanted(at.rule + static_cast<std::size_t>(q)))
                    join(rules, grammar.rule_key[rule], grammar.coarse_rule_key[rule], to(at.rule + static_cast<std::size_t>(q)));
                for (std::int32_t e = above.edge_begin; e < above.edge_end; ++e) {
                    const std::size_t edge = at.edge + static_cast<std::size_t>(e);
                    if (!wanted(edge)) continue;
                    const auto k = static_cast<std::size_t>(g.edges[static_cast<std::size_t>(e)].split);
                    if (anchored[k] != &span) f.keys(kEdgeTemplates, AnchoredFamily::edge, span.start, span.end, static_cast<std::int32_t>(k), anchors[k]);
                    anchored[k] = &span;
                    join(anchors[k], grammar.rule_key[rule], grammar.coarse_rule_key[rule], to(edge));
                }
            }
        }
        for (std::int32_t u = span.up_begin; u < span.up_end; ++u)
            for (std::int32_t c = g.ups[static_cast<std::size_t>(u)].unary_begin; c < g.ups[static_cast<std::size_t>(u)].unary_end; ++c) {
                const std::size_t part = at.unary + static_cast<std::size_t>(c);
                if (!wanted(part)) continue;
                const auto chain = static_cast<std::size_t>(g.unaries[static_cast<std::size_t>(c)].chain);
                const auto symbols = grammar.chain(chain);
                for (const std::int32_t s : symbols.first(symbols.size() - 1)) {
                    const auto symbol = static_cast<std::size_t>(s);
                    join(labels, grammar.symbol_key[symbol], grammar.coarse_symbol_key[symbol], to(part));
                }
                join(rules, grammar.chain_key[chain], grammar.coarse_chain_key[chain], to(part));
            }
    }
    for (std::size_t k = 0; k < g.splits.size(); ++k) {
        if (!wanted(at.split + k)) continue;
        const auto rule = static_cast<std::size_t>(g.splits[k].rule), parent = static_cast<std::size_t>(grammar.binary[rule].parent);
        f.keys(kSplitTemplates, AnchoredFamily::split, 0, static_cast<std::int32_t>(g.n), g.splits[k].split, split);
        join(split, grammar.rule_key[rule], grammar.coarse_rule_key[rule], to(at.split + k));
        join(split, grammar.symbol_key[parent], grammar.coarse_symbol_key[parent], to(at.split + k));
    }
    Keys<std::size(kRootTemplates)> whole;
    if (!g.roots.empty()) f.keys(kRootTemplates, AnchoredFamily::root, 0, static_cast<std::int32_t>(g.n), 0, whole);
    for (std::size_t k = 0; k < g.roots.size(); ++k)
        if (g.roots[k].up >= 0 && wanted(at.root + k))
            join(whole, grammar.symbol_key[static_cast<std::size_t>(g.roots[k].symbol)], 0, to(at.root + k));
}

// Weights are asked for when their places are known and added some hundreds later, when they have come: the table does not
// fit the caches.
void AnchoredProblem::score(State& s, std::size_t i, const float* w, float scale) const {
    s.example = i;
    const Prepared& p = prepared(i);
    s.scores.assign(layout(p.graph).end, 0.0f);
    constexpr std::size_t kRoom = 512;
    std::pair<std::uint32_t, std::uint32_t> later[kRoom];
    std::size_t n = 0;
    float* to = s.scores.data();
    walk(p, [&](std::size_t part, std::size_t at) {
        if (n == kRoom) {
            for (const auto& [where, place] : later) to[where] += w[place];
            n = 0;
        }
        __builtin_prefetch(w + at);
        later[n++] = {static_cast<std::uint32_t>(part), static_cast<std::uint32_t>(at)};
    });
    for (std::size_t k = 0; k < n; ++k) to[later[k].first] += w[later[k].second];
    if (scale != 1)
        for (float& x : s.scores) x *= scale;
}

void AnchoredProblem::list_places(std::size_t i, std::vector<std::uint32_t>& places) const {
    places.clear();
    walk(prepared(i), [&](std::size_t, std::size_t at) { places.push_back(static_cast<std::uint32_t>(at)); });
}

void AnchoredProblem::list_difference(std::size_t i, const Output& gold, const Output& guess, std::vector<SparseVector::Entry>& entries) const {
    AnchoredTree more, less;
    std::set_difference(gold.begin(), gold.end(), guess.begin(), guess.end(), std::back_inserter(more));
    std::set_difference(guess.begin(), guess.end(), gold.begin(), gold.end(), std::back_inserter(less));
    entries.clear();
    for (const float sign : {1.0f, -1.0f})
        features(i, sign > 0 ? more : less, [&](const AnchoredUse&, std::size_t at) {
            if (!free_ || free_[at]) entries.push_back({at, sign});
        });
}

void AnchoredProblem::part_scores(std::size_t i, const float* w, float* parts) const {
    State s;
    score(s, i, w, 1.0f);
    std::copy(s.scores.begin(), s.scores.end(), parts);
}

void AnchoredProblem::set_scores(State& s, std::size_t i, const float* parts) const {
    s.example = i;
    s.scores.assign(parts, parts + layout(prepared(i).graph).end);
}

void AnchoredProblem::list_changes(std::size_t i, const float* parts, float step, WeightChanges& changes) const {
    changes.start(n_weights(), parts, n_parts(i), step);
    const float* kept = changes.kept().data();
    walk(prepared(i), [&](std::size_t part, std::size_t at) { changes.add(at, kept[part]); }, kept);
}

void AnchoredProblem::pullback(std::size_t i, const float* parts, float step, float* to) const {
    static thread_local std::vector<float> kept;
    scaled_parts(parts, n_parts(i), step, kept);
    LateChanges changes(to);
    walk(
        prepared(i),
        [&](std::size_t part, std::size_t at) {
            if (!free_ || free_[at]) changes.add(at, kept[part]);
        },
        kept.data());
}

void AnchoredProblem::pullback_block(std::size_t begin, std::size_t end, const float* parts, int n_jobs, float* to) const {
    pullback_in_blocks(*this, begin, end, parts, n_jobs, to);
}

}  // namespace palmette

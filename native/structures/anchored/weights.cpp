// Between weights and parts: the scores of parts, and their transpose.
#include <cmath>
#include <utility>

#include "base/parallel.hpp"
#include "learning/hashed_pullback.hpp"
#include "structures/anchored/problem.hpp"

namespace palmette {
namespace {

// Sums of weights, some thousands at a time: a weight is asked for when its place is known and added when it has come, for
// the table does not fit the caches. A part's weights are added to each other first, in four sums side by side.
class WeightSums {
public:
    WeightSums(const float* w, int shift, float* to) : w_(w), shift_(shift), to_(to) {}
    ~WeightSums() { finish(); }
    WeightSums(const WeightSums&) = delete;
    WeightSums& operator=(const WeightSums&) = delete;

    void add(std::size_t part, const std::uint64_t* keys, std::size_t n, std::uint64_t name) {
        if (n_ + n > kRoom || rows_ == kRows) finish();
        std::uint32_t* places = places_ + n_;
        for (std::size_t t = 0; t < n; ++t) places[t] = static_cast<std::uint32_t>((keys[t] ^ name) * kOdd >> shift_);
        for (std::size_t t = 0; t < n; ++t) __builtin_prefetch(w_ + places[t]);
        row_[rows_++] = {static_cast<std::uint32_t>(part), static_cast<std::uint32_t>(n)};
        n_ += n;
    }

private:
    static constexpr std::size_t kRoom = 1024, kRows = 256;
    struct Row {
        std::uint32_t part, n;
    };

    void finish() {
        const std::uint32_t* at = places_;
        for (std::size_t r = 0; r < rows_; ++r) {
            const auto [part, n] = row_[r];
            float sums[4] = {};
            std::uint32_t t = 0;
            for (; t + 4 <= n; t += 4)
                for (std::uint32_t k = 0; k < 4; ++k) sums[k] += w_[at[t + k]];
            for (; t < n; ++t) sums[t % 4] += w_[at[t]];
            to_[part] += (sums[0] + sums[1]) + (sums[2] + sums[3]);
            at += n;
        }
        n_ = rows_ = 0;
    }

    const float* w_;
    int shift_;
    float* to_;
    std::size_t n_ = 0, rows_ = 0;
    std::uint32_t places_[kRoom];
    Row row_[kRows];
};

}  // namespace

template <class Visit>
void AnchoredProblem::walk(const Prepared& p, Visit&& visit, const float* only) const {
    const AnchoredGraph& g = p.graph;
    const AnchoredFeatures& f = p.features;
    const AnchoredGrammar& grammar = *d_.grammar;
    const Layout at = layout(g);
    const auto wanted = [&](std::size_t part) { return !only || only[part] != 0; };
    const auto join = [&visit](const auto& found, std::uint64_t name, std::uint64_t coarse, std::size_t part) {
        visit(part, found.keys.data(), found.n, name);
        if (coarse) visit(part, found.keys.data(), found.n, coarse);
    };
    FoundKeys<std::size(kTagTemplates)> tags;
    FoundKeys<std::size(kLabelTemplatesOfSpans)> labels;
    FoundKeys<std::size(kRuleTemplatesOfSpans)> rules;
    // Rules above the same halves of the same span see the same, and so do all that are split at the same place.
    static thread_local std::vector<FoundKeys<std::size(kEdgeTemplates)>> anchors;
    static thread_local std::vector<FoundKeys<std::size(kSplitTemplates)>> split;
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
                if (word) join(tags, grammar.symbol_key[symbol], grammar.coarse_symbol_key[symbol], part);
                else join(labels, grammar.symbol_key[symbol], grammar.coarse_symbol_key[symbol], part);
            }
            for (std::int32_t q = low.rule_begin; q < low.rule_end; ++q) {
                const AnchoredGraph::RuleSpan& above = g.rules[static_cast<std::size_t>(q)];
                const auto rule = static_cast<std::size_t>(above.rule);
                if (wanted(at.rule + static_cast<std::size_t>(q)))
                    join(rules, grammar.rule_key[rule], grammar.coarse_rule_key[rule], at.rule + static_cast<std::size_t>(q));
                for (std::int32_t e = above.edge_begin; e < above.edge_end; ++e) {
                    const std::size_t edge = at.edge + static_cast<std::size_t>(e);
                    if (!wanted(edge)) continue;
                    const auto k = static_cast<std::size_t>(g.edges[static_cast<std::size_t>(e)].split);
                    if (anchored[k] != &span) f.keys(kEdgeTemplates, AnchoredFamily::edge, span.start, span.end, static_cast<std::int32_t>(k), anchors[k]);
                    anchored[k] = &span;
                    join(anchors[k], grammar.rule_key[rule], grammar.coarse_rule_key[rule], edge);
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
                    join(labels, grammar.symbol_key[symbol], grammar.coarse_symbol_key[symbol], part);
                }
                join(rules, grammar.chain_key[chain], grammar.coarse_chain_key[chain], part);
            }
    }
    split.resize(g.n + 1);
    for (auto& found : split) found.n = 0;
    for (std::size_t k = 0; k < g.splits.size(); ++k) {
        if (!wanted(at.split + k)) continue;
        const auto rule = static_cast<std::size_t>(g.splits[k].rule), parent = static_cast<std::size_t>(grammar.binary[rule].parent);
        auto& here = split[static_cast<std::size_t>(g.splits[k].split)];
        if (!here.n) f.keys(kSplitTemplates, AnchoredFamily::split, 0, static_cast<std::int32_t>(g.n), g.splits[k].split, here);
        join(here, grammar.rule_key[rule], grammar.coarse_rule_key[rule], at.split + k);
        join(here, grammar.symbol_key[parent], grammar.coarse_symbol_key[parent], at.split + k);
    }
    FoundKeys<std::size(kRootTemplates)> whole;
    if (!g.roots.empty()) f.keys(kRootTemplates, AnchoredFamily::root, 0, static_cast<std::int32_t>(g.n), 0, whole);
    for (std::size_t k = 0; k < g.roots.size(); ++k)
        if (g.roots[k].up >= 0 && wanted(at.root + k))
            join(whole, grammar.symbol_key[static_cast<std::size_t>(g.roots[k].symbol)], 0, at.root + k);
}

void AnchoredProblem::score(State& s, std::size_t i, const float* w, float scale) const {
    s.example = i;
    const Prepared& p = prepared(i);
    s.scores.assign(layout(p.graph).end, 0.0f);
    {
        WeightSums sums(w, static_cast<int>(64 - d_.bits), s.scores.data());
        walk(p, [&](std::size_t part, const std::uint64_t* keys, std::size_t n, std::uint64_t name) { sums.add(part, keys, n, name); });
    }
    if (scale != 1)
        for (float& x : s.scores) x *= scale;
}

void AnchoredProblem::list_places(std::size_t i, std::vector<std::uint32_t>& places) const {
    places.clear();
    walk(prepared(i), [&](std::size_t, const std::uint64_t* keys, std::size_t n, std::uint64_t name) {
        for (std::size_t t = 0; t < n; ++t) places.push_back(static_cast<std::uint32_t>(place(keys[t], name)));
    });
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
    walk(
        prepared(i),
        [&](std::size_t part, const std::uint64_t* keys, std::size_t n, std::uint64_t name) {
            for (std::size_t t = 0; t < n; ++t) changes.add(place(keys[t], name), kept[part]);
        },
        kept);
}

void AnchoredProblem::pullback(std::size_t i, const float* parts, float step, float* to) const {
    static thread_local std::vector<float> kept;
    scaled_parts(parts, n_parts(i), step, kept);
    LateChanges changes(to);
    walk(
        prepared(i),
        [&](std::size_t part, const std::uint64_t* keys, std::size_t n, std::uint64_t name) {
            for (std::size_t t = 0; t < n; ++t)
                if (const std::size_t at = place(keys[t], name); !free_ || free_[at]) changes.add(at, kept[part]);
        },
        kept.data());
}

void AnchoredProblem::pullback_block(std::size_t begin, std::size_t end, const float* parts, int n_jobs, float* to) const {
    pullback_in_blocks(*this, begin, end, parts, n_jobs, to);
}

}  // namespace palmette

#include "tools/constituency/lcfrs/em.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "base/interrupt.hpp"
#include "base/parallel.hpp"

namespace palmette {
namespace {

constexpr std::size_t kPieces = 8;
constexpr double kFirstScale = 8000;

}  // namespace

LcfrsEm::LcfrsEm(LcfrsRules given, const DerivationTrees& t, std::int32_t n_entries) : rules(std::move(given)) {
    const auto bad = [](const char* what) { throw std::invalid_argument(what); };
    const auto n = static_cast<std::int64_t>(t.symbol.size());
    if (t.first.empty() || t.first.front() != 0 || t.first.back() != n || t.rule.size() != t.symbol.size() ||
        t.left.size() != t.symbol.size() || t.right.size() != t.symbol.size() || t.entry.size() != t.symbol.size() ||
        n_entries < 0)
        bad("the arrays of trees do not fit each other.");
    entry_symbol_.assign(n_entries, -1);
    for (std::size_t k = 0; k + 1 < t.first.size(); ++k) {
        if (t.first[k] >= t.first[k + 1] || t.first[k + 1] > n) bad("a tree is empty.");
        LcfrsForest tree;
        tree.first_edge.push_back(0);
        std::int16_t words = 0;
        for (std::int64_t i = t.first[k]; i < t.first[k + 1]; ++i) {
            const std::int32_t here = tree.n_nodes(), symbol = t.symbol[i], left = t.left[i], right = t.right[i],
                               rule = t.rule[i];
            if (symbol < 0 || static_cast<std::size_t>(symbol) >= rules.fan_out.size())
                bad("a tree has a symbol that the grammar has not.");
            if (t.entry[i] >= 0) {
                if (t.entry[i] >= n_entries || (entry_symbol_[t.entry[i]] >= 0 && entry_symbol_[t.entry[i]] != symbol))
                    bad("a tag of a tree does not fit its entry.");
                entry_symbol_[t.entry[i]] = symbol;
                ++words;
            } else {
                if (left < 0 || left >= here || right >= here || rule < 0)
                    bad("a node of a tree has no children before it.");
                const bool fits =
                    right < 0 ? static_cast<std::size_t>(rule) < rules.unary_parent.size() &&
                                    rules.unary_parent[rule] == symbol && rules.unary_child[rule] == tree.symbol[left]
                              : static_cast<std::size_t>(rule) < rules.parent.size() && rules.parent[rule] == symbol &&
                                    rules.left[rule] == tree.symbol[left] && rules.right[rule] == tree.symbol[right];
                if (!fits) bad("a node of a tree does not fit its rule.");
                tree.edges.push_back({rule, left, right < 0 ? -1 : right});
            }
            tree.symbol.push_back(symbol);
            tree.lexical.push_back(t.entry[i]);
            tree.span.emplace_back(0, 0);
            tree.n_words.push_back(words);
            tree.first_edge.push_back(static_cast<std::int32_t>(tree.edges.size()));
        }
        tree.root = tree.n_nodes() - 1;
        if (words == 0 || tree.symbol[tree.root] != rules.root) bad("a tree does not begin with the root.");
        trees_.push_back(std::move(tree));
    }
    scales_.assign(trees_.size(), kFirstScale);
}

void LcfrsEm::check(const StateWeights& weights, LexicalStates words) const {
    weights.check(rules);
    if (words.first.size() != entry_symbol_.size())
        throw std::invalid_argument("the states of words do not fit the trees.");
    for (std::size_t e = 0; e < entry_symbol_.size(); ++e)
        if (entry_symbol_[e] >= 0 && (words.first[e] < 0 || words.first[e] + weights.states[entry_symbol_[e]] >
                                                                static_cast<std::int64_t>(words.values.size())))
            throw std::invalid_argument("the states of words do not fit the trees.");
}

// Calls work(piece, tree, pass, log_likelihood) for every tree with a sum that is not zero.
template <class Work>
void LcfrsEm::for_trees(const StateWeights& weights, LexicalStates words, int n_jobs, Work&& work) {
    check(weights, words);
    parallel(kPieces, n_jobs, [&](std::size_t piece, std::size_t) {
        for (std::size_t t = piece; t < trees_.size(); t += kPieces) {
            check_interrupt();
            const LcfrsForest& tree = trees_[t];
            const int n = tree.n_words.back();
            const auto run = [&](auto real) {
                using Real = decltype(real);
                StatePass<Real> pass(rules, weights, tree, words, static_cast<Real>(scales_[t]));
                const double total = pass.run_inside();
                if (!(total > (sizeof(Real) == 4 ? 1e-25 : 1e-280)) || !(total < (sizeof(Real) == 4 ? 1e25 : 1e280)))
                    return false;
                pass.run_outside();
                const double log_sum = std::log(total) - n * std::log(scales_[t]);
                scales_[t] = std::exp(-log_sum / n);
                work(piece, tree, pass, log_sum);
                return true;
            };
            if (!run(float{})) run(double{});
        }
    });
}

StateCounts LcfrsEm::expect(const StateWeights& weights, LexicalStates words, int n_jobs) {
    std::vector<StateCounts> pieces(kPieces);
    for (StateCounts& piece : pieces) {
        piece.binary.assign(weights.binary.size(), 0);
        piece.unary.assign(weights.unary.size(), 0);
        piece.lexical.assign(words.values.size(), 0);
    }
    for_trees(weights, words, n_jobs, [&](std::size_t piece, const LcfrsForest&, const auto& pass, double log_sum) {
        pieces[piece].log_likelihood += log_sum;
        pass.count(pieces[piece].binary, pieces[piece].unary, pieces[piece].lexical);
    });
    StateCounts sum = std::move(pieces[0]);
    const auto add = [](std::vector<double>& to, const std::vector<double>& from) {
        for (std::size_t i = 0; i < to.size(); ++i) to[i] += from[i];
    };
    for (std::size_t piece = 1; piece < kPieces; ++piece) {
        sum.log_likelihood += pieces[piece].log_likelihood;
        add(sum.binary, pieces[piece].binary);
        add(sum.unary, pieces[piece].unary);
        add(sum.lexical, pieces[piece].lexical);
    }
    return sum;
}

std::vector<double> LcfrsEm::merge_losses(const StateWeights& weights, LexicalStates words,
                                          std::span<const double> frequency, int n_jobs) {
    std::vector<std::size_t> first;
    std::size_t n = 0;
    for (const auto s : weights.states) first.push_back(n), n += s;
    if (frequency.size() != n) throw std::invalid_argument("frequency: one number for each state of each symbol.");
    std::vector<std::vector<double>> pieces(kPieces, std::vector<double>(n, 0));
    for_trees(weights, words, n_jobs, [&](std::size_t piece, const LcfrsForest& tree, const auto& pass, double) {
        for (std::int32_t v = 0; v < tree.n_nodes(); ++v) {
            const std::size_t at = first[tree.symbol[v]];
            const auto in = pass.inside(v), out = pass.outside(v);
            for (std::size_t x = 0; x + 1 < in.size(); x += 2) {
                const double a = frequency[at + x], b = frequency[at + x + 1], all = a + b;
                if (!(all > 0)) continue;
                const double merged = (a / all * in[x] + b / all * in[x + 1]) * (double(out[x]) + out[x + 1]);
                const double before = double(in[x]) * out[x] + double(in[x + 1]) * out[x + 1];
                const double loss = -std::log(std::max(1 - before + merged, 1e-10));
                pieces[piece][at + x] += loss;
                pieces[piece][at + x + 1] += loss;
            }
        }
    });
    for (std::size_t piece = 1; piece < kPieces; ++piece)
        for (std::size_t i = 0; i < n; ++i) pieces[0][i] += pieces[piece][i];
    return pieces[0];
}

}  // namespace palmette

#include <nanobind/stl/tuple.h>

#include <cmath>
#include <memory>
#include <mutex>
#include <random>
#include <stdexcept>

#include "bind/bind.hpp"
#include "structures/chart/best.hpp"
#include "structures/chart/counts.hpp"

using namespace palmette;

namespace {

auto arrays_of(const std::vector<Derivation>& trees) {
    std::vector<int64_t> offsets{0};
    std::vector<int32_t> symbols, starts, ends, rules;
    for (const Derivation& tree : trees) {
        for (const DerivationNode& node : tree) {
            symbols.push_back(node.symbol);
            starts.push_back(node.start);
            ends.push_back(node.end);
            rules.push_back(node.rule);
        }
        offsets.push_back(static_cast<int64_t>(symbols.size()));
    }
    return std::tuple(numpy_of(std::move(offsets)), numpy_of(std::move(symbols)), numpy_of(std::move(starts)), numpy_of(std::move(ends)), numpy_of(std::move(rules)));
}

// The whole chart of one sentence; maxima and sums when first asked for.
class SentenceChart {
public:
    SentenceChart(const ChartGrammar& grammar, const Array<int32_t>& positions, const Array<int32_t>& symbols, const Array<float>& weights, size_t n,
                  const ChartItems* allowed)
        : grammar_(grammar), positions_(positions.data(), positions.data() + positions.size()), symbols_(symbols.data(), symbols.data() + symbols.size()),
          weights_(weights.data(), weights.data() + weights.size()), n_(n), allowed_(allowed) {
        require(n >= 1 && n <= kMostChartWords, "a sentence has between 1 and 20,000 words");
        require(positions_.size() == symbols_.size() && symbols_.size() == weights_.size(), "emissions have a position, a symbol and a weight each");
        for (size_t k = 0; k < positions_.size(); ++k) {
            require(positions_[k] >= 0 && static_cast<size_t>(positions_[k]) < n && (k == 0 || positions_[k - 1] <= positions_[k]),
                    "the positions of emissions lie in the sentence and come in order");
            require(symbols_[k] >= 0 && symbols_[k] < grammar.symbols(), "an emission has a symbol that the grammar has not");
            require(weights_[k] < std::numeric_limits<float>::infinity(), "the weight of an emission is not a number or +inf");
        }
        require(!allowed || (allowed->n() == n && allowed->symbols() == static_cast<size_t>(grammar.symbols())), "the set of allowed items is of another sentence or grammar");
    }

    float best_value(size_t start, size_t end, size_t symbol) {
        check(start, end, symbol);
        maxima();
        return best_.value(start, end, symbol);
    }
    auto kbest(size_t start, size_t end, size_t symbol, size_t k) {
        check(start, end, symbol);
        maxima();
        std::vector<Derivation> trees;
        std::vector<double> scores;
        {
            nb::gil_scoped_release release;
            if (best_.value(start, end, symbol) != MaxOfLogs::kZero) {
                Derivations derivations(grammar_, emissions(), best_);
                if (k == 1)
                    trees.push_back(derivations.best(start, end, symbol));
                else
                    trees = derivations.kbest(start, end, symbol, k);
            }
            for (const Derivation& tree : trees) scores.push_back(derivation_score(grammar_, emissions(), tree));
        }
        return std::tuple(arrays_of(trees), numpy_of(std::move(scores)));
    }
    // For every span, the item with the highest value plus the prior of its symbol.
    auto best_items(const Array<float>& prior) {
        require(prior.size() == static_cast<size_t>(grammar_.symbols()), "there is one prior per symbol");
        maxima();
        std::vector<int32_t> starts, ends, symbols;
        std::vector<double> scores;
        for (size_t end = 1; end <= n_; ++end)
            for (size_t start = 0; start < end; ++start) {
                float best = MaxOfLogs::kZero;
                int32_t which = -1;
                for (size_t symbol = 0; symbol < prior.size(); ++symbol) {
                    const float value = best_.value(start, end, symbol) + prior.data()[symbol];
                    if (value > best) {
                        best = value;
                        which = static_cast<int32_t>(symbol);
                    }
                }
                if (which < 0) continue;
                starts.push_back(static_cast<int32_t>(start));
                ends.push_back(static_cast<int32_t>(end));
                symbols.push_back(which);
                scores.push_back(best);
            }
        return std::tuple(numpy_of(std::move(starts)), numpy_of(std::move(ends)), numpy_of(std::move(symbols)), numpy_of(std::move(scores)));
    }
    double log_z() {
        sums();
        return sums_.log_z();
    }
    auto posteriors(double least) {
        outside();
        std::vector<int32_t> starts, ends, symbols;
        std::vector<double> probabilities;
        for (size_t end = 1; end <= n_; ++end)
            for (size_t start = 0; start < end; ++start)
                for (size_t symbol = 0; symbol < static_cast<size_t>(grammar_.symbols()); ++symbol) {
                    if (!sums_.outside().alive(end)[symbol]) continue;
                    const double p = sums_.posterior(start, end, symbol);
                    if (!(p >= least) || p == 0) continue;
                    starts.push_back(static_cast<int32_t>(start));
                    ends.push_back(static_cast<int32_t>(end));
                    symbols.push_back(static_cast<int32_t>(symbol));
                    probabilities.push_back(p);
                }
        return std::tuple(numpy_of(std::move(starts)), numpy_of(std::move(ends)), numpy_of(std::move(symbols)), numpy_of(std::move(probabilities)));
    }
    auto expected_counts() {
        outside();
        std::vector<double> binary(grammar_.binary().size()), unary(grammar_.unary().size()), emitted(positions_.size());
        add_expected_counts(grammar_, emissions(), sums_, binary, unary, emitted);
        return std::tuple(numpy_of(std::move(binary)), numpy_of(std::move(unary)), numpy_of(std::move(emitted)));
    }
    auto samples(size_t count, uint64_t seed) {
        sums();
        require(std::isfinite(sums_.log_z()), "no tree of the grammar covers these words");
        std::mt19937_64 random(seed);
        std::vector<Derivation> trees;
        std::vector<double> scores;
        for (size_t k = 0; k < count; ++k) {
            trees.push_back(sampled_derivation(grammar_, emissions(), sums_, random));
            scores.push_back(derivation_score(grammar_, emissions(), trees.back()));
        }
        return std::tuple(arrays_of(trees), numpy_of(std::move(scores)));
    }

private:
    Emissions emissions() const { return {positions_, symbols_, weights_}; }
    void check(size_t start, size_t end, size_t symbol) const {
        require(start < end && end <= n_ && symbol < static_cast<size_t>(grammar_.symbols()), "an item has 0 <= start < end <= n and a symbol of the grammar");
    }
    void maxima() {
        nb::gil_scoped_release release;
        const std::lock_guard lock(guard_);
        if (has_best_) return;
        best_.run(grammar_, emissions(), n_, allowed_);
        has_best_ = true;
    }
    void sums() {
        require(grammar_.sums_exist(), "the weights of chains of unary rules around a cycle add up to infinity");
        nb::gil_scoped_release release;
        const std::lock_guard lock(guard_);
        if (has_sums_) return;
        inside_in_doubles(sums_, grammar_, emissions(), n_, allowed_);
        has_sums_ = true;
    }
    void outside() {
        sums();
        require(std::isfinite(sums_.log_z()), "no tree of the grammar covers these words");
        nb::gil_scoped_release release;
        const std::lock_guard lock(guard_);
        if (has_outside_) return;
        sums_.run_outside(grammar_);
        has_outside_ = true;
    }

    const ChartGrammar& grammar_;
    std::vector<int32_t> positions_, symbols_;
    std::vector<float> weights_;
    size_t n_;
    const ChartItems* allowed_;
    ChartBest best_;
    ChartSums<double> sums_;
    std::mutex guard_;
    bool has_best_ = false, has_sums_ = false, has_outside_ = false;
};

}  // namespace

void bind_chart_sentence(nb::module_& m) {
    using namespace nb::literals;
    nb::class_<SentenceChart>(m, "SentenceChart", "The whole chart of one sentence.")
        .def(nb::init<const ChartGrammar&, const Array<int32_t>&, const Array<int32_t>&, const Array<float>&, size_t, const ChartItems*>(), "grammar"_a,
             "positions"_a.noconvert(), "symbols"_a.noconvert(), "weights"_a.noconvert(), "n"_a, "allowed"_a.none(), nb::keep_alive<1, 2>(), nb::keep_alive<1, 7>())
        .def("best_value", &SentenceChart::best_value, "start"_a, "end"_a, "symbol"_a)
        .def("kbest", &SentenceChart::kbest, "start"_a, "end"_a, "symbol"_a, "k"_a, "Nodes of the k best trees of an item, and their scores.")
        .def("best_items", &SentenceChart::best_items, "prior"_a.noconvert(), "Return for every span the item with the highest value plus the prior of its symbol.")
        .def_prop_ro("log_z", &SentenceChart::log_z)
        .def("posteriors", &SentenceChart::posteriors, "least"_a)
        .def("expected_counts", &SentenceChart::expected_counts, "Return the expected counts of binary rules, unary rules and emissions.")
        .def("samples", &SentenceChart::samples, "count"_a, "seed"_a);
}

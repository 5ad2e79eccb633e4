#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>

#include <memory>
#include <optional>
#include <stdexcept>

#include "base/parallel.hpp"
#include "bind/bind.hpp"
#include "structures/chart/search.hpp"

using namespace palmette;

namespace {

using ItemSets = nb::typed<nb::list, nb::any>;  // ChartItems or None

// Sentences with their emissions, held and checked.
class Batch {
public:
    Batch(const ChartGrammar& grammar, Array<int64_t> lengths, Array<int64_t> offsets, Array<int32_t> positions, Array<int32_t> symbols,
          Array<float> weights, const std::optional<Array<uint8_t>>& closed, const std::optional<ItemSets>& allowed)
        : lengths_(lengths), offsets_(offsets), positions_(positions), symbols_(symbols), weights_(weights), closed_(closed) {
        require(offsets.size() == lengths.size() + 1 && offsets.data()[0] == 0 && offsets.data()[lengths.size()] == static_cast<int64_t>(positions.size()),
                "the emissions of a sentence lie between two offsets");
        require(positions.size() == symbols.size() && symbols.size() == weights.size(), "emissions have a position, a symbol and a weight each");
        for (size_t s = 0; s < lengths.size(); ++s) {
            require(lengths.data()[s] >= 1 && lengths.data()[s] <= static_cast<int64_t>(kMostChartWords), "a sentence has between 1 and 20,000 words");
            const int64_t begin = offsets.data()[s], end = offsets.data()[s + 1];
            require(begin <= end && end <= static_cast<int64_t>(positions.size()), "the emissions of a sentence lie between two offsets");
            for (int64_t k = begin; k < end; ++k)
                require(positions.data()[k] >= 0 && positions.data()[k] < lengths.data()[s] && (k == begin || positions.data()[k - 1] <= positions.data()[k]),
                        "the positions of emissions lie in the sentence and come in order");
        }
        for (size_t k = 0; k < symbols.size(); ++k) {
            require(symbols.data()[k] >= 0 && symbols.data()[k] < grammar.symbols(), "an emission has a symbol that the grammar has not");
            require(weights.data()[k] < std::numeric_limits<float>::infinity(), "the weight of an emission is not a number or +inf");
        }
        first_words_.push_back(0);
        for (size_t s = 0; s < size(); ++s) first_words_.push_back(first_words_.back() + n(s));
        require(!closed || closed->size() == first_words_.back(), "every word is closed or not");
        allowed_.assign(size(), nullptr);
        if (!allowed) return;
        require(allowed->size() == size(), "there is one set of allowed items per sentence");
        for (size_t s = 0; s < size(); ++s) {
            nb::handle each = (*allowed)[s];
            if (each.is_none()) continue;
            allowed_[s] = nb::cast<const ChartItems*>(each);
            require(allowed_[s]->n() == n(s) && allowed_[s]->symbols() == static_cast<size_t>(grammar.symbols()), "a set of allowed items is of another sentence or grammar");
        }
    }
    size_t size() const { return lengths_.size(); }
    size_t n(size_t s) const { return static_cast<size_t>(lengths_.data()[s]); }
    const ChartItems* allowed(size_t s) const { return allowed_[s]; }
    std::span<const uint8_t> closed(size_t s) const {
        if (!closed_) return {};
        return {closed_->data() + first_words_[s], n(s)};
    }
    Emissions emissions(size_t s) const {
        const auto begin = static_cast<size_t>(offsets_.data()[s]), count = static_cast<size_t>(offsets_.data()[s + 1]) - begin;
        return {{positions_.data() + begin, count}, {symbols_.data() + begin, count}, {weights_.data() + begin, count}};
    }

private:
    Array<int64_t> lengths_, offsets_;
    Array<int32_t> positions_, symbols_;
    Array<float> weights_;
    std::optional<Array<uint8_t>> closed_;
    std::vector<size_t> first_words_;
    std::vector<const ChartItems*> allowed_;
};

class Searcher {
public:
    // The grammars must outlive this: nb::keep_alive sees to it.
    Searcher(const ChartGrammar& grammar, const ChartGrammar* coarse, std::optional<Array<int32_t>> coarse_of, const Array<uint8_t>& parts, double threshold, size_t memory)
        : parts_(parts.data(), parts.data() + parts.size()) {
        require((coarse != nullptr) == coarse_of.has_value(), "a coarse grammar and the projection to it go together");
        require(threshold >= 0 && threshold < 1, "the threshold is a probability below one");
        require(parts.size() == static_cast<size_t>(grammar.symbols()), "every symbol of the grammar is a part of a phrase or not");
        for (const UnaryRule& rule : grammar.unary()) require(!parts_[static_cast<size_t>(rule.parent)], "a part of a phrase has two children");
        plan_ = {&grammar, coarse, nullptr, parts_, {}, threshold, memory};
        if (!coarse) return;
        require(coarse->sums_exist(), "the weights of chains of unary rules around a cycle of the coarse grammar add up to infinity");
        refined_ = std::make_unique<RefinedGrammar>(grammar, coarse->symbols(), span_of(*coarse_of));
        plan_.refined = refined_.get();
        coarse_parts_.assign(static_cast<size_t>(coarse->symbols()), 0);
        for (size_t symbol = 0; symbol < parts_.size(); ++symbol) coarse_parts_[static_cast<size_t>(coarse_of->data()[symbol])] |= parts_[symbol];
        for (size_t symbol = 0; symbol < parts_.size(); ++symbol)
            require(!coarse_parts_[static_cast<size_t>(coarse_of->data()[symbol])] == !parts_[symbol], "a part of a phrase and a phrase project to the same symbol");
        plan_.coarse_parts = coarse_parts_;
    }
    const SearchPlan& plan() const { return plan_; }

    auto best(const Batch& batch, size_t k, int n_jobs) const {
        std::vector<std::vector<Derivation>> trees(batch.size());
        std::vector<std::vector<double>> own_scores(batch.size());
        std::vector<uint8_t> outcomes(batch.size());
        std::vector<int64_t> tree_offsets{0}, node_offsets{0};
        std::vector<int32_t> symbols, rules;
        std::vector<double> scores;
        {
            nb::gil_scoped_release release;
            each_sentence(batch, n_jobs, [&](ChartSearch& search, size_t s) {
                outcomes[s] = static_cast<uint8_t>(search.best(batch.emissions(s), batch.n(s), batch.closed(s), batch.allowed(s), k, trees[s]));
                for (const Derivation& tree : trees[s]) own_scores[s].push_back(derivation_score(*plan_.grammar, batch.emissions(s), tree));
            });
            for (size_t s = 0; s < batch.size(); ++s) {
                for (const Derivation& tree : trees[s]) {
                    for (const DerivationNode& node : tree) {
                        symbols.push_back(node.symbol);
                        rules.push_back(node.rule);
                    }
                    node_offsets.push_back(static_cast<int64_t>(symbols.size()));
                }
                scores.insert(scores.end(), own_scores[s].begin(), own_scores[s].end());
                tree_offsets.push_back(static_cast<int64_t>(scores.size()));
            }
        }
        return std::tuple(numpy_of(std::move(tree_offsets)), numpy_of(std::move(node_offsets)), numpy_of(std::move(symbols)), numpy_of(std::move(rules)),
                          numpy_of(std::move(scores)), numpy_of(std::move(outcomes)));
    }

    auto posteriors(const Batch& batch, const Array<int32_t>& brackets, const Array<int32_t>& tags, double least, int n_jobs) const {
        const auto symbols = static_cast<size_t>(plan_.grammar->symbols());
        require(brackets.size() == symbols && tags.size() == symbols, "every symbol of the grammar has a bracket label and a tag, or -1");
        for (size_t s = 0; s < symbols; ++s) require(brackets.data()[s] < 1 << 20 && tags.data()[s] < 1 << 20, "a label of a symbol is out of range");
        require(plan_.grammar->sums_exist(), "the weights of chains of unary rules around a cycle add up to infinity");
        const LabelMaps maps{span_of(brackets), span_of(tags)};
        std::vector<BracketPosteriors> found(batch.size());
        std::vector<double> log_z(batch.size()), probabilities;
        std::vector<uint8_t> outcomes(batch.size());
        std::vector<int64_t> offsets{0};
        std::vector<int32_t> starts, ends, labels, best_tags;
        {
            nb::gil_scoped_release release;
            each_sentence(batch, n_jobs, [&](ChartSearch& search, size_t s) {
                outcomes[s] = static_cast<uint8_t>(search.posteriors(batch.emissions(s), batch.n(s), batch.closed(s), batch.allowed(s), maps, least, found[s], log_z[s]));
            });
            for (size_t s = 0; s < batch.size(); ++s) {
                const BracketPosteriors& each = found[s];
                starts.insert(starts.end(), each.starts.begin(), each.starts.end());
                ends.insert(ends.end(), each.ends.begin(), each.ends.end());
                labels.insert(labels.end(), each.labels.begin(), each.labels.end());
                probabilities.insert(probabilities.end(), each.probabilities.begin(), each.probabilities.end());
                best_tags.insert(best_tags.end(), each.tags.begin(), each.tags.end());
                best_tags.resize(best_tags.size() + batch.n(s) - each.tags.size(), -1);
                offsets.push_back(static_cast<int64_t>(starts.size()));
            }
        }
        return std::tuple(numpy_of(std::move(offsets)), numpy_of(std::move(starts)), numpy_of(std::move(ends)), numpy_of(std::move(labels)),
                          numpy_of(std::move(probabilities)), numpy_of(std::move(best_tags)), numpy_of(std::move(log_z)), numpy_of(std::move(outcomes)));
    }

private:
    template <class Work>
    void each_sentence(const Batch& batch, int n_jobs, Work&& work) const {
        const size_t threads = std::min<size_t>(static_cast<size_t>(std::max(n_jobs, 1)), std::max<size_t>(batch.size(), 1));
        std::vector<std::unique_ptr<ChartSearch>> searches(threads);
        parallel(batch.size(), n_jobs, [&](size_t s, size_t thread) {
            if (!searches[thread]) searches[thread] = std::make_unique<ChartSearch>(plan_);
            work(*searches[thread], s);
        });
    }

    std::vector<uint8_t> parts_, coarse_parts_;
    SearchPlan plan_;
    std::unique_ptr<RefinedGrammar> refined_;
};

}  // namespace

void bind_chart_search(nb::module_& m) {
    using namespace nb::literals;
    nb::class_<Searcher>(m, "ChartSearcher", "Trees and posteriors of many sentences, exactly or from coarse to fine.")
        .def(nb::init<const ChartGrammar&, const ChartGrammar*, std::optional<Array<int32_t>>, const Array<uint8_t>&, double, size_t>(), "grammar"_a, "coarse"_a.none(),
             "coarse_of"_a.none().noconvert(), "parts"_a.noconvert(), "threshold"_a, "memory"_a, nb::keep_alive<1, 2>(), nb::keep_alive<1, 3>())
        .def("best", [](const Searcher& s, Array<int64_t> lengths, Array<int64_t> offsets, Array<int32_t> positions, Array<int32_t> symbols, Array<float> weights,
                        std::optional<Array<uint8_t>> closed, std::optional<ItemSets> allowed, size_t k, int n_jobs) {
            require(k >= 1, "k is at least 1");
            return s.best(Batch(*s.plan().grammar, lengths, offsets, positions, symbols, weights, closed, allowed), k, n_jobs);
        }, "lengths"_a.noconvert(), "offsets"_a.noconvert(), "positions"_a.noconvert(), "symbols"_a.noconvert(), "weights"_a.noconvert(), "closed"_a.none().noconvert(), "allowed"_a.none(),
             "k"_a, "n_jobs"_a,
             "Offsets of trees per sentence, of nodes per tree, symbols and rules of nodes in preorder, scores of trees, outcomes.")
        .def("posteriors", [](const Searcher& s, Array<int64_t> lengths, Array<int64_t> offsets, Array<int32_t> positions, Array<int32_t> symbols, Array<float> weights,
                              std::optional<Array<uint8_t>> closed, std::optional<ItemSets> allowed, Array<int32_t> brackets, Array<int32_t> tags, double least, int n_jobs) {
            return s.posteriors(Batch(*s.plan().grammar, lengths, offsets, positions, symbols, weights, closed, allowed), brackets, tags, least, n_jobs);
        }, "lengths"_a.noconvert(), "offsets"_a.noconvert(), "positions"_a.noconvert(), "symbols"_a.noconvert(), "weights"_a.noconvert(), "closed"_a.none().noconvert(), "allowed"_a.none(),
             "brackets"_a.noconvert(), "tags"_a.noconvert(), "least"_a, "n_jobs"_a,
             "Offsets of brackets per sentence, their starts, ends, labels and probabilities, the best tags, log Z, outcomes.");
}

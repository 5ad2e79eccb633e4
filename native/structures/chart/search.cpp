#include "structures/chart/search.hpp"

#include <algorithm>

namespace palmette {

namespace {

constexpr double kLower = 1e-2, kLowest = 1e-10;  // how a threshold goes down, and where that ends
constexpr double kUnlikely = 0.1;  // what is less likely than this share of a threshold passes nothing on
constexpr double kNegligible = 1e-10;  // items of a lower posterior pass nothing on: all of them together are less than floats lose

std::size_t count_of(std::span<const std::int32_t> numbers) {
    std::size_t count = 0;
    for (std::int32_t number : numbers) count = std::max(count, static_cast<std::size_t>(number + 1));
    return count;
}

// Posteriors of items added up by span and label: those of one end at a time.
class LabelSums {
public:
    LabelSums(const LabelMaps& maps, std::size_t n) : maps_(maps), labels_(count_of(maps.brackets)), n_tags_(count_of(maps.tags)), best_tag_(n, 0.0), tags_(n, -1) {
        sums_.assign(labels_ * n, 0.0);
        tag_sums_.assign(n_tags_ * n, 0.0);
    }
    bool wanted(std::size_t symbol) const { return maps_.brackets[symbol] >= 0 || maps_.tags[symbol] >= 0; }
    void add(std::size_t start, std::size_t end, std::size_t symbol, double p) {
        const std::int32_t label = maps_.brackets[symbol], tag = maps_.tags[symbol];
        if (label >= 0) sums_[start * labels_ + static_cast<std::size_t>(label)] += p;
        if (tag < 0 || end != start + 1) return;
        double& sum = tag_sums_[start * n_tags_ + static_cast<std::size_t>(tag)];
        sum += p;
        if (sum > best_tag_[start]) {
            best_tag_[start] = sum;
            tags_[start] = tag;
        }
    }
    void finish(std::size_t end, double least, BracketPosteriors& found) {
        for (std::size_t start = 0; start < end; ++start)
            for (std::size_t label = 0; label < labels_; ++label) {
                double& sum = sums_[start * labels_ + label];
                if (sum > 0 && sum >= least) {
                    found.starts.push_back(static_cast<std::int32_t>(start));
                    found.ends.push_back(static_cast<std::int32_t>(end));
                    found.labels.push_back(static_cast<std::int32_t>(label));
                    found.probabilities.push_back(std::min(sum, 1.0));
                }
                sum = 0;
            }
    }
    std::vector<std::int32_t> tags() && { return std::move(tags_); }

private:
    const LabelMaps& maps_;
    std::size_t labels_, n_tags_;
    std::vector<double> sums_, tag_sums_, best_tag_;
    std::vector<std::int32_t> tags_;
};

template <class Sums>
void collect(const Sums& chart, std::size_t n, std::size_t symbols, const LabelMaps& maps, double least, BracketPosteriors& found) {
    LabelSums sums(maps, n);
    for (std::size_t end = 1; end <= n; ++end) {
        const std::uint8_t* alive = chart.outside().alive(end);
        for (std::size_t symbol = 0; symbol < symbols; ++symbol) {
            if (!alive[symbol] || !sums.wanted(symbol)) continue;
            const auto *in = chart.inside().row(end, symbol), *out = chart.outside().row(end, symbol);
            for (std::size_t start = chart.first_start(end); start < end; ++start) {
                const double p = static_cast<double>(in[start]) * static_cast<double>(out[start]);
                if (p > 0) sums.add(start, end, symbol, p);
            }
        }
        sums.finish(end, least, found);
    }
    found.tags = std::move(sums).tags();
}

}  // namespace

Emissions ChartSearch::coarse_emissions(const Emissions& emissions) {
    coarse_positions_.clear();
    coarse_symbols_.clear();
    coarse_weights_.clear();
    for (std::size_t k = 0; k < emissions.positions.size(); ++k) {
        const std::int32_t coarse = plan_.refined->place(static_cast<std::size_t>(emissions.symbols[k])).coarse;
        bool met = false;
        for (std::size_t m = coarse_positions_.size(); m-- > 0 && coarse_positions_[m] == emissions.positions[k];)
            if (coarse_symbols_[m] == coarse) {
                coarse_weights_[m] = std::max(coarse_weights_[m], emissions.log_weights[k]);
                met = true;
            }
        if (met) continue;
        coarse_positions_.push_back(emissions.positions[k]);
        coarse_symbols_.push_back(coarse);
        coarse_weights_.push_back(emissions.log_weights[k]);
    }
    return {coarse_positions_, coarse_symbols_, coarse_weights_};
}

template <class Run>
SearchOutcome ChartSearch::pruned(const Emissions& emissions, std::size_t n, std::span<const std::uint8_t> closed, Run&& run) {
    if (ChartRows<float>::bytes(n, plan_.coarse->rows()) > plan_.memory / 2) return SearchOutcome::kTooLong;
    const Emissions coarse = coarse_emissions(emissions);
    const auto sum = [&](const ChartClosure& closure, double drop) { return coarse_sums_.run(*plan_.coarse, coarse, n, nullptr, drop, closure) != kNoLog; };
    for (double threshold : {plan_.threshold, plan_.threshold * kLower}) {
        if (closed.empty() || !sum({closed, plan_.coarse_parts}, threshold * kUnlikely)) break;
        keep_likely(*plan_.coarse, coarse_sums_, n, threshold, alive_);
        if (run()) return threshold == plan_.threshold ? SearchOutcome::kPruned : SearchOutcome::kRetried;
    }
    if (!sum({}, plan_.threshold * kLower * kLower)) return SearchOutcome::kNoTree;
    for (double threshold = plan_.threshold; threshold >= kLowest; threshold *= kLower) {
        if (threshold < plan_.threshold * kLower) sum({}, 0);
        keep_likely(*plan_.coarse, coarse_sums_, n, threshold, alive_);
        if (run()) return threshold == plan_.threshold && closed.empty() ? SearchOutcome::kPruned : SearchOutcome::kRetried;
    }
    return SearchOutcome::kNoTree;
}

SearchOutcome ChartSearch::best(const Emissions& emissions, std::size_t n, std::span<const std::uint8_t> closed, const ChartItems* allowed, std::size_t k,
                                std::vector<Derivation>& trees) {
    constexpr float kNever = MaxOfLogs::kZero;
    const auto root = static_cast<std::size_t>(plan_.grammar->root());
    const auto take = [&](const auto& chart) {
        Derivations derivations(*plan_.grammar, emissions, chart);
        if (k == 1)
            trees.push_back(derivations.best(0, n, root));
        else
            trees = derivations.kbest(0, n, root, k);
    };
    trees.clear();
    const bool room = fits(n, 1, sizeof(float));
    if (plan_.refined && !allowed) {
        const SearchOutcome outcome = pruned(emissions, n, closed, [&] {
            if (pruned_best_.run_inside(*plan_.refined, emissions, n, alive_) == kNever) return false;
            take(pruned_best_);
            return true;
        });
        if (outcome != SearchOutcome::kNoTree) return outcome;
    }
    if (!room) return SearchOutcome::kTooLong;
    if (!plan_.refined && !allowed && !closed.empty() && best_.run(*plan_.grammar, emissions, n, nullptr, {closed, plan_.parts}) != kNever) {
        take(best_);
        return SearchOutcome::kPruned;
    }
    if (best_.run(*plan_.grammar, emissions, n, allowed) == kNever) return SearchOutcome::kNoTree;
    take(best_);
    return plan_.refined || (!allowed && !closed.empty()) ? SearchOutcome::kRetried : SearchOutcome::kExact;
}

bool ChartSearch::pruned_posteriors(const Emissions& emissions, std::size_t n, const LabelMaps& maps, double least, BracketPosteriors& found, double& log_z) {
    std::vector<double> scale(n + 1);
    for (std::size_t i = 0; i <= n; ++i) scale[i] = coarse_sums_.in_doubles() ? coarse_sums_.doubles().scale(i) : coarse_sums_.floats().scale(i);
    const auto run = [&](auto& chart, double small) {
        const auto root = static_cast<double>(chart.run_inside(*plan_.refined, emissions, n, alive_, scale));
        if (!(root > small && root < 1 / small)) return false;
        chart.run_outside();
        log_z = std::log(root) - scale[n];
        LabelSums sums(maps, n);
        std::size_t last = 1;
        chart.each_posterior([&](std::size_t start, std::size_t end, std::size_t symbol, double p) {
            for (; last < end; ++last) sums.finish(last, least, found);
            sums.add(start, end, symbol, p);
        });
        for (; last <= n; ++last) sums.finish(last, least, found);
        found.tags = std::move(sums).tags();
        return true;
    };
    return run(pruned_floats_, 1e-24) || run(pruned_doubles_, 1e-250);
}

SearchOutcome ChartSearch::posteriors(const Emissions& emissions, std::size_t n, std::span<const std::uint8_t> closed, const ChartItems* allowed,
                                      const LabelMaps& maps, double least, BracketPosteriors& found, double& log_z) {
    found = {};
    log_z = kNoLog;
    if (plan_.refined && !allowed) {
        const SearchOutcome outcome = pruned(emissions, n, closed, [&] { return pruned_posteriors(emissions, n, maps, least, found, log_z); });
        if (outcome != SearchOutcome::kNoTree) return outcome;
    }
    if (!fits(n, 2, sizeof(float))) return SearchOutcome::kTooLong;
    SearchOutcome outcome = plan_.refined ? SearchOutcome::kRetried : SearchOutcome::kExact;
    if (!plan_.refined && !allowed && !closed.empty()) {
        log_z = sums_.run(*plan_.grammar, emissions, n, nullptr, kNegligible, {closed, plan_.parts});
        outcome = log_z == kNoLog ? SearchOutcome::kRetried : SearchOutcome::kPruned;
    }
    if (log_z == kNoLog) log_z = sums_.run(*plan_.grammar, emissions, n, allowed, kNegligible);
    if (log_z == kNoLog) return SearchOutcome::kNoTree;
    const auto symbols = static_cast<std::size_t>(plan_.grammar->symbols());
    if (sums_.in_doubles())
        collect(sums_.doubles(), n, symbols, maps, least, found);
    else
        collect(sums_.floats(), n, symbols, maps, least, found);
    return outcome;
}

}  // namespace palmette

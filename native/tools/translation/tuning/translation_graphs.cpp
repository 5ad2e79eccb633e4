#include "tools/translation/tuning/translation_graphs.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "base/interrupt.hpp"

namespace palmette {
namespace {

// How a line came about: an edge with the records of its tails. An edge of more than two tails has a chain of pairs
// (edge -1) for all but the last of them.
struct Record {
    std::int32_t edge, first, second;
};

struct GraphLine {
    double slope, intercept;
    double from;
    Record made;
    std::int32_t record = -1;
};
using Envelope = std::vector<GraphLine>;

double dot(const double* a, const double* b, std::size_t n) {
    double sum = 0;
    for (std::size_t k = 0; k < n; ++k) sum += a[k] * b[k];
    return sum;
}

class EnvelopePass {
public:
    EnvelopePass(const TranslationGraph& data, std::size_t n_features, const double* w, const double* d)
        : data_(data), g_(*data.graph), envelopes_(static_cast<std::size_t>(g_.n_nodes)) {
        for (const std::int32_t v : g_.order) {
            check_interrupt();
            Envelope lines;
            for (std::int32_t e = g_.edge_start[v]; e < g_.edge_start[v + 1]; ++e) {
                const double* f = data.features + static_cast<std::size_t>(g_.label[e]) * n_features;
                add_edge(e, dot(d, f, n_features), dot(w, f, n_features), lines);
            }
            std::stable_sort(lines.begin(), lines.end(), [](const GraphLine& a, const GraphLine& b) { return a.slope < b.slope; });
            Envelope& kept = envelopes_[v];
            for (const GraphLine& line : lines) add_to_envelope(kept, line);
            for (GraphLine& line : kept) line.record = keep(line.made);
        }
    }

    const Envelope& root() const { return envelopes_[g_.root]; }

    // The words of a derivation, from left to right.
    void append_words(std::int32_t record, std::vector<std::uint32_t>& words) const {
        std::vector<std::int64_t> waiting{record};  // records, and words as -1 - word, the next one last
        std::vector<std::int32_t> tails;
        while (!waiting.empty()) {
            const std::int64_t next = waiting.back();
            waiting.pop_back();
            if (next < 0) {
                words.push_back(static_cast<std::uint32_t>(-1 - next));
                continue;
            }
            const Record& own = records_[static_cast<std::size_t>(next)];
            tails_of(own, tails);
            const std::int32_t part = g_.label[own.edge];
            const auto items = data_.items.subspan(data_.begin[part], data_.begin[part + 1] - data_.begin[part]);
            const bool names = std::any_of(items.begin(), items.end(), [](std::int32_t item) { return item < 0; });
            for (std::size_t k = items.size(); k-- > 0;)
                waiting.push_back(items[k] < 0 ? tails[static_cast<std::size_t>(-1 - items[k])] : -1 - static_cast<std::int64_t>(items[k]));
            if (!names)
                for (std::size_t k = tails.size(); k-- > 0;) waiting.push_back(tails[k]);
        }
    }

private:
    std::int32_t keep(const Record& record) {
        records_.push_back(record);
        return static_cast<std::int32_t>(records_.size() - 1);
    }

    // The lines of all derivations that end with an edge: those of its tails added up, moved by its own.
    void add_edge(std::int32_t e, double slope, double intercept, Envelope& lines) {
        const auto tails = g_.tails(e);
        if (tails.empty()) {
            lines.push_back({slope, intercept, kFarLeft, {e, -1, -1}});
            return;
        }
        Envelope sums;
        const Envelope* first = &envelopes_[tails[0]];
        for (std::size_t k = 1; k < tails.size(); ++k) {
            Envelope merged = sum_of(*first, envelopes_[tails[k]]);
            if (k + 1 < tails.size())
                for (GraphLine& line : merged) line.record = keep(line.made);
            sums = std::move(merged);
            first = &sums;
        }
        for (const GraphLine& line : *first) {
            const Record made = tails.size() == 1 ? Record{e, line.record, -1} : Record{e, line.made.first, line.made.second};
            lines.push_back({line.slope + slope, line.intercept + intercept, kFarLeft, made});
        }
    }

    static Envelope sum_of(const Envelope& a, const Envelope& b) {
        Envelope sums;
        if (a.empty() || b.empty()) return sums;
        double from = kFarLeft;
        for (std::size_t i = 0, j = 0;;) {
            sums.push_back({a[i].slope + b[j].slope, a[i].intercept + b[j].intercept, from, {-1, a[i].record, b[j].record}});
            const bool more_a = i + 1 < a.size(), more_b = j + 1 < b.size();
            if (!more_a && !more_b) return sums;
            const bool step_a = more_a && (!more_b || a[i + 1].from <= b[j + 1].from);
            const bool step_b = more_b && (!more_a || b[j + 1].from <= a[i + 1].from);
            from = step_a ? a[i + 1].from : b[j + 1].from;
            i += step_a;
            j += step_b;
        }
    }

    void tails_of(const Record& own, std::vector<std::int32_t>& tails) const {
        const std::size_t n = g_.tails(own.edge).size();
        tails.resize(n);
        if (n == 1) tails[0] = own.first;
        std::int32_t first = own.first, last = own.second;
        for (std::size_t k = n; k > 1; --k) {
            tails[k - 1] = last;
            if (k == 2) {
                tails[0] = first;
            } else {
                last = records_[static_cast<std::size_t>(first)].second;
                first = records_[static_cast<std::size_t>(first)].first;
            }
        }
    }

    const TranslationGraph& data_;
    const Hypergraph& g_;
    std::vector<Envelope> envelopes_;
    std::vector<Record> records_;
};

}  // namespace

TranslationGraphs::TranslationGraphs(std::vector<TranslationGraph> graphs, const Grouped& references, std::size_t n_features)
    : graphs_(std::move(graphs)), references_(graphs_.size()), n_features_(n_features) {
    for (std::size_t s = 0; s < graphs_.size(); ++s) {
        const TranslationGraph& own = graphs_[s];
        const std::string place = "graph " + std::to_string(s + 1);
        own.graph->require_acyclic(place.c_str());
        for (std::int32_t e = 0; e < own.graph->n_edges(); ++e) {
            const std::int32_t part = own.graph->label[e];
            for (auto k = own.begin[part]; k < own.begin[part + 1]; ++k)
                if (own.items[k] < -static_cast<std::int64_t>(own.graph->tails(e).size()))
                    throw std::invalid_argument(place + ": an edge names a tail that it does not have");
        }
        for (auto r = references.texts[s]; r < references.texts[s + 1]; ++r) references_[s].add(references.text(r));
        const std::vector<double> zero(n_features_, 0.0);
        if (own.graph->root < 0 || EnvelopePass(own, n_features_, zero.data(), zero.data()).root().empty())
            throw std::invalid_argument(place + " has no derivation");
    }
}

TranslationGraphs::Translations TranslationGraphs::envelope(std::size_t s, const double* w, const double* d) const {
    const EnvelopePass pass(graphs_[s], n_features_, w, d);
    Translations found;
    for (const GraphLine& line : pass.root()) {
        found.from.push_back(line.from);
        pass.append_words(line.record, found.ids);
        found.words.push_back(static_cast<std::int64_t>(found.ids.size()));
    }
    return found;
}

void TranslationGraphs::trace(const double* w, const double* d, int, Memory&, ErrorSurface& surface) const {
    surface.clear();
    NgramReferences::Scratch scratch;
    float before[kBleuCounts], after[kBleuCounts];
    for (std::size_t s = 0; s < graphs_.size(); ++s) {
        const Translations found = envelope(s, w, d);
        for (std::size_t k = 0; k < found.from.size(); ++k) {
            const Words words(found.ids.data() + found.words[k], found.ids.data() + found.words[k + 1]);
            references_[s].count(words, scratch, after);
            if (k == 0) {
                surface.begin(after);
            } else {
                surface.change(found.from[k], before, after);
            }
            std::copy(after, after + kBleuCounts, before);
        }
    }
}

void TranslationGraphs::add_best(const double* w, double* sums) const {
    const std::vector<double> zero(n_features_, 0.0);  // one line for each node: a search for the best derivation
    NgramReferences::Scratch scratch;
    float counts[kBleuCounts];
    for (std::size_t s = 0; s < graphs_.size(); ++s) {
        const Translations found = envelope(s, w, zero.data());
        references_[s].count({found.ids.data(), found.ids.size()}, scratch, counts);
        for (int k = 0; k < kBleuCounts; ++k) sums[k] += counts[k];
    }
}

}  // namespace palmette

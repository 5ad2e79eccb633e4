// Dependency trees as learning problems.
#include "bind/features/token_views.hpp"
#include "bind/learning/problem.hpp"
#include "base/lanes.hpp"
#include "features/relation_features.hpp"
#include "structures/arcs/learning.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

using namespace palmette;

namespace {

struct BoundHeads : Bound<HeadChoiceProblem> {
    BoundViews views;
};

struct BoundArcs : Bound<ArcProblem> {
    BoundViews views;
};

// Heads lie in their sentence and no word is its own; -1 where `unknown`.
void check_heads(const TokenViews& views, const int32_t* heads, bool unknown) {
    for (size_t i = 0; i < views.n_sentences; ++i) {
        const int64_t n = static_cast<int64_t>(views.length(i));
        for (int64_t m = 1; m <= n; ++m) {
            const int32_t h = heads[views.offsets[i] + m - 1];
            require(h <= n && h != m && h >= (unknown ? -1 : 0), "a head is out of range");
        }
    }
}

LabelledTree tree_of(const BoundArcs& b, size_t i, const Array<int32_t>& heads, const Array<int32_t>& labels) {
    const int32_t n = static_cast<int32_t>(b.problem.n_tokens(i));
    require(heads.size() == static_cast<size_t>(n) && labels.size() == static_cast<size_t>(n), "there must be one head and one label per token");
    for (int32_t m = 1; m <= n; ++m) require(heads.data()[m - 1] >= 0 && heads.data()[m - 1] <= n && heads.data()[m - 1] != m, "a head is out of range");
    check_ids(labels, 0, static_cast<int64_t>(b.problem.labels()), "a label is out of range");
    return {{heads.data(), heads.data() + n}, {labels.data(), labels.data() + n}};
}

// The weights of trees as Python gives them: floats, or places and 256 levels, where trees tell no labels apart.
using TreeWeights = std::variant<Array<float>, std::pair<Array<uint8_t>, Array<float>>>;

WeightTable table_of(const TreeWeights& w, size_t n_weights, size_t n_labels) {
    if (const auto* floats = std::get_if<Array<float>>(&w)) {
        require(floats->size() == n_weights, "the weights have the wrong length");
        return floats->data();
    }
    const auto& [places, levels] = std::get<1>(w);
    require(places.size() == n_weights, "the weights have the wrong length");
    require(levels.size() == WeightTable::kLevels && n_labels == 1, "there must be 256 levels, and one label");
    return {places.data(), levels.data()};
}

WeightTable table_of(const BoundArcs& b, const TreeWeights& w) { return table_of(w, b.problem.n_weights(), b.problem.labels()); }

}  // namespace

void bind_arcs(nb::module_& m) {
    using namespace nb::literals;
    nb::class_<BoundHeads, BoundProblem> heads(m, "HeadChoiceProblem");
    heads.def(
        "__init__",
        [](BoundHeads* place, const Array<int64_t>& offsets, const Array<uint64_t>& values, const Array<int64_t>& piece_rows,
           const Array<uint64_t>& pieces, const Array<int32_t>& gold, unsigned bits) {
            BoundViews views(offsets, values, piece_rows, pieces);
            require(gold.size() + 1 == piece_rows.size(), "there must be one head per token");
            require(bits >= 1 && bits <= 30, "a table has 1 to 30 bits");
            check_heads(views.views, gold.data(), true);
            nb::list kept;
            kept.append(gold);
            new (place) BoundHeads{{kept, HeadChoiceProblem(views.views, gold.data(), bits)}, views};
        },
        "offsets"_a.noconvert(), "values"_a.noconvert(), "piece_rows"_a.noconvert(), "pieces"_a.noconvert(), "heads"_a.noconvert(), "bits"_a);
    heads.def(
        "candidates",
        [](const BoundHeads& b, const Array<float>& w, double threshold, size_t most, const Maybe<int32_t>& known, int n_jobs) {
            const float* weights = checked(b, w);
            require(threshold > 0 && threshold <= 1 && most > 0, "a threshold lies between 0 and 1");
            if (known) {
                require(known->size() == static_cast<size_t>(b.views.views.offsets[b.problem.size()]), "there must be one head per token");
                check_heads(b.views.views, known->data(), true);
            }
            Candidates found;
            {
                nb::gil_scoped_release release;
                found = head_candidates(b.problem, weights, threshold, most, data_of(known), n_jobs);
            }
            return std::tuple(numpy_of(std::move(found.rows)), numpy_of(std::move(found.heads)));
        },
        "w"_a.noconvert(), "threshold"_a, "most"_a, "heads"_a.noconvert().none(), "n_jobs"_a);
    heads.def(
        "probabilities",
        [](const BoundHeads& b, const Array<float>& w, const Array<int32_t>& chosen, int n_jobs) {
            const float* weights = checked(b, w);
            require(chosen.size() == static_cast<size_t>(b.views.views.offsets[b.problem.size()]), "there must be one head per token");
            check_heads(b.views.views, chosen.data(), false);
            std::vector<float> found(chosen.size());
            {
                nb::gil_scoped_release release;
                head_probabilities(b.problem, weights, chosen.data(), n_jobs, found.data());
            }
            return numpy_of(std::move(found));
        },
        "w"_a.noconvert(), "heads"_a.noconvert(), "n_jobs"_a, "The probability of each token's head; every token chooses by itself.");
    heads.def(
        "kbest",
        [](const BoundHeads& b, const Array<float>& w, size_t i, size_t k, float cost) {
            const float* weights = checked(b, w);
            require(i < b.problem.size(), "there is no such sentence");
            std::vector<HeadChoiceProblem::Output> found;
            std::vector<double> scores;
            {
                nb::gil_scoped_release release;
                HeadChoiceProblem::State state;
                b.problem.score(state, i, weights, 1.0f);
                b.problem.kbest(state, k, cost, found, scores);
            }
            std::vector<int32_t> flat;
            for (const auto& y : found) flat.insert(flat.end(), y.begin(), y.end());
            return std::tuple(numpy_of(std::move(flat)), numpy_of(std::move(scores)));
        },
        "w"_a.noconvert(), "sentence"_a, "k"_a, "cost"_a, "The k best choices of a sentence, one after another, and their scores, with cost for each wrong head.");

    nb::class_<BoundArcs, BoundProblem> arcs(m, "ArcProblem");
    arcs.def(
        "__init__",
        [](BoundArcs* place, const Array<int64_t>& offsets, const Array<uint64_t>& values, const Array<int64_t>& piece_rows,
           const Array<uint64_t>& pieces, const Array<int64_t>& rows, const Array<int32_t>& candidates, const Array<int32_t>& gold,
           const Array<int32_t>& labels, size_t n_labels, unsigned bits, unsigned label_bits, bool siblings, bool grandparents,
           bool projective, bool single_root, const Maybe<uint8_t>& root_labels) {
            BoundViews views(offsets, values, piece_rows, pieces);
            const size_t tokens = piece_rows.size() - 1;
            require(gold.size() == tokens && labels.size() == tokens, "there must be one head and one label per token");
            require(bits >= 1 && bits <= 30 && label_bits >= 1 && label_bits <= 24, "a table has 1 to 30 bits");
            require(n_labels > 0 && n_labels < (1u << 16), "there must be labels");
            require(!root_labels || root_labels->size() == n_labels, "there must be one entry per label");
            check_heads(views.views, gold.data(), true);
            check_ids(labels, -1, static_cast<int64_t>(n_labels), "a label is out of range");
            check_boundaries(rows, tokens, candidates.size(), "the rows do not cut the candidates into tokens");
            for (size_t i = 0; i < views.views.n_sentences; ++i) {
                const int64_t first = offsets.data()[i], n = offsets.data()[i + 1] - first;
                for (int64_t m = 1; m <= n; ++m)
                    for (int64_t k = rows.data()[first + m - 1]; k < rows.data()[first + m]; ++k) {
                        const int32_t h = candidates.data()[k];
                        require(h >= 0 && h <= n && h != m && (k == rows.data()[first + m - 1] || candidates.data()[k - 1] < h),
                                "a candidate is out of range or out of order");
                    }
            }
            ArcData d;
            d.views = views.views;
            d.rows = rows.data();
            d.candidates = candidates.data();
            d.heads = gold.data();
            d.labels = labels.data();
            d.n_labels = n_labels;
            d.bits = bits;
            d.label_bits = label_bits;
            d.siblings = siblings;
            d.grandparents = grandparents;
            d.projective = projective;
            d.single_root = single_root;
            d.root_labels = data_of(root_labels);
            nb::list kept;
            kept.append(rows);
            kept.append(candidates);
            kept.append(gold);
            kept.append(labels);
            if (root_labels) kept.append(*root_labels);
            new (place) BoundArcs{{kept, ArcProblem(d)}, views};
        },
        "offsets"_a.noconvert(), "values"_a.noconvert(), "piece_rows"_a.noconvert(), "pieces"_a.noconvert(), "rows"_a.noconvert(),
        "candidates"_a.noconvert(), "heads"_a.noconvert(), "labels"_a.noconvert(), "n_labels"_a, "bits"_a, "label_bits"_a, "siblings"_a = true,
        "grandparents"_a = true, "projective"_a = true, "single_root"_a = true, "root_labels"_a.noconvert().none() = nb::none(),
        "root_labels: 1 for the labels that arcs from the root have, and no others; None: any label fits anywhere.");
    arcs.def(
        "decode",
        [](const BoundArcs& b, const TreeWeights& w, int choice, int n_jobs) {
            const WeightTable weights = table_of(b, w);
            require(choice >= 0 && choice <= 2, "there is no such choice");
            const size_t tokens = static_cast<size_t>(b.views.views.offsets[b.problem.size()]);
            std::vector<int32_t> heads(tokens), labels(tokens);
            std::vector<double> scores(b.problem.size());
            {
                nb::gil_scoped_release release;
                decode_trees(b.problem, weights, static_cast<TreeChoice>(choice), n_jobs, heads.data(), labels.data(), scores.data());
            }
            return std::tuple(numpy_of(std::move(heads)), numpy_of(std::move(labels)), numpy_of(std::move(scores)));
        },
        "w"_a.noconvert(), "choice"_a, "n_jobs"_a, "Trees: 0 the best, 1 with most expected right heads, 2 with most expected right labelled arcs.");
    arcs.def(
        "probabilities",
        [](const BoundArcs& b, const TreeWeights& w, bool with_labels, int n_jobs) {
            const WeightTable weights = table_of(b, w);
            const size_t count = static_cast<size_t>(b.problem.data().rows[b.views.views.offsets[b.problem.size()]]);
            std::vector<float> found(count), labels(with_labels ? count * b.problem.labels() : 0);
            std::vector<double> log_z(b.problem.size());
            {
                nb::gil_scoped_release release;
                candidate_probabilities(b.problem, weights, n_jobs, found.data(), with_labels ? labels.data() : nullptr, log_z.data());
            }
            return std::tuple(numpy_of(std::move(found)), numpy_of(std::move(labels)), numpy_of(std::move(log_z)));
        },
        "w"_a.noconvert(), "labels"_a, "n_jobs"_a);
    arcs.def(
        "difference",
        [](const BoundArcs& b, size_t i, const Array<int32_t>& heads, const Array<int32_t>& labels, const Array<int32_t>& other_heads,
           const Array<int32_t>& other_labels) {
            require(i < b.problem.size(), "there is no such sentence");
            const LabelledTree one = tree_of(b, i, heads, labels), two = tree_of(b, i, other_heads, other_labels);
            SparseVector difference;
            b.problem.difference(i, one, two, [&](size_t index, float value) { difference.add(index, value); });
            difference.gather();
            std::vector<int64_t> indices;
            std::vector<float> values;
            for (const auto& entry : difference.entries) {
                indices.push_back(static_cast<int64_t>(entry.index));
                values.push_back(entry.value);
            }
            return std::tuple(numpy_of(std::move(indices)), numpy_of(std::move(values)));
        },
        "sentence"_a, "heads"_a.noconvert(), "labels"_a.noconvert(), "other_heads"_a.noconvert(), "other_labels"_a.noconvert(),
        "Φ of one tree less Φ of another: places and values.");
    arcs.def(
        "contributions",
        [](const BoundArcs& b, const TreeWeights& w, size_t i, const Array<int32_t>& heads, const Array<int32_t>& labels,
           const Array<int32_t>& other_heads, const Array<int32_t>& other_labels) {
            const WeightTable weights = table_of(b, w);
            require(i < b.problem.size(), "there is no such sentence");
            const LabelledTree one = tree_of(b, i, heads, labels), two = tree_of(b, i, other_heads, other_labels);
            std::vector<int32_t> uses;
            std::vector<double> amounts;
            b.problem.compare(i, one, two, [&](const FeatureUse& use, size_t number, size_t at, int32_t label, float sign) {
                if (weights[at] == 0) return;
                for (const size_t x : {static_cast<size_t>(use.family), number, use.g, use.h, use.m, use.s}) uses.push_back(static_cast<int32_t>(x));
                uses.push_back(label);
                amounts.push_back(static_cast<double>(sign) * weights[at]);
            });
            return std::tuple(numpy_of(std::move(uses)), numpy_of(std::move(amounts)));
        },
        "w"_a.noconvert(), "sentence"_a, "heads"_a.noconvert(), "labels"_a.noconvert(), "other_heads"_a.noconvert(), "other_labels"_a.noconvert(),
        "What features give one tree more than another: [family, template, g, h, m, s, label] each, and amounts.");
    arcs.def(
        "kbest",
        [](const BoundArcs& b, const TreeWeights& w, size_t k, int n_jobs) {
            const WeightTable weights = table_of(b, w);
            std::vector<int64_t> rows;
            std::vector<int32_t> heads, labels;
            std::vector<double> scores;
            {
                nb::gil_scoped_release release;
                kbest_trees(b.problem, weights, k, n_jobs, rows, heads, labels, scores);
            }
            return std::tuple(numpy_of(std::move(rows)), numpy_of(std::move(heads)), numpy_of(std::move(labels)), numpy_of(std::move(scores)));
        },
        "w"_a.noconvert(), "k"_a, "n_jobs"_a, "The k best trees of every sentence i: those from rows[i] to rows[i + 1], one after another.");
    arcs.def(
        "constrained",
        [](const BoundArcs& b, const TreeWeights& w, const Array<int32_t>& wanted, int n_jobs) {
            const WeightTable weights = table_of(b, w);
            const size_t tokens = static_cast<size_t>(b.views.views.offsets[b.problem.size()]);
            require(wanted.size() == tokens, "there must be one head per token");
            std::vector<int32_t> heads(tokens), labels(tokens);
            std::vector<double> scores(b.problem.size());
            {
                nb::gil_scoped_release release;
                constrained_trees(b.problem, weights, wanted.data(), n_jobs, heads.data(), labels.data(), scores.data());
            }
            return std::tuple(numpy_of(std::move(heads)), numpy_of(std::move(labels)), numpy_of(std::move(scores)));
        },
        "w"_a.noconvert(), "heads"_a.noconvert(), "n_jobs"_a,
        "The best trees that have these heads: -1 any, -2 - h any but h. Where there is none the score is minus infinity.");
    m.def(
        "arc_scores",
        [](const Array<int64_t>& offsets, const Array<uint64_t>& values, const Array<int64_t>& piece_rows, const Array<uint64_t>& pieces,
           size_t sentence, const TreeWeights& w, size_t n_labels, unsigned bits, unsigned label_bits) {
            const BoundViews views(offsets, values, piece_rows, pieces);
            require(sentence < views.views.n_sentences, "there is no such sentence");
            require(bits >= 1 && bits <= 30 && label_bits >= 1 && label_bits <= 24 && n_labels > 0 && n_labels < (1u << 16), "a table has 1 to 30 bits");
            const WeightTable weights = table_of(w, (size_t{1} << bits) + (size_t{1} << label_bits) * padded(n_labels), n_labels);
            std::vector<float> scores;
            {
                nb::gil_scoped_release release;
                scores = arc_scores(views.views, sentence, weights, n_labels, bits, label_bits);
            }
            return numpy_of(std::move(scores));
        },
        "offsets"_a.noconvert(), "values"_a.noconvert(), "piece_rows"_a.noconvert(), "pieces"_a.noconvert(), "sentence"_a, "w"_a.noconvert(),
        "n_labels"_a, "bits"_a, "label_bits"_a, "The scores of all arcs of a sentence by themselves, by head and modifier.");
    m.def(
        "arc_templates",
        [] {
            // The codes' names as Python spells views; with the neighbours' where they are in it.
            static const char* names[kCodes] = {"", "word", "lemma", "tag", "upos", "feats", "end3", "cluster", "word+tag", "lemma+tag", "tag+feats",
                                                "tag-1+tag", "tag+tag+1", "tag-1+tag+tag+1", "tag-2+tag-1+tag", "tag+tag+1+tag+2", "lemma-1+tag", "tag+lemma+1"};
            using Names = std::vector<std::vector<std::pair<std::string, std::string>>>;
            const auto parts = [&](std::initializer_list<std::pair<const char*, Code>> codes) {
                std::vector<std::pair<std::string, std::string>> out;
                for (const auto& [who, code] : codes)
                    if (code != cN) out.emplace_back(who, names[code]);
                return out;
            };
            Names label, arc, grand, sibling, both, last;
            for (const auto& t : kLabelPairs) label.push_back(parts({{"h", t.head}, {"m", t.mod}}));
            for (const char* extra : {"distance", "between"}) label.push_back({{"h", "upos"}, {"m", "upos"}, {"", extra}});
            label.push_back({{"h", "upos"}, {"m", "feats"}});
            for (const auto& t : kArcPairs) arc.push_back(parts({{"h", t.head}, {"m", t.mod}}));
            for (const auto& t : kArcPairs) {
                arc.push_back(parts({{"h", t.head}, {"m", t.mod}}));
                arc.back().emplace_back("", "distance");
            }
            arc.push_back({{"h", "tag"}, {"m", "tag"}, {"", "a tag between"}});
            arc.push_back({{"h", "upos"}, {"m", "upos"}, {"", "a tag between"}});
            arc.push_back({{"h", "upos"}, {"m", "upos"}, {"", "verbs, conjunctions and punctuation between"}});
            arc.push_back({{"h", "feats"}, {"m", "feats"}});
            arc.push_back({{"h", "upos"}, {"m", "upos"}, {"", "place in the sentence"}});
            for (const auto& t : kGrandTriples) grand.push_back(parts({{"g", t.first}, {"h", t.second}, {"m", t.third}}));
            for (const char* extra : {"distance", "both distances"}) grand.push_back({{"g", "tag"}, {"h", "tag"}, {"m", "tag"}, {"", extra}});
            for (const auto& t : kSiblingTriples) sibling.push_back(parts({{"h", t.first}, {"m", t.second}, {"s", t.third}}));
            sibling.push_back({{"h", "upos"}, {"m", "upos"}, {"s", "upos"}, {"", "distance from the sibling"}});
            for (const char* extra : {"distance from the sibling", "distance"}) sibling.push_back({{"h", "tag"}, {"m", "tag"}, {"s", "tag"}, {"", extra}});
            for (const auto& t : kGrandSiblingQuadruples) both.push_back(parts({{"g", t.g}, {"h", t.h}, {"m", t.m}, {"s", t.s}}));
            for (const auto& [h, m] : {std::pair(cP, cP), {cL, cP}, {cP, cL}, {cLP, cN}, {cPmp, cP}, {cU, cU}, {cL, cL}}) last.push_back(parts({{"h", h}, {"m", m}}));
            return std::vector<Names>{label, arc, grand, sibling, both, last, last};
        },
        "What the templates of each family look at: [family][template] pairs of a place (h, m, g, s) and what is seen there.");
    m.def(
        "label_attributes",
        [](const Array<int64_t>& offsets, const Array<uint64_t>& values, const Array<int64_t>& piece_rows, const Array<uint64_t>& pieces,
           const Array<int32_t>& heads, unsigned bits, int n_jobs) {
            const BoundViews views(offsets, values, piece_rows, pieces);
            require(heads.size() + 1 == piece_rows.size(), "there must be one head per token");
            require(bits >= 1 && bits <= 30, "a table has 1 to 30 bits");
            check_heads(views.views, heads.data(), false);
            LabelAttributes found;
            {
                nb::gil_scoped_release release;
                found = label_attributes(views.views, heads.data(), bits, n_jobs);
            }
            return std::tuple(numpy_of(std::move(found.rows)), numpy_of(std::move(found.attributes)));
        },
        "offsets"_a.noconvert(), "values"_a.noconvert(), "piece_rows"_a.noconvert(), "pieces"_a.noconvert(), "heads"_a.noconvert(), "bits"_a, "n_jobs"_a,
        "What the labels of trees are told by: rows and hashed attributes, token by token.");
}

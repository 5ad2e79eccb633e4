// Transition systems, transition-based parsing as a learning problem, and parsing with a finished model.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <string>

#include "bind/features/token_views.hpp"
#include "bind/learning/problem.hpp"
#include "structures/transitions/learning.hpp"

using namespace palmette;

namespace {

using Strings = std::vector<std::string>;

// What moves and features are made of, and stays where it is.
struct Setting {
    System system;
    std::unique_ptr<MoveSet> moves;
    std::unique_ptr<TransitionFeatures> features;

    Setting(const std::string& name, const Array<int32_t>& groups, const Strings& move_templates, const Strings& label_templates, int move_bits, int label_bits,
            const Maybe<uint8_t>& root_labels = std::nullopt)
        : system(system_of(name)) {
        require(groups.size() > 0 && groups.size() < 4096, "there must be 1 to 4,095 labels");
        require(!root_labels || root_labels->size() == groups.size(), "there must be one entry per label");
        moves = std::make_unique<MoveSet>(groups.data(), groups.size(), data_of(root_labels));
        features = std::make_unique<TransitionFeatures>(move_templates, label_templates, move_bits, label_bits);
    }
};

void check_heads(const BoundViews& b, const Array<int32_t>& heads, bool trees) {
    const TokenViews& v = b.views;
    require(static_cast<int64_t>(heads.size()) == v.offsets[v.n_sentences], "there must be one head per token");
    for (size_t i = 0; i < v.n_sentences; ++i) {
        const std::span<const int32_t> own{heads.data() + v.offsets[i], v.length(i)};
        if (trees && !is_tree(own))
            throw std::invalid_argument("sentence " + std::to_string(i + 1) + ": its heads are not a tree with one word below the root");
        for (const int32_t h : own)
            if (h < -1 || h > static_cast<int32_t>(own.size())) throw std::invalid_argument("sentence " + std::to_string(i + 1) + ": a head is out of range");
    }
}

struct BoundTransition : Bound<TransitionProblem> {
    BoundViews views;
    Setting setting;
};

TransitionData data_for(const BoundViews& views, System system, const Maybe<int32_t>& heads, const Maybe<int32_t>& labels, int training, size_t width, bool max_violation, size_t n_labels) {
    require(training >= 0 && training <= 3 && width >= 1 && width <= 65536, "the training is 0 to 3, and the width 1 to 65,536");
    const bool learns = training != 0;
    require(!learns || (heads && labels), "trees are needed to learn from");
    if (heads) check_heads(views, *heads, learns);
    if (labels) {
        check_ids(*labels, learns ? 0 : -1, static_cast<int64_t>(n_labels), "a label is out of range");
        require(labels->size() == views.views.offsets[views.views.n_sentences], "there must be one label per token");
    }
    TransitionData d;
    d.views = views.views;
    d.heads = data_of(heads);
    d.labels = data_of(labels);
    d.system = system;
    d.training = static_cast<Training>(training);
    d.width = width;
    d.max_violation = max_violation;
    return d;
}

void new_problem(BoundTransition* place, const Array<int64_t>& offsets, const Array<uint64_t>& values, const Array<int64_t>& piece_rows, const Array<uint64_t>& pieces,
                 const Maybe<int32_t>& heads, const Maybe<int32_t>& labels, const std::string& system, int training, size_t width, bool max_violation,
                 const Array<int32_t>& groups, const Strings& move_templates, const Strings& label_templates, int move_bits, int label_bits) {
    BoundViews views(offsets, values, piece_rows, pieces);
    Setting setting(system, groups, move_templates, label_templates, move_bits, label_bits);
    const TransitionData data = data_for(views, setting.system, heads, labels, training, width, max_violation, groups.size());
    const TransitionFeatures& features = *setting.features;
    const MoveSet& moves = *setting.moves;
    nb::list kept;
    if (heads) kept.append(*heads);
    if (labels) kept.append(*labels);
    new (place) BoundTransition{{kept, TransitionProblem(data, features, moves)}, std::move(views), std::move(setting)};
}

struct BoundParser {
    nb::list kept;
    Setting setting;
    TransitionTables tables;
};

void new_parser(BoundParser* place, const std::string& system, const Array<int32_t>& groups, const Strings& move_templates, const Strings& label_templates, int move_bits,
                int label_bits, const Array<int16_t>& move_table, const Array<int16_t>& label_table, float move_unit, float label_unit,
                const Maybe<uint8_t>& root_labels) {
    Setting setting(system, groups, move_templates, label_templates, move_bits, label_bits, root_labels);
    require(move_table.size() == setting.features->move_rows() * setting.moves->move_stride, "the table of moves has the wrong length");
    require(label_table.size() == setting.features->label_rows() * setting.moves->label_stride, "the table of labels has the wrong length");
    TransitionTables tables{setting.system, setting.features.get(), setting.moves.get(),
                            {move_table.data(), label_table.data(), move_unit, label_unit, setting.moves->move_stride, setting.moves->label_stride}};
    nb::list kept;
    kept.append(move_table);
    kept.append(label_table);
    new (place) BoundParser{kept, std::move(setting), tables};
}

// A configuration for people to look at.
struct BoundConfiguration {
    System system;
    bool single_root;
    Configuration c;

    KindSet legal() const {
        return with_system(system, [&](auto policy) { return decltype(policy)::legal(c, single_root); });
    }
    bool finished() const {
        return with_system(system, [&](auto policy) { return decltype(policy)::finished(c); });
    }
};

std::vector<int32_t> of_words(const Configuration& c, int32_t ParsedWord::* what) {
    std::vector<int32_t> values;
    for (int32_t w = 1; w <= c.n; ++w) values.push_back(c.words[w].*what);
    return values;
}

void bind_configuration(nb::module_& m) {
    using namespace nb::literals;
    nb::class_<BoundConfiguration>(m, "TransitionConfiguration")
        .def("__init__",
             [](BoundConfiguration* place, const std::string& system, size_t n, bool single_root) {
                 require(n < (1u << 20), "a sentence must have less than 1,048,576 words");
                 new (place) BoundConfiguration{system_of(system), single_root, {}};
                 with_system(place->system, [&](auto policy) { place->c.start(n, decltype(policy)::root_last); });
             },
             "system"_a, "n"_a, "single_root"_a)
        .def("copy", [](const BoundConfiguration& b) { return b; })
        .def_prop_ro("legal", [](const BoundConfiguration& b) {
            std::vector<int> kinds;
            for (int k = 0; k < kKinds; ++k)
                if (b.legal() & 1u << k) kinds.push_back(k);
            return kinds;
        })
        .def_prop_ro("finished", [](const BoundConfiguration& b) { return b.finished(); })
        .def_prop_ro("stack", [](const BoundConfiguration& b) { return b.c.stack; })
        .def_prop_ro("buffer", [](const BoundConfiguration& b) {
            std::vector<int32_t> words;
            for (size_t k = 0;; ++k) {
                const int32_t word = b.c.next(k);
                if (word < 0) return words;
                words.push_back(word);
            }
        })
        .def_prop_ro("heads", [](const BoundConfiguration& b) { return of_words(b.c, &ParsedWord::head); })
        .def_prop_ro("labels", [](const BoundConfiguration& b) { return of_words(b.c, &ParsedWord::label); })
        .def("apply",
             [](BoundConfiguration& b, int kind, int32_t label) {
                 require(kind >= 0 && kind < kKinds && (b.legal() & 1u << kind), "this transition is not allowed here");
                 with_system(b.system, [&](auto policy) { decltype(policy)::apply(b.c, static_cast<Kind>(kind), label); });
             },
             "kind"_a, "label"_a)
        .def("costs",
             [](const BoundConfiguration& b, const Array<int32_t>& heads) {
                 require(heads.size() == static_cast<size_t>(b.c.n), "there must be one head per word");
                 check_ids(heads, -1, b.c.n + 1, "a head is out of range");
                 GoldTree gold;
                 gold.set(span_of(heads), {});
                 std::vector<int32_t> found(kKinds, -1);
                 with_system(b.system, [&](auto policy) {
                     using S = decltype(policy);
                     if constexpr (S::has_costs) {
                         std::array<int32_t, kKinds> costs;
                         transition_costs<S>(b.c, gold, b.legal(), costs);
                         for (size_t k = 0; k < kKinds; ++k)
                             if (b.legal() & 1u << k) found[k] = costs[k];
                     } else {
                         throw std::invalid_argument("only arc-hybrid and arc-eager have a dynamic oracle");
                     }
                 });
                 return found;
             },
             "heads"_a.noconvert());
    m.def(
        "transition_oracle",
        [](const std::string& system, const Array<int32_t>& heads) -> std::optional<std::vector<int>> {
            require(is_tree(span_of(heads)), "the heads are not a tree with one word below the root");
            GoldTree gold;
            gold.set(span_of(heads), {});
            std::vector<Kind> kinds;
            if (!oracle(system_of(system), gold, kinds)) return std::nullopt;
            return std::vector<int>(kinds.begin(), kinds.end());
        },
        "system"_a, "heads"_a.noconvert(), "The kinds of transitions that make a tree, or None if they cannot.");
    m.def(
        "projectivise",
        [](const Array<int64_t>& offsets, const Array<int32_t>& heads) {
            require(offsets.size() > 0, "there must be offsets");
            check_boundaries(offsets, offsets.size() - 1, heads.size(), "the offsets do not cut the heads into sentences");
            std::vector<int32_t> lifted(heads.data(), heads.data() + heads.size());
            nb::gil_scoped_release release;
            for (size_t i = 0; i + 1 < offsets.size(); ++i) {
                const std::span<int32_t> own{lifted.data() + offsets.data()[i], static_cast<size_t>(offsets.data()[i + 1] - offsets.data()[i])};
                if (!is_tree(own)) throw std::invalid_argument("sentence " + std::to_string(i + 1) + ": its heads are not a tree with one word below the root");
                projectivise(own);
            }
            nb::gil_scoped_acquire acquire;
            return numpy_of(std::move(lifted));
        },
        "offsets"_a.noconvert(), "heads"_a.noconvert(), "The heads of all sentences, lifted until no arcs cross.");
    m.def(
        "transition_templates", [](const std::string& system) { return standard_templates(system_of(system)); }, "system"_a,
        "The templates of moves and of labels that suit a system.");
    m.def("beam_width", &beam_width, "width"_a, "n"_a, "The width of a beam for a sentence of n words: as asked, and less for a very long one.");
    m.def("transition_slots", &slot_names, "The places that templates look at, in the order of the words of a traced step.");
}

// The known heads of one sentence; null for none.
const int32_t* known_of(const BoundViews& views, size_t sentence, const Maybe<int32_t>& known) {
    require(sentence < views.views.n_sentences, "there is no such sentence");
    if (!known) return nullptr;
    const auto n = static_cast<int64_t>(views.views.length(sentence));
    require(static_cast<int64_t>(known->size()) == n, "there must be one head per word");
    check_ids(*known, -1, n + 1, "a head is out of range");
    return known->data();
}

auto tree_arrays(std::vector<ScoredTree>& trees) {
    std::vector<int32_t> heads, labels;
    std::vector<double> scores;
    for (const ScoredTree& tree : trees) {
        heads.insert(heads.end(), tree.heads.begin(), tree.heads.end());
        labels.insert(labels.end(), tree.labels.begin(), tree.labels.end());
        scores.push_back(tree.score);
    }
    return std::tuple(numpy_of(std::move(heads)), numpy_of(std::move(labels)), numpy_of(std::move(scores)));
}

}  // namespace

void bind_transition(nb::module_& m) {
    using namespace nb::literals;
    bind_configuration(m);
    nb::class_<BoundTransition, BoundProblem> problem(m, "TransitionProblem");
    problem.def("__init__", &new_problem, "offsets"_a.noconvert(), "values"_a.noconvert(), "piece_rows"_a.noconvert(), "pieces"_a.noconvert(),
                "heads"_a.noconvert().none(), "labels"_a.noconvert().none(), "system"_a, "training"_a, "width"_a, "max_violation"_a,
                "groups"_a.noconvert(), "move_templates"_a, "label_templates"_a, "move_bits"_a, "label_bits"_a,
                "training: 0 to follow the parser, 1 to imitate the static oracle, 2 to explore with the dynamic one, 3 for a beam.");
    problem.def_prop_ro("labels_at", [](const BoundTransition& b) { return b.problem.labels_at(); });
    problem.def("explore", [](BoundTransition& b, double probability, uint64_t round) { b.problem.explore(probability, round); }, "probability"_a, "round"_a);
    problem.def(
        "decode",
        [](const BoundTransition& b, const Array<float>& w, int n_jobs) {
            const float* weights = checked(b, w);
            require(b.problem.data().training == Training::follow, "only a problem that follows the parser decodes");
            const TokenViews& v = b.problem.data().views;
            std::vector<int32_t> heads(v.offsets[v.n_sentences]), labels(heads.size());
            std::vector<double> scores(v.n_sentences);
            {
                nb::gil_scoped_release release;
                decode_all(b.problem, weights, n_jobs, [&](size_t i, const TransitionOutput& y, double score) {
                    std::copy(y.tree.heads.begin(), y.tree.heads.end(), heads.begin() + v.offsets[i]);
                    std::copy(y.tree.labels.begin(), y.tree.labels.end(), labels.begin() + v.offsets[i]);
                    scores[i] = score;
                });
            }
            return std::tuple(numpy_of(std::move(heads)), numpy_of(std::move(labels)), numpy_of(std::move(scores)));
        },
        "w"_a.noconvert(), "n_jobs"_a);
    problem.def(
        "mistakes",
        [](const BoundTransition& b, const Array<float>& w, size_t i, float cost) {
            const float* weights = checked(b, w);
            require(i < b.problem.size(), "there is no such sentence");
            TransitionProblem::State state;
            TransitionOutput guess, gold;
            b.problem.prepare(state, nullptr, 1.0f, false);
            b.problem.score(state, i, weights, 1.0f);
            b.problem.best(state, cost, guess);
            b.problem.gold(state, gold);
            SparseVector d;
            b.problem.difference(i, gold, guess, [&](size_t k, float value) { d.add(k, value); });
            d.gather();
            std::vector<int64_t> indices;
            std::vector<float> values;
            for (const auto& e : d.entries) indices.push_back(static_cast<int64_t>(e.index)), values.push_back(e.value);
            return std::tuple(guess.loss, numpy_of(std::move(indices)), numpy_of(std::move(values)));
        },
        "w"_a.noconvert(), "sentence"_a, "cost"_a, "The loss of the best output, and where the features of the right one differ from its.");

    nb::class_<BoundParser> parser(m, "TransitionParser");
    parser.def("__init__", &new_parser, "system"_a, "groups"_a.noconvert(), "move_templates"_a, "label_templates"_a, "move_bits"_a, "label_bits"_a,
               "move_table"_a.noconvert(), "label_table"_a.noconvert(), "move_unit"_a, "label_unit"_a, "root_labels"_a.noconvert().none() = nb::none(),
               "root_labels: 1 for the labels that arcs from the root have, and no others; None: any label fits anywhere.");
    parser.def(
        "parse",
        [](const BoundParser& b, const Array<int64_t>& offsets, const Array<uint64_t>& values, const Array<int64_t>& piece_rows, const Array<uint64_t>& pieces, size_t width,
           const Maybe<int32_t>& known, int n_jobs, bool probable) {
            const BoundViews views(offsets, values, piece_rows, pieces);
            require(width >= 1 && width <= 65536, "the width of a beam is 1 to 65,536");
            if (known) check_heads(views, *known, false);
            const TokenViews& v = views.views;
            std::vector<int32_t> heads(v.offsets[v.n_sentences]), labels(heads.size());
            std::vector<double> scores(v.n_sentences);
            require(!probable || width == 1, "only a greedy parser has probabilities of arcs");
            std::vector<float> probabilities(probable ? heads.size() : 0);
            size_t failed;
            {
                nb::gil_scoped_release release;
                failed = parse_all(b.tables, v, width, data_of(known), n_jobs, heads.data(), labels.data(), scores.data(), probable ? probabilities.data() : nullptr);
            }
            return std::tuple(numpy_of(std::move(heads)), numpy_of(std::move(labels)), numpy_of(std::move(scores)), numpy_of(std::move(probabilities)),
                              failed < v.n_sentences ? static_cast<int64_t>(failed) : -1);
        },
        "offsets"_a.noconvert(), "values"_a.noconvert(), "piece_rows"_a.noconvert(), "pieces"_a.noconvert(), "width"_a, "known"_a.noconvert().none(), "n_jobs"_a,
        "probable"_a, "Heads, labels, scores of sentences, probabilities of arcs if asked, and the first sentence whose known heads could not be kept (or -1).");
    parser.def(
        "kbest",
        [](const BoundParser& b, const Array<int64_t>& offsets, const Array<uint64_t>& values, const Array<int64_t>& piece_rows, const Array<uint64_t>& pieces, size_t sentence,
           size_t width, size_t k, const Maybe<int32_t>& known, bool losses) {
            const BoundViews views(offsets, values, piece_rows, pieces);
            require(width >= 1 && width <= 65536 && k >= 1 && k <= 65536, "the width of a beam is 1 to 65,536");
            const int32_t* heads = known_of(views, sentence, known);
            std::vector<ScoredTree> trees;
            {
                nb::gil_scoped_release release;
                parse_kbest(b.tables, views.views, sentence, width, k, heads, losses, trees);
            }
            return tree_arrays(trees);
        },
        "offsets"_a.noconvert(), "values"_a.noconvert(), "piece_rows"_a.noconvert(), "pieces"_a.noconvert(), "sentence"_a, "width"_a, "k"_a, "known"_a.noconvert().none(), "losses"_a = false,
        "losses: score trees by what their moves lose against the best ones, so that the first is that of the greedy parser.");
    parser.def(
        "trace",
        [](const BoundParser& b, const Array<int64_t>& offsets, const Array<uint64_t>& values, const Array<int64_t>& piece_rows, const Array<uint64_t>& pieces, size_t sentence,
           size_t width, const Maybe<int32_t>& known, const std::optional<std::vector<int>>& kinds, bool losses) {
            const BoundViews views(offsets, values, piece_rows, pieces);
            require(width >= 1 && width <= 65536, "the width of a beam is 1 to 65,536");
            const int32_t* heads = known_of(views, sentence, known);
            std::vector<TracedStep> steps;
            ScoredTree tree = trace(b.tables, views.views, sentence, width, heads, kinds ? &*kinds : nullptr, losses, steps);
            using Row = std::tuple<int, int, std::vector<int32_t>, std::vector<int32_t>, std::vector<int32_t>>;
            std::vector<Row> out;
            for (TracedStep& s : steps) out.emplace_back(s.move, s.top, std::move(s.rows), std::move(s.sources), std::move(s.words));
            return std::tuple(numpy_of(std::move(tree.heads)), numpy_of(std::move(tree.labels)), tree.score, out);
        },
        "offsets"_a.noconvert(), "values"_a.noconvert(), "piece_rows"_a.noconvert(), "pieces"_a.noconvert(), "sentence"_a, "width"_a, "known"_a.noconvert().none(), "kinds"_a.none(),
        "losses"_a = false,
        "Heads, labels and score of a tree, the best or that of given kinds of transitions, and each step to it: the move, the best move there, the rows of "
        "its features, their templates, the words in the slots. losses: as in kbest.");
    parser.def(
        "trace_beam",
        [](const BoundParser& b, const Array<int64_t>& offsets, const Array<uint64_t>& values, const Array<int64_t>& piece_rows, const Array<uint64_t>& pieces, size_t sentence,
           size_t width) {
            const BoundViews views(offsets, values, piece_rows, pieces);
            require(width >= 1 && width <= 65536, "the width of a beam is 1 to 65,536");
            known_of(views, sentence, std::nullopt);
            std::vector<std::vector<BeamCandidate>> steps;
            {
                nb::gil_scoped_release release;
                steps = trace_beam(b.tables, views.views, sentence, width);
            }
            using Row = std::tuple<int, int, int, double, bool>;
            std::vector<std::vector<Row>> out;
            for (const std::vector<BeamCandidate>& step : steps) {
                std::vector<Row>& rows = out.emplace_back();
                for (const BeamCandidate& one : step) rows.emplace_back(one.before, one.move, one.label, one.score, one.kept);
            }
            return out;
        },
        "offsets"_a.noconvert(), "values"_a.noconvert(), "piece_rows"_a.noconvert(), "pieces"_a.noconvert(), "sentence"_a, "width"_a,
        "The steps of a beam search. Each has the candidates best first, those kept and some of those dropped: the place of the item that it extends, "
        "the move (-1: done), the label of its arc (-1: none), the score, and whether it is kept.");
}

// Latent grammars: training from flat trees, and parsing. Arrays are checked for shape here, for sense in Python.
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <stdexcept>
#include <string>

#include "base/parallel.hpp"
#include "bind/bind.hpp"
#include "tools/constituency/latent/parser.hpp"
#include "tools/constituency/latent/training.hpp"

using namespace palmette;

namespace {

using Ints = Array<std::int32_t>;
using Longs = Array<std::int64_t>;
using Bytes = Array<std::uint8_t>;
using Floats = Array<float>;
template <class T>
using Numbers = nb::ndarray<nb::numpy, T, nb::ndim<1>>;

template <class T>
std::vector<T> copied(const Array<T>& array) {
    return {array.data(), array.data() + array.size()};
}

template <class T>
auto numpy_copy(const std::vector<T>& values) {
    return numpy_of(std::vector<T>(values));
}

LatentRules rules_of(int n_symbols, const Ints& parent, const Ints& left, const Ints& right, const Ints& upper,
                     const Ints& lower) {
    LatentRules rules{n_symbols, copied(parent), copied(left), copied(right), copied(upper), copied(lower)};
    rules.check();
    return rules;
}

void fill(std::vector<float>& to, const Floats& values) {
    if (values.size() != to.size()) throw std::invalid_argument("weights do not fit the rules and substates");
    std::copy_n(values.data(), values.size(), to.begin());
}

// Weights or counts of all rules, for these substates.
LatentGrammar grammar_of(const LatentRules& rules, std::vector<std::int32_t> substates, const Floats& binary, const Floats& unary,
                         const Floats& same, const Floats& root) {
    if (substates.size() != static_cast<std::size_t>(rules.n_symbols) ||
        std::any_of(substates.begin(), substates.end(), [](std::int32_t n) { return n < 1 || n > 1 << 16; }))
        throw std::invalid_argument("every symbol needs one substate or more");
    LatentGrammar grammar(rules, std::move(substates));
    fill(grammar.binary, binary);
    fill(grammar.unary, unary);
    fill(grammar.same, same);
    fill(grammar.root, root);
    return grammar;
}

void bind_training(nb::module_& m) {
    nb::class_<LatentTrainer>(m, "LatentTrainer")
        .def(
            "__init__",
            [](LatentTrainer* self, int n_symbols, std::tuple<Ints, Ints, Ints> binary, std::tuple<Ints, Ints> unary,
               const Longs& begin, const Bytes& kind, const Ints& id, const Ints& symbol, const Ints& left,
               const Ints& right, const Ints& form_tag, const Ints& form_chain, const Bytes& form_counted,
               const Ints& context_begin, const Ints& context_tag, const Floats& context_total, const Floats& strength,
               const Ints& tags) {
                LatentRules rules = rules_of(n_symbols, std::get<0>(binary), std::get<1>(binary), std::get<2>(binary),
                                             std::get<0>(unary), std::get<1>(unary));
                LatentTrees trees{copied(begin), copied(kind), copied(id), copied(symbol), copied(left), copied(right)};
                LatentForms forms{copied(form_tag), copied(form_chain), copied(form_counted)};
                LatentLexicon lexicon;
                lexicon.begin = copied(context_begin);
                lexicon.tag = copied(context_tag);
                lexicon.total = copied(context_total);
                lexicon.strength = copied(strength);
                lexicon.tags = copied(tags);
                nb::gil_scoped_release release;
                new (self) LatentTrainer(std::move(rules), std::move(trees), std::move(forms), std::move(lexicon));
            },
            nb::arg("n_symbols"), nb::arg("binary"), nb::arg("unary"), nb::arg("begin").noconvert(),
            nb::arg("kind").noconvert(), nb::arg("id").noconvert(), nb::arg("symbol").noconvert(),
            nb::arg("left").noconvert(), nb::arg("right").noconvert(), nb::arg("form_tag").noconvert(),
            nb::arg("form_chain").noconvert(), nb::arg("form_counted").noconvert(), nb::arg("context_begin").noconvert(),
            nb::arg("context_tag").noconvert(), nb::arg("context_total").noconvert(), nb::arg("strength").noconvert(),
            nb::arg("tags").noconvert())
        .def("expectation", &LatentTrainer::expectation, nb::arg("n_jobs") = 1, nb::call_guard<nb::gil_scoped_release>())
        .def("maximization", &LatentTrainer::maximization, nb::arg("rule_smoothing"), nb::arg("word_smoothing"),
             nb::arg("n_jobs") = 1, nb::call_guard<nb::gil_scoped_release>())
        .def("split", &LatentTrainer::split, nb::arg("noise"), nb::arg("seed"), nb::call_guard<nb::gil_scoped_release>())
        .def(
            "merge_losses", [](LatentTrainer& self, int n_jobs) { return numpy_of(self.merge_losses(n_jobs)); },
            nb::arg("n_jobs") = 1)
        .def(
            "merge", [](LatentTrainer& self, const Bytes& merged) { return numpy_of(self.merge(span_of(merged))); },
            nb::arg("merged").noconvert())
        .def(
            "restore",
            [](LatentTrainer& self, const Ints& substates, const Floats& binary, const Floats& unary, const Floats& same,
               const Floats& root, const Floats& counts, const Floats& prior, float smoothing) {
                self.restore(grammar_of(self.rules(), copied(substates), binary, unary, same, root), copied(counts),
                             copied(prior), smoothing);
            },
            nb::arg("substates").noconvert(), nb::arg("binary").noconvert(), nb::arg("unary").noconvert(),
            nb::arg("same").noconvert(), nb::arg("root").noconvert(), nb::arg("counts").noconvert(),
            nb::arg("prior").noconvert(), nb::arg("smoothing"), "Goes on with the weights of another trainer.")
        .def(
            "take",
            [](LatentTrainer& self, const Floats& binary, const Floats& unary, const Floats& same, const Floats& root,
               const Floats& counts, const Floats& prior, const Floats& mass) {
                self.take(grammar_of(self.rules(), self.grammar().layout.substates, binary, unary, same, root), copied(counts),
                          copied(prior), copied(mass));
            },
            nb::arg("binary").noconvert(), nb::arg("unary").noconvert(), nb::arg("same").noconvert(),
            nb::arg("root").noconvert(), nb::arg("counts").noconvert(), nb::arg("prior").noconvert(),
            nb::arg("mass").noconvert(), "Takes the counts of several trainers together for its own.")
        .def(
            "take_mass", [](LatentTrainer& self, const Floats& mass) { self.take_mass(copied(mass)); },
            nb::arg("mass").noconvert())
        .def("expected",
             [](const LatentTrainer& self) {
                 const LatentGrammar& counts = self.expected();
                 return std::make_tuple(numpy_copy(counts.binary), numpy_copy(counts.unary), numpy_copy(counts.same),
                                        numpy_copy(counts.root));
             },
             "The counts of the last expectation: of binary and unary rules, of staying the same, of the root.")
        .def_prop_ro("n_words", &LatentTrainer::n_words)
        .def_prop_ro("smoothing", [](const LatentTrainer& self) { return self.lexicon().smoothing; })
        .def("substates", [](const LatentTrainer& self) { return numpy_copy(self.grammar().layout.substates); })
        .def("binary", [](const LatentTrainer& self) { return numpy_copy(self.grammar().binary); })
        .def("unary", [](const LatentTrainer& self) { return numpy_copy(self.grammar().unary); })
        .def("same", [](const LatentTrainer& self) { return numpy_copy(self.grammar().same); })
        .def("root", [](const LatentTrainer& self) { return numpy_copy(self.grammar().root); })
        .def("mass", [](const LatentTrainer& self) { return numpy_copy(self.mass()); })
        .def("counts", [](const LatentTrainer& self) { return numpy_copy(self.lexicon().counts); })
        .def("prior", [](const LatentTrainer& self) { return numpy_copy(self.lexicon().prior); });
}

using Levels = std::vector<std::tuple<Ints, Ints>>;  // group by row, number of groups by symbol
// One grammar: substates, weights of binary and unary rules, of staying the same, of the root; frequencies of substates;
// counts and frequencies of words; levels.
using MemberArrays = std::tuple<Ints, Floats, Floats, Floats, Floats, Floats, Floats, Floats, Levels>;

LatentMember member_of(const LatentRules& rules, LatentLexicon lexicon, const MemberArrays& from) {
    const auto& [substates, binary, unary, same, root, mass, counts, prior, levels] = from;
    LatentGrammar grammar = grammar_of(rules, copied(substates), binary, unary, same, root);
    lexicon.lay_out(grammar.layout);
    fill(lexicon.counts, counts);
    fill(lexicon.prior, prior);
    std::vector<std::pair<std::vector<std::int32_t>, std::vector<std::int32_t>>> groups;
    for (const auto& [group, number] : levels) groups.emplace_back(copied(group), copied(number));
    return latent_member(rules, std::move(grammar), std::move(lexicon), copied(mass), groups);
}

// Sentences as they come from Python: chains of all words, the first word of every sentence, and tags or nothing.
struct SentenceArrays {
    Ints chains;
    Longs begin;
    Ints tags;
    Ints bar_rows;  // of one sentence only
    Bytes bars;

    std::size_t size() const { return begin.size() - 1; }
    void check(const LatentParser& parser) const {
        const auto starts = span_of(begin);
        if (starts.empty() || starts.front() != 0 || !std::is_sorted(starts.begin(), starts.end()) ||
            chains.size() != static_cast<std::size_t>(starts.back()) * parser.depth())
            throw std::invalid_argument("sentences begin at word 0, in order, and every word needs its contexts");
        for (std::size_t s = 0; s < size(); ++s)
            if (starts[s] == starts[s + 1]) throw std::invalid_argument("sentence " + std::to_string(s + 1) + " has no words");
        for (std::int32_t context : span_of(chains))
            if (context < -1 || context >= static_cast<std::int64_t>(parser.contexts()))
                throw std::invalid_argument("a word has a context that is not there");
        if (tags.size() && tags.size() != static_cast<std::size_t>(starts.back()))
            throw std::invalid_argument("every word needs a tag, or -1");
        for (std::int32_t tag : span_of(tags))
            if (tag < -1 || (tag >= 0 && !parser.is_tag(tag))) throw std::invalid_argument("the tag of a word is not a tag of the grammar");
        if (!bar_rows.size()) return;
        const std::size_t n = static_cast<std::size_t>(starts.back());
        const std::size_t width = parser.rules().n_symbols + parser.rules().n_unary();
        if (size() != 1 || bar_rows.size() != n * (n + 1) / 2 || bars.size() % width)
            throw std::invalid_argument("bars need a row for every span of one sentence");
        for (std::int32_t row : span_of(bar_rows))
            if (row < -1 || row >= static_cast<std::int64_t>(bars.size() / width))
                throw std::invalid_argument("a span has a row of bars that is not there");
    }
    LatentSentence operator[](std::size_t s) const {
        const std::size_t first = begin.data()[s], n = begin.data()[s + 1] - first;
        const std::size_t depth = chains.size() / begin.data()[size()];
        return {span_of(chains).subspan(first * depth, n * depth),
                tags.size() ? span_of(tags).subspan(first, n) : span_of(tags),
                {span_of(bar_rows), span_of(bars)},
                static_cast<int>(n)};
    }
};

void check_search(const LatentSearch& search) {
    if (search.thresholds.empty()) throw std::invalid_argument("a search needs the threshold of the coarsest grammar");
    for (float threshold : search.thresholds)
        if (!(threshold >= 0 && threshold < 1)) throw std::invalid_argument("thresholds are at least 0 and below 1");
}

void add_nodes(const LatentTree& nodes, std::vector<std::int32_t>& flat) {
    for (const LatentTreeNode& node : nodes)
        flat.insert(flat.end(), {static_cast<std::int32_t>(node.kind), node.id, node.symbol, node.start, node.end, node.left,
                                 node.right});
}

// Trees of all sentences: nodes of seven numbers that the trees of a sentence share, how many nodes and how many trees
// each sentence has, the trees' roots, values and scores, the sentences' log z.
std::tuple<Numbers<std::int32_t>, Numbers<std::int64_t>, Numbers<std::int64_t>, Numbers<std::int32_t>, Numbers<double>,
           Numbers<double>, Numbers<double>>
parse_all(const LatentParser& self, const SentenceArrays& given, const LatentSearch& search, std::size_t k, int n_jobs) {
    given.check(self);
    check_search(search);
    std::vector<LatentRanked> found(given.size());
    std::vector<double> logs(given.size());
    {
        nb::gil_scoped_release release;
        parallel(given.size(), n_jobs, [&](std::size_t s, std::size_t) {
            const LatentChart chart = self.analyse(given[s], search);
            logs[s] = chart.log_z;
            found[s] = self.best(chart, search, k);
        });
    }
    std::vector<std::int32_t> nodes, roots;
    std::vector<std::int64_t> sizes, trees;
    std::vector<double> values, scores;
    for (const LatentRanked& ranked : found) {
        add_nodes(ranked.nodes, nodes);
        sizes.push_back(static_cast<std::int64_t>(ranked.nodes.size()));
        trees.push_back(static_cast<std::int64_t>(ranked.roots.size()));
        roots.insert(roots.end(), ranked.roots.begin(), ranked.roots.end());
        values.insert(values.end(), ranked.values.begin(), ranked.values.end());
        scores.insert(scores.end(), ranked.scores.begin(), ranked.scores.end());
    }
    return {numpy_of(std::move(nodes)),  numpy_of(std::move(sizes)),  numpy_of(std::move(trees)), numpy_of(std::move(roots)),
            numpy_of(std::move(values)), numpy_of(std::move(scores)), numpy_of(std::move(logs))};
}

// Posteriors of what is above spans: sentence, symbol, unary rule or -1, start, end; and the posterior.
std::tuple<Numbers<std::int32_t>, Numbers<float>> marginals_of(const LatentParser& self, const SentenceArrays& given, const LatentSearch& search, int n_jobs) {
    given.check(self);
    check_search(search);
    std::vector<LatentChart> charts(given.size());
    {
        nb::gil_scoped_release release;
        parallel(given.size(), n_jobs, [&](std::size_t s, std::size_t) {
            charts[s] = self.analyse(given[s], search);
            charts[s].words.clear();
        });
    }
    std::vector<std::int32_t> rows;
    std::vector<float> posteriors;
    for (std::size_t s = 0; s < charts.size(); ++s)
        for (const LatentForest::Item& at : charts[s].forest.items)
            for (std::int32_t r = at.first; charts[s].found && at.above && r < at.last; ++r) {
                rows.insert(rows.end(), {static_cast<std::int32_t>(s), at.symbol, charts[s].forest.rises[r].rule, at.start,
                                         at.end});
                posteriors.push_back(charts[s].posteriors[r]);
            }
    return {numpy_of(std::move(rows)), numpy_of(std::move(posteriors))};
}

void bind_parsing(nb::module_& m) {
    nb::class_<LatentParser>(m, "LatentParser")
        .def(
            "__init__",
            [](LatentParser* self, int n_symbols, std::tuple<Ints, Ints, Ints> binary, std::tuple<Ints, Ints> unary,
               const Bytes& made, const Ints& context_begin, const Ints& context_tag, const Floats& context_total,
               const Floats& strength, float smoothing, const Ints& tags, const std::vector<MemberArrays>& members) {
                LatentRules rules = rules_of(n_symbols, std::get<0>(binary), std::get<1>(binary), std::get<2>(binary),
                                             std::get<0>(unary), std::get<1>(unary));
                LatentLexicon lexicon;
                lexicon.begin = copied(context_begin);
                lexicon.tag = copied(context_tag);
                lexicon.total = copied(context_total);
                lexicon.strength = copied(strength);
                lexicon.smoothing = smoothing;
                lexicon.tags = copied(tags);
                lexicon.check(n_symbols);
                std::vector<LatentMember> made_members;
                for (const MemberArrays& member : members) made_members.push_back(member_of(rules, lexicon, member));
                new (self) LatentParser(std::move(rules), copied(made), std::move(made_members));
            },
            nb::arg("n_symbols"), nb::arg("binary"), nb::arg("unary"), nb::arg("made").noconvert(),
            nb::arg("context_begin").noconvert(), nb::arg("context_tag").noconvert(), nb::arg("context_total").noconvert(),
            nb::arg("strength").noconvert(), nb::arg("smoothing"), nb::arg("tags").noconvert(), nb::arg("members"))
        .def(
            "parse",
            [](const LatentParser& self, const Ints& chains, const Longs& begin, const Ints& tags, const Ints& bar_rows,
               const Bytes& bars, const std::vector<float>& thresholds, bool recall, float bracket_cost, bool by_brackets,
               std::size_t k, int n_jobs) {
                return parse_all(self, {chains, begin, tags, bar_rows, bars},
                                 {recall, thresholds, bracket_cost, by_brackets}, k, n_jobs);
            },
            nb::arg("chains").noconvert(), nb::arg("begin").noconvert(), nb::arg("tags").noconvert(),
            nb::arg("bar_rows").noconvert(), nb::arg("bars").noconvert(), nb::arg("thresholds"), nb::arg("recall"),
            nb::arg("bracket_cost"), nb::arg("by_brackets"), nb::arg("k"), nb::arg("n_jobs") = 1)
        .def(
            "marginals",
            [](const LatentParser& self, const Ints& chains, const Longs& begin, const Ints& tags,
               const std::vector<float>& thresholds, int n_jobs) {
                return marginals_of(self, {chains, begin, tags, {}, {}}, {false, thresholds, 0, false}, n_jobs);
            },
            nb::arg("chains").noconvert(), nb::arg("begin").noconvert(), nb::arg("tags").noconvert(), nb::arg("thresholds"),
            nb::arg("n_jobs") = 1)
        .def(
            "fragments",
            [](const LatentParser& self, const Ints& chains, const Longs& begin, const Ints& tags) {
                const SentenceArrays given{chains, begin, tags, {}, {}};
                given.check(self);
                if (given.size() != 1) throw std::invalid_argument("fragments are those of one sentence");
                LatentTree nodes;
                double score;
                std::vector<std::int64_t> ends;
                for (std::size_t end : self.fragments(given[0], nodes, score)) ends.push_back(static_cast<std::int64_t>(end));
                std::vector<std::int32_t> flat;
                add_nodes(nodes, flat);
                return std::tuple(numpy_of(std::move(flat)), numpy_of(std::move(ends)), score);
            },
            nb::arg("chains").noconvert(), nb::arg("begin").noconvert(), nb::arg("tags").noconvert())
        .def(
            "amounts",
            [](const LatentParser& self, const Ints& chains, const Longs& begin, const Ints& tags, const Ints& nodes) {
                const SentenceArrays given{chains, begin, tags, {}, {}};
                given.check(self);
                if (given.size() != 1 || nodes.size() % 7 || !nodes.size())
                    throw std::invalid_argument("the parts of a score are those of one tree, with seven numbers a node");
                LatentTree tree;
                for (std::size_t at = 0; at < nodes.size(); at += 7) {
                    const std::int32_t* v = nodes.data() + at;
                    if (v[0] < 0 || v[0] > 3) throw std::invalid_argument("a node is of a kind that is not there");
                    tree.push_back({static_cast<LatentNode>(v[0]), v[1], v[2], v[3], v[4], v[5], v[6]});
                }
                self.check_tree(tree, given[0].n);
                const std::int32_t root = static_cast<std::int32_t>(tree.size()) - 1;
                return numpy_of(self.amounts(self.weighed(given[0]), tree, {&root, 1}));
            },
            nb::arg("chains").noconvert(), nb::arg("begin").noconvert(), nb::arg("tags").noconvert(),
            nb::arg("nodes").noconvert());
}

}  // namespace

void bind_latent(nb::module_& m) {
    bind_training(m);
    bind_parsing(m);
}

// Latent grammars: training from flat trees, and parsing. Arrays are checked for shape here, for sense in Python.
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <stdexcept>

#include "bind.hpp"
#include "latent_parser.hpp"
#include "latent_training.hpp"
#include "parallel.hpp"

using namespace palmette;

namespace {

using Ints = Array<std::int32_t>;
using Longs = Array<std::int64_t>;
using Bytes = Array<std::uint8_t>;
using Floats = Array<float>;

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
        .def("substates", [](const LatentTrainer& self) { return numpy_copy(self.grammar().layout.substates); })
        .def("binary", [](const LatentTrainer& self) { return numpy_copy(self.grammar().binary); })
        .def("unary", [](const LatentTrainer& self) { return numpy_copy(self.grammar().unary); })
        .def("same", [](const LatentTrainer& self) { return numpy_copy(self.grammar().same); })
        .def("root", [](const LatentTrainer& self) { return numpy_copy(self.grammar().root); })
        .def("mass", [](const LatentTrainer& self) { return numpy_copy(self.mass()); })
        .def("counts", [](const LatentTrainer& self) { return numpy_copy(self.lexicon().counts); })
        .def("prior", [](const LatentTrainer& self) { return numpy_copy(self.lexicon().prior); });
}

// One member of a product of grammars, as it comes from Python.
struct MemberArrays {
    Ints substates;
    Floats binary, unary, same, root, mass;
    Floats counts, prior;
    std::vector<std::tuple<Ints, Ints>> levels;  // group by row, number of groups by symbol
};

LatentMember member_of(const LatentRules& rules, const LatentLexicon& words, const MemberArrays& from) {
    LatentMember member;
    LatentGrammar& grammar = member.grammar;
    grammar = LatentGrammar(rules, copied(from.substates));
    const auto fill = [](std::vector<float>& to, const Floats& values) {
        if (values.size() != to.size()) throw std::invalid_argument("weights do not fit the rules and substates");
        std::copy_n(values.data(), values.size(), to.begin());
    };
    fill(grammar.binary, from.binary);
    fill(grammar.unary, from.unary);
    fill(grammar.same, from.same);
    fill(grammar.root, from.root);
    member.lexicon = words;
    member.lexicon.lay_out(grammar.layout);
    fill(member.lexicon.counts, from.counts);
    fill(member.lexicon.prior, from.prior);
    const std::vector<float> mass = copied(from.mass);
    for (const auto& [group, groups] : from.levels) {
        LatentLevel level;
        level.group = copied(group);
        level.grammar = projected(rules, grammar, level.group, copied(groups), mass);
        level.share.assign(grammar.layout.width(), 0);
        std::vector<float> sum(level.grammar.layout.width());
        for (int a = 0; a < rules.n_symbols; ++a)
            for (int x = 0; x < grammar.layout.substates[a]; ++x) {
                const std::size_t at = grammar.layout.row[a] + x;
                sum[level.grammar.layout.row[a] + level.group[at]] += member.lexicon.prior[at];
            }
        for (int a = 0; a < rules.n_symbols; ++a)
            for (int x = 0; x < grammar.layout.substates[a]; ++x) {
                const std::size_t at = grammar.layout.row[a] + x;
                const float all = sum[level.grammar.layout.row[a] + level.group[at]];
                level.share[at] = all > 0 ? member.lexicon.prior[at] / all : 0;
            }
        member.levels.push_back(std::move(level));
    }
    return member;
}

void bind_parsing(nb::module_& m) {
    nb::class_<LatentParser>(m, "LatentParser")
        .def(
            "__init__",
            [](LatentParser* self, int n_symbols, std::tuple<Ints, Ints, Ints> binary, std::tuple<Ints, Ints> unary,
               const Bytes& made, const Ints& context_begin, const Ints& context_tag, const Floats& context_total,
               const Floats& strength, float smoothing, const Ints& tags,
               std::vector<std::tuple<Ints, Floats, Floats, Floats, Floats, Floats, Floats, Floats,
                                      std::vector<std::tuple<Ints, Ints>>>>
                   members) {
                LatentRules rules = rules_of(n_symbols, std::get<0>(binary), std::get<1>(binary), std::get<2>(binary),
                                             std::get<0>(unary), std::get<1>(unary));
                LatentLexicon lexicon;
                lexicon.begin = copied(context_begin);
                lexicon.tag = copied(context_tag);
                lexicon.total = copied(context_total);
                lexicon.strength = copied(strength);
                lexicon.smoothing = smoothing;
                lexicon.tags = copied(tags);
                std::vector<LatentMember> made_members;
                for (auto& [substates, b, u, same, root, mass, counts, prior, levels] : members)
                    made_members.push_back(
                        member_of(rules, lexicon, {substates, b, u, same, root, mass, counts, prior, levels}));
                new (self) LatentParser(std::move(rules), copied(made), std::move(made_members));
            },
            nb::arg("n_symbols"), nb::arg("binary"), nb::arg("unary"), nb::arg("made").noconvert(),
            nb::arg("context_begin").noconvert(), nb::arg("context_tag").noconvert(), nb::arg("context_total").noconvert(),
            nb::arg("strength").noconvert(), nb::arg("smoothing"), nb::arg("tags").noconvert(), nb::arg("members"))
        .def(
            "parse",
            [](const LatentParser& self, const Ints& chains, const Longs& begin, const Ints& tags, int decoding,
               const std::vector<float>& thresholds, float same_power, float word_power, float span_bonus, int n_jobs) {
                LatentSearch search{static_cast<LatentDecoding>(decoding), thresholds, same_power, word_power, span_bonus};
                const std::size_t sentences = begin.size() - 1;
                std::vector<LatentParse> parses(sentences);
                {
                    nb::gil_scoped_release release;
                    parallel(sentences, n_jobs, [&](std::size_t s, std::size_t) {
                        const std::int64_t depth = static_cast<std::int64_t>(chains.size()) / begin.data()[sentences];
                        const std::int64_t b = begin.data()[s], e = begin.data()[s + 1];
                        parses[s] = self.parse(span_of(chains).subspan(b * depth, (e - b) * depth),
                                               tags.size() ? span_of(tags).subspan(b, e - b) : span_of(tags), search);
                    });
                }
                std::vector<std::int32_t> nodes;
                std::vector<std::int64_t> ends;
                std::vector<double> scores, logs, sizes;
                for (const LatentParse& parse : parses) {
                    for (const auto& node : parse.nodes)
                        nodes.insert(nodes.end(), {node.symbol, node.start, node.end, node.rule});
                    ends.push_back(static_cast<std::int64_t>(nodes.size() / 4));
                    scores.push_back(parse.score);
                    logs.push_back(parse.log_z);
                    sizes.push_back(parse.n_items);
                    sizes.push_back(parse.n_edges);
                }
                return nb::make_tuple(numpy_of(std::move(nodes)), numpy_of(std::move(ends)), numpy_of(std::move(scores)),
                                      numpy_of(std::move(logs)), numpy_of(std::move(sizes)));
            },
            nb::arg("chains").noconvert(), nb::arg("begin").noconvert(), nb::arg("tags").noconvert(), nb::arg("decoding"),
            nb::arg("thresholds"), nb::arg("same_power"), nb::arg("word_power"), nb::arg("span_bonus"),
            nb::arg("n_jobs") = 1);
}

}  // namespace

void bind_latent(nb::module_& m) {
    bind_training(m);
    bind_parsing(m);
}

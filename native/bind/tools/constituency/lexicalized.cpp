// The lexicalised model of trees: training by counting, scores of trees, and parsing.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <optional>

#include "bind/bind.hpp"
#include "bind/tools/constituency/phrases.hpp"
#include "tools/constituency/lexicalized/batch.hpp"
#include "tools/constituency/lexicalized/scores.hpp"

using namespace palmette;

namespace {

using Chain = std::vector<std::vector<int>>;
using Ints = Array<int32_t>;
using Offsets = Array<int64_t>;
template <class T>
using Out = nb::ndarray<nb::numpy, T, nb::ndim<1>>;

void require(bool holds, const char* message) {
    if (!holds) throw std::invalid_argument(message);
}

BackoffChain chain_of(const Chain& levels, int limit) {
    BackoffChain chain;
    for (const auto& level : levels) {
        chain.emplace_back();
        for (const int v : level) {
            require(v >= 0 && v < limit, "a chain names a variable that does not exist");
            chain.back().push_back(static_cast<uint8_t>(v));
        }
    }
    return chain;
}

void check_offsets(const Offsets& offsets, size_t total, bool empty_allowed) {
    require(offsets.size() >= 1 && offsets.data()[0] == 0 && offsets.data()[offsets.size() - 1] == static_cast<int64_t>(total), "offsets must go from 0 to the end");
    for (size_t i = 0; i + 1 < offsets.size(); ++i) require(offsets.data()[i] + (empty_allowed ? 0 : 1) <= offsets.data()[i + 1], "offsets must ascend");
}

// A model, the tables of its coarse passes once it is complete, and the form of its chains.
struct Bound {
    LexicalizedModel model;
    std::array<std::vector<BackoffChain>, kDecisions> chains;
    BackoffChain looks;
    int32_t n_features = 0;
    std::unique_ptr<CoarseModel> coarse;

    TokenTypes types(const Ints& word, const Ints& features) const {
        require(features.size() == word.size() * static_cast<size_t>(n_features), "there must be a row of features per token type");
        const auto limit = static_cast<int32_t>(model.word_probability.size());
        for (size_t i = 0; i < word.size(); ++i) require(word.data()[i] >= -1 && word.data()[i] < limit, "a word is out of range");
        return {span_of(word), span_of(features), n_features};
    }

    FlatTrees trees(const Offsets& offsets, const Ints& label, const Ints& children, const Ints& head, const Ints& token, size_t n_types) const {
        const size_t n = label.size();
        require(children.size() == n && head.size() == n && token.size() == n, "the arrays of trees must be of one length");
        check_offsets(offsets, n, false);
        for (size_t t = 0; t + 1 < offsets.size(); ++t) {
            int64_t open = 1;  // nodes that are still to come
            for (int64_t v = offsets.data()[t]; v < offsets.data()[t + 1]; ++v) {
                const int32_t l = label.data()[v], k = children.data()[v];
                require(open > 0 && l >= 0 && l < model.labels.size() && k >= 0, "a flat tree is malformed");
                require(k == 0 ? model.labels.is_tag[l] && token.data()[v] >= 0 && static_cast<size_t>(token.data()[v]) < n_types : !model.labels.is_tag[l] && head.data()[v] >= 0 && head.data()[v] < k,
                        "a flat tree has a label, a head or a word out of place");
                open += k - 1;
            }
            require(open == 0, "a flat tree is not complete");
        }
        return {span_of(offsets), span_of(label), span_of(children), span_of(head), span_of(token)};
    }

    const CoarseModel& ready() const {
        require(coarse != nullptr, "the model is not trained");
        return *coarse;
    }
};

void new_model(Bound* place, const Array<uint8_t>& is_tag, const Ints& plain, const Array<float>& height, const Array<uint8_t>& joins, const Ints& given, int root, const std::vector<std::vector<Chain>>& chains,
               const Chain& looks, int n_features) {
    const size_t n = is_tag.size();
    require(n >= 1 && n < 30000 && plain.size() == n && height.size() == n && joins.size() == n, "there must be as many of everything as labels");
    require(root >= 0 && static_cast<size_t>(root) < n && !is_tag.data()[root], "the root must be a phrase");
    require(chains.size() == kDecisions && n_features >= 1 && n_features <= 64, "there must be chains for every decision");
    for (size_t i = 0; i < n; ++i) {
        const int32_t p = plain.data()[i];
        require(p >= 0 && static_cast<size_t>(p) < n && !is_tag.data()[p] == !is_tag.data()[i] && joins.data()[i] < 8, "a label's properties are out of range");
    }
    Bound bound;
    LabelSet& labels = bound.model.labels;
    labels.is_tag.assign(is_tag.data(), is_tag.data() + n);
    labels.plain.assign(plain.data(), plain.data() + n);
    labels.height.assign(height.data(), height.data() + n);
    labels.joins.assign(joins.data(), joins.data() + n);
    labels.root = root;
    require(given.size() % 4 == 0, "a rule of semantic heads has four numbers");
    for (size_t i = 0; i < given.size(); i += 4) {
        const int32_t* r = given.data() + i;
        for (int k = 0; k < 3; ++k) require(r[k] >= 0 && static_cast<size_t>(r[k]) < n, "a rule of semantic heads has a label out of range");
        labels.given.push_back(LabelSet::giving(r[0], r[1], r[2], r[3] != 0));
    }
    std::sort(labels.given.begin(), labels.given.end());
    bound.n_features = n_features;
    bound.looks = chain_of(looks, n_features);
    for (int d = 0; d < kDecisions; ++d) {
        require(!chains[d].empty() || (d == kSemantic && labels.given.empty()), "every decision needs a chain");
        for (const Chain& chain : chains[d]) bound.chains[d].push_back(chain_of(chain, kVariables));
    }
    new (place) Bound(std::move(bound));
}

void train(Bound& b, const Offsets& offsets, const Ints& label, const Ints& children, const Ints& head, const Ints& token, const Ints& word, const Ints& features, int n_words, int rare) {
    require(n_words >= 1, "there must be words");
    b.model.word_probability.assign(n_words, 1.0f);
    const TokenTypes types = b.types(word, features);
    for (size_t i = 0; i < word.size(); ++i) require(word.data()[i] >= 0, "every word of the training data must have a number");
    const FlatTrees trees = b.trees(offsets, label, children, head, token, word.size());
    nb::gil_scoped_release release;
    b.model.train(trees, types, b.chains, b.looks, n_words, rare);
}

// discount and strength of every level of every chain, in the order of LexicalizedModel::all; then the model is ready.
void smooth(Bound& b, const Array<float>& discount, const Array<float>& strength) {
    size_t i = 0;
    require(discount.size() == strength.size(), "there must be as many discounts as strengths");
    for (Backoff* chain : b.model.all())
        for (size_t k = 0; k < chain->levels().size(); ++k, ++i) {
            require(i < discount.size(), "there are too few discounts");
            const float d = discount.data()[i], a = strength.data()[i];
            require(d >= 0.0f && d < 1.0f && a > 0.0f && a < 1e9f, "a discount must be in [0, 1), a strength above 0");
            chain->set_smoothing(k, d, a);
        }
    require(i == discount.size(), "there are too many discounts");
    b.coarse = std::make_unique<CoarseModel>(b.model);
}

std::tuple<Out<int64_t>, Out<uint64_t>, Out<int64_t>, Out<int32_t>, Out<float>, Out<int32_t>, Out<int32_t>, Out<float>, Out<float>> counts(Bound& b) {
    std::vector<int64_t> rows, start;
    std::vector<uint64_t> key;
    std::vector<int32_t> outcome, pairs, lasts;
    std::vector<float> count;
    for (const Backoff* chain : b.model.all())
        for (const BackoffLevel& level : chain->levels()) {
            rows.push_back(static_cast<int64_t>(level.key.size()));
            key.insert(key.end(), level.key.begin(), level.key.end());
            for (size_t r = 0; r < level.key.size(); ++r) start.push_back(level.start[r + 1] - level.start[r]);
            outcome.insert(outcome.end(), level.outcome.begin(), level.outcome.end());
            count.insert(count.end(), level.count.begin(), level.count.end());
        }
    for (const auto& pair : b.model.pairs) pairs.insert(pairs.end(), pair.begin(), pair.end());
    for (const auto& last : b.model.lasts) lasts.insert(lasts.end(), last.begin(), last.end());
    std::vector<float> tags = b.model.tag_probability, words = b.model.word_probability;
    return std::make_tuple(numpy_of(std::move(rows)), numpy_of(std::move(key)), numpy_of(std::move(start)), numpy_of(std::move(outcome)), numpy_of(std::move(count)), numpy_of(std::move(pairs)),
                          numpy_of(std::move(lasts)), numpy_of(std::move(tags)), numpy_of(std::move(words)));
}

void restore(Bound& b, const Offsets& rows, const Array<uint64_t>& key, const Offsets& lengths, const Ints& outcome, const Array<float>& count, const Ints& pairs, const Ints& lasts,
             const Array<float>& tags, const Array<float>& words) {
    LexicalizedModel& model = b.model;
    const int32_t n = model.labels.size();
    require(key.size() == lengths.size() && outcome.size() == count.size(), "the counts are not of one length");
    require(tags.size() == static_cast<size_t>(n) && words.size() >= 1, "there must be a probability for every label and word");
    for (const auto* p : {&tags, &words})
        for (size_t i = 0; i < p->size(); ++i) require(p->data()[i] > 0.0f && p->data()[i] <= 1.0f, "a probability is out of range");
    for (size_t i = 0; i < count.size(); ++i) require(count.data()[i] > 0.0f && count.data()[i] < 1e12f, "a count is out of range");
    size_t level_number = 0, row = 0, at = 0;
    const auto next = [&](const BackoffChain& chain) {
        std::vector<BackoffLevel> levels(chain.size());
        for (BackoffLevel& level : levels) {
            require(level_number < rows.size(), "counts of a chain are missing");
            const int64_t n_rows = rows.data()[level_number++];
            require(n_rows >= 0 && static_cast<size_t>(n_rows) <= key.size() - row, "there are too few rows of counts");
            for (int64_t r = 0; r < n_rows; ++r, ++row) {
                const int64_t length = lengths.data()[row];
                require(length > 0 && static_cast<size_t>(length) <= outcome.size() - at, "there are too few counts");
                level.key.push_back(key.data()[row]);
                level.outcome.insert(level.outcome.end(), outcome.data() + at, outcome.data() + at + length);
                level.count.insert(level.count.end(), count.data() + at, count.data() + at + length);
                at += static_cast<size_t>(length);
                level.start.push_back(static_cast<int64_t>(level.outcome.size()));
            }
        }
        return Backoff(chain, std::move(levels));
    };
    for (int d = 0; d < kDecisions; ++d) {
        model.decisions[d].clear();
        for (const BackoffChain& chain : b.chains[d]) model.decisions[d].push_back(next(chain));
    }
    model.looks = next(b.looks);
    model.known = next(BackoffChain{{0}});
    const auto [head_chain, side_chain, pair_chain] = coarse_chains();
    model.coarse[0] = next(head_chain);
    for (const int d : {1, 2}) model.coarse[d] = next(side_chain);
    for (Backoff& pair : model.coarse_pairs) pair = next(pair_chain);
    require(level_number == rows.size() && row == key.size() && at == outcome.size(), "there are more counts than chains");
    model.tag_probability.assign(tags.data(), tags.data() + tags.size());
    model.word_probability.assign(words.data(), words.data() + words.size());
    const auto phrase = [&](int32_t l) { return l >= 0 && l < n && !model.labels.is_tag[l]; };
    require(pairs.size() % 2 == 0 && lasts.size() % 4 == 0, "pairs of labels are incomplete");
    model.pairs.clear();
    model.lasts.clear();
    bool rooted = false;
    for (size_t i = 0; i < pairs.size(); i += 2) {
        const int32_t x = pairs.data()[i], p = pairs.data()[i + 1];
        require(phrase(x) && (phrase(p) || p == model.labels.none()), "a pair of labels is out of range");
        rooted |= x == model.labels.root && p == model.labels.none();
        model.pairs.push_back({x, p});
    }
    require(rooted, "the root is not among the pairs of labels");
    for (size_t i = 0; i < lasts.size(); i += 4) {
        const int32_t* v = lasts.data() + i;
        require(v[0] >= 0 && v[0] <= 1 && phrase(v[1]) && v[2] >= 0 && v[2] < n && v[3] >= 0 && v[3] <= 1, "a label beside another is out of range");
        model.lasts.push_back({v[0], v[1], v[2], v[3]});
    }
}

Out<double> scores(const Bound& b, const Offsets& offsets, const Ints& label, const Ints& children, const Ints& head, const Ints& token, const Ints& word, const Ints& features) {
    const TokenTypes types = b.types(word, features);
    const FlatTrees trees = b.trees(offsets, label, children, head, token, word.size());
    std::vector<double> sums(trees.size(), 0.0);
    {
        nb::gil_scoped_release release;
        for (size_t i = 0; i < trees.size(); ++i) b.model.score(trees, types, i, [&](int, const Variables&, int32_t, size_t, double log_p) { sums[i] += log_p; });
    }
    return numpy_of(std::move(sums));
}

// One score per tree of forests whose labels are those of the model; shape: of every node; label, head: of every shape.
Out<double> phrase_scores_of(const Bound& b, const BoundPhrases& phrases, const Ints& shape, const Ints& label, const Ints& head, const Offsets& offsets, const Ints& tokens,
                             const Ints& word, const Ints& features, int n_jobs) {
    b.ready();
    const TokenTypes types = b.types(word, features);
    check_offsets(offsets, tokens.size(), true);
    require(offsets.size() == phrases.forests.size() + 1 && label.size() == head.size(), "there must be as many of everything as sentences and shapes");
    for (size_t i = 0; i < tokens.size(); ++i) require(tokens.data()[i] >= 0 && static_cast<size_t>(tokens.data()[i]) < word.size(), "a token is out of range");
    for (size_t s = 0; s < label.size(); ++s)
        require(label.data()[s] >= 0 && label.data()[s] < b.model.labels.size() && !b.model.labels.is_tag[label.data()[s]] && head.data()[s] >= 0, "a shape has a label or a head out of place");
    size_t at = 0;
    for (size_t i = 0; i < phrases.forests.size(); ++i) {
        const PhraseForest& forest = phrases.forests[i];
        require(forest.roots().empty() || phrases.lengths[i] == offsets.data()[i + 1] - offsets.data()[i], "a tree has another number of words than its sentence");
        require(shape.size() - at >= forest.size(), "there must be one shape per node");
        for (size_t v = 0; v < forest.size(); ++v, ++at) {
            const int32_t l = forest.label(v), s = shape.data()[at];
            const size_t k = forest.children(v).size();
            require(k == 0 ? l >= 0 && l < b.model.labels.size() && b.model.labels.is_tag[l] : s >= 0 && static_cast<size_t>(s) < label.size() && static_cast<size_t>(head.data()[s]) < k,
                    "a node has a tag or a shape out of place");
        }
    }
    std::vector<double> sums;
    {
        nb::gil_scoped_release release;
        sums = phrase_scores(b.model, phrases.forests, {span_of(shape), span_of(label), span_of(head)}, types, span_of(offsets), span_of(tokens), n_jobs);
    }
    return numpy_of(std::move(sums));
}

// (decision, node, outcome, log-probability) of every step of the trees.
std::tuple<Out<int32_t>, Out<int64_t>, Out<int32_t>, Out<double>> steps(const Bound& b, const Offsets& offsets, const Ints& label, const Ints& children, const Ints& head, const Ints& token, const Ints& word, const Ints& features) {
    const TokenTypes types = b.types(word, features);
    const FlatTrees trees = b.trees(offsets, label, children, head, token, word.size());
    std::vector<int32_t> decisions, outcomes;
    std::vector<int64_t> nodes;
    std::vector<double> amounts;
    for (size_t i = 0; i < trees.size(); ++i)
        b.model.score(trees, types, i, [&](int decision, const Variables&, int32_t outcome, size_t node, double log_p) {
            decisions.push_back(decision);
            nodes.push_back(static_cast<int64_t>(node));
            outcomes.push_back(outcome);
            amounts.push_back(log_p);
        });
    return std::make_tuple(numpy_of(std::move(decisions)), numpy_of(std::move(nodes)), numpy_of(std::move(outcomes)), numpy_of(std::move(amounts)));
}

// Per sentence whether it was parsed (0: no, 1: yes, 2: with more pruning than asked for, 3: it takes too much memory), log Z and where its trees end; per tree where its nodes end; nodes; brackets.
std::tuple<Out<uint8_t>, Out<double>, Out<int64_t>, Out<int64_t>, Out<int32_t>, Out<int64_t>, Out<int32_t>, Out<double>> parse(const Bound& b, const Offsets& offsets, const Ints& tokens, const std::optional<Ints>& tags, const Ints& rules, const Ints& word, const Ints& features, const Array<double>& thresholds,
                int wish, int64_t k, double offset, int64_t memory, int n_jobs) {
    const CoarseModel& coarse = b.ready();
    check_offsets(offsets, tokens.size(), false);
    const auto types = static_cast<int32_t>(word.size());
    for (size_t i = 0; i < tokens.size(); ++i) require(tokens.data()[i] >= 0 && tokens.data()[i] < types, "a token is out of range");
    LexicalInput input{b.types(word, features), span_of(offsets), span_of(tokens), {}, {}};
    const LabelSet& labels = b.model.labels;
    if (tags) {
        require(tags->size() == tokens.size(), "there must be one tag per token");
        for (size_t i = 0; i < tags->size(); ++i) require(tags->data()[i] >= -1 && tags->data()[i] < labels.size() && (tags->data()[i] < 0 || labels.is_tag[tags->data()[i]]), "a tag is out of range");
        input.tags = span_of(*tags);
    }
    require(rules.size() % 5 == 0, "a rule has five numbers");
    std::vector<SpanRule> span_rules;
    for (size_t i = 0; i < rules.size(); i += 5) {
        const int32_t* r = rules.data() + i;
        require(r[0] >= 0 && static_cast<size_t>(r[0]) < input.size() && (span_rules.empty() || span_rules.back().sentence <= r[0]), "the rules must be in the order of the sentences");
        require(r[1] >= 0 && r[1] < r[2] && r[2] <= offsets.data()[r[0] + 1] - offsets.data()[r[0]] && r[3] >= -1 && r[3] < labels.size(), "a rule is out of range");
        span_rules.push_back({r[0], r[1], r[2], r[3], r[4] != 0});
    }
    input.rules = span_rules;
    require(thresholds.size() == 5 && wish >= 0 && wish <= 3 && k >= 1 && k <= 100000 && memory >= 0 && offset >= 0.0 && offset <= 1.0, "an option of the parser is out of range");
    for (size_t i = 0; i < 5; ++i) require(thresholds.data()[i] >= 0.0 && thresholds.data()[i] < 1.0, "a threshold must be in [0, 1)");
    const double* t = thresholds.data();
    std::vector<LexicalAnswer> answers;
    {
        nb::gil_scoped_release release;
        answers = parse_all(b.model, coarse, input, {{t[0], t[1], t[2], t[1]}, t[3], t[4], static_cast<size_t>(memory)}, static_cast<LexicalWish>(wish), static_cast<size_t>(k), offset, n_jobs);
    }
    std::vector<uint8_t> parsed;
    std::vector<double> log_z, probability;
    std::vector<int64_t> tree_end, node_end, bracket_end;
    std::vector<int32_t> nodes, brackets;
    for (const LexicalAnswer& answer : answers) {
        parsed.push_back(answer.too_large ? 3 : !answer.parsed ? 0 : answer.tightened ? 2 : 1);
        log_z.push_back(answer.log_z);
        for (const auto& tree : answer.trees) {
            for (const TreeNode& node : tree) nodes.insert(nodes.end(), {node.label, node.start, node.end});
            node_end.push_back(static_cast<int64_t>(nodes.size() / 3));
        }
        tree_end.push_back(static_cast<int64_t>(node_end.size()));
        for (const LexicalBracket& bracket : answer.brackets) {
            brackets.insert(brackets.end(), {bracket.label, bracket.start, bracket.end});
            probability.push_back(bracket.probability);
        }
        bracket_end.push_back(static_cast<int64_t>(probability.size()));
    }
    return std::make_tuple(numpy_of(std::move(parsed)), numpy_of(std::move(log_z)), numpy_of(std::move(tree_end)), numpy_of(std::move(node_end)), numpy_of(std::move(nodes)),
                          numpy_of(std::move(bracket_end)), numpy_of(std::move(brackets)), numpy_of(std::move(probability)));
}

}  // namespace

void bind_lexicalized(nb::module_& m) {
    using nb::arg;
    nb::class_<Bound>(m, "LexicalizedModel")
        .def("__init__", &new_model, arg("is_tag").noconvert(), arg("plain").noconvert(), arg("height").noconvert(), arg("joins").noconvert(), arg("given").noconvert(), arg("root"), arg("chains"), arg("looks"), arg("n_features"))
        .def("train", &train, arg("offsets").noconvert(), arg("label").noconvert(), arg("children").noconvert(), arg("head").noconvert(), arg("token").noconvert(), arg("word").noconvert(),
             arg("features").noconvert(), arg("n_words"), arg("rare"))
        .def("smooth", &smooth, arg("discount").noconvert(), arg("strength").noconvert())
        .def("counts", &counts)
        .def("restore", &restore, arg("rows").noconvert(), arg("key").noconvert(), arg("lengths").noconvert(), arg("outcome").noconvert(), arg("count").noconvert(), arg("pairs").noconvert(),
             arg("lasts").noconvert(), arg("tags").noconvert(), arg("words").noconvert())
        .def("scores", &scores, arg("offsets").noconvert(), arg("label").noconvert(), arg("children").noconvert(), arg("head").noconvert(), arg("token").noconvert(), arg("word").noconvert(),
             arg("features").noconvert())
        .def("phrase_scores", &phrase_scores_of, arg("phrases"), arg("shape").noconvert(), arg("label").noconvert(), arg("head").noconvert(), arg("offsets").noconvert(),
             arg("tokens").noconvert(), arg("word").noconvert(), arg("features").noconvert(), arg("n_jobs"))
        .def("steps", &steps, arg("offsets").noconvert(), arg("label").noconvert(), arg("children").noconvert(), arg("head").noconvert(), arg("token").noconvert(), arg("word").noconvert(),
             arg("features").noconvert())
        .def("parse", &parse, arg("offsets").noconvert(), arg("tokens").noconvert(), arg("tags").noconvert().none(), arg("rules").noconvert(), arg("word").noconvert(), arg("features").noconvert(),
             arg("thresholds").noconvert(), arg("wish"), arg("k"), arg("offset"), arg("memory"), arg("n_jobs"));
}

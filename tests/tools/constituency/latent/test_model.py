"""Latent grammars as models: sums, k best and marginals against all trees of a few words."""

from __future__ import annotations

import math
from collections import defaultdict

import numpy as np
import pytest

from oracles.latent_grammars import Dense, cats, tree_probability, word_weights
from palmette.evaluation.brackets import COLLINS, evaluate_brackets
from palmette.formats.brackets import read_brackets
from palmette.tools.constituency.latent.constraints import NO_BARS
from palmette.tools.constituency.latent.method import LatentModel, train
from palmette.tools.constituency.latent.output import tree_nodes
from palmette.tools.constituency.model import Bracket, Constraints, Parse
from palmette.tools.constituency.treebank import clean_trees
from palmette.trees.tree import Tree
from samples.corpora import corpus_file

pytestmark = pytest.mark.native

WORDS = ["dogs", "eat", "mice", "with", "eyes"]
ALL = 100_000


@pytest.fixture(scope="module", params=[1, 2])
def model(request) -> LatentModel:
    found = train(cats(), options={"rounds": 2, "grammars": request.param}).model
    assert isinstance(found, LatentModel)
    return found.with_options({"threshold": 0.0})


def brackets_of(tree: Tree) -> list[Bracket]:
    return [Bracket(*span.segments[0], span.label) for span in tree.spans() if span.label != "TOP"]


def all_trees(model: LatentModel, words: list[str]) -> list[Parse]:
    """Every tree of the grammar, those that differ in their tags alone as well, the most probable first."""
    (found,) = model._searched(model._input([words], None), ALL, 1, NO_BARS, [0.0], by_brackets=False)
    return model._parsed([words], [found], ALL)[0]


def test_k_best_differ_in_more_than_tags(model):
    (ranked,) = model.kbest([WORDS], 20)
    kept = {frozenset(brackets_of(parse.tree)): parse.score for parse in ranked}
    assert len(kept) == len(ranked)
    for parse in all_trees(model, WORDS):
        assert kept[frozenset(brackets_of(parse.tree))] >= parse.score - 1e-3


def test_all_trees_have_probability_one_together(model):
    ranked = all_trees(model, WORDS)
    assert len(ranked) > 2
    assert len({parse.tree for parse in ranked}) == len(ranked)
    if len(model.members) == 1:
        assert math.fsum(math.exp(parse.log_probability) for parse in ranked) == pytest.approx(1, abs=1e-4)


def test_marginals_are_sums_over_all_trees():
    model = train(cats(), options={"rounds": 2, "threshold": 0.0}).model
    ranked = all_trees(model, WORDS)
    want: defaultdict[Bracket, float] = defaultdict(float)
    for parse in ranked:
        for bracket in set(brackets_of(parse.tree)):
            want[bracket] += math.exp(parse.log_probability)
    (have,) = model.marginals([WORDS])
    for bracket in want.keys() | have.keys():
        assert have.get(bracket, 0.0) == pytest.approx(want.get(bracket, 0.0), abs=1e-4)


def test_scores_are_sums_over_substates(model):
    ranked = all_trees(model, ["cats", "sleep"])
    for parse in ranked:
        nodes, _ = tree_nodes(model.rules, parse.tree)
        logs = []
        for member in model.members:
            weights = LatentModel(model.rules, model.lexicon, model.smoothing, (member,))
            single = sum(c.amount for c in weights.contributions(["cats", "sleep"], parse.tree))
            logs.append(single)
        assert parse.score == pytest.approx(np.mean(logs), abs=1e-4)
        assert nodes is not None


def test_contributions_against_every_substate():
    model = train(cats(), options={"rounds": 1, "threshold": 0.0}).model
    words = ["cats", "sleep"]
    (member,) = model.members
    dense = Dense(model.rules, member)
    totals = []
    for parse in all_trees(model, words)[:2]:
        nodes, _ = tree_nodes(model.rules, parse.tree)
        flat = [(k, i, s, left, right) for k, i, s, _, _, left, right in nodes.tolist()]
        given = {}
        for kind, number, symbol, _, _ in flat:
            if kind == 0:
                chain = model.lexicon.contexts.chain(words[number], number)
                given[number] = word_weights(model.lexicon, member, symbol, chain, model.smoothing)
        totals.append(math.log(tree_probability(dense, flat, given)) - parse.score)
    # The unit of each word's weights is the same for both trees.
    assert totals[0] == pytest.approx(totals[1], abs=1e-3)


def test_the_product_of_posteriors_is_maximal():
    model = train(cats(), options={"rounds": 2, "threshold": 0.0}).model
    given = model._input([WORDS], None)
    none = (np.zeros(0, dtype=np.int32), np.zeros(0, dtype=np.uint8))
    _, _, trees, _, values, _, _ = model._native.parse(*given, *none, [0.0], False, 0.5, False, ALL, 1)
    assert trees[0] == len(values)
    assert (np.diff(values) <= 1e-5).all()


def test_pruning_with_coarser_grammars_loses_little(model):
    exact, pruned = model.parse([WORDS]), model.with_options({"threshold": 1e-4}).parse([WORDS])
    assert exact[0].tree == pruned[0].tree
    assert exact[0].score == pytest.approx(pruned[0].score, abs=1e-3)


def test_the_most_probable_tree_and_those_of_minimum_risk(model):
    (probable,) = model.parse([WORDS], minimum_risk=False)
    assert probable.score == pytest.approx(model.kbest([WORDS], 1)[0][0].score)
    for decoding in ("product", "recall"):
        (risk,) = model.with_options({"decoding": decoding}).parse([WORDS])
        assert risk.score <= probable.score + 1e-4
        assert risk.tree.words == WORDS
        amounts = model.contributions(WORDS, risk.tree)
        assert math.fsum(c.amount for c in amounts) == pytest.approx(risk.score, abs=1e-3)


def test_rules_that_are_not_there_contribute_minus_infinity(model):
    parts = model.contributions(
        WORDS, Tree.parse("(TOP (Q (NNS dogs) (NNS eat) (NNS mice) (IN with) (NNS eyes)))")
    )
    assert any(part.amount == -math.inf for part in parts)


def test_constraints(model):
    low, high = Bracket(2, 5, "NP"), Bracket(1, 5, "VP")
    for known in (
        Constraints((low,)),
        Constraints((), (low,)),
        Constraints((Bracket(2, 5),)),
        Constraints((high,)),
    ):
        (parse,) = model.parse([WORDS], constraints=[known])
        found = brackets_of(parse.tree)
        assert all(b in found or b.label is None for b in known.required)
        assert not any(b in found for b in known.forbidden)
    (parse,) = model.parse([WORDS], constraints=[Constraints((Bracket(2, 5),))])
    assert (2, 5) in {(b.start, b.end) for b in brackets_of(parse.tree)}
    with pytest.raises(ValueError, match="Sentence 2: no tree of the grammar meets"):
        model.parse([WORDS, WORDS], constraints=[Constraints(), Constraints((Bracket(0, 2, "PP"),))])


def test_constraints_choose_among_all_trees(model):
    ranked = all_trees(model, WORDS)
    for bracket in (Bracket(2, 5, "NP"), Bracket(3, 5, "PP")):
        with_it = [p for p in ranked if bracket in brackets_of(p.tree)]
        (parse,) = model.parse([WORDS], constraints=[Constraints((bracket,))], minimum_risk=False)
        assert parse.score == pytest.approx(max(p.score for p in with_it), abs=1e-3)


def test_given_tags(model):
    (parse,) = model.parse([["cats", "sleep"]], tags=[["NNS", ""]])
    assert parse.tree.tags[0] == "NNS"
    with pytest.raises(ValueError, match="Sentence 1: the grammar has no tag 'XX'"):
        model.parse([["cats"]], tags=[["XX"]])


def test_what_no_tree_covers_becomes_fragments(model):
    words = [".", "with", "."]
    (parse,) = model.parse([words], tags=[[".", "IN", "."]])
    assert parse.tree == Tree.parse("(TOP (. .) (IN with) (. .))")
    assert parse.note.startswith("No tree of the grammar covers")
    assert math.isfinite(parse.score)
    (parse,) = model.parse([["."]])
    assert model.kbest([["."]], 3)[0][0].tree == parse.tree == Tree.parse("(TOP (. .))")
    assert model.marginals([["."]]) == [{}]


def test_fragments_are_as_long_as_can_be(model):
    tags = ["NNS", "VBP", ".", "IN", "NNS"]
    (parse,) = model.parse([["dogs", "sleep", ".", "with", "cats"]], tags=[tags])
    assert parse.note
    assert parse.tree.tags == tags
    assert len(parse.tree.children) == 2


def test_unknown_words_and_many_threads(model):
    sentences = [["Xyzzy-9", "42"], ["⁂"], WORDS, ["cats", "sleep", "."]] * 3
    one = [parse.tree for parse in model.parse(sentences)]
    assert one == [parse.tree for parse in model.parse(sentences, n_jobs=2)]
    assert one == [model.parse([words])[0].tree for words in sentences]
    assert model.parse([]) == model.kbest([], 2) == model.marginals([]) == []


def test_files(model):
    arrays, strings, settings = model.arrays(), model.strings(), model.settings()
    again = LatentModel.restore(arrays, strings, settings)
    assert again.search == model.search
    for before, after in zip(model.parse([WORDS]), again.parse([WORDS])):
        assert (before.tree, before.score) == (after.tree, after.score)
    for name, values in arrays.items():
        with pytest.raises(ValueError, match=r"\w \w"):
            LatentModel.restore({**arrays, name: values[:-1]}, strings, settings)
        with pytest.raises(ValueError, match=r"\w \w"):
            LatentModel.restore({k: v for k, v in arrays.items() if k != name}, strings, settings)
    for name in strings:
        with pytest.raises(ValueError, match=r"\w \w"):
            LatentModel.restore(arrays, {k: v for k, v in strings.items() if k != name}, settings)
    for name in ("grammars", "levels", "word_smoothing", "horizontal", "leftward"):
        with pytest.raises(ValueError, match=r"\w \w"):
            LatentModel.restore(arrays, strings, {**settings, name: "no"})
    bad = arrays["0.binary"].copy()
    bad[0] = np.nan
    with pytest.raises(ValueError, match="finite"):
        LatentModel.restore({**arrays, "0.binary": bad}, strings, settings)
    for name, value in (("rules", 10**6), ("context_tag", -1), ("context_begin", 7), ("0.group0", 99)):
        wrong = arrays[name].copy()
        wrong[0] = value
        with pytest.raises(ValueError, match=r"\w \w"):
            LatentModel.restore({**arrays, name: wrong}, strings, settings)


def test_odd_trees():
    odd = ["(TOP (A (B (T x))))", "(TOP (T alone))", "(TOP (T a) (T b) (T c) (T d))", "(TOP (T (T x) (U y)))"]
    model = train([Tree.parse(text) for text in odd], options={"rounds": 1}).model
    assert model.parse([["x"]])[0].tree.words == ["x"]
    assert model.parse([["a", "b", "c", "d"]])[0].tree == Tree.parse(odd[2])


def test_more_rounds_learn_more_of_a_real_treebank():
    trees = [
        t for t in clean_trees(read_brackets(corpus_file("const_en_ptb/train.mrg.gz"))[:400]) if t is not None
    ]
    dev = [t for t in clean_trees(read_brackets(corpus_file("const_en_ptb/dev.mrg"))[:60]) if t is not None]
    sentences = [tree.words for tree in dev]
    scores = []
    for rounds in (0, 2):
        model = train(trees, options={"rounds": rounds}).model
        scores.append(evaluate_brackets(dev, [p.tree for p in model.parse(sentences)], rules=COLLINS).f1)
    assert scores[1] > scores[0] + 0.04
    assert scores[1] > 0.7

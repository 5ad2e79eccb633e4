"""Parsers of features: training, parsing, files, explanations."""

from math import exp

import numpy as np
import pytest

from palmette import CRF, MIRA, Perceptron, StructuredSVM
from palmette.evaluation.brackets import evaluate_brackets
from palmette.formats.brackets import read_brackets
from palmette.learning.learner import Learner
from palmette.structures.chart.bracket_risk import best_brackets
from palmette.tools.constituency.features.model import FeatureModel
from palmette.tools.constituency.features.options import FeatureOptions
from palmette.tools.constituency.features.training import train_features
from palmette.tools.constituency.model import (
    METHODS,
    Bracket,
    ConstituencyModel,
    Constraints,
    default_learner,
)
from palmette.tools.constituency.treebank import clean_trees
from palmette.trees.tree import Tree
from samples.corpora import corpus_file
from samples.phrase_trees import phrase_trees

SMALL = {"bits": 16, "folds": 2}
LEARNER = CRF(l2=1.0, n_iter=6, eta0=0.1)


@pytest.fixture(scope="module")
def model() -> FeatureModel:
    found = train_features(phrase_trees(120), options=SMALL, learner=LEARNER).model
    assert isinstance(found, FeatureModel)
    return found


@pytest.fixture(scope="module")
def new() -> list[Tree]:
    return phrase_trees(40, seed=9)


def words(trees: list[Tree]) -> list[list[str]]:
    return [tree.words for tree in trees]


@pytest.mark.parametrize("minimum_risk", [False, True, None])
def test_it_parses(model: FeatureModel, new: list[Tree], minimum_risk: bool | None) -> None:
    parses = model.parse(words(new), minimum_risk=minimum_risk)
    assert evaluate_brackets(new, [parse.tree for parse in parses]).f1 > 0.9
    for parse, tree in zip(parses, new):
        assert parse.tree.words == tree.words
        assert parse.tree.label == "TOP"
        assert not parse.note
        assert parse.log_probability is not None
        assert parse.log_probability <= 0


def test_the_methods_are_registered() -> None:
    for name, kind in (("crf", CRF), ("perceptron", Perceptron), ("mira", MIRA), ("svm", StructuredSVM)):
        assert name in METHODS
        assert METHODS[name].model_class is FeatureModel
        assert isinstance(default_learner(name), kind)
        assert callable(METHODS[name].train_function)


@pytest.mark.parametrize(
    "learner",
    [
        Perceptron(n_iter=5),
        MIRA(n_iter=5),
        StructuredSVM(method="subgradient", n_iter=5),
        CRF(method="lbfgs", n_iter=20),
    ],
    ids=lambda learner: type(learner).__name__,
)
def test_other_learners(learner: Learner, new: list[Tree]) -> None:
    trained = train_features(phrase_trees(80), options=SMALL, learner=learner)
    model = trained.model
    f1 = evaluate_brackets(new, [parse.tree for parse in model.parse(words(new))]).f1
    assert f1 > 0.85
    if isinstance(learner, CRF):
        return
    assert model.parse(words(new[:1]))[0].log_probability is None
    for refused in (lambda: model.marginals(words(new)), lambda: model.parse(words(new), minimum_risk=True)):
        with pytest.raises(ValueError, match="no probabilities"):
            refused()


@pytest.mark.parametrize("options", [{"tags": False}, {"horizontal": 1, "vertical": 2}, {"risk": "rules"}])
def test_options_of_training(options: dict[str, object], new: list[Tree]) -> None:
    model = train_features(phrase_trees(80), options=SMALL | options, learner=LEARNER).model
    f1 = evaluate_brackets(new, [parse.tree for parse in model.parse(words(new))]).f1
    assert f1 > 0.85


def test_the_k_best_trees_differ_and_their_probabilities_fall(model: FeatureModel, new: list[Tree]) -> None:
    lists = model.kbest(words(new), 8)
    best = model.parse(words(new), minimum_risk=False)
    for parses, first in zip(lists, best):
        assert parses[0].tree == first.tree
        assert parses[0].score == pytest.approx(first.score, abs=1e-3)
        assert len({parse.tree for parse in parses}) == len(parses) <= 8
        scores = [parse.score for parse in parses]
        assert scores == sorted(scores, reverse=True)
        assert sum(exp(parse.log_probability or 0.0) for parse in parses) < 1 + 1e-4


def test_marginals_are_those_of_the_trees(model: FeatureModel) -> None:
    sentence = "Kim saw the dog .".split()
    (marginals,) = model.marginals([sentence])
    (every,) = model.kbest([sentence], 5000)
    want: dict[Bracket, float] = {}
    for parse in every:
        for span in parse.tree.spans():
            if span.label != "TOP":
                bracket = Bracket(*span.segments[0], span.label)
                want[bracket] = want.get(bracket, 0.0) + exp(parse.log_probability or 0.0)
    assert all(p == pytest.approx(want[bracket], abs=2e-3) for bracket, p in marginals.items())
    (parse,) = model.with_options({"risk": "brackets"}).parse([sentence])
    brackets = {Bracket(*span.segments[0], span.label) for span in parse.tree.spans()}
    assert {Bracket(*b) for b in best_brackets(5, marginals, offset=0.4)} <= brackets


def test_contributions_add_up_and_have_names(model: FeatureModel) -> None:
    sentence = "the old dog slept .".split()
    parse = model.parse([sentence], minimum_risk=False)[0]
    found = model.contributions(sentence, parse.tree)
    assert sum(each.amount for each in found) == pytest.approx(parse.score, abs=1e-3)
    names = {each.feature for each in found}
    assert "@NP| [left of split word=old, right of split word=dog]" in names
    assert "@S| [before tag=NN, first tag=VBD]" in names
    assert all(each.where and min(each.where) >= 1 and max(each.where) <= 5 for each in found)
    with pytest.raises(ValueError, match="not one of these words"):
        model.contributions(sentence, Tree.parse("(TOP (X (Y a)))"))


def test_constraints(model: FeatureModel) -> None:
    sentence = "Kim saw a dog with the cat .".split()

    def brackets(constraints: Constraints) -> set[Bracket]:
        (parse,) = model.parse([sentence], constraints=[constraints])
        return {Bracket(*span.segments[0], span.label) for span in parse.tree.spans()}

    wide = Bracket(2, 7, "NP")
    assert wide in brackets(Constraints(required=(wide,)))
    assert wide not in brackets(Constraints(forbidden=(wide,)))
    assert any(b[:2] == (2, 7) for b in brackets(Constraints(required=(Bracket(2, 7),))))
    assert not any(b[:2] == (4, 7) for b in brackets(Constraints(forbidden=(Bracket(4, 7),))))
    for impossible in (
        Constraints(required=(Bracket(2, 7, "QP"),)),
        Constraints(required=(Bracket(0, 2), Bracket(1, 3))),
    ):
        with pytest.raises(ValueError, match="Sentence 2: no tree of the grammar meets the constraints"):
            model.parse([sentence, sentence], constraints=[Constraints(), impossible])


def test_known_tags_are_kept(model: FeatureModel) -> None:
    sentence = "the dog slept .".split()
    (parse,) = model.parse([sentence], tags=[["", "JJ", "", ""]])
    assert parse.tree.tags[1] == "JJ"


def test_a_parse_never_fails(model: FeatureModel) -> None:
    strange = [["zzz"], ["of", "of"], ["."] * 7, ["the"] * 200, ["dog", "?", "QX-7", "–"]]
    parses = model.parse(strange)
    for sentence, parse in zip(strange, parses):
        assert parse.tree.words == sentence
    assert "fragments" in parses[2].note
    assert model.parse([]) == []
    assert model.kbest([], 2) == []


def test_files(model: FeatureModel, new: list[Tree]) -> None:
    strings = {name: list(table) for name, table in model.strings().items()}
    same = FeatureModel.restore(model.arrays(), strings, model.settings())
    for one, two in zip(model.parse(words(new)), same.parse(words(new))):
        assert one.tree == two.tree
        assert one.score == pytest.approx(two.score, abs=0.05)
    assert same.settings() == model.settings()
    arrays, settings = model.arrays(), model.settings()
    for name in ("rules_binary", "coarse_binary", "features.gaps", "lexicon_rows"):
        with pytest.raises(ValueError, match=r"\w"):
            FeatureModel.restore({k: v for k, v in arrays.items() if k != name}, strings, settings)
    for change in ({"root": "TOP"}, {"normalised": 1}, {"bits": 99}, {"lexicon": None}, {"tagger": None}):
        with pytest.raises(ValueError, match=r"\w"):
            FeatureModel.restore(arrays, strings, settings | change)
    with pytest.raises(ValueError, match="lacks something"):
        FeatureModel.restore(arrays, strings, {})


def test_options_are_checked(model: FeatureModel) -> None:
    assert model.with_options({"threshold": 0.01, "offset": 0.2}).options.offset == 0.2
    with pytest.raises(ValueError, match="cannot change the option 'bits' after training"):
        model.with_options({"bits": 20})
    for options, what in (
        ({"colour": 1}, "no option 'colour'"),
        ({"threshold": 0}, "threshold"),
        ({"threshold": 1.5}, "threshold"),
        ({"offset": -0.1}, "offset"),
        ({"horizontal": -1}, "horizontal"),
        ({"vertical": 0}, "vertical"),
        ({"bits": 40}, "bits"),
        ({"risk": "all"}, "risk"),
        ({"tags": 1}, "tags"),
    ):
        with pytest.raises((ValueError, TypeError), match=what):
            FeatureOptions.of(options, "A parser of features")


def test_what_cannot_be_learnt_from_is_told() -> None:
    gap = Tree.parse("(TOP (S (VP (A 0=a) (B 2=b)) (X 1=c)))", positions=True)
    long = Tree("TOP", [Tree("X", [Tree("Y", [tree]) for tree in _many(201)])])
    trained = train_features([*phrase_trees(20), gap, long], options=SMALL, learner=LEARNER)
    assert len(trained.notes) == 2
    with pytest.raises(ValueError, match="No tree can be learnt from"):
        train_features([gap], options=SMALL)


def test_one_tree_is_enough() -> None:
    (tree,) = phrase_trees(1)
    model: ConstituencyModel = train_features([tree], options=SMALL, learner=LEARNER).model
    assert model.parse([tree.words])[0].tree == tree


def test_dev_chooses_and_seeds_repeat() -> None:
    trees, seen = phrase_trees(30), []

    def dev(model: ConstituencyModel) -> float:
        seen.append(model)
        return -float(len(seen))

    learner = CRF(l2=1.0, n_iter=3, eta0=0.1, batch=4)
    first = train_features(trees, options=SMALL, learner=learner, dev=dev)
    assert len(seen) == len(first.history) == 3
    one = CRF(l2=1.0, n_iter=1, eta0=0.1, batch=4, n_jobs=2)
    again = train_features(trees, options=SMALL, learner=one, n_jobs=2)
    assert isinstance(first.model, FeatureModel)
    assert isinstance(again.model, FeatureModel)
    np.testing.assert_array_equal(first.model.weights, again.model.weights)


def test_the_penn_treebank() -> None:
    trees = [tree for tree in clean_trees(read_brackets(corpus_file("const_en_ptb/dev.mrg"))) if tree]
    model = train_features(trees[:120], options={"folds": 2}).model
    test = trees[120:150]
    score = evaluate_brackets(test, [parse.tree for parse in model.parse(words(test))])
    assert score.f1 > 0.65


def _many(n: int) -> list[Tree]:
    from palmette.trees.tree import Leaf

    return [Tree("N", [Leaf("a", k)]) for k in range(n)]

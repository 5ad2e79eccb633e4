"""What every model of trees must do, whatever its method: the protocol, on small trees and on odd sentences."""

from __future__ import annotations

import math
from contextlib import suppress
from importlib.util import find_spec
from itertools import pairwise

import numpy as np
import pytest

from oracles.enumeration import dependency_trees
from palmette.formats.corpus import Corpus
from palmette.tools.dependency import model as models
from palmette.tools.dependency.model import METHODS, TreeModel
from palmette.tools.dependency.parser import DependencyParser
from palmette.tools.dependency.tags import views_of
from palmette.tools.dependency.transition.model import TransitionModel
from palmette.trees.dependency_tree import DependencyTree
from samples import toy_tree_model
from samples.treebank import garden_trees

pytestmark = pytest.mark.native

TOY = {"toy": toy_tree_model.METHOD}
THERE = [name for name, method in (METHODS | TOY).items() if find_spec(method.train.partition(":")[0])]
# Tables that fit fifty sentences.
SMALL = {"graph": {"bits": 16, "label_bits": 12}, "transition": {"bits": 14, "label_bits": 12}}
SENTENCES = [
    [("The", "DET"), ("cook", "NOUN"), ("leaves", "VERB"), (".", "PUNCT")],
    [("Go", "VERB")],
    [],
    [("She", "PRON"), ("leaves", "VERB"), ("the", "DET"), ("light", "NOUN"), ("on", "ADP")],
]


@pytest.fixture(scope="module", params=THERE)
def parser(request) -> DependencyParser:
    models.METHODS["toy"] = toy_tree_model.METHOD
    yield DependencyParser(request.param, options=SMALL.get(request.param)).fit(garden_trees())
    del models.METHODS["toy"]


@pytest.fixture
def model(parser: DependencyParser) -> TreeModel:
    return parser.model_


@pytest.fixture
def views():
    corpus = Corpus.from_sentences(SENTENCES, ("form", "upos"))
    return views_of(corpus, ("upos",))


def trees(heads: np.ndarray) -> list[list[int]]:
    ends = np.cumsum([0, *map(len, SENTENCES)])
    return [heads[a:b].tolist() for a, b in pairwise(ends)]


def heeding_forbidden(search, *arguments, **options):
    """What a search finds; None where the model refuses forbidden arcs, as transition-based ones must."""
    if not isinstance(search.__self__, TransitionModel):
        return search(*arguments, **options)
    with pytest.raises(ValueError, match="cannot be told"):
        search(*arguments, **options)
    return None


def test_trees_with_one_root(model: TreeModel, views) -> None:
    parses = model.parse(views)
    assert (parses.heads.dtype, parses.labels.dtype, parses.scores.dtype) == (np.int32, np.int32, np.float64)
    assert len(parses.heads) == len(parses.labels) == 10
    assert parses.scores.shape == (4,)
    assert parses.scores[2] == 0.0
    for heads in trees(parses.heads):
        assert DependencyTree(heads).problem() is None
    assert ((parses.labels >= 0) & (parses.labels < len(model.labels))).all()


def test_it_learns(parser: DependencyParser) -> None:
    assert parser.score(garden_trees()) > 0.9
    assert parser.evaluate(garden_trees("test")).uas > 0.7


def test_threads_give_the_same(model: TreeModel) -> None:
    views = views_of(garden_trees("test"), ("upos",))
    one, two = model.parse(views), model.parse(views, n_jobs=2)
    for name in ("heads", "labels", "scores"):
        assert np.array_equal(getattr(one, name), getattr(two, name))


def test_known_heads_stay(model: TreeModel, views) -> None:
    rng = np.random.default_rng(0)
    for _ in range(20):
        known = []
        for sentence in SENTENCES:
            some = list(dependency_trees(len(sentence))) if sentence else [()]
            one = [t for t in some if list(t).count(0) == 1] if sentence else [()]
            tree = one[rng.integers(len(one))]
            known += [h if rng.random() < 0.5 else -1 for h in tree]
        heads = np.array(known, np.int32)
        with suppress(ValueError):  # a projective search cannot have every tree
            parses = model.parse(views, heads=heads)
            assert ((heads < 0) | (heads == parses.heads)).all()
            for tree in trees(parses.heads):
                assert DependencyTree(tree).problem() is None


def test_forbidden_arcs_are_not_there(model: TreeModel, views) -> None:
    best = model.parse(views).heads
    for token in (0, 1, 2, 5, 7):
        arcs = np.array([[token, best[token]]], np.int32)
        parses = heeding_forbidden(model.parse, views, forbidden=arcs)
        if parses is None:
            continue
        assert parses.heads[token] != best[token]
        for tree in trees(parses.heads):
            assert DependencyTree(tree).problem() is None


def test_no_tree_is_left(model: TreeModel, views) -> None:
    model.parse(views, forbidden=np.zeros((0, 2), np.int32))
    with pytest.raises(ValueError, match=r"[Ss]entence 2|cannot be told"):
        model.parse(views, forbidden=np.array([[4, 0]], np.int32))


def test_k_best(parser: DependencyParser, model: TreeModel, views) -> None:
    parses, ranked = model.parse(views), model.kbest(views, 4)
    assert all(tree.heads.tolist() == [0] for tree in ranked[1])  # trees may differ in labels alone
    assert len(ranked[2]) == 1
    for i, found in enumerate(ranked):
        assert len({tuple(tree.heads.tolist()) + tuple(tree.labels.tolist()) for tree in found}) == len(found)
        scores = [tree.score for tree in found]
        assert scores == sorted(scores, reverse=True)
        if parser.method != "transition":  # a wider beam may lose the tree that a narrow one finds
            assert scores[0] == pytest.approx(parses.scores[i], rel=1e-4, abs=1e-4)
        for tree in found:
            assert DependencyTree(tree.heads.tolist()).problem() is None


def test_k_best_without_an_arc(model: TreeModel, views) -> None:
    best = model.parse(views).heads
    arcs = np.array([[0, int(best[0])]], np.int32)
    ranked = heeding_forbidden(model.kbest, views, 3, forbidden=arcs)
    assert ranked is None or all(tree.heads[0] != best[0] for tree in ranked[0])


def test_probabilities_of_heads_sum_to_one(model: TreeModel, views) -> None:
    total = np.zeros(views.n_tokens)
    for head in range(6):
        heads, counts = [], []
        for sentence in SENTENCES:
            for m in range(1, len(sentence) + 1):
                possible = head <= len(sentence) and head != m
                heads.append(head if possible else 0)
                counts.append(possible)
        arcs = models.Parses(np.array(heads, np.int32), np.zeros(len(heads), np.int32), np.zeros(4))
        if not getattr(model, "normalised", True):  # it must say so, and not make some up
            with pytest.raises(ValueError, match="no probabilities"):
                model.arc_probabilities(views, arcs)
            return
        total += np.where(counts, model.arc_probabilities(views, arcs), 0.0)
    assert total == pytest.approx(np.ones(views.n_tokens), abs=5e-3)  # arcs that were filtered out count


def test_explanations_sum_to_the_margin(model: TreeModel, views) -> None:
    parses = model.parse(views)
    for i, begin in ((0, 0), (3, 5)):
        for token in range(1, len(SENTENCES[i]) + 1):
            choice = model.explain(views, i, token)
            assert (choice.head, choice.label) == (
                parses.heads[begin + token - 1],
                parses.labels[begin + token - 1],
            )
            assert choice.rival_head != choice.head
            total = math.fsum(part.amount for part in choice.contributions)
            assert total == pytest.approx(choice.margin, rel=1e-4, abs=1e-4)
    alone = model.explain(views, 1, 1)
    assert (alone.head, alone.rival_head, alone.contributions) == (0, None, ())
    asked = model.explain(views, 0, 1, 3 if parses.heads[0] != 3 else 2)
    assert asked.rival_head in (2, 3)


def test_a_model_comes_back_from_its_arrays(parser: DependencyParser, model: TreeModel, views) -> None:
    want = model.parse(views)
    for compact in (False, True):
        arrays = {name: array.copy() for name, array in model.arrays(compact=compact).items()}
        for array in arrays.values():
            array.flags.writeable = False
        again = METHODS[parser.method].model_class.restore(model.labels, arrays, model.settings())
        got = again.parse(views)
        if not compact:
            assert np.array_equal(got.heads, want.heads)
            assert got.scores == pytest.approx(want.scores, rel=1e-3, abs=1e-3)


def test_damaged_arrays_are_refused(parser: DependencyParser, model: TreeModel) -> None:
    restore = METHODS[parser.method].model_class.restore
    arrays, settings = model.arrays(), model.settings()
    for name in arrays:
        rest = {other: array for other, array in arrays.items() if other != name}
        for broken in (None, np.zeros(3, np.int64), arrays[name].reshape(-1)[:-1]):
            with pytest.raises((ValueError, KeyError)):
                restore(model.labels, rest if broken is None else {**rest, name: broken}, settings)
    for name in settings:
        for value in (None, -1, "x", [], {"a": 1}):
            if settings[name] != value:
                changed = {**settings, name: value}
                with suppress(ValueError, KeyError, TypeError):  # or it works; it never crashes
                    restore(model.labels, arrays, changed).parse(
                        views_of(garden_trees("test")[:2], ("upos",))
                    )


def test_odd_sentences(parser: DependencyParser) -> None:
    long = [[(f"w{k % 50}", ["NOUN", "VERB", "DET"][k % 3]) for k in range(1000)]]
    parsed = parser.parse(long)
    assert DependencyTree.of(parsed[0]).problem() is None
    strange = [[("", "X"), ("\u0000", "\ud7ff"), ("a" * 10_000, "_"), ("é" * 3, "NOUN")]]
    assert DependencyTree.of(parser.parse(strange)[0]).problem() is None


def test_unknown_options_are_refused(parser: DependencyParser) -> None:
    with pytest.raises(ValueError, match="colour"):
        parser.with_options(colour=1)
    train = garden_trees()[:3]
    views = views_of(train, ("upos",))
    labels = np.zeros(train.n_words, np.int32)
    with pytest.raises(ValueError, match="colour"):
        METHODS[parser.method].train_function(views, train.heads, labels, ("dep",), options={"colour": 1})

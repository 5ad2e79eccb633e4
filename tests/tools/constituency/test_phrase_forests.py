"""Trees that share their subtrees, from the forms in which parsers have them."""

from __future__ import annotations

import gc
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import pytest

from palmette._native import PhraseForests
from palmette.structures.anchored_rules import AnchoredRules
from palmette.tools.constituency.features.model import FeatureModel, train
from palmette.tools.constituency.lexicalized.model import LexicalizedModel
from palmette.tools.constituency.lexicalized.model import train as train_lexicalized
from palmette.tools.constituency.lexicalized.search import Search
from palmette.tools.constituency.lexicalized.trees import flatten
from palmette.tools.constituency.model import ConstituencyModel
from palmette.tools.constituency.pcfg.model import train as train_pcfg
from palmette.transforms.binarization import Binarization
from palmette.trees.tree import Leaf, Tree
from samples.phrase_trees import phrase_trees

pytestmark = pytest.mark.native

NAMES = ["A", "B", "C", "x", "y"]
CLASSES = (Tree, Leaf)


def numbers(*values: int) -> np.ndarray:
    return np.array(values, dtype=np.int64)


def brackets_of(tree: Tree) -> list[int]:
    """(label, start, end) of every node in preorder."""
    return [
        number
        for node in tree.preorder()
        for number in (NAMES.index(node.label), node.first, node.leaves[-1].position + 1)
    ]


def forests_of(sentences: Sequence[Sequence[Tree]]) -> PhraseForests:
    rows = [brackets_of(tree) for trees in sentences for tree in trees]
    return PhraseForests.of_brackets(
        numbers(*(len(trees[0].words) if trees else 0 for trees in sentences)),
        np.cumsum([0, *map(len, sentences)]),
        np.cumsum([0, *(len(row) // 3 for row in rows)]),
        np.array([number for row in rows for number in row], dtype=np.int32),
    )


LISTS = [
    [
        Tree.parse("(A (x a) (B (x b) (y c)))"),
        Tree.parse("(A (B (x a) (x b)) (y c))"),
        Tree.parse("(A (x a))"),
    ][:2],
    [],
    [Tree.parse("(A (B (C (x a))) (C (y b)))"), Tree.parse("(A (B (C (x a))) (B (C (y b))))")] * 2,
]


def test_each_distinct_subtree_is_made_once() -> None:
    found = forests_of(LISTS)
    made = found.trees(CLASSES, NAMES, [trees[0].words if trees else [] for trees in LISTS])
    assert made == LISTS
    for trees, size in zip(made, found.sizes().tolist()):
        every = [node for tree in trees for node in tree.preorder()]
        assert len({id(node) for node in every}) == len(set(every)) == size
    assert made[2][0] is made[2][2]
    assert made[2][0][0] is made[2][1][0]
    assert not any(gc.is_tracked(node) for trees in made for tree in trees for node in tree.preorder())


def test_expansions_are_numbered() -> None:
    found = forests_of(LISTS)
    shapes, rows, labels = found.shapes()
    named = [tuple(NAMES[k] for k in labels[a:b]) for a, b in pairwise(rows)]
    assert len(set(named)) == len(named)
    assert len(shapes) == found.sizes().sum()
    want = {
        (node.label, *(child.label for child in node.children))  # type: ignore[union-attr]
        for trees in LISTS
        for tree in trees
        for node in tree.preorder()
        if not node.is_preterminal
    }
    assert set(named) == want
    assert set(shapes.tolist()) == {-1, *range(len(named))}


@pytest.mark.parametrize(
    ("brackets", "message"),
    [
        ([(0, 0, 2), (3, 0, 1)], "leave words out"),
        ([(0, 0, 2), (3, 1, 2)], "leave words out"),
        ([(0, 0, 3), (1, 0, 2), (3, 0, 1), (2, 1, 3), (3, 1, 2), (3, 2, 3)], "cross, or leave words out"),
        ([(3, 0, 1), (3, 1, 2)], "cover the sentence once"),
        ([(3, 0, 1)], "cover the sentence once"),
        ([(0, 0, 3), (3, 0, 1), (3, 1, 2), (3, 2, 3)], "cover the sentence once"),
        ([], "cover the sentence once"),
        ([(0, 1, 1)], "empty"),
        ([(0, -1, 1)], "empty"),
    ],
)
def test_brackets_that_are_no_tree(brackets: list[tuple[int, int, int]], message: str) -> None:
    flat = np.array(brackets, dtype=np.int32).reshape(-1)
    with pytest.raises(ValueError, match=message):
        PhraseForests.of_brackets(numbers(2), numbers(0, 1), numbers(0, len(brackets)), flat)


def test_what_does_not_fit_together() -> None:
    flat = np.array([3, 0, 1], dtype=np.int32)
    one = numbers(0, 1)
    for lengths, trees, rows in (
        (numbers(1, 1), one, one),
        (numbers(1), numbers(0, 2), one),
        (numbers(1), one, numbers(0, 2)),
    ):
        with pytest.raises(ValueError, match=r"offsets|number of words"):
            PhraseForests.of_brackets(lengths, trees, rows, flat)
    good = PhraseForests.of_brackets(numbers(1), one, one, flat)
    with pytest.raises(ValueError, match="label without a name"):
        good.trees(CLASSES, ["A"], [["a"]])
    with pytest.raises(ValueError, match="another number of words"):
        good.trees(CLASSES, NAMES, [["a", "b"]])
    with pytest.raises(ValueError, match="as many sentences"):
        good.trees(CLASSES, NAMES, [])
    with pytest.raises(TypeError, match="classes"):
        good.trees((int, str), NAMES, [["a"]])  # type: ignore[arg-type]
    int32 = np.array([0], dtype=np.int32)
    with pytest.raises(ValueError, match="lacks children"):
        PhraseForests.of_derivations(numbers(1), one, one, int32, int32, int32)
    with pytest.raises(ValueError, match="symbol without a label"):
        PhraseForests.of_derivations(numbers(1), one, one, int32 + 1, int32 - 1, int32)


def test_the_nodes_of_latent_grammars_are_checked() -> None:
    one, zero = numbers(0, 1), np.array([0], dtype=np.int32)

    def made(*node: int, root: int = 0) -> Tree:
        nodes = np.array(node, dtype=np.int32)
        labels = (zero + 1, numbers(0, 1), zero + 2, 0)
        found = PhraseForests.of_latent(numbers(1), one, one, zero + root, one, nodes, *labels)
        (((tree),),) = found.trees(CLASSES, NAMES, [["a"]])
        assert isinstance(tree, Tree)
        return tree

    assert made(0, 0, 0, 0, 1, -1, -1) == Tree.parse("(A (B a))")
    for bad in (
        (4, 0, 0, 0, 1, -1, -1),
        (0, 0, 1, 0, 1, -1, -1),
        (3, 0, 0, 0, 1, 0, -1),
        (2, 1, 0, 0, 1, -1, -1),
    ):
        with pytest.raises(ValueError, match="a node"):
            made(*bad)
    with pytest.raises(ValueError, match="a root"):
        made(0, 0, 0, 0, 1, -1, -1, root=1)


def test_what_binarization_made_is_left_out_of_chains() -> None:
    """The last of several fragments stands below a made symbol alone."""
    rules = AnchoredRules.of([Binarization(0, 1)(tree) for tree in phrase_trees(20)], "TOP")
    number = {name: k for k, name in enumerate(rules.symbols)}
    dt, joint = number["DT"], rules.joint
    chain = next(c for c in range(len(rules.chain_rows) - 1) if rules.chain(c) == [joint, dt])
    rule = rules.binary.reshape(-1, 3).tolist().index([rules.root, dt, joint])
    nodes = [(0, 1, 0, 0, dt), (0, 2, 1, 1, rule), (1, 2, 0, 0, dt), (1, 2, 2, 0, chain)]
    assert rules.tree(["the", "a"], nodes) == Tree.parse("(TOP (DT the) (DT a))")


@pytest.fixture(scope="module", params=["crf", "markov", "lexicalized"])
def model(request: pytest.FixtureRequest) -> ConstituencyModel:
    trees = phrase_trees(60)
    if request.param == "crf":
        from palmette.tools.constituency.features.options import LEARNERS

        found: ConstituencyModel = train(trees, options={"bits": 14}, learner=LEARNERS[0]).model
        assert isinstance(found, FeatureModel)
        return found
    return (train_pcfg if request.param == "markov" else train_lexicalized)(trees, options={}).model


def test_the_k_best_share_their_subtrees(model: ConstituencyModel) -> None:
    words = "Kim saw the old dog of Sandy with a telescope .".split()
    ranked = model.kbest([words, ["Kim", "slept"]], 20)
    assert len(ranked[0]) > 3
    for parses in ranked:
        every = [node for parse in parses for node in parse.tree.preorder()]
        assert len({id(node) for node in every}) == len(set(every))
        for parse in parses:
            assert parse.tree == Tree.parse(str(parse.tree))
            amounts = model.contributions(parse.tree.words, parse.tree)
            assert sum(part.amount for part in amounts) == pytest.approx(parse.score, rel=1e-4)


def test_scores_of_trees_that_share_steps_are_those_of_each_alone() -> None:
    model = train_lexicalized(phrase_trees(60), options={}).model
    assert isinstance(model, LexicalizedModel)
    words = "Kim saw the old dog of Sandy with a telescope .".split()
    parses = model.kbest([words], 30)[0]
    types = model._words.look_up([words] * len(parses))
    flat = flatten([parse.tree for parse in parses], types.tokens, model._labels, model._rules)
    alone = model._native.scores(*flat, types.word, types.features)
    assert [parse.score for parse in parses] == alone.tolist()


def test_scores_are_asked_for_with_what_fits() -> None:
    model = train_lexicalized(phrase_trees(10), options={}).model
    assert isinstance(model, LexicalizedModel)
    search: Search = model._search([["Kim", "slept"]], None, None, 1)
    answer = search.trees("viterbi")
    offsets, tokens, _, _, word, features, _ = search._arguments
    shapes, rows, labels = answer.phrases.shapes()
    label, head = model._expansions.of(rows, labels)
    rest = (offsets, tokens, word, features, 1)
    for bad in (
        (shapes[1:], label, head),
        (shapes + 100, label, head),
        (shapes, label, head + 9),
        (shapes, label - 99, head),
    ):
        with pytest.raises(ValueError, match="shape"):
            model._native.phrase_scores(answer.phrases, *bad, *rest)
    with pytest.raises(ValueError, match="another number of words"):
        model._native.phrase_scores(
            forests_of(LISTS[:1]), shapes, label, head, offsets, tokens, word, features, 1
        )

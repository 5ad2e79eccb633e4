"""Graph-based models: constraints, lists, explanations, long sentences, files."""

import math
from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np
import pytest

from palmette import CRF, Perceptron
from palmette._native import SparseRows
from palmette.features.token_views import TokenViews
from palmette.formats.corpus import Corpus
from palmette.learning.learner import Epoch
from palmette.tools.dependency.graph import training
from palmette.tools.dependency.graph.model import GraphModel
from palmette.tools.dependency.graph.training import train_graph
from palmette.tools.dependency.model import Parses
from palmette.tools.dependency.unique import kinds_of, with_unique_relations
from palmette.tools.packed_weights import LevelWeights, full_table

pytestmark = pytest.mark.native

SMALL = {"bits": 14, "label_bits": 10}
NAMES = ("root", "nsubj", "obj", "det")
SENTENCES = [
    ("the dog sees a cat", "DET NOUN VERB DET NOUN", (2, 3, 0, 5, 3), (3, 1, 0, 3, 2)),
    ("a cat sleeps", "DET NOUN VERB", (2, 3, 0), (3, 1, 0)),
    ("dogs see cats", "NOUN VERB NOUN", (2, 0, 2), (1, 0, 2)),
    ("sleep", "VERB", (0,), (0,)),
]


def views_of(sentences: list[tuple[str, str]]) -> TokenViews:
    columns = {"form": [words.split() for words, _ in sentences], "upos": [t.split() for _, t in sentences]}
    return TokenViews.of(Corpus.from_columns(columns))


@pytest.fixture(scope="module")
def views() -> TokenViews:
    return views_of([(words, tags) for words, tags, _, _ in SENTENCES * 4])


@pytest.fixture(scope="module", params=["after", "jointly", "both"])
def model(request: pytest.FixtureRequest, views: TokenViews) -> GraphModel:
    return trained(views, labels=request.param)


def trained(views: TokenViews, learner: object = None, **options: object) -> GraphModel:
    heads = np.array([h for *_, heads, _ in SENTENCES * 4 for h in heads], dtype=np.int32)
    labels = np.array([y for *_, ys in SENTENCES * 4 for y in ys], dtype=np.int32)
    made = learner or CRF(l2=0.01, n_iter=10, batch=4)
    found = train_graph(views, heads, labels, NAMES, options={**SMALL, **options}, learner=made)  # type: ignore[arg-type]
    assert isinstance(found.model, GraphModel)
    return found.model


def test_what_was_seen_is_parsed(model: GraphModel, views: TokenViews) -> None:
    parses = model.parse(views)
    assert parses.heads[:12].tolist() == [2, 3, 0, 5, 3, 2, 3, 0, 2, 0, 2, 0]
    assert parses.labels[:5].tolist() == [3, 1, 0, 3, 2]
    assert model.parse(views, minimum_risk=True).heads.tolist() == parses.heads.tolist()
    assert model.parse(views, n_jobs=2).heads.tolist() == parses.heads.tolist()
    likely = model.arc_probabilities(views, parses)
    assert (likely > 0.5).all()
    assert (likely <= 1).all()


def test_lists_are_sorted_and_have_probabilities(model: GraphModel, views: TokenViews) -> None:
    first = model.kbest(views, 5)[0]
    scores = [tree.score for tree in first]
    assert scores == sorted(scores, reverse=True)
    assert len({(tuple(t.heads), tuple(t.labels)) for t in first}) == 5 or model.options.labels == "both"
    assert all(t.log_probability is not None and t.log_probability <= 0 for t in first)
    everything = model.with_options({"threshold": 1e-9}).kbest(views_of([("a cat", "DET NOUN")]), 10_000)[0]
    total = math.fsum(math.exp(t.log_probability or 0.0) for t in everything)
    assert total == pytest.approx(1, abs=1e-4)


def test_constraints(model: GraphModel, views: TokenViews) -> None:
    heads = np.full(views.n_tokens, -1, dtype=np.int32)
    heads[0] = 3
    parses = model.parse(views, heads=heads)
    assert parses.heads[0] == 3
    forbidden = np.array([[0, 2], [0, 3], [1, 3]], dtype=np.int32)
    parses = model.parse(views, forbidden=forbidden)
    assert parses.heads[0] not in (2, 3)
    assert parses.heads[1] != 3
    heads[:5] = [3, 0, 5, 2, 2]  # 3 hangs on 5 and 1 on 3, across 2
    with pytest.raises(ValueError, match=r"Sentence 1: no projective tree"):
        model.parse(views, heads=heads)
    crossing = model.with_options({"projective": False}).parse(views, heads=heads)
    assert crossing.heads[:5].tolist() == [3, 0, 5, 2, 2]
    assert "Sentence 1" in crossing.notes[0]


def test_an_explanation_sums_to_the_margin(model: GraphModel, views: TokenViews) -> None:
    best = model.parse(views)
    for token in (1, 2, 5):
        choice = model.explain(views, 0, token)
        assert choice.head == best.heads[token - 1]
        assert choice.rival_head not in (None, choice.head)
        assert choice.margin == pytest.approx(sum(c.amount for c in choice.contributions))
        heads = np.full(views.n_tokens, -1, dtype=np.int32)
        heads[token - 1] = choice.rival_head
        other = model.parse(views, heads=heads)
        assert choice.margin == pytest.approx(best.scores[0] - other.scores[0], abs=1e-3)
        assert {"h", "m"} >= set(choice.contributions[0].tokens) - {"g", "s"}
    assert model.explain(views, 3, 1).rival_head is None
    assert model.explain(views, 0, 1, rival_head=5).rival_head == 5
    with pytest.raises(ValueError, match="cannot be 2"):
        model.explain(views, 0, 1, rival_head=2)


@pytest.mark.parametrize("compact", [False, True])
def test_files_keep_the_model(model: GraphModel, views: TokenViews, compact: bool) -> None:
    back = GraphModel.restore(model.labels, model.arrays(compact=compact), model.settings())
    assert back.parse(views).heads.tolist() == model.parse(views).heads.tolist()
    assert back.options == model.options
    arrays = model.arrays()
    for name in list(arrays):
        with pytest.raises(ValueError, match=r"missing|damaged|longer"):
            GraphModel.restore(model.labels, {k: v for k, v in arrays.items() if k != name}, model.settings())
    with pytest.raises(ValueError, match="lacks"):
        GraphModel.restore(model.labels, arrays, {})


def test_long_sentences_say_that_they_are_of_first_order(model: GraphModel) -> None:
    long = views_of(
        [(" ".join(["dogs", "see"] * 510), " ".join(["NOUN", "VERB"] * 510)), ("dogs see", "NOUN VERB")]
    )
    parses = model.parse(long)
    assert "1,020 words" in parses.notes[0]
    assert len(parses.notes) == 1
    assert (parses.heads[:1020] == 0).sum() == 1
    assert parses.heads[1020:].tolist() in ([2, 0], [0, 1])
    assert model.parse(views_of([])).heads.shape == (0,)


def test_non_projective_trees_can_be_learned() -> None:
    sentences = [("x a y b", "X A Y B")] * 6 + [("a b", "A B")] * 6
    views = views_of(sentences)
    heads = np.array([3, 4, 0, 3] * 6 + [0, 1] * 6, dtype=np.int32)
    labels = np.zeros(len(heads), dtype=np.int32)
    options = {**SMALL, "projective": None}
    found = train_graph(views, heads, labels, ("x",), options=options, learner=Perceptron(n_iter=10)).model
    assert found.parse(views).heads.tolist() == heads.tolist()
    with pytest.raises(ValueError, match=r"no probabilities: train it with a learner .*crf"):
        found.parse(views, minimum_risk=True)


@pytest.mark.parametrize(
    "options",
    [
        {"bits": 40},
        {"labels": "never"},
        {"threshold": 0},
        {"threshold": 2},
        {"heads": 3},
        {"projective": "yes"},
    ],
)
def test_wrong_options(options: dict[str, object], views: TokenViews) -> None:
    with pytest.raises(ValueError, match=f"{next(iter(options))!r}"):
        trained(views, **options)


@pytest.mark.parametrize("part", ["_FILTER", "_LABELS"])
def test_an_interrupt_before_the_trees_ends_the_training(
    part: str, views: TokenViews, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Interrupted(CRF):
        def epochs(self, problem: object, start: object) -> Iterator[Epoch]:
            raise KeyboardInterrupt
            yield

    monkeypatch.setattr(training, part, Interrupted())
    with pytest.raises(KeyboardInterrupt):
        trained(views)


@pytest.mark.parametrize(
    "arrays", [{"trees.unit": np.array([3e38], np.float32)}, {"labels.unit": np.array([-1], np.float32)}]
)
def test_weights_that_would_overflow_are_refused(arrays: dict[str, np.ndarray], views: TokenViews) -> None:
    made = trained(views)
    with pytest.raises(ValueError, match="is damaged"):
        GraphModel.restore(NAMES, {**made.arrays(), **arrays}, made.settings())


def test_very_long_sentences_are_not_learnt_from() -> None:
    n = training.MOST_TRAINED + 1
    views = views_of([("a b", "X Y"), (" ".join("a" * n), " ".join("X" * n))])
    heads = np.array([2, 0, *range(n)], dtype=np.int32)
    labels = np.array([1, 0, 0, *[1] * (n - 1)], dtype=np.int32)
    made = train_graph(views, heads, labels, NAMES, options=SMALL, learner=CRF(n_iter=1))
    assert made.notes == ("1 sentence has more than 500 words: not learnt from",)
    with pytest.raises(ValueError, match="All sentences have more than 500 words"):
        train_graph(views.select([1]), heads[2:], labels[2:], NAMES, options=SMALL)


def test_the_filter_can_be_measured(model: GraphModel, views: TokenViews) -> None:
    heads = np.array([h for *_, heads, _ in SENTENCES * 4 for h in heads], dtype=np.int32)
    recall, width = model.filter_recall(views, heads)
    assert recall == 1
    assert 1 <= width <= 5
    narrow, one = model.with_options({"most_heads": 1}).filter_recall(views, heads)
    assert one == 1
    assert narrow <= recall


def test_the_filter_gives_probabilities_where_trees_have_none(views: TokenViews) -> None:
    model = trained(views, Perceptron(n_iter=3))
    assert model.probabilities_from == "head filter"
    some = views_of([("the dog sees a cat", "DET NOUN VERB DET NOUN"), ("a cat", "DET NOUN")])
    none = np.zeros(some.n_tokens, dtype=np.int32)
    total = np.zeros(5)
    for head in range(6):
        heads = none.copy()
        heads[:5] = [head if head != word else 0 for word in range(1, 6)]
        found = model.arc_probabilities(some, Parses(heads, none, np.zeros(2)), n_jobs=2)
        total += np.where(heads[:5] == head, found[:5], 0)
    assert total == pytest.approx(1, abs=1e-5)


def fits_the_root(labels: Iterable[int], heads: Iterable[int]) -> bool:
    return all((label == 0) == (head == 0) for label, head in zip(labels, heads, strict=True))


@pytest.mark.parametrize("how", ["after", "jointly", "both"])
def test_the_relation_of_the_root_is_for_the_root_alone(views: TokenViews, how: str) -> None:
    heads = np.array([h for *_, heads, _ in SENTENCES * 4 for h in heads], dtype=np.int32)
    labels = np.random.default_rng(0).integers(0, 4, len(heads)).astype(np.int32)  # any label anywhere
    options = {**SMALL, "labels": how}
    model = train_graph(views, heads, labels, NAMES, options=options, learner=CRF(l2=0.01, n_iter=3)).model
    assert isinstance(model, GraphModel)
    known = np.full(views.n_tokens, -1, dtype=np.int32)
    known[0] = 0
    forbidden = np.array([[0, 2], [2, 0]], dtype=np.int32)
    for parses in (
        model.parse(views),
        model.parse(views, minimum_risk=True),
        model.parse(views, heads=known),
        model.parse(views, forbidden=forbidden),
        model.with_options({"projective": False}).parse(views),
        model.with_options({"single_root": False}).parse(views),
        with_unique_relations(model, views, model.parse(views), kinds_of(["root"], NAMES)),
    ):
        assert fits_the_root(parses.labels, parses.heads)
    for trees in model.kbest(views, 4):
        assert all(fits_the_root(tree.labels, tree.heads) for tree in trees)
    choice = model.explain(views, 0, 1)
    assert fits_the_root([choice.label, choice.rival_label or 0], [choice.head, choice.rival_head or 0])
    long = views_of([("the dog sees a cat " * 220, "DET NOUN VERB DET NOUN " * 220)])
    parses = model.parse(long)
    assert parses.notes
    assert fits_the_root(parses.labels, parses.heads)


def test_a_file_cannot_ask_for_gigabytes(model: GraphModel) -> None:
    for more in ({"bits": 28}, {"label_bits": 22, "bits": 27}):
        with pytest.raises(ValueError, match="weights, and at most"):
            GraphModel.restore(model.labels, model.arrays(), {**model.settings(), **more})


def test_a_byte_for_each_weight_scores_as_floats(views: TokenViews) -> None:
    model = trained(views)
    small = GraphModel.restore(model.labels, model.arrays(compact=True), model.settings())
    assert isinstance(small.label_weights, SparseRows)
    assert np.array_equal(small.parse(views).labels, model.parse(views).labels)
    places, numbers = np.unique(full_table(model.tree_weights).round(2), return_inverse=True)
    levels = np.zeros(256, np.float32)
    levels[: len(places)] = places
    assert len(places) <= 256
    few = replace(model, tree_weights=LevelWeights(numbers.reshape(-1).astype(np.uint8), levels))
    same = replace(model, tree_weights=full_table(few.tree_weights))
    a, b = few.parse(views), same.parse(views)
    assert (a.heads.tolist(), a.labels.tolist()) == (b.heads.tolist(), b.labels.tolist())
    assert np.array_equal(a.scores, b.scores)
    for one, two in zip(few.kbest(views, 3), same.kbest(views, 3)):
        assert [tree.score for tree in one] == [tree.score for tree in two]
    known = np.full(views.n_tokens, -1, np.int32)
    known[0] = 2
    assert few.parse(views, heads=known).heads.tolist() == same.parse(views, heads=known).heads.tolist()
    p, q = (one.arc_probabilities(views, a) for one in (few, same))
    assert np.array_equal(p, q)
    assert few.explain(views, 0, 1).contributions == same.explain(views, 0, 1).contributions
    with pytest.raises(ValueError, match="wrong length"):
        replace(model, tree_weights=LevelWeights(np.zeros(3, np.uint8), levels)).parse(views)
    with pytest.raises(ValueError, match="256 levels"):
        replace(few, tree_weights=replace(few.tree_weights, levels=levels[:9])).parse(views)  # type: ignore[arg-type]

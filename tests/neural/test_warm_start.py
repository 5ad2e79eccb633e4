"""Training that goes on from a model with a network: nothing is lost, and what does not fit is refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from neural.test_neural_parsers import neural as small_parser
from neural.test_neural_parsers import toy as trees
from neural.test_neural_taggers import neural as small
from neural.test_neural_taggers import toy
from palmette import DependencyParser, Perceptron, SpanTagger, Tagger
from palmette.errors import UsageError

pytest.importorskip("torch")
STILL = {"n_iter": 1, "learning_rate": 1e-9}


@pytest.mark.parametrize(
    "options", [{}, {"linear": False}, {"cell": "gru", "letters": "lstm", "int8": True}], ids=str
)
@pytest.mark.parametrize("order", [0, 2])
def test_a_tagger_goes_on_where_it_was(order: int, options: dict[str, object], tmp_path: Path) -> None:
    X, y = toy()
    first = Tagger(order=order, scorer=small(**options)).fit(X, y)
    first.save(tmp_path / "first.palm")
    second = Tagger.load(tmp_path / "first.palm")
    second.scorer = small(**options | STILL)
    want = second.predict_proba(X)
    second.fit(X, y, warm_start=True)
    for have, p in zip(second.predict_proba(X), want):
        np.testing.assert_allclose(have, p, atol=1e-4)


def test_a_tagger_learns_more() -> None:
    X, y = toy()
    tagger = Tagger(scorer=small(n_iter=2)).fit(X, y)
    before = tagger.history_[0].numbers["loss"]
    tagger.fit(X, y, warm_start=True)
    assert tagger.history_[0].numbers["loss"] < before


def test_the_loss_risk_goes_on_from_a_crf() -> None:
    """The expected number of wrong labels falls."""
    X, y = toy()
    tagger = Tagger(scorer=small(n_iter=2)).fit(X, y)

    def expected() -> float:
        place = {label: k for k, label in enumerate(tagger.classes_)}
        return sum(1 - p[t, place[s[t]]] for p, s in zip(tagger.predict_proba(X), y) for t in range(len(s)))

    before = expected()
    tagger.scorer = small(loss="risk", n_iter=3)
    tagger.fit(X, y, warm_start=True)
    assert expected() < 0.7 * before
    assert tagger.probabilities_from == "model"


def test_vectors_stay_as_they_are(tmp_path: Path) -> None:
    (tmp_path / "v.txt").write_text("up 1 2\nsee 3 4\n")
    X, y = toy()
    tagger = Tagger(scorer=small(vectors=str(tmp_path / "v.txt"), words=0, n_iter=1)).fit(X, y)
    (tmp_path / "v.txt").unlink()
    tagger.fit(X, y, warm_start=True)
    network = tagger.model_.network
    assert network is not None
    (k,) = (k for k, one in enumerate(network.inputs.inputs) if one.kind == "vectors")
    np.testing.assert_array_equal(network.arrays[f"input.{k}.table"], [[0, 0], [1, 2], [3, 4]])


def test_what_a_tagger_cannot_go_on_from() -> None:
    X, y = toy()
    tagger = Tagger(scorer=small(n_iter=1)).fit(X, y)
    with pytest.raises(ValueError, match="keeps the labels of the last fit, and 'Z' is not among them"):
        tagger.fit(X[:1], [["Z"] * len(X[0])], warm_start=True)
    tagger.scorer = small(layers=2)
    with pytest.raises(UsageError, match="'layers' is 1: leave out layers=2"):
        tagger.fit(X, y, warm_start=True)
    tagger.scorer = None
    with pytest.raises(ValueError, match="the model has a network"):
        tagger.fit(X, y, warm_start=True)
    tagger = Tagger(Perceptron(n_iter=2)).fit(X, y)
    tagger.learner, tagger.scorer = None, small()
    with pytest.raises(ValueError, match="this one has none"):
        tagger.fit(X, y, warm_start=True)


def test_spans_go_on() -> None:
    X, y = (
        [["Ada", "came"], ["I", "saw", "Ada", "King"]] * 4,
        [["B-PER", "O"], ["O", "O", "B-PER", "I-PER"]] * 4,
    )
    tagger = SpanTagger(scorer=small(n_iter=8)).fit(X, y)
    assert tagger.fit(X, y, warm_start=True).score(X, y) == 1.0


def test_a_parser_goes_on_where_it_was(tmp_path: Path) -> None:
    X, y = trees()
    first = DependencyParser(scorer=small_parser(n_iter=4)).fit(X, y)
    first.save(tmp_path / "first.palm")
    second = DependencyParser.load(tmp_path / "first.palm")
    second.scorer = small_parser(**STILL)
    want = [tree.score for trees_ in second.kbest(X, 2) for tree in trees_]
    second.fit(X, y, warm_start=True)
    found = [tree.score for trees_ in second.kbest(X, 2) for tree in trees_]
    np.testing.assert_allclose(found, want, rtol=1e-4, atol=1e-4)
    second.scorer = small_parser(n_iter=2)
    second.fit(
        X, [[(h, "det" if r == "det" else "obj" if h else "root") for h, r in s] for s in y], warm_start=True
    )
    assert second.relations_ == first.relations_
    assert second.history_[0].numbers["loss"] < first.history_[0].numbers["loss"]


def test_what_a_parser_cannot_go_on_from() -> None:
    X, y = trees(6)
    parser = DependencyParser(scorer=small_parser(n_iter=1)).fit(X, y)
    with pytest.raises(ValueError, match="keeps the relations of the model, and 'new' is not among them"):
        parser.fit(X, [[(h, "new" if h else "root") for h, _ in s] for s in y], warm_start=True)
    parser.scorer = None
    with pytest.raises(ValueError, match="goes on from a graph-based model without a network"):
        parser.fit(X, y, warm_start=True)
    parser = DependencyParser().fit(X, y)
    parser.scorer = small_parser()
    with pytest.raises(ValueError, match="goes on from a model with a network"):
        parser.fit(X, y, warm_start=True)

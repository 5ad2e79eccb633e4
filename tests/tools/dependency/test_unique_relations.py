"""Relations that a head has once: labels against enumeration, trees from the k best, wrong names."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from palmette import CRF, Corpus, DependencyParser, Perceptron
from palmette.features.token_views import TokenViews
from palmette.tools.dependency.model import Parses
from palmette.tools.dependency.unique import FREE, kinds_of, with_unique_relations

pytestmark = pytest.mark.native

LABELS = ("root", "nsubj", "nsubj:pass", "obj", "dep")


class GivenLabels:
    """A model of which only the scores of labels are asked."""

    def __init__(self, scores: np.ndarray) -> None:
        self.scores = scores

    def tree_label_scores(self, views: TokenViews, heads: np.ndarray) -> np.ndarray:
        return self.scores


def crowded(heads: np.ndarray, labels: tuple[int, ...], kinds: np.ndarray) -> bool:
    seen = [(h, kinds[label]) for h, label in zip(heads.tolist(), labels) if kinds[label] != FREE]
    return len(set(seen)) < len(seen)


@pytest.mark.parametrize("unique", [["nsubj"], ["nsubj", "obj"], ["nsubj", "nsubj:pass", "dep"]])
def test_labels_are_the_best_of_all_that_fit(unique: list[str]) -> None:
    rng = np.random.default_rng(1)
    kinds = kinds_of(unique, LABELS)
    views = TokenViews.of(Corpus.from_columns({"form": [list("abcde")]}))
    for _ in range(30):
        heads = np.array([0, *rng.integers(1, 3, 4)], dtype=np.int32)
        scores = rng.normal(0, 1, (5, len(LABELS))).astype(np.float32)
        parses = Parses(heads, scores.argmax(axis=1).astype(np.int32), np.zeros(1))
        found = with_unique_relations(GivenLabels(scores), views, parses, kinds)  # type: ignore[arg-type]
        ways = [way for way in product(range(len(LABELS)), repeat=5) if not crowded(heads, way, kinds)]
        best = max(float(scores[range(5), way].sum()) for way in ways)
        assert not crowded(heads, tuple(found.labels.tolist()), kinds)
        assert float(scores[range(5), found.labels].sum()) == pytest.approx(best, abs=1e-5)


def test_a_relation_stands_for_its_subtypes() -> None:
    kinds = kinds_of(["nsubj", "obj"], LABELS)
    assert kinds[1] == kinds[2] != kinds[3]
    assert kinds[0] == kinds[4] == FREE
    wide = kinds_of(["nsubj:pass", "nsubj"], LABELS)
    assert wide[1] == wide[2]
    with pytest.raises(ValueError, match="has no relation 'subject': it has root, nsubj"):
        kinds_of(["subject"], LABELS)
    with pytest.raises(TypeError, match="a list of names"):
        kinds_of("nsubj", LABELS)


def test_where_no_label_is_left() -> None:
    views = TokenViews.of(Corpus.from_columns({"form": [list("abc")]}))
    parses = Parses(np.array([0, 1, 1], np.int32), np.zeros(3, np.int32), np.zeros(1))
    model = GivenLabels(np.zeros((3, 1), np.float32))
    with pytest.raises(ValueError, match="Sentence 1: word 1 has 2 dependents, and no labels are left"):
        with_unique_relations(model, views, parses, np.zeros(1, np.int32))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("method", "learner", "options"),
    [
        ("graph", CRF(n_iter=2), {"bits": 12, "label_bits": 10}),
        ("graph", CRF(n_iter=2), {"bits": 12, "label_bits": 10, "labels": "jointly"}),
        ("transition", Perceptron(n_iter=3), {"bits": 12, "label_bits": 10}),
    ],
)
def test_parsers_keep_to_one_subject(method: str, learner: CRF | Perceptron, options: dict) -> None:
    # Three nouns before a verb are three subjects in this treebank, or two and an object.
    X = [[(word, "NOUN") for word in "abc"] + [("v", "VERB")], [("a", "NOUN"), ("b", "NOUN"), ("v", "VERB")]]
    y = [[(4, "nsubj"), (4, "nsubj"), (4, "obj"), (0, "root")], [(3, "nsubj"), (3, "dep"), (0, "root")]]
    parser = DependencyParser(method, learner, options=options, columns=["upos"]).fit(X * 10, y * 10)
    found = parser.predict(X, unique=["nsubj"])[0]
    assert list(parser.predict(X)[0].labels or ()).count("nsubj") == 2
    assert list(found.labels or ()).count("nsubj") <= 1
    assert found.is_tree

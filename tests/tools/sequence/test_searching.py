"""Searches of taggers: exact ones agree with `predict`, the others say what they may miss."""

from __future__ import annotations

from pathlib import Path

import pytest

from palmette.learning.latent import LatentCRF
from palmette.learning.loglinear import CRF
from palmette.structures.chain_search import METHODS, ChainSearch
from palmette.tools.sequence.searching import search_errors
from palmette.tools.sequence.span_tagger import SpanTagger
from palmette.tools.sequence.tagger import Tagger
from samples.sequences import garden, random_sentences

pytestmark = pytest.mark.native

EXACT = ("viterbi", "dijkstra", "astar")


@pytest.mark.parametrize("order", [0, 1, 2, 3])
@pytest.mark.parametrize("templates", ["w[0]", "w[-1..1]\ny|w[0]"])
def test_exact_searches_are_predict(order: int, templates: str) -> None:
    if order == 0 and "y" in templates:
        pytest.skip("pairs need an order")
    X, y = random_sentences(60, seed=order)
    tagger = Tagger(CRF(l2=0.5, n_iter=10), templates=templates, order=order).fit(X, y)
    best = tagger.kbest(X, 1)
    for name in METHODS:
        found = tagger.search(X, name)
        assert [one.output for one in found] == tagger.predict(X, search=name)
        assert all(one.states_touched >= 1 for one, words in zip(found, X) if len(words) > 1)
        if name in EXACT:
            assert all(one.exact for one in found)
            assert [one.output for one in found] == tagger.predict(X)
            assert [one.score for one in found] == pytest.approx(
                [r[0].score for r in best], rel=1e-4, abs=1e-4
            )
        wrong = search_errors(found, tagger.search(X))
        assert wrong == sum(a.output != b for a, b in zip(found, tagger.predict(X)))
    assert search_errors(tagger.search(X, "top-k=1"), tagger.search(X)) > 0 or order == 0


def test_a_saved_tagger_searches_the_same(tmp_path: Path) -> None:
    tagger = Tagger(CRF(n_iter=10)).fit(garden())
    tagger.save(tmp_path / "t.palm", compact=False)
    again = Tagger.load(tmp_path / "t.palm")
    for name in METHODS:
        have, want = again.search(garden(), name), tagger.search(garden(), name)
        assert [one.output for one in have] == [one.output for one in want]
        assert [one.states_touched for one in have] == [one.states_touched for one in want]


def test_known_labels_are_kept() -> None:
    X, y = random_sentences(60, seed=2)
    tagger = Tagger(CRF(n_iter=10)).fit(X, y)
    label = tagger.classes_[0]
    known = [[label, *[None] * (len(words) - 1)] for words in X if words]
    X = [words for words in X if words]
    for name in METHODS:
        found = tagger.predict(X, search=name, known=known)
        assert all(labels[0] == label for labels in found)
        if name in EXACT:
            assert found == tagger.predict(X, known=known)


def test_spans_come_in_the_scheme_of_the_data() -> None:
    X = [["Jack", "London", "went", "to", "Paris"], ["Paris", "Hilton", "went", "to", "London"]]
    y = [["B-PER", "I-PER", "O", "O", "B-LOC"], ["B-PER", "I-PER", "O", "O", "B-LOC"]]
    tagger = SpanTagger().fit(X, y)
    new = [["Jack", "Hilton", "went", "to", "London"], ["London"]]
    for name in METHODS:
        assert tagger.predict(new, search=name) == tagger.predict(new)


def test_what_no_search_finds_is_refused() -> None:
    X, y = random_sentences(30, seed=1)
    tagger = Tagger(CRF(n_iter=5)).fit(X, y)
    with pytest.raises(ValueError, match="cannot be combined with 'search'"):
        tagger.predict(X, search="astar", minimum_risk=True)
    with pytest.raises(ValueError, match="search must be one of"):
        tagger.predict(X, search="bfs")
    latent = Tagger(LatentCRF(n_iter=2)).fit(X, y)
    with pytest.raises(ValueError, match="predicts by probabilities; it takes no 'search'"):
        latent.search(X)


def test_a_narrow_search_names_the_sentence_it_loses() -> None:
    """The automaton wants two B at the end, which the likelier start cannot reach."""
    X = [["a", "b"], ["a", "b"], ["a", "c"], ["c", "b"]]
    y = [["A", "B"], ["A", "B"], ["A", "A"], ["A", "B"]]
    tagger = Tagger(CRF(n_iter=20), automaton="A B | A A").fit(X, y)
    assert tagger.search([["a", "b"]], ChainSearch("top-k", 1))[0].output == ["A", "B"]
    with pytest.raises(ValueError, match=r"Sentence 2: .*no sequence of 3 labels"):
        tagger.search([["a", "b"], ["a", "b", "b"]], "astar")

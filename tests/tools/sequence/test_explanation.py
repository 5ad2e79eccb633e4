"""Explanations: contributions that sum to the margin, which is the difference of two scores."""

from __future__ import annotations

import itertools
import math
from pathlib import Path

import numpy as np
import pytest

from palmette.learning.loglinear import CRF
from palmette.tools.sequence.span_tagger import SpanTagger
from palmette.tools.sequence.tagger import Tagger
from samples.sequences import garden, random_sentences

pytestmark = pytest.mark.native


@pytest.mark.parametrize("templates", ["w[0]\ny", "w[-1..1]", "w[0]\ny|w[0]\ny", "w[0]\ny|w[-1]"])
@pytest.mark.parametrize("order", [1, 2, 3])
def test_the_margin_is_the_difference_of_scores(templates: str, order: int) -> None:
    X, y = random_sentences(50, seed=order)
    tagger = Tagger(CRF(l2=0.2, n_iter=5), templates=templates, order=order).fit(X, y)
    words = ["a1", "x", "b2", "x", "c1"]
    ((chain, scores),) = list(tagger.chains([words]))
    labels = tagger.classes_
    every = {y: chain.score(scores, y) for y in itertools.product(range(len(labels)), repeat=len(words))}
    best = max(every, key=lambda y: every[y])
    p = tagger.predict_proba([words])[0]
    for t, decision in enumerate(tagger.explain(words).decisions):
        other = max((y for y in every if y[t] != best[t]), key=lambda y: every[y])
        assert (decision.extra["number"], decision.subject) == (t + 1, words[t])
        assert (decision.chosen, decision.rival) == (labels[best[t]], labels[other[t]])
        assert decision.margin == pytest.approx(every[best] - every[other], abs=1e-4)
        assert sum(c.amount for c in decision.contributions) == pytest.approx(decision.margin, abs=1e-9)
        assert decision.extra["probability"] == pytest.approx(p[t, best[t]])
        assert decision.extra["rival_probability"] == pytest.approx(p[t, other[t]])
        sizes = [abs(c.amount) for c in decision.contributions]
        assert sizes == sorted(sizes, reverse=True)
        short = decision.first(2)
        assert len(short.contributions) <= 2
        assert sum(c.amount for c in short.contributions) + short.rest == pytest.approx(decision.margin)


def test_values_count() -> None:
    X = [[{"n": 2.5, "w": "a"}], [{"n": -1.0, "w": "b"}]]
    tagger = Tagger(CRF(l2=0.1, n_iter=5)).fit(X, [["A"], ["B"]])
    (decision,) = tagger.explain(X[0]).decisions
    weights = dict(zip(tagger.model_.features.names(), tagger.model_.rows))
    amounts = {c.feature: c.amount for c in decision.contributions}
    assert amounts["n"] == pytest.approx(2.5 * (weights["n"][0] - weights["n"][1]), rel=1e-5)


def test_spans_explain_themselves() -> None:
    X, y = [["New", "York", "is", "big"]], [["B-LOC", "I-LOC", "O", "O"]]
    explanation = SpanTagger(CRF(l2=0.1)).fit(X, y).explain(X[0])
    assert [d.chosen for d in explanation.decisions] == ["B-LOC", "E-LOC", "O", "O"]
    for decision in explanation.decisions:
        assert decision.margin >= 0
        assert sum(c.amount for c in decision.contributions) == pytest.approx(decision.margin)
    assert "New" in str(explanation)


def test_one_label_has_no_runner_up() -> None:
    explanation = Tagger(templates="w[0]").fit([["a"]], [["T"]]).explain(["a"])
    assert explanation.decisions[0].rival is None
    assert explanation.to_dict()["tokens"][0]["margin"] is None
    assert "the only label" in str(explanation)


def test_names_are_found_again(tmp_path: Path) -> None:
    tagger = Tagger(CRF(n_iter=3), templates="w[0]\nsuffix2[0]\ny|w[0]\ny").fit(garden())
    tagger.save(tmp_path / "c.palm", compact=True)
    words = "The cook leaves .".split()
    full, compact = tagger.explain(words), Tagger.load(tmp_path / "c.palm").explain(words)
    for a, b in zip(full.decisions, compact.decisions):
        assert {c.feature for c in a.contributions} >= {c.feature for c in b.contributions}
        rounding = 0.05 * sum(
            abs(c.amount) for c in a.contributions
        )  # levels of weights, and small ones left out
        assert a.margin == pytest.approx(b.margin, rel=0, abs=rounding)
    assert not np.isnan(full.decisions[0].margin)
    with pytest.raises(ValueError, match="One sentence can be explained at a time"):
        tagger.explain(garden("test"))


@pytest.mark.parametrize("order", [1, 2])
def test_a_feature_does_not_stand_on_both_sides(order: int) -> None:
    tagger = Tagger(CRF(l2=0.01, n_iter=5), templates="w[0]\nbias\ny|w[-1]", order=order)
    tagger.fit(*random_sentences(60, seed=order))
    moved = 0
    for words in random_sentences(60, seed=7)[0]:
        for decision in tagger.explain(words).decisions:
            both = [
                (c.feature, side)
                for c in decision.contributions
                for side in c.detail.split(", at ")[0].split(" not ")
            ]
            signs: dict[tuple[str, str], set[int]] = {}
            for c in decision.contributions:
                for sign, side in zip((1, -1), c.detail.split(", at ")[0].split(" not ")):
                    signs.setdefault((c.feature, side), set()).add(sign)
            assert all(len(found) == 1 for found in signs.values())
            assert len({(c.feature, c.detail) for c in decision.contributions}) == len(decision.contributions)
            assert math.fsum(c.amount for c in decision.contributions) == pytest.approx(decision.margin)
            moved += len(both) > len(set(both))
            for c in decision.contributions:
                first, *more = c.where
                assert first not in more
                assert (f"at {first} {words[first - 1]}" in c.detail) >= bool(more)
                assert c.detail in str(decision)
    assert moved


def test_values_of_either_sign_cancel_across_sequences_only() -> None:
    X = [[{"n": 1.0}, {"n": -1.0}, {"n": 1.0}], [{"n": -1.0}, {"n": 1.0}]]
    tagger = Tagger(CRF(l2=0.1, n_iter=5)).fit(X, [["A", "B", "A"], ["B", "A"]])
    for sentence in X:
        for decision in tagger.explain(sentence).decisions:
            assert math.fsum(c.amount for c in decision.contributions) == pytest.approx(decision.margin)

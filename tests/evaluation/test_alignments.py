"""Alignment error rates against their formulas, sentence by sentence and altogether."""

from __future__ import annotations

import numpy as np
import pytest

from palmette.evaluation.alignments import evaluate_alignments
from palmette.formats.pharaoh import GoldAlignment


def random_case(seed: int):
    rng = np.random.default_rng(seed)
    gold, found = [], []
    for _ in range(30):
        cells = [(i, j) for i in range(4) for j in range(4)]
        possible = {cell for cell in cells if rng.random() < 0.4}
        gold.append(GoldAlignment(frozenset(c for c in possible if rng.random() < 0.5), frozenset(possible)))
        found.append({cell for cell in cells if rng.random() < 0.3})
    return gold, found


def test_formulas() -> None:
    gold, found = random_case(0)
    a = {(s, link) for s, links in enumerate(found) for link in links}
    sure = {(s, link) for s, one in enumerate(gold) for link in one.sure}
    possible = {(s, link) for s, one in enumerate(gold) for link in one.possible}
    scores = evaluate_alignments(gold, found)
    assert scores.precision == pytest.approx(len(a & possible) / len(a))
    assert scores.recall == pytest.approx(len(a & sure) / len(sure))
    assert scores.aer == pytest.approx(1 - (len(a & sure) + len(a & possible)) / (len(a) + len(sure)))
    assert scores.f1 == pytest.approx(2 / (1 / scores.precision + 1 / scores.recall))
    assert scores.to_dict()["links"] == len(a)


def test_sure_links_alone_make_aer_one_minus_f() -> None:
    gold, found = random_case(1)
    scores = evaluate_alignments([GoldAlignment(one.sure, one.sure) for one in gold], found)
    assert scores.aer == pytest.approx(1 - scores.f1)


def test_interval() -> None:
    scores = evaluate_alignments(*random_case(2))
    found = scores.interval()
    assert found.low < scores.aer < found.high
    assert found.value == pytest.approx(scores.aer)


def test_nothing() -> None:
    none = GoldAlignment(frozenset(), frozenset())
    assert evaluate_alignments([], []).aer == 0
    assert evaluate_alignments([none], [[]]).aer == 0
    assert evaluate_alignments([none], [[(0, 0)]]).aer == 1
    with pytest.raises(ValueError, match="shorter"):
        evaluate_alignments([none], [])

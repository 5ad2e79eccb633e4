"""Candidates that may be chosen: the others count as if they were not in the list."""

from __future__ import annotations

import pytest

from palmette.formats.candidates import Candidates
from palmette.learning.perceptron import Perceptron
from palmette.tools.reranking.reranker import Reranker
from samples.ranking_lists import random_lists

pytestmark = pytest.mark.native


@pytest.mark.parametrize("minimum_risk", [False, True])
def test_only_allowed_candidates(minimum_risk: bool) -> None:
    lists = random_lists(12, 1)
    reranker = Reranker(Perceptron(n_iter=3)).fit(lists)
    free = reranker.choose(lists, minimum_risk=minimum_risk)
    assert reranker.choose(lists, known=[None] * 12, minimum_risk=minimum_risk) == free
    known = [{i for i in range(len(given)) if i != best} for given, best in zip(lists, free)]
    found = reranker.choose(lists, known=known, minimum_risk=minimum_risk)
    outputs = reranker.predict(lists, known=known, minimum_risk=minimum_risk)
    ranked = reranker.kbest(lists, 99, known=known, minimum_risk=minimum_risk)
    for given, places, place, output, row in zip(lists, known, found, outputs, ranked):
        kept = sorted(places)
        alone = Candidates([given.outputs[i] for i in kept], given.log_probabilities[kept])
        assert place == kept[reranker.choose([alone], minimum_risk=minimum_risk)[0]]
        assert output == given.outputs[place] == row[0].output
        assert len(row) == len(kept)
        assert sum(one.probability for one in row) == pytest.approx(1)
    single = reranker.choose(lists, known=[1] * 12, minimum_risk=minimum_risk)
    assert single == [1] * 12


def test_what_cannot_be_known() -> None:
    lists = random_lists(2, 1)
    reranker = Reranker(Perceptron(n_iter=1)).fit(lists)
    n = len(lists[1])
    for known, message in (
        ([None], "2 lists and known candidates for 1"),
        ([None, [n]], f"List 2 has {n} candidates, counted from 0"),
        ([[], None], "List 1: not one candidate may be chosen"),
    ):
        with pytest.raises(ValueError, match=message):
            reranker.predict(lists, known=known)

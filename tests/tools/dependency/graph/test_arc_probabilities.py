"""Probabilities of arcs of graph-based parsers, and what explanations say of them."""

from __future__ import annotations

import pytest

from palmette.learning.loglinear import CRF
from palmette.tools.dependency.parser import DependencyParser
from samples.treebank import COOK, TRAIN

pytestmark = pytest.mark.native


def test_marginals_of_arcs_against_all_trees() -> None:
    parser = DependencyParser("graph", CRF(n_iter=3), options={"bits": 12}).fit(TRAIN)
    assert parser.probabilities_from == "trees"
    (ranked,) = parser.kbest([COOK[:4]], 10_000)
    (table,) = parser.marginals([COOK[:4]])
    want: dict[tuple[int, int], float] = {}
    for one in ranked:
        for arc in enumerate(one.output.heads, 1):
            want[arc] = want.get(arc, 0.0) + one.probability
    assert table == pytest.approx({arc: p for arc, p in want.items() if arc in table}, abs=1e-4)
    assert all(p < 1e-4 for arc, p in want.items() if arc not in table)
    assert parser.marginals([[], COOK[:4]])[0] == {}


def test_a_rival_that_the_filter_leaves_out_has_no_probability() -> None:
    narrow = DependencyParser("graph", CRF(n_iter=5), options={"threshold": 0.9}).fit(TRAIN)
    table, lines = narrow.marginals([COOK])[0], narrow.explain(COOK).decisions
    for m, decision in enumerate(lines, 1):
        p, q = decision.extra["probability"], decision.extra["rival_probability"]
        assert q == pytest.approx(table.get((m, decision.rival), 0.0), abs=1e-4)
        assert p + q <= 1.0001
    assert 0 in [decision.extra["rival_probability"] for decision in lines]

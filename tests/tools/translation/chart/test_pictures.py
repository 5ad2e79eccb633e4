"""Derivations by rules as two trees."""

from __future__ import annotations

import pytest

from palmette.tools.translation.chart.derivation import RuleNode
from palmette.tools.translation.chart.pictures import (
    derivation_trees,
    draw_derivation,
    draw_derivation_svg,
)
from palmette.tools.translation.chart.search import ChartSearch
from palmette.tools.translation.rules.rule_table import RuleTable

pytestmark = pytest.mark.native


def test_both_trees() -> None:
    rules = [
        ("X", "ne [X,1] pas", "not [X,1]", [-0.1] * 4),
        ("X", "va", "go", [-0.1] * 4),
        ("X", "il", "he", [0.0] * 4),
    ]
    search = ChartSearch(RuleTable.from_rules(rules), None)
    (found,) = search.translate(["il ne va pas"])
    derivation = found.derivation
    assert isinstance(derivation, RuleNode)
    pair = derivation_trees(derivation, "il ne va pas".split())
    assert pair is not None
    source, target, links = pair
    assert str(source) == "(S (S (X il)) (X ne (X va) pas))"
    assert str(target) == "(S (S (X he)) (X not (X go)))"
    assert links == [(k, k) for k in range(5)]
    picture = draw_derivation(derivation, "il ne va pas".split())
    assert picture is not None
    assert picture.split("\n")[-1].split() == "il ne va pas he not go".split()
    image = draw_derivation_svg(derivation, "il ne va pas".split())
    assert image is not None
    assert image.startswith("<svg")
    nothing = RuleNode("X", 0, 1, ())
    assert draw_derivation(nothing, ["a"]) is None
    assert draw_derivation_svg(nothing, ["a"]) is None

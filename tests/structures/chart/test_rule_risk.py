"""The max-rule product against the product of every tree."""

from __future__ import annotations

import math
import random
from collections import defaultdict
from typing import Any

import numpy as np
import pytest

from palmette import _native
from palmette.structures.chart import Chart
from palmette.trees.tree import Leaf, Tree
from samples.random_charts import every_tree, random_rules

pytestmark = pytest.mark.native


def anchored_rules(text: str) -> list[tuple[Any, ...]]:
    """Each rule of a tree with the ends of all its children."""
    tree = Tree.parse(text)
    found = []
    for node in tree.preorder():
        places: list[tuple[Any, ...]] = []
        for child in node.children:
            if isinstance(child, Leaf):
                places.append((child.word, child.position))
            else:
                (segment,) = child.spans(preterminals=True)[0].segments
                places.append((child.label, *segment))
        found.append((node.label, *places))
    return found


@pytest.mark.parametrize("seed", range(40))
def test_against_enumeration(seed: int) -> None:
    rules = random_rules(seed)
    if seed % 2:  # more rules that are split
        rules += [
            ("S", ("A", "B", "C"), -1.0),
            ("A", ("C", "A", "y", "C"), -0.5),
            ("B", ("C", "C", "C"), -0.7),
        ]
    draw = random.Random(seed)
    drawn = (tuple(draw.choices("xy", k=1 + k % 3)) for k in range(seed, seed + 100))
    tried = ((words, every_tree(rules, words, "S")) for words in drawn)
    words, every = next((words, every) for words, every in tried if 0 < len(every) <= 4000)
    forest = Chart(rules, "S")(words)
    p = np.exp([score - forest.log_z for _, score, _ in every])
    rules_of = [anchored_rules(text) for text, _, _ in every]
    probability: dict[tuple[Any, ...], float] = defaultdict(float)
    for used, share in zip(rules_of, p):
        for rule in used:
            probability[rule] += share
    products = {
        text: sum(math.log(probability[rule]) for rule in used) for (text, _, _), used in zip(every, rules_of)
    }
    have = forest.rule_product()
    assert have.score == pytest.approx(max(products.values()), abs=1e-5)
    assert products[str(have.tree)] == pytest.approx(have.score, abs=1e-5)
    brackets = forest.minimum_risk(flavour="rules")
    assert brackets == [(*s.segments[0], s.label) for s in have.tree.spans(preterminals=True)]


def test_a_product_by_hand() -> None:
    # (S (A x) (B x)) has 0.4; the 0.6 of S → C D is shared by two trees.
    weights = {"A B": 0.4, "C D": 0.6}
    rules = [("S", tuple(right.split()), math.log(w)) for right, w in weights.items()]
    rules += (
        [(a, ("x",), 0.0) for a in "ABEF"] + [("C", (e,), math.log(0.5)) for e in "EF"] + [("D", ("x",), 0.0)]
    )
    forest = Chart(rules, "S")("xx")
    assert str(forest.best().tree) == "(S (A x) (B x))"
    #   0.4³ against 0.6 · 0.3 · 0.3 · 0.6 for either of the others
    assert forest.rule_product().score == pytest.approx(3 * math.log(0.4), abs=1e-6)


def test_cycles_and_kept_items() -> None:
    half = math.log(0.5)
    forest = Chart([("S", ("A",), half), ("A", ("S",), half), ("S", ("x",), half), ("A", ("x",), half)])("x")
    assert str(forest.rule_product().tree) in {"(S x)", "(S (A x))"}
    chart = Chart([("S", ("S", "S"), 0.0), ("S", ("x",), 0.0)])
    items = _native.ChartItems(3, chart.native.symbols, True)
    items.close(0, 2)
    have = chart("xxx", items).rule_product()
    assert str(have.tree) == "(S (S x) (S (S x) (S x)))"
    assert have.score == pytest.approx(0.0, abs=1e-9)


def test_bad_input() -> None:
    forest = Chart([("S", ("x",), 0.0)])("x")
    with pytest.raises(ValueError, match="'brackets' or 'rules'; got 'trees'"):
        forest.minimum_risk(flavour="trees")
    with pytest.raises(ValueError, match="an offset is for"):
        forest.minimum_risk(flavour="rules", offset=0.2)
    with pytest.raises(ValueError, match="No tree of the grammar"):
        Chart([("S", ("x",), 0.0)])("z").rule_product()

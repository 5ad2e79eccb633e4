"""Closed words of a chart against all trees by name."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest

from palmette import _native
from palmette.structures.chart import Chart
from palmette.trees.tree import Tree
from samples.random_charts import every_tree, random_rules

pytestmark = pytest.mark.native


def is_closed(text: str, n: int, begins: set[int], ends: set[int]) -> bool:
    """Whether a longer phrase of a tree begins or ends with a closed word inside of the sentence."""
    for _, segments in Tree.parse(text).spans():
        start, end = segments[0]
        if end - start > 1 and ((start > 0 and start in begins) or (end < n and end - 1 in ends)):
            return True
    return False


@pytest.mark.parametrize("seed", range(20))
def test_closed_words_against_enumeration(seed: int) -> None:
    rules, choose = random_rules(seed, unary=seed % 2 == 0), random.Random(seed)
    words = tuple(choose.choices("xy", k=3 + seed % 2))
    n = len(words)
    begins = {i for i in range(n) if choose.random() < 0.4}
    ends = {i for i in range(n) if choose.random() < 0.4}
    every = every_tree(rules, words, "S")
    left = [score for text, score, _ in every if not is_closed(text, n, begins, ends)]
    forest = Chart(rules, "S")(words, closed_begins=begins, closed_ends=ends)
    if not left:
        assert forest.log_z == -math.inf
        return
    assert forest.log_z == pytest.approx(np.logaddexp.reduce(left), abs=1e-6)
    assert forest.best().score == pytest.approx(max(left), abs=1e-5)
    for tree in [*forest.kbest(min(len(left), 20)), *forest.samples(3, seed)]:
        assert not is_closed(str(tree.tree), n, begins, ends)
    for start, end, _ in forest.marginals():
        assert end - start == 1 or not ((start > 0 and start in begins) or (end < n and end - 1 in ends))


def test_the_last_children_of_a_rule_may_begin_with_a_closed_word() -> None:
    chart = Chart([("S", ("A", "A", "A", "A"), 0.0), ("A", ("x",), -1.0), ("A", ("A", "A"), -1.0)])
    forest = chart("xxxxx", closed_begins=(1, 2, 3, 4))
    assert str(forest.best().tree) == "(S (A (A x) (A x)) (A x) (A x) (A x))"
    assert len(forest.kbest(10)) == 1
    assert len(chart("xxxxx").kbest(10)) == 4


def test_nothing_closed_is_the_whole_chart() -> None:
    chart = Chart(random_rules(3), "S")
    items = _native.ChartItems(4, len(chart._names), True)
    parts = np.zeros(len(chart._names), dtype=np.uint8)
    assert len(items.closed(np.zeros(4, dtype=np.uint8), parts)) == len(items)
    assert chart("xyxx", closed_ends=(3,), closed_begins=(0,)).log_z == pytest.approx(chart("xyxx").log_z)


def test_bad_words_are_refused() -> None:
    chart = Chart([("S", ("x", "x"), 0.0)])
    with pytest.raises(ValueError, match="closed_ends has the word 2, and the sentence has 2"):
        chart("xx", closed_ends=[2])
    with pytest.raises(ValueError, match="closed_begins has the word -1"):
        chart("xx", closed_begins=[-1])
    items = _native.ChartItems(2, 3, True)
    with pytest.raises(ValueError, match="every word is closed or not"):
        items.closed(np.zeros(3, dtype=np.uint8), np.zeros(3, dtype=np.uint8))

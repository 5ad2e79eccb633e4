"""Charts against every tree by name."""

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


@pytest.mark.parametrize("seed", range(25))
def test_everything_against_enumeration(seed: int) -> None:
    rules = random_rules(seed)
    words = tuple(random.Random(seed).choices("xy", k=1 + seed % 3))
    every = every_tree(rules, words, "S")
    forest = Chart(rules, "S")(words)
    if not every:
        assert forest.log_z == -math.inf
        with pytest.raises(ValueError, match="No tree of the grammar"):
            forest.best()
        return
    scores = np.array([score for _, score, _ in every])
    log_z = np.logaddexp.reduce(scores)
    assert forest.log_z == pytest.approx(log_z, abs=1e-6)
    assert forest.best().score == pytest.approx(scores.max(), abs=1e-5)

    k = min(len(every), 30)
    have = forest.kbest(k)
    assert [tree.score for tree in have] == pytest.approx(sorted(scores)[::-1][:k], abs=1e-4)
    assert len({str(tree.tree) for tree in have}) == k
    known = {text: score for text, score, _ in every}
    for tree in [*have, *forest.samples(5, seed)]:
        assert known[str(tree.tree)] == pytest.approx(tree.score, abs=1e-5)
    if len(every) < 3000:
        assert len(forest.kbest(len(every) + 5)) == len(every)

    p = np.exp(scores - log_z)
    counts = np.zeros(len(rules))
    want: dict[tuple[int, int, str], float] = {}
    for (text, _, used), share in zip(every, p):
        np.add.at(counts, list(used), share)
        for label, segments in Tree.parse(text).spans(preterminals=True):
            want[(*segments[0], label)] = want.get((*segments[0], label), 0.0) + share
    np.testing.assert_allclose(forest.expected_counts(), counts, atol=1e-6)
    have_marginals = forest.marginals()
    assert set(have_marginals) >= {b for b, q in want.items() if q > 1e-9}
    for bracket, q in have_marginals.items():
        assert q == pytest.approx(want[bracket], abs=1e-6)
    assert forest.entropy() == pytest.approx(float(-(p * np.log(p)).sum()), abs=1e-5)


def test_samples_come_by_their_probabilities() -> None:
    forest = Chart(random_rules(3), "S")(tuple("xyxy"))
    texts = [str(tree.tree) for tree in forest.samples(4000, seed=1)]
    for tree in forest.kbest(3):
        p = forest.probability(tree.score)
        assert texts.count(str(tree.tree)) / 4000 == pytest.approx(p, abs=4 * math.sqrt(p / 4000))


def test_cycles_of_unary_rules() -> None:
    # S → A, A → S: Σ over turns of (1/4)^t.
    half = math.log(0.5)
    chart = Chart([("S", ("A",), half), ("A", ("S",), half), ("S", ("x",), half), ("A", ("x",), half)])
    forest = chart(["x"])
    #   s = 1/2 + a/2, a = 1/2 + s/2  ⇒  s = 1
    assert forest.log_z == pytest.approx(0.0, abs=1e-6)
    assert [str(tree.tree) for tree in forest.kbest(2)] == ["(S x)", "(S (A x))"]
    #   s = 1/2 + (1/2) a: the count of S → A is s's share of turns; check by finite differences
    want = (Chart([("S", ("A",), half + 1e-3), *chart.rules[1:]])(["x"]).log_z - forest.log_z) / 1e-3
    assert forest.expected_counts()[0] == pytest.approx(want, rel=1e-2)


def test_a_cycle_that_gains_is_refused() -> None:
    with pytest.raises(ValueError, match="no best tree"):
        Chart([("S", ("A",), 0.5), ("A", ("S",), 0.0), ("A", ("x",), 0.0)])


def test_a_cycle_without_a_finite_sum() -> None:
    forest = Chart([("S", ("A",), 0.0), ("A", ("S",), 0.0), ("A", ("x",), 0.0)])(["x"])
    assert str(forest.best().tree) == "(S (A x))"
    with pytest.raises(ValueError, match="infinity"):
        _ = forest.log_z


@pytest.mark.parametrize("n", [1, 7, 8, 9, 17, 33, 45, 70])
def test_catalan_numbers_at_every_width(n: int) -> None:
    forest = Chart([("S", ("S", "S"), 0.0), ("S", ("x",), 0.0)])(["x"] * n)
    catalan = math.log(math.comb(2 * n - 2, n - 1) // n)
    assert forest.log_z == pytest.approx(catalan, abs=1e-6)
    assert forest.marginals()[(0, n, "S")] == pytest.approx(1.0)


def test_weights_of_any_size() -> None:
    # Scores far beyond the range of a double: each word costs e^-700.
    forest = Chart([("S", ("S", "S"), -300.0), ("S", ("x",), -700.0)])(["x"] * 40)
    want = -700.0 * 40 - 300.0 * 39
    assert forest.best().score == pytest.approx(want)
    assert forest.log_z == pytest.approx(want + math.log(math.comb(78, 39) // 40), abs=1e-2)


def test_constraints_as_items() -> None:
    chart = Chart([("S", ("S", "S"), 0.0), ("S", ("x",), 0.0)])
    items = _native.ChartItems(3, chart.native.symbols, True)
    items.close(0, 2)
    assert str(chart(["x"] * 3, items).best().tree) == "(S (S x) (S (S x) (S x)))"
    assert chart(["x"] * 3, items).log_z == pytest.approx(0.0, abs=1e-9)
    assert (0, 2, "S") not in chart(["x"] * 3, items).marginals()


def test_bad_input() -> None:
    with pytest.raises(ValueError, match="at least one rule"):
        Chart([])
    with pytest.raises(ValueError, match="root 'T'"):
        Chart([("S", ("x",), 0.0)], "T")
    with pytest.raises(ValueError, match="no children"):
        Chart([("S", (), 0.0)])
    with pytest.raises(ValueError, match="log weight nan"):
        Chart([("S", ("x",), math.nan)])
    with pytest.raises(ValueError, match="at most 80"):
        Chart([("S", ("S", "S"), 100.0), ("S", ("x",), 0.0)])
    with pytest.raises(ValueError, match="at least one word"):
        Chart([("S", ("x",), 0.0)])([])
    assert Chart([("S", ("x",), 0.0)])(["z"]).log_z == -math.inf

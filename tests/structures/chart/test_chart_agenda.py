"""Charts against the general engine: the same grammar as a deduction, and the engine's orders of search."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence

import numpy as np
import pytest

from palmette import Deduction
from palmette.inference import MAX
from palmette.inference.forest import Forest
from palmette.structures.chart import Chart, Rule
from palmette.structures.chart.agenda import Problem, outside_bounds
from palmette.trees.tree import Leaf, Tree
from samples.random_charts import random_rules

pytestmark = pytest.mark.native

CKY = Deduction("""
    [A, i, k]   <- rule(A, B, C) * [B, i, j] * [C, j, k]
    [A, i, k]   <- chain(A, B) * [B, i, k]
    [A, i, i+1] <- lexical(A, w) * word(w, i)
    [A, i, k]   <- rule(A, B, w, C) * [B, i, j] * word(w, j) * [C, j+1, k]
""")


def deduce(rules: list[Rule], words: tuple[str, ...]) -> Forest:
    """The forest of the engine; rules of three children have a word in the middle."""
    parents = {rule[0] for rule in rules}
    facts: dict[str, dict[tuple[str, ...], float]] = {"rule": {}, "chain": {}, "lexical": {}}
    for parent, children, weight in rules:
        kind = "rule" if len(children) > 1 else "chain" if children[0] in parents else "lexical"
        facts[kind][parent, *children] = weight
    word = {(w, i): 0.0 for i, w in enumerate(words)}
    return CKY.run({**facts, "word": word}, f"['S', 0, {len(words)}]", log=True)


def with_cycles(seed: int) -> list[Rule]:
    rules = [(a, b, w - 1.0) for a, b, w in random_rules(seed)]
    known = {(parent, children) for parent, children, _ in rules}
    back = [("C", ("A",), -2.0), ("B", ("S",), -1.5), ("A", ("S",), -2.5)]
    return rules + [rule for rule in back if rule[:2] not in known]


def score_of(rules: Sequence[Rule], tree: Tree) -> float:
    """The sum of the weights of the rules of a tree."""
    weights = {(parent, tuple(children)): weight for parent, children, weight in rules}
    return sum(
        weights[node.label, tuple(c.word if isinstance(c, Leaf) else c.label for c in node.children)]
        for node in tree.preorder()
    )


def sentence(seed: int) -> tuple[str, ...]:
    return tuple(random.Random(seed).choices("xy", k=1 + seed % 6))


@pytest.mark.parametrize("seed", range(40))
def test_equal_to_the_engine(seed: int) -> None:
    rules, words = random_rules(seed), sentence(seed)
    forest, engine = Chart(rules, "S")(words), deduce(rules, words)
    assert forest.log_z == pytest.approx(engine.log_z(), abs=1e-5)
    best = engine.best()
    if best is None:
        assert forest.log_z == -math.inf
        return
    assert forest.best().score == pytest.approx(best.score, abs=1e-5)
    assert score_of(rules, best.tree()) == pytest.approx(forest.best().score, abs=1e-5)
    have, want = forest.kbest(25), engine.kbest(25)
    assert [tree.score for tree in have] == pytest.approx([proof.score for proof in want], abs=1e-4)
    for tree, proof in zip(have, want, strict=True):  # of ties either may come first
        assert score_of(rules, tree.tree) == pytest.approx(score_of(rules, proof.tree()), abs=1e-4)
    expected = {(item[1], item[2], item[0]): p for (_, item), p in engine.item_marginals().items()}
    marginals = forest.marginals()
    assert set(marginals) >= {bracket for bracket, p in expected.items() if p > 1e-9}
    for bracket, p in marginals.items():
        assert p == pytest.approx(expected[bracket], abs=1e-6)


@pytest.mark.parametrize("seed", range(20))
def test_equal_to_the_engine_with_cycles(seed: int) -> None:
    rules, words = with_cycles(seed), sentence(seed)
    forest, engine = Chart(rules, "S")(words), deduce(rules, words)
    assert forest.log_z == pytest.approx(engine.log_z(), abs=1e-5)
    best = engine.best()
    if best is not None:
        assert forest.best().score == pytest.approx(best.score, abs=1e-5)
        assert score_of(rules, forest.best().tree) == pytest.approx(best.score, abs=1e-5)


@pytest.mark.parametrize("grammar", [random_rules, with_cycles])
@pytest.mark.parametrize("seed", range(30))
def test_every_order_finds_the_best_tree(grammar: Callable[[int], list[Rule]], seed: int) -> None:
    chart, words = Chart(grammar(seed), "S"), sentence(seed)
    if chart(words).log_z == -math.inf:
        for method in ("exhaustive", "best-first", "astar"):
            with pytest.raises(ValueError, match="No tree of the grammar"):
                chart.search(words, method)
        return
    want = chart(words).best()
    everything, best_first, astar = (chart.search(words, m) for m in ("exhaustive", "best-first", "astar"))
    for have in (everything, best_first, astar):
        assert have.score == pytest.approx(want.score, abs=1e-5)
        assert score_of(chart.rules, have.tree) == pytest.approx(want.score, abs=1e-5)
    assert astar.items_touched <= best_first.items_touched <= everything.items_touched


@pytest.mark.parametrize("seed", range(20))
def test_bounds_hold_and_are_met(seed: int) -> None:
    rules, words = random_rules(seed), sentence(seed)
    costs, _ = Problem.of(Chart(rules, "S"), words).as_costs()
    if len(set(costs.emissions.columns[1].tolist())) < len(words):
        return
    bounds, forest = outside_bounds(costs), costs.run()
    if forest.graph.root < 0 or forest.best() is None:
        return
    through, step = forest.graph.max_marginals(forest.scores), len(words) + 1
    inside = np.asarray(forest.graph.inside(forest.scores, MAX))
    for edge, head in enumerate(forest.graph.heads.tolist()):
        item = forest.item(head).arguments
        if len(item) == 3:
            symbol, start, end = map(int, item)
            assert through[edge] <= inside[head] + bounds[symbol // step, end - start] + 1e-9
    root = costs.chart._number["S"]
    assert bounds[root, len(words)] >= 0.0


def test_astar_touches_less() -> None:
    touched = np.zeros(3)
    for seed in range(12):
        chart, words = Chart(random_rules(seed), "S"), tuple(random.Random(seed).choices("xy", k=12))
        if chart(words).log_z > -math.inf:
            touched += [chart.search(words, m).items_touched for m in ("exhaustive", "best-first", "astar")]
    assert touched[2] < touched[1] < touched[0]


def test_weights_above_one() -> None:
    rules = [("S", ("S", "S"), 2.0), ("S", ("x",), 1.0), ("S", ("A",), 0.5), ("A", ("x",), 3.0)]
    chart = Chart(rules)
    have = chart.search("xx", "astar")
    assert have.score == pytest.approx(9.0) == chart("xx").best().score
    assert str(have.tree) == "(S (S (A x)) (S (A x)))"
    with pytest.raises(ValueError, match="at most 0"):
        chart.search("xx", "best-first")


def test_rules_that_stand_twice_or_never_apply() -> None:
    chart = Chart(
        [("S", ("S", "S"), -1.0), ("S", ("S", "S"), -0.5), ("S", ("x",), 0.0), ("S", ("x",), -math.inf)]
    )
    for method in ("exhaustive", "best-first", "astar"):
        assert chart.search("xxx", method).score == pytest.approx(-1.0)
    assert Chart([("S", ("x",), -1.0)]).search("x").score == pytest.approx(-1.0)


def test_bad_input() -> None:
    chart = Chart([("S", ("x",), 0.0)])
    with pytest.raises(ValueError, match="exhaustive, best-first, astar; got 'beam'"):
        chart.search("x", "beam")
    with pytest.raises(ValueError, match="at least one word"):
        chart.search([])
    with pytest.raises(ValueError, match="No tree of the grammar covers 'z'"):
        chart.search("z")
    with pytest.raises(ValueError, match="No tree of the grammar covers 'x x'"):
        chart.search("xx")

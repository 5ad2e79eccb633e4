"""Trees over anchored rules as a learning problem: what only they have. `test_problems.py` has the rest."""

import math

import numpy as np
import pytest

from palmette import Deduction
from palmette.structures.anchored_rules import MADE, PHRASE, TAG
from samples.random_anchored import Anchored, flat, packed, random_anchored

pytestmark = pytest.mark.native

SEEDS = (0, 1, 2, 3, 4)


@pytest.fixture(params=SEEDS, scope="module")
def trees(request: pytest.FixtureRequest) -> Anchored:
    return random_anchored(request.param, keep=(0.6, 0.8, 1.0)[request.param % 3])


@pytest.fixture(scope="module")
def w(trees: Anchored) -> np.ndarray:
    rng = np.random.default_rng(1)
    return rng.normal(size=trees.problem().n_weights).astype(np.float32) * np.float32(0.1)


def scores_of(trees: Anchored, i: int, w: np.ndarray) -> np.ndarray:
    return trees.table(i) @ w.astype(np.float64)


def test_there_is_something_to_choose_from() -> None:
    counts = [
        len(each.derivations(i)) for each in map(random_anchored, SEEDS) for i in range(len(each.words))
    ]
    assert sum(count > 20 for count in counts) >= 4
    assert 0 not in counts


def test_the_best_tree_and_the_sum(trees: Anchored, w: np.ndarray) -> None:
    rows, nodes, scores, log_z = trees.problem().decode(w, 0, 0.0, True, 1)
    for i in range(len(trees.words)):
        totals = scores_of(trees, i, w)
        found = tuple(map(tuple, nodes.reshape(-1, 5)[rows[i] : rows[i + 1]].tolist()))
        assert found in trees.derivations(i)
        assert scores[i] == pytest.approx(totals.max(), abs=1e-4)
        assert log_z[i] == pytest.approx(np.logaddexp.reduce(totals), abs=1e-4)


def test_probabilities_of_brackets_and_minimum_risk(trees: Anchored, w: np.ndarray) -> None:
    problem, offset = trees.problem(), 0.25
    rows, spans, probabilities = problem.brackets(w, 1)
    tree_rows, nodes, _, _ = problem.decode(w, 1, offset, False, 1)
    labels = trees.rules.label_numbers
    for i in range(len(trees.words)):
        totals = scores_of(trees, i, w)
        p = np.exp(totals - np.logaddexp.reduce(totals))
        want: dict[tuple[int, int, int], float] = {}
        derivations = trees.derivations(i)
        for tree, each in zip(derivations, p):
            for bracket in trees.brackets(tree):
                want[bracket] = want.get(bracket, 0.0) + each
        have: dict[tuple[int, int, int], float] = {}
        for k in range(rows[i], rows[i + 1]):
            start, end, symbol = spans.reshape(-1, 3)[k].tolist()
            key = (start, end, int(labels[symbol]))
            have[key] = have.get(key, 0.0) + float(probabilities[k])
        assert {b: pytest.approx(x, abs=1e-4) for b, x in want.items()} == have
        inner: dict[tuple[int, int, int], float] = {}
        for tree, each in zip(derivations, p):
            for item in trees.lower_items(tree):
                inner[item] = inner.get(item, 0.0) + each
        worth = {TAG: 1.0, MADE: 0.3, PHRASE: 0.0}
        gains = [
            sum(want[b] - offset for b in trees.brackets(tree))
            + sum(inner[a] * worth[trees.rules.kinds[a[2]]] for a in trees.lower_items(tree))
            for tree in derivations
        ]
        found = tuple(map(tuple, nodes.reshape(-1, 5)[tree_rows[i] : tree_rows[i + 1]].tolist()))
        assert gains[derivations.index(found)] == pytest.approx(max(gains), abs=1e-4)


def test_the_largest_product_of_rules(trees: Anchored, w: np.ndarray) -> None:
    rows, nodes, _, _ = trees.problem().decode(w, 2, 0.0, False, 1)
    for i in range(len(trees.words)):
        totals, derivations = scores_of(trees, i, w), trees.derivations(i)
        p = np.exp(totals - np.logaddexp.reduce(totals))
        of_node: dict[tuple[int, ...], float] = {}
        for tree, each in zip(derivations, p):
            for node in tree:
                of_node[node] = of_node.get(node, 0.0) + each
        values = [sum(math.log(of_node[node]) for node in tree) for tree in derivations]
        found = tuple(map(tuple, nodes.reshape(-1, 5)[rows[i] : rows[i + 1]].tolist()))
        assert values[derivations.index(found)] == pytest.approx(max(values), abs=1e-3)


def test_agreement_with_the_general_engine() -> None:
    trees = random_anchored(2, lengths=(4,), keep=1.0)
    w = np.random.default_rng(5).normal(size=64).astype(np.float32) * np.float32(0.1)
    problem = trees.problem()

    def score(*nodes: tuple[int, int, int, int, int]) -> float:
        return float(problem.contributions(w, 0, flat(tuple(sorted(nodes))))[1].sum())

    rules = trees.rules
    facts: dict[str, dict[tuple[int, ...], float]] = {"tag": {}, "unary": {}, "binary": {}, "top": {}}
    for start, end in [(a, b) for a in range(4) for b in range(a + 1, 5)]:
        for c in range(len(rules.chain_rows) - 1):
            chain = rules.chain(c)
            facts["unary"][start, end, chain[0], chain[-1], c] = score((start, end, 2, 0, c))
        for r, (parent, left, right) in enumerate(rules.binary.reshape(-1, 3).tolist()):
            for k in range(start + 1, end):
                facts["binary"][start, k, end, parent, left, right] = score((start, end, 1, k, r))
        if end == start + 1:
            facts["tag"] |= {(start, end, tag): score((start, end, 0, 0, tag)) for tag in (5, 6)}
    facts["top"] = {(symbol,): score((0, 4, 3, 0, symbol)) for symbol in rules.roots.tolist()}
    weights = {name: {key: math.exp(x) for key, x in rows.items()} for name, rows in facts.items()}
    forest = Deduction(
        """
        low(i, j, T) <- tag(i, j, T)
        low(i, j, A) <- binary(i, k, j, A, B, C) * up(i, k, B) * up(k, j, C)
        up(i, j, A) <- low(i, j, A)
        up(i, j, A) <- unary(i, j, A, B, c) * low(i, j, B)
        goal <- top(A) * up(0, 4, A)
        goal <- low(0, 4, 4)
        """
    ).run(weights, goal="goal")
    _, _, scores, log_z = problem.decode(w, 0, 0.0, True, 1)
    assert forest.log_z() == pytest.approx(log_z[0], abs=1e-4)
    best = forest.best()
    assert best is not None
    assert best.score == pytest.approx(scores[0], abs=1e-4)


def test_constraints_hold_exactly() -> None:
    trees = random_anchored(1, lengths=(4, 4, 3), keep=1.0)
    rng = np.random.default_rng(0)
    w = rng.normal(size=64).astype(np.float32)
    labels = sorted({label for tree in trees.derivations(0) for _, _, label in trees.brackets(tree)})
    cases = [
        [(0, 2, -1, 1)],
        [(1, 3, labels[0], 1)],
        [(0, 4, labels[0], 0), (2, 4, -1, 0)],
        [(0, 1, labels[-1], 1), (0, 1, labels[0], 0)],
    ]
    for case in cases:
        for i in range(len(trees.words)):
            trees.constraints[i][:] = [c for c in case if c[1] <= len(trees.words[i])]

        def meets(i: int, tree: tuple[tuple[int, int, int, int, int], ...]) -> bool:
            brackets = trees.brackets(tree)
            return all(
                any((a, b) == (s, e) and label in (-1, y) for s, e, y in brackets) == bool(required)
                for a, b, label, required in trees.constraints[i]
            )

        # Spans that cross are left out with the items, which is the first pass' work.
        rows, nodes, scores, log_z = trees.problem(known=False, constrained=True).decode(
            w, False, 0.0, True, 1
        )
        for i in range(len(trees.words)):
            crossing = {
                (s, e)
                for a, b, _, required in trees.constraints[i]
                for s in range(5)
                for e in range(5)
                if required and (s < a < e < b or a < s < b < e)
            }
            totals = scores_of(trees, i, w)
            allowed = [
                total
                for total, tree in zip(totals, trees.derivations(i))
                if meets(i, tree) and not crossing & {node[:2] for node in tree}
            ]
            if crossing:
                continue
            if not allowed:
                assert scores[i] == -np.inf
                continue
            assert log_z[i] == pytest.approx(np.logaddexp.reduce(allowed), abs=1e-3)
            found = tuple(map(tuple, nodes.reshape(-1, 5)[rows[i] : rows[i + 1]].tolist()))
            assert meets(i, found)


def test_observed_weights_are_those_of_right_trees(trees: Anchored) -> None:
    want = np.zeros(64, dtype=bool)
    for i, gold in enumerate(trees.gold):
        want |= trees.table(i)[trees.derivations(i).index(gold)] != 0
    assert (trees.problem().observed().astype(bool) == want).all()


def test_bad_arrays_are_refused() -> None:
    trees = random_anchored(0, lengths=(2,))
    v, grammar = trees.views, trees.rules.grammar
    arrays = (v.offsets, v.values, v.piece_rows, v.pieces)
    from palmette._native import AnchoredProblem

    good, none = packed([sorted(trees.items[0])], 3), packed([[]], 5)
    for items, gold, what in (
        (packed([[(0, 3, 1)]], 3), none, "an item is out of range"),
        (packed([[(0, 1, 99)]], 3), none, "an item is out of range"),
        (packed([[(0, 1, 2), (0, 1, 2)]], 3), none, "sorted, and none twice"),
        (good, packed([[(0, 2, 1, 2, 0)]], 5), "a node of a tree"),
        (good, packed([[(0, 2, 7, 0, 0)]], 5), "a node of a tree"),
        (good, packed([[(0, 1, 0, 0, 3), (0, 1, 0, 0, 3)]], 5), "a node of a tree"),
    ):
        with pytest.raises(ValueError, match=what):
            AnchoredProblem(*arrays, grammar, *items, *gold, 8)
    problem = AnchoredProblem(*arrays, grammar, *packed([[]], 3), *packed([[(0, 1, 0, 0, 5)]], 5), 8)
    with pytest.raises(ValueError, match="no tree"):
        problem.gradient(np.zeros(256, np.float32), np.zeros(256, np.float32), False, 1)

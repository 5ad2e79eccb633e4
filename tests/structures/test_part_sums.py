"""Sums over batches that gradients of networks need, without torch: expectations, covariances, charts of items."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from palmette import _native

pytestmark = pytest.mark.native

Floats = np.ndarray[Any, np.dtype[np.float64]]
LENGTHS = np.array([3, 0, 1, 4], dtype=np.int64)


def along(f: Callable[[float], Floats], step: float = 1e-5) -> Floats:
    """The derivative of f at 0."""
    return (f(step) - f(-step)) / (2 * step)


class Chains:
    """Random scores of a batch, and what they are along a direction."""

    def __init__(self, order: int, per_token: bool, labels: int = 3) -> None:
        random = np.random.default_rng(order)
        tokens, block = int(LENGTHS.sum()), labels ** (order + 1)
        sizes = [tokens * labels, sum(labels ** (i + 1) for i in range(1, order))]
        sizes.append(tokens * block if per_token else block)
        self.order, self.per_token, self.labels = order, per_token, labels
        self.parts = [random.normal(size=size) for size in sizes]
        self.values = [random.normal(size=size) for size in sizes]
        self.offsets = np.concatenate([[0], np.cumsum(LENGTHS)])

    def core(self, t: float = 0.0) -> Any:
        unary, begin, table = (part + t * value for part, value in zip(self.parts, self.values))
        return _native.DoubleChains(
            self.labels, self.order, self.offsets, unary, None, None, None, begin, table, self.per_token
        )


@pytest.mark.parametrize("per_token", [False, True])
@pytest.mark.parametrize("order", [1, 2, 3])
def test_expectations_are_derivatives_of_log_z(order: int, per_token: bool) -> None:
    chains = Chains(order, per_token)
    weights = np.array([1.0, 2.0, -0.5, 3.0])
    for given, factors in ((None, np.ones(4)), (weights, weights)):
        log_z, *expected = chains.core().expectations(2, given)
        np.testing.assert_allclose(log_z, chains.core().log_z(1))
        have = sum(float(e @ v) for e, v in zip(expected, chains.values))
        want = along(lambda t, by=factors: chains.core(t).log_z(1) @ by)
        assert have == pytest.approx(float(want), abs=1e-6)


@pytest.mark.parametrize("per_token", [False, True])
@pytest.mark.parametrize("order", [1, 2, 3])
def test_covariances_are_derivatives_of_expectations(order: int, per_token: bool) -> None:
    chains = Chains(order, per_token)
    found = chains.core().covariances(2, *chains.values)
    for k, have in enumerate(found):
        want = along(lambda t, k=k: chains.core(t).expectations(1, None)[1 + k])
        np.testing.assert_allclose(have, want, atol=1e-8)


def test_covariances_of_chains_refuse_what_does_not_fit() -> None:
    chains = Chains(1, False)
    with pytest.raises(ValueError, match="the values do not fit together"):
        chains.core().covariances(1, np.zeros(1), np.zeros(0), np.zeros(9))
    with pytest.raises(ValueError, match="the weights do not fit together"):
        chains.core().expectations(1, np.zeros(1))
    impossible = Chains(1, False)
    impossible.parts[0][:] = -np.inf
    with pytest.raises(ValueError, match="sentence 1: no sequence of labels is allowed"):
        impossible.core().covariances(1, *impossible.values)


@pytest.mark.parametrize("scale", [1.0, 300.0])
@pytest.mark.parametrize("single_root", [True, False])
@pytest.mark.parametrize("projective", [True, False])
def test_covariances_of_arcs(projective: bool, single_root: bool, scale: float) -> None:
    """Where scores are far apart, plain numbers do not suffice."""
    random = np.random.default_rng(7)
    size = int(((LENGTHS + 1) ** 2).sum())
    arcs, values = random.normal(size=size) * scale, random.normal(size=size)

    def marginals(t: float) -> Floats:
        moved = arcs + t * values
        return _native.double_tree_sums(moved, LENGTHS, projective, single_root, 1, True)[1]

    have = _native.tree_covariances(arcs, values, LENGTHS, projective, single_root, 2)
    np.testing.assert_allclose(have, along(marginals), atol=1e-6)
    with pytest.raises(ValueError, match="one value for every score"):
        _native.tree_covariances(arcs, values[1:], LENGTHS, projective, single_root, 1)


SYMBOLS = 3
RULES = np.array(
    [(0, 1, 2), (2, 1, 2), (1, 0, 0), (0, 0, 0), (2, 0, 0), (1, 2, 1), (2, 2, 2)], dtype=np.int32
)


def trees(i: int, j: int) -> list[tuple[list[tuple[int, int, int]], list[int]]]:
    """All trees over words i … j - 1: items (start, end, symbol), the top one first, and rules."""
    if j == i + 1:
        return [([(i, j, a)], []) for a in range(SYMBOLS)]
    return [
        ([(i, j, int(a)), *left, *right], [r, *left_rules, *right_rules])
        for k in range(i + 1, j)
        for left, left_rules in trees(i, k)
        for right, right_rules in trees(k, j)
        for r, (a, b, c) in enumerate(RULES.tolist())
        if (b, c) == (left[0][2], right[0][2])
    ]


class Items:
    """Random scores of charts, and what they are along a direction."""

    def __init__(self) -> None:
        random = np.random.default_rng(9)
        spans = int((LENGTHS * (LENGTHS + 1) // 2).sum())
        sizes = (spans * SYMBOLS, len(RULES), SYMBOLS)
        self.parts, self.values = ([random.normal(size=size) for size in sizes] for _ in range(2))
        columns = (np.ascontiguousarray(RULES[:, c]) for c in range(3))
        self.grammar = _native.ItemGrammar(SYMBOLS, *columns)

    def at(self, t: float) -> list[Floats]:
        return [part + t * value for part, value in zip(self.parts, self.values)]

    def scores(self) -> list[list[float]]:
        """For every sentence those of all its trees."""
        items, rules, root = self.parts
        found, first = [], 0
        for n in LENGTHS.tolist():
            rows = {
                span: first + k
                for k, span in enumerate((i, j) for i in range(n) for j in range(i + 1, n + 1))
            }
            found.append(
                [
                    sum(float(items[rows[i, j] * SYMBOLS + a]) for i, j, a in own)
                    + float(rules[used].sum() + root[own[0][2]])
                    for own, used in (trees(0, n) if n else [])
                ]
            )
            first += len(rows)
        return found


def test_charts_of_items_by_enumeration() -> None:
    items = Items()
    log_z = items.grammar.sums(*items.parts, LENGTHS, 2, None, False)[0]
    scores, places, rules, roots = items.grammar.best(*items.parts, LENGTHS, 2)
    for k, every in enumerate(items.scores()):
        assert log_z[k] == pytest.approx(np.logaddexp.reduce(every) if every else 0.0)
        assert scores[k] == pytest.approx(max(every, default=0.0))
    assert len(places) == (2 * LENGTHS - 1)[LENGTHS > 0].sum()
    assert len(rules) == (LENGTHS - 1)[LENGTHS > 0].sum()
    used = (
        items.parts[0][places].sum() + items.parts[1][rules].sum() + items.parts[2][roots[roots >= 0]].sum()
    )
    assert used == pytest.approx(scores.sum())


def test_expectations_and_covariances_of_items() -> None:
    items = Items()
    weights = np.array([1.0, 5.0, -0.5, 2.0])
    for given, factors in ((None, np.ones(4)), (weights, weights)):
        _, *expected = items.grammar.sums(*items.parts, LENGTHS, 2, given, True)
        have = sum(float(e @ v) for e, v in zip(expected, items.values))
        want = along(lambda t, by=factors: items.grammar.sums(*items.at(t), LENGTHS, 1, None, False)[0] @ by)
        assert have == pytest.approx(float(want), abs=1e-6)
    found = items.grammar.covariances(*items.parts, *items.values, LENGTHS, 2)
    for k, own in enumerate(found):
        moved = along(lambda t, k=k: items.grammar.sums(*items.at(t), LENGTHS, 1, None, True)[1 + k])
        np.testing.assert_allclose(own, moved, atol=1e-8)


def test_charts_of_items_refuse_what_does_not_fit() -> None:
    items = Items()
    with pytest.raises(ValueError, match="rows of item scores"):
        items.grammar.sums(items.parts[0][1:], *items.parts[1:], LENGTHS, 1, None, True)
    with pytest.raises(ValueError, match="one score for every rule"):
        items.grammar.best(items.parts[0], items.parts[1][1:], items.parts[2], LENGTHS, 1)
    with pytest.raises(ValueError, match="a rule has three symbols between 0 and 2"):
        _native.ItemGrammar(2, *(np.array([x], dtype=np.int32) for x in (0, 1, 2)))
    items.parts[2][:] = -np.inf
    log_z, *parts = items.grammar.sums(*items.parts, LENGTHS, 1, None, True)
    assert log_z.tolist() == [-np.inf, 0.0, -np.inf, -np.inf]
    assert not any(part.any() for part in parts)


def inside_of(items: Floats, rules: Floats, root: Floats, n: int) -> float:
    """log Z of n words; items: [spans, symbols], rules: [parent, left, right]."""
    at = {span: k for k, span in enumerate((i, j) for i in range(n) for j in range(i + 1, n + 1))}
    found: dict[tuple[int, int], Floats] = {}
    for width in range(1, n + 1):
        for i in range(n - width + 1):
            j = i + width
            pairs = sum(
                (np.outer(found[i, k], found[k, j]) for k in range(i + 1, j)), np.zeros(rules.shape[1:])
            )
            below = np.einsum("abc,bc->a", np.exp(rules), pairs) if width > 1 else np.ones(len(root))
            found[i, j] = below * np.exp(items[at[i, j]])
    return float(np.log(found[0, n] @ np.exp(root)))


@pytest.mark.parametrize("symbols", [4, 9])
@pytest.mark.parametrize("share", [1.0, 0.4])
def test_charts_of_longer_sentences(symbols: int, share: float) -> None:
    """More spans of a width than are looked at together, and rules of every pattern."""
    random = np.random.default_rng(int(symbols + 10 * share))
    lengths = np.array([11, 1, 18], dtype=np.int64)
    chosen = random.random((symbols,) * 3) < share
    columns = [np.ascontiguousarray(column, dtype=np.int32) for column in np.nonzero(chosen)]
    grammar = _native.ItemGrammar(symbols, *columns)
    spans = lengths * (lengths + 1) // 2
    items, root = random.normal(size=(int(spans.sum()), symbols)), random.normal(size=symbols)
    items[random.random(items.shape) < 0.1] = -np.inf
    items[spans[0]] = 0.0
    cube = np.where(chosen, random.normal(size=(symbols,) * 3), -np.inf)
    parts = [items.ravel(), cube[chosen], root]
    log_z, *expected = grammar.sums(*parts, lengths, 2, None, True)
    firsts = np.cumsum(spans) - spans
    for k, n in enumerate(lengths.tolist()):
        own = items[firsts[k] : firsts[k] + spans[k]]
        assert log_z[k] == pytest.approx(inside_of(own, cube, root, n), abs=1e-9)
    values = [random.normal(size=part.shape) for part in parts]
    step = 1e-5

    def moved(t: float) -> list[Floats]:
        return [part + t * value for part, value in zip(parts, values)]

    def total(t: float) -> float:
        return float(grammar.sums(*moved(t), lengths, 1, None, False)[0].sum())

    along = sum(float(np.vdot(have, value)) for have, value in zip(expected, values))
    assert along == pytest.approx((total(step) - total(-step)) / (2 * step), rel=1e-6)
    found = grammar.covariances(*parts, *values, lengths, 1)
    ahead, behind = (grammar.sums(*moved(t), lengths, 1, None, True)[1:] for t in (step, -step))
    for have, after, before in zip(found, ahead, behind):
        np.testing.assert_allclose(have, (after - before) / (2 * step), atol=1e-6)

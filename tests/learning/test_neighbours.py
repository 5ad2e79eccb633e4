"""Memories against a search through all examples, term by term as the definition has it."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from palmette.learning.neighbours import VOTINGS, NearestNeighbours, Rows

pytestmark = pytest.mark.native


def table(n: int, seed: int, numbers: bool = False) -> tuple[list[tuple], np.ndarray]:
    rng = np.random.default_rng(seed)
    columns = [rng.integers(0, size, n) for size in (4, 12, 30)]
    y = (columns[0] + columns[1] // 3 + rng.integers(0, 2, n)) % 3
    rows = [tuple(f"{name}{v}" for name, v in zip("abc", row)) for row in zip(*columns)]
    if numbers:
        extra = rng.normal(size=n).round(1)
        rows = [(*row, float(x)) for row, x in zip(rows, extra)]
    return rows, y.astype(np.int32)


def entropy(labels) -> float:
    p = np.array(list(Counter(labels).values())) / len(labels)
    return float(-(p * np.log2(p)).sum())


def gain(column, labels, ratio: bool) -> float:
    rest = sum(
        len(part) / len(labels) * entropy(part)
        for v in set(column)
        if (part := [y for x, y in zip(column, labels) if x == v])
    )
    return (entropy(labels) - rest) / (entropy(column) if ratio else 1.0)


def given(value, column, y, prior, smoothing) -> np.ndarray:
    """P(c | value)."""
    here = [c for v, c in zip(column, y) if v == value]
    if not here:
        return prior
    return (np.bincount(here, minlength=len(prior)) + smoothing * prior) / (len(here) + smoothing)


def distances(learner, X, y, q) -> np.ndarray:
    """By the definition, each term rounded as the native code rounds it."""
    classes, width = int(y.max()) + 1, len(X[0])
    prior = np.bincount(y, minlength=classes) / len(y)
    weights = np.ones(width)
    if learner.weighting != "none":
        weights = np.array(
            [gain([x[f] for x in X], y, learner.weighting == "gain_ratio") for f in range(width)]
        )
        weights = weights / weights.max()
    total = np.zeros(len(X))
    for f in range(width):
        column = [x[f] for x in X]
        if isinstance(q[f], float):
            spread = max(column) - min(column)
            terms = [abs(q[f] - v) / spread for v in column]
        elif learner.metric == "overlap":
            terms = [float(q[f] != v) for v in column]
        else:
            known = {v: given(v, column, y, prior, learner.smoothing) for v in {*column, q[f]}}
            terms = [np.abs(known[v] - known[q[f]]).sum() for v in column]
        total += np.rint(weights[f] * np.array(terms) * 2**32) / 2**32
    return total


def votes(learner, d, y, classes) -> np.ndarray:
    order = np.lexsort((np.arange(len(d)), d))
    if learner.count == "neighbours":
        chosen = order[: learner.k]
    else:
        bound = np.unique(d)[: learner.k][-1]
        chosen = order[d[order] <= bound]
    near, far = d[chosen[0]], d[chosen[-1]]
    out = np.zeros(classes)
    for i in chosen:
        out[y[i]] += {
            "majority": 1.0,
            "inverse_distance": 1 / (d[i] + 1e-3),
            "inverse_linear": (far - d[i]) / (far - near) if far > near else 1.0,
            "exponential": np.exp(-learner.decay * d[i]),
        }[learner.voting]
    return out


@pytest.mark.parametrize("metric", ["overlap", "mvdm"])
@pytest.mark.parametrize("weighting", ["none", "gain", "gain_ratio"])
@pytest.mark.parametrize("count", ["distances", "neighbours"])
def test_symbols_against_all_pairs(metric, weighting, count) -> None:
    X, y = table(90, 1)
    Q = table(6, 2)[0] + [("a0", "b99", "c99"), ("z", "z", "z")]
    for k, voting in zip((1, 3, 7, 200), VOTINGS):
        learner = NearestNeighbours(
            k=k, metric=metric, weighting=weighting, voting=voting, count=count, decay=0.7, smoothing=0.5
        )
        memory = learner.learn(Rows.of(X), y, 3)
        found = memory.votes(Rows.of(Q, memory.rows.numbers))
        want = [votes(learner, distances(learner, X, y, q), y, 3) for q in Q]
        np.testing.assert_allclose(found, want, rtol=1e-7, atol=1e-7)


@pytest.mark.parametrize("metric", ["overlap", "mvdm"])
def test_symbols_and_numbers_together(metric) -> None:
    X, y = table(100, 3, numbers=True)
    Q = [*table(10, 4, numbers=True)[0], ("a1", "b1", "c1", 50.0)]
    learner = NearestNeighbours(k=4, metric=metric, weighting="none")
    memory = learner.learn(Rows.of(X), y, 3)
    assert memory.rows.numbers.tolist() == [False, False, False, True]
    want = [votes(learner, distances(learner, X, y, q), y, 3) for q in Q]
    np.testing.assert_allclose(memory.votes(Rows.of(Q, memory.rows.numbers)), want)
    # the neighbours are those that were counted
    d = distances(learner, X, y, Q[0])
    found, places = memory.neighbours(Rows.of(Q[:1], memory.rows.numbers))
    np.testing.assert_array_equal(found, d[places])
    assert len(places) == (d <= np.unique(d)[3]).sum()


@pytest.mark.parametrize("metric", ["overlap", "mvdm"])
@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_nodes_with_many_branches(metric, order) -> None:
    """Branches are visited from the query's own place outwards: nothing near is passed over."""
    rng = np.random.default_rng(9)
    columns = [[f"v{v}" for v in rng.integers(0, 50, 250)], rng.normal(size=250).round(2).tolist()]
    X = [tuple(columns[f][i] for f in order) for i in range(250)]
    y = np.array([parity(row[order[0]]) for row in X], dtype=np.int32) ^ (rng.random(250) < 0.2)
    Q = [*X[:5], *[tuple(("v99", 0.3)[f] for f in order), tuple(("v3", -9.0)[f] for f in order)]]
    for k, count in ((1, "distances"), (4, "neighbours"), (9, "distances")):
        learner = NearestNeighbours(k=k, metric=metric, weighting="none", count=count, smoothing=0.5)
        memory = learner.learn(Rows.of(X), y.astype(np.int32), 2)
        want = [votes(learner, distances(learner, X, y, q), y, 2) for q in Q]
        np.testing.assert_allclose(memory.votes(Rows.of(Q, memory.rows.numbers)), want)


def parity(value: str) -> int:
    return int(value[1:]) % 2


@pytest.mark.parametrize("width", [1, 3, 40])
def test_euclidean_against_all_pairs(width) -> None:
    rng = np.random.default_rng(width)
    X, Q = rng.normal(size=(200, width)), rng.normal(size=(20, width))
    X[50:60] = X[40:50]  # equal rows
    y = rng.integers(0, 3, 200).astype(np.int32)
    for k, voting in zip((1, 5, 11, 500), VOTINGS):
        learner = NearestNeighbours(k=k, voting=voting, count="neighbours")
        memory = learner.learn(Rows.of(X), y, 3)
        d = np.sqrt(((Q[:, None] - X[None]) ** 2).sum(axis=2))
        want = [votes(learner, row, y, 3) for row in d]
        np.testing.assert_allclose(memory.votes(Rows.of(Q)), want, rtol=1e-7, atol=1e-9)


def test_scikit_learn_agrees() -> None:
    neighbors = pytest.importorskip("sklearn.neighbors")
    rng = np.random.default_rng(0)
    X, Q, y = rng.normal(size=(300, 4)), rng.normal(size=(50, 4)), rng.integers(0, 2, 300).astype(np.int32)
    peer = neighbors.KNeighborsClassifier(5, algorithm="brute").fit(X, y)
    memory = NearestNeighbours(k=5, count="neighbours").learn(Rows.of(X), y, 2)
    assert memory.best(memory.votes(Rows.of(Q))).tolist() == peer.predict(Q).tolist()


def test_threads_change_nothing() -> None:
    X, y = table(300, 5)
    memory = NearestNeighbours(k=3, metric="mvdm").learn(Rows.of(X), y, 3)
    queries = Rows.of(table(200, 6)[0], memory.rows.numbers)
    assert np.array_equal(memory.votes(queries), memory.votes(queries, n_jobs=3))


def test_ties_go_to_the_frequent_class_then_to_the_first() -> None:
    rows = Rows.of([("a",), ("a",), ("b",), ("b",), ("c",), ("c",)])
    memory = NearestNeighbours().learn(rows, np.array([2, 1, 1, 2, 0, 2], dtype=np.int32), 3)
    assert memory.best(memory.votes(rows)).tolist() == [2, 2, 2, 2, 2, 2]
    even = NearestNeighbours().learn(rows, np.array([1, 0, 2, 1, 0, 2], dtype=np.int32), 3)
    assert even.best(even.votes(rows)).tolist() == [0, 0, 1, 1, 0, 0]


@pytest.mark.parametrize(
    ("items", "message"),
    [
        ([("a", "b"), ("a",)], "rows of 2 columns; number 2 has 1"),
        (["text"], "rows of some columns; number 1 has none"),
        ([("a", 1.0), ("b", "c")], "Column 2 of example 1 must be a string"),
        ([(float("nan"), "a")], "Column 1 of example 1 must be a string"),
    ],
)
def test_bad_rows(items, message) -> None:
    with pytest.raises(ValueError, match=message):
        Rows.of(items)


def test_bad_options() -> None:
    with pytest.raises(ValueError, match="'metric' parameter must be one of"):
        NearestNeighbours(metric="cosine")
    with pytest.raises(ValueError, match="is for numbers"):
        NearestNeighbours(metric="euclidean").learn(Rows.of([("a",)]), np.zeros(1, np.int32), 1)
    with pytest.raises(ValueError, match="no examples"):
        NearestNeighbours().learn(Rows.of([]), np.zeros(0, np.int32), 1)

"""Memory-based learning: a new example has the class of the k nearest ones that are remembered (k-NN).

McDonald and Nivre 2007, k-NN; Daelemans and van den Bosch 2005. Examples are rows of columns, symbols or
numbers, and

    d(x, y) = Σ_f w_f δ_f(x_f, y_f)

    overlap     δ = [x_f ≠ y_f]
    mvdm        δ = Σ_c |P(c | x_f) − P(c | y_f)|, the modified value difference: values are near that go with
    the same
                classes. P has `smoothing` examples of the whole data added to every value; a value that was
                never seen has P(c).
    numbers     δ = |x_f − y_f| / range_f
    euclidean   d = √Σ_f (x_f − y_f)², for rows of numbers only

w_f is 1, the information gain of the column, or its gain ratio. Training costs a sort; the search is exact
and leaves out what cannot be near (`native/learning/symbolic_memory.hpp`, `native/learning/euclidean_memory.hpp`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from palmette import _native
from palmette.learning.capabilities import AnyLearner
from palmette.parameters import option

METRICS = ("overlap", "mvdm", "euclidean")
WEIGHTINGS = ("none", "gain", "gain_ratio")
VOTINGS = ("majority", "inverse_distance", "inverse_linear", "exponential")
COUNTS = ("distances", "neighbours")

Reals = NDArray[np.float64]
Ids = NDArray[np.int32]


@dataclass(frozen=True, kw_only=True)
class NearestNeighbours(AnyLearner):
    """k-NN.

    With count="distances" all examples at the k nearest distances vote; with count="neighbours" k examples do, and
    those at the last distance that came first. A vote by "inverse_linear" is 1 for the nearest and 0 for the last
    distance, one by "exponential" e^(−decay · d). If classes have equal votes, the one that is more frequent in
    the training data wins, and among equally frequent ones the first by name.
    """

    family = "memory"

    k: int = option(1, "number of nearest distances, or of neighbours, that vote", low=1)
    metric: str | None = option(
        None,
        "how distances are measured; none: euclidean for rows of numbers, otherwise overlap",
        choices=METRICS,
    )
    weighting: str = option("gain_ratio", "how columns are weighted", choices=WEIGHTINGS)
    voting: str = option("majority", "how votes depend on the distance", choices=VOTINGS)
    decay: float = option(1.0, "how fast votes fall with the distance, with voting=exponential", low=0)
    smoothing: float = option(0.0, "examples of the whole data added to every value, with metric=mvdm", low=0)
    count: str = option("distances", "what k counts", choices=COUNTS)

    def learn(self, rows: Rows, labels: Ids, n_classes: int) -> Memory:
        """Remember rows with their classes."""
        if not len(labels):
            raise ValueError("There are no examples to learn from.")
        numbers = rows.numbers.all() if len(rows.numbers) else False
        metric = self.metric or ("euclidean" if numbers else "overlap")
        if metric == "euclidean":
            if not numbers:
                raise ValueError(
                    "The metric 'euclidean' is for numbers; for symbols take 'overlap' or 'mvdm'."
                )
            return EuclideanRows(self, rows, labels, n_classes)
        return SymbolicRows(self, metric, rows, labels, n_classes)


@dataclass(frozen=True, eq=False)
class Rows:
    """Examples of equally many columns: [examples, columns] of strings or numbers, and which columns are
    numbers.
    """

    values: NDArray[Any]
    numbers: NDArray[np.bool_]

    @classmethod
    def of(cls, items: Sequence[Any], numbers: NDArray[np.bool_] | None = None) -> Rows:
        """Rows of what may stand for them: tuples, lists, arrays. numbers: of the memory, if there is one.

        A column is one of numbers where all its values are.
        """
        if isinstance(items, np.ndarray) and items.ndim == 2 and items.dtype.kind in "iuf" and items.size:
            every = np.ones(items.shape[1], dtype=bool)
            if np.isfinite(items).all() and (numbers is None or np.array_equal(numbers, every)):
                return cls(items, every)
        listed = [tuple(item) if isinstance(item, list | tuple | np.ndarray) else None for item in items]
        width = len(numbers) if numbers is not None else next((len(x) for x in listed if x is not None), 0)
        table = np.empty((len(listed), width), dtype=object)
        for i, row in enumerate(listed):
            if row is None or len(row) != width or not width:
                had = "none" if row is None else len(row)
                raise ValueError(
                    f"Examples of k-NN are rows of {width or 'some'} columns; number {i + 1} has {had}."
                )
            table[i] = row
        if numbers is None:
            numbers = np.array([all(map(_is_number, table[:, f])) for f in range(width)], dtype=bool)
        for f in range(width):
            good = _is_number if numbers[f] else _is_symbol
            wrong = next((i for i, value in enumerate(table[:, f]) if not good(value)), None)
            if wrong is not None:
                what = "a finite number" if numbers[f] else "a string"
                raise ValueError(
                    f"Column {f + 1} of example {wrong + 1} must be {what}. Got {table[wrong, f]!r} instead."
                )
        return cls(table, numbers)


class Memory(ABC):
    """Remembered examples, and what votes they have for others."""

    weights: Reals

    def __init__(self, learner: NearestNeighbours, rows: Rows, labels: Ids, n_classes: int) -> None:
        self.learner, self.rows, self.labels, self.n_classes = learner, rows, labels, n_classes
        self.frequency = np.bincount(labels, minlength=n_classes)

    @abstractmethod
    def votes(self, rows: Rows, n_jobs: int = 1) -> Reals:
        """The votes of the neighbours for every class, [queries, classes]."""

    @abstractmethod
    def neighbours(self, rows: Rows) -> tuple[Reals, NDArray[np.int64]]:
        """Return the distances and the places of those that vote on one query."""

    def best(self, votes: Reals) -> NDArray[np.int64]:
        """The class with most votes, then the more frequent one, then the first."""
        order = np.argsort(-self.frequency, kind="stable")
        return np.asarray(order[votes[:, order].argmax(axis=1)])

    @property
    def _search(self) -> tuple[int, bool]:
        return self.learner.k, self.learner.count == "distances"

    @property
    def _voting(self) -> tuple[int, float]:
        return VOTINGS.index(self.learner.voting), float(self.learner.decay)


class EuclideanRows(Memory):
    """Rows of numbers, ordered along the direction in which they spread most."""

    def __init__(self, learner: NearestNeighbours, rows: Rows, labels: Ids, n_classes: int) -> None:
        super().__init__(learner, rows, labels, n_classes)
        points = _points(rows)
        centred = points[:: max(1, len(points) // 5000)] - points.mean(axis=0)
        along = np.linalg.eigh(centred.T @ centred)[1][:, -1]
        along = np.ascontiguousarray(along / max(1.0, float(np.linalg.norm(along)) * (1 + 1e-12)))
        self.memory = _native.EuclideanMemory(points, along, labels, n_classes)
        self.weights = np.ones(points.shape[1])

    def votes(self, rows: Rows, n_jobs: int = 1) -> Reals:
        return self.memory.votes(_points(rows), *self._search, *self._voting, n_jobs).reshape(
            -1, self.n_classes
        )

    def neighbours(self, rows: Rows) -> tuple[Reals, NDArray[np.int64]]:
        found: tuple[Reals, NDArray[np.int64]] = self.memory.neighbours(_points(rows), *self._search)
        return found


class SymbolicRows(Memory):
    """Rows of symbols and numbers in a trie, the weightiest column first."""

    def __init__(
        self, learner: NearestNeighbours, metric: str, rows: Rows, labels: Ids, n_classes: int
    ) -> None:
        super().__init__(learner, rows, labels, n_classes)
        n, width = rows.values.shape
        prior = self.frequency / n
        self.ids = np.empty((n, width), dtype=np.int32)
        self.vocabularies: list[dict[Any, int]] = []
        self.scales: Reals = np.ones(width)
        kinds, tables, sizes, weights = [], [], [], []
        for f in range(width):
            values: dict[Any, int] = {}
            column = rows.values[:, f]
            self.ids[:, f] = [values.setdefault(value, len(values)) for value in column]
            if rows.numbers[f]:
                seen = np.array(list(values), dtype=np.float64)
                spread = float(seen.max() - seen.min())
                self.scales[f] = 1 / spread if spread > 0 and np.isfinite(1 / spread) else 1.0
                table = seen * self.scales[f]
            elif metric == "mvdm":
                counts: Reals = np.zeros((len(values), n_classes))
                np.add.at(counts, (self.ids[:, f], labels), 1)
                total = counts.sum(axis=1, keepdims=True) + learner.smoothing
                table = ((counts + learner.smoothing * prior) / total).ravel()
            else:
                table = np.zeros(0)
            kinds.append(2 if rows.numbers[f] else METRICS.index(metric))
            tables.append(np.ascontiguousarray(table))
            sizes.append(len(values))
            weights.append(self._weight(f, labels))
            self.vocabularies.append(values)
        # The largest weight is 1, so that distances do not depend on how informative the columns are in all.
        top = max(weights, default=0.0)
        self.weights = np.array(weights) / top if top > 0 else np.ones(width)
        self.memory = _native.SymbolicMemory(
            kinds, self.weights, np.array(sizes, dtype=np.int64), tables, prior, self.ids, labels
        )

    def _weight(self, column: int, labels: Ids) -> float:
        if self.learner.weighting == "none":
            return 1.0
        values = np.ascontiguousarray(self.ids[:, column])
        if self.rows.numbers[column]:  # in twenty steps
            numbers = self.rows.values[:, column].astype(np.float64)
            edges = np.linspace(numbers.min(), numbers.max(), 21)[1:-1]
            values = np.searchsorted(edges, numbers).astype(np.int32)
        gain, split = _native.information_gain(values, labels)
        return gain if self.learner.weighting == "gain" else gain / split if split > 0 else 0.0

    def votes(self, rows: Rows, n_jobs: int = 1) -> Reals:
        found = self.memory.votes(*self._queries(rows), *self._search, *self._voting, n_jobs)
        return found.reshape(-1, self.n_classes)

    def neighbours(self, rows: Rows) -> tuple[Reals, NDArray[np.int64]]:
        found: tuple[Reals, NDArray[np.int64]] = self.memory.neighbours(*self._queries(rows), *self._search)
        return found

    def _queries(self, rows: Rows) -> tuple[Ids, Reals]:
        ids = np.zeros(rows.values.shape, dtype=np.int32)
        numbers: Reals = np.zeros(rows.values.shape)
        for f, values in enumerate(self.vocabularies):
            if self.rows.numbers[f]:
                numbers[:, f] = rows.values[:, f].astype(np.float64) * self.scales[f]
            else:
                ids[:, f] = [values.get(value, -1) for value in rows.values[:, f]]
        return ids, numbers


def _points(rows: Rows) -> Reals:
    return np.ascontiguousarray(rows.values.astype(np.float64))


def _is_number(value: Any) -> bool:
    return (
        isinstance(value, int | float | np.number)
        and not isinstance(value, bool)
        and bool(np.isfinite(value))
    )


def _is_symbol(value: Any) -> bool:
    return isinstance(value, str)

"""Semirings: what a hypergraph's alternatives (⊕) and combinations (⊗) mean.

A semiring is (values, ⊕, ⊗, zero, one) with ⊗ distributing over ⊕; CSC 448, §2.2 and §11. The same
inside pass gives another answer in each:

| semiring         | values                  | ⊕       | ⊗   | the value of the root                     |
|------------------|-------------------------|---------|-----|-------------------------------------------|
| `BOOLEAN`        | False, True             | or      | and | is there a derivation?                    |
| `COUNTING`       | 0, 1, 2, ...            | +       | ·   | how many are there, exactly               |
| `REAL`           | numbers                 | +       | ·   | the sum of their weights                  |
| `LOG`            | logs of numbers         | log-add | +   | the log of that sum (log Z)               |
| `MAX`            | scores                  | max     | +   | the score of the best one (Viterbi)       |
| `KBest(k)`       | k descending scores     | merge   | +   | the scores of the k best ones             |
| `EXPECTATION`    | (log p, mean)           | mixture | +   | log Z and the expected value              |

These run natively. Any other object with `zero`, `one`, `plus` and `times` works in their place, at the speed
of Python; with `star(a)` = one ⊕ a ⊕ a⊗a ⊕ ... it also sums over self-loops.
"""

from __future__ import annotations

import math
import operator
from dataclasses import dataclass
from itertools import product as pairs
from typing import Any, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from palmette import _native
from palmette.parameters import require_int

T = TypeVar("T")

Values = Any  # one value per part: an array for the native semirings, any sequence for others


class Semiring(Protocol[T]):
    """What your own semiring must have."""

    @property
    def zero(self) -> T:
        """The unit of ⊕: no derivation."""

    @property
    def one(self) -> T:
        """The unit of ⊗: nothing to combine with."""

    def plus(self, a: T, b: T) -> T:
        """Two ways to derive the same thing."""

    def times(self, a: T, b: T) -> T:
        """Two things used together."""


@dataclass(frozen=True)
class Boolean:
    """({False, True}, or, and)."""

    zero = False
    one = True

    def plus(self, a: bool, b: bool) -> bool:
        return a or b

    def times(self, a: bool, b: bool) -> bool:
        return a and b

    def native_inside(self, graph: _native.Hypergraph, values: Values) -> npt.NDArray[np.bool_]:
        return graph.inside_boolean(self._checked(values)).astype(bool)

    def native_outside(self, graph: _native.Hypergraph, values: Values) -> npt.NDArray[np.bool_]:
        return graph.outside_boolean(self._checked(values)).astype(bool)

    @staticmethod
    def _checked(values: Values) -> npt.NDArray[np.uint8]:
        truths = _one_dimensional(np.asarray(values).astype(bool), "truth values")
        return np.ascontiguousarray(truths, dtype=np.uint8)


@dataclass(frozen=True)
class Counting:
    """(ℕ, +, ·) with numbers of any size."""

    zero = 0
    one = 1

    def plus(self, a: int, b: int) -> int:
        return a + b

    def times(self, a: int, b: int) -> int:
        return a * b

    def native_inside(self, graph: _native.Hypergraph, values: Values) -> list[int]:
        return graph.count_values(self._checked(values), False)

    def native_outside(self, graph: _native.Hypergraph, values: Values) -> list[int]:
        return graph.count_values(self._checked(values), True)

    @staticmethod
    def _checked(values: Values) -> npt.NDArray[np.uint64]:
        counts = _one_dimensional(np.asarray(values), "counts")
        if counts.size and (counts.dtype.kind not in "iub" or counts.min() < 0):
            raise ValueError("counts must be integers of 64 bits that are not negative")
        return np.ascontiguousarray(counts, dtype=np.uint64)


@dataclass(frozen=True)
class Real:
    """(ℝ, +, ·)."""

    zero = 0.0
    one = 1.0

    def plus(self, a: float, b: float) -> float:
        return a + b

    def times(self, a: float, b: float) -> float:
        return a * b

    def star(self, a: float) -> float:
        return 1 / (1 - a) if abs(a) < 1 else math.inf

    def native_inside(self, graph: _native.Hypergraph, values: Values) -> npt.NDArray[np.float64]:
        return graph.inside_real(self._checked(values))

    def native_outside(self, graph: _native.Hypergraph, values: Values) -> npt.NDArray[np.float64]:
        return graph.outside_real(self._checked(values))

    @staticmethod
    def _checked(values: Values) -> npt.NDArray[np.float64]:
        weights = _one_dimensional(np.ascontiguousarray(values, dtype=np.float64), "weights")
        if not np.isfinite(weights).all():
            raise ValueError(f"weight {int(np.argmin(np.isfinite(weights)))} is not a finite number")
        return weights


@dataclass(frozen=True)
class Log:
    """(ℝ ∪ {-∞}, log-add, +)."""

    zero = -math.inf
    one = 0.0

    def plus(self, a: float, b: float) -> float:
        return float(np.logaddexp(a, b))

    def times(self, a: float, b: float) -> float:
        return a + b

    def native_inside(self, graph: _native.Hypergraph, values: Values) -> npt.NDArray[np.float64]:
        return graph.log_values(checked_scores(values), False)

    def native_outside(self, graph: _native.Hypergraph, values: Values) -> npt.NDArray[np.float64]:
        return graph.log_values(checked_scores(values), True)


@dataclass(frozen=True)
class Max:
    """(ℝ ∪ {-∞}, max, +)."""

    zero = -math.inf
    one = 0.0

    def plus(self, a: float, b: float) -> float:
        return max(a, b)

    def times(self, a: float, b: float) -> float:
        return a + b

    def native_inside(self, graph: _native.Hypergraph, values: Values) -> npt.NDArray[np.float64]:
        return graph.inside_max(checked_scores(values))

    def native_outside(self, graph: _native.Hypergraph, values: Values) -> npt.NDArray[np.float64]:
        return graph.outside_max(checked_scores(values))


@dataclass(frozen=True)
class KBest:
    """Descending lists of at most k scores: merge, and the k best sums. The value of a part is its score."""

    k: int

    def __post_init__(self) -> None:
        checked_count(self.k, "k", least=1)

    zero = ()
    one = (0.0,)

    @property
    def _most(self) -> int:
        return checked_count(self.k, "k", least=1)

    def plus(self, a: tuple[float, ...], b: tuple[float, ...]) -> tuple[float, ...]:
        return tuple(sorted(a + b, reverse=True)[: self.k])

    def times(self, a: tuple[float, ...], b: tuple[float, ...]) -> tuple[float, ...]:
        return tuple(sorted((x + y for x, y in pairs(a, b)), reverse=True)[: self.k])

    def native_inside(self, graph: _native.Hypergraph, values: Values) -> list[tuple[float, ...]]:
        return [tuple(scores) for scores in graph.kbest_values(checked_scores(values), self._most, False)]

    def native_outside(self, graph: _native.Hypergraph, values: Values) -> list[tuple[float, ...]]:
        return [tuple(scores) for scores in graph.kbest_values(checked_scores(values), self._most, True)]


@dataclass(frozen=True)
class Expectation:
    """Pairs (log p, mean): a weight, and the expected value of something that adds up over parts.

    ⊕ mixes the means by their weights, ⊗ adds logs and means. The pairs of the parts are an array of two
    columns. This is the expectation semiring of (p, p · value) kept in a form that does not underflow.
    """

    zero = (-math.inf, 0.0)
    one = (0.0, 0.0)

    def plus(self, a: tuple[float, float], b: tuple[float, float]) -> tuple[float, float]:
        total = float(np.logaddexp(a[0], b[0]))
        if total == -math.inf:
            return self.zero
        return total, math.exp(a[0] - total) * a[1] + math.exp(b[0] - total) * b[1]

    def times(self, a: tuple[float, float], b: tuple[float, float]) -> tuple[float, float]:
        if -math.inf in (a[0], b[0]):
            return self.zero
        return a[0] + b[0], a[1] + b[1]

    def native_inside(self, graph: _native.Hypergraph, values: Values) -> npt.NDArray[np.float64]:
        return np.stack(graph.expectation_values(*self._columns(values), False), axis=1)

    def native_outside(self, graph: _native.Hypergraph, values: Values) -> npt.NDArray[np.float64]:
        return np.stack(graph.expectation_values(*self._columns(values), True), axis=1)

    @staticmethod
    def _columns(values: Values) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
        table = np.asarray(values, dtype=np.float64)
        if table.ndim != 2 or table.shape[1] != 2:
            raise ValueError(f"expectation values are rows of (log p, mean); got shape {table.shape}")
        return checked_scores(table[:, 0]), checked_values(table[:, 1])


BOOLEAN = Boolean()
COUNTING = Counting()
REAL = Real()
LOG = Log()
MAX = Max()
EXPECTATION = Expectation()

_LIMIT = 1e12


def checked_scores(scores: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """Scores as a contiguous array of doubles: finite or -inf, never NaN or +inf."""
    array = _one_dimensional(np.ascontiguousarray(scores, dtype=np.float64), "scores")
    good = (np.abs(array) <= _LIMIT) | (array == -np.inf)
    if not good.all():
        part = int(np.argmin(good))
        hint = _hint(array[part], "log-zero is -inf")
        raise ValueError(f"the score of part {part} is {array[part]}{hint}")
    return array


def checked_values(values: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """What adds up over parts, such as a loss, as a contiguous array of finite doubles."""
    array = _one_dimensional(np.ascontiguousarray(values, dtype=np.float64), "values")
    good = np.abs(array) <= _LIMIT
    if not good.all():
        part = int(np.argmin(good))
        hint = _hint(array[part], "values are finite")
        raise ValueError(f"the value of part {part} is {array[part]}{hint}")
    return array


def checked_count(number: int, name: str, least: int = 0) -> int:
    """How many of something are wanted, as the native core takes it: what no memory holds becomes 2^62."""
    try:
        count = operator.index(number)
    except TypeError:
        raise TypeError(f"{name} must be an integer, got {number!r}") from None
    require_int(name, count, least)
    return min(count, 2**62)


def _hint(number: float, otherwise: str) -> str:
    if math.isnan(number):
        return ""
    return f"; {otherwise}" if math.isinf(number) else f", beyond {_LIMIT:g}"


def _one_dimensional(array: npt.NDArray[Any], name: str) -> npt.NDArray[Any]:
    if array.ndim != 1:
        raise ValueError(f"{name} must be one-dimensional, one per part; got an array of shape {array.shape}")
    return array

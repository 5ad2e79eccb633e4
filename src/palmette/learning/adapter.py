"""Structures and features written in Python, for every learner.

    weights w ──scores(i, w)──▶ part scores ──best, marginals, …──▶ how often each part is used
    weights w ◀──pullback(i, d)── differences of parts

An output is an array with a number for every part of its example: how often the output uses it. Write a class
with the methods of `PythonStructure` below; `adapt` makes a problem of it that all learners take. Each step of
a learner is then a call of Python, some microseconds instead of none.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NoReturn, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from palmette._native import PythonProblem

Floats = NDArray[np.float64]


class PythonStructure(Protocol):
    """What a structure with its features and examples must have. `len` is the number of examples.

    Learners ask for more, where they need it; a method that is missing is named when it is:

    best(i, scores) -> output                   perceptron, MIRA, SVM; any dev set
    kbest(i, scores, k) -> outputs, best first  k-best MIRA
    marginals(i, scores) -> (log Z, parts)      CRF: how often each part is used, on average
    risk(i, scores) -> (expected loss, parts)   minimum risk: the covariance of each part with the loss

    And it may say otherwise:

    costs(i) -> (a, c)          the loss of an output is a + c · output; the number of right parts that it lacks
    gold_marginals(i, scores)   as `marginals`, over the right outputs, where there are several (latent variables)
    weight(i) -> float          of the example; 1

    >>> class Coin:  # heads or tails, for two throws: one weight, that of heads
    ...     n_weights = 1
    ...     def __len__(self): return 2
    ...     def gold(self, i): return [1.0, 0.0]
    ...     def scores(self, i, w): return [w[0], 0.0]
    ...     def pullback(self, i, parts): return [0], [parts[0]]
    ...     def best(self, i, scores): return np.eye(2)[np.argmax(scores)]
    ...     def marginals(self, i, scores):
    ...         return np.logaddexp(*scores), np.exp(scores - np.logaddexp(*scores))
    >>> from palmette.learning.loglinear import CRF
    >>> w = CRF(method="lbfgs", l2=0.5).learn(adapt(Coin())).weights
    >>> round(float(w[0]), 4), round(float(2 / (1 + np.exp(w[0]))), 4)  # the slope is zero: 2 (1 - p) = 2 · l2 · w
    (0.6748, 0.6748)
    """

    n_weights: int

    def __len__(self) -> int: ...

    def gold(self, i: int) -> ArrayLike:
        """The right output of example i."""
        ...

    def scores(self, i: int, w: NDArray[np.float32]) -> ArrayLike:
        """The scores of its parts, linear in the weights."""
        ...

    def pullback(self, i: int, parts: NDArray[np.float32]) -> tuple[ArrayLike, ArrayLike]:
        """Φᵀ parts, the transpose of `scores`, as indices of weights (which may repeat) and values."""
        ...


def adapt(model: PythonStructure) -> PythonProblem:
    """A problem that asks `model`. Its right outputs and costs are read now, the rest when a learner asks.

    TypeError if it lacks what every learner needs.
    """
    for name in ("n_weights", "__len__", "gold", "scores", "pullback"):
        if not hasattr(model, name):
            raise TypeError(f"{type(model).__name__} has no {name!r}, which every learner needs.")
    return PythonProblem(_Adapter(model))


class _Adapter:
    """Calls the user's methods and makes plain arrays of what they return; the native core calls this."""

    def __init__(self, model: Any) -> None:
        self.model = model
        self.name = type(model).__name__
        if not isinstance(model.n_weights, (int, np.integer)) or model.n_weights < 0:
            raise ValueError(f"{self.name}.n_weights must be a number of weights. Got {model.n_weights!r}.")
        self.n_weights = int(model.n_weights)
        self.is_latent = hasattr(model, "gold_marginals")
        has = (name for name in ("best", "kbest", "marginals", "risk") if hasattr(model, name))
        latent = {"latent"} if self.is_latent else set()
        self.offers = frozenset({*has, *latent, "parts", "costs", "weights", "votes"})
        self._gold: dict[int, Floats] = {}

    def __len__(self) -> int:
        return len(self.model)

    def weight(self, i: int) -> float:
        return float(self.model.weight(i)) if hasattr(self.model, "weight") else 1.0

    def gold(self, i: int) -> Floats:
        if i not in self._gold:
            self._gold[i] = self._array("gold", i, self.model.gold(i))
        return self._gold[i]

    def costs(self, i: int) -> tuple[float, Floats]:
        if not hasattr(self.model, "costs"):
            return float(self.gold(i).sum()), -self.gold(i)
        constant, costs = self._pair("costs", self.model.costs(i))
        return float(constant), self._parts("costs", i, costs)

    def scores(self, i: int, w: NDArray[np.float32]) -> Floats:
        return self._parts("scores", i, self.model.scores(i, w))

    def pullback(self, i: int, parts: NDArray[np.float32]) -> tuple[NDArray[np.int64], Floats]:
        indices, values = self._pair("pullback", self.model.pullback(i, parts))
        whole = np.ascontiguousarray(indices)
        if whole.size and whole.dtype.kind not in "iu":
            raise ValueError(f"{self.name}.pullback must give whole numbers as indices. Got {whole.dtype}.")
        if whole.size and not 0 <= whole.min() <= whole.max() < self.n_weights:
            raise ValueError(f"{self.name}.pullback names a weight that is not among the {self.n_weights}.")
        made = self._array("pullback", i, values)
        if whole.shape != made.shape:
            raise ValueError(f"{self.name}.pullback must give one value per index.")
        return whole.astype(np.int64), made

    def best(self, i: int, scores: NDArray[np.float32]) -> Floats:
        return self._parts("best", i, self._method("best", "i, scores")(i, scores))

    def kbest(self, i: int, scores: NDArray[np.float32], k: int) -> list[Floats]:
        if k == 1 and not hasattr(self.model, "kbest"):
            return [self.best(i, scores)]
        found: Sequence[ArrayLike] = self._method("kbest", "i, scores, k")(i, scores, k)
        return [self._parts("kbest", i, output) for output in found]

    def marginals(self, i: int, scores: NDArray[np.float32]) -> tuple[float, Floats]:
        return self._sum("marginals", i, scores)

    def risk(self, i: int, scores: NDArray[np.float32]) -> tuple[float, Floats]:
        return self._sum("risk", i, scores)

    def gold_marginals(self, i: int, scores: NDArray[np.float32]) -> tuple[float, Floats]:
        if self.is_latent:
            return self._sum("gold_marginals", i, scores)
        gold = self.gold(i)
        used = gold != 0  # the scores of other parts may be minus infinity
        return float(scores[used] @ gold[used]), gold

    def _sum(self, name: str, i: int, scores: NDArray[np.float32]) -> tuple[float, Floats]:
        value, parts = self._pair(name, self._method(name, "i, scores")(i, scores))
        return float(value), self._parts(name, i, parts)

    def _method(self, name: str, arguments: str) -> Any:
        method = getattr(self.model, name, None)
        if method is None:
            raise TypeError(f"{self.name} has no method {name}({arguments}), which this learner needs.")
        return method

    def _pair(self, name: str, value: Any) -> tuple[Any, Any]:
        if not isinstance(value, tuple) or len(value) != 2:
            self._fail(name, "a pair", value)
        return value

    def _parts(self, name: str, i: int, value: ArrayLike) -> Floats:
        made, n = self._array(name, i, value), len(self.gold(i))
        if len(made) != n:
            raise ValueError(f"{self.name}.{name} must give {n} parts for example {i}. Got {len(made)}.")
        return made

    def _array(self, name: str, i: int, value: ArrayLike) -> Floats:
        made = np.ascontiguousarray(value, dtype=np.float64)
        if made.ndim != 1 or np.isnan(made).any():
            self._fail(name, f"a row of numbers for example {i}", value)
        return made

    def _fail(self, name: str, what: str, value: object) -> NoReturn:
        raise ValueError(f"{self.name}.{name} must give {what}. Got {value!r} instead.")

"""Boosting with the exponential loss: weights one at a time, always the one that lowers the loss most.

Kernel Methods and McDonald and Nivre 2007 name it; Collins 2000 ranks parses by it. Over pairs of a right output y
and a wrong one z of the same input, d = Φ(x, y) − Φ(x, z):

    loss(w) = Σ_pairs c e^(−w·d)        W⁺_k, W⁻_k = Σ of c e^(−w·d) |d_k| over the pairs with d_k > 0, < 0

For features with differences ±1, the best step of weight k is ½ log W⁺_k / W⁻_k, and lowers the loss by
(√W⁺_k − √W⁻_k)². For others, |d_k| is divided by its largest value, the same number is a bound, and the step is
found by Newton's method. Smoothing adds ε · loss to W⁺ and W⁻. A step costs the entries of the pairs that have the
feature, and one look at all features.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from palmette.learning.capabilities import Capabilities
from palmette.learning.learner import Epoch, Learner, State
from palmette.learning.problem import Problem, Weights
from palmette.parameters import option

Reals = NDArray[np.float64]
_LEAST_GAIN = 1e-12  # of the loss, as a share
_SEPARATED = 1e-9  # loss of a pair, as a share of that of zero weights


@dataclass(frozen=True, eq=False)
class PairProblem:
    """Pairs of right and wrong outputs. differences: Φ(right) − Φ(wrong), sparse (CSR), [pairs, weights].

    weights: c of every pair. n_examples: the inputs that the pairs are of.
    """

    offers = frozenset({"pairs"})

    differences: Any
    weights: Reals
    n_examples: int

    @property
    def n_weights(self) -> int:
        """The length of w."""
        return int(self.differences.shape[1])

    def __len__(self) -> int:
        return self.n_examples

    def loss(self, w: Reals) -> float:
        """Σ c e^(−w·d)."""
        return float(self.weights @ np.exp(-(self.differences @ w)))


@dataclass(frozen=True, kw_only=True)
class Boosting(Learner):
    """Boosting over the features of pairs. A pass is `rounds` steps; few of the weights are not zero after it.

    It has no random numbers and no threads.
    """

    rounds: int = option(500, "steps in a pass, each of which changes one weight", low=1)
    smoothing: float = option(
        0.001,
        "part of the loss that is added to both sides of every feature, which bounds its steps",
        above=0,
    )

    @property
    def passes(self) -> int:
        """5, where nothing else is said."""
        return 5 if self.n_iter is None else self.n_iter

    @property
    def needs(self) -> Capabilities:
        """All wrong outputs, written out."""
        return frozenset({"pairs"})

    def epochs(self, problem: Problem, start: Weights, state: State = None) -> Iterator[Epoch]:
        """Passes; the numbers are `loss` and `features`, how many weights are not zero."""
        data = cast(PairProblem, problem)  # what offers pairs is made of pairs
        w = start.astype(np.float64) if state is None else state
        sums = _Sums(data, w, self.smoothing)
        while True:
            sums.refresh()
            ended = not all(sums.step() for _ in range(self.rounds))
            numbers = {"loss": sums.loss, "features": int(np.count_nonzero(w))}
            yield Epoch(numbers, lambda: w.astype(np.float32), ended, state=w)


class _Sums:
    """The loss of every pair, and the sums W⁺ and W⁻ of every feature, kept up to date."""

    def __init__(self, data: PairProblem, w: Reals, smoothing: float) -> None:
        self.data, self.w, self.smoothing = data, w, smoothing
        self.rows = data.differences.tocsr(copy=True)
        self.rows.eliminate_zeros()
        self.columns = self.rows.tocsc()
        self.largest = np.zeros(data.n_weights)
        np.maximum.at(self.largest, self.rows.indices, np.abs(self.rows.data))
        scaled = self.rows.copy()
        scaled.data = scaled.data / self.largest[scaled.indices]
        self.scaled, self.sizes = scaled, scaled.copy()
        self.sizes.data = np.abs(scaled.data)
        self.losses: Reals = np.zeros(0)
        self.sums: Reals = np.zeros(0)  # W⁺ + W⁻
        self.lead: Reals = np.zeros(0)  # W⁺ − W⁻

    @property
    def loss(self) -> float:
        return float(self.losses.sum())

    def refresh(self) -> None:
        """Compute everything from the weights, so that rounding does not add up."""
        self.losses = self.data.weights * np.exp(-(self.rows @ self.w))
        self.sums, self.lead = self.sizes.T @ self.losses, self.scaled.T @ self.losses

    def step(self) -> bool:
        """Change the best weight; False if nothing is gained any more."""
        right = np.maximum(self.sums + self.lead, 0) / 2
        wrong = np.maximum(self.sums - self.lead, 0) / 2
        gains = (np.sqrt(right) - np.sqrt(wrong)) ** 2
        total = self.loss
        if total <= _SEPARATED * self.data.weights.sum():
            return False  # all pairs are right by far, and larger weights would change nothing
        if not gains.size or not gains.max() > _LEAST_GAIN * total:
            return False
        k = int(gains.argmax())
        part = slice(self.columns.indptr[k], self.columns.indptr[k + 1])
        pairs, d = self.columns.indices[part], self.columns.data[part]
        old = self.losses[pairs]
        delta = best_step(d, old, self.smoothing * total)
        if abs(delta) * self.largest[k] < 1e-9:
            return False
        self.w[k] += delta
        new = old * np.exp(-delta * d)
        self.losses[pairs] = new
        change = new - old
        self.sums += self.sizes[pairs].T @ change
        self.lead += self.scaled[pairs].T @ change
        return True


def best_step(d: Reals, losses: Reals, extra: float) -> float:
    """Return the δ that minimises Σ losses e^(−δ d) + extra (e^(−δ m) + e^(δ m)) with m the largest |d|.

    >>> round(best_step(np.array([1.0, 1.0, -1.0]), np.array([2.0, 1.0, 1.0]), 0.5), 6)  # ½ log 3.5 / 1.5
    0.423649
    """
    m = float(np.abs(d).max())
    right, wrong = losses[d > 0] @ d[d > 0] / m, -(losses[d < 0] @ d[d < 0]) / m
    delta = 0.5 * float(np.log((right + extra) / (wrong + extra))) / m
    if (np.abs(d) == m).all():
        return delta
    ds, ls = np.append(d, [m, -m]), np.append(losses, [extra, extra])

    def slope(at: float) -> tuple[float, float]:
        values = ls * np.exp(-at * ds)
        return -float(values @ ds), float(values @ (ds * ds))

    # The slope rises, and the root is on the side of the first guess: between zero and some multiple of it.
    near, far = 0.0, delta
    while slope(far)[0] * delta < 0:
        near, far = far, 2 * far
    low, high = min(near, far), max(near, far)
    for _ in range(100):
        first, second = slope(delta)
        low, high = (delta, high) if first < 0 else (low, delta)
        newer = delta - first / second
        if not low < newer < high:
            newer = (low + high) / 2
        if abs(newer - delta) <= 1e-12 * max(1.0, abs(delta)):
            return float(newer)
        delta = newer
    return float(delta)

"""Conditional random fields: maximise Σ log p(y | x) with p ∝ e^(w·Φ), less l2 · ‖w‖² and l1 · ‖w‖₁.

CSC 448, §4.2 to §4.4; Carreras, "log-linear models". The gradient is the features of the right
output less the expected ones. Three ways to the same optimum:

    sgd     one example at a time; close after ten passes, the fastest to a good model
    sag     one example at a time with a memory of all gradients (Schmidt et al. 2015): to the optimum in
            some tens of passes; memory for the marginals of all examples
    lbfgs   all examples at a time, on several threads; with l1 > 0 by OWL-QN, which makes weights exactly zero
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import count, islice

import numpy as np
from numpy.typing import NDArray

from palmette._native import SagMemory
from palmette.learning.capabilities import Capabilities
from palmette.learning.learner import (
    Epoch,
    Learner,
    Shuffled,
    State,
    mixed_passes,
)
from palmette.learning.line_search import dot
from palmette.learning.optimizers import lbfgs
from palmette.learning.problem import Problem, Weights
from palmette.parameters import option

METHODS = ("sgd", "sag", "lbfgs")
MEAN_EVERY = 2  # slices: a mean costs as much as half of one

# Features overlap, so the second derivatives along single coordinates say too much. On CoNLL-2000 their power 0.3
# comes within 0.1 % of the optimum in 31 iterations; 0 (no diagonal) needs over 50, and 0.7 as well.
_DAMPING = 0.3
_MEMORY = 8


@dataclass(frozen=True, kw_only=True)
class CRF(Learner):
    """A conditional random field.

    l2 and l1 are CRFsuite's c2 and c1: the objective has l2 · ‖w‖², not half of it. The memory of lbfgs grows with
    the weights, so it keeps to observed features by default. The mean of the weights of sgd (Polyak and Juditsky
    1992) is taken a few times in each pass but the first: it is a little better on new text than the last weights.
    Several threads can share the work of sgd only if `batch` is above 1.
    """

    dual = "loglinear"

    l2: float = option(0.1, "weight of the squares of weights in the objective", low=0)
    l1: float = option(0.0, "weight of the absolute values of weights in the objective", low=0)
    method: str | None = option(
        None, "how the optimum is found; none: lbfgs if l1 > 0, otherwise sgd", choices=METHODS
    )
    features: str | None = option(
        None,
        "which features get a weight, those of right outputs or all; none: observed for lbfgs, otherwise all",
        choices=("observed", "all"),
    )
    tol: float = option(
        1e-5,
        "lbfgs stops when the gradient is this small relative to the weights, the others when the objective "
        "changes by less than this fraction in a pass",
        low=0,
    )
    eta0: float | None = option(None, "first step of sgd; none: found on a sample", above=0)
    warm_up: int = option(8, "passes of sgd before sag and lbfgs, if there is no warm start", low=0)
    average: bool = option(True, "sgd returns the mean of its weights instead of the last ones")
    batch: int = option(1, "examples of sgd that see the same weights", low=1)
    risk = False
    probabilistic = True

    def check(self) -> None:
        """Check that the method can do what `l1` and `features` ask for."""
        if self.l1 > 0 and self.method not in (None, "lbfgs"):
            raise ValueError(f"An l1 term needs the method 'lbfgs'. Got {self.method!r}.")
        if self.features == "observed" and self._method != "lbfgs":
            raise ValueError(f"Only the method 'lbfgs' can keep to observed features. Got {self._method!r}.")

    @property
    def passes(self) -> int:
        """15 for sgd, 40 for sag, and 200 iterations for lbfgs, where nothing else is said."""
        usual = {"sgd": 15, "sag": 40, "lbfgs": 200}
        return usual.get(self._method, 15) if self.n_iter is None else self.n_iter

    @property
    def _method(self) -> str:
        return self.method or ("lbfgs" if self.l1 > 0 else "sgd")

    @property
    def spreads(self) -> bool:  # type: ignore[override]
        """Gradients are sums, and the weights of sgd are mixed; sag remembers every example."""
        return self._method != "sag"

    @property
    def needs(self) -> Capabilities:
        """Sums over all outputs; sag remembers the parts of every example too."""
        return frozenset({"marginals"} | ({"parts"} if self._method == "sag" else set()))

    def epochs(self, problem: Problem, start: Weights, state: State = None) -> Iterator[Epoch]:
        """Passes of the chosen method."""
        return {"sgd": self.sgd, "sag": self._sag, "lbfgs": self._lbfgs}[self._method](problem, start, state)

    def first_step(self, problem: Problem, start: Weights) -> float:
        """The first step of sgd, given or found on a sample."""
        curvature = 2 * self.l2 / len(problem)
        return self.eta0 or _first_step(problem, start, curvature, self.risk, self.random_state, self.threads)

    def sgd(self, problem: Problem, start: Weights, state: State = None) -> Iterator[Epoch]:
        """Passes of stochastic gradient descent."""
        if (mixed := mixed_passes(self, problem, start, state)) is not None:
            yield from mixed
            return
        curvature = 2 * self.l2 / len(problem)
        if state is None:
            shuffled = Shuffled(len(problem), self.random_state)
            state = start, 1.0, 0, self.first_step(problem, start), shuffled, np.inf, RunningMean(), 0
        v, scale, t, eta0, shuffled, before, mean, first = state
        for epoch in count(first):
            loss, slices = 0.0, list(shuffled.slices())
            for k, order in enumerate(slices, start=1):
                part, scale, t = problem.sgd_epoch(
                    v, scale, t, order, eta0, curvature, self.risk, self.batch, self.threads
                )
                loss += part
                if self.average and epoch and (k % MEAN_EVERY == 0 or k == len(slices)):
                    mean.add(v, scale)
            converged = abs(before - loss) <= self.tol * abs(loss)
            # `scale` is read when asked, not now: Ctrl-C may come in the middle of the next pass.
            weights = mean.copy if mean.n else lambda: v * np.float32(scale)  # noqa: B023
            before = loss
            state = v, scale, t, eta0, shuffled, before, mean, epoch + 1
            yield Epoch({"loss": loss}, weights, converged, state=state)

    def _sag(self, problem: Problem, start: Weights, state: State = None) -> Iterator[Epoch]:
        curvature = 2 * self.l2 / len(problem)
        if state is None:
            shuffled = Shuffled(len(problem), self.random_state)
            state = self._warmed(problem, start), SagMemory(), shuffled, np.inf
        v, memory, shuffled, before = state
        while True:
            # Every example once, then at random: shuffled passes do not converge.
            for order in shuffled.slices() if before == np.inf else shuffled.draws():
                problem.sag_epoch(v, memory, order, curvature, self.risk)
            w = memory.weights(v)
            objective = memory.loss + self.l2 * _squared_norm(w)
            converged = abs(before - objective) <= self.tol * abs(objective)
            numbers = {"loss": memory.loss, "objective": objective}
            before = objective
            yield Epoch(numbers, lambda: memory.weights(v), converged, state=(v, memory, shuffled, before))

    def _warmed(self, problem: Problem, start: Weights) -> Weights:
        if not self.warm_up or self.l1 or start.any():
            return start
        steps = replace(self, average=False).sgd(problem, start)
        return next(islice(steps, self.warm_up - 1, None)).result()

    def _lbfgs(self, problem: Problem, start: Weights, state: State = None) -> Iterator[Epoch]:
        space = Packed(problem, self.features != "all")
        if state is None:
            if self.features != "all":
                problem.keep_to(problem.observed())  # in the warm-up; later `space` leaves the others out
            x = space.pack(self._warmed(problem, start))
            problem.keep_to(None)
            curvature = None if self.risk else space.curvature(x, self.threads)
            diagonal = None if curvature is None else (curvature + 2 * self.l2 + 1e-3) ** _DAMPING
            state = x, diagonal, None
        x, diagonal, memory = state

        def objective(x: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
            loss, gradient = space.loss_and_gradient(x, self.risk, self.threads)
            return loss + self.l2 * dot(x, x), gradient + 2 * self.l2 * x

        steps = lbfgs(objective, x, l1=self.l1, diagonal=diagonal, memory=_MEMORY, tol=self.tol, state=memory)
        for step in steps:
            numbers = {"loss": step.value, "objective": step.value, "gradient": step.gradient_norm}
            state = step.x, diagonal, step.state
            yield Epoch(numbers, _unpacked(space, step.x), step.converged, state=state)


class RunningMean:
    """The mean of weights seen at several times of the training."""

    def __init__(self) -> None:
        self.n = 0
        self._mean = np.zeros(0, dtype=np.float32)

    def add(self, v: Weights, scale: float) -> None:
        """Take in scale · v: mean += (scale · v - mean) / n, piece by piece, so that it stays in the cache."""
        if not self.n:
            self._mean = np.zeros_like(v)
        self.n += 1
        for begin in range(0, len(v), 1 << 16):
            piece = self._mean[begin : begin + (1 << 16)]
            new = v[begin : begin + (1 << 16)] * np.float32(scale)
            new -= piece
            new /= np.float32(self.n)
            piece += new

    def copy(self) -> Weights:
        """The mean of now."""
        return self._mean.copy()


class Packed:
    """The weights that a batch learner moves, as one short vector of doubles: all, the observed, or given ones.

    Weights that are left out stay zero.
    """

    def __init__(self, problem: Problem, moved: bool | NDArray[np.int64]) -> None:
        """moved: the places of these weights, or True for the observed ones, False for all."""
        self.problem = problem
        if isinstance(moved, bool):
            self.at = np.flatnonzero(problem.observed()) if moved else None
        else:
            self.at = moved
        if hasattr(problem, "move_only"):  # workers send no more than that
            problem.move_only(self.at)
        self._w = np.zeros(problem.n_weights, dtype=np.float32)
        self._gradient = np.zeros(problem.n_weights, dtype=np.float32)

    def pack(self, w: Weights) -> NDArray[np.float64]:
        """The vector of these weights."""
        return (w if self.at is None else w[self.at]).astype(np.float64)

    def unpack(self, x: NDArray[np.float64]) -> Weights:
        """The weights of this vector, in an array that the next call reuses."""
        if self.at is None:
            self._w[:] = x
        else:
            self._w[self.at] = x.astype(np.float32)  # NumPy crashes where memory for its own cast runs out
        return self._w

    def curvature(self, x: NDArray[np.float64], n_jobs: int) -> NDArray[np.float64]:
        """About the second derivatives of the loss, where features have values from 0 to 1; never negative."""
        self.problem.curvature(self.unpack(x), self._gradient, n_jobs)
        return np.maximum(self.pack(self._gradient), 0.0)

    def loss_and_gradient(
        self, x: NDArray[np.float64], risk: bool, n_jobs: int
    ) -> tuple[float, NDArray[np.float64]]:
        """The loss of the examples and its gradient, to be made small."""
        loss = self.problem.gradient(self.unpack(x), self._gradient, risk, n_jobs)
        return loss, -self.pack(self._gradient)


def _unpacked(space: Packed, x: NDArray[np.float64]) -> Callable[[], Weights]:
    return lambda: space.unpack(x).copy()


def _squared_norm(w: Weights) -> float:
    return float(np.dot(w, w))


def _first_step(
    problem: Problem, start: Weights, curvature: float, risk: bool, random_state: int, n_jobs: int
) -> float:
    """The step, of powers of two, with which a pass over a sample ends lowest (Bottou's calibration).

    It stays below half the inverse of the regulariser's curvature: no step may turn the weights round. Steps are
    tried side by side where there are threads, some of them in vain. Where the parts of an example follow the
    weights, as with a dynamic oracle, a problem remembers those of its last call: there steps come one by one.
    """
    n_jobs = max(1, n_jobs) if "parts" in problem.offers else 1
    rng = np.random.default_rng(random_state)
    sample = rng.permutation(len(problem))[:500].astype(np.int64)

    def tried(eta0: float) -> float:
        v = start.copy()
        _, scale, t = problem.sgd_epoch(v, 1.0, 0, sample, eta0, curvature, risk)
        after, _, _ = problem.sgd_epoch(v, scale, t, sample, 1e-12, 0.0, risk)
        value = after + len(sample) * curvature / 2 * scale * scale * _squared_norm(v)
        return value if np.isfinite(value) else np.inf

    most = 0.5 / curvature if curvature else np.inf
    eta0 = min(0.125, most)
    values: dict[float, float] = {}
    with ThreadPoolExecutor(n_jobs) as pool:

        def value(*steps: float) -> float:
            new = [step for step in dict.fromkeys(steps) if step not in values]
            values.update(zip(new, pool.map(tried, new)))
            return values[steps[0]]

        factor = 2.0 if value(min(eta0 * 2, most), eta0) < value(eta0) else 0.5
        for _ in range(10):
            ahead = [min(eta0 * factor**k, most) for k in range(1, n_jobs + 1)]
            if ahead[0] == eta0 or not (value(ahead[0]) if ahead[0] in values else value(*ahead)) < value(
                eta0
            ):
                break
            eta0 = ahead[0]
    return eta0

"""CRFsuite's training algorithms as learners, with its rules for stopping."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import SimpleNamespace

import numpy as np
from numpy.typing import NDArray

from palmette.features import Instances
from palmette.learning.arow import AROW
from palmette.learning.capabilities import Capabilities
from palmette.learning.learner import Epoch, Learner, State
from palmette.learning.line_search import LineSearch, dot
from palmette.learning.loglinear import CRF, Packed
from palmette.learning.mira import PassiveAggressive
from palmette.learning.optimizers import lbfgs
from palmette.learning.perceptron import Perceptron
from palmette.learning.problem import Problem, Weights
from palmette.tools.sequence.model import stride

SEARCHES = {"MoreThuente": (True, True), "Backtracking": (False, False), "StrongBacktracking": (True, False)}


@dataclass(frozen=True, kw_only=True)
class Batch(Learner):
    """L-BFGS or OWL-QN over the free weights; iterations are counted without the start, as CRFsuite does.

    scale: about the curvature along every weight, to begin with; it helps L-BFGS and hinders OWL-QN.
    """

    options: SimpleNamespace
    free: NDArray[np.uint8]
    scale: NDArray[np.float64] | None = None

    @property
    def needs(self) -> Capabilities:
        """Sums over all outputs."""
        return frozenset({"marginals"})

    def epochs(self, problem: Problem, start: Weights, state: State = None) -> Iterator[Epoch]:
        """Iterations; `period` of them must lower the objective by more than the share `delta`."""
        o = self.options
        space = Packed(problem, np.flatnonzero(self.free))
        strong, cubic = SEARCHES[o.linesearch]
        search = LineSearch(o.max_linesearch, strong, cubic)
        values: list[float] = []

        def objective(x: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
            loss, gradient = space.loss_and_gradient(x, False, self.threads)
            gradient += 2 * o.c2 * x
            return loss + o.c2 * dot(x, x), gradient

        diagonal = None if o.c1 or self.scale is None else self.scale[space.at] + 2 * o.c2
        for step in lbfgs(
            objective,
            space.pack(start),
            l1=o.c1,
            diagonal=diagonal,
            memory=o.num_memories,
            tol=o.epsilon,
            search=search,
        ):
            values.append(step.value)
            if len(values) == 1 and not step.converged:
                continue
            numbers = {
                "loss": step.value,
                "feature_norm": math.sqrt(dot(step.x, step.x)),
                "error_norm": step.gradient_norm,
                "active_features": int(np.count_nonzero(step.x)),
            }
            stalls = _stalls(values, o.period, o.delta)
            yield Epoch(numbers, lambda x=step.x: space.unpack(x).copy(), step.converged or stalls)  # type: ignore[misc]


@dataclass(frozen=True, kw_only=True)
class Watched(Learner):
    """A learner that also stops where a rule over the objectives of its passes says so.

    objective: makes the number to be watched of a pass's loss and the norm of its weights.
    """

    inner: Learner
    objective: Callable[[float, float], float]
    stops: Callable[[list[float]], bool]

    @property
    def needs(self) -> Capabilities:
        """What the inner learner needs."""
        return self.inner.needs

    def epochs(self, problem: Problem, start: Weights, state: State = None) -> Iterator[Epoch]:
        """The passes of the inner learner."""
        begun: tuple[list[float], State] = state or ([], None)
        values, inner = begun
        for epoch in self.inner.epochs(problem, start, inner):
            w = epoch.result()
            norm = float(np.sqrt(np.dot(w, w)))
            values.append(self.objective(epoch.numbers["loss"], norm))
            numbers = {
                "loss": values[-1],
                "feature_norm": norm,
                "active_features": int(np.count_nonzero(w)),
            }
            yield dataclasses.replace(
                epoch,
                numbers=numbers,
                result=lambda w=w: w,  # type: ignore[misc]
                converged=epoch.converged or self.stops(values),
                state=None if epoch.state is None else (values, epoch.state),
            )


def learner_of(
    o: SimpleNamespace,
    problem: Problem,
    free: NDArray[np.uint8],
    instances: Instances,
    n_labels: int,
    n_jobs: int,
) -> Learner:
    """The learner that these parameters ask for. All but lbfgs rely on `problem` to keep to the free weights."""
    n, n_iter = len(problem), int(o.max_iterations)
    if o.algorithm == "lbfgs":
        scale = None if o.c1 else _scale(instances, n_labels)
        return Batch(options=o, free=free, scale=scale, n_iter=n_iter, n_jobs=n_jobs)
    if o.algorithm == "l2sgd":
        inner: Learner = CRF(method="sgd", l2=o.c2, eta0=first_step(problem, o), tol=0.0)
        return Watched(
            n_iter=n_iter,
            inner=inner,
            objective=lambda loss, norm: loss + o.c2 * norm * norm,
            stops=lambda values: _stalls(values, o.period, o.delta),
        )
    if o.algorithm == "ap":
        inner, examples = Perceptron(), instances.n_tokens
    elif o.algorithm == "pa":
        variant = ("plain", "I", "II")[o.pa_type]
        inner = PassiveAggressive(
            variant=variant, c=o.c, loss=bool(o.error_sensitive), average=bool(o.averaging)
        )
        examples = n
    else:
        inner, examples = AROW(variance=o.variance, gamma=o.gamma), n
    return Watched(
        n_iter=n_iter,
        inner=inner,
        objective=lambda loss, norm: loss,
        stops=lambda values: values[-1] / max(1, examples) < o.epsilon,
    )


def first_step(problem: Problem, o: SimpleNamespace) -> float:
    """The first step of SGD by trial on a sample.

    From calibration_eta on steps rise by the rate while they lower the objective, then fall below it, until enough
    candidates or trials were seen; that with the lowest objective is taken.
    """
    rng = np.random.default_rng(0)
    sample = rng.permutation(len(problem))[: o.calibration_samples].astype(np.int64)
    curvature = 2 * o.c2 / len(problem)

    def tried(eta: float) -> float:
        v = np.zeros(problem.n_weights, dtype=np.float32)
        _, scale, t = problem.sgd_epoch(v, 1.0, 0, sample, eta, curvature, False)
        norm = scale * scale * float(np.dot(v, v))
        after, _, _ = problem.sgd_epoch(v, scale, t, sample, 1e-12, 0.0, False)
        value = after + curvature / 2 * norm * len(sample)
        return value if np.isfinite(value) else np.inf

    at_zero, _, _ = problem.sgd_epoch(
        np.zeros(problem.n_weights, dtype=np.float32), 1.0, 0, sample, 1e-12, 0.0, False
    )
    best, best_value, eta = float(o.calibration_eta), np.inf, float(o.calibration_eta)
    rising, left = True, o.calibration_candidates
    for _ in range(o.calibration_max_trials):
        value = tried(eta)
        good = value < at_zero
        left -= good
        if value < best_value:
            best, best_value = eta, value
        if rising and good and left:
            eta *= o.calibration_rate
        elif rising:
            rising, left, eta = False, o.calibration_candidates, o.calibration_eta / o.calibration_rate
        elif left:
            eta /= o.calibration_rate
        else:
            break
    return best


def _scale(instances: Instances, n_labels: int) -> NDArray[np.float64]:
    """The root of how often each weight is read: that of a rare feature curves more than its count says."""
    values = None if instances.values is None else np.square(instances.values, dtype=np.float64)
    width = stride(n_labels)
    counts = np.bincount(instances.attributes, values, minlength=instances.n_attributes)
    pairs = np.full(n_labels * width, instances.n_tokens / n_labels)
    counted: NDArray[np.float64] = np.concatenate([np.repeat(counts, width), pairs])
    return np.sqrt(counted, out=counted)


def _stalls(values: list[float], period: int, delta: float) -> bool:
    """Whether the last `period` steps lowered the value by less than the share `delta`; not with period 0."""
    if not period or len(values) <= period:
        return False
    return (values[-1 - period] - values[-1]) / abs(values[-1] or 1.0) < delta

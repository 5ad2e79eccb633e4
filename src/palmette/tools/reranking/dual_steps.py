"""One list of candidates, one step in dual form: how each learner changes the α of a list's candidates.

| learner        | α of the right candidate y, and of others z                                                |
| -------------- | ------------------------------------------------------------------------------------------ |
| perceptron     | where z wins in place of y: α_y += 1, α_z −= 1 (Kernel Methods; Clark 2013);               |
|                | with a margin, where z comes within margin · loss of y: α_y += loss, α_z −= loss           |
| MIRA, PA       | the smallest such steps τ that give the margins, bounded by c                               |
| structured SVM | the optimum of the dual over this list's α, the others being fixed (CSC 448, §8.4)        |
| CRF            | towards the softmax of the scores, as far as the dual rises                                 |

All need w · Φ of the list's candidates and, beyond the perceptron, K among them: a k × k matrix that is forgotten
afterwards. The weights are those of the primal learners of the same names and options.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from palmette.features.kernels.kernel import Reals
from palmette.learning.capabilities import Capabilities, LearnerError, check_fit
from palmette.learning.learner import Learner
from palmette.learning.loglinear import CRF
from palmette.learning.mira import MIRA, PassiveAggressive
from palmette.learning.perceptron import Perceptron
from palmette.learning.svm import StructuredSVM
from palmette.tools.reranking.dual_sums import DualSum, RankedList

ADVICE = ", or features in place of a kernel"
DUAL: Capabilities = frozenset({"best", "kbest", "marginals", "votes"})  # what lists offer without features
_SMALLEST = 1e-12
_STEPS = tuple(0.5**k for k in range(16))  # of a log-linear model, as parts of the way


class Step(ABC):
    """How a learner changes w when it meets a list. `numbers` are sums over a pass."""

    mean = True  # whether the mean of the sums met is what predicts
    votes = False  # whether all sums met predict, by a vote

    def __init__(self, n_jobs: int) -> None:
        self.n_jobs = n_jobs
        self.numbers: dict[str, float] = {}

    @abstractmethod
    def __call__(self, w: DualSum, given: RankedList) -> None: ...

    def count(self, **numbers: float) -> None:
        for name, value in numbers.items():
            self.numbers[name] = self.numbers.get(name, 0) + value

    def end_pass(self) -> tuple[dict[str, float], bool]:
        """The numbers of a pass, and whether nothing is left to learn."""
        numbers, self.numbers = self.numbers, {}
        return numbers, False


class PerceptronStep(Step):
    """Keeps all updates as (place of y, place of z) and α, and how many lists each sum survived: the votes."""

    def __init__(self, learner: Perceptron) -> None:
        super().__init__(learner.threads)
        self.mean, self.margin = learner.average and not learner.voted, learner.margin
        self.votes, self.most = learner.voted, learner.vectors
        self.updates: list[tuple[int, int]] = []
        self.steps: list[float] = []
        self.survived = [0]

    def __call__(self, w: DualSum, given: RankedList) -> None:
        scores = w.scores(given, self.n_jobs)
        gold, guess = given.best_right(scores), int(np.argmax(scores + self.margin * given.losses))
        loss = float(given.losses[guess])
        step = 0.0 if guess == gold else loss if self.margin else 1.0
        self.count(mistakes=0, loss=0.0)
        if step:
            self.updates.append(tuple(w.add(given, [gold, guess], [step, -step])))  # type: ignore[arg-type]
            self.steps.append(step)
            self.survived.append(0)
            self.count(mistakes=1, loss=loss)
        self.survived[-1] += 1
        w.stay()

    def end_pass(self) -> tuple[dict[str, float], bool]:
        numbers, _ = super().end_pass()
        return numbers, not numbers.get("mistakes")


class MarginStep(Step):
    """MIRA with the k best, or the passive-aggressive step with one."""

    def __init__(self, learner: MIRA | PassiveAggressive) -> None:
        super().__init__(learner.threads)
        self.mean, self.learner = learner.average, learner
        options = learner.get_params()
        self.k, self.variant = options.get("k", 1), options.get("variant", "I")

    def __call__(self, w: DualSum, given: RankedList) -> None:
        scores = w.scores(given, self.n_jobs)
        gold = given.best_right(scores)
        search = scores + given.losses if self.learner.loss else scores
        best = [int(z) for z in np.argsort(-search, kind="stable")[: self.k] if z != gold]
        self.count(updates=0, loss=0.0)
        if best:
            margins = given.losses[best] if self.learner.loss else np.ones(len(best))
            violations = margins - (scores[gold] - scores[best])
            gram = given.kernel.gram([given.prepared.items[c] for c in (gold, *best)])
            steps = self._steps(_differences(gram), violations)
            self.count(updates=int(steps.any()), loss=max(0.0, float(violations.max())))
            if steps.any():
                w.add(given, [gold, *best], [float(steps.sum()), *(-steps).tolist()])
        w.stay()

    def _steps(self, gram: Reals, violations: Reals) -> Reals:
        c = self.learner.c
        if len(violations) == 1 and self.variant != "I":
            norm = float(gram[0, 0]) + (1 / (2 * c) if self.variant == "II" else 0.0)
            return np.array([max(0.0, float(violations[0])) / norm if gram[0, 0] > 0 else 0.0])
        return _hildreth(gram, violations, c)

    def end_pass(self) -> tuple[dict[str, float], bool]:
        numbers, _ = super().end_pass()
        return numbers, not numbers.get("updates")


class SvmStep(Step):
    """Maximises Σ α_z loss_z − l2 ‖w‖² over α_z ≥ 0, Σ α_z ≤ 1 of one list: w = Σ α_z (Φ(y) − Φ(z)) / 2 l2."""

    mean = False

    def __init__(self, learner: StructuredSVM) -> None:
        super().__init__(learner.threads)
        self.l2, self.tol = learner.l2, learner.tol
        self._alpha: dict[int, Reals] = {}
        self._dual = 0.0

    def __call__(self, w: DualSum, given: RankedList) -> None:
        gold, scale = given.first_right, 1 / (2 * self.l2)
        scores = w.scores(given, self.n_jobs)
        before = self._alpha.get(given.number, np.eye(len(scores))[gold])
        hinge = given.losses + scores - scores[gold]
        self.count(loss=float(hinge.max()), gap=float(hinge.max() - before @ hinge))
        alpha = _ascend(before, hinge, given.gram * scale)
        change = alpha - before  # of the mass on every candidate; what y has is what the others have not
        moved = np.flatnonzero(np.abs(change) > _SMALLEST)
        if moved.size:
            # The dual before and after: linear in the losses, quadratic in w.
            self._dual += float(change @ hinge - change @ given.gram @ change * scale / 2)
            w.add(given, moved.tolist(), (-change[moved] * scale).tolist())
            self._alpha[given.number] = alpha
        w.stay()

    def end_pass(self) -> tuple[dict[str, float], bool]:
        """`gap` is what the lists lacked when they were met: their sum bounds what is left, roughly."""
        numbers, _ = super().end_pass()
        numbers["dual"] = self._dual
        return numbers, numbers.get("gap", 0.0) <= self.tol * max(abs(self._dual), _SMALLEST)


class LogLinearStep(Step):
    """Maximises Σ entropies of α − l2 ‖w‖²: α of a list moves towards the softmax of its scores."""

    mean = False

    def __init__(self, learner: CRF) -> None:
        super().__init__(learner.threads)
        if not learner.l2 > 0:
            raise ValueError("A log-linear model in dual form needs an l2 above 0.")
        self.l2 = learner.l2
        self._alpha: dict[int, Reals] = {}

    def __call__(self, w: DualSum, given: RankedList) -> None:
        gold, scale = given.first_right, 1 / (2 * self.l2)
        scores = w.scores(given, self.n_jobs)
        shifted = scores - scores.max()
        p = np.exp(shifted) / np.exp(shifted).sum()
        before = self._alpha.get(given.number, np.eye(len(scores))[gold])
        direction = p - before
        self.count(loss=float(np.log(np.exp(shifted).sum()) - shifted[gold]))
        slope, curve = float(direction @ scores), float(direction @ given.gram @ direction) * scale
        gains = [
            _entropy(before + step * direction) - _entropy(before) + step * slope - step**2 * curve / 2
            for step in _STEPS
        ]
        change = _STEPS[int(np.argmax(gains))] * direction
        if max(gains) > 0 and np.abs(change).max() > _SMALLEST:
            w.add(given, list(range(len(change))), (-change * scale).tolist())
            self._alpha[given.number] = before + change
        w.stay()


# By what a learner says of itself, `Learner.dual`.
STEPS: Mapping[str, Callable[[Any], Step]] = {
    "perceptron": PerceptronStep,
    "margin": MarginStep,
    "svm": SvmStep,
    "loglinear": LogLinearStep,
}


def step_of(learner: Learner) -> Step:
    """Return the step of a learner in dual form; LearnerError if it has none."""
    check_fit(learner, DUAL, "a reranker in dual form", advice=ADVICE)
    if learner.dual not in STEPS:
        raise LearnerError(f"{type(learner).__name__} has no dual form: give features in place of a kernel.")
    return STEPS[learner.dual](learner)


def _differences(gram: Reals) -> Reals:
    """The inner products of Φ(y) − Φ(z) from those of y, z₁, z₂ …"""
    found: Reals = gram[0, 0] - gram[0, 1:][:, None] - gram[0, 1:] + gram[1:, 1:]
    return found


def _hildreth(gram: Reals, violations: Reals, c: float) -> Reals:
    """max over 0 ≤ α ≤ c of α · violations − ½ αᵀ gram α, one multiplier after another."""
    alpha, left = np.zeros(len(violations)), violations.copy()
    for _ in range(1000):
        moved = 0.0
        for j in range(len(alpha)):
            if gram[j, j] <= 0:
                continue
            now = min(max(alpha[j] + left[j] / gram[j, j], 0.0), c)
            step = now - alpha[j]
            if step:
                alpha[j] = now
                left -= step * gram[:, j]
                moved = max(moved, abs(step) * gram[j, j])
        if moved < 1e-9:
            break
    return alpha


def _ascend(alpha: Reals, slopes: Reals, gram: Reals, rounds: int = 200) -> Reals:
    """max over the simplex of a · slopes − ½ (a − alpha)ᵀ gram (a − alpha): mass goes to where it gains most."""
    now, slope = alpha.copy(), slopes.copy()
    tolerance = 1e-9 * max(1.0, float(np.abs(slopes).max()))
    for _ in range(rounds):
        up = int(np.argmax(slope))
        down = int(np.argmin(np.where(now > 0, slope, np.inf)))
        lead = slope[up] - slope[down]
        if lead <= tolerance:
            break
        norm = gram[up, up] + gram[down, down] - 2 * gram[up, down]
        step = min(now[down], lead / norm) if norm > 0 else now[down]
        now[up] += step
        now[down] = 0.0 if step == now[down] else now[down] - step
        slope -= step * (gram[:, up] - gram[:, down])
    return now


def _entropy(p: Reals) -> float:
    positive = p[p > 0]
    return float(-(positive * np.log(positive)).sum())

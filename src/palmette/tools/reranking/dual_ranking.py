"""Learning to rank in dual form: passes over lists of candidates with any kernel, and what they leave behind.

    DualRanking     score(x) = Σ_k α_k K(x_k, x), the supports merged
    VotedRanking    every sum that was met votes, as often as it survived a list (Freund and Schapire 1999):
                    sum number m is the first m updates, α (K(y, x) − K(z, x)) each

A pass over n lists of k candidates costs n scores of a list with the merged supports; the kernel matrix of all
candidates is never made. A vote needs K of the list's candidates with every support, made list by list.

A sum also gives probabilities: the softmax of the scores in units of the first model's log-probability, so that
before any update they are the first model's own. A voted perceptron's are the mean of those of all sums, by votes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from palmette.features.kernels.kernel import Kernel, Prepared, Reals
from palmette.features.kernels.supports import Supports
from palmette.learning.divergence import check_moderate
from palmette.learning.learner import Learner
from palmette.learning.loop import Callback, Pass, Report, run_passes
from palmette.tools.reranking.dual_steps import PerceptronStep, Step, step_of
from palmette.tools.reranking.dual_sums import DualSum, Lists, prior_scores
from palmette.tools.reranking.probabilities import probabilities_of

_AT_ONCE = 1 << 22  # numbers of the table of votes

Pair = tuple[Any, float]  # an output and its log-probability


@dataclass(frozen=True, eq=False)
class DualRanking:
    """score(x) = Σ α K(x_k, x) over the supports."""

    kernel: Kernel
    items: list[Any] = field(repr=False)
    alphas: Reals = field(repr=False)
    prior: float = 0.0

    def __len__(self) -> int:
        return len(self.items)

    def __getstate__(self) -> dict[str, Any]:
        return {one.name: getattr(self, one.name) for one in fields(self)}  # the rest is made again

    @cached_property
    def prepared(self) -> Prepared:
        """The items as the kernel reads them."""
        return self.kernel.prepare(self.items)

    @cached_property
    def supports(self) -> Supports:
        """The sum."""
        made = self.kernel.supports()
        if self.items:
            made.add(self.prepared, self.alphas)
        return made

    def scores(self, items: Any, n_jobs: int = 1) -> Reals:
        """Return the score of every candidate of a list."""
        given = self.kernel.prepare(items)
        return self.supports.score(given, n_jobs) + prior_scores(given, self.prior)

    def probabilities(self, items: Sequence[Pair], n_jobs: int = 1) -> Reals:
        """Return the probability of every candidate of a list."""
        return _softmax(self.scores(_with_probes(items), n_jobs))


@dataclass(frozen=True, eq=False)
class VotedRanking:
    """updates[m] = (y, z): the items that update m adds and takes off, steps[m] times. survived: votes of sums."""

    kernel: Kernel
    items: list[Any] = field(repr=False)
    updates: NDArray[np.int64] = field(repr=False)
    steps: Reals = field(repr=False)
    survived: NDArray[np.int64] = field(repr=False)
    prior: float = 0.0

    def __len__(self) -> int:
        return len(self.items)

    def __getstate__(self) -> dict[str, Any]:
        return {one.name: getattr(self, one.name) for one in fields(self)}  # the rest is made again

    @cached_property
    def prepared(self) -> Prepared:
        """The items as the kernel reads them."""
        return self.kernel.prepare(self.items)

    @cached_property
    def alphas(self) -> Reals:
        """Those of the mean of all sums, by their votes; what an explanation looks at."""
        votes = self.survived.astype(np.float64)
        later = np.cumsum(votes[::-1])[::-1][1:] / max(
            1.0, votes.sum()
        )  # of update m: the votes of sums m + 1 …
        found = np.zeros(len(self.items))
        for side, sign in ((0, 1.0), (1, -1.0)):
            np.add.at(found, self.updates[:, side], sign * later * self.steps)
        return found

    def scores(self, items: Any, n_jobs: int = 1) -> Reals:
        """The part of the votes that every candidate gets; ties of a vote go to the earlier candidate."""
        found: Reals = np.zeros(len(items))
        if len(items):
            for sums, votes in self._sums(items, n_jobs):
                found += np.bincount(sums.argmax(axis=0), votes, minlength=len(items))
        return found / max(1, int(self.survived.sum()))

    def probabilities(self, items: Sequence[Pair], n_jobs: int = 1) -> Reals:
        """Return for every candidate of a list the mean of what the sums give it, by their votes."""
        found: Reals = np.zeros(len(items))
        for sums, votes in self._sums(_with_probes(items), n_jobs):
            found += _softmax(sums) @ votes
        return found / max(1, int(self.survived.sum()))

    def _sums(self, items: Any, n_jobs: int) -> Iterator[tuple[Reals, NDArray[np.int64]]]:
        """The scores of all items by some sums after another, a column each, and the votes of these sums."""
        given = self.kernel.prepare(items)
        now = prior_scores(given, self.prior)
        yield now[:, None], self.survived[:1]
        if not len(self.updates):
            return
        gram = self.kernel.gram(given, self.prepared, n_jobs)
        block = max(1, _AT_ONCE // max(1, len(given)))
        for begin in range(0, len(self.updates), block):
            y, z = self.updates[begin : begin + block].T
            steps = self.steps[begin : begin + block]
            sums = now[:, None] + np.cumsum(steps * (gram[:, y] - gram[:, z]), axis=1)
            now = sums[:, -1]
            yield sums, self.survived[begin + 1 : begin + 1 + block]


Ranking = DualRanking | VotedRanking


@dataclass(frozen=True, eq=False)
class LearnedRanking:
    """The model that was kept, the reports of all passes, and whether Ctrl-C ended the training."""

    model: Ranking
    history: tuple[Report, ...]
    interrupted: bool = False


def learn_ranking(
    learner: Learner,
    kernel: Kernel,
    lists: Lists,
    *,
    prior: float = 0.0,
    dev: Callable[[Ranking], float] | None = None,
    callback: Callback | None = None,
) -> LearnedRanking:
    """Train on lists, pass by pass. dev: scores a model, higher is better; the best one is kept.

    prior: the weight of the first model's log-probability to begin with.
    """
    step, w = step_of(learner), DualSum(kernel, prior)

    def passes() -> Iterator[Pass[Ranking]]:
        for examples in lists.passes():
            for given in examples:
                step(w, given)
            numbers, converged = step.end_pass()
            numbers["supports"] = len(w)
            check_moderate(learner, w.alphas(step.mean), numbers.get("loss", 0.0))
            yield Pass(numbers, partial(_model, w, step), converged)

    found = run_passes(
        passes(), limit=learner.passes, score=dev, patience=learner.patience, callback=callback
    )
    model = _model(w, step) if found.result is None else found.result
    return LearnedRanking(model, found.history, found.interrupted)


def _model(w: DualSum, step: Step) -> Ranking:
    if isinstance(step, PerceptronStep) and step.votes:
        updates = np.array(step.updates, dtype=np.int64).reshape(-1, 2)
        steps, survived = np.array(step.steps, dtype=np.float64), np.array(step.survived, dtype=np.int64)
        if step.most:  # the others are steps to the next
            survived[np.argsort(-survived, kind="stable")[step.most :]] = 0
        return VotedRanking(w.kernel, w.items[:], updates, steps, survived, w.prior)
    alphas = w.alphas(step.mean)
    used = np.flatnonzero(alphas)
    return DualRanking(w.kernel, [w.items[k] for k in used.tolist()], alphas[used], w.prior)


def _with_probes(items: Sequence[Pair]) -> list[Pair]:
    """A list, and after it two items that differ in nothing but a log-probability of 1 and 0."""
    return [*items, (items[0][0], 1.0), (items[0][0], 0.0)] if items else []


def _softmax(scores: Reals) -> Reals:
    """The probabilities of a list by its scores, after which those of the probes tell what the unit is."""
    return probabilities_of(scores[:-2], scores[-2] - scores[-1]) if len(scores) else scores

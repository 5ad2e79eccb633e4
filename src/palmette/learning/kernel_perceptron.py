"""The perceptron in dual form, averaged or voted, for two or more classes.

The loop is `native/learning/kernel_perceptron.hpp`.

    F_c(x) = Σ_i α_ic K(x_i, x);  a mistake on x_i, c in place of y, adds 1 to α_iy and takes 1 off α_ic

Kernel Methods and Clark 2013, "the dual-form perceptron" and "the voted perceptron". It makes the mistakes of the
perceptron with the features of the kernel written down. Clark 2013 has O(T n k) for a pass over T
candidates, n supports and kernels of cost k; here a row of the Gram matrix is made once for every support,
and a pass costs O(n · classes + mistakes · n).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from palmette import _native
from palmette.features.kernels.kernel import Prepared
from palmette.learning.capabilities import AnyLearner
from palmette.learning.divergence import check_moderate
from palmette.learning.kernel_examples import KernelExamples, KernelSums, Reals
from palmette.learning.learner import Shuffled
from palmette.learning.loop import Callback, Pass, Report, run_passes
from palmette.parameters import option
from palmette.threads import n_threads


@dataclass(frozen=True, kw_only=True)
class KernelPerceptron(AnyLearner):
    """The dual perceptron.

    A pass without a mistake is the last. In a vote each vector votes as often as it survived an example; to
    predict by a vote takes longer. With a budget the oldest support is forgotten; a mean, like a vote, would need
    the supports that were forgotten.
    """

    family = "kernel"
    takes = frozenset({"dev"})

    n_iter: int = option(10, "most passes over the data", low=1)
    average: bool | None = option(
        None, "use the mean of the vectors after every example; none: unless there is a budget or a vote"
    )
    voted: bool = option(False, "keep all vectors, and predict by their vote")
    budget: int | None = option(None, "most supports that are kept; none: no limit", low=1)
    cache_mb: float = option(1000.0, "megabytes of memory for the Gram matrix, or for rows of it", low=0)
    check: bool = option(  # type: ignore[assignment]
        True, "refuse a kernel that is not positive semi-definite on a sample of the examples"
    )
    random_state: int = option(0, "seed of the order of the examples", low=0)
    n_jobs: int = option(1, "threads; -1: all processors", checked_by=n_threads)

    def __post_init__(self) -> None:
        self.check_each()  # the option `check` has the name of the method that checks options together
        if self.budget is not None and self.voted:
            raise ValueError(
                "A budget is for one vector, and all vectors vote: take one of 'budget' and 'voted'."
            )
        if self.average and (self.voted or self.budget is not None):
            raise ValueError("A mean is taken of all vectors: leave out 'average' with a budget or a vote.")

    def learn(
        self,
        examples: KernelExamples,
        *,
        dev: Callable[[DualVectors], float] | None = None,
        callback: Callback | None = None,
    ) -> DualVectors:
        """Learn in passes of random order. dev: scores what was learnt, and the best pass is kept."""
        if self.check:
            examples.check_positive()
        found = run_passes(self._passes(examples), limit=self.n_iter, score=dev, callback=callback)
        if found.result is None:
            raise KeyboardInterrupt  # nothing was learnt that would be worth keeping
        check_moderate(self, found.result.sums.coefficients)
        return replace(found.result, history=found.history, interrupted=found.interrupted)

    def _passes(self, examples: KernelExamples) -> Iterator[Pass[DualVectors]]:
        perceptron = _native.DualPerceptron(len(examples), examples.n_classes, self.budget or 0)
        shuffled = Shuffled(len(examples), self.random_state)
        result = partial(self._vectors, perceptron, examples)
        while True:
            mistakes = sum(perceptron.run(examples.rows, o, examples.labels) for o in shuffled.slices())
            yield Pass({"mistakes": mistakes}, result, not mistakes)

    def _vectors(self, perceptron: _native.DualPerceptron, examples: KernelExamples) -> DualVectors:
        shape = len(examples), examples.n_classes
        mean = self.budget is None if self.average is None else self.average
        alpha = (perceptron.mean() if mean else perceptron.alpha()).reshape(shape)
        votes = None
        if self.voted:
            items, right, wrong, times = perceptron.updates()
            which, columns = np.unique(items, return_inverse=True)
            alpha = np.zeros(shape)
            alpha[which, 0] = 1.0  # the supports, in order; the votes know their coefficients
            votes = DualVotes(columns.astype(np.int64), right, wrong, times, int(perceptron.seen))
        return DualVectors(KernelSums.of(examples, alpha, np.zeros(examples.n_classes)), votes)


@dataclass(frozen=True, eq=False)
class DualVotes:
    """All vectors of a voted perceptron as the updates that made them: which support (by its place), the
    class that won and the one that lost, and after how many examples; `end` is how many there were.
    """

    columns: NDArray[np.int64]
    right: NDArray[np.int32]
    wrong: NDArray[np.int32]
    times: NDArray[np.int64]
    end: int


@dataclass(frozen=True, eq=False)
class DualVectors:
    """What a dual perceptron has learned, the reports of its passes, and whether Ctrl-C ended them."""

    sums: KernelSums
    votes: DualVotes | None = None
    history: tuple[Report, ...] = ()
    interrupted: bool = False

    @cached_property
    def mean(self) -> Reals:
        """α_ic of what an explanation looks at: of a voted one the mean of all vectors, by their votes."""
        if self.votes is None:
            return self.sums.coefficients
        v = self.votes
        later = (v.end - v.times) / max(v.end, 1)  # the part of the votes of vectors with that update
        alpha: Reals = np.zeros((len(self.sums.supports), len(self.sums.biases)))
        np.add.at(alpha, (v.columns, v.right), later)
        np.add.at(alpha, (v.columns, v.wrong), -later)
        return alpha

    def scores(self, items: Any, n_jobs: int = 1) -> Reals:
        """F_c(x) at [x, c]; of a voted one the part of the votes."""
        if self.votes is None:
            return self.sums.values(items, n_jobs)
        kernel, v, n = self.sums.kernel, self.votes, len(self.sums.biases)
        prepared = items if isinstance(items, Prepared) else kernel.prepare(items)
        gram = np.ascontiguousarray(kernel.gram(prepared, self.sums.supports, n_jobs))
        found = _native.vote_dual(gram, v.columns, v.right, v.wrong, v.times, v.end, n)
        return np.asarray(found.reshape(-1, n) / max(v.end, 1))

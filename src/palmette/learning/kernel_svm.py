"""Support vector machines with kernels, in the dual, by sequential minimal optimisation
(`native/learning/kernel_svm.hpp`).

    minimise ½ Σ_ij β_i β_j K(x_i, x_j) − Σ_i y_i β_i    with Σ_i β_i = 0 and 0 ≤ y_i β_i ≤ C

McDonald and Nivre 2007, SVM. Several classes become several machines: one for every pair, whose decisions are
counted, or one for every class against the rest. A step costs two rows of the Gram matrix.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from palmette import _native
from palmette.learning.capabilities import AnyLearner
from palmette.learning.divergence import check_moderate
from palmette.learning.kernel_examples import KernelExamples, KernelSums, Reals
from palmette.learning.loop import Callback, Report
from palmette.parameters import option
from palmette.threads import n_threads

Sides = tuple[NDArray[np.int64], Reals]  # items, and the side of each: ±1


@dataclass(frozen=True, kw_only=True)
class KernelSVM(AnyLearner):
    """An SVM in dual form. The result is the same for every number of threads."""

    family = "kernel"
    takes = frozenset({"sample_weight"})

    C: float = option(1.0, "cost of a mistake relative to the margin", above=0)
    multiclass: str = option(
        "ovo",
        "one machine for every two classes, or one for every class against the rest",
        choices=("ovo", "ovr"),
    )
    tol: float = option(1e-3, "largest difference of slopes that is left at the end", above=0)
    shrinking: bool = option(True, "leave out examples that cannot change for the time being")
    cache_mb: float = option(1000.0, "megabytes of memory for the Gram matrix, or for rows of it", low=0)
    check: bool = option(  # type: ignore[assignment]
        True, "refuse a kernel that is not positive semi-definite on a sample of the examples"
    )
    n_jobs: int = option(1, "threads; -1: all processors", checked_by=n_threads)

    def __post_init__(self) -> None:
        self.check_each()  # the option `check` has the name of the method that checks options together

    def learn(
        self,
        examples: KernelExamples,
        sample_weight: ArrayLike | None = None,
        *,
        callback: Callback | None = None,
    ) -> SVMMachines:
        """Return the machines for these examples.

        sample_weight: C times it is the bound of an example. callback: gets one report, when all are solved.
        """
        began = time.perf_counter()
        if self.check:
            examples.check_positive()
        bounds = np.full(len(examples), float(self.C))
        if sample_weight is not None:
            bounds *= np.asarray(sample_weight, dtype=np.float64)
        rows, diagonal, stop = examples.rows, examples.diagonal, _native.Stop()

        def solved(sides: Sides) -> Solution:
            items, signs = sides
            found = _native.solve_svm(
                rows, diagonal, items, signs, bounds[items], self.tol, 0, self.shrinking, stop
            )
            return Solution(items, *found)

        problems = list(self._problems(examples))
        jobs = n_threads(self.n_jobs) if examples.is_whole else 1
        with ThreadPoolExecutor(jobs) as pool:
            try:
                solutions = tuple(pool.map(solved, problems))
            except BaseException:  # Ctrl-C: the machines in the making are not waited for
                stop.set()
                raise
        if self.check and any(solution.indefinite for solution in solutions):
            raise ValueError(
                f"{examples.kernel} is not positive semi-definite: of two examples K(a, a) + K(b, b) < 2 K(a, b): "
                "it is not an inner product of any features. With check=False it is taken as it is."
            )
        coefficients: Reals = np.zeros((len(examples), len(solutions)))
        for m, solution in enumerate(solutions):
            coefficients[solution.items, m] = solution.beta
        biases = np.array([solution.bias for solution in solutions])
        check_moderate(self, coefficients, biases)
        sums = KernelSums.of(examples, coefficients, biases)
        numbers = {"machines": len(solutions), "steps": sum(solution.steps for solution in solutions)}
        report = Report(1, time.perf_counter() - began, numbers, True)
        if callback is not None:
            callback(report)
        return SVMMachines(sums, examples.n_classes, self.multiclass, solutions, (report,))

    def _problems(self, examples: KernelExamples) -> Iterator[Sides]:
        labels, n = examples.labels, examples.n_classes
        if n == 1:
            return
        if self.multiclass == "ovr" and n > 2:
            every = np.arange(len(labels))
            for c in range(n):
                yield every, np.where(labels == c, 1.0, -1.0)
            return
        for a, b in combinations(range(n), 2):
            items = np.flatnonzero((labels == a) | (labels == b))
            yield items, np.where(labels[items] == a, 1.0, -1.0)


@dataclass(frozen=True, eq=False)
class Solution:
    """The optimum of one machine: β of its items, the bias, and how it was reached."""

    items: NDArray[np.int64]
    beta: Reals
    bias: float
    objective: float
    gap: float
    steps: int
    indefinite: bool


@dataclass(frozen=True, eq=False)
class SVMMachines:
    """The machines of all pairs or classes, and how they decide together."""

    sums: KernelSums
    n_classes: int
    multiclass: str
    solutions: tuple[Solution, ...] = ()
    history: tuple[Report, ...] = ()
    interrupted: bool = False  # Ctrl-C leaves no machines

    @property
    def is_pairs(self) -> bool:
        """Whether a machine decides between two classes."""
        return self.multiclass == "ovo" or self.n_classes <= 2

    def scores(self, values: Reals) -> Reals:
        """Return a score for every class from the values of all machines.

        With two classes: half of the value of the machine, and half of it below zero; their difference is the
        value. With pairs: how many a class wins, and where these are equal what it wins them by, squeezed into
        less than one.
        """
        n = self.n_classes
        if not self.is_pairs:
            return values
        wins: Reals = np.zeros((len(values), n))
        leads: Reals = np.zeros((len(values), n))
        for m, (a, b) in enumerate(combinations(range(n), 2)):
            f = values[:, m]
            wins[:, a] += f > 0
            wins[:, b] += f <= 0
            leads[:, a] += f
            leads[:, b] -= f
        return leads / 2 if n == 2 else wins + leads / (3 * (np.abs(leads) + 1))

    def machine_of(self, label: int, other: int) -> list[tuple[int, float]]:
        """The machines that decide between two classes, with their signs."""
        if not self.is_pairs:
            return [(label, 1.0), (other, -1.0)]
        pairs = list(combinations(range(self.n_classes), 2))
        return [(pairs.index((min(label, other), max(label, other))), 1.0 if label < other else -1.0)]

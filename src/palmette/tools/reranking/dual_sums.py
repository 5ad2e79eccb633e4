"""What a ranking learner in dual form works on: lists of candidates as a kernel reads them, and w = Σ α Φ(x).

    w = Σ over lists i and candidates c of α_ic Φ(x_ic),    w · Φ(x) = Σ α_ic K(x_ic, x)

Only candidates with α ≠ 0, the supports, are kept. A list's scores cost one pass over the merged supports
(`Kernel.supports`), never a row of a kernel matrix. Kernel Methods, "a computational trick (part 2)"; Clark 2013.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from palmette.features.kernels.kernel import Kernel, Prepared, Reals
from palmette.formats.candidates import Candidates
from palmette.learning.learner import Shuffled


@dataclass(frozen=True, eq=False)
class RankedList:
    """The candidates of one list: as the kernel reads them, what each lacks, and which are right."""

    number: int
    prepared: Prepared
    losses: Reals
    right: NDArray[np.bool_]
    kernel: Kernel

    @classmethod
    def of(cls, number: int, given: Candidates, kernel: Kernel) -> RankedList:
        return cls(number, kernel.prepare(items_of(given)), given.losses, given.right, kernel)

    @cached_property
    def gram(self) -> Reals:
        """K of all pairs of its candidates."""
        return self.kernel.gram(self.prepared)

    @property
    def first_right(self) -> int:
        """The right candidate that the first model likes best."""
        return int(np.argmax(self.right))

    def best_right(self, scores: Reals) -> int:
        """The right candidate with the highest score."""
        return int(np.argmax(np.where(self.right, scores, -np.inf)))


def items_of(given: Candidates) -> list[Any]:
    """What a kernel of a reranker compares: pairs of an output and its log-probability."""
    return list(zip(given.outputs, given.log_probabilities.tolist()))


def prior_scores(prepared: Prepared, prior: float) -> Reals:
    """prior · log-probability of pairs (output, log-probability): what a sum begins with."""
    if not prior:
        return np.zeros(len(prepared))
    return prior * np.array([log_p for _, log_p in prepared.items], dtype=np.float64)


class Lists(Protocol):
    """The lists to learn from, pass by pass."""

    def passes(self) -> Iterator[Iterable[RankedList]]: ...


class KeptLists:
    """All lists in memory, each prepared once, in a new random order for every pass."""

    def __init__(self, lists: Sequence[Candidates], kernel: Kernel, random_state: int) -> None:
        self._lists = [RankedList.of(i, given, kernel) for i, given in enumerate(lists)]
        self._random_state = random_state

    def passes(self) -> Iterator[Iterable[RankedList]]:
        shuffled = Shuffled(len(self._lists), self._random_state)
        while True:
            yield (self._lists[i] for order in shuffled.slices() for i in order.tolist())


class StreamedLists:
    """Lists that are read and prepared again in every pass, in the order of their file."""

    def __init__(self, lists: Iterable[Candidates], kernel: Kernel) -> None:
        self._lists, self._kernel = lists, kernel

    def passes(self) -> Iterator[Iterable[RankedList]]:
        while True:
            yield (RankedList.of(i, given, self._kernel) for i, given in enumerate(self._lists))


class DualSum:
    """w = w₀ + Σ α Φ(x), and the mean of the sums met: one more is counted by every `stay`.

    w₀ is `prior` for the first model's log-probability, and zero elsewhere.
    """

    def __init__(self, kernel: Kernel, prior: float = 0.0) -> None:
        self.kernel, self.prior = kernel, prior
        self.items: list[Any] = []
        self._supports = kernel.supports()
        self._alpha: list[float] = []
        self._late: list[float] = []
        self._places: dict[tuple[int, int], int] = {}
        self._steps = 0

    def __len__(self) -> int:
        return len(self.items)

    def scores(self, given: RankedList, n_jobs: int) -> Reals:
        """w · Φ of every candidate."""
        return self._supports.score(given.prepared, n_jobs) + prior_scores(given.prepared, self.prior)

    def add(self, given: RankedList, which: Sequence[int], amounts: Sequence[float]) -> list[int]:
        """α += amount for some candidates of a list; returns their places among the items."""
        self._supports.add(given.prepared, amounts, which)
        return [self._add(given, c, amount) for c, amount in zip(which, amounts)]

    def _add(self, given: RankedList, candidate: int, amount: float) -> int:
        key = given.number, candidate
        place = self._places.setdefault(key, len(self.items))
        if place == len(self.items):
            self.items.append(given.prepared.items[candidate])
            self._alpha.append(0.0)
            self._late.append(0.0)
        self._alpha[place] += amount
        self._late[place] += amount * self._steps
        return place

    def stay(self) -> None:
        """Another example was met."""
        self._steps += 1

    def alphas(self, mean: bool) -> Reals:
        """α of every item, or the mean of those after every example."""
        alpha = np.array(self._alpha, dtype=np.float64)
        return alpha - np.array(self._late) / self._steps if mean and self._steps else alpha

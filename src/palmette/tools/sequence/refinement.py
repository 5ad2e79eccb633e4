"""Labels with hidden variants: of latent CRFs over chains, and of states that were labelled after EM.

refinement = Refinement(n_labels, hidden=2)
problem = ChainProblem(…, labels=refinement.unknown(labels), allowed=refinement.allowed(labels), …)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from palmette.parameters import require_int


@dataclass(frozen=True)
class Refinement:
    """Labels and their variants, those of a label side by side.

    hidden: how many variants each label has; one number, or one for every label.

    >>> refinement = Refinement(2, hidden=2)
    >>> refinement.names(["NN", "VV"])
    ['NN-1', 'NN-2', 'VV-1', 'VV-2']
    >>> refinement.allowed(np.array([1, -1], dtype=np.int32)).tolist()
    [[0, 0, 1, 1], [1, 1, 1, 1]]
    >>> refinement.best(np.array([[0.4, 0.0, 0.3, 0.3]])).tolist()
    [1]
    >>> Refinement(2, hidden=(1, 3)).best(np.array([[0.4, 0.1, 0.3, 0.2]])).tolist()
    [1]
    """

    n_labels: int
    hidden: int | tuple[int, ...]

    def __post_init__(self) -> None:
        require_int("n_labels", self.n_labels, 1)
        for count in (self.hidden,) if isinstance(self.hidden, int) else self.hidden:
            require_int("hidden", count, 1)
        if not isinstance(self.hidden, int) and len(self.hidden) != self.n_labels:
            raise ValueError(
                f"There must be a number of variants for each of {self.n_labels} labels. Got {len(self.hidden)}."
            )

    @cached_property
    def counts(self) -> NDArray[np.int64]:
        """How many variants each label has."""
        return np.broadcast_to(np.asarray(self.hidden, dtype=np.int64), self.n_labels)

    @cached_property
    def owners(self) -> NDArray[np.int32]:
        """The label of every refined label."""
        return np.repeat(np.arange(self.n_labels, dtype=np.int32), self.counts)

    @property
    def n_refined(self) -> int:
        """How many refined labels there are."""
        return int(self.counts.sum())

    @property
    def trivial(self) -> bool:
        """Whether every label has one variant only."""
        return self.n_refined == self.n_labels

    def names(self, labels: Sequence[str]) -> list[str]:
        """The names of the refined labels."""
        counts = self.counts.tolist()
        return [f"{label}-{k}" for label, n in zip(labels, counts) for k in range(1, n + 1)]

    def unknown(self, labels: NDArray[np.int32]) -> NDArray[np.int32]:
        """The refined labels as far as they are known: not at all, unless there is one variant only."""
        return (
            np.where(labels >= 0, labels, -1).astype(np.int32) if self.trivial else np.full_like(labels, -1)
        )

    def allowed(self, labels: NDArray[np.int32]) -> NDArray[np.uint8]:
        """Which refined labels agree with visible ones (tokens × refined labels); all do with label -1."""
        agrees = (labels[:, None] == np.arange(self.n_labels)) | (labels < 0)[:, None]
        return self.spread(agrees).astype(np.uint8)

    def spread(self, table: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """What is allowed (tokens × labels) by refined labels: all variants of a label, or none."""
        found: NDArray[np.bool_] = table[:, self.owners]
        return found

    def refine(self, table: NDArray[np.generic]) -> NDArray[np.generic]:
        """A table by labels (which may begin, follow or end) as one by refined labels, along every axis."""
        for axis in range(table.ndim):
            table = np.take(table, self.owners, axis=axis)
        return table

    def visible(self, refined: NDArray[np.int32]) -> NDArray[np.int32]:
        """The labels of refined ones; -1 stays."""
        return np.where(refined >= 0, self.owners[refined], -1).astype(np.int32)

    def probabilities(self, refined: NDArray[np.floating]) -> NDArray[np.floating]:
        """The probabilities of labels (tokens × labels) from those of refined ones: their sums."""
        firsts = np.cumsum(self.counts) - self.counts
        summed: NDArray[np.floating] = np.add.reduceat(refined, firsts, axis=1)
        return summed

    def best(self, refined: NDArray[np.floating]) -> NDArray[np.int32]:
        """For each token the label with the highest probability, summed over its variants."""
        best: NDArray[np.int32] = self.probabilities(refined).argmax(axis=1).astype(np.int32)
        return best

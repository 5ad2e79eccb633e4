"""Labels with hidden variants, for latent CRFs over chains.

refinement = Refinement(n_labels, hidden=2)
problem = ChainProblem(…, labels=refinement.unknown(labels), allowed=refinement.allowed(labels), …)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from palmette.parameters import require_int


@dataclass(frozen=True)
class Refinement:
    """Labels and their variants: refined label z is variant z % hidden of label z // hidden.

    >>> refinement = Refinement(2, hidden=2)
    >>> refinement.names(["NN", "VV"])
    ['NN-1', 'NN-2', 'VV-1', 'VV-2']
    >>> refinement.allowed(np.array([1, -1], dtype=np.int32)).tolist()
    [[0, 0, 1, 1], [1, 1, 1, 1]]
    >>> refinement.best(np.array([[0.4, 0.0, 0.3, 0.3]])).tolist()
    [1]
    """

    n_labels: int
    hidden: int

    def __post_init__(self) -> None:
        require_int("n_labels", self.n_labels, 1)
        require_int("hidden", self.hidden, 1)

    @property
    def n_refined(self) -> int:
        """How many refined labels there are."""
        return self.n_labels * self.hidden

    def names(self, labels: Sequence[str]) -> list[str]:
        """The names of the refined labels."""
        return [f"{label}-{variant}" for label in labels for variant in range(1, self.hidden + 1)]

    def unknown(self, labels: NDArray[np.int32]) -> NDArray[np.int32]:
        """The refined labels as far as they are known: not at all, unless there is one variant only."""
        return (
            np.where(labels >= 0, labels, -1).astype(np.int32)
            if self.hidden == 1
            else np.full_like(labels, -1)
        )

    def allowed(self, labels: NDArray[np.int32]) -> NDArray[np.uint8]:
        """Which refined labels agree with visible ones (tokens × refined labels); all do with label -1."""
        agrees = (labels[:, None] == np.arange(self.n_labels)) | (labels < 0)[:, None]
        return np.repeat(agrees, self.hidden, axis=1).astype(np.uint8)

    def refine(self, table: NDArray[np.generic]) -> NDArray[np.generic]:
        """A table by labels (which may begin, follow or end) as one by refined labels, along every axis."""
        for axis in range(table.ndim):
            table = np.repeat(table, self.hidden, axis=axis)
        return table

    def visible(self, refined: NDArray[np.int32]) -> NDArray[np.int32]:
        """The labels of refined ones; -1 stays."""
        return np.where(refined >= 0, refined // self.hidden, -1).astype(np.int32)

    def probabilities(self, refined: NDArray[np.floating]) -> NDArray[np.floating]:
        """The probabilities of labels (tokens × labels) from those of refined ones: their sums."""
        summed: NDArray[np.floating] = refined.reshape(len(refined), self.n_labels, self.hidden).sum(axis=2)
        return summed

    def best(self, refined: NDArray[np.floating]) -> NDArray[np.int32]:
        """For each token the label with the highest probability, summed over its variants."""
        best: NDArray[np.int32] = self.probabilities(refined).argmax(axis=1).astype(np.int32)
        return best

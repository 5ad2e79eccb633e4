"""The kernels and learners that rerankers use where none are named."""

from __future__ import annotations

from palmette.features.kernels.kernel import Kernel
from palmette.features.kernels.tagged_sequences import TaggedSequenceKernel
from palmette.features.kernels.trees import TreeKernel
from palmette.learning.learner import Learner
from palmette.learning.mira import MIRA
from palmette.learning.perceptron import Perceptron


def default_kernel(measure: str, decay: float | None = None) -> Kernel:
    """All subtrees of trees, normalised, so that no large tree dominates; short fragments of tagged sequences."""
    if measure == "brackets":
        return TreeKernel(decay=0.35 if decay is None else decay).normalized
    return TaggedSequenceKernel(decay=0.3 if decay is None else decay, longest=3)


def default_learner(measure: str, *, dual: bool) -> Learner:
    """In dual form a perceptron with a margin, which votes among trees; MIRA in primal form.

    Votes of sequences, whose supports are many and whose sums are quick, would take a hundred times as long.
    """
    if not dual:
        return MIRA(c=0.01, k=10, n_iter=6)
    return Perceptron(voted=measure == "brackets", vectors=0, margin=0.5, n_iter=3)

"""Labels for states that were found without any, from a few labelled sentences (CSC 448, §3.1).

Every state gets the label that it meets most often, P(state | x) counted token by token; a state that meets none
gets the commonest label. The states of a label become its hidden variants: their probabilities are summed.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from palmette.tools.sequence.file import padded
from palmette.tools.sequence.model import SequenceModel, SequenceStructure
from palmette.tools.sequence.refinement import Refinement

_SEEN = 1e-3  # expected tokens: a state with fewer has met no label


def label_counts(
    probabilities: NDArray[np.floating], labels: NDArray[np.int32], n_labels: int
) -> NDArray[np.float64]:
    """How often each state is expected to meet each label, [states, labels]; -1 is an unknown label."""
    counts = np.zeros((n_labels, probabilities.shape[1]))
    known = labels >= 0
    np.add.at(counts, labels[known], probabilities[known])
    return counts.T


def labels_of_states(counts: NDArray[np.float64]) -> NDArray[np.int64]:
    """The label of every state.

    >>> labels_of_states(np.array([[5.0, 1.0], [0.0, 2.0], [0.0, 0.0]])).tolist()
    [0, 1, 0]
    """
    commonest = int(counts.sum(axis=0).argmax())
    return np.where(counts.sum(axis=1) < _SEEN, commonest, counts.argmax(axis=1))


def with_labels(model: SequenceModel, labels: Sequence[str], owners: NDArray[np.int64]) -> SequenceModel:
    """Return the model whose states are variants of the labels that `owners` gives them."""
    used, variants = np.unique(owners, return_counts=True)
    counts = tuple(variants.tolist())
    order = np.argsort(owners, kind="stable")
    n = len(order)
    tables = [model.rows[:, order]]
    for length in range(1, model.structure.order + 1):
        table = model.ngrams(length)
        for axis in range(table.ndim):
            table = np.take(table, order, axis=axis)
        tables.append(table.reshape(-1, n))
    visible = [labels[k] for k in used.tolist()]
    names = Refinement(len(visible), counts).names(visible)
    structure = SequenceStructure(tuple(names), model.structure.order, hidden=counts)
    return SequenceModel(structure, model.features, padded(tables, n))

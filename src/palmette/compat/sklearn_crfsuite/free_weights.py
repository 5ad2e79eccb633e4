"""Which weights a CRFsuite model has: those of what occurs in the training data, of all, or of what is frequent.

The frequency of an attribute with a label is the sum of its values where the token has the label; that of a pair
of labels is the number of its occurrences. A pair that the model has without its occurring has the frequency 0.
"""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
from numpy.typing import NDArray

from palmette._native import ChainProblem
from palmette.features import Instances
from palmette.tools.sequence.model import stride


def free_weights(
    problem: ChainProblem,
    instances: Instances,
    zeros: Instances,
    labels: NDArray[np.int32],
    n_labels: int,
    options: SimpleNamespace,
) -> NDArray[np.uint8]:
    """One for every weight that the model has, zero for the others. zeros: attributes whose value is 0."""
    mask = problem.observed()
    width, count = stride(n_labels), instances.n_attributes
    states, transitions = mask[: count * width], mask[count * width :]
    states[_places(zeros, labels, width)] = 1
    if options.all_possible_states:
        states.reshape(count, width)[:, :n_labels] = 1
    if options.all_possible_transitions:
        transitions.reshape(n_labels, width)[:, :n_labels] = 1
    if options.min_freq > 0:
        values = None if instances.values is None else instances.values.astype(np.float64)
        frequency = np.bincount(_places(instances, labels, width), values, minlength=count * width)
        states &= frequency >= options.min_freq
        before = np.delete(np.arange(len(labels) - 1), instances.offsets[1:-1] - 1) if len(labels) else labels
        pairs = labels[before].astype(np.int64) * width + labels[before + 1]
        transitions &= np.bincount(pairs, minlength=len(transitions)) >= options.min_freq
    return mask


def _places(instances: Instances, labels: NDArray[np.int32], width: int) -> NDArray[np.int64]:
    """The weights that the attributes of all tokens have together with the tokens' labels."""
    places = instances.attributes.astype(np.int64) * width
    places += np.repeat(labels, np.diff(instances.rows))
    return places

"""Probabilities of the candidates in a list, from scores."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from palmette.formats.candidates import Reals


def probabilities_of(scores: Reals, unit: ArrayLike = 1.0) -> Reals:
    """Return the softmax of scores / unit down every column. The best score takes all where the unit is 0.

    >>> probabilities_of(np.log([4.0, 12.0])).round(2), probabilities_of(np.array([1.0, 2.0]), 0.0)
    (array([0.25, 0.75]), array([0., 1.]))
    """
    below = scores - scores.max(axis=0)
    units = np.asarray(unit, dtype=np.float64)
    with np.errstate(over="ignore"):
        weights = np.exp(below / np.where(units > 0, units, 1.0))
    best = np.arange(len(scores)).reshape(-1, *[1] * (scores.ndim - 1)) == scores.argmax(axis=0)
    found: Reals = np.where(units > 0, weights / weights.sum(axis=0), best)
    return found

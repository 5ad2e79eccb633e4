"""The scale that makes scores log-probabilities: p(y) ∝ exp(scale · score).

It maximises the log-probability of the candidates with the best sentence scores in lists of dev sentences, which
is a concave function of one number: its slope falls, and its zero is found by bisection.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
LOWEST, HIGHEST = 1e-3, 1e3
_STEPS = 60


def fit_scale(scores: Sequence[Floats], gains: Sequence[Floats]) -> float:
    """Return the scale for lists of candidates: their scores, and how good each is.

    >>> round(fit_scale([np.array([2.0, 1.0])] * 3, [np.array([1.0, 0.0])] * 2 + [np.array([0.0, 1.0])]), 4)
    0.6931
    """
    lists = [
        (own - own.max(), int(np.lexsort((-own, -gain))[0]))
        for own, gain in zip(scores, gains)
        if len(own) > 1
    ]
    if not lists:
        return 1.0

    def slope(scale: float) -> float:
        """The derivative: score of the best candidate minus the expected score, summed."""
        total = 0.0
        for own, best in lists:
            p = np.exp(scale * own)
            total += float(own[best]) - float(p @ own) / float(p.sum())
        return total

    low, high = math.log(LOWEST), math.log(HIGHEST)
    if slope(LOWEST) <= 0:
        return LOWEST
    if slope(HIGHEST) >= 0:
        return HIGHEST
    for _ in range(_STEPS):  # the slope falls
        middle = (low + high) / 2
        low, high = (middle, high) if slope(math.exp(middle)) > 0 else (low, middle)
    return math.exp((low + high) / 2)

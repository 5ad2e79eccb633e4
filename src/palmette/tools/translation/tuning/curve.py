"""The metric along a line of weights: a piecewise constant curve, exact, for looking at and plotting."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from palmette.tools.translation.tuning.lists import checked_weights
from palmette.tools.translation.tuning.mert import Searchable
from palmette.tools.translation.tuning.metric import Floats


@dataclass(frozen=True, eq=False)
class Curve:
    """The metric is scores[k] for x between begins[k] and begins[k + 1]; begins[0] is minus infinity."""

    begins: Floats
    scores: Floats

    def __call__(self, x: ArrayLike) -> Floats:
        """Return the metric at x."""
        places = np.searchsorted(self.begins, np.asarray(x, dtype=np.float64), side="right") - 1
        return np.asarray(self.scores[places])

    def steps(self, low: float, high: float) -> tuple[Floats, Floats]:
        """Return the corners between two values of x as two columns, for a line plot.

        >>> curve = Curve(np.array([-np.inf, 0.0]), np.array([0.25, 0.5]))
        >>> [column.tolist() for column in curve.steps(-1.0, 1.0)]
        [[-1.0, 0.0, 0.0, 1.0], [0.25, 0.25, 0.5, 0.5]]
        """
        inner = self.begins[(self.begins > low) & (self.begins < high)]
        edges = np.concatenate([[low], inner, [high]])
        return np.repeat(edges, 2)[1:-1], np.repeat(self(edges[:-1]), 2)


def metric_curve(data: Searchable, names: tuple[str, ...], weights: ArrayLike, direction: ArrayLike) -> Curve:
    """Return the metric of the best translations along weights + x · direction, for all x."""
    return Curve(*data.core.curve(checked_weights(weights, names), checked_weights(direction, names)))

"""What each input of a network adds to a difference of its outputs: integrated gradients.

    F(x) - F(0) = Σ_j  x_j ∫_0^1 ∂F/∂x_j (αx) dα        (Sundararajan, Taly and Yan 2017)

The integral is a sum over Gauss-Legendre points, so that what it misses is small; callers show the rest. F(0) is
what the network says where it sees nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from palmette.features.network.inputs import Encoded
from palmette.features.network.network import Network
from palmette.features.network.reference import Doubles, embeddings, outputs

_POINTS = 32


@dataclass(frozen=True, eq=False)
class Attribution:
    """What inputs add: `amounts` [inputs, tokens], `start`, F(0), and `total`, F(x)."""

    amounts: Doubles
    start: float
    total: float


class Attributions:
    """One sentence, for which several differences of outputs are explained; the forward pass is made once."""

    def __init__(self, network: Network, encoded: Encoded, points: int = _POINTS) -> None:
        blocks = embeddings(network, encoded)
        nodes, weights = np.polynomial.legendre.leggauss(points)
        places = np.concatenate([(nodes + 1) / 2, [0.0, 1.0]])
        self._weights: Doubles = weights / 2
        self._x: Doubles = np.concatenate(blocks, axis=1)
        self._bounds = np.cumsum([0, *(block.shape[1] for block in blocks)])
        self._found, self._back = outputs(network, places[:, None, None] * self._x[None])

    @property
    def outputs(self) -> Doubles:
        """The outputs of the network, [tokens, outputs]."""
        found: Doubles = self._found[-1]
        return found

    def of(self, difference: NDArray[np.floating]) -> Attribution:
        """Explain Σ difference · outputs; difference: [tokens, outputs]."""
        slopes = np.broadcast_to(difference, self._found.shape).astype(np.float64)
        return self.of_function(lambda found: ((difference * found).sum(axis=(1, 2)), slopes))

    def of_function(self, function: Callable[[Doubles], tuple[Doubles, Doubles]]) -> Attribution:
        """Explain a function of the outputs: it takes [points, tokens, outputs] and returns values and slopes."""
        values, d = function(self._found)
        d[len(self._weights) :] = 0
        slopes = self._back(d)[: len(self._weights)]
        parts = self._x * np.tensordot(self._weights, slopes, axes=1)
        amounts = np.add.reduceat(parts, self._bounds[:-1], axis=1).T
        return Attribution(amounts, float(values[-2]), float(values[-1]))

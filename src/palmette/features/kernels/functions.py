"""A kernel written in Python: slow, one call for every pair, but it does everything that kernels do."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any

import numpy as np

from palmette.features.kernels.kernel import Kernel, Reals


@dataclass(frozen=True)
class FunctionKernel(Kernel):
    """K(a, b) = function(a, b). Whether that is an inner product, `check_positive` of a Gram matrix says.

    >>> k = FunctionKernel(lambda a, b: float(a == b))
    >>> k.gram([1, 2, 1]).tolist()
    [[1.0, 0.0, 1.0], [0.0, 1.0, 0.0], [1.0, 0.0, 1.0]]
    """

    function: Callable[[Any, Any], float]

    @property
    def form(self) -> Hashable:
        return "items"

    def _data(self, items: list[Any]) -> list[Any]:
        return items

    def _matrix(self, a: list[Any], b: list[Any], out: Reals, n_jobs: int) -> None:
        for i, one in enumerate(a):
            out[i] = [self.function(one, two) for two in b]

    def _diagonal(self, a: list[Any], n_jobs: int) -> Reals:
        return np.array([self.function(item, item) for item in a], dtype=np.float64)

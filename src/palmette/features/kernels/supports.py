"""Sums of kernels: f(x) = Σ_i α_i K(x_i, x), which is what a learner in dual form predicts with.

How a sum is kept depends on the kernel. Where Φ can be added up (vectors, n-grams), the sum is one vector.
Trees are merged into one forest of distinct subtrees (`native/features/kernels/support_forest.hpp`), and tagged
sequences into one row of states (`native/features/kernels/tagged_supports.hpp`). Sums of kernels, multiples,
normalised kernels and kernels of parts go back to these; other kernels keep a list of the x_i and a Gram matrix
is made for every score. All of it is exact: the same number as one kernel call for every x_i.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from palmette import _native
from palmette.features.kernels.kernel import Kernel, Prepared, Reals, check_finite
from palmette.threads import n_threads

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_CHUNK = 256


class Supports(ABC):
    """Σ_i α_i K(x_i, ·).

    >>> from palmette.features.kernels import LinearKernel
    >>> supports = LinearKernel().supports()
    >>> supports.add([{"a": 1.0}, {"a": 2.0, "b": 1.0}], [1.0, -0.5])
    >>> supports.score([{"b": 3.0}]).tolist()
    [-1.5]
    """

    def __init__(self, kernel: Kernel) -> None:
        self.kernel = kernel
        self.n = 0

    def __len__(self) -> int:
        """How many items were added."""
        return self.n

    def add(self, items: Any, alphas: ArrayLike, which: Sequence[int] | None = None) -> None:
        """Adds α K(x, ·) for every item, or for those at the indices `which`, in O(their size)."""
        prepared = self.kernel.prepare(items)
        indices = np.arange(len(prepared)) if which is None else np.asarray(which, dtype=np.int64).reshape(-1)
        weights = np.ascontiguousarray(alphas, dtype=np.float64).reshape(-1)
        if len(weights) != len(indices):
            raise ValueError(f"Supports need one weight each; got {len(weights)} for {len(indices)}.")
        if len(indices) and not (indices.min() >= 0 and indices.max() < len(prepared)):
            raise IndexError(f"Supports must lie between 0 and {len(prepared) - 1}.")
        if not np.isfinite(weights).all():
            raise ValueError("The weights of supports must be finite.")
        self._add(prepared, indices.astype(np.int64), weights)
        self.n += len(indices)

    def score(self, items: Any, n_jobs: int = 1) -> Reals:
        """Σ_i α_i K(x_i, x) of every item x."""
        found = self._score(self.kernel.prepare(items), n_threads(n_jobs))
        check_finite(found, self.kernel)
        return found

    @abstractmethod
    def _add(self, prepared: Prepared, which: np.ndarray[Any, Any], alphas: Reals) -> None: ...

    @abstractmethod
    def _score(self, prepared: Prepared, n_jobs: int) -> Reals: ...


class ListedSupports(Supports):
    """One kernel value for every support: what any kernel can do."""

    def __init__(self, kernel: Kernel) -> None:
        super().__init__(kernel)
        self._chunks: list[tuple[Prepared, Reals]] = []

    def _add(self, prepared: Prepared, which: np.ndarray[Any, Any], alphas: Reals) -> None:
        """New supports are a chunk; chunks of like sizes become one, so that none is prepared often."""
        for start in range(0, len(which), _CHUNK):
            chosen = [prepared.items[i] for i in which[start : start + _CHUNK].tolist()]
            self._chunks.append((self.kernel.prepare(chosen), alphas[start : start + _CHUNK].copy()))
            while len(self._chunks) > 1 and self._mergeable():
                (one, a), (two, b) = self._chunks[-2:]
                self._chunks[-2:] = [(self.kernel.prepare(one.items + two.items), np.concatenate([a, b]))]

    def _mergeable(self) -> bool:
        before, last = len(self._chunks[-2][0]), len(self._chunks[-1][0])
        return before <= last and before + last <= _CHUNK

    def _score(self, prepared: Prepared, n_jobs: int) -> Reals:
        total: Reals = np.zeros(len(prepared))
        for chunk, alphas in self._chunks:
            total += self.kernel.gram(prepared, chunk, n_jobs) @ alphas
        return total


class WeightVector(Supports):
    """w = Σ α Φ(x), where Φ is a native sparse vector: the primal form."""

    def __init__(self, kernel: Kernel, sparse_of: Callable[[Prepared], _native.SparseSet]) -> None:
        super().__init__(kernel)
        self._sum, self._sparse_of = _native.SparseSum(), sparse_of

    def _add(self, prepared: Prepared, which: np.ndarray[Any, Any], alphas: Reals) -> None:
        self._sum.add(self._sparse_of(prepared), which, alphas)

    def _score(self, prepared: Prepared, n_jobs: int) -> Reals:
        return self._sum.score(self._sparse_of(prepared))

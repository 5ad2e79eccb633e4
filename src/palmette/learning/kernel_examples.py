"""What learners in dual form share: rows of the Gram matrix, and the sums Σ_i α_i K(x_i, x) that they end
with.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from palmette import _native
from palmette.features.kernels.kernel import Kernel, Prepared
from palmette.features.kernels.positive import check_positive

Reals = NDArray[np.float64]
_CHECKED = 400  # examples that a kernel is tried on
_QUERIES = 512


@dataclass(frozen=True, eq=False)
class KernelExamples:
    """Examples under a kernel, and their classes as numbers from 0 on.

    cache_mb: the whole Gram matrix is made, in threads, where it fits into this many megabytes; else rows are
    made when they are needed, and those that were used last are kept.
    """

    kernel: Kernel
    prepared: Prepared
    labels: NDArray[np.int32]
    n_classes: int
    cache_mb: float = 1000.0
    n_jobs: int = 1

    @classmethod
    def of(
        cls,
        kernel: Kernel,
        items: Any,
        labels: NDArray[np.int32],
        n_classes: int,
        *,
        cache_mb: float = 1000.0,
        n_jobs: int = 1,
    ) -> KernelExamples:
        """Prepares the items."""
        prepared = kernel.prepare(items)
        if len(prepared) != len(labels):
            raise ValueError(f"There are {len(prepared)} items and {len(labels)} labels.")
        if not len(labels):
            raise ValueError("There are no examples to learn from.")
        return cls(kernel, prepared, labels, n_classes, cache_mb, n_jobs)

    def __len__(self) -> int:
        return len(self.labels)

    @property
    def is_whole(self) -> bool:
        """Whether the Gram matrix is kept as a whole."""
        return len(self) ** 2 * 8 <= self.cache_mb * 1e6

    @cached_property
    def gram(self) -> Reals:
        """The Gram matrix."""
        return self.kernel.gram(self.prepared, n_jobs=self.n_jobs)

    @cached_property
    def rows(self) -> _native.GramRows:
        """Rows of the Gram matrix."""
        if self.is_whole:
            return _native.GramRows(self.gram)
        return _native.GramRows.on_demand(len(self), self._row, int(self.cache_mb * 1e6))

    def _row(self, i: int) -> Reals:
        return np.ascontiguousarray(self.kernel.gram([self.prepared.items[i]], self.prepared, self.n_jobs)[0])

    @cached_property
    def diagonal(self) -> Reals:
        """K(x, x) of every example."""
        return np.ascontiguousarray(self.kernel.diagonal(self.prepared, self.n_jobs))

    def check_positive(self) -> None:
        """ValueError where the kernel, on some of the examples, is not an inner product."""
        step = -(-len(self) // _CHECKED)
        some = self.prepared.items[::step] if step > 1 else None
        gram = self.kernel.gram(some) if some is not None else self.gram
        try:
            check_positive(gram)
        except ValueError as error:
            raise ValueError(f"{self.kernel}: {error} With check=False it is taken as it is.") from None


@dataclass(frozen=True, eq=False)
class KernelSums:
    """f_m(x) = Σ_s coefficients[s, m] K(x_s, x) + biases[m] of some machines m over the same supports."""

    kernel: Kernel
    supports: Prepared
    coefficients: Reals
    biases: Reals

    @classmethod
    def of(cls, examples: KernelExamples, coefficients: Reals, biases: Reals) -> KernelSums:
        """Keeps the examples with a coefficient that is not 0."""
        which = np.flatnonzero(coefficients.any(axis=1))
        items = [plain_item(examples.prepared.items[i]) for i in which.tolist()]
        kept = np.ascontiguousarray(coefficients[which])
        return cls(examples.kernel, examples.kernel.prepare(items), kept, biases)

    def __reduce__(self) -> tuple[Any, ...]:
        return _sums_of, (self.kernel, self.supports.items, self.coefficients, self.biases)

    def values(self, items: Any, n_jobs: int = 1) -> Reals:
        """f_m(x) at [x, m]: a Gram matrix of some items at a time with all supports, which all machines
        share.
        """
        listed = items if isinstance(items, Prepared) else self.kernel.prepare(items)
        out: Reals = np.empty((len(listed), len(self.biases)))
        for at in range(0, len(listed), _QUERIES):
            some = (
                listed if len(listed) <= _QUERIES else self.kernel.prepare(listed.items[at : at + _QUERIES])
            )
            with np.errstate(over="ignore", invalid="ignore"):
                out[at : at + _QUERIES] = self.kernel.gram(some, self.supports, n_jobs) @ self.coefficients
        out += self.biases
        if not np.isfinite(out).all():
            raise ValueError("The sums of a kernel are too large for a double: take a smaller decay or C.")
        return out


def _sums_of(kernel: Kernel, supports: list[Any], coefficients: Reals, biases: Reals) -> KernelSums:
    """Make sums again: what pickle calls."""
    return KernelSums(kernel, kernel.prepare(supports), coefficients, biases)


def plain_item(item: Any) -> Any:
    """The item itself; of a row of a sparse matrix, which a file cannot hold, the mapping of its columns."""
    if not hasattr(item, "tocsr"):
        return item
    row = item.tocsr()
    return {i: value for i, value in zip(row.indices.tolist(), row.data.tolist()) if value}

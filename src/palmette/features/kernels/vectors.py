"""Kernels of vectors: x · y, (c + x · y)^p and exp(−γ ‖x − y‖²).

A vector is a mapping {name: number} with strings or whole numbers for names, a set of names (each with the
value 1), a row of numbers, or a number. A collection is a list of these, a matrix, or a sparse matrix of
SciPy's; a column's number is then its name. Dense collections of one width meet by matrix products; all
others cost O(entries that match).

The latter two are functions of an inner product and take any kernel in its place: `PolynomialKernel(2,
of=TreeKernel())`.
"""

from __future__ import annotations

import itertools
import math
import sys
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from palmette import _native
from palmette.features.kernels.kernel import (
    Features,
    Kernel,
    Prepared,
    Reals,
    check_few,
    check_finite,
    check_length,
)
from palmette.features.kernels.supports import Supports, WeightVector
from palmette.features.kernels.vector_data import Rows, Vectors, csr_vectors, finite, vectors_of

_HIGHEST = 1000  # degree: two to the power of it is near the largest double
_TOO_FEW = 1e-7  # of the squares, in their difference: nine digits of sixteen are gone


@dataclass(frozen=True)
class LinearKernel(Kernel):
    """x · y.

    >>> LinearKernel()([1, 3], [2, 4]), LinearKernel()({"a": 2.0}, {"a"})
    (14.0, 2.0)
    """

    @property
    def form(self) -> Hashable:
        return "vectors"

    def is_item(self, given: Any) -> bool:
        if isinstance(given, list | tuple):
            return all(isinstance(value, int | float | np.number) for value in given)
        if isinstance(given, np.ndarray):
            return given.ndim == 1 and given.dtype != object
        return not isinstance(given, Prepared) and not hasattr(given, "tocsr")

    def _listed(self, items: Any) -> list[Any]:
        if hasattr(items, "tocsr"):
            matrix = items.tocsr()
            return [matrix[i] for i in range(matrix.shape[0])]
        return super()._listed(items)

    def prepare(self, items: Any) -> Prepared:
        # Whole matrices need not be taken apart.
        if hasattr(items, "tocsr"):
            return Prepared(self.form, csr_vectors(items.tocsr()), Rows(items.tocsr()))
        if isinstance(items, np.ndarray) and items.ndim == 2 and items.dtype != object:
            return Prepared(self.form, Vectors(finite(items)), Rows(items))
        return super().prepare(items)

    def _data(self, items: list[Any]) -> Vectors:
        return vectors_of(items)

    def _matrix(self, a: Vectors, b: Vectors, out: Reals, n_jobs: int) -> None:
        if a.dense is not None and b.dense is not None:
            _check_widths(a.dense, b.dense)
            with np.errstate(over="ignore", invalid="ignore"):  # found out later, and said in a sentence
                np.matmul(a.dense, b.dense.T, out=out)
        else:
            _native.sparse_gram(a.sparse, a.sparse if a is b else b.sparse, n_jobs, out)

    def _diagonal(self, a: Vectors, n_jobs: int) -> Reals:
        if a.dense is not None:
            return np.asarray(np.einsum("ij,ij->i", a.dense, a.dense))
        return _native.sparse_diagonal(a.sparse)

    def _distances(self, a: Vectors, b: Vectors, out: Reals, n_jobs: int) -> None:
        if a.dense is None or b.dense is None:
            _native.sparse_distances(a.sparse, a.sparse if a is b else b.sparse, n_jobs, out)
            return
        _check_widths(a.dense, b.dense)
        # Far from zero the squares hide the differences. Near the mean fewer pairs are left that need them.
        middle = b.dense.mean(axis=0) if len(b.dense) else 0.0
        x = Vectors(a.dense - middle)
        y = x if a is b else Vectors(b.dense - middle)
        super()._distances(x, y, out, n_jobs)
        rows, columns = self._diagonal(x, n_jobs), self._diagonal(y, n_jobs)
        for i, row in enumerate(out):
            (doubtful,) = np.nonzero(row < _TOO_FEW * (rows[i] + columns))
            if len(doubtful):
                row[doubtful] = np.square(b.dense[doubtful] - a.dense[i]).sum(axis=1)

    def features(self, item: Any) -> Features:
        if isinstance(item, Mapping):
            return {name: float(value) for name, value in item.items()}
        if isinstance(item, set | frozenset):
            return dict.fromkeys(item, 1.0)
        return {i: float(value) for i, value in enumerate(np.asarray(item, dtype=np.float64).ravel())}

    def supports(self) -> Supports:
        return WeightVector(self, lambda prepared: prepared.data.sparse)


def _check_widths(a: Reals, b: Reals) -> None:
    if a.shape[1] != b.shape[1]:
        raise ValueError(f"Vectors must be equally long; got {a.shape[1]} and {b.shape[1]} numbers.")


def _linear() -> Kernel:
    return LinearKernel()


@dataclass(frozen=True)
class PolynomialKernel(Kernel):
    """(constant + K(x, y))^degree: all monomials of the features up to that degree.

    >>> PolynomialKernel(2)([1, 3], [2, 4])
    225.0
    """

    degree: int = 2
    constant: float = 1.0
    of: Kernel = field(default_factory=_linear)

    def __post_init__(self) -> None:
        check_length(self.degree, "degree", _HIGHEST)
        if not (self.constant >= 0 and math.isfinite(self.constant)):
            raise ValueError(
                f"The 'constant' must be a number that is not negative. Got {self.constant!r} instead."
            )

    @property
    def form(self) -> Hashable:
        return self.of.form

    def is_item(self, given: Any) -> bool:
        return self.of.is_item(given)

    def prepare(self, items: Any) -> Prepared:
        return self.of.prepare(items)

    def _data(self, items: list[Any]) -> Any:
        return self.of._data(items)

    def _matrix(self, a: Any, b: Any, out: Reals, n_jobs: int) -> None:
        self.of._matrix(a, b, out, n_jobs)
        out += self.constant
        with np.errstate(over="ignore"):
            np.power(out, self.degree, out=out)

    def _diagonal(self, a: Any, n_jobs: int) -> Reals:
        with np.errstate(over="ignore"):
            return np.asarray((self.constant + self.of._diagonal(a, n_jobs)) ** self.degree)

    def features(self, item: Any) -> Features:
        """Monomials by the names in them: each weighs the root of how often it comes up in the power."""
        found = self.of.features(item)
        names = [*found, None] if self.constant else list(found)  # None: the constant
        check_few(math.comb(len(names) + self.degree - 1, self.degree), self)
        made: Features = {}
        for chosen in itertools.combinations_with_replacement(names, self.degree):
            runs = [len(list(run)) for _, run in itertools.groupby(chosen)]
            weight = math.factorial(self.degree) / math.prod(map(math.factorial, runs))
            value = math.prod(math.sqrt(self.constant) if name is None else found[name] for name in chosen)
            made[tuple(name for name in chosen if name is not None)] = math.sqrt(weight) * value
        return made


@dataclass(frozen=True)
class GaussianKernel(Kernel):
    """exp(−γ ‖Φ(x) − Φ(y)‖²), where ‖Φ(x) − Φ(y)‖² = K(x, x) + K(y, y) − 2 K(x, y).

    >>> round(GaussianKernel(0.5)([0.0, 1.0], [1.0, 1.0]), 6) == round(math.exp(-0.5), 6)
    True
    """

    gamma: float = 1.0
    of: Kernel = field(default_factory=_linear)

    def __post_init__(self) -> None:
        number = isinstance(self.gamma, int | float | np.integer | np.floating)
        if not number or isinstance(self.gamma, bool) or not 0 < self.gamma <= sys.float_info.max:
            raise ValueError(f"The 'gamma' must be a number above 0. Got {self.gamma!r:.60} instead.")

    @property
    def form(self) -> Hashable:
        return self.of.form

    def is_item(self, given: Any) -> bool:
        return self.of.is_item(given)

    def prepare(self, items: Any) -> Prepared:
        return self.of.prepare(items)

    def _data(self, items: list[Any]) -> Any:
        return self.of._data(items)

    def _matrix(self, a: Any, b: Any, out: Reals, n_jobs: int) -> None:
        with np.errstate(over="ignore", invalid="ignore"):
            self.of._distances(a, b, out, n_jobs)
        check_finite(out, self.of)
        np.maximum(out, 0.0, out=out)  # rounding may leave a little below zero
        if a is b:
            np.fill_diagonal(out, 0.0)
        out *= -self.gamma
        np.exp(out, out=out)

    def _diagonal(self, a: Any, n_jobs: int) -> Reals:
        return np.ones(len(self.of._diagonal(a, n_jobs)))

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
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from palmette import _native
from palmette.features.kernels.kernel import Features, Kernel, Prepared, Reals, check_few
from palmette.features.kernels.supports import Supports


class Vectors:
    """A collection: a dense matrix or native sparse vectors; either is made of the other when it is asked for."""

    def __init__(self, dense: Reals | None, sparse: _native.SparseSet | None = None) -> None:
        self.dense = dense
        if sparse is not None:
            self.sparse = sparse

    @cached_property
    def sparse(self) -> _native.SparseSet:
        assert self.dense is not None
        rows, columns = np.nonzero(self.dense)
        offsets = np.searchsorted(rows, np.arange(len(self.dense) + 1)).astype(np.int64)
        return _native.SparseSet.of_columns(columns.astype(np.int64), self.dense[rows, columns], offsets)


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
            return Prepared(self.form, _of_csr(items.tocsr()), _Rows(items.tocsr()))
        if isinstance(items, np.ndarray) and items.ndim == 2 and items.dtype != object:
            return Prepared(self.form, Vectors(_finite(items)), _Rows(items))
        return super().prepare(items)

    def _data(self, items: list[Any]) -> Vectors:
        return vectors_of(items)

    def _matrix(self, a: Vectors, b: Vectors, out: Reals, n_jobs: int) -> None:
        if a.dense is not None and b.dense is not None:
            if a.dense.shape[1] != b.dense.shape[1]:
                raise ValueError(
                    f"Vectors must be equally long; got {a.dense.shape[1]} and {b.dense.shape[1]} numbers."
                )
            np.matmul(a.dense, b.dense.T, out=out)
        else:
            _native.sparse_gram(a.sparse, a.sparse if a is b else b.sparse, n_jobs, out)

    def _diagonal(self, a: Vectors, n_jobs: int) -> Reals:
        if a.dense is not None:
            return np.asarray(np.einsum("ij,ij->i", a.dense, a.dense))
        return _native.sparse_diagonal(a.sparse)

    def features(self, item: Any) -> Features:
        if isinstance(item, Mapping):
            return {name: float(value) for name, value in item.items()}
        if isinstance(item, set | frozenset):
            return dict.fromkeys(item, 1.0)
        return {i: float(value) for i, value in enumerate(np.asarray(item, dtype=np.float64).ravel())}

    def supports(self) -> Supports:
        return _WeightVector(self, lambda prepared: prepared.data.sparse)


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
        if not isinstance(self.degree, int) or isinstance(self.degree, bool) or self.degree < 1:
            raise ValueError(
                f"The 'degree' must be an int in the range [1, inf). Got {self.degree!r} instead."
            )
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
        if isinstance(self.gamma, bool) or not (self.gamma > 0 and math.isfinite(self.gamma)):
            raise ValueError(f"The 'gamma' must be a number above 0. Got {self.gamma!r} instead.")

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
        rows = self.of._diagonal(a, n_jobs)
        columns = rows if a is b else self.of._diagonal(b, n_jobs)
        out *= -2.0
        out += rows[:, None]
        out += columns
        np.maximum(out, 0.0, out=out)  # rounding may leave a little below zero
        if a is b:
            np.fill_diagonal(out, 0.0)
        out *= -self.gamma
        np.exp(out, out=out)

    def _diagonal(self, a: Any, n_jobs: int) -> Reals:
        return np.ones(len(self.of._diagonal(a, n_jobs)))


class _WeightVector(Supports):
    """w = Σ α Φ(x), where Φ is a native sparse vector: the primal form."""

    def __init__(self, kernel: Kernel, sparse_of: Any) -> None:
        super().__init__(kernel)
        self._sum, self._sparse_of = _native.SparseSum(), sparse_of

    def _add(self, prepared: Prepared, which: np.ndarray[Any, Any], alphas: Reals) -> None:
        self._sum.add(self._sparse_of(prepared), which, alphas)

    def _score(self, prepared: Prepared, n_jobs: int) -> Reals:
        return self._sum.score(self._sparse_of(prepared))


class _Rows(list[Any]):
    """The rows of a matrix as items, made when one is asked for."""

    def __init__(self, matrix: Any) -> None:
        super().__init__()
        self._matrix = matrix

    def __len__(self) -> int:
        return int(self._matrix.shape[0])

    def __getitem__(self, i: Any) -> Any:
        return self._matrix[i]


def vectors_of(items: list[Any]) -> Vectors:
    """Vectors of any kinds, dense if all of them are rows of numbers and equally long."""
    if items and all(isinstance(item, list | tuple | np.ndarray | int | float | np.number) for item in items):
        rows = [np.asarray(item, dtype=np.float64).reshape(-1) for item in items]
        lengths = {len(row) for row in rows}
        if len(lengths) > 1:
            raise ValueError(f"Vectors must be equally long; got {min(lengths)} and {max(lengths)} numbers.")
        return Vectors(_finite(np.stack(rows)))
    names: list[Any] = []
    values: list[float] = []
    offsets = [0]
    for i, item in enumerate(items):
        if isinstance(item, Mapping):
            names += item
            values += [float(value) for value in item.values()]
        elif isinstance(item, set | frozenset):
            names += item
            values += [1.0] * len(item)
        elif hasattr(item, "tocsr"):
            row = item.tocsr()
            names += row.indices.tolist()
            values += row.data.tolist()
        elif isinstance(item, list | tuple | np.ndarray):
            row = np.asarray(item, dtype=np.float64).reshape(-1)
            names += np.flatnonzero(row).tolist()
            values += row[row != 0].tolist()
        else:
            raise TypeError(
                f"Vector {i} must be a mapping, a set of names or a row of numbers. Got {item!r:.60} instead."
            )
        offsets.append(len(names))
    for i, name in enumerate(names):
        if not isinstance(name, str):
            names[i] = _whole(name)
    numbers = _finite(np.array(values, dtype=np.float64))
    return Vectors(None, _native.SparseSet(names, numbers, np.array(offsets, dtype=np.int64)))


def _whole(name: Any) -> int:
    if isinstance(name, int | np.integer) and -(2**63) <= int(name) < 2**63:
        return int(name)
    raise TypeError(f"Names of features must be strings or whole numbers of 64 bits. Got {name!r} instead.")


def _of_csr(matrix: Any) -> Vectors:
    columns = np.ascontiguousarray(matrix.indices, dtype=np.int64)
    values = _finite(np.ascontiguousarray(matrix.data, dtype=np.float64))
    return Vectors(
        None,
        _native.SparseSet.of_columns(columns, values, np.ascontiguousarray(matrix.indptr, dtype=np.int64)),
    )


def _finite(values: Any) -> Reals:
    made = np.ascontiguousarray(values, dtype=np.float64)
    if not np.isfinite(made).all():
        raise ValueError("Vectors must have finite numbers; got one that is not.")
    return made

"""Vectors of all kinds, in the form that the kernels of vectors read: a dense matrix, or native sparse vectors."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

import numpy as np

from palmette import _native
from palmette.features.kernels.kernel import Reals


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


class Rows(list[Any]):
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
        return Vectors(finite(np.stack(rows)))
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
    numbers = finite(np.array(values, dtype=np.float64))
    return Vectors(None, _native.SparseSet(names, numbers, np.array(offsets, dtype=np.int64)))


def _whole(name: Any) -> int:
    if isinstance(name, int | np.integer) and -(2**63) <= int(name) < 2**63:
        return int(name)
    raise TypeError(f"Names of features must be strings or whole numbers of 64 bits. Got {name!r} instead.")


def csr_vectors(matrix: Any) -> Vectors:
    """The rows of a sparse matrix."""
    columns = np.ascontiguousarray(matrix.indices, dtype=np.int64)
    values = finite(np.ascontiguousarray(matrix.data, dtype=np.float64))
    return Vectors(
        None,
        _native.SparseSet.of_columns(columns, values, np.ascontiguousarray(matrix.indptr, dtype=np.int64)),
    )


def finite(values: Any) -> Reals:
    """Numbers as contiguous doubles; ValueError where one is not finite."""
    made = np.ascontiguousarray(values, dtype=np.float64)
    if not np.isfinite(made).all():
        raise ValueError("Vectors must have finite numbers; got one that is not.")
    return made

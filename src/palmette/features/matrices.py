"""Sentences as matrices: a row per token, a column per attribute; NumPy arrays or SciPy's sparse ones.

SciPy is not imported: a matrix with `tocsr` is sparse. Zeros are left out. O(entries).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from palmette.errors import numbered
from palmette.features.checks import check_ids
from palmette.features.instances import Instances
from palmette.formats.model.strings import StringTable


def is_matrices(sentences: object) -> bool:
    """Whether sentences are matrices, by the first of them."""
    if not isinstance(sentences, (list, tuple)) or not sentences:
        return False
    return hasattr(sentences[0], "tocsr") or (
        isinstance(sentences[0], np.ndarray) and sentences[0].ndim == 2 and sentences[0].dtype.kind in "biuf"
    )


class MatrixMap:
    """The columns of matrices as attributes.

    >>> matrix_map, instances = MatrixMap.fit([np.array([[0, 2.5], [1, 0]])])
    >>> instances.attributes.tolist(), instances.values.tolist(), matrix_map.names()
    ([1, 0], [2.5, 1.0], ['x0', 'x1'])
    """

    n_pair_attributes = 0
    hash_bits = None

    def __init__(self, n_attributes: int) -> None:
        self.n_attributes = n_attributes

    @classmethod
    def fit(cls, sentences: Iterable[Any]) -> tuple[MatrixMap, Instances]:
        """The map of these sentences, which must agree in their columns, and their instances."""
        listed = list(sentences)
        if not listed:
            raise ValueError("There must be at least one sentence, since its columns are the attributes.")
        made = cls(_shape(listed[0], 0)[1])
        return made, made.transform(listed)

    def transform(self, sentences: Iterable[Any]) -> Instances:
        """The tokens of sentences; ValueError if a matrix has other columns than those of `fit`."""
        lengths, counts, columns, values = [0], [np.zeros(1, np.int64)], [], []
        for i, matrix in enumerate(sentences):
            n, width = _shape(matrix, i)
            if width != self.n_attributes:
                raise ValueError(
                    f"{numbered(i, 'Sentence')} has {width} columns instead of {self.n_attributes}."
                )
            of_row, column, value = _entries(matrix)
            with np.errstate(over="ignore"):
                narrow = value.astype(np.float32)
            if not np.isfinite(narrow).all():
                at = int(np.flatnonzero(~np.isfinite(narrow))[0])
                raise ValueError(
                    f"{numbered(i, 'Sentence')}, {numbered(of_row[at], 'token')}: "
                    f"attribute {column[at]} must have a finite value. "
                    f"Got {value[at]}."
                )
            lengths.append(n)
            counts.append(np.bincount(of_row, minlength=n).astype(np.int64))
            columns.append(column.astype(np.int32))
            values.append(narrow)
        joined = np.concatenate(values) if values else np.zeros(0, np.float32)
        return Instances(
            np.cumsum(lengths, dtype=np.int64),
            np.cumsum(np.concatenate(counts)),
            np.concatenate(columns) if columns else np.zeros(0, np.int32),
            None if (joined == 1).all() else joined,
            n_attributes=self.n_attributes,
        )

    def names(self, ids: ArrayLike | None = None) -> list[str]:
        """`x0`, `x1` and so on."""
        return [f"x{i}" for i in check_ids(ids, self.n_attributes).tolist()]

    def name_table(self, ids: ArrayLike | None = None) -> StringTable:
        """The names as a table of strings."""
        return StringTable.of(self.names(ids))

    def __repr__(self) -> str:
        return f"<MatrixMap: {self.n_attributes:,} attributes>"


def _shape(matrix: Any, sentence: int) -> tuple[int, int]:
    shape = getattr(matrix, "shape", None)
    if not isinstance(shape, tuple) or len(shape) != 2:
        raise ValueError(
            f"{numbered(sentence, 'Sentence')} must be a matrix of two dimensions. Got {type(matrix).__name__}."
        )
    return int(shape[0]), int(shape[1])


def _entries(matrix: Any) -> tuple[NDArray[np.int64], NDArray[Any], NDArray[Any]]:
    """Row, column and value of what is not 0, by rows."""
    if hasattr(matrix, "tocsr"):
        rows = matrix.tocsr()
        pointers = np.asarray(rows.indptr, dtype=np.int64)
        of_row = np.repeat(np.arange(len(pointers) - 1), np.diff(pointers))
        kept = np.flatnonzero(rows.data)
        return of_row[kept], np.asarray(rows.indices)[kept], np.asarray(rows.data)[kept]
    dense = np.asarray(matrix)
    if dense.dtype.kind not in "biuf":
        raise ValueError(f"A matrix of attributes must hold numbers. Got {dense.dtype} instead.")
    of_row, column = np.nonzero(dense)
    return of_row, column, dense[of_row, column]

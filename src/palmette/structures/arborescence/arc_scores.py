"""Scores of arcs as arrays: their checks, and constraints on single arcs.

Arc scores of n words are a matrix [n + 1, n + 1], scores[h, m] for the arc from head h to word m. Words count from
1, the artificial root is 0; column 0 and the diagonal are not looked at. Minus infinity forbids an arc.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Heads = npt.NDArray[np.int32]
Reals = npt.NDArray[Any]  # float32 or float64
Arcs = Iterable[tuple[int, int]]

_FLOAT32, _FLOAT64 = np.dtype(np.float32), np.dtype(np.float64)


def arc_scores(scores: npt.ArrayLike, required: Arcs = (), forbidden: Arcs = ()) -> Reals:
    """The scores as a contiguous matrix, with what constraints rule out at -inf. float32 stays float32.

    The values themselves are checked where they are read.
    """
    if type(scores) is np.ndarray and (scores.dtype is _FLOAT64 or scores.dtype is _FLOAT32):
        matrix: Reals = np.ascontiguousarray(scores) if not scores.flags.c_contiguous else scores
    else:
        dtype = _FLOAT32 if getattr(scores, "dtype", None) == _FLOAT32 else _FLOAT64
        try:
            matrix = np.ascontiguousarray(scores, dtype=dtype)
        except (TypeError, ValueError):
            raise ValueError("arc scores must be a matrix of numbers") from None
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or not len(matrix):
        raise ValueError(
            "arc scores of n words must have the shape (n + 1) × (n + 1), heads first and the root at 0; "
            f"got {' × '.join(map(str, matrix.shape)) or 'one number'}"
        )
    if type(required) is tuple and not required and type(forbidden) is tuple and not forbidden:
        return matrix
    return _constrained(matrix, required, forbidden)


def flat_arc_scores(
    scores: Sequence[npt.ArrayLike] | Reals,
    lengths: npt.ArrayLike | None,
    required: Sequence[Arcs] | None,
    forbidden: Sequence[Arcs] | None,
) -> tuple[Reals, npt.NDArray[np.int64]]:
    """Many sentences as one flat array and their lengths.

    `scores` are matrices one by one; or, with `lengths`, one flat array with (n + 1)² scores of each in turn.
    """
    if lengths is not None:
        counts = np.asarray(lengths)
        if counts.ndim != 1 or (len(counts) and counts.dtype.kind not in "iu"):
            raise ValueError(
                "lengths must be a one-dimensional array of integers, the words of each sentence"
            )
        counts = np.ascontiguousarray(counts, dtype=np.int64)
        dtype = _FLOAT32 if getattr(scores, "dtype", None) == _FLOAT32 else _FLOAT64
        flat: Reals = np.ascontiguousarray(scores, dtype=dtype)
        if flat.ndim != 1:
            raise ValueError("with lengths, the scores of all sentences must be one flat array")
        if required is None and forbidden is None:
            return flat, counts
        sizes = (counts + 1) ** 2
        if len(counts) and (counts.min() < 0 or sizes.sum() != len(flat)):
            raise ValueError("sentences of n words have (n + 1)² scores each; these lengths do not fit")
        blocks = np.split(flat, np.cumsum(sizes)[:-1]) if len(counts) else []
        scores = [block.reshape(n + 1, n + 1) for block, n in zip(blocks, counts.tolist())]
    musts, bans = (_per_sentence(arcs, len(scores)) for arcs in (required, forbidden))
    matrices = [arc_scores(one, must, ban) for one, must, ban in zip(scores, musts, bans)]
    counts = np.array([len(matrix) - 1 for matrix in matrices], dtype=np.int64)
    dtype = _FLOAT32 if matrices and all(matrix.dtype is _FLOAT32 for matrix in matrices) else _FLOAT64
    if not matrices:
        return np.zeros(0), counts
    return np.concatenate([matrix.ravel() for matrix in matrices], dtype=dtype), counts


def check_arc_values(matrix: Floats) -> None:
    """What the native core checks when it reads scores, for those that it does not see."""
    counts = np.ones(matrix.shape, dtype=bool)
    counts[:, 0] = False
    np.fill_diagonal(counts, False)
    if not (matrix[counts] < np.inf).all():
        raise ValueError("arc scores must be finite, or -inf where an arc is forbidden")


def _constrained(matrix: Reals, required: Arcs, forbidden: Arcs) -> Reals:
    out = matrix.copy()
    n = len(matrix) - 1
    musts = [_checked_arc(arc, n, "required") for arc in required]
    for h, m in musts:
        kept = out[h, m]
        out[:, m] = -np.inf
        out[h, m] = kept
    for h, m in (_checked_arc(arc, n, "forbidden") for arc in forbidden):
        out[h, m] = -np.inf
    for h, m in musts:
        if out[h, m] == -np.inf:
            raise ValueError(
                f"no tree can have the required arc from {h} to {m}: another constraint rules it out"
            )
    return out


def _checked_arc(arc: tuple[int, int], n: int, kind: str) -> tuple[int, int]:
    try:
        h, m = (int(np.asarray(end).item()) for end in arc)
    except (TypeError, ValueError):
        raise ValueError(f"{kind} arcs must be pairs (head, word), got {arc!r}") from None
    if not (0 <= h <= n and 1 <= m <= n) or h == m:
        raise ValueError(
            f"there is no arc from {h} to {m} in a sentence of {n} words ({kind} arcs are (head, word))"
        )
    return h, m


def _per_sentence(arcs: Sequence[Arcs] | None, n: int) -> Sequence[Arcs]:
    if arcs is None:
        return [()] * n
    if len(arcs) != n:
        raise ValueError(f"there must be one list of arcs for each of {n} sentences, got {len(arcs)}")
    return arcs

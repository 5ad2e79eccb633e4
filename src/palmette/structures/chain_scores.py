"""The scores of label sequences, as arrays, and their checks.

    score(y) = Σ_i unary[i, y_i] + Σ_i table_i[y_{i-h}, …, y_{i-1}, y_i]      h = min(i, order)

table_i is `transitions` (or `transitions[i]`, where every position has its own) for i ≥ order, and `begin[i]` for
i < order, zero where it is not given. Minus infinity forbids.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Reals = npt.NDArray[Any]  # float32 or float64
Bools = npt.NDArray[np.bool_]
Labels = npt.NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class ChainScores:
    """The scores of one sentence of n tokens, or with `offsets` of many: sentence k is the tokens
    offsets[k] .. offsets[k + 1] - 1 of flat arrays.

    unary: [n, L]. transitions: [L, L] for order 1, in general one axis more than the order, the newest label last;
    or [n, L, L], entry i for the step to position i; None for zeros. begin: begin[i] for the positions i < order,
    with i + 1 axes; None for zeros. For a chain with an automaton, states: [states of the automaton, L], the score
    of a label in a state. steps: [steps] or [n, steps], a score for every step of the chain's `states`, in place
    of the tables.
    """

    unary: npt.ArrayLike
    transitions: npt.ArrayLike | None = None
    begin: Sequence[npt.ArrayLike | None] = ()
    offsets: npt.ArrayLike | None = None
    states: npt.ArrayLike | None = None
    steps: npt.ArrayLike | None = None

    @classmethod
    def of_sentences(
        cls,
        unaries: Sequence[npt.ArrayLike],
        transitions: npt.ArrayLike | None = None,
        begin: Sequence[npt.ArrayLike | None] = (),
    ) -> ChainScores:
        """Many sentences, given one by one, with the same tables."""
        rows = [np.asarray(unary) for unary in unaries]
        if any(row.ndim != 2 for row in rows):
            raise ValueError("every sentence must have a two-dimensional array of scores, tokens × labels")
        widths = {row.shape[1] for row in rows if row.shape[0]}
        if len(widths) > 1:
            raise ValueError(
                f"all sentences must have scores for as many labels; got {', '.join(map(str, sorted(widths)))}"
            )
        full = [row for row in rows if row.shape[0]] or rows[:1]
        flat = np.concatenate(full) if full else np.zeros((0, 0))
        return cls(flat, transitions, begin, np.cumsum([0, *(len(row) for row in rows)]))


def checked_reals(values: npt.ArrayLike, name: str, dtype: Any, shape: tuple[int, ...]) -> Reals:
    """Scores as a contiguous array: finite or -inf, never NaN or +inf."""
    try:
        array = np.ascontiguousarray(values, dtype=dtype)
    except (TypeError, ValueError):
        raise ValueError(f"{name} must be an array of numbers") from None
    if array.shape != shape:
        raise ValueError(f"{name} must have the shape {_times(shape)}, got {_times(array.shape)}")
    if array.size and not np.max(array) < np.inf:
        where = tuple(int(i) for i in np.argwhere(~(array < np.inf))[0])
        raise ValueError(f"{name} must be finite or -inf; entry {list(where)} is {array[where]}")
    return array


def checked_bools(values: npt.ArrayLike, name: str, shape: tuple[int, ...]) -> Bools:
    """A table of what is allowed."""
    array = np.ascontiguousarray(values)
    if array.shape != shape:
        raise ValueError(f"{name} must have the shape {_times(shape)}, got {_times(array.shape)}")
    if array.dtype != np.bool_:
        raise ValueError(f"{name} must be an array of True and False, got numbers of type {array.dtype}")
    return array


def checked_offsets(offsets: npt.ArrayLike | None, n_tokens: int) -> npt.NDArray[np.int64]:
    """Where sentences begin: ascending, from 0 to the number of tokens."""
    if offsets is None:
        return np.array([0, n_tokens], dtype=np.int64)
    array = np.asarray(offsets)
    if array.ndim != 1 or not len(array) or array.dtype.kind not in "iu":
        raise ValueError(
            "offsets must be a one-dimensional array of integers, one more than there are sentences"
        )
    array = np.ascontiguousarray(array, dtype=np.int64)
    if array[0] != 0 or array[-1] != n_tokens or (np.diff(array) < 0).any():
        raise ValueError(
            f"offsets must ascend from 0 to the number of tokens, {n_tokens}; got {array[0]} to {array[-1]}"
        )
    return array


def real_type(unary: npt.ArrayLike) -> Any:
    """float32 stays float32; everything else becomes float64."""
    return np.float32 if getattr(unary, "dtype", None) == np.float32 else np.float64


def _times(shape: tuple[int, ...]) -> str:
    return " × ".join(map(str, shape)) if shape else "()"

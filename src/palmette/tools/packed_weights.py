"""Long tables of weights in model files, without their zeros.

`name.gaps` has the number of places between a weight and the one before it; 255 is that number of places without a
weight behind them. `name.values` has the weights: 16-bit numbers in units of `name.unit`, or, compact, one byte
each, their places in `name.levels`. Older compact files have square roots in 8 bits, in units of `name.unit`.

A compact table leaves out the smallest weights, whose squares sum to `DROPPED` of all squares, and rounds the
others to levels (`packed_rows.levels_of`), unless it is small. On the English Web Treebank that leaves a quarter
of the weights, and LAS stays the same to a tenth of a point.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from palmette._native import SparseRows, spread_rows, spread_weights
from palmette.errors import UsageError
from palmette.learning.problem import Weights
from palmette.tools.packed_rows import SMALL, has_few_levels, levels_of, smallest_kept

DROPPED = 0.025
LARGEST_UNIT = 1e20  # so that no sum of weights overflows, whatever a file says
MOST_WEIGHTS = 1 << 27  # of a parser: half a gigabyte, and no file may ask for more
_SKIP = 255
_LARGEST = 32767
_LEVELS = 256


@dataclass(frozen=True, eq=False)
class LevelWeights:
    """A table with a byte for each weight: its place among 256 levels, the first of which is zero."""

    places: NDArray[np.uint8]
    levels: NDArray[np.float32]

    @property
    def dense(self) -> Weights:
        """The weights themselves, which take four times the memory."""
        found: Weights = self.levels[self.places]
        return found


def require_size(n_weights: int) -> None:
    """ValueError for more weights than a parser may have."""
    if n_weights > MOST_WEIGHTS:
        raise UsageError(
            f"The tables of the parser have {n_weights:,} weights, and at most {MOST_WEIGHTS:,} are allowed: "
            "take a smaller 'bits' or 'label_bits'."
        )


def full_table(weights: Weights | LevelWeights | SparseRows) -> Weights:
    """Return a table with all of its weights, in whatever form it is held."""
    if isinstance(weights, LevelWeights):
        return weights.dense
    if isinstance(weights, SparseRows):
        n = len(weights)
        return weights.sums(np.arange(n + 1, dtype=np.int64), np.arange(n, dtype=np.int32), None, 1)
    return weights


def pack_weights(name: str, weights: Weights, compact: bool) -> dict[str, NDArray[Any]]:
    """Return the arrays of a table; one with few different weights loses nothing, compact or not."""
    few = has_few_levels(weights)
    if few or (compact and np.count_nonzero(weights) > SMALL):
        least = 0.0 if few else smallest_kept(weights, DROPPED)
        places = np.flatnonzero((weights != 0) & (np.abs(weights) >= least))
        levels, values = levels_of(weights[places])
        return {**_pack(name, places, values), f"{name}.levels": levels.astype("<f4")}
    top = float(np.abs(weights).max(initial=0.0))
    top = top if top > 1e-30 else 1.0  # what is smaller is zero
    rounded = np.rint(weights * np.float32(_LARGEST / top)).astype(np.int16)
    places = np.flatnonzero(rounded)
    unit = np.array([top / _LARGEST], dtype="<f4")
    return {**_pack(name, places, rounded[places]), f"{name}.unit": unit}


def _pack(name: str, places: NDArray[np.int64], values: NDArray[Any]) -> dict[str, NDArray[Any]]:
    gaps = np.diff(places, prepend=-1) - 1
    skips = gaps // _SKIP
    entries = np.full(len(places) + int(skips.sum()), _SKIP, dtype=np.uint8)
    kept = np.zeros(len(entries), dtype=values.dtype)
    at = np.cumsum(skips + 1) - 1  # where the entries of the kept weights are, their skips before them
    entries[at] = gaps % _SKIP
    kept[at] = values
    return {f"{name}.gaps": entries, f"{name}.values": kept}


def unpack_weights(arrays: Mapping[str, NDArray[Any]], name: str, n_weights: int) -> Weights:
    """Return the table; ValueError if the arrays do not fit."""
    gaps, numbers, levels = _entries(arrays, name)
    weights = np.zeros(n_weights, dtype=np.float32)
    with _within(name, n_weights):
        spread_weights(gaps, numbers, levels, weights)
    return weights


def unpack_levels(arrays: Mapping[str, NDArray[Any]], name: str, n_weights: int) -> Weights | LevelWeights:
    """Return the table with a byte for each weight if the file has it so; ValueError if the arrays do not fit."""
    gaps, numbers, levels = _entries(arrays, name)
    places = np.arange(_LEVELS, dtype=np.uint8)
    if numbers.dtype == np.uint8 and levels[0] != 0:  # but the first level of a table is zero
        if len(arrays[f"{name}.levels"]) >= _LEVELS:
            return unpack_weights(arrays, name, n_weights)
        places, levels = places + np.uint8(1), np.concatenate([np.zeros(1, np.float32), levels[:-1]])
    if numbers.dtype != np.uint8:
        return unpack_weights(arrays, name, n_weights)
    table = np.zeros(n_weights, dtype=np.uint8)
    with _within(name, n_weights):
        spread_weights(gaps, numbers, places, table)
    return LevelWeights(table, levels)


def unpack_sparse_rows(
    arrays: Mapping[str, NDArray[Any]], name: str, n_rows: int, n_columns: int, stride: int
) -> SparseRows:
    """Return a table whose rows are `stride` apart, without its zeros; ValueError if it is damaged."""
    gaps, numbers, levels = _entries(arrays, name)
    with _within(name, n_rows * stride):
        return spread_rows(gaps, numbers, levels, n_rows, stride, n_columns)


@contextmanager
def _within(name: str, n_weights: int) -> Iterator[None]:
    try:
        yield
    except IndexError:
        raise ValueError(f"the table {name!r} is longer than {n_weights:,} weights") from None


def _entries(
    arrays: Mapping[str, NDArray[Any]], name: str
) -> tuple[NDArray[np.uint8], NDArray[Any], NDArray[np.float32]]:
    """The gaps of a table, its numbers without signs, and the weight of every number; ValueError if damaged."""
    scale = _scale(arrays, name)
    gaps, values = arrays[f"{name}.gaps"], arrays[f"{name}.values"]
    if values.dtype == np.uint8:
        if values.size and int(values.max()) >= len(scale):
            raise ValueError(f"the table {name!r} has a weight that is not among its {len(scale)} levels")
        levels = np.zeros(_LEVELS, dtype=np.float32)
        levels[: len(scale)] = scale
    else:
        unsigned = np.dtype(f"u{values.dtype.itemsize}")
        sizes = np.arange(1 << 8 * unsigned.itemsize, dtype=unsigned).view(values.dtype).astype(np.float32)
        squares = np.sign(sizes) * sizes**2 if values.dtype == np.int8 else sizes
        values, levels = values.view(unsigned), squares * np.float32(scale[0])
    return np.ascontiguousarray(gaps), np.ascontiguousarray(values), levels


def _scale(arrays: Mapping[str, NDArray[Any]], name: str) -> NDArray[np.float32]:
    """The levels or the unit of a table; ValueError if its arrays are not of one length and of the right types."""
    last = "levels" if f"{name}.levels" in arrays else "unit"
    try:
        gaps, values, scale = (arrays[f"{name}.{part}"] for part in ("gaps", "values", last))
    except KeyError as error:
        raise ValueError(f"the array {error} is missing") from None
    kinds = (np.uint8,) if last == "levels" else (np.int8, np.int16)
    good = (
        gaps.dtype == np.uint8
        and gaps.ndim == 1
        and gaps.shape == values.shape
        and values.dtype in kinds
        and scale.dtype == np.float32
        and bool((np.abs(scale) <= LARGEST_UNIT).all())
        and (scale.ndim == 1 if last == "levels" else scale.shape == (1,) and float(scale[0]) >= 0)
        and (last == "unit" or len(scale) > 0 or not values.size)
    )
    if not good:
        raise ValueError(f"the table {name!r} is damaged")
    return scale

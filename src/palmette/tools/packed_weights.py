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
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from palmette._native import SparseRows
from palmette.learning.problem import Weights
from palmette.tools.packed_rows import SMALL, has_few_levels, levels_of, smallest_kept

DROPPED = 0.025
LARGEST_UNIT = 1e20  # so that no sum of weights overflows, whatever a file says
MOST_WEIGHTS = 1 << 27  # of a parser: half a gigabyte, and no file may ask for more
_SKIP = 255
_LARGEST = 32767
_AT_ONCE = 1 << 18  # entries that are read together
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
        raise ValueError(
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
    at = np.cumsum(skips + 1) - 1  # where the entries of the kept weights stand, their skips before them
    entries[at] = gaps % _SKIP
    kept[at] = values
    return {f"{name}.gaps": entries, f"{name}.values": kept}


def unpack_weights(arrays: Mapping[str, NDArray[Any]], name: str, n_weights: int) -> Weights:
    """Return the table; ValueError if the arrays do not fit."""
    weights = np.zeros(n_weights, dtype=np.float32)
    scale = _scale(arrays, name)
    for places, numbers in _entries(arrays, name, n_weights):
        weights[places] = _restored(numbers, scale)
    return weights


def unpack_levels(arrays: Mapping[str, NDArray[Any]], name: str, n_weights: int) -> Weights | LevelWeights:
    """Return the table with a byte for each weight if the file has it so; ValueError if the arrays do not fit."""
    scale = _scale(arrays, name)
    if f"{name}.levels" not in arrays or len(scale) >= _LEVELS:  # the first level is zero
        return unpack_weights(arrays, name, n_weights)
    table = np.zeros(n_weights, dtype=np.uint8)
    for places, numbers in _entries(arrays, name, n_weights):
        table[places] = numbers + np.uint8(1)
    levels = np.zeros(_LEVELS, dtype=np.float32)
    levels[1 : len(scale) + 1] = scale
    return LevelWeights(table, levels)


def unpack_sparse_rows(
    arrays: Mapping[str, NDArray[Any]], name: str, n_rows: int, n_columns: int, stride: int
) -> SparseRows:
    """Return a table whose rows are `stride` apart, without its zeros; ValueError if it is damaged."""
    scale, rows = _scale(arrays, name), np.zeros(n_rows, dtype=np.uint32)
    columns, values = [np.zeros(0, dtype=np.uint16)], [np.zeros(0, dtype=np.float32)]
    for places, numbers in _entries(arrays, name, n_rows * stride):
        rows += np.bincount(places // stride, minlength=n_rows).astype(np.uint32)
        columns.append((places % stride).astype(np.uint16))
        values.append(_restored(numbers, scale))
    return SparseRows(rows, np.concatenate(columns), np.concatenate(values), n_columns)


def _entries(
    arrays: Mapping[str, NDArray[Any]], name: str, n_weights: int
) -> Iterator[tuple[NDArray[np.int64], NDArray[Any]]]:
    """The places of the weights and their numbers, some at a time; ValueError if a place is out of range."""
    gaps, values = arrays[f"{name}.gaps"], arrays[f"{name}.values"]
    n_levels = len(arrays[f"{name}.levels"]) if values.dtype == np.uint8 else 0
    at = -1
    for begin in range(0, len(gaps), _AT_ONCE):
        part, numbers = gaps[begin : begin + _AT_ONCE], values[begin : begin + _AT_ONCE]
        real = part != _SKIP
        places = at + np.cumsum(part.astype(np.int64) + real)
        at = int(places[-1])
        places, numbers = places[real], numbers[real]
        if len(places) and places[-1] >= n_weights:
            raise ValueError(f"the table {name!r} is longer than {n_weights:,} weights")
        if n_levels and len(numbers) and int(numbers.max()) >= n_levels:
            raise ValueError(f"the table {name!r} has a weight that is not among its {n_levels} levels")
        yield places, numbers


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


def _restored(numbers: NDArray[Any], scale: NDArray[np.float32]) -> Weights:
    if numbers.dtype == np.uint8:
        found: Weights = scale[numbers]
        return found
    sizes: Weights = numbers.astype(np.float32)
    squares: Weights = np.sign(sizes) * sizes**2 if numbers.dtype == np.int8 else sizes
    return squares * np.float32(scale[0])

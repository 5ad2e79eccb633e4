"""Tables of weights in model files: rows of attributes with a column per label, with or without their zeros.

A sparse table is `name.counts` (entries of each row), `name.columns` (of all entries, rising within a row) and
`name.values`. Values are float32; or float16, in older files; or numbers of `name.levels`, one byte each.

A compact table leaves out the smallest weights, whose squares sum to `DROPPED` of all squares, and rounds the
others to 254 levels, whose square roots lie at equal distances. That is for weights of features that are there or
not: then the size of a weight is what it adds to a score. On the English Web Treebank it keeps 7 of 100 weights of
a CRF and changes about ten labels of ten thousand new words, half of them for the better. Two kinds of tables lose
nothing: small ones (`SMALL`), and those of at most 256 different weights, so that a model that is loaded and saved
again stays the same. O(weights).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from palmette._native import SparseRows
from palmette.formats.model import ModelFile
from palmette.formats.model.safetensors import Array

Table = NDArray[np.float32]
DROPPED = 0.002
SMALL = 1 << 14  # weights: a table of no more is kept as it is
MAX_COLUMNS = 1 << 16  # of a sparse table
_LEVELS = 127  # of each sign
_AT_ONCE = 1 << 20  # weights that are looked at together


@dataclass(frozen=True, eq=False)
class Entries:
    """The weights of a table that are not zero: how many each row has, their columns and values, row by row."""

    counts: NDArray[np.uint32]
    columns: NDArray[np.uint16]
    values: NDArray[np.float32]
    n_columns: int

    @classmethod
    def of_table(cls, table: Table, least: float = 0.0) -> Entries:
        """Return the weights of a table whose absolute value is at least `least`."""
        counts = [np.zeros(0, dtype=np.uint32)]
        columns = [np.zeros(0, dtype=np.uint16)]
        values = [np.zeros(0, dtype=np.float32)]
        for part in _parts(table):
            kept = (part != 0) & (np.abs(part) >= least)
            counts.append(kept.sum(axis=1, dtype=np.uint32))
            columns.append(np.nonzero(kept)[1].astype(np.uint16))
            values.append(part[kept].astype(np.float32))
        return cls(np.concatenate(counts), np.concatenate(columns), np.concatenate(values), table.shape[1])

    @classmethod
    def of_rows(cls, rows: SparseRows) -> Entries:
        """Return the weights of rows that are sparse already."""
        counts, columns, values = rows.arrays()
        return cls(counts, columns, values, rows.n_columns)

    def at_least(self, least: float) -> Entries:
        """Return the entries whose absolute value is at least `least`."""
        kept = (self.values != 0) & (np.abs(self.values) >= least)
        rows = np.repeat(np.arange(len(self.counts)), self.counts)[kept]
        counts = np.bincount(rows, minlength=len(self.counts)).astype(np.uint32)
        return Entries(counts, self.columns[kept], self.values[kept], self.n_columns)

    def rounded(self) -> Entries:
        """Return the entries as a compact file keeps them."""
        levels, places = levels_of(self.values)
        return Entries(self.counts, self.columns, levels[places], self.n_columns)

    def select(self, rows: NDArray[np.int64]) -> Entries:
        """Return some rows, in rising order."""
        kept = np.zeros(len(self.counts), dtype=bool)
        kept[rows] = True
        of_entries = np.repeat(kept, self.counts)
        return Entries(self.counts[kept], self.columns[of_entries], self.values[of_entries], self.n_columns)

    @property
    def dense(self) -> Table:
        """The table with its zeros."""
        table = np.zeros((len(self.counts), self.n_columns), dtype=np.float32)
        table[np.repeat(np.arange(len(self.counts)), self.counts), self.columns] = self.values
        return table

    @property
    def sparse(self) -> SparseRows:
        """The table for sums of rows; ValueError if the entries do not make one."""
        return SparseRows(self.counts, self.columns, self.values, self.n_columns)


def essential(table: Table | Entries) -> Entries:
    """Return the weights that matter, rounded: what a compact file keeps of a table."""
    values = table.values if isinstance(table, Entries) else table
    least = 0.0 if loses_nothing(values) else smallest_kept(values, DROPPED)
    found = table.at_least(least) if isinstance(table, Entries) else Entries.of_table(table, least)
    return found if not least else found.rounded()


def loses_nothing(weights: NDArray[np.float32]) -> bool:
    """Return whether a compact file keeps a table as it is."""
    return int(np.count_nonzero(weights)) <= SMALL or has_few_levels(weights)


def has_few_levels(values: NDArray[np.float32]) -> bool:
    """Return whether there are at most 256 different weights beside zero."""
    seen = np.zeros(0, dtype=np.float32)
    for part in _parts(values.reshape(-1)):
        for some in (part[:1000], part):  # mostly the first already has many
            seen = np.union1d(seen, some)
            if np.count_nonzero(seen) > 256:
                return False
    return True


def smallest_kept(weights: NDArray[np.float32], dropped: float) -> float:
    """Return the least absolute value to keep, so that the squares below it sum to at most this part of all.

    To within one part in 128: weights are counted by their first 15 bits.
    """
    energy = np.zeros(1 << 15)
    for part in _parts(weights.reshape(-1)):
        bits = np.abs(part).view(np.uint32) >> 16
        energy += np.bincount(bits, weights=part.astype(np.float64) ** 2, minlength=1 << 15)
    below = np.cumsum(energy)
    if not below[-1]:
        return 0.0
    first = int(np.searchsorted(below, dropped * below[-1], side="right"))
    return float(np.array([min(first, (1 << 15) - 1) << 16], dtype=np.uint32).view(np.float32)[0])


def levels_of(values: NDArray[np.float32]) -> tuple[NDArray[np.float32], NDArray[np.uint8]]:
    """Return at most 256 levels, and the place of the level of each value: its own, or that of the nearest root.

    >>> levels, places = levels_of(np.array([0.5, -3, 0.5, 2], dtype=np.float32))
    >>> levels[places].tolist()
    [0.5, -3.0, 0.5, 2.0]
    """
    if has_few_levels(values):
        levels, places = np.unique(values, return_inverse=True)
        return levels.astype(np.float32), places.reshape(-1).astype(np.uint8)
    roots = np.sqrt(np.abs(values).astype(np.float64))
    least, most = float(roots.min()), float(roots.max())
    steps = np.rint((roots - least) * ((_LEVELS - 1) / (most - least)))
    up = np.linspace(least, most, _LEVELS) ** 2
    levels = np.concatenate([up, -up]).astype(np.float32)
    used, places = np.unique((steps + _LEVELS * (values < 0)).astype(np.uint8), return_inverse=True)
    return levels[used], places.reshape(-1).astype(np.uint8)


def pack_rows(name: str, table: Table | SparseRows, *, compact: bool = False) -> dict[str, Array]:
    """Return the arrays of a table: with its zeros only if it is not compact and at most half of it is zero."""
    if isinstance(table, SparseRows):
        entries = Entries.of_rows(table)
        return pack_entries(name, essential(entries) if compact else entries)
    if table.shape[1] > MAX_COLUMNS or (not compact and 2 * np.count_nonzero(table) > table.size):
        return {name: np.ascontiguousarray(table, dtype="<f4")}
    return pack_entries(name, essential(table) if compact else Entries.of_table(table))


def pack_entries(name: str, entries: Entries) -> dict[str, Array]:
    """Return the arrays of a sparse table; a weight takes one byte if there are few different ones."""
    longest = int(entries.counts.max(initial=0))
    kept: dict[str, Array] = {
        f"{name}.counts": entries.counts.astype(_narrow(longest + 1)),
        f"{name}.columns": entries.columns.astype(_narrow(entries.n_columns)),
    }
    if not has_few_levels(entries.values):
        return {**kept, f"{name}.values": entries.values.astype("<f4")}
    levels, places = levels_of(entries.values)
    return {**kept, f"{name}.levels": levels.astype("<f4"), f"{name}.values": places}


def unpack_rows(model: ModelFile, name: str, shape: tuple[int, int]) -> Table | Entries:
    """Return the table or its entries; FormatError if the arrays are not a table of that shape."""
    if name in model.arrays:
        found = _floats(model, name, shape).astype(np.float32)
        _check_finite(model, name, found)
        return found
    if shape[1] > MAX_COLUMNS:
        raise model.damaged(f"the sparse table {name!r} has {shape[1]:,} columns")
    counts = _whole(model, f"{name}.counts", shape[0], shape[1] + 1).astype(np.uint32)
    n = int(counts.sum(dtype=np.int64))
    columns = _whole(model, f"{name}.columns", n, shape[1]).astype(np.uint16)
    if f"{name}.levels" in model.arrays:
        levels = model.array(f"{name}.levels", np.dtype("<f4"), [None])
        values = levels.take(model.indices(f"{name}.values", np.uint8, [n], len(levels)))
    else:
        values = _floats(model, f"{name}.values", (n,)).astype(np.float32)
    _check_finite(model, name, values)
    starts = np.zeros(n, dtype=bool)
    starts[(np.cumsum(counts, dtype=np.int64) - counts)[counts > 0]] = True
    if not (starts[1:] | (columns[1:] > columns[:-1])).all():
        raise model.damaged(f"the columns of a row of {name!r} do not rise")
    return Entries(counts, columns, values, shape[1])


def _parts(table: NDArray[np.float32]) -> list[NDArray[np.float32]]:
    """Cut a table into pieces of whole rows that take little memory."""
    step = max(1, _AT_ONCE // max(1, table.size // max(1, len(table))))
    return [np.ascontiguousarray(table[at : at + step]) for at in range(0, len(table), step)]


def _narrow(limit: int) -> np.dtype[np.generic]:
    """The narrowest type of the numbers below a limit."""
    return np.dtype("u1" if limit <= 1 << 8 else "<u2" if limit <= 1 << 16 else "<u4")


def _whole(model: ModelFile, name: str, n: int, limit: int) -> Array:
    """The named array of n whole numbers below a limit, however wide."""
    array = model.arrays.get(name)
    wide = np.dtype("<u4") if array is None or array.dtype.kind != "u" else array.dtype
    return model.indices(name, wide, [n], limit)


def _floats(model: ModelFile, name: str, shape: tuple[int, ...]) -> Array:
    half = name in model.arrays and model.arrays[name].dtype == np.dtype("<f2")
    return model.array(name, np.dtype("<f2" if half else "<f4"), shape)


def _check_finite(model: ModelFile, name: str, values: Table) -> None:
    if not np.isfinite(values).all():
        raise model.damaged(f"array {name!r} has a weight that is not finite")

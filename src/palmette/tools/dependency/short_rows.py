"""Tables of 16-bit weights in model files, without their zeros.

`name.counts` has the entries of each row, `name.columns` their places, `name.values` the numbers, and `name.unit`
what one of these is worth. A compact table has the square roots of numbers, in 8 bits each, and leaves out what is
zero then: small numbers keep more of their places than large ones.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from palmette.tools.dependency.packed_weights import LARGEST_UNIT

Shorts = NDArray[np.int16]
_MOST = 127


def pack_shorts(name: str, table: Shorts, unit: float, compact: bool) -> dict[str, NDArray[Any]]:
    """The arrays of a table [rows, columns]; unit: what 1 is worth."""
    kept: NDArray[Any] = table
    if compact and table.any():
        sizes = np.abs(table.astype(np.float32))
        most = float(sizes.max())
        kept = (np.sign(table) * np.rint(np.sqrt(sizes / most) * _MOST)).astype(np.int8)
        unit *= most / _MOST**2
    rows, columns = np.nonzero(kept)
    narrow = np.dtype("u1" if table.shape[1] <= 1 << 8 else "<u2")
    return {
        f"{name}.counts": np.bincount(rows, minlength=len(table)).astype(narrow),
        f"{name}.columns": columns.astype(narrow),
        f"{name}.values": kept[rows, columns],
        f"{name}.unit": np.array([unit], dtype="<f4"),
    }


def unpack_shorts(
    arrays: Mapping[str, NDArray[Any]], name: str, n_rows: int, n_columns: int, stride: int
) -> tuple[Shorts, float]:
    """The table, [n_rows · stride] with zeros behind each row, and its unit; ValueError if it is damaged."""
    try:
        counts, columns, values, unit = (
            arrays[f"{name}.{part}"] for part in ("counts", "columns", "values", "unit")
        )
    except KeyError as error:
        raise ValueError(f"the array {error} is missing") from None
    good = (
        counts.shape == (n_rows,)
        and counts.dtype.kind == columns.dtype.kind == "u"
        and columns.shape == values.shape == (int(counts.sum(dtype=np.int64)),)
        and values.dtype in (np.int8, np.int16)
        and unit.shape == (1,)
        and unit.dtype == np.float32
        and 0 <= float(unit[0]) <= LARGEST_UNIT
        and (not columns.size or int(columns.max()) < n_columns)
    )
    if not good:
        raise ValueError(f"the table {name!r} is damaged")
    table = np.zeros(n_rows * stride, dtype=np.int16)
    if values.dtype == np.int8:
        sizes = values.astype(np.int16)
        values = np.sign(sizes) * sizes**2
    table[np.repeat(np.arange(n_rows, dtype=np.int64) * stride, counts) + columns] = values
    return table, float(unit[0])

"""Tables of 16-bit weights in model files, without their zeros.

`name.counts` has the entries of each row, `name.columns` their places, `name.values` the numbers, and `name.unit`
what one of these is worth. A compact table has one byte for each number, its place in `name.levels`, and leaves
out the smallest numbers, whose squares sum to `DROPPED` of all squares, unless it is small. Older compact tables
have square roots of numbers in 8 bits.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from palmette.tools.packed_rows import SMALL, has_few_levels, levels_of, smallest_kept
from palmette.tools.packed_weights import LARGEST_UNIT

Shorts = NDArray[np.int16]
DROPPED = 0.002


def pack_shorts(name: str, table: Shorts, unit: float, compact: bool) -> dict[str, NDArray[Any]]:
    """Return the arrays of a table [rows, columns]; unit: what 1 is worth."""
    least = 0.0
    if compact:
        numbers = table[table != 0].astype(np.float32)
        few = has_few_levels(numbers)
        compact = few or len(numbers) > SMALL
        least = smallest_kept(numbers, DROPPED) if compact and not few else 0.0
    rows, columns = np.nonzero((table != 0) & (np.abs(table.astype(np.int32)) >= least))
    narrow = np.dtype("u1" if table.shape[1] < 1 << 8 else "<u2")
    arrays: dict[str, NDArray[Any]] = {
        f"{name}.counts": np.bincount(rows, minlength=len(table)).astype(narrow),
        f"{name}.columns": columns.astype(narrow),
        f"{name}.values": table[rows, columns],
        f"{name}.unit": np.array([unit], dtype="<f4"),
    }
    if compact:
        levels, places = levels_of(table[rows, columns].astype(np.float32))
        arrays |= {f"{name}.levels": np.rint(levels).astype("<i2"), f"{name}.values": places}
    return arrays


def unpack_shorts(
    arrays: Mapping[str, NDArray[Any]], name: str, n_rows: int, n_columns: int, stride: int
) -> tuple[Shorts, float]:
    """Return the table, [n_rows · stride] with zeros behind each row, and its unit; ValueError if damaged."""
    try:
        counts, columns, values, unit = (
            arrays[f"{name}.{part}"] for part in ("counts", "columns", "values", "unit")
        )
    except KeyError as error:
        raise ValueError(f"the array {error} is missing") from None
    levels = arrays.get(f"{name}.levels")
    good = (
        counts.shape == (n_rows,)
        and counts.dtype.kind == columns.dtype.kind == "u"
        and columns.shape == values.shape == (int(counts.sum(dtype=np.int64)),)
        and (values.dtype in (np.int8, np.int16) if levels is None else values.dtype == np.uint8)
        and (levels is None or (levels.dtype == np.int16 and levels.ndim == 1))
        and unit.shape == (1,)
        and unit.dtype == np.float32
        and 0 <= float(unit[0]) <= LARGEST_UNIT
        and (not columns.size or int(columns.max()) < n_columns)
        and (levels is None or not values.size or int(values.max()) < len(levels))
    )
    if not good:
        raise ValueError(f"the table {name!r} is damaged")
    table = np.zeros(n_rows * stride, dtype=np.int16)
    if levels is not None:
        values = levels[values]
    elif values.dtype == np.int8:
        sizes = values.astype(np.int16)
        values = np.sign(sizes) * sizes**2
    table[np.repeat(np.arange(n_rows, dtype=np.int64) * stride, counts) + columns] = values
    return table, float(unit[0])

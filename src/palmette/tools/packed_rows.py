"""Tables of weights in model files: as they are, or without their zeros.

A sparse table is `counts` (entries of each row), `columns` (of all entries, in order) and `values`. It is
written where more than half of the entries are zero. Values are float32, or float16 for a small file, which
rounds a weight by at most a part in 2,000.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from palmette.formats.errors import FormatError
from palmette.formats.model import ModelFile
from palmette.formats.safetensors import Array

Table = NDArray[np.float32]


def pack_rows(name: str, table: Table, *, half: bool = False) -> dict[str, Array]:
    """The arrays `name` or `name.counts`, `name.columns` and `name.values` of a table with two dimensions."""
    kind = np.dtype("<f2" if half else "<f4")
    nonzero = table != 0
    if 2 * int(np.count_nonzero(nonzero)) > table.size:
        return {name: np.ascontiguousarray(table, dtype=kind)}
    rows, columns = np.nonzero(nonzero)
    narrow = np.dtype("u1" if table.shape[1] <= 1 << 8 else "<u4")
    return {
        f"{name}.counts": np.bincount(rows, minlength=len(table)).astype("<u4"),
        f"{name}.columns": columns.astype(narrow),
        f"{name}.values": table[nonzero].astype(kind),
    }


def unpack_rows(model: ModelFile, name: str, shape: tuple[int, int]) -> Table:
    """The table again; FormatError if the arrays are not one of that shape."""
    if name in model.arrays:
        found = _floats(model, name, shape).astype(np.float32)
        _check_finite(model, name, found)
        return found
    counts = model.array(f"{name}.counts", np.dtype("<u4"), [shape[0]]).astype(np.int64)
    n = int(counts.sum())
    narrow = np.dtype("u1" if shape[1] <= 1 << 8 else "<u4")
    columns = model.indices(f"{name}.columns", narrow, [n], shape[1])
    values = _floats(model, f"{name}.values", (n,)).astype(np.float32)
    _check_finite(model, name, values)
    table = np.zeros(shape, dtype=np.float32)
    table[np.repeat(np.arange(shape[0]), counts), columns] = values
    return table


def _floats(model: ModelFile, name: str, shape: tuple[int, ...]) -> Array:
    half = name in model.arrays and model.arrays[name].dtype == np.dtype("<f2")
    return model.array(name, np.dtype("<f2" if half else "<f4"), shape)


def _check_finite(model: ModelFile, name: str, values: Table) -> None:
    if not np.isfinite(values).all():
        raise FormatError(f"damaged model: array {name!r} has a weight that is not finite", path=model.path)

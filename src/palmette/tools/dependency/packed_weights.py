"""Long tables of weights in model files, without their zeros.

`name.gaps` has how many places lie between a weight that is kept and the one before it (255: so many, and no
weight there), `name.values` the weights in units of `name.unit`. In 16 bits, or compact: in 8 bits by their square
roots, so that small ones keep more of their places than large ones, and what is zero then is left out.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from palmette.learning.problem import Weights

LARGEST_UNIT = 1e20  # so that no sum of weights overflows, whatever a file says
MOST_WEIGHTS = 1 << 27  # of a parser: half a gigabyte, and no file may ask for more
_SKIP = 255
_LARGEST = {True: 127, False: 32767}


def require_size(n_weights: int) -> None:
    """ValueError for more weights than a parser may have."""
    if n_weights > MOST_WEIGHTS:
        raise ValueError(
            f"The tables of the parser have {n_weights:,} weights, and at most {MOST_WEIGHTS:,} are allowed: "
            "take a smaller 'bits' or 'label_bits'."
        )


def pack_weights(name: str, weights: Weights, compact: bool) -> dict[str, NDArray[Any]]:
    """The arrays of a table."""
    most, top = _LARGEST[compact], float(np.abs(weights).max(initial=0.0))
    top = top if top > 1e-30 else 1.0  # what is smaller is zero
    if compact:
        small = np.sign(weights) * np.rint(np.sqrt(np.abs(weights) / top) * most)
        values, unit = small.astype(np.int8), top / most**2
    else:
        values, unit = np.rint(weights * np.float32(most / top)).astype(np.int16), top / most
    places = np.flatnonzero(values)
    gaps = np.diff(places, prepend=-1) - 1
    skips = gaps // _SKIP
    entries = np.full(len(places) + int(skips.sum()), _SKIP, dtype=np.uint8)
    kept = np.zeros(len(entries), dtype=values.dtype)
    at = np.cumsum(skips + 1) - 1  # where the entries of the kept weights stand, their skips before them
    entries[at] = gaps % _SKIP
    kept[at] = values[places]
    return {
        f"{name}.gaps": entries,
        f"{name}.values": kept,
        f"{name}.unit": np.array([unit], dtype="<f4"),
    }


def unpack_weights(arrays: Mapping[str, NDArray[Any]], name: str, n_weights: int) -> Weights:
    """The table again; ValueError if the arrays do not fit."""
    try:
        gaps, values, unit = (arrays[f"{name}.{part}"] for part in ("gaps", "values", "unit"))
    except KeyError as error:
        raise ValueError(f"the array {error} is missing") from None
    good = (
        gaps.dtype == np.uint8
        and gaps.ndim == 1
        and gaps.shape == values.shape
        and values.dtype in (np.int8, np.int16)
        and unit.shape == (1,)
        and unit.dtype == np.float32
        and 0 <= float(unit[0]) <= LARGEST_UNIT
    )
    if not good:
        raise ValueError(f"the table {name!r} is damaged")
    weights = np.zeros(n_weights, dtype=np.float32)
    real = gaps != _SKIP
    places = (np.cumsum(gaps.astype(np.int64) + real) - 1)[real]
    if len(places) and places[-1] >= n_weights:
        raise ValueError(f"the table {name!r} is longer than {n_weights:,} weights")
    numbers = values[real].astype(np.float32)
    weights[places] = (
        np.sign(numbers) * numbers**2 * unit[0] if values.dtype == np.int8 else numbers * unit[0]
    )
    return weights

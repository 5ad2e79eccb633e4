"""Checks of arguments that all maps of attributes share."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from palmette.errors import UsageError

MAX_BITS = 30


def check_bits(bits: object) -> None:
    """ValueError unless `bits` is a number of bits that ids can have."""
    if not isinstance(bits, int) or isinstance(bits, bool) or not 1 <= bits <= MAX_BITS:
        raise UsageError(
            f"The 'hash_bits' must be an int in the range [1, {MAX_BITS}]. Got {bits!r} instead."
        )


def check_min_count(min_count: object, hash_bits: int | None) -> None:
    """ValueError unless `min_count` is a count, and 1 where attributes are hashed and so not counted."""
    if not isinstance(min_count, int) or isinstance(min_count, bool) or min_count < 1:
        raise UsageError(f"The 'min_count' must be an int in the range [1, inf). Got {min_count!r} instead.")
    if hash_bits is not None and min_count > 1:
        raise UsageError("A frequency cut-off ('min_count') cannot be had with 'hash_bits'.")


def check_ids(ids: ArrayLike | None, n: int) -> NDArray[np.int64]:
    """The ids as an array, all of them for None; IndexError if one is not in 0 ≤ i < n."""
    if ids is None:
        return np.arange(n, dtype=np.int64)
    given = np.asarray(ids)
    if given.size and given.dtype.kind not in "iu":
        raise TypeError(f"Ids of attributes must be whole numbers. Got {given.dtype} instead.")
    chosen = np.ascontiguousarray(given, dtype=np.int64).ravel()
    if chosen.size and (chosen.min() < 0 or chosen.max() >= n):
        raise IndexError(f"Attributes must lie between 0 and {n - 1}. Got {chosen.tolist()[:10]}.")
    return chosen

"""The gappy subsequence kernel in NumPy: every level is two cumulative sums over a matrix of positions."""

from __future__ import annotations

import numpy as np


def gappy_subsequences(s: str, t: str, n: int, decay: float) -> float:
    """K′ is a sum of what stands left and above, decayed by the distance: scaled by it, a plain cumulative sum."""
    rows, columns = (np.frombuffer(x.encode("utf-32-le"), dtype=np.uint32) for x in (s, t))
    match = rows[:, None] == columns[None]
    scale = decay ** (np.arange(len(rows))[:, None] + np.arange(len(columns)))
    inverse = 1 / scale
    ending = match.astype(float)
    for _ in range(n - 1):
        longer = np.cumsum(np.cumsum(ending * inverse, axis=0), axis=1) * scale
        ending = np.zeros_like(longer)
        ending[1:, 1:] = longer[:-1, :-1]
        ending *= match
    return float(decay ** (2 * n) * ending.sum())

"""Heads of words as an array: whether they make a dependency tree, and of which kind."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from palmette.structures.arborescence.arc_scores import Heads


def checked_heads(heads: npt.ArrayLike, n: int) -> Heads:
    """The heads of n words."""
    array = np.asarray(heads)
    if array.shape != (n,) or (n and array.dtype.kind not in "iu"):
        raise ValueError(f"expected the heads of {n} words as integers, got an array of shape {array.shape}")
    if n and not (array.min() >= 0 and array.max() <= n):
        raise ValueError(f"heads must lie between 0 and {n}")
    return np.ascontiguousarray(array, dtype=np.int32)


def is_tree(heads: Heads, *, projective: bool, single_root: bool) -> bool:
    """Whether every word reaches the root, at most one of them directly if need be, and no arcs cross if need be.

    O(n log n).
    """
    n = len(heads)
    if n and single_root and (heads == 0).sum() != 1:
        return False
    above = np.concatenate([[0], heads])  # each word's ancestor 2^t steps above, the root above itself
    for _ in range(max(n, 1).bit_length()):
        above = above[above]
    return not above.any() and (not projective or _no_arcs_cross(heads))


def _no_arcs_cross(heads: Heads) -> bool:
    """Arcs that do not cross nest, so a stack of open ones is enough; those of the root count."""
    words = np.arange(1, len(heads) + 1)
    first, last = np.minimum(heads, words), np.maximum(heads, words)
    open_arcs: list[int] = []  # right ends, the innermost last
    for a in np.lexsort((-last, first)).tolist():
        while open_arcs and open_arcs[-1] <= first[a]:
            open_arcs.pop()
        if open_arcs and open_arcs[-1] < last[a]:
            return False
        open_arcs.append(int(last[a]))
    return True

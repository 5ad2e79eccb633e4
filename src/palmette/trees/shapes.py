"""The shapes of all dependency graphs of a corpus at once: arrays with one value per sentence or per word.

`heads` are those of all words in a row, counted from 1 within their sentence; 0 is the artificial root, and a word
whose head is below 0 or beyond the sentence has no head. The words of sentence i are the rows `offsets[i]` to
`offsets[i + 1]`. Definitions are with the predicates of `DependencyTree`. O(n log n) for a sentence of n words,
O(n log² n) where a projection has a gap; the loops are native
(native/structures/arborescence/dependency_tree.cpp).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from palmette import _native
from palmette.errors import numbered

_HEADED, _SINGLE_ROOTED, _ACYCLIC, _CONNECTED, _PROJECTIVE, _WELL_NESTED = 1, 2, 4, 8, 16, 32


@dataclass(frozen=True, eq=False)
class TreeShapes:
    """What holds of each sentence: `flags`, `gap_degree`, `depth` (-1 for no tree); `crossed` of each word.

    `crossed[r]` says that the arc to word r is not projective.
    """

    flags: NDArray[np.uint8]
    gap_degree: NDArray[np.int32]
    depth: NDArray[np.int32]
    crossed: NDArray[np.bool_]

    @property
    def is_single_headed(self) -> NDArray[np.bool_]:
        """Every word has one head."""
        return (self.flags & _HEADED) > 0

    @property
    def is_single_rooted(self) -> NDArray[np.bool_]:
        """Exactly one word hangs from the root."""
        return (self.flags & _SINGLE_ROOTED) > 0

    @property
    def is_acyclic(self) -> NDArray[np.bool_]:
        """No word dominates its own head."""
        return (self.flags & _ACYCLIC) > 0

    @property
    def is_connected(self) -> NDArray[np.bool_]:
        """Between any two nodes, the root among them, there is a path along arcs in either direction."""
        return (self.flags & _CONNECTED) > 0

    @property
    def is_tree(self) -> NDArray[np.bool_]:
        """Connected, and every word has one head: with heads in an array the first is enough."""
        return self.is_connected

    @property
    def is_projective(self) -> NDArray[np.bool_]:
        """Every head dominates all words between itself and its dependents."""
        return (self.flags & _PROJECTIVE) > 0

    @property
    def is_well_nested(self) -> NDArray[np.bool_]:
        """No two disjoint projections interleave."""
        return (self.flags & _WELL_NESTED) > 0


def tree_shapes(heads: ArrayLike, offsets: ArrayLike) -> TreeShapes:
    """The shapes of the graphs of a corpus.

    >>> shapes = tree_shapes([2, 0, 2, 2, 1], [0, 3, 5])
    >>> shapes.is_tree.tolist(), shapes.is_acyclic.tolist(), shapes.depth.tolist()
    ([True, False], [True, False], [2, -1])
    """
    flags, gap_degree, depth, crossed = _native.tree_shapes(*_arrays(heads, offsets))
    return TreeShapes(flags, gap_degree, depth, crossed.view(np.bool_))


def projectivise(heads: ArrayLike, offsets: ArrayLike) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """The heads of projective trees by lifting, and how often each word was lifted.

    While an arc is not projective, the shortest such arc (of these the leftmost) is lifted: its word moves to the
    head of its head. Nivre & Nilsson 2005. ValueError for the first sentence that is not a tree.

    >>> projectivise([3, 4, 0, 3], [0, 4])  # the arc from 4 to 2 passes over 3, which 4 does not dominate
    (array([3, 3, 0, 3], dtype=int32), array([0, 1, 0, 0], dtype=int32))
    """
    flat, edges = _arrays(heads, offsets)
    lifted, lifts, wrong = _native.projectivise_trees(flat, edges)
    if wrong >= 0:
        from palmette.trees.dependency_tree import DependencyTree

        tree = DependencyTree(flat[edges[wrong] : edges[wrong + 1]].tolist())
        raise ValueError(f"{numbered(wrong, 'Sentence')} is not a tree: {tree.problem(single_root=False)}.")
    return lifted, lifts


def _arrays(heads: ArrayLike, offsets: ArrayLike) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    wide = np.asarray(heads)
    if not wide.size:
        wide = wide.astype(np.int32)
    if wide.ndim != 1 or wide.dtype.kind not in "iu":
        raise ValueError(f"Heads must be whole numbers in a row. Got {wide.ndim} axes of {wide.dtype}.")
    if wide.dtype != np.int32:  # what an int32 cannot hold is out of every sentence
        wide = np.clip(wide, -1, np.iinfo(np.int32).max).astype(np.int32)
    edges = np.ascontiguousarray(offsets, dtype=np.int64)
    if edges.ndim != 1 or not edges.size or edges[0] or edges[-1] != len(wide) or (np.diff(edges) < 0).any():
        raise ValueError(f"The offsets of sentences must rise from 0 to the {len(wide)} heads.")
    return np.ascontiguousarray(wide), edges

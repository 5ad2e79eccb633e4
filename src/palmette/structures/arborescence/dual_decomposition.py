"""The best dependency tree under scores of arcs and of neighbouring siblings, crossing arcs allowed.

    score(heads) = Σ_m scores[h, m] + siblings[h, m, p]          h = heads[m]

p is the dependent of h that is before m on the same side, nearer to h; p = h where m is the first one. The
problem is NP-hard, but two parts of it are not: the best spanning tree, and each head's best dependents by
themselves. Dual decomposition (Koo et al. 2010) lets the two agree by prices on arcs. It gives a tree and an upper
bound for all trees, and says when these meet: then the tree is the best one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from palmette import _native
from palmette.inference.semiring import checked_count
from palmette.structures.arborescence.arc_scores import Arcs, Heads, arc_scores
from palmette.structures.chain_scores import checked_reals


@dataclass(frozen=True, eq=False)
class CertifiedTree:
    """A tree, its score, and a bound that no tree exceeds. With a `certificate` no tree has a higher score."""

    heads: Heads
    score: float
    bound: float
    certificate: bool
    iterations: int


def dual_decomposition(
    scores: npt.ArrayLike,
    siblings: npt.ArrayLike,
    *,
    single_root: bool = True,
    max_iter: int = 500,
    required: Arcs = (),
    forbidden: Arcs = (),
) -> CertifiedTree:
    """The best tree found in `max_iter` iterations of O(n³) at most, mostly O(n²).

    scores: [h, m] as for `SpanningTrees`; siblings: [h, m, p], n + 1 wide each way; -inf forbids in both. A
    `ValueError` where there is no tree, or where none without forbidden siblings was found.

    >>> scores, siblings = np.zeros((3, 3)), np.zeros((3, 3, 3))
    >>> siblings[1, 2, 1] = 2.0
    >>> tree = dual_decomposition(scores, siblings)
    >>> tree.heads.tolist(), tree.score, tree.certificate
    ([0, 1], 2.0, True)
    """
    matrix = np.asarray(arc_scores(scores, required, forbidden), dtype=np.float64)
    width = len(matrix)
    cube = checked_reals(siblings, "sibling scores", np.float64, (width, width, width))
    heads, score, bound, certificate, iterations = _native.dual_decomposition(
        matrix, cube.ravel(), bool(single_root), checked_count(max_iter, "max_iter", least=1)
    )
    if len(heads) != width - 1:
        root = " with one root word" if single_root else ""
        raise ValueError(f"no dependency tree{root} was found among the arcs and siblings that are allowed")
    return CertifiedTree(heads, score, bound, certificate, iterations)
